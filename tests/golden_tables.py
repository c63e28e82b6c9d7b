"""The golden contexts: every concept of two small tables, valued by definition."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from oracle import Concept, Table, set_of
from strategies import drawn

FOLDER = Path(__file__).parent / "golden"
NAMES = ("t5", "movies")
SIDES = ("intent", "extent")

Labels = tuple[str, ...]


@dataclass(frozen=True)
class GoldenConcept:
    """One row of a golden table.

    `generators` has the number of minimal generators where the table abbreviates their list.
    `catalogue` holds the decimals and fractions of the second table as they are written there.
    """

    extent: Labels
    intent: Labels
    faces: dict[str, frozenset[Labels]]
    generators: dict[str, frozenset[Labels] | int]
    scores: dict[str, Fraction]
    relevance: dict[str, dict[str, Fraction]]
    catalogue: dict[str, str]


@dataclass(frozen=True)
class Golden:
    """One golden context with its concepts."""

    name: str
    objects: Labels
    attributes: Labels
    table: Table
    concepts: tuple[GoldenConcept, ...]

    def bits(self, concept: GoldenConcept) -> Concept:
        """The concept as the oracle writes it."""
        return Concept(
            set_of(map(self.objects.index, concept.extent)),
            set_of(map(self.attributes.index, concept.intent)),
        )


def stated(cell: str) -> tuple[float, float]:
    """What a cell says, and how far the truth can be from it: decimals are rounded."""
    _, point, decimals = cell.partition(".")
    return float(Fraction(cell)), 0.5000001 * 10.0 ** -len(decimals) if point else 1e-12


def family(value: list[list[str]] | int) -> frozenset[Labels] | int:
    return value if isinstance(value, int) else frozenset(map(tuple, value))


def fractions(values: dict[str, str]) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in values.items()}


def concept(row: dict[str, Any]) -> GoldenConcept:
    return GoldenConcept(
        extent=tuple(row["extent"]),
        intent=tuple(row["intent"]),
        faces={side: frozenset(map(tuple, row[f"{side}_faces"])) for side in SIDES},
        generators={side: family(row[f"{side}_generators"]) for side in SIDES},
        scores=fractions(row["scores"]),
        relevance={side: fractions(row[f"{side}_side"]) for side in SIDES},
        catalogue=row["catalogue"],
    )


def load(name: str) -> Golden:
    data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return Golden(
        name=data["name"],
        objects=tuple(data["objects"]),
        attributes=tuple(data["attributes"]),
        table=drawn(" ".join(data["rows"])),
        concepts=tuple(map(concept, data["concepts"])),
    )
