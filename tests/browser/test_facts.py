"""The page and the library say the same about the same concepts."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import conceptrank as cr
from data_files import data_path
from literal_page import LiteralPage, Query

# JSON has no infinity.
ASK = """([name, args]) => JSON.stringify(
  conceptrankExplorer.source[name](...args),
  (_, value) => Math.abs(value) === Infinity ? String(value) : value)"""
FACTS = """(ids) => {
  const facts = ids.map((id) => conceptrankExplorer.source.details(id, 1e9));
  return facts.map(({ row, extent, relevant, generators, generatorsCut, upper, lower }) => ({
    row, extent, relevant, generators, generatorsCut, upper, lower,
  }));
}"""


def check_facts(opened, lattice, ids):
    """Extents, relevant attributes, covers, generators and scores, by name."""
    attributes = lattice.context.attributes
    listed = lattice.min_support
    scores = {key: lattice.score(key) for key in ("cr", "stability", "support")}

    def names(numbers):
        return tuple(attributes[m] for m in numbers)

    for i, found in zip(ids, opened.page.evaluate(FACTS, ids), strict=True):
        concept = lattice[i]
        assert names(found["row"]["intent"]) == concept.intent
        assert tuple(found["extent"]) == concept.extent
        assert names(found["relevant"]) == concept.relevant_attributes
        if not found["generatorsCut"]:
            assert tuple(map(names, found["generators"])) == concept.minimal_generators
        for side, covers in (("upper", concept.upper_covers), ("lower", concept.lower_covers)):
            shown = [(names(c["intent"]), c["support"]) for c in found[side]]
            assert shown == [(c.intent, c.support) for c in covers]
            for cover in found[side]:
                there = cover["support"] >= listed
                assert (cover["id"] >= 0) == there
                assert not there or lattice[cover["id"]].intent == names(cover["intent"])
        assert found["row"]["scores"] == [values[i] for values in scores.values()]
    return ids


@pytest.mark.parametrize(
    ("name", "min_support"), [("bench/mushroom.dat.gz", 800), ("bench/zoo.arff", 0)]
)
def test_two_hundred_concepts_of_real_data(exported, name, min_support):
    if name.endswith("arff"):
        context = cr.load(data_path(name), scale="auto")
    else:
        context = cr.load(data_path(name))
    lattice = context.lattice(min_support=min_support)
    opened = exported(lattice, ["cr", "stability"])
    ids = np.linspace(0, len(lattice) - 1, 200).astype(int).tolist()
    assert len(set(check_facts(opened, lattice, ids))) == 200


@pytest.mark.parametrize("seed", range(4))
def test_every_concept_of_random_contexts(exported, seed):
    random = np.random.default_rng(seed)
    shape = random.integers([1, 1], [45, 40])
    context = cr.Context(range(shape[0]), range(shape[1]), random.random(shape) < 0.3)
    lattice = context.lattice(min_support=int(seed % 3))
    opened = exported(lattice, ["cr", "stability"])
    check_facts(opened, lattice, list(range(len(lattice))))


PARTS = [("top", -1), ("iceberg", -1), ("near", 40), ("below", 200), ("above", 4000)]
QUERIES = [
    Query("cr", True),
    Query("support", False),
    Query("stability", True, "m1", {"support": [2, 20], "cr": [0.01, None]}),
    Query("separation", True, "-m2 object:g3"),
    Query("separation", False, 'attribute:"m4" m'),
    Query("support", True, "m3", {}, [["cr", False], ["separation", True]]),
    Query("separation", True, "", {"support": [3, None]}, [["cr", True]]),
]


@pytest.fixture(scope="module")
def lattice():
    random = np.random.default_rng(5)
    objects, attributes = [f"g{i}" for i in range(100)], [f"m{i}" for i in range(20)]
    return cr.Context(objects, attributes, random.random((100, 20)) < 0.45).lattice()


@pytest.fixture(scope="module")
def literal(lattice):
    return LiteralPage(lattice, ["cr", "separation", "stability", "support"])


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_the_page_answers_as_the_definition_says(exported, lattice, literal, query):
    """Two programs in two languages answer the same questions; they share no code."""
    assert len(lattice) > 4_000
    page = exported(lattice).page

    def ask(name, *args):
        return json.loads(page.evaluate(ASK, [name, [vars(query), *args]]))

    order = literal.order(query)
    for offset in (0, 100):
        found = ask("rows", offset, 50)
        assert found["total"] == len(order)
        assert [row["id"] for row in found["rows"]] == order[offset : offset + 50]
    if order:
        assert ask("place", order[-1]) == len(order) - 1
    keys = [query.sort, *(key for key, _ in query.then)]
    scores = [tuple(literal.scores[key][i] for key in keys) for i in order]
    rows = ask("rows", 0, len(order))["rows"]
    assert [row["tied"] for row in rows] == [scores.count(each) for each in scores]
    assert all(
        (a["rank"] == b["rank"]) == (scores[k] == scores[k + 1])
        for k, (a, b) in enumerate(pairwise(rows))
    )
    chosen = set(order)
    for view, concept in PARTS:
        part = ask("suborder", {"view": view, "id": concept, "most": 30})
        places = literal.part(query, view, concept, 30)
        assert [node["id"] for node in part["nodes"]] == places
        assert {tuple(edge) for edge in part["edges"]} == literal.edges(places)
        assert [node["matches"] for node in part["nodes"]] == [i in chosen for i in places]
        for k, node in enumerate(part["nodes"]):
            below = [literal.extents[places[b]] for a, b in part["edges"] if a == k]
            own = literal.extents[places[k]].difference(*below)
            assert node["ownCount"] == len(own)
            assert set(node["own"]) <= own
    points = literal.finite(query, "separation", "cr")
    assert list(map(tuple, ask("cloud", "separation", "cr"))) == points
    text = "([query, columns]) => conceptrankExplorer.source.csv(query, columns, false).text()"
    lines = page.evaluate(text, [vars(query), ["cr", "support"]]).splitlines()
    assert lines[0] == "rank,cr,support,intent"
    assert [float(line.split(",")[1]) for line in lines[1:]] == [
        literal.scores["cr"][i] for i in order
    ]


def test_closures_of_sets_of_attributes(exported, lattice):
    page = exported(lattice).page
    sets = [[], [3], [1, 4, 7], [0, 1, 2, 3, 4, 5], list(range(20))]
    for given, found in zip(sets, json.loads(page.evaluate(ASK, ["closed", [sets]])), strict=True):
        concept = lattice.context.concept(*(f"m{m}" for m in given))
        assert found["intent"] == concept.intent_numbers.tolist()
        assert found["support"] == concept.support
        assert found["id"] == lattice.find(concept.intent_numbers, concept.support)
