"""What a search is about: named by a column, a value or an attribute."""

from __future__ import annotations

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.query import Target
from strategies import random_context

PEOPLE = {
    "sex": ["m", "f", "m", "f", "m", "f"],
    "job": ["cook", "clerk", "cook", "smith", "clerk", "cook"],
    "age": [17, 40, 33, 21, 50, 60],
    "left": [1, 0, 0, 1, None, 0],
}
MOVIES = cr.datasets.load("movies")


@pytest.fixture
def people() -> cr.Context:
    return cr.load(PEOPLE, scale="auto")


@pytest.mark.parametrize(
    ("text", "name", "marked"),
    [
        ("left", "left = 1", [1, 0, 0, 1, 0]),
        ("left=no", "left = 0", [0, 1, 1, 0, 1]),
        ("left = 1", "left = 1", [1, 0, 0, 1, 0]),
        ("sex=f", "sex = f", [0, 1, 0, 1, 0, 1]),
        ("sex", "sex = f", [0, 1, 0, 1, 0, 1]),
        ("'job'='Smith'", "job = smith", [0, 0, 0, 1, 0, 0]),
        ("smith", "job = smith", [0, 0, 0, 1, 0, 0]),
        ("age", "age", [17, 40, 33, 21, 50, 60]),
    ],
)
def test_targets_of_a_table(people: cr.Context, text: str, name: str, marked: list[int]) -> None:
    found = Target.of(people, text)
    assert (found.name, found.labels.tolist()) == (name, marked)
    assert found.missing == 6 - len(marked)
    column = name.partition(" = ")[0]
    assert not any(column in attribute for attribute in found.context.attributes)


def test_a_title_says_what_it_is_about(people: cr.Context) -> None:
    assert (
        "for left = 1 (40.0% of 5 objects, 1 without a value" in people.best(1, target="left").title
    )
    assert "for age (mean 36.83 of 6 objects)" in people.rank(target="age").title


def test_targets_of_crosses() -> None:
    found, other = Target.of(MOVIES, "drama"), Target.of(MOVIES, "drama=no")
    assert found.labels.tolist() == (~other.labels).tolist()
    assert "drama" not in other.context.attributes


@pytest.mark.parametrize(
    ("text", "error", "word"),
    [
        ("job", MeasureError, "'job=cook'"),
        ("job=baker", UnknownNameError, "baker"),
        ("sexx", UnknownNameError, "sex"),
    ],
)
def test_what_is_no_target(
    people: cr.Context, text: str, error: type[Exception], word: str
) -> None:
    with pytest.raises(error, match=word):
        Target.of(people, text)


def test_searches_are_those_with_labels() -> None:
    for seed in range(5):
        context = random_context(40, 8, density=0.5, seed=seed)
        labels = [name in context.extension("x3") for name in context.objects]
        rest = context.drop(attributes="x3")
        expected = rest.lattice().rank("wracc", also="precision", labels=labels).to_polars()
        best = context.best(9, target="x3", improving=False)
        assert best.to_polars().equals(expected.head(9))
        assert context.rank(target="x3").to_polars().equals(expected)


@pytest.mark.parametrize("by", ["wracc", "precision", "fisher_pvalue"])
def test_what_is_listed_is_better_than_everything_more_general(by: str) -> None:
    for seed in range(6):
        context = random_context(40, 7, density=0.5, seed=seed)
        full = context.rank(by, target="x3")
        scores = {frozenset(c.intent): rank for rank, c, _ in full}
        expected = [
            c.intent
            for rank, c, _ in full
            if all(scores[general] > rank for general in scores if general < set(c.intent))
        ]
        for k in (1, 4, 1000):
            found = context.best(k, by, target="x3")
            assert [c.intent for _, c, _ in found] == expected[:k]
            assert found.complete


def test_rules_conclude_the_target_alone() -> None:
    for seed in range(5):
        context = random_context(30, 7, density=0.5, seed=seed)
        found = context.rules(target="x2", min_support=2, min_confidence=0.4)
        expected = {}
        for concept in context.drop(attributes="x2").lattice():
            for premise in concept.minimal_generators:
                having = set(context.extension(premise))
                both = having.intersection(context.extension("x2"))
                if len(both) >= 2 and len(both) / len(having) >= 0.4:
                    expected[premise] = len(both) / len(having)
        rules = {rule.premise: rule.confidence for rule in found}
        assert rules == expected
        assert all(rule.conclusion == ("x2",) for rule in found)
        assert np.array_equal(found.score("lift").round(9), lifts(context, found).round(9))


def lifts(context: cr.Context, rules: cr.rules.Rules) -> np.ndarray:
    share = len(context.extension("x2")) / len(context.objects)
    return np.array([rule.confidence / share for rule in rules])
