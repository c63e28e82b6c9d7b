"""Edge lists: two nodes per line with blanks between them, as graph libraries write them.

Lines that begin with `#` or `%` are comments, except a first one like `% sym` (undirected),
`% asym` (directed) or `% bip` (bipartite), which declares the kind of graph.
"""

from __future__ import annotations

import re

from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.graphs import Graph, check_mode
from conceptrank.io.losses import dropped_order, refuse_names, refuse_unused
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import BLANKS, Data, LineStream, shown, text_head

_KIND = re.compile(r"%[ \t]*(sym|asym|bip)\b")
# What networkx appends: the data of an edge as a dictionary.
_DATA = re.compile(r"\{[^{}]*\}")


def sniff(head: bytes) -> Fit:
    r"""Return whether every line has two words. A first line like `% bip` proves it.

    Examples
    --------
    >>> [sniff(head).name for head in (b"% bip\n1 2\n", b"1 2\n3 4\n", b"1 2 3\n")]
    ['CERTAIN', 'POSSIBLE', 'NO']
    """
    text = text_head(head)
    lines = [line for line in text.split("\n") if line.strip() and line[0] not in "#%"]
    if not all(map(_ends, lines)):
        return Fit.NO
    if _KIND.match(text):
        return Fit.CERTAIN
    return Fit.POSSIBLE if lines and not any(set(",;|") & set(line) for line in lines) else Fit.NO


def read(
    data: Data,
    *,
    mode: str | None = None,
    directed: bool | None = None,
    diagonal: bool = False,
    extra_columns: bool = False,
) -> Context:
    r"""Read an edge list as a context.

    Parameters
    ----------
    data
        The content of a file, in one piece or in several.
    mode
        `"adjacency"`: all nodes are objects and attributes; `"bipartite"`: objects on the left,
        attributes on the right. If None, as the first line declares, otherwise adjacency.
    directed
        Whether edges are directed; if None, as the first line declares, otherwise undirected.
    diagonal
        Whether every node gets a cross with itself in the adjacency.
    extra_columns
        Whether further columns, such as weights, may follow; they are left out.

    Raises
    ------
    FormatError
        For a line that doesn't have two nodes.

    Examples
    --------
    >>> context = read(b"# friends\nann bob\nbob cem\n")
    >>> context.attributes, context.intension(["bob"])
    (('ann', 'bob', 'cem'), ('ann', 'cem'))
    >>> read(b"ann chess\nbob chess\n", mode="bipartite").shape
    (2, 1)
    """
    check_mode(mode)
    graph = Graph()
    kind = ""
    for line, row in LineStream(data).lines():
        if row[:1] in ("#", "%"):
            if line == 1 and (match := _KIND.match(row)):
                kind = match[1]
            continue
        words = _ends(row) or row.split(maxsplit=2)
        if not words:
            continue
        if len(words) != 2 and not (extra_columns and len(words) > 2):
            _refuse(row, len(words), line)
        if kind == "bip" or mode == "bipartite":
            # The same word on both sides is two nodes.
            one, other = graph.node(f"0{words[0]}", line), graph.node(f"1{words[1]}", line)
            graph.names[one], graph.names[other] = words[0], words[1]
            graph.sides[one], graph.sides[other] = 0, 1
            graph.edge(one, other, line)
        else:
            one, other = graph.node(words[0], line), graph.node(words[1], line)
            graph.edge(one, other, line, directed=kind == "asym" if directed is None else directed)
    if kind == "bip" and mode == "adjacency":
        raise FormatError(
            "the first line says that the graph is bipartite",
            line=1,
            hint="remove the line, or leave out the mode",
        )
    bipartite = kind == "bip" or mode == "bipartite"
    return graph.context("bipartite" if bipartite else "adjacency", diagonal=diagonal)


def write(context: Context) -> bytes:
    r"""Return a context as a bipartite edge list.

    Raises
    ------
    FormatError
        If a name is empty or has a blank, or an object or attribute has no cross.

    Examples
    --------
    >>> write(Context(["ann", "bob"], ["chess"], [[True], [True]]))
    b'% bip unweighted\nann chess\nbob chess\n'
    """
    refuse_names(
        context,
        forbidden=r"\s|\A\Z|\A[#%{]|[\x1c-\x1f]",
        because="is empty, has a blank or begins with #, % or {, which an edge list can't hold",
    )
    refuse_unused(context, "an edge list")
    lines = ["% bip unweighted"]
    for name, row in zip(context.objects, lists(context.rows()), strict=True):
        if not row:
            raise FormatError(
                f"object {shown(name)} has no attribute, and an edge list would lose it",
                hint="save in another format, such as .cxt or .csv",
            )
        lines += [f"{name} {context.attributes[m]}" for m in row]
    return "".join(f"{line}\n" for line in lines).encode()


def _ends(row: str) -> list[str]:
    """Return the two nodes of a line; an empty list if the line has anything else."""
    words = row.split(maxsplit=2)
    if len(words) == 3 and _DATA.fullmatch(words[2].strip()):
        words.pop()
    return words if len(words) == 2 else []


def _refuse(row: str, words: int, line: int) -> None:
    hint = "two nodes per line, with blanks between them"
    if words > 2:
        hint += "; extra_columns=True leaves the others out"
    elif any(separator in row.strip(BLANKS) for separator in ",;|"):
        hint += "; with other separators, name the format pairs"
    raise FormatError(
        f"found {'more than two words' if words > 2 else 'one word'} in {shown(row)}",
        line=line,
        hint=hint,
    )


FORMAT = Format(
    name="edge_list",
    suffixes=(".edges", ".edgelist", ".el"),
    description="edge list: two nodes per line",
    sniff=sniff,
    read=read,
    write=write,
    drops=dropped_order,
    streams=True,
)
