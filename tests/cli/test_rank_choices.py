"""Options of `rank` that choose and order: tie-breaks, conditions, diversity, parameters."""

import json
from pathlib import Path

import numpy as np
import pytest

from conceptrank.measures import registry


@pytest.fixture
def own_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget measures that a test registers."""
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    monkeypatch.setattr(registry, "_NAMES", dict(registry._NAMES))


def rows_of(run, *arguments: object) -> list[dict[str, object]]:
    result = run("rank", *arguments, "--format", "jsonl")
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_second_measure_breaks_ties(run):
    rows = rows_of(run, "movies", "--then", "stability,support", "--all")
    assert [row["rank"] for row in rows[:3]] == [1, 2, 3]
    assert rows[0]["intent"] == ["adventure", "criminal"]
    keys = [(row["cr"], row["stability"], row["support"]) for row in rows]
    assert keys == sorted(keys, reverse=True)
    message = run("rank", "movies", "--then", "stability").stderr
    assert "12 of 20 concepts share the top score 0.5" in message
    assert "stability breaks the tie" in message


@pytest.mark.parametrize(
    ("ties", "ranks"), [("dense", (1, 2)), ("min", (1, 13)), ("max", (12, 14))]
)
def test_tied_concepts_share_the_rank_that_is_asked_for(run, ties, ranks):
    rows = rows_of(run, "movies", "--ties", ties)
    assert (rows[0]["rank"], rows[12]["rank"]) == ranks


def test_conditions_choose_concepts(run):
    result = run("rank", "movies", "--where", "support >= 2 and cr > 0.4", "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(rows) == 11
    assert all(row["support"] >= 2 and row["cr"] > 0.4 for row in rows)
    assert "note: 11 of 20 concepts meet --where" in result.stderr
    rows = rows_of(run, "movies", "--where", "'drama' in intent and stability(method='exact') > 0")
    assert rows
    assert all("drama" in row["intent"] for row in rows)


def test_diverse_concepts_overlap_little(run):
    result = run("rank", "movies", "--diverse", "3", "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["intent"] for row in rows] == [
        ["adventure"],
        ["comedy", "drama"],
        ["action", "drama"],
    ]
    assert "3 of 20 concepts picked by --diverse, covering 10 of 11 objects" in result.stderr
    assert "shown" not in result.stderr
    assert "crosses" in run("rank", "movies", "--diverse", "3", "--overlap", "cells").stderr


def test_parameters_have_types(run, own_measures):
    seen = []

    def compute(concepts, *, alpha=0.5, count=1, flag=False, word="a"):
        seen.append((alpha, count, flag, word))
        return concepts.supports * 1.0

    registry.register(registry.Measure(name="probe", summary="", compute=compute))
    options = ("alpha=0.9", "count=3", "flag=true", "word='7'")
    rows_of(run, "movies", "--by", "probe", *(x for each in options for x in ("--param", each)))
    assert set(seen) == {(0.9, 3, True, "7")}


def test_a_measure_can_have_parameters_of_its_own(run):
    rows = rows_of(run, "movies", "--also", "cr(side=extent), cr(activation='weighted:0.25')")
    assert list(rows[0]) == [
        *("rank", "cr", "cr(side=extent)", "cr(activation=weighted:0.25)", "support", "intent")
    ]
    extents = {
        tuple(r["intent"]): r["cr"] for r in rows_of(run, "movies", "--param", "side=extent")
    }
    assert all(extents[tuple(r["intent"])] == r["cr(side=extent)"] for r in rows)


def test_estimates_come_with_their_margins(run):
    arguments = ("movies", "--by", "stability", "--param", "method=karp_luby", "--param", "seed=7")
    result = run("rank", *arguments)
    assert result.exit_code == 0
    _, first, second, *_ = result.stdout.splitlines()
    assert "±" not in first  # No object, so that nothing is to be estimated.
    assert second.split()[1].startswith("~")
    assert second.split()[2].startswith("±0.0")
    assert "with ± how far the truth can be" in result.stderr
    assert "~" not in run("rank", "movies", "--by", "stability").stdout


@pytest.fixture
def weighted(own_measures) -> None:
    """Measures that want weights of attributes, and of objects."""

    def over_intents(concepts, *, weights):
        places = {name: i for i, name in enumerate(concepts.context.attributes)}
        return np.array([sum(weights[places[m]] for m in intent) for _, intent in concepts], float)

    def over_extents(concepts, *, weights):
        places = {name: i for i, name in enumerate(concepts.context.objects)}
        return np.array([sum(weights[places[g]] for g in extent) for extent, _ in concepts], float)

    for name, side, compute in (("wi", "intent", over_intents), ("we", "extent", over_extents)):
        measure = registry.Measure(name=name, summary="", compute=compute, side=side)
        registry.register(measure)


def test_weights_typed_and_in_files(run, weighted):
    Path("w.csv").write_text("name,weight\ndrama,10\ncomedy,0.5\n")
    for given in ("drama=10, comedy=0.5", "w.csv"):
        scores = {
            tuple(row["intent"]): row["wi"]
            for row in rows_of(run, "movies", "--by", "wi", "--weights", given, "--all")
        }
        assert scores["comedy", "drama"] == 10.5
        assert scores["adventure", "criminal"] == 2
    rows = rows_of(run, "movies", "--by", "we", "--weights", "3=100", "--all")
    assert rows[0]["we"] == 110


def test_damaged_weights(run, weighted):
    Path("w.csv").write_text("drama,2\ncomedy\n")
    result = run("rank", "movies", "--by", "wi", "--weights", "w.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "w.csv, line 2: expected a name and a number" in result.stderr
