"""JSON documents whose parts know their line: what the three dialects share."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from conceptrank.errors import FormatError
from conceptrank.io.text import decode, first_repeat, line_at, shown

__all__ = ["Document", "dumps"]

_SPACE = re.compile(r"[ \t\n\r]*")
_ODD_NUMBER = re.compile(r'"(?:[^"\\]++|\\.)*+"|(-?Infinity|NaN|[0-9]{1000,})')
_SURROGATE = re.compile("[\ud800-\udfff]")

Path = tuple[str | int, ...]


class _Repeated(dict[str, Any]):
    """An object in which a key is there twice."""

    key = ""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    repeated = _Repeated(members)
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            repeated.key = key
            break
        seen.add(key)
    return repeated


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_no_constant)


def dumps(value: object) -> bytes:
    """Return a value as JSON, letters as they are.

    Examples
    --------
    >>> dumps({"objects": ["Käse"]}).decode()
    '{"objects": ["Käse"]}'
    """
    return json.dumps(value, ensure_ascii=False).encode()


class Document:
    r"""A JSON document.

    Parameters
    ----------
    data
        The content of a file.
    source
        Its name, for messages.

    Raises
    ------
    FormatError
        If it is not JSON.

    Examples
    --------
    >>> document = Document(b'{"objects":\n ["cat", 7],\n "n": {}}', "pets.json")
    >>> document.names("objects")
    ['cat', '7']
    >>> document.refuse("what is this", "n")
    Traceback (most recent call last):
    conceptrank.errors.FormatError: pets.json, line 3: n: what is this
    """

    layout = ""
    """What the dialect looks like, as a hint."""

    def __init__(self, data: bytes, source: str | None) -> None:
        self.source = source
        self._text = decode(data, source)
        try:
            start = _SPACE.match(self._text)
            self.value, end = _DECODER.raw_decode(self._text, start.end() if start else 0)
        except json.JSONDecodeError as error:
            raise FormatError(
                "the file is empty" if not self._text.strip() else f"not JSON: {error.msg}",
                source=source,
                line=error.lineno,
                hint="is the file whole?",
            ) from None
        except RecursionError:
            raise FormatError(
                "lists inside each other, far too deep",
                source=source,
                line=1,
                hint="is it the right file?",
            ) from None
        except ValueError as error:
            raise self._bad_number() from error
        rest = _SPACE.match(self._text, end)
        if rest and rest.end() < len(self._text):
            raise FormatError(
                f"found {shown(self._text[rest.end() : rest.end() + 20])} after the end",
                source=source,
                line=self._text.count("\n", 0, rest.end()) + 1,
                hint="one value a file",
            )

    def _bad_number(self) -> FormatError:
        """Return the error for NaN, or for a number too long for Python; find where it stands."""
        words = (match for match in _ODD_NUMBER.finditer(self._text) if match[1])
        match = next(words, None)
        return FormatError(
            f"not JSON: {shown(match[1]) if match else 'a number'} is no number",
            source=self.source,
            line=self._text.count("\n", 0, match.start() if match else 0) + 1,
            hint="attributes are counted from 0",
        )

    def refuse(self, reason: str, *path: str | int, hint: str | None = None) -> NoReturn:
        """Raise an error for the part at a path of keys and places."""
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        raise FormatError(
            f"{where.removeprefix('.')}: {reason}" if where else reason,
            source=self.source,
            line=line_at(self._text.encode(), len(self._text[: self._find(path)].encode())),
            hint=hint or self.layout,
        )

    def at(self, *path: str | int) -> Any:
        """Return the part at a path; refuse a path that isn't there."""
        value = self.value
        for depth, step in enumerate(path):
            above = path[:depth]
            if isinstance(step, int):
                value = self.of(value, list, "a list", *above)
                if step >= len(value):
                    self.refuse(f"has {len(value)} parts, expected more", *above)
                value = value[step]
            else:
                value = self.of(value, dict, "an object", *above)
                if isinstance(value, _Repeated):
                    self.refuse(f"the key {value.key!r} is there twice", *above)
                if step not in value:
                    self.refuse(f"there is no {step!r}", *above, hint=_keys(value))
                value = value[step]
        return value

    def list_at(self, *path: str | int) -> list[Any]:
        """Return the list at a path; refuse anything else there."""
        found: list[Any] = self.of(self.at(*path), list, "a list", *path)
        return found

    def of(self, value: Any, kind: type, word: str, *path: str | int) -> Any:
        """Return a value if it is of a kind; refuse it otherwise."""
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.refuse(f"found {shown(json.dumps(value, default=str))}, expected {word}", *path)
        return value

    def names(self, *path: str | int) -> list[str]:
        """Return the list of different names at a path; whole numbers may be names."""
        names = []
        for place, value in enumerate(self.list_at(*path)):
            if isinstance(value, int) and not isinstance(value, bool):
                value = str(value)  # noqa: PLW2901
            name: str = self.of(value, str, "a name", *path, place)
            if _SURROGATE.search(name):
                self.refuse("half a surrogate pair in a name", *path, place)
            names.append(name)
        if repeat := first_repeat(names):
            self.refuse(
                f"the name {shown(names[repeat[0]])} is there twice",
                *path,
                repeat[1],
                hint="make the names differ",
            )
        return names

    def numbers(self, value: Any, below: int, *path: str | int) -> list[int]:
        """Return a list of attribute numbers below a limit; refuse anything else."""
        found: list[int] = self.of(value, list, "a list of numbers", *path)
        for place, number in enumerate(found):
            if type(number) is not int or not 0 <= number < below:
                self.refuse(
                    f"found {shown(json.dumps(number, default=str))}, "
                    f"expected a number below {below}",
                    *path,
                    place,
                    hint="attributes are counted from 0",
                )
        return found

    def _find(self, path: Sequence[str | int]) -> int:
        """Return where in the text the part at a path begins."""
        position = self._after_space(0)
        for step in path:
            opening = self._text[position]
            position = self._after_space(position + 1)
            place = 0
            while True:
                key: str | int = place
                if opening == "{":
                    key, position = _DECODER.raw_decode(self._text, position)
                    # The colon, with blanks on both sides.
                    position = self._after_space(self._after_space(position) + 1)
                if key == step:
                    break
                _, position = _DECODER.raw_decode(self._text, position)
                position = self._after_space(self._after_space(position) + 1)
                place += 1
        return position

    def _after_space(self, position: int) -> int:
        match = _SPACE.match(self._text, position)
        return match.end() if match else position


def _keys(value: dict[str, Any]) -> str:
    return f"there are {', '.join(map(shown, list(value)[:10]))}" if value else "it is empty"
