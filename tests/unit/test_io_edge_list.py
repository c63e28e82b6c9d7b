from __future__ import annotations

import pytest

from conceptrank.errors import UnknownNameError
from io_samples import SAMPLES, read, refusal

FRIENDS = SAMPLES["edge_list"].text


def test_the_usual_layout():
    assert read("edge_list", FRIENDS) == SAMPLES["edge_list"].context


VARIANTS = {
    "tabs": FRIENDS.replace(" bob", "\tbob"),
    "Windows": FRIENDS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + FRIENDS,
    "blanks around": FRIENDS.replace("\nann", "\n  ann").replace("cem", "cem  "),
    "no final line end": FRIENDS.removesuffix("\n"),
    "empty lines": FRIENDS.replace("\n", "\n\n"),
    "edges twice and backwards": FRIENDS + "bob ann\nbob cem\n",
    "symmetric by its first line": "% sym unweighted\n" + FRIENDS,
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != FRIENDS
    assert read("edge_list", text) == read("edge_list", FRIENDS)


DAMAGE = {
    "one word": (FRIENDS + "dan\n", 4, "found one word in 'dan'"),
    "three words": (FRIENDS + "dan eve 3\n", 4, "found more than two words in 'dan eve 3'"),
    "commas": ("ann,bob\nbob,cem\n", 1, "found one word in 'ann,bob'"),
    "commas and blanks": ("ann, bob, cem\n", 1, "found more than two words in 'ann, bob, cem'"),
    "a broken dictionary": (
        FRIENDS.replace("3}", "3"),
        3,
        "found more than two words in \"bob cem {'weight': 3\"",
    ),
    "a sentence": (
        FRIENDS + "these are my friends\n",
        4,
        "found more than two words in 'these are my friends'",
    ),
    "cut off": (FRIENDS + "dan", 4, "found one word in 'dan'"),
    "a matrix": ("0 1 1\n1 0 0\n", 1, "found more than two words in '0 1 1'"),
    "a NUL byte": (FRIENDS.replace("ann", "a\0n"), 2, "holds a NUL byte: binary data, not text"),
    "old line ends": (FRIENDS.replace("\n", "\r"), 1, "a carriage return without a line feed"),
}


@pytest.mark.parametrize(("text", "line", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, reason):
    error = refusal("edge_list", text)
    assert (error.line, error.reason) == (line, reason)


def test_directed_edges_go_one_way():
    one_way = read("edge_list", FRIENDS, directed=True)
    assert one_way.crosses == 2
    assert read("edge_list", "% asym\nann bob\nbob cem\n") == one_way
    assert read("edge_list", "% asym\nann bob\nbob cem\n", directed=False).crosses == 4


def test_the_diagonal_is_an_option():
    assert read("edge_list", FRIENDS, diagonal=True).crosses == 4 + 3
    error = refusal("edge_list", FRIENDS, diagonal=True, mode="bipartite")
    assert error.reason == "a bipartite graph has no diagonal"


def test_bipartite_graphs():
    found = read("edge_list", "1 1\n1 2\n2 2\n", mode="bipartite")
    assert (found.objects, found.attributes) == (("1", "2"), ("1", "2"))
    assert found.crosses == 3
    sample = SAMPLES["edge_list bipartite"]
    assert read("edge_list", sample.text) == sample.context
    error = refusal("edge_list", sample.text, mode="adjacency")
    assert (error.line, error.reason) == (1, "the first line says that the graph is bipartite")


def test_weights_can_be_left_out():
    text = "ann bob 3\nbob cem 1 2026\n"
    assert read("edge_list", text, extra_columns=True) == read("edge_list", FRIENDS)


def test_a_mode_that_there_is_not():
    with pytest.raises(UnknownNameError, match="unknown mode 'bipartit'; did you mean 'bipartite'"):
        read("edge_list", FRIENDS, mode="bipartit")


def test_loops_are_crosses():
    assert read("edge_list", "ann ann\n").crosses == 1
