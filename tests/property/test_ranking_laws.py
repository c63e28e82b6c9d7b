"""Rankings against literal definitions: ties, coefficients of agreement, conditions, diversity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import conceptrank as cr
from conceptrank.measures import registry
from conceptrank.query import Condition
from conceptrank.ranking import Agreement, Ranking
from oracle import Table
from strategies import context_of, random_contexts

MOVIES = cr.datasets.load("movies").lattice()
QUARTERS = st.integers(-12, 12).map(lambda number: number / 4)
SCORES = st.one_of(QUARTERS, QUARTERS, st.sampled_from([math.inf, -math.inf, math.nan]))


@pytest.fixture(autouse=True, scope="module")
def _drawn() -> Iterator[None]:
    """A measure whose scores a test gives."""
    kept = {name: dict(getattr(registry, name)) for name in ("_MEASURES", "_NAMES")}
    cr.measure("drawn", vectorised=True)(_given)
    cr.measure("drawn_down", vectorised=True, direction="lower")(_given)
    yield
    for name, table in kept.items():
        getattr(registry, name).clear()
        getattr(registry, name).update(table)


def _given(lattice: cr.Lattice, *, values: list[float]) -> NDArray[np.float64]:
    return np.array(values, dtype=float)


def twenty(scores: st.SearchStrategy[float]) -> st.SearchStrategy[list[float]]:
    return st.lists(scores, min_size=20, max_size=20)


def better(a: float, b: float, *, descending: bool = True) -> bool:
    """Whether score a comes before score b; what is no number comes after all others."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(b) and not math.isnan(a)
    return a > b if descending else a < b


class TestOrder:
    @given(twenty(SCORES), st.booleans(), st.sampled_from(["dense", "min", "max", "average"]))
    def test_ranks_count_what_is_better(
        self, scores: list[float], descending: bool, ties: str
    ) -> None:
        ranking = MOVIES.rank(("drawn", {"values": scores}), descending=descending, ties=ties)
        for place, index in enumerate(ranking.order.tolist()):
            own = scores[index]
            above = [s for s in scores if better(s, own, descending=descending)]
            equal = [
                s
                for s in scores
                if not better(s, own, descending=descending)
                and not better(own, s, descending=descending)
            ]
            places = range(len(above) + 1, len(above) + len(equal) + 1)
            expected = {
                "dense": len({str(s) for s in np.array(above) + 0.0}) + 1,
                "min": places[0],
                "max": places[-1],
                "average": sum(places) / len(places),
            }
            assert ranking.ranks[place] == expected[ties]
            if place and ranking.ranks[place] == ranking.ranks[place - 1]:
                assert ranking.order[place - 1] < index
        assert sorted(ranking.order.tolist()) == list(range(20))

    @given(twenty(SCORES))
    def test_ties_are_the_sizes_of_equal_scores(self, scores: list[float]) -> None:
        ties = MOVIES.rank(("drawn", {"values": scores})).ties
        sizes = [
            sum(str(s + 0.0) == value for s in scores) for value in {str(s + 0.0) for s in scores}
        ]
        assert sorted(ties.sizes.tolist()) == sorted(sizes)
        assert (ties.concepts, ties.distinct, ties.largest) == (20, len(sizes), max(sizes))
        assert ties.groups == sum(size > 1 for size in sizes)
        assert ties.tied == sum(size for size in sizes if size > 1)

    @given(twenty(st.integers(0, 2)), twenty(st.integers(0, 2)), twenty(st.integers(0, 2)))
    def test_tie_breaks_are_a_lexicographic_order(
        self, first: list[int], second: list[int], third: list[int]
    ) -> None:
        ranking = MOVIES.rank(
            ("drawn", {"values": first}),
            then=[("drawn_down", {"values": second}), ("drawn", {"values": third})],
        )
        keys = [(-a, b, -c) for a, b, c in zip(first, second, third, strict=True)]
        order = sorted(range(20), key=lambda i: (keys[i], i))
        different = sorted(set(keys))
        assert ranking.order.tolist() == order
        assert ranking.ranks.tolist() == [different.index(keys[i]) + 1 for i in order]
        assert ranking.ties.unbroken is not None
        assert ranking.ties.unbroken.distinct == len(set(first))

    @given(twenty(st.integers(0, 3)), twenty(st.booleans()))
    def test_a_condition_ranks_the_others_as_if_there_were_no_more(
        self, scores: list[int], chosen: list[bool]
    ) -> None:
        ranking = MOVIES.rank(("drawn", {"values": scores}), where=np.array(chosen))
        left = [i for i in range(20) if chosen[i]]
        assert ranking.order.tolist() == sorted(left, key=lambda i: (-scores[i], i))
        assert ranking.ties.concepts == len(left)
        levels = sorted({scores[i] for i in left}, reverse=True)
        assert ranking.ranks.tolist() == [levels.index(scores[i]) + 1 for i in ranking.order]


Pair = tuple[list[float], list[float]]


def pairs(
    scores: st.SearchStrategy[float], least: int = 2, most: int = 12
) -> st.SearchStrategy[Pair]:
    def columns(size: int) -> st.SearchStrategy[Pair]:
        column = st.lists(scores, min_size=size, max_size=size)
        return st.tuples(column, column)

    return st.integers(least, most).flatmap(columns)


def both_vary(pair: Pair) -> Pair:
    assume(all(len(set(column)) > 1 for column in pair))
    return pair


def agreement(pair: Pair, **options: float) -> dict[str, float]:
    columns = {"x": np.array(pair[0]), "y": np.array(pair[1])}
    return Agreement(columns, **options).between("x", "y")


def exact_moments(x: list[Fraction], y: list[Fraction]) -> tuple[Fraction, ...]:
    n = len(x)
    mean_x, mean_y = sum(x) / n, sum(y) / n
    centred = [(a - mean_x, b - mean_y) for a, b in zip(x, y, strict=True)]
    return (
        mean_x,
        mean_y,
        sum(a * a for a, _ in centred) / n,
        sum(b * b for _, b in centred) / n,
        sum(a * b for a, b in centred) / n,
    )


def correlation(x: list[Fraction], y: list[Fraction]) -> float:
    _, _, xx, yy, xy = exact_moments(x, y)
    return float(xy) / math.sqrt(xx * yy)


def fractions(column: list[float]) -> list[Fraction]:
    return [Fraction(value) for value in column]


def mid_ranks(column: list[float]) -> list[Fraction]:
    return [
        Fraction(2 * sum(b > a for b in column) + sum(b == a for b in column) + 1, 2)
        for a in column
    ]


class TestCoefficients:
    @given(pairs(QUARTERS).map(both_vary))
    def test_pearson_and_spearman(self, pair: Pair) -> None:
        found = agreement(pair)
        x, y = pair
        assert found["pearson"] == pytest.approx(correlation(*map(fractions, pair)), abs=1e-12)
        assert found["spearman"] == pytest.approx(
            correlation(mid_ranks(x), mid_ranks(y)), abs=1e-12
        )

    @given(pairs(QUARTERS).map(both_vary))
    def test_kendall_by_pairs(self, pair: Pair) -> None:
        concordant = discordant = tied_x = tied_y = 0
        x, y = pair
        for i in range(len(x)):
            for j in range(i):
                product = (x[i] - x[j]) * (y[i] - y[j])
                concordant += product > 0
                discordant += product < 0
                tied_x += x[i] == x[j]
                tied_y += y[i] == y[j]
        total = len(x) * (len(x) - 1) // 2
        expected = (concordant - discordant) / math.sqrt((total - tied_x) * (total - tied_y))
        assert agreement(pair)["kendall"] == pytest.approx(expected, abs=1e-12)

    @given(pairs(QUARTERS).map(both_vary))
    def test_concordance(self, pair: Pair) -> None:
        mean_x, mean_y, xx, yy, xy = exact_moments(*map(fractions, pair))
        expected = 2 * xy / (xx + yy + (mean_x - mean_y) ** 2)
        assert agreement(pair)["concordance"] == pytest.approx(float(expected), abs=1e-12)

    @given(
        pairs(st.floats(-1e3, 1e3)).map(both_vary),
        st.sampled_from([2.0**-900, 2.0**-30, 2.0**40, 2.0**990]),
    )
    def test_scale_changes_nothing(self, pair: Pair, factor: float) -> None:
        scaled = tuple([value * factor for value in column] for column in pair)
        assume(
            all(
                a / factor == b
                for c, d in zip(scaled, pair, strict=True)
                for a, b in zip(c, d, strict=True)
            )
        )
        before, after = agreement(pair), agreement(scaled)
        assert after == pytest.approx(before, abs=1e-9, nan_ok=True)

    @given(pairs(st.integers(0, 3), most=6).map(both_vary), st.integers(1, 7), st.floats(0.1, 0.95))
    def test_overlaps_by_breaking_ties_in_all_ways(self, pair: Pair, k: int, p: float) -> None:
        n = len(pair[0])
        weights = [chances(column) for column in pair]
        by_depth = [cosine(weights[0][depth], weights[1][depth]) for depth in range(n)]
        found = agreement(pair, k=k, p=p)
        assert found["top_overlap"] == pytest.approx(by_depth[min(k, n) - 1], abs=1e-12)
        terms = ((1 - p) * p**depth * by_depth[min(depth, n - 1)] for depth in range(3000))
        assert found["rank_biased_overlap"] == pytest.approx(math.fsum(terms), abs=1e-12)

    @given(
        st.integers(2, 30).flatmap(
            lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))
        ),
        st.integers(1, 30),
        st.sampled_from([0.2, 0.8]),
    )
    def test_overlaps_without_ties(
        self, orders: tuple[list[int], list[int]], k: int, p: float
    ) -> None:
        n = len(orders[0])
        scores = tuple([-order.index(item) for item in range(n)] for order in orders)
        found = agreement(scores, k=k, p=p)
        shared = [
            len(set(orders[0][:depth]) & set(orders[1][:depth])) / depth
            for depth in range(1, n + 1)
        ]
        assert found["top_overlap"] == pytest.approx(shared[min(k, n) - 1], abs=1e-12)
        sums = sum(share * p**d for d, share in enumerate(shared, start=1))
        extrapolated = shared[-1] * p**n + (1 - p) / p * sums
        assert found["rank_biased_overlap"] == pytest.approx(extrapolated, abs=1e-12)

    @given(pairs(SCORES, least=0))
    def test_missing_scores_are_left_out_and_infinite_ones_have_no_moments(
        self, pair: Pair
    ) -> None:
        found = agreement(pair, k=3)
        both = [
            (a, b)
            for a, b in zip(*pair, strict=True)
            if not math.isnan(a + b) or (math.isinf(a) and math.isinf(b))
        ]
        left = tuple([row[side] for row in both] for side in (0, 1))
        if any(len(set(column)) < 2 for column in left):
            assert all(map(math.isnan, found.values()))
            return
        infinite = any(math.isinf(value) for column in left for value in column)
        assert math.isnan(found["pearson"]) == math.isnan(found["concordance"]) == infinite
        # Infinite scores are larger than all others, and that is all that an order sees.
        finite = tuple([min(max(value, -99.0), 99.0) for value in column] for column in left)
        expected = agreement(finite, k=3)
        for name in ("spearman", "kendall", "top_overlap", "rank_biased_overlap"):
            assert found[name] == pytest.approx(expected[name], abs=1e-12)

    @given(pairs(QUARTERS).map(both_vary))
    def test_the_other_direction(self, pair: Pair) -> None:
        x, y = (np.array(column) for column in pair)
        straight = Agreement({"x": x, "y": y}).between("x", "y")
        turned = Agreement({"x": x, "y": -y}, descending={"y": False}).between("x", "y")
        for name in set(straight) - {"concordance"}:
            assert turned[name] == pytest.approx(straight[name], abs=1e-12)
        swapped = Agreement({"y": y, "x": x}).between("x", "y")
        assert swapped == pytest.approx(straight, abs=1e-12)


def chances(column: list[float]) -> list[list[Fraction]]:
    """For each depth, how often each item is among the first if ties are broken in all ways."""
    n = len(column)
    orders = [
        order
        for order in permutations(range(n))
        if all(column[a] >= column[b] for a, b in pairwise(order))
    ]
    return [
        [Fraction(sum(i in order[:depth] for order in orders), len(orders)) for i in range(n)]
        for depth in range(1, n + 1)
    ]


def cosine(x: list[Fraction], y: list[Fraction]) -> float:
    product = sum(a * b for a, b in zip(x, y, strict=True))
    return float(product) / math.sqrt(sum(a * a for a in x) * sum(b * b for b in y))


NAMES = ("support", "cr", "stability")
NUMBERS = st.recursive(
    st.one_of(
        st.sampled_from(NAMES),
        st.integers(0, 9).map(str),
        st.sampled_from(["0.25", "1.5", "2e1", ".5"]),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda text: f"({text}) / 4"),
        inner.map(lambda text: f"({text}) ** 2"),
        inner.map(lambda text: f"-({text})"),
        inner.map(lambda text: f"abs({text})"),
        st.tuples(inner, inner).map(lambda t: f"min({t[0]}, {t[1]})"),
        st.tuples(inner, inner).map(lambda t: f"max({t[0]}, {t[1]})"),
    ),
    max_leaves=4,
)
COMPARISONS = st.lists(
    st.tuples(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), NUMBERS), min_size=1, max_size=2
)
CONDITIONS = st.recursive(
    st.one_of(
        st.tuples(NUMBERS, COMPARISONS).map(
            lambda t: " ".join([t[0], *(f"{op} {number}" for op, number in t[1])])
        ),
        st.sampled_from(
            [
                f"'{name}' {how} {side}"
                for how in ("in", "not in")
                for side, name in (("intent", "drama"), ("intent", "comedy"), ("extent", "10"))
            ]
        ),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        st.tuples(inner, st.sampled_from(["&", "|"]), inner).map(
            lambda t: f"({t[0]}) {t[1]} ({t[2]})"
        ),
        inner.map(lambda text: f"not ({text})"),
    ),
    max_leaves=4,
)


@given(CONDITIONS, st.lists(st.lists(SCORES, min_size=20, max_size=20), min_size=3, max_size=3))
def test_conditions_mean_what_python_means(text: str, columns: list[list[float]]) -> None:
    scores = dict(zip(NAMES, columns, strict=True))
    found = Condition.parse(text).holds(MOVIES, lambda name, _: np.array(scores[name]))
    for place, concept in enumerate(MOVIES):
        row = {name: scores[name][place] for name in NAMES}
        if any(math.isnan(value) for value in row.values()) and ("min" in text or "max" in text):
            continue  # Python's own min and max depend on the order of their arguments there.
        if not all(map(math.isfinite, row.values())) and "!=" in text:
            continue  # For Python, NaN differs from everything; here a comparison with it is false.
        known = {"intent": concept.intent, "extent": concept.extent, **row}
        assert found[place] == eval(text, {}, known), (text, row)


def literal_picks(ranking: Ranking, scores: list[Fraction], k: int, *, cells: bool) -> list[int]:
    """Rows by the largest product of score and distance, from sets of objects or crosses."""
    covers = [
        set(product(row.concept.extent, row.concept.intent)) if cells else set(row.concept.extent)
        for row in ranking
    ]
    picked: list[int] = []
    while len(picked) < k:
        gains = {}
        for row, cover in enumerate(covers):
            if row in picked or not cover:
                continue
            overlaps = [Fraction(len(cover & covers[p]), len(cover | covers[p])) for p in picked]
            gains[row] = scores[row] * (1 - max(overlaps, default=Fraction(0)))
        best = max(gains.values(), default=Fraction(0))
        if not best:
            break
        picked.append(min(row for row, gain in gains.items() if gain == best))
    return picked


@pytest.mark.parametrize("overlap", ["extent", "cells"])
def test_diverse_rows_are_the_greedy_ones(overlap: str) -> None:
    random = Random(7)
    for table in random_contexts(200, seed=11):
        lattice = context_of(table).lattice()
        values = [random.choice((0, 1, 3, 4, 5)) for _ in lattice]
        ranking = lattice.rank(("drawn", {"values": values}))
        found = ranking.diverse(7, overlap=overlap)
        scores = [Fraction(values[i], max([*values, 1])) for i in ranking.order.tolist()]
        rows = literal_picks(ranking, scores, 7, cells=overlap == "cells")
        assert found.order.tolist() == ranking.order[rows].tolist()
        assert found.ranks.tolist() == ranking.ranks[rows].tolist()
        check_selection(found, table, cells=overlap == "cells")


def check_selection(ranking: Ranking, table: Table, *, cells: bool) -> None:
    selection = ranking.selection
    assert selection is not None
    union: set[object] = set()
    for row, covered in zip(ranking, selection.covered.tolist(), strict=True):
        extent, intent = row.concept
        union |= set(product(extent, intent)) if cells else set(extent)
        assert covered == len(union)
    assert selection.total == (len(table.crosses) if cells else table.n)
