"""Plans as TOML files, written to be read and edited by people."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from conceptrank.errors import FormatError, UnknownNameError, naming, refuse_unknown
from conceptrank.io.sources import MissingFileError, read_bytes, write_bytes
from conceptrank.scaling.plan import ColumnPlan, Plan
from conceptrank.scaling.scale import from_settings

VERSION = 1

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOP = ("version", "objects", "missing", "weights", "table", "columns")
_MOST_BYTES = 1 << 26


def save(plan: Plan, path: str | os.PathLike[str]) -> None:
    """Write a plan to a file."""
    write_bytes(os.fsdecode(path), dumps(plan).encode())


def load(path: str | os.PathLike[str]) -> Plan:
    """Return the plan in a file."""
    name = os.fsdecode(path)
    if not os.path.lexists(name):
        raise MissingFileError(name, hint="a plan is written by Plan.save")
    data, source = read_bytes(path, max_bytes=_MOST_BYTES)
    with naming(source):
        try:
            return loads(data.decode())
        except UnicodeDecodeError:
            raise FormatError("is not UTF-8 text") from None


def dumps(plan: Plan) -> str:
    """Return a plan as TOML.

    Examples
    --------
    >>> print(dumps(Plan({"age": "quantiles:4", "first name": "drop"}, objects="id")))
    # How every column of a table is scaled.
    version = 1
    objects = "id"
    missing = "no_cross"
    <BLANKLINE>
    [columns.age]
    scale = "quantiles"
    count = 4
    <BLANKLINE>
    [columns."first name"]
    scale = "drop"
    because = "by request"
    <BLANKLINE>
    """
    lines = ["# How every column of a table is scaled.", f"version = {VERSION}"]
    if plan.objects is not None:
        lines.append(f"objects = {_value(plan.objects)}")
    if plan.weights is not None:
        lines.append(f"weights = {_value(plan.weights)}")
    lines.append(f"missing = {_value(plan.missing)}")
    if plan.table:
        lines += ["", "[table]", *_settings(plan.table)]
    for column, choice in plan.columns.items():
        lines += ["", f"[columns.{_key(column)}]", *_settings(_table_of(choice))]
    return "\n".join([*lines, ""])


def loads(text: str) -> Plan:
    """Return the plan that a TOML text holds.

    Raises
    ------
    FormatError
        If the text is not a plan.

    Examples
    --------
    >>> loads('[columns.age]' + chr(10) + 'scale = "quantiles"').columns
    Traceback (most recent call last):
    conceptrank.errors.FormatError: column 'age': scale quantiles needs count
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _LINE.search(str(error))
        line = int(place[1]) if place else None
        raise FormatError(f"no TOML: {_LINE.sub('', str(error))}", line=line) from None
    except (ValueError, RecursionError) as error:
        # A number with thousands of digits, or very deeply nested lists.
        raise FormatError(f"no TOML: {error}") from None
    try:
        return _plan(content)
    except UnknownNameError as error:
        raise FormatError(str(error)) from None


def _plan(content: Mapping[str, Any]) -> Plan:
    refuse_unknown("key", content, _TOP, where="the plan")
    if content.get("version", VERSION) != VERSION:
        raise FormatError(
            f"is a plan of version {content['version']!r}, this program knows {VERSION}"
        )
    words = dict.fromkeys(("objects", "missing", "weights"), str)
    for key, kind in {"table": dict, "columns": dict, **words}.items():
        if not isinstance(content.get(key, kind()), kind):
            raise FormatError(f"{key} is {content[key]!r}, expected a {kind.__name__}")
    columns = {
        column: _choice(column, settings) for column, settings in content.get("columns", {}).items()
    }
    return Plan(
        columns,
        objects=content.get("objects"),
        missing=content.get("missing", "no_cross"),
        weights=content.get("weights"),
        table=content.get("table"),
    )


def _choice(column: str, settings: object) -> ColumnPlan:
    where = f"column {column!r}"
    if not isinstance(settings, dict) or not isinstance(settings.get("scale"), str):
        raise FormatError(f"{where} needs a scale", hint='such as scale = "nominal"')
    own = dict(settings)
    choice = {
        key: own.pop(key) for key in ("missing", "part", "date_format", "because") if key in own
    }
    for key, value in choice.items():
        if not isinstance(value, str):
            raise FormatError(f"{where}: {key} is {value!r}, expected text")
    name = own.pop("scale")
    try:
        if name == "drop":
            return ColumnPlan(scale=None, because=choice.get("because", ""))
        return ColumnPlan(scale=from_settings(name, own, where=where), **choice)
    except UnknownNameError as error:
        text = str(error)
        raise FormatError(text if where in text else f"{where}: {text}") from None


def _table_of(choice: ColumnPlan) -> dict[str, Any]:
    table: dict[str, Any] = {"scale": "drop" if choice.scale is None else choice.scale.name}
    if choice.scale is not None:
        table |= choice.scale.settings()
    for key in ("missing", "part", "date_format", "because"):
        if getattr(choice, key):
            table[key] = getattr(choice, key)
    return table


def _settings(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items()]


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if _SURROGATE.search(str(value)):
        raise FormatError("a name holds half a character, which no text file can hold")
    # JSON strings are TOML strings, except for one control character.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
