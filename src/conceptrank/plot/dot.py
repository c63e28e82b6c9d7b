"""Line diagrams for Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptrank.plot import keys

if TYPE_CHECKING:
    from conceptrank.plot.line_diagram import Diagram


def to_dot(diagram: Diagram) -> str:
    """Return a diagram as a DOT graph.

    `dot` computes a new layout; `neato -n` uses the positions in the file. Nodes carry their
    support and their scores.
    """
    out = [
        "graph lattice {",
        f"  graph [fontsize={keys.FONT:g}];",
        '  node [shape=circle, style=filled, fillcolor=white, label="", fixedsize=true, '
        f"fontsize={diagram.font:g}];",
        '  edge [color="#6b6b6b"];',
        "  forcelabels=true;",
    ]
    if legend := keys.in_words(diagram):
        out.append(f"  label={_quoted(legend)};")
    fills = diagram.fills
    for i, (node, label) in enumerate(zip(diagram.nodes, diagram.labels, strict=True)):
        x, y = diagram.scene.positions[i].tolist()
        text = "\n".join((*label.above, *label.below))
        width = f"{diagram.scene.radii[i] / 36:.3f}"
        fields = {"pos": f"{x:.2f},{y:.2f}", "width": width, "xlabel": text}
        if fills is not None:
            fields["fillcolor"] = fills[i]
        if i == diagram.part.focus:
            fields["penwidth"] = "3"
        fields |= {name: f"{value:.12g}" for name, value in node.items()}
        inside = ", ".join(f"{_name(key)}={_quoted(value)}" for key, value in fields.items())
        out.append(f"  c{i} [{inside}];")
    # From the upper to the lower one, so that `dot` puts the upper one above.
    out += [f"  c{upper} -- c{lower};" for lower, upper in diagram.part.covers.tolist()]
    return "\n".join([*out, "}", ""])


def _name(text: str) -> str:
    return text if text.isidentifier() and text.isascii() else _quoted(text)


def _quoted(text: str) -> str:
    # A backslash would begin an escape such as \N, the name of the node.
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
