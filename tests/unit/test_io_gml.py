from __future__ import annotations

import pytest

from conceptrank import io
from data_files import data_path
from io_samples import SAMPLES, read, refusal

FRIENDS = SAMPLES["gml"].text


def test_the_usual_layout():
    assert read("gml", FRIENDS) == SAMPLES["gml"].context


VARIANTS = {
    "on one line": FRIENDS.replace("  # the last one\n", "").replace("\n", " "),
    "no blanks around brackets": FRIENDS.replace("[ ", "[").replace(" ]", "]"),
    "Windows": FRIENDS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + FRIENDS,
    "references": FRIENDS.replace("ann", "&#97;&#x6e;n"),
    "edges before nodes": FRIENDS.replace("directed 0", "edge [ source 3 target 2 ]"),
    "edges twice": FRIENDS.replace("directed 0", "directed 0 edge [ source 2 target 1 ]"),
    "no direction": FRIENDS.replace("directed 0", ""),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != FRIENDS
    assert read("gml", text) == read("gml", FRIENDS)


DAMAGE = {
    "empty": ("", 1, "no graph"),
    "no graph": ('Creator "me"\n', 2, "no graph"),
    "cut off in a node": (FRIENDS[: FRIENDS.index("cem")], 8, "a quote is opened and never closed"),
    "cut off in an edge": (FRIENDS[: FRIENDS.index("target 3")], 10, "the file ends too early"),
    "cut off at the end": (FRIENDS.rstrip().removesuffix("]"), 11, "the file ends too early"),
    "a bracket too many": (FRIENDS + "]\n", 12, "found ] with no [ open"),
    "a bracket without key": (
        FRIENDS.replace("directed 0", "[ ]"),
        4,
        "found [ without a key before it",
    ),
    "a key without value": (
        FRIENDS.replace("id 2 label", "id 2 label ]"),
        6,
        "found ] after the key 'label'",
    ),
    "a node without id": (FRIENDS.replace("id 2 ", ""), 6, "a node without id"),
    "an id twice": (FRIENDS.replace("id 3", "id 2"), 8, "a second node with id '2'"),
    "two ids": (FRIENDS.replace("id 3", "id 3 id 4"), 8, "a second id"),
    "a label twice": (FRIENDS.replace("cem", "ann"), 8, "node name 'ann' stands on line 5 already"),
    "an edge without target": (FRIENDS.replace("target 3", ""), 10, "an edge without target"),
    "an edge to nowhere": (
        FRIENDS.replace("target 3", "target 7"),
        10,
        "an edge to node '7', which does not exist",
    ),
    "a quote never closed": (
        FRIENDS.replace('cem"', "cem"),
        8,
        "a quote is opened and never closed",
    ),
    "a key that is none": (FRIENDS.replace("directed 0", "7 0"), 4, "found '7', expected a key"),
    "a second graph": (FRIENDS + "graph [ ]\n", 12, "a second graph"),
    "no character": (FRIENDS.replace("cem", "c&#0;m"), 8, "&#0; is no character"),
    "a side that is none": (
        FRIENDS.replace("id 3", "id 3 bipartite 2"),
        8,
        "bipartite '2', expected 0 or 1",
    ),
    "far too deep": ("graph [" + " a [" * 99, 1, "lists inside each other, more than 50 deep"),
    "a NUL byte": (FRIENDS.replace("cem", "c\0m"), 8, "holds a NUL byte: binary data, not text"),
    "old line ends": (FRIENDS.replace("\n", "\r"), 1, "a carriage return without a line feed"),
}


@pytest.mark.parametrize(("text", "line", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, reason):
    error = refusal("gml", text)
    assert (error.line, error.reason) == (line, reason)


def test_a_real_graph_is_the_adjacency_of_the_paper():
    context = io.load(data_path("paper/dolphins.gml"))
    assert context.shape == (62, 62)
    assert context == io.load(data_path("paper/dolphins_from_gml.cxt"))
    assert len(context.lattice()) == 282
    with_diagonal = io.load(data_path("paper/dolphins.gml"), diagonal=True)
    assert with_diagonal.crosses == context.crosses + 62
    assert len(with_diagonal.lattice()) == 348


def test_directed_edges_go_one_way():
    found = read("gml", FRIENDS.replace("directed 0", "directed 1"))
    assert found.crosses == 2
    assert found.intension(["ann"]) == ("bob",)


def test_bipartite_by_marks_or_by_edges():
    sample = SAMPLES["gml bipartite"]
    assert read("gml", sample.text) == sample.context
    assert read("gml", sample.text, mode="adjacency").shape == (2, 2)
    unmarked = sample.text.replace(" bipartite 0", "").replace(" bipartite 1", "")
    assert read("gml", unmarked).shape == (2, 2)
    found = read("gml", unmarked, mode="bipartite")
    assert (found.objects, found.attributes) == (("x",), ("cat",))


def test_edges_that_stay_on_one_side():
    text = SAMPLES["gml bipartite"].text.replace("bipartite 1", "bipartite 0")
    error = refusal("gml", text)
    assert (error.line, error.reason) == (4, "the edge between 'x' and 'cat' stays on one side")
    error = refusal("gml", FRIENDS, mode="bipartite")
    assert (error.line, error.reason) == (10, "node 'bob' stands on both sides of edges")


def test_names_of_nodes():
    assert read("gml", FRIENDS, names="id").objects == ("1", "2", "3")
    assert read("gml", FRIENDS.replace('label "bob"', "")).objects == ("ann", "2", "cem")
    found = read("gml", FRIENDS.replace("ann", "A&amp;B &quot;&eacute;&quot; &unknown; &"))
    assert found.objects[0] == 'A&B "é" &unknown; &'


def test_the_same_label_on_both_sides():
    text = SAMPLES["gml bipartite"].text.replace('"cat"', '"x"')
    assert read("gml", text).objects == read("gml", text).attributes == ("x",)
    error = refusal("gml", text, mode="adjacency")
    assert (error.line, error.reason) == (3, "node name 'x' stands on line 2 already")


def test_networkx_reads_and_writes_the_same_graph(tmp_path):
    nx = pytest.importorskip("networkx")
    graph = nx.Graph([("ann", "bob"), ("bob", "cem")])
    nx.write_gml(graph, tmp_path / "friends.gml")
    nx.write_graphml(graph, tmp_path / "friends.graphml")
    nx.write_edgelist(graph, tmp_path / "friends.edges")
    for suffix in (".gml", ".graphml", ".edges"):
        assert io.load(tmp_path / f"friends{suffix}") == read("gml", FRIENDS)
    pets = SAMPLES["burmeister"].context
    for suffix, load in ((".gml", nx.read_gml), (".graphml", nx.read_graphml)):
        io.save(pets, tmp_path / f"pets{suffix}")
        found = load(tmp_path / f"pets{suffix}")
        sides = nx.get_node_attributes(found, "bipartite").values()
        assert sorted(sides) == [0] * 3 + [1] * 4
        assert found.number_of_edges() == pets.crosses
