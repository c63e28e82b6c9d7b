"""Everything that `conceptrank show` says about a concept, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from conceptrank.concept import Concept
from conceptrank.errors import BudgetExceeded, MeasureError
from conceptrank.measures import registry


@dataclass(frozen=True)
class Neighbour:
    """A cover: what it lacks or has more than the concept, its intent, and its support."""

    difference: tuple[str, ...]
    intent: tuple[str, ...]
    support: int


@dataclass(frozen=True)
class Score:
    """A score: its value, whether it is exact, and what it means."""

    name: str
    value: float
    exact: bool
    meaning: str


@dataclass(frozen=True)
class Facts:
    """A concept with its neighbours, generators and scores.

    `given` is what it was asked for by, and `added` what the closure added to that.
    `minimal_generators` is None if there are too many to list.
    """

    by: Literal["attributes", "objects"]
    given: tuple[str, ...]
    added: tuple[str, ...]
    intent: tuple[str, ...]
    extent: tuple[str, ...]
    relevant_attributes: tuple[str, ...]
    upper_covers: tuple[Neighbour, ...]
    lower_covers: tuple[Neighbour, ...]
    minimal_generators: tuple[tuple[str, ...], ...] | None
    scores: tuple[Score, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; a score that is not finite becomes null."""
        return {
            "by": self.by,
            "given": self.given,
            "added": self.added,
            "intent": self.intent,
            "extent": self.extent,
            "support": len(self.extent),
            "relevant_attributes": self.relevant_attributes,
            "upper_covers": [
                {"without": each.difference, "intent": each.intent, "support": each.support}
                for each in self.upper_covers
            ],
            "lower_covers": [
                {"with": each.difference, "intent": each.intent, "support": each.support}
                for each in self.lower_covers
            ],
            "minimal_generators": self.minimal_generators,
            "scores": {
                each.name: each.value if isfinite(each.value) else None for each in self.scores
            },
            "inexact": [each.name for each in self.scores if not each.exact],
        }

    def score(self, name: str) -> Score:
        """Return a score."""
        return next(score for score in self.scores if score.name == name)


def facts_of(concept: Concept, *, given: list[str], by: Literal["attributes", "objects"]) -> Facts:
    """Return everything about a concept.

    Examples
    --------
    >>> import conceptrank as cr
    >>> concept = cr.datasets.load("movies").concept("criminal", "drama")
    >>> facts = facts_of(concept, given=["criminal", "drama"], by="attributes")
    >>> facts.added, facts.upper_covers[0].difference, facts.score("cr_alpha").value
    (('adventure',), ('drama',), 0.3333333333333333)
    """
    extent, intent = concept
    whole = intent if by == "attributes" else extent
    known = set(given)
    try:
        generators = concept.minimal_generators
    except BudgetExceeded:
        generators = None
    return Facts(
        by=by,
        given=tuple(given),
        added=tuple(name for name in whole if name not in known),
        intent=intent,
        extent=extent,
        relevant_attributes=concept.relevant_attributes,
        upper_covers=tuple(
            Neighbour(_without(intent, cover.intent), cover.intent, cover.support)
            for cover in concept.upper_covers
        ),
        lower_covers=tuple(
            Neighbour(_without(cover.intent, intent), cover.intent, cover.support)
            for cover in concept.lower_covers
        ),
        minimal_generators=generators,
        scores=tuple(_scores(concept)),
    )


def _without(larger: tuple[str, ...], smaller: tuple[str, ...]) -> tuple[str, ...]:
    known = set(smaller)
    return tuple(name for name in larger if name not in known)


def _scores(concept: Concept) -> list[Score]:
    scores = []
    for name in registry.available().get_column("name"):
        measure = registry.get(name)
        if measure.builtin and measure.needs == "lattice":
            # One concept is to be shown at once, however many there are.
            continue
        try:
            value, exact = concept.score(name), concept.exact(name)
        except (MeasureError, BudgetExceeded):
            # It needs an argument, such as labels, that nobody gave, or too many other concepts.
            continue
        scores.append(Score(name, value, exact, measure.summary))
    return scores
