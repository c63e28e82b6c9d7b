"""Line diagrams as GraphML, for programs that draw and analyse graphs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from conceptrank._util.text import printable
from conceptrank.io.xml_events import UNWRITABLE, escaped

if TYPE_CHECKING:
    from conceptrank.plot.line_diagram import Diagram

_UNWRITABLE = re.compile(UNWRITABLE)


def to_graphml(diagram: Diagram) -> str:
    """Return a diagram as a directed graph, its edges from a concept to those that cover it.

    Nodes have a label, their intent and their own objects as JSON lists, their place, their
    support and their scores.
    """
    part = diagram.part
    measures = list(diagram.nodes[0]) if len(part) else []
    keys = {"label": "string", "intent": "string", "own_objects": "string"}
    keys |= {"x": "double", "y": "double"} | dict.fromkeys(measures, "double")
    names = {name: f"d{i}" for i, name in enumerate(keys)}
    out = ['<?xml version="1.0" encoding="UTF-8"?>']
    out.append('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    out += [
        f'  <key id="{names[name]}" for="node" attr.name="{_text(name)}" attr.type="{kind}"/>'
        for name, kind in keys.items()
    ]
    out.append('  <graph edgedefault="directed">')
    for i, (node, label) in enumerate(zip(diagram.nodes, diagram.labels, strict=True)):
        x, y = diagram.positions[i].tolist()
        fields = {
            "label": "\n".join((*label.above, *label.below)),
            "intent": json.dumps(part.intents[i], ensure_ascii=False),
            "own_objects": json.dumps(part.own_objects[i], ensure_ascii=False),
            "x": f"{x:.2f}",
            "y": f"{y:.2f}",
        }
        fields |= {name: f"{value:.17g}" for name, value in node.items()}
        inside = "".join(
            f'<data key="{names[name]}">{_text(value)}</data>' for name, value in fields.items()
        )
        out.append(f'    <node id="c{i}">{inside}</node>')
    out += [
        f'    <edge source="c{lower}" target="c{upper}"/>' for lower, upper in part.covers.tolist()
    ]
    return "\n".join([*out, "  </graph>", "</graphml>", ""])


def _text(text: str) -> str:
    """Return a text for XML, which has no way to write some control characters."""
    return escaped(_UNWRITABLE.sub(lambda found: printable(found[0]), text))
