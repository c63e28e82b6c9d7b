"""The short list against literal definitions: the reader's model, the tests, and their promises."""

from math import comb, exp, log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import poisson

import conceptrank as cr
from conceptrank import _core
from conceptrank.scaling.structure import Relation, Structure
from conceptrank.summary.short_list import p_value, select
from conceptrank.summary.units import Units


def random_table(random: np.random.Generator) -> np.ndarray:
    """Return a table whose rows differ in richness, with a pattern in some of them."""
    n, q = int(random.integers(12, 60)), int(random.integers(4, 9))
    odds = random.normal(0, 1, (n, 1)) + random.normal(-0.5, 1, q)
    table = random.random((n, q)) < 1 / (1 + np.exp(-odds))
    table[: n // 4, : int(random.integers(2, 4))] = True
    table[:, table.sum(axis=0) < 2] = np.arange(n)[:, None] < 2
    return table


class Literal:
    """The reader's model, a cell at a time, with the fitted numbers of a reader."""

    def __init__(self, table: np.ndarray, reader: _core.Reader) -> None:
        self.table = table
        self.shares = np.exp(reader.log_shares)
        self.p = 1 / (1 + np.exp(-(reader.richness[:, None] + reader.levels[None, :])))
        self.closed: dict[tuple[int, int], float] = {}

    def classes(self, g: int, without: set[int]) -> np.ndarray:
        chance = self.shares.copy()
        for m, has in enumerate(self.table[g]):
            if m not in without and (g, m) not in self.closed:
                chance = chance * (self.p[:, m] if has else 1 - self.p[:, m])
        return chance / chance.sum()

    def expected(self, units: list[int]) -> float:
        total = 0.0
        for g in range(len(self.table)):
            classes, all_of_them = self.classes(g, set(units)), 1.0
            together = np.ones(len(classes))
            for m in units:
                if (g, m) in self.closed:
                    all_of_them *= self.closed[g, m]
                else:
                    together = together * self.p[:, m]
            total += all_of_them * float(classes @ together)
        return total

    def presence(self, unit: int, rows: list[int]) -> float:
        return sum(float(self.classes(g, {unit}) @ self.p[:, unit]) for g in rows)

    def tell(self, units: list[int], rows: list[int]) -> None:
        for m in units:
            share = min(max(float(self.table[rows, m].mean()), 1e-9), 1 - 1e-9)
            for g in rows:
                self.closed[g, m] = max(share, self.closed.get((g, m), 0.0))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_the_reader_is_the_literal_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = random_table(random)
    # Different rows, so that the core's rows are those of the table.
    table = np.unique(table, axis=0)
    context = cr.Context.from_numpy(table)
    units = Units(context)
    (offsets, values), _ = context.core.distinct_rows()
    rows = np.zeros(table.shape, dtype=np.bool_)
    rows[np.repeat(np.arange(len(rows)), np.diff(offsets)), values] = True
    numbers = [members[0] for members in units.attributes]
    reader = units.reader(richness=bool(seed % 3))
    literal = Literal(rows[:, numbers], reader)
    for _ in range(3):
        fitted = Literal(literal.table, reader)
        literal.shares, literal.p = fitted.shares, fitted.p
        for _ in range(4):
            size = int(random.integers(2, min(5, len(numbers)) + 1))
            chosen = np.sort(random.permutation(len(numbers))[:size])
            support = reader.support(chosen.astype(np.uint32))
            assert support.found == literal.table[:, chosen].all(axis=1).sum()
            assert support.expected == pytest.approx(literal.expected(chosen.tolist()), rel=1e-9)
            some = np.flatnonzero(random.random(len(rows)) < 0.5)
            seen = reader.presence(int(chosen[0]), some.astype(np.uint32))
            assert seen.found == literal.table[some, chosen[0]].sum()
            assert seen.expected == pytest.approx(literal.presence(int(chosen[0]), some.tolist()))
        pattern = reader.explain(chosen.astype(np.uint32))
        if len(pattern.rows):
            reader.tell(pattern)
            literal.tell(chosen.tolist(), pattern.rows.tolist())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_margins_of_the_model_are_those_of_the_table(seed: int) -> None:
    table = random_table(np.random.default_rng(seed))
    context = cr.Context.from_numpy(table)
    units = Units(context)
    reader = units.reader(richness=True)
    rows = np.arange(len(units.weights), dtype=np.uint32)
    for unit, (attribute,) in enumerate(units.attributes):
        seen = reader.presence(unit, rows)
        assert seen.rows == len(table)
        # The expectation is given the rest of each row, so it is close, not equal.
        assert seen.expected == pytest.approx(table[:, attribute].sum(), abs=2, rel=0.2)


def scaled(columns: dict[str, list[str | None]]) -> cr.Context:
    return cr.load(pl.DataFrame(columns), scale="auto")


def test_a_value_of_an_unknown_cell_is_not_expected() -> None:
    a = ["x", "y"] * 20 + [None] * 20
    b = ["u", "u", "v", "w"] * 10 + [None] * 20
    context = scaled({"a": a, "b": b})
    units = Units(context)
    reader = units.reader(richness=True)
    names = [context.attributes[m] for (m,) in units.attributes]
    pair = np.array(sorted([names.index("a = x"), names.index("b = u")]), dtype=np.uint32)
    assert reader.support(pair).expected == pytest.approx(40 * 0.5 * 0.5)


def test_a_column_depends_on_the_one_it_is_told_to_follow() -> None:
    a = ["x", "x", "y", "z"] * 15
    b = ["u", "u", "v", "v"] * 15
    c = ["p", "q", "p", "q", "q", "p"] * 10
    context = scaled({"a": a, "b": b, "c": c})
    names = [context.attributes[m] for m in range(context.shape[1])]
    for structure, expected in (
        (Structure(), 60 * 0.5 * 0.5),
        (Structure((Relation("determined", ("a", "b"), ""),)), 30),
    ):
        units = Units(context, 0, structure)
        chosen = [units.unit_of[names.index(name),] for name in ("a = x", "b = u")]
        found = units.reader(richness=True).support(np.array(sorted(chosen), dtype=np.uint32))
        assert found.expected == pytest.approx(expected)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 400), st.floats(0.01, 200), st.floats(0, 20))
def test_p_values_are_tails_of_a_poisson_number(found: int, expected: float, nats: float) -> None:
    tail = sum(poisson.pmf(k, expected) for k in range(found, found + 2000))
    if found <= expected:
        assert p_value(found, expected, expected, nats) == 1
    elif tail > 1e-250:
        assert p_value(found, expected, expected, nats) == pytest.approx(
            min(tail * exp(nats), 1), rel=1e-6
        )


@pytest.mark.parametrize("background", ["columns", "both"])
def test_planted_patterns_are_found(background: str) -> None:
    found = planted = wrong = 0
    for stream in range(6):
        table = cr.datasets.random.planted(
            800, 30, patterns=4, sizes=(4, 7), supports=(0.08, 0.2), missing=0.1,
            background=background, stream=stream,
        )  # fmt: skip
        listed = {frozenset(pattern.intent) for pattern in table.context.summarize()}
        right = {frozenset(pattern.intent) for pattern in table.patterns}
        found, planted = found + len(listed & right), planted + len(right)
        wrong += len(listed - right)
    assert found >= 0.85 * planted
    assert wrong <= 2


def test_a_row_may_be_the_union_of_patterns() -> None:
    random = np.random.default_rng(5)
    intents = [random.permutation(120)[:8] for _ in range(5)]
    cells = np.zeros((1500, 120), dtype=np.bool_)
    for row in cells:
        for pattern in random.permutation(5)[:3]:
            row[intents[pattern]] = True
    cells &= random.random(cells.shape) >= 0.025
    context = cr.Context.from_numpy(cells)
    listed = {frozenset(pattern.intent) for pattern in context.summarize()}
    right = {frozenset(context.attributes[m] for m in intent) for intent in intents}
    assert len(listed & right) >= 4
    assert len(listed) <= 6


def test_tables_without_patterns_get_none() -> None:
    lists = 0
    for stream in range(60):
        background = "both" if stream % 2 else "columns"
        table = cr.datasets.random.planted(
            300, 15, patterns=0, background=background, stream=stream
        )
        lists += len(table.context.summarize()) > 0
    assert lists <= 3


def test_a_shuffled_column_is_in_no_list() -> None:
    seen = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        kind = random.choice(["a", "b", "c"], 400)
        frame = pl.DataFrame(
            {
                "kind": kind,
                "like": np.where(random.random(400) < 0.7, kind, "d"),
                "size": random.normal(0, 1, 400) + 2 * (kind == "a"),
                "coin": random.choice(["yes", "no"], 400),
                "dice": random.integers(1, 5, 400),
            }
        )
        summary = cr.summarize(frame)
        assert len(summary)
        seen += any(name.startswith(("coin", "dice")) for p in summary for name in p.intent)
    assert seen <= 2


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interordinal"])
def test_the_implications_of_a_scale_are_no_pattern(scale: str) -> None:
    for seed in range(10):
        random = np.random.default_rng([7, seed])
        frame = pl.DataFrame({f"c{c}": random.integers(0, 4, 200) for c in range(4)})
        context = cr.load(frame, scale=dict.fromkeys(frame.columns, scale))
        assert not len(context.summarize())


def test_each_entry_is_about_other_columns() -> None:
    random = np.random.default_rng(3)
    a = random.integers(0, 4, 2000)
    b = np.where(random.random(2000) < 0.6, a, random.integers(0, 4, 2000))
    summary = cr.summarize(pl.DataFrame({"a": a.astype(str), "b": b.astype(str)}))
    assert len(summary) <= 1


def test_the_number_of_sets_that_count_as_tested() -> None:
    table = cr.datasets.random.planted(500, 20, patterns=[(4, 0.2)], seed=1)
    (choice,) = select(table.context)
    sets = comb(20, 4) * 4 * 5
    assert choice.p_value == pytest.approx(
        p_value(
            table.context.concept(*table.patterns[0].intent).support,
            choice.expected or 0,
            (choice.deviation or 0) ** 2,
            log(2 * sets),
        ),
        rel=1e-6,
    )
