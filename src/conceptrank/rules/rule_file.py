"""Files of rules: those that `Rules.save` and the commands write, read back."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank.errors import FormatError
from conceptrank.io.sources import MissingFileError
from conceptrank.rules.applied import Applied
from conceptrank.rules.implications import Implications

__all__ = ["RuleFile", "load"]

_SUFFIXES = (".json", ".jsonl", ".ndjson", ".csv", ".parquet", ".pq")


@dataclass(frozen=True)
class RuleFile:
    """Rules that were read from a file.

    Parameters
    ----------
    implications
        Premises and conclusions; the attributes are those that occur in them.
    confidences
        The confidence of each rule; 1 where the file has none.
    """

    implications: Implications
    confidences: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.implications)

    def at_least(self, confidence: float) -> RuleFile:
        """Return the rules of at least this confidence."""
        kept = np.flatnonzero(self.confidences >= confidence)
        rules = [self.implications[place] for place in kept.tolist()]
        chosen = Implications(self.implications.attributes, rules)
        return RuleFile(chosen, self.confidences[kept])

    def apply(self, rows: object, *, absent: str = "error", threads: int = 0) -> Applied:
        """Apply the rules to rows, as `Implications.apply` does."""
        applied = self.implications.apply(rows, absent=absent, threads=threads)
        applied.expected = self.confidences
        return applied


def load(path: str | os.PathLike[str]) -> RuleFile:
    """Return the rules of a JSON, JSON lines, CSV or Parquet file.

    A rule has a `premise` and a `conclusion`, lists of attribute names, and may have a
    `confidence`. In CSV, names are separated by "; ".

    Raises
    ------
    FormatError
        If the file holds no rules; the message names the rule.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> rules = cr.datasets.load("movies").lattice().rules("generic", min_support=3)
    >>> with TemporaryDirectory() as directory:
    ...     rules.save(directory + "/rules.json")
    ...     load(directory + "/rules.json").implications
    2 implications between 3 attributes
    {adventure, drama} → {criminal}
    {criminal, drama} → {adventure}
    """
    file = Path(path)
    source = os.fspath(path)
    if file.suffix.lower() not in _SUFFIXES:
        raise FormatError(
            f"the suffix {file.suffix!r} doesn't tell the format of the rules",
            source=source,
            hint=f"one of {', '.join(_SUFFIXES)}",
        )
    if not file.exists():
        raise MissingFileError(source, hint="`conceptrank rules DATA --out rules.json` writes one")
    try:
        records = list(_records(file))
    except (ValueError, UnicodeDecodeError) as error:
        raise FormatError(f"can't be read: {error}", source=source) from None
    rules, confidences = [], []
    for number, record in enumerate(records, 1):
        try:
            sides = [_names(record[side]) for side in ("premise", "conclusion")]
            confidence = record.get("confidence")
            confidences.append(1.0 if confidence is None else float(confidence))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise FormatError(
                f"rule {number} needs a premise and a conclusion, lists of names",
                source=source,
                hint="files of `Rules.save` and `conceptrank rules --out` have them",
            ) from None
        rules.append((sides[0], sides[1]))
    names = {name for rule in rules for side in rule for name in side}
    return RuleFile(Implications(sorted(names), rules), np.array(confidences, dtype=np.float64))


def _records(file: Path) -> Iterable[Mapping[str, Any]]:
    import polars as pl

    suffix = file.suffix.lower()
    if suffix == ".json":
        found: Any = json.loads(file.read_text(encoding="utf-8-sig"))
        listed: list[Mapping[str, Any]] = found
        return found.get("implications", []) if isinstance(found, dict) else listed
    try:
        if suffix == ".csv":
            return pl.read_csv(file, infer_schema=False).fill_null("").to_dicts()
        read = pl.read_parquet if suffix in (".parquet", ".pq") else pl.read_ndjson
        return read(file).to_dicts()
    except pl.exceptions.PolarsError as error:
        raise ValueError(str(error)) from None


def _names(value: object) -> list[str]:
    if isinstance(value, str):
        # A cell of a CSV file; an empty one is an empty set.
        return next(csv.reader([value], delimiter=";", skipinitialspace=True)) if value else []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise TypeError("not a list of names")
    return value
