"""Random contexts: what they keep, and that they are as likely as their models say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import conceptrank as cr
from conceptrank import _core
from conceptrank.datasets import _samplers, random, scales
from conceptrank.errors import ConceptRankError
from conceptrank.evaluation import nulls
from strategies import random_context

T5 = cr.Context(
    "12345", "abcd", [[m in row for m in "abcd"] for row in ("abc", "ab", "abd", "bc", "cd")]
)
Matrix = tuple[frozenset[int], ...]

# So seldom may a test of a distribution fail if the seed were another one.
RARE = 1e-4


def bools(context: cr.Context) -> NDArray[np.bool_]:
    table = np.zeros(context.shape, dtype=bool)
    indptr, indices = context.rows()
    table[np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)), indices] = True
    return table


def matrix(rows: tuple[NDArray[np.int64], NDArray[np.uint32]]) -> Matrix:
    return tuple(frozenset(row.tolist()) for row in np.split(rows[1], rows[0][1:-1]))


def same_margins(context: cr.Context) -> list[Matrix]:
    """All tables with the row and column sums of a context, by trying all rows."""
    table = bools(context)
    columns = table.sum(axis=0)
    choices = [
        [frozenset(row) for row in combinations(range(table.shape[1]), size)]
        for size in table.sum(axis=1)
    ]
    return [
        rows
        for rows in product(*choices)
        if all(sum(m in row for row in rows) == size for m, size in enumerate(columns))
    ]


def neighbours(rows: Matrix) -> set[Matrix]:
    """The tables that one swap leads to."""
    found = set()
    for g, h in combinations(range(len(rows)), 2):
        for m, n in product(rows[g] - rows[h], rows[h] - rows[g]):
            other = list(rows)
            other[g] = rows[g] - {m} | {n}
            other[h] = rows[h] - {n} | {m}
            found.add(tuple(other))
    return found


def support(rows: Matrix, attributes: set[int]) -> int:
    return sum(attributes <= row for row in rows)


def chain(method: str) -> _samplers.ChainSampler:
    return _samplers.swap(T5) if method == "swap" else _samplers.curveball(T5)


def test_the_margins_of_t5_have_117_tables() -> None:
    tables = same_margins(T5)
    assert len(tables) == 117
    extreme = [support(rows, {0, 1}) >= 3 for rows in tables]
    assert Fraction(sum(extreme), 117) == Fraction(8, 39)
    # Where a chain tends to that counts successful swaps only: tables by their neighbours.
    degrees = [len(neighbours(rows)) for rows in tables]
    biased = sum(degree for degree, high in zip(degrees, extreme, strict=True) if high)
    assert Fraction(biased, sum(degrees)) == Fraction(55, 258)


@pytest.mark.parametrize("method", ["swap", "curveball"])
def test_chains_visit_all_tables_with_these_margins_equally(method: str) -> None:
    sampler = chain(method)
    draws = Counter(matrix(sampler(_core.RandomStream(3, i))) for i in range(117 * 100))
    tables = same_margins(T5)
    assert set(draws) == set(tables)
    assert stats.chisquare([draws[rows] for rows in tables]).pvalue > RARE


@pytest.mark.parametrize("method", ["swap", "curveball"])
def test_chains_count_their_self_loops(method: str) -> None:
    n = 100_000
    sampler = chain(method)
    both = _core.IntentWalk((np.array([0, 2]), np.array([0, 1], dtype=np.uint32)), 4)
    draws = (sampler(_core.RandomStream(4, i)) for i in range(n))
    share = sum(both.count(rows).supports[0] >= 3 for rows in draws) / n
    error = (8 / 39 * 31 / 39 / n) ** 0.5
    assert abs(share - 8 / 39) < 3 * error
    assert abs(share - 55 / 258) > 3 * error


NULLS = nulls.available()["name"].to_list()


def drawn(name: str, context: cr.Context, seed: int = 0, stream: int = 0, **params: object):
    sampler = nulls.get(name).sampler(context, **params)
    rows = sampler(_samplers.stream(seed, stream), None)
    return cr.Context.from_csr(context.objects, context.attributes, *rows)


@pytest.mark.parametrize("name", NULLS)
def test_a_random_context_depends_on_seed_and_stream_alone(name: str) -> None:
    context = random_context(30, 12, density=0.4, seed=1)
    first = drawn(name, context, seed=5)
    assert first == drawn(name, context, seed=5)
    others = [drawn(name, context, seed=6), drawn(name, context, seed=5, stream=1), context]
    assert len({first, *others}) == 4


@pytest.mark.parametrize("name", ["swap", "curveball", "shuffle_columns", "resample_rows"])
def test_the_function_of_a_null_model_draws_the_same(name: str) -> None:
    assert getattr(random, name)(T5, seed=5, stream=2) == drawn(name, T5, seed=5, stream=2)


@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (4, 1)])
def test_tiny_contexts(name: str, shape: tuple[int, int]) -> None:
    for fill in (False, True):
        objects, attributes = (list(map(str, range(k))) for k in shape)
        context = cr.Context(objects, attributes, np.full(shape, fill))
        assert drawn(name, context).shape == shape


@pytest.mark.parametrize("seed", range(10))
def test_what_a_random_context_keeps(seed: int) -> None:
    context = random_context(12 + seed, 9, density=0.1 * (seed % 9 + 1), seed=seed)
    start = bools(context)
    for name in NULLS:
        table = bools(drawn(name, context, seed=seed))
        assert table.shape == start.shape
        if name in ("swap", "curveball"):
            assert (table.sum(axis=1) == start.sum(axis=1)).all()
        if name in ("swap", "curveball", "shuffle_columns"):
            assert (table.sum(axis=0) == start.sum(axis=0)).all()
        if name in ("swap", "curveball", "shuffle_columns", "fixed_density"):
            assert table.sum() == start.sum()
        if name == "resample_rows":
            assert {row.tobytes() for row in table} <= {row.tobytes() for row in start}
        if name == "categorical_rows":
            assert set(table.sum(axis=1)) <= set(start.sum(axis=1))


@pytest.mark.parametrize("name", ["categorical_rows", "dirichlet_rows", "coin_toss"])
def test_row_models_keep_the_density_but_not_the_columns(name: str) -> None:
    context = random_context(200, 10, density=0.3, seed=2)
    tables = np.array([bools(drawn(name, context, stream=i)) for i in range(100)])
    assert abs(tables.mean() - context.density) < 0.005
    # All columns have the same frequency, whatever they had before.
    assert np.ptp(tables.mean(axis=(0, 1))) < 0.02


@pytest.mark.parametrize("density", [0.15, 0.5, 0.8])
def test_a_coin_toss_has_binomial_rows_and_columns(density: float) -> None:
    n, q, draws = 20, 7, 300
    tables = np.array(
        [bools(random.coin_toss(n, q, density=density, stream=i)) for i in range(draws)]
    )
    for axis, size in ((2, q), (1, n)):
        sums = tables.sum(axis=axis).ravel()
        check_counts(np.bincount(sums, minlength=size + 1), stats.binom(size, density))
    # Cells of one row are independent: so are the numbers in its two halves.
    left, right = tables[:, :, :3].sum(axis=2).ravel(), tables[:, :, 3:].sum(axis=2).ravel()
    counts = np.histogram2d(left, right, bins=[np.arange(5) - 0.5, np.arange(6) - 0.5])[0]
    filled = counts[counts.sum(axis=1) > 50][:, counts.sum(axis=0) > 50]
    assert stats.chi2_contingency(filled).pvalue > RARE


def check_counts(counts: NDArray[np.int64], law: stats.rv_frozen) -> None:
    """Compare counts of 0, 1, … with a distribution, rare values taken together."""
    expected = law.pmf(np.arange(len(counts))) * counts.sum()
    common = expected >= 5
    seen = [*counts[common], counts[~common].sum()]
    wanted = [*expected[common], expected[~common].sum()]
    if wanted[-1] < 5:
        seen[-2:], wanted[-2:] = [sum(seen[-2:])], [sum(wanted[-2:])]
    wanted = np.array(wanted) * sum(seen) / sum(wanted)
    assert stats.chisquare(seen, wanted).pvalue > RARE


def test_the_row_sizes_of_dirichlet_rows_follow_their_law() -> None:
    # Sizes of the rows of one context share a random distribution: their counts over many
    # contexts are Dirichlet-multinomial.
    base, precision, n = np.array([1.0, 2.0, 5.0]), 1.6, 3
    seen: Counter[tuple[int, ...]] = Counter()
    draws = 6000
    for i in range(draws):
        context = random.dirichlet_rows(
            objects=n, attributes=2, base=base, precision=precision, seed=8, stream=i
        )
        sizes = np.diff(context.rows()[0])
        seen[tuple(np.bincount(sizes, minlength=3).tolist())] += 1
    law = stats.dirichlet_multinomial(precision * base / base.sum(), n)
    cells = [cell for cell in product(range(n + 1), repeat=3) if sum(cell) == n]
    expected = np.array([law.pmf(cell) for cell in cells]) * draws
    assert stats.chisquare([seen[cell] for cell in cells], expected).pvalue > RARE


@pytest.mark.parametrize("parameters", [(0.05, 0.05, 0.4), (1.0, 2.0, 0.5), (30.0, 4.0, 9.0)])
def test_dirichlet_weights_have_beta_margins(parameters: tuple[float, ...]) -> None:
    stream = _core.RandomStream(9)
    draws = np.array([stream.dirichlet(np.array(parameters)) for _ in range(4000)])
    assert np.allclose(draws.sum(axis=1), 1)
    for k, parameter in enumerate(parameters):
        law = stats.beta(parameter, sum(parameters) - parameter)
        assert stats.kstest(draws[:, k], law.cdf).pvalue > RARE


def test_the_precision_of_dirichlet_rows() -> None:
    context = random_context(500, 10, density=0.4, seed=3)
    sizes = np.bincount(bools(context).sum(axis=1), minlength=11) / 500

    def gap(precision: float | None) -> float:
        rows, _ = drawn("dirichlet_rows", context, precision=precision).rows()
        return float(np.abs(np.bincount(np.diff(rows), minlength=11) / 500 - sizes).sum())

    assert gap(None) < 0.2
    assert gap(0.1) > 1
    # Without a context, few sizes, others in every context.
    kinds = [
        set(np.diff(random.dirichlet_rows(objects=50, attributes=15, stream=i).rows()[0]).tolist())
        for i in range(20)
    ]
    assert len(set.union(*kinds)) > 12
    assert np.mean([len(kind) for kind in kinds]) < 8


def test_the_sizes_of_categorical_rows_follow_their_weights() -> None:
    context = random.categorical_rows(objects=5000, attributes=4, sizes=[1, 0, 2, 3, 0], seed=10)
    sizes = np.bincount(np.diff(context.rows()[0]), minlength=5)
    assert sizes[[1, 4]].tolist() == [0, 0]
    assert stats.chisquare(sizes[[0, 2, 3]], np.array([1, 2, 3]) * 5000 / 6).pvalue > RARE
    pairs = Counter(row for row in matrix(context.rows()) if len(row) == 2)
    assert len(pairs) == 6
    assert stats.chisquare(list(pairs.values())).pvalue > RARE


def test_a_fixed_density_takes_all_tables_equally() -> None:
    seen = Counter(
        matrix(random.fixed_density(objects=2, attributes=3, crosses=2, stream=i).rows())
        for i in range(3000)
    )
    assert len(seen) == 15
    assert stats.chisquare(list(seen.values())).pvalue > RARE


def test_shuffled_columns_overlap_as_in_fishers_test() -> None:
    overlaps = [
        support(matrix(random.shuffle_columns(T5, stream=i).rows()), {0, 1}) for i in range(4000)
    ]
    check_counts(np.bincount(overlaps, minlength=6), stats.hypergeom(5, 3, 4))
    assert stats.hypergeom(5, 3, 4).sf(2) == pytest.approx(2 / 5)


def test_resampled_rows_are_drawn_with_replacement() -> None:
    counts = np.zeros(5)
    for i in range(2000):
        drawn = matrix(random.resample_rows(T5, stream=i).rows())
        counts += [drawn.count(row) for row in matrix(T5.rows())]
    assert stats.chisquare(counts).pvalue > RARE


def test_the_default_number_of_swaps_moves_every_cross_several_times() -> None:
    for context in (T5, random_context(60, 20, density=0.2, seed=4)):
        run = _samplers.swap(context).run(_core.RandomStream(1, 0))
        assert run.accepted == pytest.approx(5 * context.crosses, rel=0.35)
    # Where hardly anything moves there is an end to it.
    ladder = scales.ordinal(6)
    run = _samplers.swap(ladder).run(_core.RandomStream(1, 0))
    assert (run.attempted, run.accepted) == (100 * ladder.crosses, 0)


def test_a_chain_reports_its_distance_to_the_start() -> None:
    context = random_context(100, 30, density=0.2, seed=5)
    for sampler in (_samplers.swap(context), _samplers.curveball(context)):
        run = sampler.run(_core.RandomStream(1, 0), checkpoints=20)
        assert len(run.distances) == 20
        end = cr.Context.from_csr(context.objects, context.attributes, *run.rows)
        moved = 1 - (bools(context) & bools(end)).sum() / context.crosses
        assert run.distances[-1] == pytest.approx(moved)
        # It grows, and then stays where independent tables are.
        assert run.distances[0] < run.distances[4] + 0.05
        assert np.ptp(run.distances[10:]) < 0.1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random.swap(T5, steps=-1), "steps must be a whole number"),
        (lambda: random.swap(T5, seed=-1), "seed must be a whole number"),
        (lambda: random.swap(T5, seed=1.5), "seed must be a whole number"),
        (lambda: random.swap(T5, stream=2**64), "stream must be a whole number"),
        (lambda: random.coin_toss(3, 2, density=1.1), "density must be between 0 and 1"),
        (lambda: random.coin_toss(3, 2, density=float("nan")), "density must be between 0 and 1"),
        (lambda: random.coin_toss(-1, 2, density=0.5), "objects must be"),
        (lambda: random.fixed_density(5, 4, crosses=21), "21 crosses don't fit into 20 cells"),
        (lambda: random.categorical_rows(5, 4, sizes=[1, 2]), "sizes has 2 weights, expected 5"),
        (lambda: random.categorical_rows(5, 4, sizes=[0] * 5), "not all 0"),
        (lambda: random.dirichlet_rows(5, 4, base=[1, 1, 1, 1, -1]), "must not be negative"),
        (lambda: random.dirichlet_rows(5, 4, precision=0), "precision must be positive"),
        (lambda: scales.ordinal(-1), "n must be a whole number"),
    ],
)
def test_wrong_arguments(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_null_source_starts_its_chains_at_a_hub() -> None:
    context = random_context(60, 20, density=0.2, seed=6)
    source = nulls.NullSource(context, ("swap", {"steps": 200}), 1)
    source.prepare()
    assert source.distance is not None
    start, draws = bools(context), []
    for i in range(30):
        drawn = cr.Context.from_csr(context.objects, context.attributes, *source.draw(i))
        draws.append(bools(drawn))
        assert (draws[-1].sum(axis=0) == start.sum(axis=0)).all()
    # With few steps, random tables are nearer to each other than to the context, whose distance
    # to the hub is one of a random table: twice the steps.
    between = np.mean([(a != b).sum() for a, b in combinations(draws, 2)])
    outside = np.mean([(a != start).sum() for a in draws])
    assert between == pytest.approx(outside, rel=0.05)


def test_a_null_model_of_ones_own() -> None:
    seeds: list[int] = []

    def all_or_nothing(context: cr.Context, seed: int) -> cr.Context:
        seeds.append(seed)
        return random.coin_toss(context.objects, context.attributes, density=float(seed % 2))

    source = nulls.NullSource(T5, all_or_nothing, 1)
    source.prepare()
    assert source.label == "all_or_nothing"
    sizes = {len(source.draw(i)[1]) for i in range(20)}
    assert sizes == {0, 20}
    assert len(set(seeds)) == 20
    wrong = nulls.NullSource(T5, lambda context, seed: context.transpose(), 1)
    with pytest.raises(ConceptRankError, match="not a context with the same attributes"):
        wrong.draw(0)
