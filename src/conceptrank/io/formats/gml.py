"""GML graphs: `graph [ node [ id 1 label "a" ] edge [ source 1 target 2 ] ]`.

Nodes are named by their labels, or by their ids where they have none. A graph whose nodes are
all marked `bipartite 0` (objects) or `bipartite 1` (attributes) is bipartite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple, NoReturn

from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.graphs import Graph, check_mode
from conceptrank.io.losses import refuse_names
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import decode, shown, text_head

_TOKEN = re.compile(r'\s*+(?:(\[)|(\])|"([^"]*+)"|([^\s\[\]"#]++)|#[^\n]*+|\Z)')
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]*));")
_TO_ESCAPE = re.compile(r"[^ !#-%\'-~]")
_DEEPEST = 50
_MOST_REMARKS = 100
_HINT = "a GML file is graph [ node [ id … label … ] edge [ source … target … ] ]"


class _Value(NamedTuple):
    """A word, number or text, and its line."""

    line: int
    text: str


def sniff(head: bytes) -> Fit:
    r"""Return whether the text begins with `graph [`, after comments and remarks.

    Examples
    --------
    >>> sniff(b'Creator "me"\ngraph\n[\n  node').name, sniff(b"graph theory\n").name
    ('CERTAIN', 'NO')
    """
    text = text_head(head)
    position = 0
    words: list[str] = []
    while (
        len(words) < _MOST_REMARKS
        and position < len(text)
        and (match := _TOKEN.match(text, position))
    ):
        position = match.end()
        opening, closing, quoted, word = match.groups()
        if opening and len(words) % 2 and words[-1] == "graph":
            return Fit.CERTAIN
        if opening or closing:
            return Fit.NO
        if quoted is not None or word is not None:
            words.append(quoted or word or "")
            if len(words) % 2 and not _KEY.fullmatch(words[-1]):
                return Fit.NO
    return Fit.NO


def read(
    data: bytes, *, mode: str | None = None, diagonal: bool = False, names: str = "label"
) -> Context:
    r"""Read a graph as a context.

    Parameters
    ----------
    data
        The content of a file.
    mode
        `"adjacency"`: all nodes are objects and attributes; `"bipartite"`: some are these, the
        others those, by their `bipartite` mark, or edges go from objects to attributes. If
        None, it is bipartite if all nodes have the mark.
    diagonal
        Whether every node gets a cross with itself in the adjacency.
    names
        The key of a node that has its name; nodes without it are named by their id.

    Raises
    ------
    FormatError
        If the file is damaged, or two nodes have one name.

    Examples
    --------
    >>> text = b'graph [ node [ id 1 label "ann" ] node [ id 2 ] edge [ source 1 target 2 ] ]'
    >>> context = read(text)
    >>> context.objects, context.crosses
    (('ann', '2'), 2)
    >>> read(text, diagonal=True).crosses
    4
    """
    check_mode(mode)
    text = decode(data)
    graph = Graph()
    elements = list(_elements(text))
    directed = any(key == "directed" and values[key].text == "1" for key, _, values in elements)
    for key, line, values in elements:
        texts = {name: value.text for name, value in values.items()}
        if key == "edge":
            graph.link(texts.get("source"), texts.get("target"), line, directed=directed)
        elif key == "node":
            number = graph.new_node(texts.get("id"), line)
            if names in values:
                graph.names[number], graph.lines[number] = texts[names], values[names].line
            if "bipartite" in values:
                graph.set_side(number, texts["bipartite"], values["bipartite"].line)
    return graph.context(mode, diagonal=diagonal)


def write(context: Context) -> bytes:
    r"""Return a context as a bipartite graph.

    Raises
    ------
    FormatError
        If a name has a NUL or half a surrogate pair.

    Examples
    --------
    >>> print(write(Context(["ann"], ["chess"], [[True]])).decode(), end="")
    graph [
      node [ id 0 label "ann" bipartite 0 ]
      node [ id 1 label "chess" bipartite 1 ]
      edge [ source 0 target 1 ]
    ]
    """
    refuse_names(context, unwritable="[\0\ud800-\udfff]")
    n = len(context.objects)
    lines = ["graph ["]
    sides = [*((name, 0) for name in context.objects), *((name, 1) for name in context.attributes)]
    for number, (name, side) in enumerate(sides):
        label = _TO_ESCAPE.sub(lambda found: f"&#{ord(found[0])};", name)
        lines.append(f'  node [ id {number} label "{label}" bipartite {side} ]')
    for g, row in enumerate(lists(context.rows())):
        lines += [f"  edge [ source {g} target {n + m} ]" for m in row]
    return "\n".join([*lines, "]", ""]).encode("ascii")


def _elements(text: str) -> Iterator[tuple[str, int, dict[str, _Value]]]:
    """Yield the nodes, edges and the direction of the one graph, each with its values."""
    stack: list[str] = []
    values: dict[str, _Value] = {}
    key: _Value | None = None
    start = line = 1
    graphs = 0
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            _refuse("a quote is opened and never closed", line)
        begin = match.start(match.lastindex or 0)
        token_line = line + text.count("\n", position, begin)
        line = token_line + text.count("\n", begin, match.end())
        position = match.end()
        opening, closing, quoted, word = match.groups()
        if opening:
            if key is None:
                _refuse("found [ without a key before it", token_line)
            stack.append(key.text)
            key = None
            if len(stack) > _DEEPEST:
                _refuse(f"lists inside each other, more than {_DEEPEST} deep", token_line)
            if stack == ["graph"]:
                graphs += 1
                if graphs > 1:
                    _refuse("a second graph", token_line)
            elif stack in (["graph", "node"], ["graph", "edge"]):
                values, start = {}, token_line
        elif closing:
            if key is not None or not stack:
                _refuse(
                    f"found ] after the key {shown(key.text)}" if key else "found ] with no [ open",
                    token_line,
                )
            if stack in (["graph", "node"], ["graph", "edge"]):
                yield stack[-1], start, values
            stack.pop()
        elif key is not None and (quoted is not None or word is not None):
            value = _Value(key.line, word if quoted is None else _unescaped(quoted, line))
            if stack in (["graph", "node"], ["graph", "edge"]):
                if key.text in values:
                    _refuse(f"a second {key.text}", token_line)
                values[key.text] = value
            elif stack == ["graph"] and key.text == "directed":
                yield "directed", token_line, {"directed": value}
            key = None
        elif word is not None and _KEY.fullmatch(word):
            key = _Value(token_line, word)
        elif word is not None or quoted is not None:
            _refuse(f"found {shown(word or quoted)}, expected a key", token_line)
    if stack or key is not None or not graphs:
        _refuse("the file ends too early" if stack or key else "no graph", line)


def _unescaped(text: str, line: int) -> str:
    """Return a text with its character references resolved; unknown ones stay as they are."""
    if "&" not in text:
        return text

    def character(found: re.Match[str]) -> str:
        if found[3] is not None:
            return html5.get(f"{found[3]};", found[0])
        code = int(found[1]) if found[1] is not None else int(found[2], 16)
        if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
            _refuse(f"{found[0]} is no character", line)
        return chr(code)

    return _REFERENCE.sub(character, text)


def _refuse(reason: str, line: int) -> NoReturn:
    raise FormatError(reason, line=line, hint=_HINT)


FORMAT = Format(
    name="gml",
    suffixes=(".gml",),
    description="GML graph",
    sniff=sniff,
    read=read,
    write=write,
    notices_cuts=True,
)
