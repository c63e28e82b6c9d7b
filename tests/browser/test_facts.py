"""The page and the library say the same about the same concepts."""

from __future__ import annotations

import json

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.explorer import LatticeSource, rule_list
from conceptrank.explorer.query import Query
from data_files import data_path

# Infinity is a text in JSON, as in the answers of the server.
ASK = """async ([name, args]) => JSON.stringify(
  await conceptrankExplorer.source[name](...args),
  (_, value) => Math.abs(value) === Infinity ? String(value) : value)"""
FACTS = """async (ids) => {
  const { source } = conceptrankExplorer;
  const facts = await Promise.all(ids.map((id) => source.details(id, 1e9)));
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
        from conceptrank import scaling

        context = scaling.load(data_path(name))
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


QUERIES = [
    Query("cr", True),
    Query("support", False),
    Query("stability", True, "m1", {"support": (2, 20), "cr": (0.01, None)}),
    Query("separation", True, "-m2 object:g3"),
    Query("separation", False, 'attribute:"m4" m nothing'),
    Query("support", True, "m3", {}, (("cr", False), ("separation", True))),
    Query("separation", True, "", {"support": (3, None)}, (("cr", True),), diverse=True),
]


@pytest.fixture(scope="module")
def lattice():
    random = np.random.default_rng(5)
    objects, attributes = [f"g{i}" for i in range(100)], [f"m{i}" for i in range(20)]
    return cr.Context(objects, attributes, random.random((100, 20)) < 0.45).lattice()


def test_the_server_answers_as_the_page_does(exported, lattice):
    """Two programs in two languages answer the same questions; they share no code."""
    assert len(lattice) > 4_000
    opened = exported(lattice, title="a title")
    source = LatticeSource(lattice, cr.explorer.DEFAULT_MEASURES, title="a title")

    def same(name, args, expected):
        found = json.loads(opened.page.evaluate(ASK, [name, args]))
        assert found == json.loads(json.dumps(expected)), (name, args)

    def literal(query):
        limits = {key: list(pair) for key, pair in query.limits.items()}
        return {
            "sort": query.sort,
            "descending": query.descending,
            "search": query.search,
            "limits": limits,
            "then": [list(key) for key in query.then],
            "diverse": query.diverse,
        }

    meta = opened.page.evaluate("conceptrankExplorer.source.meta")
    assert meta == json.loads(json.dumps(source.meta()))
    same("summary", [], source.summary())
    for query in QUERIES:
        asked = literal(query)
        for offset in (0, 100):
            same("rows", [asked, offset, 50], source.rows(query, offset, 50))
        same("place", [asked, 17], source.place(query, 17))
        for view, concept in (("top", -1), ("iceberg", -1), ("near", 40), ("below", 200)):
            part = {"view": view, "id": concept, "most": 30}
            same("suborder", [asked, part], source.suborder(query, view, concept, 30))
        part = {"view": "above", "id": 4000, "most": 30}
        same("suborder", [asked, part], source.suborder(query, "above", 4000, 30))
        same("facets", [asked], source.facets(query)["counts"])
        for scale in ("values", "ranks"):
            cloud = source.cloud(query, "separation", "cr", scale)
            same("cloud", [asked, "separation", "cr", scale], cloud)
    for basis in rule_list.BASES:
        same("rules", [basis], source.rules(basis))
    sets = [[], [3], [1, 4, 7], [0, 1, 2, 3, 4, 5], list(range(20))]
    same("closed", [sets], source.closed(sets))
    for concept in (0, 1, 500, len(lattice) - 1):
        same("details", [concept, 10], source.concept(concept, 10))
    text = (
        "([query, columns]) => "
        "conceptrankExplorer.source.csv(query, columns, false).then(b => b.text())"
    )
    written = opened.page.evaluate(text, [literal(QUERIES[2]), ["cr", "support"]])
    pieces = "".join(source.csv(QUERIES[2], ["cr", "support"]))
    assert written.splitlines()[0] == pieces.splitlines()[0]
    for one, other in zip(written.splitlines()[1:], pieces.splitlines()[1:], strict=True):
        assert one.split(",")[0] == other.split(",")[0]
        assert float(one.split(",")[1]) == float(other.split(",")[1])
        assert one.split(",")[3:] == other.split(",")[3:]
