"""Write the entries of docs/measures.md from the declarations of the measures.

The texts before and after the entries are written by hand in the page itself.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from conceptrank.measures import registry
from conceptrank.measures.registry import Measure

PAGE = Path(__file__).parents[1] / "docs" / "measures.md"
BEGIN, END = "<!-- entries: make measures-page -->\n", "<!-- end of entries -->\n"
# The order of the families on the page; others follow.
FAMILIES = ("size", "relevance", "expected", "stability", "robustness", "tolerance")
_SIDES = {"intent": "the intent", "extent": "the extent", "both": "both sides"}
_WIDTH = 118


def entries() -> str:
    """Return the entries of all built-in measures, one section per family."""
    built_in = [one for one in map(registry.get, registry.available()["name"]) if one.builtin]
    modules = dict.fromkeys(one.compute.__module__ for one in built_in)
    listed = [f"conceptrank.measures.{name}" for name in FAMILIES]
    order = dict.fromkeys([*listed, *sorted(modules)])
    lines: list[str] = []
    for module in order:
        heading = (inspect.getdoc(sys.modules[module]) or "").partition(":")[0]
        lines += [f"## {heading}", ""]
        for one in built_in:
            if one.compute.__module__ == module:
                lines += _entry(one)
    return "\n".join(lines)


def page(text: str) -> str:
    """Return the text of the page with its entries up to date."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{entries()}{END}{after}"


def _entry(measure: Measure) -> Iterator[str]:
    also = "".join(f" · also `{alias}`" for alias in measure.aliases)
    yield from (f"### `{measure.name}`{also}", "")
    documentation = inspect.getdoc(measure.compute) or ""
    definition, sections = _sections(documentation)
    definition = definition.removeprefix("Return ")
    if re.match("a |[a-z]{2}", definition):  # a word, not a symbol
        definition = definition[0].upper() + definition[1:]
    for paragraph in definition.split("\n\n"):
        yield from (_filled(paragraph), "")
    facts = [f"range {measure.range}", f"{measure.direction} is more interesting"]
    facts += [f"about {_SIDES[measure.side]}", f"needs {measure.needs}"]
    facts += [f"cost {measure.complexity}"]
    yield "- " + " · ".join(facts)
    yield from _parameters(measure, sections.get("Parameters", ""))
    yield f"- reference: {measure.reference}"
    if notes := sections.get("Notes"):
        yield _filled(f"- note: {notes}", indent="  ")
    yield ""


def _sections(documentation: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first section of a docstring, and the sections by title."""
    first, *others = re.split(r"^(\w+)\n-+\n", documentation, flags=re.MULTILINE)
    texts = (text.strip("\n") for text in others[1::2])
    return first.strip(), dict(zip(others[::2], texts, strict=True))


def _parameters(measure: Measure, text: str) -> Iterator[str]:
    for item in re.split(r"\n(?=\S)", text):
        head, _, description = item.partition("\n")
        names = [name for name in head.split(", ") if name in measure.params]
        if names:
            listed = ", ".join(f"`{name}`{_default(measure.params[name])}" for name in names)
            described = description.strip()
            described = described[:1].lower() + described[1:]
            yield _filled(f"- {listed}: {described}", indent="  ")


def _default(value: object) -> str:
    return " (required)" if value is inspect.Parameter.empty else f" = {value!r}"


def _filled(text: str, indent: str = "") -> str:
    """Return a text in lines. Minus signs replace hyphens, which would begin a list."""
    marker = "- " if text.startswith("- ") else ""
    body = " ".join(text.removeprefix(marker).split()).replace(" - ", " \u2212 ")
    return textwrap.fill(
        marker + body,
        _WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
