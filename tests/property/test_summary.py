"""The short list against literal definitions: the reader's model, the choice, and its promises."""

from math import comb, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import conceptrank as cr
from conceptrank import _core
from conceptrank._util.lists import joined
from conceptrank.budget import Watch
from conceptrank.summary import paths, peel
from conceptrank.summary.model import ReaderModel
from conceptrank.summary.peel import select
from conceptrank.summary.units import Units


def literal_cells(table: np.ndarray, model: ReaderModel) -> np.ndarray:
    """Return the probability of every cell in every class, cell by cell."""
    n, q = table.shape
    cells, probabilities = np.empty((len(model.shares), n, q)), model.probabilities
    for c in range(len(cells)):
        for g in range(n):
            cells[c, g] = probabilities[c]
            for tile in model.tiles:
                if tile.members[g]:
                    cells[c, g] = [
                        max(*pair) for pair in zip(cells[c, g], tile.densities, strict=True)
                    ]
    return cells


def literal_expected(cells: np.ndarray, model: ReaderModel, units: list[int]) -> float:
    """Return the sum over objects and classes of the chance to have all units."""
    return float((cells[:, :, units].prod(axis=2).sum(axis=1) * model.shares).sum())


def literal_concepts(table: np.ndarray) -> dict[tuple[int, ...], int]:
    """Return all intents with their supports, by closing every set of attributes."""
    q = table.shape[1]
    found = {}
    for code in range(2**q):
        chosen = [m for m in range(q) if code >> m & 1]
        rows = table[table[:, chosen].all(axis=1)]
        intent = tuple(np.flatnonzero(rows.all(axis=0)).tolist()) if len(rows) else (*range(q),)
        found[intent] = int(table[:, list(intent)].all(axis=1).sum())
    return found


def literal_choice(
    table: np.ndarray, model: ReaderModel, alpha: float
) -> tuple[float, set[tuple[int, ...]]]:
    """Return the best score, and the intents that reach it."""
    n, q = table.shape
    concepts = literal_concepts(table)
    scores, cells = {}, literal_cells(table, model)
    for intent, support in concepts.items():
        if len(intent) < 2 or support < 2:
            continue
        expected = literal_expected(cells, model, [*intent])
        if support <= expected:
            continue
        gain = -float(binom.logsf(support - 1, n, expected / n))
        k = len(intent)
        if gain <= log(comb(q, k)) + log(k * (k + 1)) - log(alpha):
            continue
        below = [other for inside, other in concepts.items() if {*inside} > {*intent}]
        scores[intent] = gain * (support - max(below, default=0)) / support
    best = max(scores.values(), default=0.0)
    return best, {intent for intent, score in scores.items() if score >= best * (1 - 1e-9)}


def random_table(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(40, 120)), int(rng.integers(4, 7))
    table = rng.random((n, q)) < rng.uniform(0.05, 0.4, q)
    for _ in range(int(rng.integers(0, 4))):
        size = int(rng.integers(2, q))
        table[np.ix_(rng.random(n) < rng.uniform(0.1, 0.5), rng.choice(q, size, replace=False))] = (
            True
        )
    return table


@pytest.mark.parametrize("block", range(10))
def test_every_choice_is_the_literal_one(block: int) -> None:
    """Replay each list: the next concept is the best of all concepts under the model so far."""
    listed = 0
    for seed in range(50 * block, 50 * (block + 1)):
        table = random_table(seed)
        n, q = table.shape
        selection = select(cr.Context.from_numpy(table), min_support=2, alpha=0.9, threads=1)
        model = ReaderModel(table, free=np.ones(q, dtype=np.bool_))
        if len({tuple(row) for row in table.T}) < q or not (table.sum(axis=0) >= 2).all():
            continue  # the model has other units: attributes that are infrequent are left out
        for choice in selection:
            _, intents = literal_choice(table, model, 0.9)
            assert choice.intent in intents, f"seed {seed}"
            expected = literal_expected(literal_cells(table, model), model, [*choice.intent])
            assert choice.expected == pytest.approx(expected, rel=1e-9)
            support = int(table[:, list(choice.intent)].all(axis=1).sum())
            gain = -float(binom.logsf(support - 1, n, choice.expected / n))
            assert choice.gain == pytest.approx(gain / log(2), rel=1e-8)
            model.teach(choice.intent)
            listed += 1
        assert literal_choice(table, model, 0.9)[0] == 0, f"seed {seed} ended too early"
    assert listed >= 3


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_margins_of_the_model_are_those_of_the_table(seed: int) -> None:
    table = random_table(seed)
    model = ReaderModel(table, free=np.ones(table.shape[1], dtype=np.bool_))
    assert model.shares.sum() == pytest.approx(1)
    expected = [model.expected([m]) for m in range(table.shape[1])]
    assert expected == pytest.approx(table.sum(axis=0).tolist(), rel=1e-3, abs=1e-3)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_a_taught_pattern_is_expected(seed: int) -> None:
    table = random_table(seed)
    model = ReaderModel(table, free=np.ones(table.shape[1], dtype=np.bool_))
    concepts = [
        (intent, support)
        for intent, support in literal_concepts(table).items()
        if len(intent) >= 2 and support >= 2
    ]
    if not concepts:
        return
    intent, _ = concepts[seed % len(concepts)]
    tile = model.teach(intent)
    assert tile.members[table[:, list(intent)].all(axis=1)].all()
    shares = table[tile.members][:, list(intent)].mean(axis=0)
    assert tile.densities[list(intent)] == pytest.approx(shares)
    assert model.expected(intent) >= tile.members.sum() * shares.prod() * (1 - 1e-9)


def test_core_and_model_expect_the_same() -> None:
    for seed in range(40):
        table = random_table(seed)
        n, q = table.shape
        rng = np.random.default_rng(seed)
        model = ReaderModel(table, free=np.ones(q, dtype=np.bool_))
        core = _core.Surprise(
            cr.Context.from_numpy(table).core,
            *(np.array([0], dtype=np.int64), np.array([], dtype=np.uint32)) * 2,
            *(np.array([]) for _ in range(2)),
            q,
            len(model.shares),
        )
        for _ in range(3):
            units = np.sort(rng.choice(q, 2, replace=False)).astype(np.uint32)
            if table[:, units].all(axis=1).any():
                tile = model.teach(units)
                core.teach(tile.members.astype(np.uint8), tile.densities)
        core.set_background(model.shares, model.probabilities.reshape(-1))
        sets, gains = [], []
        for size in range(1, q + 1):
            units = np.sort(rng.choice(q, size, replace=False)).astype(np.uint32)
            expected = literal_expected(literal_cells(table, model), model, units.tolist())
            assert core.expected(units) == pytest.approx(expected, rel=1e-11)
            assert model.expected(units.tolist()) == pytest.approx(expected, rel=1e-11)
            sets.append(units)
            gains.append(_core.surprise_gain(n, n // 2, expected))
        best = core.strongest(*joined(sets), np.full(len(sets), float(n // 2)))
        assert (0.0 if best is None else best[2]) == pytest.approx(max(gains), rel=1e-9)


def test_gain_is_the_tail_of_a_binomial_distribution() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(2, 5000))
        support = int(rng.integers(1, n + 1))
        chance = float(rng.uniform(1e-6, 0.999))
        exact = -binom.logsf(support - 1, n, chance) if support > chance * n else 0.0
        if exact < 700:  # beyond, SciPy rounds
            gain = _core.surprise_gain(n, support, chance * n)
            assert gain == pytest.approx(exact, rel=1e-6, abs=1e-9)


def test_paths_lead_to_concepts() -> None:
    for seed in range(20):
        table = cr.datasets.random.planted(
            300, 15, patterns=[(4, 0.2), (3, 0.15)], background="both", seed=seed
        ).context
        incidence = table.to_numpy()
        found = paths.follow(table, lowest=0.02, watch=Watch(None, task="paths"))
        assert found
        for intent, support in found.items():
            rows = incidence[incidence[:, list(intent)].all(axis=1)]
            assert support == len(rows) >= 6
            assert tuple(np.flatnonzero(rows.all(axis=0))) == intent


def test_patterns_are_found_where_the_minimum_support_had_to_be_raised() -> None:
    table = cr.datasets.random.planted(
        1500, 60, patterns=[(6, 0.1), (5, 0.08), (8, 0.06)], background="both", seed=3
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peel, "MOST_CANDIDATES", 500)
        summary = table.context.summarize()
    assert summary.min_support > 150
    assert {pattern.intent for pattern in summary} == {each.intent for each in table.patterns}


def test_threads_give_the_same_list() -> None:
    table = cr.datasets.random.planted(600, 30, patterns=6, missing=0.1, seed=2)
    one, two = (table.context.summarize(threads=threads) for threads in (1, 2))
    assert str(one) == str(two)
    assert one.to_polars().equals(two.to_polars())


@pytest.mark.parametrize("background", ["columns", "both"])
def test_planted_patterns_are_found(background: str) -> None:
    exact = listed = right = frequent = 0
    for seed in range(4):
        table = cr.datasets.random.planted(
            1000, 40, patterns=5, sizes=(3, 7), supports=(0.05, 0.2), missing=0.1,
            background=background, seed=seed,
        )  # fmt: skip
        found = [frozenset(pattern.intent) for pattern in table.context.summarize()]
        planted = [frozenset(each.intent) for each in table.patterns if each.support >= 20]
        exact += sum(each in found for each in planted)
        frequent += len(planted)
        listed += len(found)
        every = [frozenset(each.intent) for each in table.patterns]
        right += sum(
            any(len(each & one) / len(each | one) >= 0.8 for one in every) for each in found
        )
    assert exact >= 0.75 * frequent
    assert right >= 0.95 * listed


def test_tables_without_patterns_get_none() -> None:
    """At most 5 % may have an entry; with 120 tables, 12 would be far too many."""
    entries = 0
    for seed in range(60):
        for background in ("columns", "both"):
            table = cr.datasets.random.planted(
                120, 12, patterns=0, background=background, seed=seed
            )
            entries += bool(len(table.context.summarize(1)))
    assert entries <= 11


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interordinal"])
def test_the_implications_of_a_scale_are_no_pattern(scale: str) -> None:
    import polars as pl

    entries = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({f"c{i}": rng.integers(0, 4, 300) for i in range(5)})
        plan = dict.fromkeys(frame.columns, scale)
        context = cr.load(frame, scale=plan)
        assert len(context.groups) == 5
        summary = context.summarize()
        entries += bool(len(summary))
    assert entries <= 2


def test_units_join_the_attributes_of_a_column() -> None:
    context = cr.Context.from_csr(
        "123",
        ["a", "x≥1", "x≥2"],
        np.array([0, 3, 5, 6]),
        np.array([0, 1, 2, 0, 1, 1]),
        groups=[(0,), (1, 2)],
    )
    intents = (np.array([0, 3, 5, 6]), np.array([0, 1, 2, 0, 1, 1], dtype=np.uint32))
    units = Units(context, intents)
    assert [len(units.of(i)) for i in range(3)] == [2, 2, 1]
    assert len(units) == 3
    both, weak = units.find((1, 2)), units.find((1,))
    assert both is not None
    assert weak is not None
    assert units.incidence[:, both[0]].tolist() == [True, False, False]
    assert units.given(weak.tolist())[both[0]] == pytest.approx(1 / 3)
    assert units.find((2,)) is None
