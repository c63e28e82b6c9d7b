"""Every exact measure of the catalogue against its literal formula, on hundreds of contexts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import inf, log, log2
from random import Random

import numpy as np
import pytest

import conceptrank as cr
import oracle
import oracle_measures as literal
from cases import Case, Params, assert_close, assert_scores
from oracle import members
from strategies import KEEPS, SIDES, random_contexts

Expected = tuple[str, Params, list[oracle.Number]]

OF_THE_CONCEPT = (
    *("tile_density_share", "incidence_coverage", "own_objects", "own_attributes", "separation"),
    *("cue_validity", "category_feature_collocation", "category_utility"),
    *("lift", "log_lift", "leverage", "cosine", "all_confidence", "cross_support", "bond"),
    *("cohesive_margin", "stable_leverage"),
    *("collective_strength", "independence_z", "independence_pvalue", "concept_probability"),
)


def sizes_and_chances(case: Case) -> Iterator[Expected]:
    """What has no parameters, and what is a function of that."""
    table, concepts = case.table, case.concepts
    yield "tile_area", {}, [c.extent.bit_count() * c.intent.bit_count() for c in concepts]
    for name in OF_THE_CONCEPT:
        formula = getattr(literal, name)
        yield name, {}, [formula(table, c) for c in concepts]
    tails = [literal.independence_pvalue(table, c) for c in concepts]
    yield "shannon_surprise", {}, [-log(tail) for tail in tails]
    closed = [literal.concept_probability(table, c) for c in concepts]
    yield "concept_surprise", {}, [-log(p) if p else inf for p in closed]
    dual = table.dual()
    flipped = [oracle.Concept(c.intent, c.extent) for c in concepts]
    chances = [literal.concept_probability(dual, c) for c in flipped]
    yield "concept_probability", {"side": "extent"}, list(chances)


def faces(case: Case, alpha: Fraction) -> Iterator[Expected]:
    """What faces give: robustness, its bounds, Δ and its relatives."""
    table, concepts, stable = case.table, case.concepts, case.stabilities
    for side in SIDES:
        values = [literal.robustness(table, c, side, alpha) for c in concepts]
        yield "robustness", {"alpha": float(alpha), "side": side}, list(values)
        logs = [oracle.log_stability(s) for s in stable[side]]
        yield "log_stability", {"side": side}, list(logs)
        lengths = [oracle.side_of(table, c, side)[0].bit_count() for c in concepts]
        smallest = [
            min((face.bit_count() for face in family), default=length)
            for family, length in zip(case.faces[side], lengths, strict=True)
        ]
        yield "delta_measure", {"side": side}, list(smallest)
        shares = [Fraction(d, n or 1) for d, n in zip(smallest, lengths, strict=True)]
        yield "delta_relative", {"side": side}, list(shares)
        if side == "extent":
            closed = [literal.is_tolerance_closed(table, c, alpha) for c in concepts]
            yield "is_delta_tolerance_closed", {"delta": float(alpha)}, list(closed)
        for bound, method in product(("lower", "upper"), ("union", "fkg", "delta", "bonferroni")):
            if (bound == "lower") == (method in ("union", "fkg")):
                values = [face_bound(family, 1 - alpha, method) for family in case.faces[side]]
                params: Params = {"method": method, "side": side, "alpha": float(alpha)}
                yield f"stability_{bound}_bound", params, list(values)
        tightest = [
            min(face_bound(family, Fraction(1, 2), method) for method in ("delta", "bonferroni"))
            for family in case.faces[side]
        ]
        yield "stability_upper_bound", {"side": side}, list(tightest)
        least = [low_log(family, len(family)) for family in case.faces[side]]
        yield "stability_lower_bound", {"method": "covers", "side": side, "log": True}, list(least)
        size = table.q if side == "extent" else table.n
        least = [low_log(family, size) for family in case.faces[side]]
        params = {"method": "attributes", "side": side, "log": True}
        yield "stability_lower_bound", params, list(least)
        most = [min((f.bit_count() for f in family), default=inf) for family in case.faces[side]]
        yield "stability_upper_bound", {"method": "delta", "side": side, "log": True}, list(most)


def face_bound(family: set[int], lose: Fraction, method: str) -> Fraction:
    misses = [lose ** f.bit_count() for f in sorted(family)]
    if method == "delta":
        return 1 - max(misses, default=Fraction(0))
    if method == "fkg":
        bound = Fraction(1)
        for miss in misses:
            bound *= 1 - miss
        return bound
    pairs = [lose ** (f | g).bit_count() for f in family for g in family if f < g]
    return 1 - sum(misses, Fraction(0)) + (sum(pairs) if method == "bonferroni" else 0)


def low_log(family: set[int], many: int) -> float:
    return min((f.bit_count() for f in family), default=inf) - log2(many or 1)


def basic_level(case: Case, turn: int) -> Iterator[Expected]:
    """The catalogue's variant and one other, by turns."""
    table, concepts = case.table, case.concepts
    place = {c: i for i, c in enumerate(concepts)}

    def joined(values: list[oracle.Number], **options: object) -> list[oracle.Number]:
        return [
            literal.basic_level(
                values[i],
                [values[place[u]] for u in case.upper[i]],
                [values[place[low]] for low in case.lower[i]],
                **options,  # type: ignore[arg-type]
            )
            for i in range(len(concepts))
        ]

    others: list[dict[str, object]] = [
        {"aggregation": "worst"},
        {"norm": "min", "strict": True},
        {"norm": "lukasiewicz", "theta": Fraction(1, 3)},
        {"aggregation": "worst", "theta": 0.5, "strict": True},
    ]
    options: list[dict[str, object]] = [{}, others[turn % len(others)]]
    for kind, how in product(("jaccard", "smc"), ("avg", "min")):
        values = [literal.cohesion(table, c, kind, how) for c in concepts]
        yield f"cohesion_{how}", {"similarity": kind}, list(values)
        for option in options:
            params: Params = {"similarity": kind, "cohesion": how} | option
            yield "basic_level_similarity", params, joined(list(values), **option)
        if how == "avg":
            selves = [literal.cohesion(table, c, kind, how, include_self=True) for c in concepts]
            params = {"similarity": kind, "include_self": True}
            yield "cohesion_avg", params, list(selves)
            yield "basic_level_similarity", params, joined(list(selves))
    for entropy in ("one_sided", "binary"):
        predicted = [literal.predictability(table, c, entropy) for c in concepts]
        yield "predictability", {"entropy": entropy}, list(predicted)
        for option in options:
            params = {"entropy": entropy} | option
            yield "basic_level_predictability", params, joined(list(predicted), **option)


def labels_and_weights(case: Case, random: Random) -> Iterator[Expected]:
    table, concepts = case.table, case.concepts
    names = case.context.objects
    words = [random.choice(("low", "high", "none")) for _ in names]
    given: object = random.choice((words, np.array(words), dict(zip(names, words, strict=True))))
    entropies = [literal.entropy(words, c.extent) for c in concepts]
    yield "target_entropy", {"labels": given}, list(entropies)
    gains = [literal.information_gain(table, c, words) for c in concepts]
    yield "information_gain", {"labels": given}, list(gains)
    means = [
        literal.mean_gain(c, concepts, lambda d: literal.entropy(words, d.extent)) for c in concepts
    ]
    yield "mean_information_gain", {"labels": given}, list(means)
    target = [random.randint(-5, 5) for _ in names]
    variances = [literal.variance(target, c.extent) for c in concepts]
    yield "target_variance", {"labels": target}, list(variances)
    means = [
        literal.mean_gain(c, concepts, lambda d: literal.variance(target, d.extent))
        for c in concepts
    ]
    params: Params = {"labels": target, "target": "variance"}
    yield "mean_information_gain", params, list(means)
    marks = [random.random() < 0.5 for _ in names]
    positives = oracle.set_of(g for g, mark in enumerate(marks) if mark)
    for name in ("precision", "recall", "f1", "wracc"):
        values = [literal.confusion(table, c, positives)[name] for c in concepts]
        yield name, {"labels": marks}, list(values)
        if any(marks):
            yes = {n: "yes" if mark else "no" for n, mark in zip(names, marks, strict=True)}
            yield name, {"labels": yes, "positive": "yes"}, list(values)
    for side in SIDES:
        labels = case.names[side]
        weights = [Fraction(random.randint(-4, 9), 4) for _ in labels]
        numbers: object = [float(w) for w in weights]
        if random.random() < 0.5:
            numbers = dict(zip(labels, map(float, weights), strict=True))
        for agg in ("sum", "mean", "max", "min", "product", "owa"):
            values = [
                literal.aggregated(
                    [weights[i] for i in members(oracle.side_of(table, c, side)[0])], agg
                )
                for c in concepts
            ]
            yield f"weighted_{side}", {"weights": numbers, "agg": agg}, list(values)


def orders(case: Case) -> Iterator[Expected]:
    table, concepts = case.table, case.concepts
    yield "robustness_order", {}, list(literal.robustness_order(table, concepts))


def catalogue(case: Case, i: int) -> Iterator[Expected]:
    yield from sizes_and_chances(case)
    yield from faces(case, KEEPS[i % len(KEEPS)])
    yield from basic_level(case, i)
    yield from labels_and_weights(case, Random(i))


def test_sizes_and_chances(cases: list[Case]) -> None:
    for case in cases[::4]:
        for name, params, values in sizes_and_chances(case):
            assert_scores(case, case.lattice, name, params, values)


def test_what_faces_give(cases: list[Case]) -> None:
    for i, case in enumerate(cases[::4]):
        for name, params, values in faces(case, KEEPS[i % len(KEEPS)]):
            assert_scores(case, case.lattice, name, params, values)


def test_basic_level(cases: list[Case]) -> None:
    for i, case in enumerate(cases[::4]):
        for name, params, values in basic_level(case, i):
            assert_scores(case, case.lattice, name, params, values)


def test_labels_and_weights(cases: list[Case]) -> None:
    for i, case in enumerate(cases[::4]):
        for name, params, values in labels_and_weights(case, Random(i)):
            assert_scores(case, case.lattice, name, params, values)


def test_orders(cases: list[Case]) -> None:
    few = [case for case in cases if len(case.concepts) <= 20][:510]
    assert len(few) == 510
    for case in few:
        for name, params, values in orders(case):
            assert_scores(case, case.lattice, name, params, values)


def test_robustness_polynomials(cases: list[Case]) -> None:
    for case in cases[1::4]:
        for c, concept in zip(case.concepts, case.lattice, strict=True):
            expected = literal.robustness_polynomial(case.table, c)
            assert cr.measures.robustness_polynomial(concept) == expected, case
        dual = case.table.dual()
        for c, concept in zip(case.concepts[:3], case.lattice, strict=False):
            flipped = oracle.Concept(c.intent, c.extent)
            expected = literal.robustness_polynomial(dual, flipped)
            found = cr.measures.robustness_polynomial(concept, side="intent")
            assert found == expected, case


def test_expected_relevance() -> None:
    """Against the expectation over all sets of objects that can be kept."""
    small = [table for table in random_contexts(1400, seed=61) if table.n <= 5]
    assert len(small) > 500
    for i, table in enumerate(small):
        keep = KEEPS[i % len(KEEPS)]
        case = Case(table)
        expected, factors = zip(
            *(literal.kept_relevance(table, c, keep) for c in case.concepts), strict=True
        )
        params: Params = {"keep": float(keep)}
        assert_scores(case, case.lattice, "expected_relevance", params, expected)
        assert_scores(case, case.lattice, "relevance_factor", params, factors)
        dual = Case(table.dual())
        flipped = [oracle.Concept(c.intent, c.extent) for c in dual.concepts]
        place = {c: j for j, c in enumerate(case.concepts)}
        params["side"] = "extent"
        for name, values in (("expected_relevance", expected), ("relevance_factor", factors)):
            assert_scores(dual, dual.lattice, name, params, [values[place[c]] for c in flipped])


def test_keeping_everything_and_nothing(cases: list[Case]) -> None:
    for case in cases[::20]:
        q = case.table.q
        full = [int(c.intent.bit_count() == q) for c in case.concepts]
        assert_scores(case, case.lattice, "robustness", {"alpha": 0}, full)
        assert_scores(case, case.lattice, "robustness", {"alpha": 1}, [1] * len(full))
        alphas = case.alphas("intent")
        assert_scores(case, case.lattice, "expected_relevance", {"keep": 1}, alphas)
        assert_scores(case, case.lattice, "expected_relevance", {"keep": 0}, [0] * len(full))


def test_one_concept_without_a_lattice(cases: list[Case]) -> None:
    for i, case in enumerate(cases[::80]):
        concepts = [case.context.concept(*case.labels("intent", c.intent)) for c in case.concepts]
        for name, params, values in (*catalogue(case, i), *orders(case)):
            found = np.array([concept.score(name, **params) for concept in concepts])
            assert_close(case, f"{name} {params}", found, values)


def test_icebergs_and_lattices_cut_short(cases: list[Case]) -> None:
    random = Random(62)
    for i, case in enumerate(cases[::24]):
        if i % 2:
            limit = random.randint(1, case.table.n + 1)
            part = case.context.lattice(min_support=limit)
        else:
            limit = random.randint(1, len(case.concepts))
            part = case.context.lattice(budget=cr.Budget(concepts=limit))
        place = {case.pair(c): k for k, c in enumerate(case.concepts)}
        kept = [place[concept.extent, concept.intent] for concept in part]
        for name, params, values in (*catalogue(case, i), *orders(case)):
            assert_scores(case, part, name, params, [values[k] for k in kept])


@pytest.mark.parametrize("measures", [["separation"], ["bond", "stability"]])
def test_measures_of_the_mining_pass(cases: list[Case], measures: list[str]) -> None:
    for case in cases[::60]:
        lattice = case.context.lattice(measures=measures)
        for name in measures:
            assert lattice.score(name).tolist() == case.lattice.score(name).tolist(), case
