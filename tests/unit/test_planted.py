"""Planted contexts against what their parameters promise, cell by cell."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from conceptrank.datasets.random import planted


def cells(context):
    offsets, values = context.rows()
    table = np.zeros(context.shape, dtype=bool)
    for g in range(context.shape[0]):
        table[g, values[offsets[g] : offsets[g + 1]]] = True
    return table


def numbers(names):
    return [int(name[1:]) - 1 for name in names]


@pytest.mark.parametrize("background", ["columns", "both", "blocks"])
@pytest.mark.parametrize("overlap", ["free", "disjoint", "nested"])
def test_planted_objects_have_the_whole_intent_without_missing_crosses(background, overlap):
    for seed in range(5):
        table = planted(
            300, 40, patterns=6, sizes=(2, 6), background=background, overlap=overlap, seed=seed
        )
        relation = cells(table.context)
        for pattern in table.patterns:
            intent, extent = numbers(pattern.intent), numbers(pattern.objects)
            assert relation[np.ix_(extent, intent)].all()
            assert pattern.support == relation[:, intent].all(axis=1).sum()
            assert set(pattern.objects) <= set(table.context.extension(pattern.intent))
            assert 2 <= len(intent) <= 6


def test_sizes_and_supports_are_those_given_or_in_their_ranges():
    table = planted(400, 30, patterns=[(2, 0.5), (7, 0.01), (4, 0.0)])
    assert [(len(p.intent), len(p.objects)) for p in table.patterns] == [(2, 200), (7, 4), (4, 1)]
    drawn = planted(1000, 60, patterns=200, sizes=(3, 5), supports=(0.02, 0.1), seed=2).patterns
    assert {len(p.intent) for p in drawn} == {3, 4, 5}
    assert min(len(p.objects) for p in drawn) >= 20
    assert max(len(p.objects) for p in drawn) <= 100


def test_intents_are_disjoint_nested_or_different():
    disjoint = planted(50, 60, patterns=10, sizes=(6, 6), overlap="disjoint").patterns
    assert all(not set(a.intent) & set(b.intent) for a, b in combinations(disjoint, 2))
    free = planted(50, 5, patterns=10, sizes=(2, 2), overlap="free").patterns
    assert len({p.intent for p in free}) == 10
    nested = planted(200, 30, patterns=9, sizes=(2, 5), overlap="nested").patterns
    assert len(nested) == 9
    for outer, inner in zip(nested[::2], nested[1::2], strict=False):
        assert set(outer.intent) < set(inner.intent)
        assert set(inner.objects) < set(outer.objects)
        assert 2 * len(inner.objects) <= len(outer.objects)
    whole = planted(20, 8, patterns=[(8, 0.1), (8, 0.2)], overlap="nested").patterns
    assert [len(p.intent) for p in whole] == [7, 8]


def test_missing_crosses_are_a_share_of_the_planted_ones_where_the_background_is_empty():
    table = planted(4000, 50, patterns=[(10, 0.5)], missing=0.2, frequencies=(0, 0), seed=3)
    (pattern,) = table.patterns
    planted_cells = cells(table.context)[np.ix_(numbers(pattern.objects), numbers(pattern.intent))]
    assert table.context.crosses == planted_cells.sum()
    # 20,000 cells: the share has a standard deviation of 0.003.
    assert abs(planted_cells.mean() - 0.8) < 0.02
    assert pattern.support == planted_cells.all(axis=1).sum()


def test_added_crosses_are_a_share_of_the_empty_cells():
    without = cells(planted(2000, 50, patterns=3, seed=4).context)
    table = cells(planted(2000, 50, patterns=3, added=0.05, seed=4).context)
    assert (table >= without).all()
    assert abs(table[~without].mean() - 0.05) < 0.01


def test_columns_have_frequencies_in_the_range():
    frequencies = cells(planted(20_000, 30, patterns=0, frequencies=(0.2, 0.4)).context).mean(0)
    assert frequencies.min() > 0.18
    assert frequencies.max() < 0.42
    assert frequencies.std() > 0.02


def test_rich_objects_vary_more_than_independent_cells_can():
    def variance(**options):
        table = cells(planted(3000, 60, patterns=0, frequencies=(0.2, 0.2), **options).context)
        return table.sum(axis=1).var()

    binomial = 60 * 0.2 * 0.8
    assert variance() == pytest.approx(binomial, rel=0.15)
    assert variance(background="both", richness=0) == pytest.approx(binomial, rel=0.15)
    assert variance(background="both", richness=1) > 3 * binomial


def test_attributes_of_a_block_are_correlated_and_others_are_not():
    table = planted(
        20_000, 12, patterns=0, background="blocks", block_size=3, correlation=0.6, seed=5
    )
    assert sorted(m for block in table.blocks for m in block) == sorted(table.context.attributes)
    assert [len(block) for block in table.blocks] == [3] * 4
    relation = cells(table.context)
    together = {frozenset(pair) for block in table.blocks for pair in combinations(block, 2)}
    found = np.corrcoef(relation, rowvar=False)
    for first, second in combinations(table.context.attributes, 2):
        correlation = found[numbers([first, second])[0], numbers([first, second])[1]]
        if frozenset((first, second)) in together:
            assert correlation > 0.15
        else:
            assert abs(correlation) < 0.05
    assert relation.mean(axis=0).min() > 0.04


def test_a_seed_gives_one_table_and_streams_differ():
    first, again = planted(100, 20, seed=1), planted(100, 20, seed=1)
    assert first == again
    assert first.context != planted(100, 20, seed=2).context
    assert first.context != planted(100, 20, seed=1, stream=1).context


def test_no_objects_attributes_or_patterns():
    assert planted(0, 5, patterns=0).context.shape == (0, 5)
    assert planted(5, 0, patterns=0).context.shape == (5, 0)
    assert planted(5, 5, patterns=0).patterns == ()
    assert planted(0, 5, patterns=[(2, 0.5)]).patterns[0].support == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patterns": 3, "sizes": (5, 5), "overlap": "disjoint"}, "3 disjoint patterns with 15"),
        ({"patterns": 1, "sizes": (9, 9)}, "don't fit into 8 attributes"),
        ({"patterns": 9, "sizes": (1, 1)}, "9 different patterns don't fit into 8 attributes"),
        ({"patterns": [(2, 1.5)]}, "a support must be between 0 and 1"),
        ({"sizes": (4, 2)}, "sizes must be a range"),
        ({"supports": (0.2, 0.1)}, "supports must be a range"),
        ({"frequencies": (-1, 0.1)}, "frequencies must be between 0 and 1"),
        ({"missing": 2}, "missing must be between 0 and 1"),
        ({"added": -1}, "added must be between 0 and 1"),
        ({"richness": -1, "background": "both"}, "richness must not be negative"),
        ({"background": "rows"}, "background must be"),
        ({"overlap": "some"}, "overlap must be"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        planted(20, 8, **({"sizes": (2, 4)} | options))
