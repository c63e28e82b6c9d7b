"""The short list against literal definitions: the reader's model, the choice, and its promises."""

from collections.abc import Callable, Iterable
from math import comb, erfc, log, prod, sqrt
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import conceptrank as cr
from conceptrank import _core
from conceptrank._util.lists import joined
from conceptrank.budget import Watch
from conceptrank.convert.origin import Condition, Origin
from conceptrank.summary import paths, peel
from conceptrank.summary.model import Margins, ReaderModel
from conceptrank.summary.peel import select
from conceptrank.summary.units import Units

Gains: TypeAlias = Callable[[list[int]], tuple[float, float]]


def literal_row(
    row: list[bool], closed: dict[int, float], shares: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Return the probability of each class of richness given the open cells of a row."""
    chances = shares.copy()
    for m, has in enumerate(row):
        if m not in closed:
            chances *= p[:, m] if has else 1 - p[:, m]
    return chances / chances.sum()


def literal_tiles(model: ReaderModel, g: int) -> dict[int, float]:
    """Return the densities that the tiles of an object give its closed cells."""
    closed: dict[int, float] = {}
    for tile in model.tiles:
        if tile.members[g]:
            for m in np.flatnonzero(tile.densities).tolist():
                closed[m] = max(closed.get(m, 0.0), float(tile.densities[m]))
    return closed


def literal_gains(table: np.ndarray, model: ReaderModel) -> Gains:
    """Return a function of a set of units, one object and one share at a time.

    It returns the gain and the log-likelihood ratio with the best share, in nats.
    """
    n, q = table.shape
    rows = table.tolist()
    # In a closed cell, a cross tells no more than it would in an open one.
    mean = (model.shares @ model.probabilities).tolist()
    closed = [
        {m: max(density, mean[m]) for m, density in literal_tiles(model, g).items()}
        for g in range(n)
    ]
    p = model.probabilities
    classes = [literal_row(rows[g], closed[g], model.shares, p) for g in range(n)]
    p = np.clip(p, 1e-9, 1 - 1e-9)
    shares = [0.7 / 2**i for i in range(max(int(log(n) / log(2)), 1))]
    # The columns keep their crosses: the others have them less often by this factor.
    factor: dict[tuple[float, int], float] = {}
    column: dict[tuple[float, int], float] = {}
    for m in range(q):
        open_in = [g for g in range(n) if m not in closed[g]]
        expected = sum(classes[g] @ p[:, m] for g in open_in)
        having = sum(rows[g][m] for g in open_in)
        lacking = sum((classes[g] for g in open_in if not rows[g][m]), np.zeros(len(p)))
        for share in shares:
            left = 1 - share * len(open_in) / expected if expected else 1.0
            f = factor[share, m] = min(max(left, 0.05) / (1 - share), 1.0)
            lost = np.log((1 - f * p[:, m]) / (1 - p[:, m]))
            column[share, m] = having * log(f) + float(lacking @ lost)

    def belief(g: int, units: list[int]) -> float:
        left = 1.0
        for tile in model.tiles:
            ratios = [tile.ratios[m] for m in units if tile.ratios[m] > 0]
            if len(ratios) >= 2:
                left *= 1 - tile.carrying[g] * (1 - prod(ratios))
        return float(left)

    def gain(units: list[int]) -> tuple[float, float]:
        having = [g for g in range(n) if all(rows[g][m] for m in units)]
        ratios = []
        for g in having:
            ratio = classes[g].copy()
            for m in units:
                ratio /= closed[g][m] if m in closed[g] else p[:, m]
            ratios.append(ratio.sum() * belief(g, units))
        logs = []
        for share in shares:
            total = sum(column[share, m] for m in units) + (n - len(having)) * log(1 - share)
            for g, ratio in zip(having, ratios, strict=True):
                others = prod(1.0 if m in closed[g] else factor[share, m] for m in units)
                total += log((1 - share) * others + share * ratio) - log(others)
            logs.append(total)
        return float(np.logaddexp.reduce(logs) - log(len(shares))), max(logs)

    return gain


def literal_expected(
    table: np.ndarray, model: ReaderModel, units: list[int], carriers: float = 0.0
) -> float:
    """Return the sum over objects of the chance to have all units, given the rest of the row.

    If there are carriers, the other objects have each unit less often.
    """
    rows = table.tolist()
    closed = [literal_tiles(model, g) for g in range(len(rows))]
    left = {}
    for m in units:
        open_in = [g for g in range(len(rows)) if m not in closed[g]]
        crosses = sum(rows[g][m] for g in open_in)
        kept = 1 - carriers * len(open_in) / crosses if crosses else 1.0
        left[m] = min(max(kept, 0.05) / (1 - carriers), 1.0)
    expected = 0.0
    for g, row in enumerate(rows):
        p = model.probabilities
        weights = literal_row(row, {**closed[g], **dict.fromkeys(units, 1.0)}, model.shares, p)
        for m in units:
            weights *= closed[g].get(m, p[:, m] * left[m])
        chance = float(weights.sum())
        for tile in model.tiles:
            ratios = [tile.ratios[m] for m in units if tile.ratios[m] > 0]
            if len(ratios) >= 2:
                chance /= 1 - tile.carrying[g] * (1 - prod(ratios))
        expected += min(chance, 1.0)
    return expected


def literal_wholeness(table: np.ndarray, intent: Iterable[int]) -> float:
    """Return the least share that an attribute loses, over the share of all objects lacking it."""
    inside = table[table[:, list(intent)].all(axis=1)]
    losses = [
        (~inside[:, m]).mean() / (~column).mean()
        for m, column in enumerate(table.T)
        if m not in intent and not column.all()
    ]
    return float(min([1.0, *losses]))


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


def literal_p_value(ratio: float) -> float:
    """Return the chance that a normal number is beyond the root of twice the ratio."""
    return erfc(sqrt(max(ratio, 0))) / 2


def literal_choice(
    table: np.ndarray, model: ReaderModel, alpha: float, dropped: set[tuple[int, ...]]
) -> set[tuple[int, ...]]:
    """Return the intents with the best score; those that are too well expected are dropped."""
    q = table.shape[1]
    concepts = literal_concepts(table)
    scores, gain_of = {}, literal_gains(table, model)
    for intent, support in concepts.items():
        k = len(intent)
        if k < 2 or support < 2:
            continue
        gain, ratio = gain_of([*intent])
        if comb(q, k) * k * (k + 1) * literal_p_value(ratio) > alpha:
            continue
        scores[intent] = gain * literal_wholeness(table, intent)
    while left := {intent: score for intent, score in scores.items() if intent not in dropped}:
        best = max(left.values())
        if best <= 0:
            return set()
        first = {intent for intent, score in left.items() if score >= best * (1 - 1e-9)}
        for intent in sorted(first):
            expected = literal_expected(table, model, [*intent])
            share = model.tile(intent).share
            without = literal_expected(table, model, [*intent], share)
            if concepts[intent] <= expected + sqrt(expected) or concepts[
                intent
            ] <= without + 3 * sqrt(without):
                dropped.add(intent)
        if first - dropped:
            return first - dropped
    return set()


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
        q = table.shape[1]
        selection = select(cr.Context.from_numpy(table), min_support=2, alpha=0.9, threads=1)
        model = ReaderModel(table, free=np.ones(q, dtype=np.bool_))
        if len({tuple(row) for row in table.T}) < q or not (table.sum(axis=0) >= 2).all():
            continue  # the model has other units: attributes that are infrequent are left out
        dropped: set[tuple[int, ...]] = set()
        for choice in selection:
            intents = literal_choice(table, model, 0.9, dropped)
            assert choice.intent in intents, f"seed {seed}"
            expected = literal_expected(table, model, [*choice.intent])
            assert choice.expected == pytest.approx(expected, rel=1e-9)
            gain, ratio = literal_gains(table, model)([*choice.intent])
            assert choice.gain == pytest.approx(gain / log(2), rel=1e-8)
            k = len(choice.intent)
            p_value = comb(q, k) * k * (k + 1) * literal_p_value(ratio)
            assert choice.p_value == pytest.approx(p_value, rel=1e-6)
            model.teach(model.tile(choice.intent))
            listed += 1
        assert not literal_choice(table, model, 0.9, dropped), f"seed {seed} ended too early"
    assert listed >= 3


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_margins_of_the_model_are_those_of_the_table(seed: int) -> None:
    table = random_table(seed)
    model = ReaderModel(table, free=np.ones(table.shape[1], dtype=np.bool_))
    assert model.shares.sum() == pytest.approx(1)
    known = model.background()
    crosses = (known.posterior[known.group] @ np.exp(known.log_chance)).sum(axis=0)
    assert crosses.tolist() == pytest.approx(table.sum(axis=0).tolist(), rel=1e-3, abs=1e-3)


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
    tile = model.tile(intent)
    model.teach(tile)
    assert tile.members[table[:, list(intent)].all(axis=1)].all()
    shares = table[tile.members][:, list(intent)].mean(axis=0)
    assert tile.densities[list(intent)] == pytest.approx(shares)
    assert model.expected(intent) >= tile.members.sum() * shares.prod() * (1 - 1e-9)


def test_core_finds_the_literal_gain() -> None:
    for seed in range(30):
        table = random_table(seed)
        q = table.shape[1]
        rng = np.random.default_rng(seed)
        context = cr.Context.from_numpy(table)
        (offsets, values), weights = context.core.distinct_rows()
        rows = np.zeros((len(weights), q), dtype=np.bool_)
        rows[np.repeat(np.arange(len(rows)), np.diff(offsets)), values] = True
        free = np.ones(q, dtype=np.bool_)
        model = ReaderModel(rows, free=free, weights=weights.astype(np.int64))
        single = ReaderModel(table, free=free)
        none = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint32))
        core = _core.Surprise(
            context.core, none, none, np.zeros(0), np.zeros(0), free.astype(np.uint8)
        )
        for _ in range(3):
            units = np.sort(rng.choice(q, 2, replace=False)).astype(np.uint32)
            if table[:, units].all(axis=1).any():
                model.teach(model.tile(units))
                single.teach(single.tile(units))
        peel.set_background(core, model)
        literal = literal_gains(table, single)
        sets, gains = [], []
        for size in range(1, q + 1):
            units = np.sort(rng.choice(q, size, replace=False)).astype(np.uint32)
            expected = literal_expected(table, single, units.tolist())
            assert model.expected(units.tolist()) == pytest.approx(expected, rel=1e-8)
            sets.append(units)
            found = literal(units.tolist())
            gains.append(found[0])
            evidence = core.evidence(units, units)
            assert (evidence.gain, evidence.ratio) == pytest.approx(found, rel=1e-7, abs=1e-7)
        supports = np.array([table[:, units].all(axis=1).sum() for units in sets], dtype=float)
        best = core.strongest(joined(sets), joined(sets), supports)
        assert (0.0 if best is None else best.evidence.gain) == pytest.approx(
            max(*gains, 0.0), rel=1e-7, abs=1e-7
        )


@pytest.mark.parametrize("kind", ["free", "scaled", "unequal", "changing"])
def test_bounds_of_earlier_steps_hold(kind: str) -> None:
    """The core remembers bounds; no candidate may be missed by them.

    The number of classes of richness changes if two models take turns.
    """
    chosen = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        q = 10
        richness = rng.normal(0, 1.0 if kind in ("unequal", "changing") else 0.0, (150, 1))
        table = rng.random((150, q)) < 1 / (1 + np.exp(rng.uniform(-2.5, 1.4, q) - richness))
        for _ in range(5):
            table[np.ix_(rng.random(150) < 0.3, rng.choice(q, 5, replace=False))] = True
        concepts = literal_concepts(table)
        found = {i: s for i, s in concepts.items() if len(i) >= 2 and s >= 1}
        context = cr.Context.from_numpy(table)
        (offsets, values), weights = context.core.distinct_rows()
        rows = np.zeros((len(weights), q), dtype=np.bool_)
        rows[np.repeat(np.arange(len(rows)), np.diff(offsets)), values] = True
        free = np.full(q, kind != "scaled")
        margins: tuple[Margins, ...] = ("columns",)
        if kind in ("unequal", "changing"):
            margins = ("both",) if kind == "unequal" else ("columns", "both")
        models = [
            ReaderModel(
                rows,
                free=free,
                weights=weights.astype(np.int64),
                margins=each,
            )
            for each in margins
        ]
        sets = [np.array(intent, dtype=np.uint32) for intent in found]
        wholeness = [literal_wholeness(table, intent) for intent in found]
        supports = np.array(list(found.values()), dtype=np.float64)
        lists = joined(sets)
        core = _core.Surprise(
            context.core, lists, lists, supports, np.zeros(len(sets)), free.astype(np.uint8)
        )
        for step in range(8):
            peel.set_background(core, models[step // 2 % len(models)])
            evidence = [(e.gain, e.ratio) for e in (core.evidence(each, each) for each in sets)]
            for i, (_, ratio) in enumerate(evidence):
                assert core.bound(i) >= ratio
            scores = [
                max(gain, 0) * whole if ratio > 0 else 0
                for (gain, ratio), whole in zip(evidence, wholeness, strict=True)
            ]
            found = core.best(1)
            best = found.best
            assert not found.stop
            if best is None:
                assert max(scores, default=0.0) <= 1e-9
                break
            assert scores[best.candidate] == pytest.approx(max(scores), rel=1e-9), f"seed {seed}"
            told = best.evidence.gain, best.evidence.ratio
            assert told == pytest.approx(evidence[best.candidate], rel=1e-9)
            assert best.wholeness == pytest.approx(wholeness[best.candidate], rel=1e-12)
            # Without a new background, the next best one follows from the same bounds.
            core.drop(best.candidate)
            wholeness[best.candidate] = scores[best.candidate] = 0
            second = core.best(1).best
            assert (
                0.0 if second is None else second.wholeness * second.evidence.gain
            ) == pytest.approx(max(scores), rel=1e-9)
            # A tile may cover units outside its pattern, with densities below their frequencies.
            also = np.where(rng.random(q) < 0.3, 0.01, 0.0)
            tile = models[0].tile(sets[best.candidate], also=also)
            for model in models:
                model.teach(tile)
            chosen += 1
    assert chosen > 30


def test_equal_scores_are_chosen_in_order() -> None:
    """Patterns that differ only in the names of their attributes have equal scores.

    Rounding errors make the scores differ in their last digits.
    """
    for seed in range(20):
        rng = np.random.default_rng(seed)
        part = rng.random((60, 4)) < 0.3
        part[:15, :3] = True
        # Objects of one half have nothing of the other.
        table = np.zeros((120, 8), dtype=np.bool_)
        table[:60, :4] = part
        table[60:, 4:] = part[rng.permutation(60)]
        columns = np.concatenate([rng.permutation(4), 4 + rng.permutation(4)])
        for order in (columns, np.roll(columns, 4)):
            intents = [p.intent for p in cr.Context.from_numpy(table[:, order]).summarize(2)]
            if len(intents) == 2:
                assert intents == sorted(intents, key=lambda each: int(each[0]))


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
    a = Condition(column="a", kind="true")
    x1, x2 = (Condition(column="x", kind="interval", low=low) for low in (1, 2))
    context = cr.Context.from_csr(
        "123",
        ["a", "x≥1", "x≥2"],
        np.array([0, 3, 5, 6]),
        np.array([0, 1, 2, 0, 1, 1]),
        origin=Origin(None, (a, x1, x2), {}),
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
