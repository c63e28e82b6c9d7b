"""What users know about objects and attributes: labels in the table, weights typed or in a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from conceptrank.cli import _measures
from conceptrank.cli._guard import WrongUseError
from conceptrank.cli._input import Loaded
from conceptrank.context import Context
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, split


def weights(text: str) -> dict[str, float]:
    """Return weights that are typed as `drama=2,comedy=0.5`, or those in a file.

    Examples
    --------
    >>> weights("drama=2, comedy=0.5")
    {'drama': 2.0, 'comedy': 0.5}
    """
    if os.path.isfile(text):
        return _from_file(text)
    parts = [part.rpartition("=") for part in text.split(",")]
    if not all(sign for _, sign, _ in parts):
        raise WrongUseError(
            f"--weights {text}: neither a file nor weights (hint: write them as drama=2,comedy=0.5)"
        )
    return {name.strip(): _number(given, name.strip(), None) for name, _, given in parts}


class Given:
    """Labels and weights, which measures get when the table has been read.

    Parameters
    ----------
    label
        The attribute or column that holds the labels.
    weights
        Weights, typed or the name of a file.
    """

    def __init__(self, label: str | None, weights_text: str | None) -> None:
        self.label = label
        self._weights = None if weights_text is None else weights(weights_text)

    @property
    def params(self) -> list[str]:
        """The parameters of measures that they become."""
        known = {"labels": self.label, "weights": self._weights}
        return [name for name, value in known.items() if value is not None]

    def of(self, loaded: Loaded, measures: Sequence[MeasureLike]) -> dict[str, Any]:
        """Return the parameters with their values for a table."""
        known: dict[str, Any] = {}
        if self.label is not None:
            known["labels"] = loaded.labels
        if self._weights is not None:
            known["weights"] = _of_all(self._weights, loaded.context, measures)
        return known


def _of_all(
    known: Mapping[str, float], context: Context, measures: Sequence[MeasureLike]
) -> list[float]:
    """Return a weight for each element of the side that the measures look at; 1 if none is given.

    Raises
    ------
    UnknownNameError
        If there is no such attribute, or object.
    """
    asking = [registry.get(split(each)[0]) for each in measures]
    sides = {each.side for each in asking if "weights" in each.params}
    if len(sides) > 1:
        raise WrongUseError("--weights are those of attributes or of objects: ask for one measure")
    of_objects = "extent" in sides
    names = context.objects if of_objects else context.attributes
    there = set(names)
    for name in known:
        if name not in there:
            kind = "object" if of_objects else "attribute"
            raise UnknownNameError(kind, name, names, where="--weights")
    return [known.get(name, 1.0) for name in names]


def _from_file(path: str) -> dict[str, float]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8 text", source=path) from None
    if path.lower().endswith(".toml"):
        import tomllib

        try:
            content: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise FormatError(f"no TOML: {error}", source=path) from None
        return {name: _number(given, name, path) for name, given in content.items()}
    import csv

    found: dict[str, float] = {}
    for number, row in enumerate(csv.reader(text.splitlines()), start=1):
        if not row or (number == 1 and len(row) == 2 and not _is_number(row[1])):
            continue  # An empty line, or the titles of the columns.
        if len(row) != 2 or not _is_number(row[1]):
            raise FormatError(
                "a name and a number are wanted", source=path, line=number, hint="as drama,2"
            )
        found[row[0]] = float(row[1])
    return found


def _is_number(text: str) -> bool:
    given = _measures.value(text)
    return isinstance(given, int | float) and isfinite(given)


def _number(given: object, name: str, path: str | None) -> float:
    given = _measures.value(given) if isinstance(given, str) else given
    if isinstance(given, int | float) and isfinite(given):
        return float(given)
    reason = f"the weight of {name!r} is no number: {given!r}"
    if path is None:
        raise WrongUseError(f"--weights: {reason}")
    raise FormatError(reason, source=path)
