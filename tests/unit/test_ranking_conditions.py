"""The language of conditions: what it says, what it refuses, and where it says the fault is."""

from __future__ import annotations

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.errors import ConceptRankError, UnknownNameError
from conceptrank.measures import registry
from conceptrank.query import Condition, ConditionError


@pytest.fixture(scope="module")
def movies() -> cr.Lattice:
    return cr.datasets.load("movies").lattice()


def holding(lattice: cr.Lattice, text: str) -> list[int]:
    return sorted(lattice.rank(by="support", where=text).order.tolist())


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("support >= 5", lambda c: c.support >= 5),
        ("3 <= support < 7", lambda c: 3 <= c.support < 7),
        ("not support < 5 or intent_size == 4", lambda c: c.support >= 5 or len(c.intent) == 4),
        ("(support > 2) & ~(intent_size > 2)", lambda c: c.support > 2 and len(c.intent) <= 2),
        ("support * intent_size - 4 > 2 ** 3", lambda c: c.support * len(c.intent) > 12),
        ("max(support, intent_size) / 2 == 4", lambda c: max(c.support, len(c.intent)) == 8),
        ("'drama' in intent", lambda c: "drama" in c.intent),
        (
            '"drama" not in intent and "2" in extent',
            lambda c: "2" in c.extent and "drama" not in c.intent,
        ),
        ("cr(side='extent') > 0.4", lambda c: c.score("cr", side="extent") > 0.4),
        ("cr(beta='log', side='intent') > 0.5", lambda c: c.score("cr", beta="log") > 0.5),
        ("sqrt(support) >= 2 and log2(support) <= 3", lambda c: 4 <= c.support <= 8),
        ("support >= 4\n  and support <= 6", lambda c: 4 <= c.support <= 6),
        ("  support>=4  ", lambda c: c.support >= 4),
        ("1 < 2", lambda c: True),
        ("conceptual_relevance == cr", lambda c: True),
        ("1 / (support - 5) > 0", lambda c: c.support >= 5),
    ],
)
def test_meaning(movies: cr.Lattice, text: str, test: object) -> None:
    assert holding(movies, text) == [i for i, c in enumerate(movies) if test(c)]  # type: ignore[operator]


def test_rounding_does_not_decide(movies: cr.Lattice) -> None:
    scores = np.full(20, 0.1 + 0.2)
    for text, truth in (
        ("cr == 0.3", True),
        ("cr <= 0.3", True),
        ("cr > 0.3", False),
        ("cr != 0.3", False),
        ("cr > 0.29999", True),
        ("0.3 >= cr", True),
        ("0.3 < cr", False),
        ("cr / 3 < 0.1", False),
    ):
        found = Condition.parse(text).holds(movies, lambda *_: scores)
        assert found.tolist() == [truth] * 20


@pytest.mark.parametrize("operator", ["!=", "==", "<", "<=", ">", ">="])
def test_comparisons_with_nan_are_false(movies: cr.Lattice, operator: str) -> None:
    assert len(movies.rank(where=f"log(support - 100) {operator} 0")) == 0
    assert len(movies.rank(where=f"0 {operator} log(support - 100)")) == 0
    defined = {c.intent for c in movies if c.support > 3}
    ranking = movies.rank(where="log(support - 3) != 5 and support > 3")
    assert {concept.intent for _, concept, _ in ranking} == defined


def test_measures_are_named(movies: cr.Lattice) -> None:
    condition = Condition.parse("cr > 0 and cr(side='extent') > cr or support < 3")
    assert condition.measures == (("cr", {}), ("cr", {"side": "extent"}), ("support", {}))
    with pytest.raises(UnknownNameError, match="unknown measure 'suport'; did you mean 'support'"):
        Condition.parse("suport > 3")
    with pytest.raises(UnknownNameError, match="unknown attribute 'dramma'; did you mean 'drama'"):
        movies.rank(where="'dramma' in intent")
    with pytest.raises(UnknownNameError, match="unknown object '99'"):
        movies.rank(where="'99' in extent")


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("cr and support > 1", "'cr' is a number, not a condition", 1),
        ("support > 1 and not cr", "'cr' is a number", 21),
        ("support", "'support' is a number", 1),
        ("(support > 1) + 2 > 0", "'support > 1' is a condition, not a number", 2),
        ("cr > 0.3 & support >= 10", "'0.3 & support' joins numbers; write and", 6),
        ("intent > 3", 'is a set: write "name" in intent, or intent_size', 1),
        ("support in 3", 'is no condition: "name" in intent would be one', 1),
        ("'drama' in cr", "'cr' is no set of names", 12),
        ("support is 3", "use == to compare", 1),
        ("support = 3", "can't be read", None),
        ("support >", "can't be read", None),
        ("support && cr", "can't be read", None),
        ("log(1, 2) > 0", "log takes 1 number", 1),
        ("cr(1) > 0", "parameters of a measure have names", 1),
        ("cr(sides='extent') > 0", "cr has no parameter 'sides'; it takes side", 1),
        ("support(x=1) > 0", "support has no parameter 'x'; it takes none", 1),
        ("cr(side=support) > 0", "'support' is no value of a parameter", 9),
        ("'a' < support", "has no place in a condition", 1),
        ("support % 2 == 0", "has no place", 1),
        ("True", "has no place", 1),
        ("1j < support", "has no place", 1),
        ("é > 1", "unknown measure 'é'", None),
        ("'ééé' in intent and support[0] > 1", "'support\\[0\\]' has no place", 21),
        ("  support[0] > 1", "'support\\[0\\]' has no place", 3),
        ("", "the condition is empty", None),
        ("   ", "the condition is empty", None),
        ("1" + "0" * 400 + " > support", "too large a number", 1),
        ("support > 1" + "0" * 20_000, "at most 10,000 characters", None),
        ("-" * 5000 + "1 > 0", "nested too deeply", None),
        ("(" * 3000 + "support > 1" + ")" * 3000, "can't be read|nested too deeply", None),
        ("+".join(["1"] * 4000) + " > 0", "nested too deeply", None),
        ("support > 1 \0", "can't be read", None),
        ("support > 1 \ud800", "can't be read", None),
    ],
)
def test_faults_are_located(text: str, reason: str, column: int | None) -> None:
    with pytest.raises(ConceptRankError, match=reason) as caught:
        Condition.parse(text)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)
    if column is not None:
        assert isinstance(caught.value, ConditionError)
        assert caught.value.column == column
        assert f"at column {column} of " in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "support.__class__",
        "support.__class__ == 1",
        "(lambda: 1)() > 0",
        "[x for x in (1,)] == 1",
        "{1: 2}[1] > 0",
        "support[0] > 1",
        "exec('1') > 0",
        "open('/dev/null') > 0",
        "abs.__self__ > 0",
        "abs(__builtins__) > 0",
        "().__class__.__bases__ == 1",
        "f'{support}' == 1",
        "(y := 1) > 0",
        "support if cr else 0 > 1",
        "*support, 1",
        "cr(**{'side': 'extent'}) > 0",
        "cr(*[1]) > 0",
        "cr(side=open) > 0",
        "support > 1; import os",
        "await cr > 0",
        "yield",
        "'a' 'b' in [intent]",
        "'drama' in intent.x",
        "b'drama' in intent",
        "... > 1",
        "None == 1",
        "9 ** 9 ** 9 ** 9 < [].x",
    ],
)
def test_nothing_that_is_written_is_run(text: str) -> None:
    with pytest.raises(ConceptRankError):
        Condition.parse(text)


def test_powers_do_not_hang(movies: cr.Lattice) -> None:
    assert holding(movies, "9 ** 9 ** 9 ** 9 > support") == list(range(20))


def test_a_users_own_measure(monkeypatch: pytest.MonkeyPatch, movies: cr.Lattice) -> None:
    for table in ("_MEASURES", "_NAMES"):
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
    cr.measure("letters")(lambda concept: sum(map(len, concept.intent)))
    assert holding(movies, "letters > 20") == [
        i for i, c in enumerate(movies) if len("".join(c.intent)) > 20
    ]


def test_names_with_quotes_and_other_scripts() -> None:
    context = cr.Context(["x"], ["don't", 'say "yes"', "日本", "a\\d"], [[True] * 4])
    lattice = context.lattice()
    for text in (
        '"don\'t" in intent',
        "'say \"yes\"' in intent",
        "'日本' in intent",
        "'a\\d' in intent",
    ):
        assert len(lattice.rank(where=text)) == 1


def test_empty_lattices() -> None:
    lattice = cr.Context((), (), ()).lattice()
    assert len(lattice.rank(where="support >= 0 and cr >= 0")) == len(lattice)
    empty = cr.datasets.load("movies").lattice(min_support=12)
    assert len(empty.rank(where="'drama' in intent or '2' in extent or 1 < 2")) == 0
