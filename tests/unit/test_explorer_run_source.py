"""A folder answers the page as the lattice of the same concepts does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.explorer import (
    LatticeSource,
    RunSource,
    export_run,
    payload,
    rule_list,
    run_source,
)
from conceptrank.explorer.query import Query
from conceptrank.measures import registry

MEASURES = ["cr", "stability", "separation"]
QUERIES = [
    Query("cr", True),
    Query("cr", False),
    Query("support", True),
    Query("stability", True, "m1", {"support": (2, 20), "cr": (0.01, None)}),
    Query("separation", True, "-m2 m3"),
    Query("separation", False, 'attribute:"m4" m', {"stability": (None, 0.9)}),
    Query("stability", False, "nothing"),
    Query("cr", True, "-nothing -m1", {"cr": (None, None)}),
    Query("support", False, "", {"support": (1e9, None)}),
    Query("support", True, "-m1", {}, (("cr", False), ("separation", True))),
    Query("cr", True, "", {}, (("stability", True),)),
    Query("cr", True, diverse=True),
    Query("support", False, "-m2", {}, (("cr", True),), diverse=True),
]


def random_context(seed: int) -> cr.Context:
    random = np.random.default_rng(seed)
    n, q = random.integers([1, 1], [30, 9])
    objects, attributes = [f"o{i}" for i in range(n)], [f"m{i}" for i in range(q)]
    return cr.Context(objects, attributes, random.random((n, q)) < random.choice([0.3, 0.6]))


class Pair:
    """Both sources of a context, and the places in the lattice of what the folder has."""

    def __init__(
        self, context: cr.Context, folder: Path, *, budget: int = 20, **options: object
    ) -> None:
        self.run = cr.runs.mine(
            context, folder, measures=MEASURES, workers=1, task_concepts=budget, **options
        )
        self.lattice = context.lattice(min_support=self.run.job.min_support)
        self.folder = RunSource(self.run, title="t")
        self.known = LatticeSource(self.lattice, MEASURES, title="t")
        rows = self.folder.rows(Query("support", True), 0, len(self.folder))["rows"]
        ids = {tuple(row["intent"]): row["id"] for row in rows}
        offsets, values = self.lattice.intents
        intents = [tuple(each.tolist()) for each in np.split(values, offsets[1:-1])]
        self.ids = [ids[intent] for intent in intents]
        self.places = dict(zip(self.ids, range(len(intents)), strict=True))

    def same(self, found: object, expected: object) -> None:
        """The folder's answer is the lattice's, apart from numbers and names of objects."""
        assert self._alike(found) == _nameless(json.loads(json.dumps(expected)))

    def _alike(self, answer: object) -> object:
        answer = json.loads(json.dumps(answer))

        def walk(value: object) -> object:
            if isinstance(value, list):
                return [walk(each) for each in value]
            if not isinstance(value, dict):
                return value
            walked = {key: walk(each) for key, each in value.items()}
            if walked.get("id", -1) >= 0:
                walked["id"] = self.places[walked["id"]]
            if walked.get("points") is not None:
                walked["points"] = [[self.places[i], x, y] for i, x, y in walked["points"]]
            return walked

        return _nameless(walk(answer))


def _nameless(value: object) -> object:
    if isinstance(value, list):
        return [_nameless(each) for each in value]
    if isinstance(value, dict):
        names = ("extent", "own", "objectNames")
        return {key: _nameless(each) for key, each in value.items() if key not in names}
    return value


@pytest.mark.parametrize("seed", range(6))
def test_as_the_lattice_answers(seed, tmp_path):
    pair = Pair(random_context(seed), tmp_path / "run", min_support=seed % 3)
    folder, known, n = pair.folder, pair.known, len(pair.lattice)
    assert pair.run.totals["parts"] > 1 or n < 20
    assert len(folder) == n
    assert list(folder.keys) == list(known.keys)
    pair.same(folder.meta(), known.meta())
    assert folder.meta()["objectNames"] is False
    for query in QUERIES:
        if query.sort != "support" and n == 0:
            continue
        for offset, limit in ((0, 5), (3, 1), (n // 2, n + 3), (n, 10)):
            pair.same(folder.rows(query, offset, limit), known.rows(query, offset, limit))
        for view in ("top", "iceberg"):
            for most in (4, 500):
                expected = known.suborder(query, view, -1, most)
                pair.same(folder.suborder(query, view, -1, most), expected)
        for scale in ("values", "ranks"):
            expected = known.cloud(query, "separation", "cr", scale)
            pair.same(folder.cloud(query, "separation", "cr", scale), expected)
        assert folder.facets(query) == known.facets(query)
        columns = ["cr", "support"]
        assert list(folder.csv(query, columns)) == list(known.csv(query, columns))
    for basis in rule_list.BASES:
        found, expected = folder.rules(basis), known.rules(basis)
        for rule in found["rules"]:
            rule |= {end: pair.places[rule[end]] for end in ("from", "to")}
        assert found == expected
    for i in range(0, n, 1 + n // 4):
        pair.same(folder.concept(pair.ids[i], 10), known.concept(i, 10))
        query = QUERIES[i % len(QUERIES)]
        assert folder.place(query, pair.ids[i]) == known.place(query, i)
        for view in ("near", "below", "above"):
            expected = known.suborder(query, view, i, 6)
            pair.same(folder.suborder(query, view, pair.ids[i], 6), expected)


def test_many_points_and_pieces_and_covers(tmp_path, monkeypatch):
    """Where there is too much to list, both count or cut in the same way."""
    random = np.random.default_rng(3)
    attributes = [f"m{i}" for i in range(20)]
    context = cr.Context(range(40), attributes, random.random((40, 20)) < 0.4)
    pair = Pair(context, tmp_path / "run", budget=300)
    folder, known = pair.folder, pair.known
    monkeypatch.setattr(run_source, "MOST_POINTS", 50)
    monkeypatch.setattr("conceptrank.explorer.lattice_source.MOST_POINTS", 50)
    monkeypatch.setattr(run_source, "ROWS_AT_ONCE", 97)
    for query in QUERIES[1:5]:
        for scale in ("values", "ranks"):
            expected = known.cloud(query, "stability", "cr", scale)
            assert expected["grid"] is not None or expected["total"] <= 50
            pair.same(folder.cloud(query, "stability", "cr", scale), expected)
        assert list(folder.csv(query, ["cr"])) == list(known.csv(query, ["cr"]))
        # More lower covers than a neighbourhood shows.
        assert len(known.concept(0, 0)["lower"]) > run_source.MOST_COVERS
        expected = known.suborder(query, "near", 0, 80)
        pair.same(folder.suborder(query, "near", pair.ids[0], 80), expected)


def test_objects_have_no_names(tmp_path):
    run = cr.runs.mine(cr.datasets.load("movies"), tmp_path / "run", workers=1)
    source = RunSource(run)
    assert source.meta()["title"] == "run"
    assert source.concept(0, 100)["extent"] == []
    answer = source.rows(Query("cr", True, "object:1"), 0, 5)
    assert answer == {"total": 0, "rows": [], "unknown": ["1"]}


def test_more_objects_than_are_known_one_by_one(tmp_path):
    """Three kinds of rows, each without one attribute: everything can be told by hand."""
    rows = np.array([0, 2, 4, 6]), np.array([0, 1, 1, 2, 0, 2], dtype=np.uint32)
    packed = cr.runs.Packed(("a", "b", "c"), rows, np.full(3, 30_000_000, dtype=np.uint32))
    source = RunSource(cr.runs.mine(packed, tmp_path / "run", workers=1))
    nodes = source.suborder(QUERIES[0], "iceberg", -1, 50)["nodes"]
    million = 1_000_000
    assert [(node["intent"], node["support"], node["ownCount"]) for node in nodes] == [
        ([], 90 * million, 0),
        ([0], 60 * million, 0),
        ([1], 60 * million, 0),
        ([2], 60 * million, 0),
        ([0, 1], 30 * million, 30 * million),
        ([0, 2], 30 * million, 30 * million),
        ([1, 2], 30 * million, 30 * million),
        ([0, 1, 2], 0, 0),
    ]
    ids = {tuple(node["intent"]): node["id"] for node in nodes}
    answer = source.concept(ids[0, 1], 10)
    assert [cover["id"] for cover in answer["upper"]] == [ids[0,], ids[1,]]
    assert [cover["id"] for cover in answer["lower"]] == [ids[0, 1, 2]]
    assert answer["generators"] == [[0, 1]]


def test_what_a_folder_left_out_is_not_listed(tmp_path):
    context = cr.datasets.load("movies")
    run = cr.runs.mine(context, tmp_path / "run", top=5, by="stability", workers=1)
    source = RunSource(run)
    assert source.meta()["complete"] is False
    assert list(source.keys) == ["stability", "cr", "support"]
    row = source.rows(Query("stability", True), 0, 1)["rows"][0]
    assert tuple(context.attributes[m] for m in row["intent"]) == tuple(run.top(1)["intent"][0])
    answer = source.concept(row["id"], 0)
    covers = answer["upper"] + answer["lower"]
    listed = source.rows(Query("support", True), 0, 9)["rows"]
    places = {tuple(each["intent"]): each["id"] for each in listed}
    assert any(cover["id"] < 0 for cover in covers)
    for cover in covers:
        assert cover["id"] == places.get(tuple(cover["intent"]), -1)


def test_the_measure_to_sort_by_comes_first(tmp_path):
    run = cr.runs.mine(cr.datasets.load("movies"), tmp_path / "run", measures=MEASURES, workers=1)
    assert next(iter(RunSource(run, by="stability").keys)) == "stability"
    assert next(iter(RunSource(run, by="support").keys)) == "support"
    with pytest.raises(cr.errors.UnknownNameError, match="in the run"):
        RunSource(run, by="delta_measure")


def test_scores_that_are_not_exact_are_told(tmp_path):
    context = cr.datasets.load("movies")
    measure = ("stability", {"method": "monte_carlo", "eps": 0.2, "delta": 0.2})
    run = cr.runs.mine(context, tmp_path / "run", measures=["cr", measure], workers=1)
    estimate = run.measures[1]
    source = RunSource(run)
    told = [source.concept(i, 0)["inexact"] for i in range(len(source))]
    assert [estimate] in told
    name, params = registry.split(measure)
    lattice = context.lattice()
    assert sum(estimate in each for each in told) == int((~lattice.exact(name, **params)).sum())
    assert not any("cr" in each for each in told)


def test_damage_is_noticed_before_anything_is_shown(tmp_path):
    run = cr.runs.mine(cr.datasets.load("movies"), tmp_path / "run", workers=1)
    (part,) = run.parts
    other = cr.runs.mine(
        cr.datasets.load("movies"), tmp_path / "other", measures=["stability"], workers=1
    )
    part.write_bytes(next(iter(other.parts)).read_bytes())
    fresh = cr.open_run(tmp_path / "run")
    assert fresh.state == "damaged"
    assert len(RunSource(fresh)) == 0


def data_of(page: Path) -> bytes:
    import base64

    text = page.read_text(encoding="utf-8")
    match = re.search(r'id="conceptrank-data">([^<]*)<', text)
    assert match is not None
    return base64.b64decode(match[1])


@pytest.mark.parametrize("seed", range(4))
def test_the_page_of_a_folder(seed, tmp_path):
    """Apart from the objects, it is the page of the lattice."""
    import gzip

    context = random_context(seed)
    run = cr.runs.mine(context, tmp_path / "run", measures=MEASURES, workers=1, task_concepts=7)
    export_run(run, tmp_path / "run.html", title="t")
    found = gzip.decompress(data_of(tmp_path / "run.html"))
    expected = gzip.decompress(payload.pack(context.lattice(), MEASURES, title="t"))
    headers, tails = [], []
    for data in (found, expected):
        length = int.from_bytes(data[:4], "little")
        headers.append(json.loads(data[4 : 4 + length]))
        tails.append(data[4 + length :])
    objects = [header.pop("objects") for header in headers]
    assert _nameless(headers[0]) == _nameless(headers[1])
    n, q = context.shape
    assert objects[0] == {"count": n, "first": 1, "names": None, "known": False}
    crosses = n * -(-q // 8)
    assert tails[0][crosses:] == tails[1][crosses:]
    # The same rows, perhaps in another order.
    rows = [np.frombuffer(tail[:crosses], np.uint8).reshape(-1, n).T.tolist() for tail in tails]
    assert sorted(rows[0]) == sorted(rows[1])


def test_too_much_for_a_page_is_refused(tmp_path, monkeypatch):
    run = cr.runs.mine(cr.datasets.load("movies"), tmp_path / "run", workers=1)
    monkeypatch.setattr(payload, "MOST_BYTES", 100)
    with pytest.raises(payload.TooLargeError, match="serve them instead of exporting"):
        export_run(run, tmp_path / "run.html")
    assert not (tmp_path / "run.html").exists()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_tiny_contexts(shape, tmp_path):
    context = cr.Context(range(shape[0]), range(shape[1]), np.ones(shape, dtype=bool))
    Pair(context, tmp_path / "run").folder.suborder(QUERIES[0], "iceberg", -1, 10)


def test_a_folder_without_concepts(tmp_path):
    context = cr.datasets.load("movies")
    run = cr.runs.mine(context, tmp_path / "run", min_support=100, workers=1)
    source = RunSource(run)
    assert len(source) == 0
    assert source.rows(QUERIES[0], 0, 10) == {"total": 0, "rows": [], "unknown": []}
    for view in ("top", "iceberg"):
        assert source.suborder(QUERIES[0], view, -1, 10)["nodes"] == []
    assert source.cloud(QUERIES[0], "cr", "support", "values")["points"] == []
    assert source.meta()["measures"][0]["distinct"] == 0
    export_run(run, tmp_path / "run.html")


def test_a_run_that_left_concepts_out_says_why_it_has_no_rules(tmp_path):
    run = cr.runs.mine(
        random_context(3), tmp_path / "run", measures=MEASURES, workers=1, top=2, by="cr"
    )
    found = RunSource(run).rules("luxenburger")
    assert found["rules"] == []
    assert "has left some out" in found["note"]
