"""Short options for scales: `age=quantiles:4`, `sex=nominal`, `born=year:ordinal:1980,2000`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from conceptrank.convert.origin import Value
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io.text import refuse_surrogates
from conceptrank.scaling.column import PARTS
from conceptrank.scaling.plan import ColumnPlan
from conceptrank.scaling.scale import SCALES, from_settings

_LISTS = ("values", "levels", "edges")


def parse_option(text: str, columns: Iterable[str] = ()) -> tuple[str, ColumnPlan]:
    """Return a column and its choice, from a short text `COLUMN=SCALE`.

    Parameters
    ----------
    text
        `COLUMN=SCALE`, as described in `parse_choice`.
    columns
        The columns that there are, if they are known: names may then hold the sign `=`.

    Examples
    --------
    >>> column, choice = parse_option("age=quantiles:4")
    >>> column, choice.scale
    ('age', Quantiles(count=4))
    """
    known = [name for name in columns if text.startswith(f"{name}=")]
    column = max(known, key=len) if known else text.partition("=")[0].strip()
    choice = text[len(column) + 1 :] if known else text.partition("=")[2]
    if not column or not choice:
        raise FormatError(
            f"{text!r} is not of the form COLUMN=SCALE",
            hint="such as age=quantiles:4 or sex=nominal",
        )
    return column, parse_choice(choice, where=f"column {column!r}")


def parse_choice(text: str, *, where: str | None = None) -> ColumnPlan:
    """Return the choice for a column, from a short text.

    Parameters
    ----------
    text
        `[PART:]SCALE[:VALUES][:KEY=VALUE]…` or `drop`. The part of a date is one of year,
        quarter, month, weekday, day, hour; alone, it is taken as nominal. Values have commas
        between them. Keys are those of the scale (`quantiles`, `closed`, `bounded`, `center`),
        `missing` and, as the last one, `date_format`.
    where
        What it is for, for messages.

    Examples
    --------
    >>> parse_choice("ordinal:quantiles=4:missing=value").scale
    Ordinal(levels=None, quantiles=4)
    >>> parse_choice("intervals:18,30,65").scale
    Intervals(edges=(18, 30, 65), closed='left', bounded=False)
    >>> print(parse_choice("weekday"), parse_choice("drop"))
    weekday:nominal drop
    """
    refuse_surrogates(text, where or "scale")
    # A date format is the last key, since it may hold colons.
    text, dated, date_format = text.partition(":date_format=")
    words = [word.strip() for word in text.split(":")]
    if words == ["drop"]:
        return ColumnPlan(scale=None, because="by request")
    part = words.pop(0) if words[0] in PARTS else None
    named = words and "=" not in words[0]
    name = (words.pop(0) if named else "nominal").replace("-", "_").lower()
    if name not in SCALES:
        raise UnknownNameError("scale", name, [*SCALES, "drop"], where=where)
    known = [field.name for field in fields(SCALES[name])]
    settings: dict[str, Any] = {}
    choice = {"date_format": date_format} if dated else {}
    for word in words:
        key, sign, value = word.partition("=")
        if sign and key.strip() == "missing":
            choice["missing"] = value.strip()
        elif sign and key.strip() in known and key.strip() not in settings:
            settings[key.strip()] = _setting(key.strip(), value)
        elif known and known[0] not in settings:
            settings[known[0]] = _setting(known[0], word)
        else:
            raise FormatError(
                f"{where + ': ' if where else ''}can't read {word!r} of {text!r}",
                hint=f"scale {name} has {', '.join(known)}",
            )
    return ColumnPlan(scale=from_settings(name, settings, where=where), part=part, **choice)


def _setting(key: str, text: str) -> Any:
    if key in _LISTS:
        return [_value(word) for word in text.split(",")]
    if key == "bounded" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    return _value(text)


def _value(text: str) -> Value:
    """Return the number or date that a word is, if it would be written in the same way."""
    text = text.strip()
    for read in (int, float, dt.date.fromisoformat):
        try:
            value: Any = read(text)
        except ValueError:
            continue
        if str(value) == text and text not in ("nan", "inf", "-inf"):
            found: Value = value
            return found
    return text
