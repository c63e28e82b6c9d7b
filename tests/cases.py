"""One table as the library and as the definitions see it, and the comparison of the two."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import conceptrank as cr
import oracle
from oracle import Table, members
from strategies import SIDES, context_of

Labels = tuple[str, ...]
Params = dict[str, object]

isclose = partial(math.isclose, rel_tol=1e-12, abs_tol=1e-12)


class Case:
    """One table as the library sees it and as the definitions see it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.context = context_of(table)
        self.names = {"intent": self.context.attributes, "extent": self.context.objects}

    def __repr__(self) -> str:
        return repr(self.table)

    @cached_property
    def lattice(self) -> cr.Lattice:
        return self.context.lattice()

    @cached_property
    def concepts(self) -> list[oracle.Concept]:
        return self.table.concepts()

    @cached_property
    def upper(self) -> list[list[oracle.Concept]]:
        return [oracle.upper_covers(c, self.concepts) for c in self.concepts]

    @cached_property
    def lower(self) -> list[list[oracle.Concept]]:
        return [oracle.lower_covers(c, self.concepts) for c in self.concepts]

    @cached_property
    def faces(self) -> dict[str, list[set[int]]]:
        return {
            "intent": [oracle.intent_faces(c, self.concepts) for c in self.concepts],
            "extent": [oracle.extent_faces(c, self.concepts) for c in self.concepts],
        }

    @cached_property
    def generators(self) -> dict[str, list[set[int]]]:
        return {
            side: [oracle.minimal_generators(self.table, c, side) for c in self.concepts]
            for side in SIDES
        }

    @cached_property
    def stabilities(self) -> dict[str, list[Fraction]]:
        """Of all concepts, by the side whose subsets are looked at."""
        return {
            side: [oracle.stability(self.table, c, side) for c in self.concepts] for side in SIDES
        }

    def alphas(self, side: str) -> list[Fraction]:
        return [oracle.cr_alpha(self.table, c, side) for c in self.concepts]

    def betas(self, side: str, variant: str = "paper") -> list[oracle.Number]:
        return [
            oracle.cr_beta(
                len(generators),
                oracle.side_of(self.table, c, side)[0].bit_count(),
                oracle.relevant(self.table, c, side).bit_count(),
                variant,
            )
            for c, generators in zip(self.concepts, self.generators[side], strict=True)
        ]

    def labels(self, side: str, elements: int) -> Labels:
        return tuple(self.names[side][i] for i in members(elements))

    def ordered(self, side: str, family: Iterable[int]) -> tuple[Labels, ...]:
        """A family as the library lists faces and generators: by size, then in table order."""
        in_order = sorted(family, key=lambda s: (s.bit_count(), members(s)))
        return tuple(self.labels(side, s) for s in in_order)

    def pair(self, c: oracle.Concept) -> tuple[Labels, Labels]:
        return self.labels("extent", c.extent), self.labels("intent", c.intent)


def assert_scores(
    case: Case, lattice: cr.Lattice, name: str, params: Params, expected: Iterable[oracle.Number]
) -> None:
    found = lattice.score(name, **params)
    assert found.dtype == np.float64
    assert_close(case, f"{name} {params}", found, expected)
    assert lattice.exact(name, **params).all(), (name, params, case)


def assert_close(
    case: Case, what: str, found: NDArray[np.float64], expected: Iterable[oracle.Number]
) -> None:
    """Equal to 1e-12, relative or absolute; infinities must agree, and nothing may be NaN."""
    values = [float(x) for x in expected]
    assert len(found) == len(values), (what, case)
    assert all(map(isclose, found.tolist(), values)), (what, case, found.tolist(), values)


def places(lists: tuple[NDArray[np.int64], NDArray[np.uint32]]) -> list[list[int]]:
    """Compressed lists, written out."""
    offsets, values = lists
    return [values[begin:end].tolist() for begin, end in pairwise(offsets)]


def check_structure(case: Case, i: int, concept: cr.Concept) -> None:
    """Everything a concept tells about itself, apart from its scores."""
    c = case.concepts[i]
    assert tuple(concept) == case.pair(c), case
    assert concept.support == c.extent.bit_count()
    assert concept.intent_faces == case.ordered("intent", case.faces["intent"][i]), case
    assert concept.extent_faces == case.ordered("extent", case.faces["extent"][i]), case
    generators = concept.minimal_generators
    assert generators == case.ordered("intent", case.generators["intent"][i]), case
    generators = concept.object_generators
    assert generators == case.ordered("extent", case.generators["extent"][i]), case
    relevant = oracle.relevant(case.table, c, "intent")
    assert concept.relevant_attributes == case.labels("intent", relevant), case


def check_scores(case: Case, lattice: cr.Lattice, kept: list[int] | None = None) -> None:
    """All scores of a lattice that holds these of the table's concepts, or all of them."""

    def check(name: str, values: Iterable[oracle.Number], **params: object) -> None:
        values = list(values)
        if kept is not None:
            values = [values[i] for i in kept]
        assert_scores(case, lattice, name, params, values)

    table, concepts = case.table, case.concepts
    check("support", (c.extent.bit_count() for c in concepts))
    check("frequency", (oracle.frequency(table, c) for c in concepts))
    check("intent_size", (c.intent.bit_count() for c in concepts))
    check("stability_intensional", case.stabilities["extent"])
    check("stability_extensional", case.stabilities["intent"])
    check("log_stability", map(oracle.log_stability, case.stabilities["extent"]))
    check("delta_measure", (oracle.delta(table, c, concepts) for c in concepts))
    for side in SIDES:
        alphas, betas = case.alphas(side), case.betas(side)
        check("cr_alpha", alphas, side=side)
        check("cr_beta", betas, side=side)
        both = zip(alphas, betas, strict=True)
        check("conceptual_relevance", ((a + b) / 2 for a, b in both), side=side)
