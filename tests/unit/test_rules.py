"""Rules: golden numbers, budgets, tables, files and errors."""

import json
import math

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.budget import poll
from conceptrank.errors import BudgetExceeded, MeasureError, UnknownNameError
from conceptrank.rules import AttributeExploration, ExplorationError, Implications, measures
from strategies import random_context

T5 = cr.Context(
    "12345",
    "abcd",
    [[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]],
)


def shown(rules: cr.rules.Rules) -> list[str]:
    return ["".join(premise) + "->" + "".join(conclusion) for premise, conclusion, *_ in rules]


def test_golden_bases():
    lattice = T5.lattice()
    assert shown(lattice.rules("duquenne_guigues")) == ["a->b", "bd->a"]
    generic = lattice.rules("generic")
    assert shown(generic) == ["a->b", "ac->b", "ad->b", "bd->a", "acd->b", "bcd->a"]
    assert generic.counts.tolist() == [3, 1, 1, 1, 0, 0]
    assert generic.score("confidence").tolist() == [1] * 6
    assert generic.unsupported == 2
    assert len(lattice.rules("informative")) == 20
    assert len(lattice.rules("reduced_informative")) == 12
    assert len(lattice.rules("luxenburger")) == 12
    assert len(lattice.rules("mnr")) == 4 + 20


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "c->b",
            {
                "support": 2 / 5,
                "confidence": 2 / 3,
                "lift": 5 / 6,
                "leverage": -2 / 25,
                "conviction": 3 / 5,
                "cosine": 1 / math.sqrt(3),
                "jaccard": 2 / 5,
            },
        ),
        (
            "b->a",
            {
                "support": 3 / 5,
                "confidence": 3 / 4,
                "lift": 5 / 4,
                "leverage": 3 / 25,
                "conviction": 8 / 5,
                "cosine": 0.8660254037844386,
            },
        ),
    ],
)
def test_golden_measures(name, expected):
    rules = T5.lattice().rules("mnr")
    place = shown(rules).index(name)
    for measure, value in expected.items():
        assert rules.score(measure)[place] == pytest.approx(value, abs=1e-12)


def test_measures_over_four_counts():
    """Of 100 objects 40 have the premise, 50 the conclusion and 30 both."""
    counts = measures.Counts(100, *(np.array([k]) for k in (40.0, 50.0, 30.0)))
    expected = {
        "phi": 1 / math.sqrt(6),
        "chi_squared": 100 / 6,
        "odds_ratio": 6,
        "yule_q": 5 / 7,
        "yule_y": (math.sqrt(6) - 1) / (math.sqrt(6) + 1),
        "kappa": 0.4,
        "added_value": 0.25,
        "laplace": 31 / 42,
        "gini": 1 / 12,
        "j_measure": 0.3 * math.log2(1.5) - 0.1,
        "hyper_lift": 30 / 26,
        "hyper_confidence": 0.9999584567,
        "imbalance_ratio": 1 / 6,
        "certainty": 0.5,
        "zhang": 5 / 9,
    }
    for name, value in expected.items():
        assert measures.get(name).compute(counts)[0] == pytest.approx(value, abs=1e-9), name


def test_concepts_of_a_rule():
    lattice = T5.lattice()
    rules = lattice.rules("luxenburger")
    place = shown(rules).index("b->a")
    assert rules.score("cr")[place] == pytest.approx(1 / 4, abs=1e-12)
    assert rules.score("conclusion.stability")[place] == 5 / 8
    assert rules.score("premise.cr")[place] == pytest.approx(1 / 2, abs=1e-12)
    assert rules.score("premise.stability")[place] == 3 / 8
    assert rules.score("conclusion.lift")[place] == pytest.approx(5 / 4)
    assert rules.score(("cr", {"side": "extent"}))[place] == pytest.approx(1 / 6)
    best = lattice.rules(by="cr", top=1)
    assert best.score("cr")[0] == max(lattice.rules().score("cr"))


def test_columns_of_mlxtend():
    frame = T5.lattice().rules("mnr").to_pandas(also="cr")
    assert list(frame.columns) == [
        "antecedents",
        "consequents",
        "antecedent support",
        "consequent support",
        "support",
        "confidence",
        "lift",
        "representativity",
        "leverage",
        "conviction",
        "zhangs_metric",
        "jaccard",
        "certainty",
        "kulczynski",
        "cr",
    ]
    row = frame[frame["antecedents"] == frozenset("c")].iloc[0]
    assert row["consequents"] == frozenset("b")
    assert row["consequent support"] == 0.8


def test_files(tmp_path):
    rules = T5.lattice().rules("luxenburger", by="lift")
    for suffix in ("csv", "jsonl", "json", "parquet"):
        rules.save(tmp_path / f"rules.{suffix}", measures=["confidence", "cr"])
    frame = pl.read_parquet(tmp_path / "rules.parquet")
    assert frame.columns == ["premise", "conclusion", "count", "confidence", "cr"]
    assert frame["premise"].to_list() == [list(rule.premise) for rule in rules]
    first = json.loads((tmp_path / "rules.jsonl").read_text().splitlines()[0])
    assert first["conclusion"] == list(rules[0].conclusion)
    known = json.loads((tmp_path / "rules.csv.meta.json").read_text())
    assert known["rules"]["basis"] == "luxenburger"
    assert known["context"]["digest"] == T5.digest


def test_the_best_are_those_of_the_largest_lift():
    lattice = T5.lattice()
    assert shown(lattice.rules(top=3)) == shown(lattice.rules(top=3, by="lift"))


def test_budgets():
    lattice = T5.lattice()
    whole = lattice.rules()
    for most in range(len(whole) + 2):
        some = lattice.rules(budget=cr.Budget(rules=most))
        assert shown(some) == shown(whole)[:most]
        assert some.stopped == ("rules" if most < len(whole) else "")
        assert some.complete == (most >= len(whole))
    assert lattice.rules(budget=cr.Budget(bytes=50)).stopped == "bytes"
    assert lattice.rules(budget=cr.Budget(seconds=0)).stopped == "seconds"
    assert lattice.rules(by="lift", top=3, budget=cr.Budget(seconds=0)).stopped == "seconds"
    cancelled = cr.Budget()
    cancelled.cancel()
    for basis in ("mnr", "proper_premises", "luxenburger"):
        assert lattice.rules(basis, budget=cancelled).stopped == "cancelled"


def test_budgets_of_the_duquenne_guigues_basis():
    context = random_context(60, 16, density=0.6, seed=2)
    lattice = context.lattice()
    whole = lattice.rules("duquenne_guigues")
    assert len(whole) > 100
    some = lattice.rules("duquenne_guigues", budget=cr.Budget(rules=20))
    assert (len(some), some.stopped) == (20, "rules")
    assert some.implications.holds_in(context)
    assert lattice.rules("duquenne_guigues", budget=cr.Budget(bytes=100)).stopped == "bytes"


def test_many_generators_of_one_concept_are_bounded():
    # Each object lacks one pair of twins: one of each pair generates the bottom.
    n = 12
    crosses = np.kron(~np.eye(n, dtype=bool), np.ones((1, 2), dtype=bool))
    lattice = cr.Context(range(n), range(2 * n), crosses).lattice()
    assert int(lattice.face_scores("intent", "generators")[0][-1]) == 2**n
    rules = lattice.rules("generic", budget=cr.Budget(rules=70_000))
    assert (len(rules), rules.stopped) == (70_000, "rules")


def test_an_incomplete_lattice_has_no_rules():
    lattice = T5.lattice(budget=cr.Budget(concepts=4))
    with pytest.raises(BudgetExceeded, match="minimum support"):
        lattice.rules()


def test_progress_is_told_and_can_cancel(monkeypatch):
    monkeypatch.setattr("conceptrank.rules.watch._PAUSE", 0.0)
    monkeypatch.setattr("conceptrank.rules.generation._LARGE_AT_ONCE", 8)
    lattice = random_context(60, 14, density=0.4, seed=1).lattice()
    told = []
    whole = lattice.rules(progress=lambda found, share: told.append((found, share)))
    assert len(told) > 2
    assert told == sorted(told)
    assert told[-1] == (len(whole), 1.0)
    budget = cr.Budget()
    some = lattice.rules(budget=budget, progress=lambda found, share: budget.cancel())
    assert some.stopped == "cancelled"
    assert 0 < len(some) < len(whole)
    assert shown(some) == shown(whole)[: len(some)]

    def interrupt(found: int, share: float) -> None:
        raise KeyboardInterrupt

    for basis in ("mnr", "luxenburger", "proper_premises"):
        with pytest.raises(KeyboardInterrupt):
            lattice.rules(basis, progress=interrupt)


def test_scoring_can_be_cancelled_and_keeps_the_best(monkeypatch):
    monkeypatch.setattr("conceptrank.rules.generation._LARGE_AT_ONCE", 8)
    lattice = random_context(60, 14, density=0.4, seed=1).lattice()
    budget, calls = cr.Budget(), []
    score = cr.rules.Rules.score

    def cancelled(self, measure, **params):
        calls.append(len(self))
        if len(calls) == 3:
            budget.cancel()
            poll()
        return score(self, measure, **params)

    monkeypatch.setattr(cr.rules.Rules, "score", cancelled)
    some = lattice.rules(by="lift", top=5, budget=budget)
    assert some.stopped == "cancelled"
    assert (len(some), some.among) == (5, sum(calls[:2]))
    few = lattice.rules("luxenburger", by="lift", budget=cr.Budget(rules=7))
    assert (len(few), few.stopped) == (7, "rules")


def test_the_number_of_threads_changes_nothing():
    context = random_context(200, 20, density=0.3, seed=4)
    arrays = []
    for threads in (1, 2, 3):
        rules = context.lattice(threads=threads).rules(min_support=2)
        part = rules._part
        parts = (*part.premises, part.sources, part.numbers, part.targets, rules.score("lift"))
        arrays.append([array.tobytes() for array in parts])
    assert arrays[0] == arrays[1] == arrays[2]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"basis": "luxemburger"}, UnknownNameError, "luxenburger"),
        ({"by": "lifft", "top": 3}, UnknownNameError, "lift"),
        ({"by": ("lift", {"x": 1})}, MeasureError, "no parameters"),
        ({"by": ("cr", {"x": 1})}, MeasureError, "no parameter 'x'"),
        ({"min_confidence": 1.5}, ValueError, "between 0 and 1"),
        ({"min_support": 1}, ValueError, "mine it with that min_support"),
        ({"max_premise": -1}, ValueError, "negative"),
        ({"top": -1, "by": "lift"}, ValueError, "negative"),
    ],
)
def test_errors(arguments, error, message):
    with pytest.raises(error, match=message):
        T5.lattice(min_support=2).rules(**arguments)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 2)])
@pytest.mark.parametrize("basis", cr.rules.bases.available()["name"].to_list())
def test_empty_tables(shape, basis):
    lattice = cr.Context(range(shape[0]), range(shape[1]), np.zeros(shape, bool)).lattice()
    rules = lattice.rules(basis)
    assert repr(rules)
    assert rules._repr_html_().startswith("<table>")
    assert len(rules.to_polars()) == len(rules.to_pandas()) == len(rules)
    assert len(lattice.rules(basis, by="lift", top=2)) == min(len(rules), 2)


def test_counter_examples_by_name():
    claim = Implications("abcd", [("b", "a"), ("a", "b"), ("d", ["a", "b"])])
    found = claim.counter_examples(T5)
    assert [(str(each), objects) for each, objects in found] == [
        ("{b} → {a}", ("4",)),
        ("{d} → {a, b}", ("5",)),
    ]
    assert not claim.holds_in(T5)
    assert not Implications("abcd", [("a", "b")]).complete_for(T5)
    with pytest.raises(UnknownNameError, match="attribute 'x'"):
        Implications("ab", [("x", "a")])


def test_an_expert_can_be_wrong():
    exploration = AttributeExploration(cr.Context(["2"], ["even", "odd"], [[1, 0]]))
    assert str(exploration.question) == "{} → {even}"
    with pytest.raises(ExplorationError, match="it has even"):
        exploration.reject("4", ["even"])
    with pytest.raises(ExplorationError, match="already"):
        exploration.reject("2", ["odd"])
    with pytest.raises(UnknownNameError, match="did you mean 'odd'"):
        exploration.reject("3", ["od"])
    exploration.reject("3", ["odd"])
    assert str(exploration.question) == "None"
    with pytest.raises(ExplorationError, match="nothing is in question"):
        exploration.confirm()
    with pytest.raises(ExplorationError, match="an answer is True"):
        AttributeExploration(T5).run(lambda question: False)


def test_an_object_must_not_contradict_what_is_confirmed():
    exploration = AttributeExploration(T5)
    assert str(exploration.question) == "{b, d} → {a}"
    exploration.confirm()
    assert str(exploration.question) == "{a} → {b}"
    with pytest.raises(ExplorationError, match="lacks a"):
        exploration.reject("x", ["b"])
    exploration.reject("x", ["a", "d"])
    assert exploration.counter_examples == ("x",)
    resumed = AttributeExploration(exploration.context, exploration.implications)
    assert (resumed.question, resumed.implications) == (
        exploration.question,
        exploration.implications,
    )
    with pytest.raises(ExplorationError, match="'4' contradicts"):
        AttributeExploration(T5, [(("b",), ("a",))])
