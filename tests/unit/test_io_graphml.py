from __future__ import annotations

import pytest

from io_samples import SAMPLES, read, refusal

FRIENDS = SAMPLES["graphml"].text


def test_the_usual_layout():
    assert read("graphml", FRIENDS) == SAMPLES["graphml"].context


VARIANTS = {
    "Windows": FRIENDS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + FRIENDS,
    "a prefix": FRIENDS.replace("xmlns=", "xmlns:g=")
    .replace("<graph", "<g:graph")
    .replace("</graph", "</g:graph"),
    "edges with a direction of their own": FRIENDS.replace("undirected", "directed").replace(
        "<edge ", '<edge directed="false" '
    ),
    "a document type": FRIENDS.replace(
        "<graphml", '<!DOCTYPE graphml SYSTEM "graphml.dtd"><graphml', 1
    ),
    "names in data": FRIENDS.replace(
        'for="edge" attr.name="weight"', 'for="all" attr.name="label"'
    ).replace('<node id="ann"/>', '<node id="ann"><data key="d0">ann</data></node>'),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != FRIENDS
    assert read("graphml", text) == read("graphml", FRIENDS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "no XML": ("graphml", 1, "not XML: syntax error"),
    "another root": (
        FRIENDS.replace("graphml", "html"),
        2,
        "the root element is 'html', expected 'graphml'",
    ),
    "cut off in a tag": (FRIENDS[: FRIENDS.index("target")], 7, "not XML: unclosed token"),
    "cut off between tags": (FRIENDS[: FRIENDS.index("<edge")], 7, "the file ends too early"),
    "a tag never closed": (FRIENDS.replace("</graph>", ""), 10, "not XML: mismatched tag"),
    "tags that cross": (
        FRIENDS.replace("</graph>\n</graphml>", "</graphml>\n</graph>"),
        9,
        "not XML: mismatched tag",
    ),
    "no graph": ("<graphml></graphml>", 1, "holds no graph"),
    "a second graph": (FRIENDS.replace("</graph>", "</graph><graph/>"), 9, "a second graph"),
    "a node without id": (FRIENDS.replace('<node id="cem"/>', "<node/>"), 6, "a node without id"),
    "an id twice": (
        FRIENDS.replace('<node id="cem"/>', '<node id="bob"/>'),
        6,
        "a second node with id 'bob'",
    ),
    "an edge without source": (FRIENDS.replace('source="bob" ', ""), 8, "an edge without source"),
    "an edge from nowhere": (
        FRIENDS.replace('source="bob"', 'source="dan"'),
        8,
        "an edge from node 'dan', which does not exist",
    ),
    "a hyperedge": (
        FRIENDS.replace("</graph>", "<hyperedge/></graph>"),
        9,
        "a hyperedge inside the graph",
    ),
    "a graph inside a node": (
        FRIENDS.replace('<node id="cem"/>', '<node id="cem"><graph/></node>'),
        6,
        "a graph inside the graph",
    ),
    "a bomb of entities": (
        '<!DOCTYPE graphml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + FRIENDS,
        1,
        "declarations inside <!DOCTYPE …>",
    ),
    "an external entity": (
        '<!DOCTYPE graphml [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + FRIENDS.split("?>")[1],
        1,
        "declarations inside <!DOCTYPE …>",
    ),
    "an unknown entity": (
        FRIENDS.replace('id="cem"', 'id="&cem;"'),
        6,
        "not XML: undefined entity",
    ),
    "an entity of a document type": (
        FRIENDS.replace("<graphml", '<!DOCTYPE graphml SYSTEM "a.dtd"><graphml', 1).replace(
            ">3<", ">&nbsp;<"
        ),
        7,
        "unknown entity &nbsp;",
    ),
    "far too deep": (
        "<graphml>" + "<a>" * 200,
        1,
        "elements inside each other, more than 100 deep",
    ),
    "another encoding": (
        FRIENDS.replace("utf-8", "klingon"),
        1,
        "can't be decoded: unknown encoding: klingon",
    ),
    "a control character": (
        FRIENDS.replace(">3<", ">\x01<"),
        7,
        "not XML: not well-formed (invalid token)",
    ),
    "a NUL byte": (FRIENDS.replace(">3<", ">\0<"), 7, "not XML: not well-formed (invalid token)"),
}


@pytest.mark.parametrize(("text", "line", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, reason):
    error = refusal("graphml", text)
    assert (error.line, error.reason) == (line, reason)


def test_bipartite_by_marks():
    sample = SAMPLES["graphml bipartite"]
    assert read("graphml", sample.text) == sample.context
    error = refusal("graphml", sample.text.replace(">1</data>", ">2</data>"))
    assert (error.line, error.reason) == (5, "bipartite '2', expected 0 or 1")


def test_directed_edges_go_one_way():
    assert read("graphml", FRIENDS.replace("undirected", "directed")).crosses == 2
    one_way = FRIENDS.replace('<edge source="bob"', '<edge directed="true" source="bob"')
    assert read("graphml", one_way).crosses == 3


def test_names_of_nodes():
    sample = SAMPLES["graphml bipartite"]
    assert read("graphml", sample.text, names="id").objects == ("n0",)
    error = refusal("graphml", sample.text, names="colour")
    assert (error.line, error.reason) == (4, "node 'n0' has no colour")
    partly = sample.text.replace('<data key="d1">x</data>', "")
    assert read("graphml", partly).objects == ("n0",)


def test_the_diagonal_is_an_option():
    assert read("graphml", FRIENDS, diagonal=True).crosses == 7
