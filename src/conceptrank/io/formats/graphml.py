"""GraphML graphs: XML with `node`, `edge`, and `data` that belongs to them.

Nodes are named by their data `label` or `name`, or else by their ids. A graph whose nodes all
have the data `bipartite`, 0 for objects and 1 for attributes, is bipartite.
"""

from __future__ import annotations

from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.graphs import Graph, check_mode
from conceptrank.io.losses import refuse_names
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import Data, shown
from conceptrank.io.xml_events import UNWRITABLE, Events, escaped, root_fits

_GRAPH = ["graphml", "graph"]
_NODE = [*_GRAPH, "node"]
_EDGE = [*_GRAPH, "edge"]
_USUAL_NAMES = ("label", "name")


def sniff(head: bytes) -> Fit:
    """Return whether the root element is `graphml`.

    Examples
    --------
    >>> sniff(b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">').name
    'CERTAIN'
    """
    return root_fits(head, "graphml")


def read(
    data: Data, *, mode: str | None = None, diagonal: bool = False, names: str | None = None
) -> Context:
    r"""Read a graph as a context.

    Parameters
    ----------
    data
        The content of a file, in one piece or in several.
    mode
        `"adjacency"`: all nodes are objects and attributes; `"bipartite"`: some are these, the
        others those, by their data `bipartite`, or edges go from objects to attributes. If
        None, it is bipartite if all nodes have that data.
    diagonal
        Whether every node gets a cross with itself in the adjacency.
    names
        Which data of a node, or `"id"`, holds its name; if None, `label` or `name`, whichever
        all nodes have, and else the id.

    Raises
    ------
    FormatError
        If the file is damaged, or two nodes have one name.

    Examples
    --------
    >>> text = b'''<graphml><graph edgedefault="undirected"><node id="ann"/><node id="bob"/>
    ... <edge source="ann" target="bob"/></graph></graphml>'''
    >>> context = read(text)
    >>> context.objects, context.crosses
    (('ann', 'bob'), 2)
    """
    check_mode(mode)
    document = _Document()
    document.run(data)
    return document.graph_with_names(names).context(mode, diagonal=diagonal)


class _Document(Events):
    kind = "GraphML"
    roots = ("graphml",)
    texts = frozenset({"data"})

    def __init__(self) -> None:
        super().__init__()
        self._graph = Graph()
        self._graphs = 0
        self._directed = False
        self._keys: dict[str, str] = {}
        self._data: list[dict[str, str]] = []
        self._number = 0
        self._key = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.path == ["graphml", "key"]:
            if attributes.get("for", "all") in ("node", "all") and "id" in attributes:
                self._keys[attributes["id"]] = attributes.get("attr.name", attributes["id"])
        elif self.path == _GRAPH:
            self._graphs += 1
            if self._graphs > 1:
                self.refuse("a second graph", hint="only files with one graph are read")
            self._directed = attributes.get("edgedefault") == "directed"
        elif self.path == _NODE:
            self._number = self._graph.new_node(attributes.get("id"), self.line)
            self._data.append({})
        elif self.path == _EDGE:
            directed = attributes.get("directed", str(self._directed).lower()) in ("true", "1")
            ends = attributes.get("source"), attributes.get("target")
            self._graph.link(*ends, self.line, directed=directed)
        elif self.path == [*_NODE, "data"]:
            self._key = attributes.get("key", "")
        elif self.path == [*_GRAPH, "hyperedge"] or self.path[2:] == ["node", "graph"]:
            self.refuse(f"a {name} inside the graph", hint="only plain graphs are read")

    def end(self, name: str, text: str) -> None:
        if self.path == [*_NODE, "data"]:
            key = self._keys.get(self._key, self._key)
            self._data[-1][key] = text
            if key == "bipartite":
                self._graph.set_side(self._number, text, self.line)

    def graph_with_names(self, names: str | None) -> Graph:
        if not self._graphs:
            self.refuse("holds no graph", line=1)
        if names is None:
            usual = (key for key in _USUAL_NAMES if all(key in data for data in self._data))
            names = next(usual, "id") if self._data else "id"
        if names != "id":
            for number, data in enumerate(self._data):
                if names not in data:
                    raise FormatError(
                        f"node {shown(self._graph.names[number])} has no {names}",
                        line=self._graph.lines[number],
                        hint="choose other names, such as names='id'",
                    )
                self._graph.names[number] = data[names]
        return self._graph


def write(context: Context) -> bytes:
    """Return a context as a bipartite graph.

    Raises
    ------
    FormatError
        If a name has a control character, which XML can't hold.

    Examples
    --------
    >>> write(Context(["cat"], ["purrs"], [[True]])).decode().splitlines()[-3].strip()
    '<edge source="g0" target="m0"/>'
    """
    refuse_names(context, unwritable=UNWRITABLE)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="label" for="node" attr.name="label" attr.type="string"/>',
        '  <key id="bipartite" for="node" attr.name="bipartite" attr.type="int"/>',
        '  <graph edgedefault="undirected">',
    ]
    for side, (letter, names) in enumerate((("g", context.objects), ("m", context.attributes))):
        lines += [
            f'    <node id="{letter}{number}"><data key="label">{escaped(name)}</data>'
            f'<data key="bipartite">{side}</data></node>'
            for number, name in enumerate(names)
        ]
    for g, row in enumerate(lists(context.rows())):
        lines += [f'    <edge source="g{g}" target="m{m}"/>' for m in row]
    lines += ["  </graph>", "</graphml>", ""]
    return "\n".join(lines).encode()


FORMAT = Format(
    name="graphml",
    suffixes=(".graphml",),
    description="GraphML graph",
    sniff=sniff,
    read=read,
    write=write,
    streams=True,
    notices_cuts=True,
)
