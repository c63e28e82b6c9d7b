"""The selections against literal versions over sets, on small random tables."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import log2

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.datasets.random import coin_toss, planted
from conceptrank.errors import ConceptRankError
from conceptrank.summary import diverse, grecond, slim

METHODS = [diverse, grecond, slim]


def tables(number, *, objects=9, attributes=6):
    random = np.random.default_rng(7)
    for seed in range(number):
        n, q = random.integers(1, objects + 1), random.integers(1, attributes + 1)
        yield coin_toss(
            objects=int(n), attributes=int(q), density=random.uniform(0.1, 0.9), seed=seed
        )


def rows_of(context):
    offsets, values = context.rows()
    return [frozenset(values[a:b].tolist()) for a, b in pairwise(offsets)]


def extent_of(rows, intent):
    return frozenset(g for g, row in enumerate(rows) if set(intent) <= row)


def closure_of(rows, attributes, extent):
    return frozenset(m for m in range(attributes) if all(m in rows[g] for g in extent))


def concepts_of(rows, attributes):
    found = set()
    for size in range(attributes + 1):
        for chosen in combinations(range(attributes), size):
            extent = extent_of(rows, chosen)
            found.add((extent, closure_of(rows, attributes, extent)))
    return found


def cells_of(rows, intent):
    return {(g, m) for g in extent_of(rows, intent) for m in intent}


def shown(selection):
    return [(choice.intent, choice.gain) for choice in selection]


def literal_grecond(context, least=1):
    rows, q = rows_of(context), context.shape[1]
    left = {(g, m) for g, row in enumerate(rows) for m in row}
    factors = []
    while True:
        intent, most = frozenset(), 0
        while True:
            best = None
            for j in sorted(set(range(q)) - intent):
                extent = extent_of(rows, intent | {j})
                larger = closure_of(rows, q, extent)
                new = len({(g, m) for g in extent for m in larger} & left)
                if len(extent) >= least and new > most and (best is None or new > best[0]):
                    best = (new, larger)
            if best is None:
                break
            most, intent = best
        if not most:
            return factors
        factors.append((tuple(sorted(intent)), float(most)))
        left -= cells_of(rows, intent)


def test_grecond_equals_the_literal_algorithm():
    for context in tables(200):
        assert shown(grecond.select(context)) == literal_grecond(context)
        assert shown(grecond.select(context, min_support=2)) == literal_grecond(context, 2)


def test_grecond_factors_multiply_to_the_table():
    for context in [*tables(50), cr.datasets.load("movies")]:
        rows = rows_of(context)
        covered = set().union(*(cells_of(rows, c.intent) for c in grecond.select(context)))
        assert covered == {(g, m) for g, row in enumerate(rows) for m in row}


def test_grecond_ends_at_the_share_to_cover():
    context = planted(200, 20, patterns=4, sizes=(3, 6), seed=1).context
    whole = grecond.select(context)
    part = grecond.select(context, cover=0.6)
    assert part.choices == whole.choices[: len(part)]
    assert part.choices[-1].explained >= 0.6 > part.choices[-2].explained
    with pytest.raises(ValueError, match="cover must be between 0 and 1"):
        grecond.select(context, cover=2)


def test_a_lattice_is_chosen_from_instead_of_mining():
    context = cr.datasets.load("movies")
    lattice = context.lattice(min_support=3)
    assert diverse.select(context, lattice=lattice) == diverse.select(context, min_support=3)


def test_diverse_lists_what_a_ranking_lists():
    context = cr.datasets.load("movies")
    ranking = context.lattice().rank(by="stability").diverse(6)
    found = diverse.select(context, max_patterns=6, by="stability")
    assert [tuple(context.attributes[m] for m in choice.intent) for choice in found] == [
        row.concept.intent for row in ranking
    ]
    best = max(scores["stability"] for _, _, scores in context.lattice().rank(by="stability"))
    for choice, row, overlap in zip(found, ranking, ranking.selection.overlaps, strict=True):
        assert choice.gain == pytest.approx(row.scores["stability"] / best * (1 - overlap))


def literal_cover(rows, patterns, q):
    """The use of each pattern in a description of the rows, and the length of all, literally."""
    supports = {p: sum(set(p) <= row for row in rows) for p in patterns}
    order = sorted(patterns, key=lambda p: (-len(p), -supports[p], p))
    order += [(m,) for m in range(q)]
    used = {p: set() for p in order}
    for g, row in enumerate(rows):
        left = set(row)
        for pattern in order:
            if set(pattern) <= left:
                used[pattern].add(g)
                left -= set(pattern)
    used = {p: objects for p, objects in used.items() if objects}
    total = sum(map(len, used.values()))
    codes = {p: -log2(len(objects) / total) for p, objects in used.items()}
    crosses = Counter(m for row in rows for m in row)
    single = {m: -log2(count / crosses.total()) for m, count in crosses.items()}
    data = sum(len(objects) * codes[p] for p, objects in used.items())
    table = sum(codes[p] + sum(single[m] for m in p) for p in used)
    return used, data + table


def literal_estimate(rows, used, first, second):
    """How much shorter the description gets if a pair is joined and nothing else changes."""
    crosses = Counter(m for row in rows for m in row)

    def length(usages):
        total = sum(count for _, count in usages)
        return sum(
            -(count + 1) * log2(count / total)
            + sum(-log2(crosses[m] / crosses.total()) for m in pattern)
            for pattern, count in usages
            if count
        )

    both = len(used[first] & used[second])
    before = [(p, len(objects)) for p, objects in used.items()]
    after = [(p, count - both * (p in (first, second))) for p, count in before]
    return length(before) - length([*after, (first + second, both)])


def literal_order(rows, q, patterns):
    """The patterns in the order of what they save, each counted again when it comes first."""
    ordered = []
    length = literal_cover(rows, [], q)[1]
    saved = {p: length - literal_cover(rows, [p], q)[1] for p in patterns}
    while saved:
        first = min(saved, key=lambda p: (-round(saved[p], 6), p))
        again = literal_cover(rows, [p for p, _ in ordered], q)[1]
        again -= literal_cover(rows, [*(p for p, _ in ordered), first], q)[1]
        if round(again, 6) == round(saved[first], 6):
            ordered.append((first, saved.pop(first)))
        else:
            saved[first] = again
    return ordered


def literal_slim(context, least=1):
    rows, q = rows_of(context), context.shape[1]
    patterns, tried = [], set()
    used, length = literal_cover(rows, patterns, q)
    while True:
        pairs = [
            (-round(literal_estimate(rows, used, *pair), 6), pair)
            for pair in combinations(sorted(used), 2)
            if used[pair[0]] & used[pair[1]]
        ]
        for gain, (first, second) in sorted(pairs):
            extent = extent_of(rows, first + second)
            candidate = tuple(sorted(closure_of(rows, q, extent)))
            if gain >= 0 or len(extent) < least or candidate in tried:
                continue
            tried.add(candidate)
            new_used, new_length = literal_cover(rows, [*patterns, candidate], q)
            if new_length < length - 1e-6:
                break
        else:
            return literal_order(rows, q, patterns)
        patterns.append(candidate)
        suspects = {p for p in patterns if len(new_used.get(p, ())) < len(used.get(p, ()))}
        while suspects:
            worst = min(suspects, key=lambda p: (len(new_used.get(p, ())), p))
            suspects.remove(worst)
            rest = [p for p in patterns if p != worst]
            rest_used, rest_length = literal_cover(rows, rest, q)
            if rest_length < new_length - 1e-6 or worst not in new_used:
                suspects |= {
                    p for p in rest if len(rest_used.get(p, ())) < len(new_used.get(p, ()))
                }
                patterns, new_used, new_length = rest, rest_used, rest_length
        used, length = new_used, new_length


def test_slim_equals_the_literal_algorithm():
    some = 0
    for context in [*tables(120, objects=14, attributes=7), cr.datasets.load("movies")]:
        found, literal = slim.select(context), literal_slim(context)
        some += len(literal) > 1
        assert [c.intent for c in found] == [intent for intent, _ in literal]
        assert [c.gain for c in found] == pytest.approx([gain for _, gain in literal], abs=1e-6)
    assert some > 20


def test_the_gains_of_slim_add_up_to_what_the_code_table_saves():
    for context in tables(40, objects=14, attributes=7):
        rows, q = rows_of(context), context.shape[1]
        found = slim.select(context)
        if not context.crosses:
            continue
        alone = literal_cover(rows, [], q)[1]
        together = literal_cover(rows, [c.intent for c in found], q)[1]
        assert sum(c.gain for c in found) == pytest.approx(alone - together, abs=1e-6)


def test_slim_keeps_the_minimum_support():
    for context in tables(60, objects=14):
        found = slim.select(context, min_support=3)
        assert {c.intent for c in found} == {intent for intent, _ in literal_slim(context, 3)}


def test_description_lengths_are_exact():
    for context in tables(60):
        rows, q = rows_of(context), context.shape[1]
        if not context.crosses:
            continue
        table = slim.CodeTable(slim.Crosses(context))
        patterns = [tuple(sorted(i)) for _, i in concepts_of(rows, q) if len(i) > 1]
        used, length = literal_cover(rows, patterns, q)
        cover = table.cover(table.order(patterns))
        assert cover.length == pytest.approx(length, abs=1e-9)
        assert cover.usages == {p: len(objects) for p, objects in used.items()}


def test_slim_finds_disjoint_planted_patterns():
    table = planted(
        1000, 30, patterns=[(4, 0.2), (5, 0.2), (3, 0.25)], overlap="disjoint",
        frequencies=(0.01, 0.05), seed=1,
    )  # fmt: skip
    names = table.context.attributes
    found = {tuple(names[m] for m in c.intent) for c in slim.select(table.context, max_patterns=3)}
    assert found == {pattern.intent for pattern in table.patterns}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_choices_are_concepts_that_explain_what_they_cover(method):
    context = planted(120, 15, patterns=4, sizes=(2, 5), seed=2).context
    rows, q = rows_of(context), context.shape[1]
    selection = method.select(context, max_patterns=5)
    assert len(selection) == 5
    assert selection.stopped == ""
    covered = set()
    for choice in selection:
        extent = extent_of(rows, choice.intent)
        assert choice.intent == tuple(sorted(closure_of(rows, q, extent)))
        covered |= cells_of(rows, choice.intent)
        assert choice.explained == pytest.approx(len(covered) / context.crosses)
        assert choice.gain > 0
    assert method.select(context, max_patterns=3).choices == selection.choices[:3]
    assert len(method.select(context, max_patterns=0)) == 0


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
@pytest.mark.parametrize(
    "context",
    [
        cr.Context("", "", []),
        cr.Context("", "ab", []),
        cr.Context("12", "", [[], []]),
        cr.Context("12", "ab", [[False, False], [False, False]]),
        cr.Context("12", "ab", [[True, True], [True, True]]),
        cr.Context("1", "abc", [[True, False, True]]),
    ],
    ids=["nothing", "no objects", "no attributes", "no crosses", "all crosses", "one object"],
)
def test_odd_tables_have_an_answer(method, context):
    for choice in method.select(context):
        assert choice.intent
        assert 0 < choice.explained <= 1


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_a_cancelled_search_says_so(method):
    budget = cr.Budget()
    budget.cancel()
    context = planted(300, 20, patterns=4, sizes=(2, 5)).context
    assert method.select(context, budget=budget).stopped == "cancelled"


@pytest.mark.parametrize(("method", "limit"), [(grecond, "_MOST_CELLS"), (slim, "_MOST_PATTERNS")])
def test_tables_that_are_too_large_are_refused(method, limit, monkeypatch):
    monkeypatch.setattr(method, limit, 80)
    context = planted(300, 90, patterns=2, frequencies=(0.05, 0.2)).context
    with pytest.raises(ConceptRankError, match=r"too many.*larger minimum support"):
        method.select(context)
    assert len(method.select(context, min_support=200)) == 0


@pytest.mark.parametrize("method", [grecond, slim])
def test_seconds_end_a_search_with_the_concepts_so_far(method):
    context = planted(2000, 60, patterns=20).context
    selection = method.select(context, budget=cr.Budget(seconds=0))
    assert selection.stopped == "seconds"
    assert len(selection) <= 1
