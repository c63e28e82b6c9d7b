"""What a page must answer, computed from the lattice in the most literal way."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from conceptrank.lattice import Lattice


@dataclass
class Query:
    """A selection of concepts and their order, as the page has it."""

    sort: str
    descending: bool
    search: str = ""
    limits: dict[str, list[float | None]] = field(default_factory=dict)
    then: list[list[Any]] = field(default_factory=list)


class LiteralPage:
    """Answers by loops over all concepts."""

    def __init__(self, lattice: Lattice, measures: list[str]) -> None:
        self.lattice = lattice
        self.scores = {name: lattice.score(name).tolist() for name in measures}
        self.intents = [set(concept.intent_numbers.tolist()) for concept in lattice]
        self.extents = [set(concept.extent) for concept in lattice]

    def _holds(self, query: Query, i: int) -> bool:
        for key, (low, high) in query.limits.items():
            score = self.scores[key][i]
            if (low is not None and not score >= low) or (high is not None and not score <= high):
                return False
        for minus, side, word in re.findall(r'(-?)(?:(\w+):)?"?([^\s"]+)"?', query.search):
            names = [] if side == "object" else self.lattice[i].intent
            names = [*names, *(() if side == "attribute" else self.extents[i])]
            exact = f'"{word}"' in query.search
            if any(name == word if exact else word in name for name in names) == bool(minus):
                return False
        return True

    def order(self, query: Query) -> list[int]:
        """The concepts of the table, in its order."""

        def key(i: int) -> list[float]:
            keys = [[query.sort, query.descending], *query.then]
            return [-self.scores[name][i] if down else self.scores[name][i] for name, down in keys]

        return sorted((i for i in range(len(self.lattice)) if self._holds(query, i)), key=key)

    def part(self, query: Query, view: str, concept: int, most: int) -> list[int]:
        """The concepts of a diagram."""
        n = len(self.lattice)
        if view == "top":
            return sorted(self.order(query)[:most])
        if view == "iceberg":
            supports = self.lattice.supports.tolist()
            return max(
                (
                    [i for i in range(n) if supports[i] >= least]
                    for least in set(supports)
                    if sum(support >= least for support in supports) <= most
                ),
                key=len,
            )
        own = self.intents[concept]
        if view == "below":
            return [i for i in range(n) if own <= self.intents[i]][:most]
        if view == "above":
            return sorted([i for i in range(n) if self.intents[i] <= own][::-1][:most])
        place = {
            i: k
            for k, i in enumerate(self.order(Query(query.sort, query.descending, then=query.then)))
        }
        upper, lower = self.covers(concept)
        sides = [sorted(side, key=lambda i: place[i])[:12] for side in (upper, lower)]
        return sorted([concept, *sides[0], *sides[1]])

    def covers(self, concept: int) -> tuple[list[int], list[int]]:
        """The upper and the lower covers of a concept."""
        one = self.lattice[concept]
        find = self.lattice.find
        return tuple(
            [find(each.intent_numbers, each.support) for each in side]
            for side in (one.upper_covers, one.lower_covers)
        )

    def edges(self, places: list[int]) -> set[tuple[int, int]]:
        """The covers among some concepts, as pairs of places."""
        pairs = {
            (a, b)
            for a, i in enumerate(places)
            for b, j in enumerate(places)
            if self.intents[i] < self.intents[j]
        }
        return {
            (a, b)
            for a, b in pairs
            if not any((a, c) in pairs and (c, b) in pairs for c in range(len(places)))
        }

    def finite(self, query: Query, x: str, y: str) -> list[tuple[int, float, float]]:
        """The points of a plot."""
        points = [(i, self.scores[x][i], self.scores[y][i]) for i in self.order(query)]
        return [point for point in points if all(map(math.isfinite, point))]
