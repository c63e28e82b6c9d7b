"""JSON: the dialects of the package `concepts`, of conexp-clj, and of FCAPS and fcapy.

- `{"objects": […], "properties": […], "context": [[0, 2], …]}`: the numbers of the properties that
  each object has.
- `{"objects": […], "attributes": […], "incidence": [[object, attribute], …]}`; its older form
  `{"attributes": […], "adjacency-list": [{"object": …, "attributes": […]}, …]}` is read as well.
- `[{"ObjNames": […], "Params": {"AttrNames": […]}}, {"Count": 1, "Data": [{"Count": 2, "Inds":
  [0, 2]}]}]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from conceptrank._util.lists import from_pairs, offsets_of
from conceptrank._util.names import first_repeat
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.losses import refuse_names
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import sorted_rows
from conceptrank.io.text import decode, shown, text_head

_KEYS = re.compile(r'"(?:objects|attributes|ObjNames)"\s*+:')
_SPACE = re.compile(r"[ \t\n\r]*")
_ODD_NUMBER = re.compile(r'"(?:[^"\\]++|\\.)*+"|(-?Infinity|NaN|[0-9]{1000,})')
_SURROGATE = re.compile("[\ud800-\udfff]")

Path = tuple[str | int, ...]


class _Repeated(dict[str, Any]):
    """An object in which a key occurs twice."""

    key = ""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    repeat = first_repeat([key for key, _ in pairs])
    if repeat is not None:
        members = _Repeated(members)
        members.key = pairs[repeat[0]][0]
    return members


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_no_constant)


def dumps(value: object) -> str:
    """Return a value as JSON, letters as they are.

    Examples
    --------
    >>> dumps({"objects": ["Käse"]})
    '{"objects": ["Käse"]}'
    """
    return json.dumps(value, ensure_ascii=False)


class Document:
    r"""A JSON document.

    Raises
    ------
    FormatError
        If it is not JSON.

    Examples
    --------
    >>> document = Document(b'{"objects":\n ["cat", 7],\n "n": {}}')
    >>> document.names("objects")
    ['cat', '7']
    >>> document.refuse("what is this", "n")
    Traceback (most recent call last):
    conceptrank.errors.FormatError: line 3: n: what is this
    """

    layout = ""
    """What the dialect looks like, as a hint."""

    def __init__(self, data: bytes) -> None:
        self._text = decode(data)
        self.value: Any
        try:
            self.value, end = _DECODER.raw_decode(self._text, self._after_space(0))
        except json.JSONDecodeError as error:
            raise FormatError(
                "the file is empty" if not self._text.strip() else f"not JSON: {error.msg}",
                line=error.lineno,
                hint="is the file whole?",
            ) from None
        except RecursionError:
            raise FormatError(
                "lists inside each other, far too deep", line=1, hint="is it the right file?"
            ) from None
        except ValueError as error:
            raise self._bad_number() from error
        rest = self._after_space(end)
        if rest < len(self._text):
            raise FormatError(
                f"found {shown(self._text[rest : rest + 20])} after the end",
                line=self._line(rest),
                hint="one value per file",
            )

    def _bad_number(self) -> FormatError:
        """Return the error for NaN, or for a number too long for Python, with its line."""
        words = (match for match in _ODD_NUMBER.finditer(self._text) if match[1])
        match = next(words, None)
        return FormatError(
            f"not JSON: {shown(match[1]) if match else 'a number'} is no number",
            line=self._line(match.start() if match else 0),
            hint="attributes are counted from 0",
        )

    def refuse(self, reason: str, *path: str | int, hint: str | None = None) -> NoReturn:
        """Raise an error for the part at a path of keys and places."""
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        raise FormatError(
            f"{where.removeprefix('.')}: {reason}" if where else reason,
            line=self._line(self._find(path)),
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
                    self.refuse(f"the key {value.key!r} occurs twice", *above)
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
        if not isinstance(value, kind):
            self.refuse(f"found {shown(json.dumps(value, default=str))}, expected {word}", *path)
        return value

    def names(self, *path: str | int) -> list[str]:
        """Return the list of different names at a path; whole numbers may be names."""
        names = []
        for place, value in enumerate(self.list_at(*path)):
            name: str = self.of(_name(value), str, "a name", *path, place)
            if _SURROGATE.search(name):
                self.refuse("half a surrogate pair in a name", *path, place)
            names.append(name)
        if repeat := first_repeat(names):
            self.refuse(
                f"the name {shown(names[repeat[0]])} occurs twice",
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

    def _line(self, position: int) -> int:
        return self._text.count("\n", 0, position) + 1


def _keys(value: dict[str, Any]) -> str:
    return f"there are {', '.join(map(shown, list(value)[:10]))}" if value else "it is empty"


def sniff(head: bytes) -> Fit:
    r"""Return whether a JSON object or list begins, with a key of one of the dialects.

    Examples
    --------
    >>> [sniff(head).name for head in (b'{"objects": ["a"', b'{"a": 1}', b'[{"ObjNames": []', b"a")]
    ['CERTAIN', 'POSSIBLE', 'CERTAIN', 'NO']
    """
    text = text_head(head).lstrip()
    if re.match(r'[{\[][ \t\r\n]*+[\[{"\]}]', text) is None:
        return Fit.NO
    return Fit.CERTAIN if _KEYS.search(text) else Fit.POSSIBLE


def read(data: bytes) -> Context:
    r"""Read a context from JSON of any of the three dialects; the keys decide which.

    Raises
    ------
    FormatError
        If it is not JSON, or the parts don't fit.

    Examples
    --------
    >>> context = read(b'{"objects": ["cat"], "properties": ["purrs", "barks"], "context": [[0]]}')
    >>> context.attributes, context.crosses
    (('purrs', 'barks'), 1)
    >>> read(b'{"objects": ["cat"], "attributes": ["purrs"], "incidence": []}').shape
    (1, 1)
    """
    document = Document(data)
    if isinstance(document.value, list):
        return _from_fcaps(document)
    if isinstance(document.value, dict) and not {"properties", "context"} & set(document.value):
        return _from_conexp(document)
    return _from_concepts(document)


def _from_concepts(document: Document) -> Context:
    """Return the context of a document in the dialect of `concepts`."""
    document.layout = '{"objects": [names], "properties": [names], "context": [[numbers], …]}'
    objects, attributes = document.names("objects"), document.names("properties")
    rows = document.list_at("context")
    if len(rows) != len(objects):
        document.refuse(f"has {len(rows)} rows, but there are {len(objects)} objects", "context")
    lists = [
        document.numbers(row, len(attributes), "context", place) for place, row in enumerate(rows)
    ]
    context = _from_lists(objects, attributes, lists)
    if not isinstance(document.value, dict) or "weights" not in document.value:
        return context
    try:
        return context.with_weights(document.list_at("weights"))
    except FormatError as error:
        document.refuse(error.reason, "weights")


def _from_conexp(document: Document) -> Context:
    """Return the context of a document in the dialect of conexp-clj."""
    document.layout = '{"objects": [names], "attributes": [names], "incidence": [[name, name], …]}'
    attributes = document.names("attributes")
    if isinstance(document.value, dict) and "adjacency-list" in document.value:
        objects, crosses = _adjacency(document, attributes)
    else:
        objects = document.names("objects")
        crosses = _incidence(document, objects, attributes)
    pairs = np.array(crosses, dtype=np.int64).reshape(-1, 2)
    rows = from_pairs(pairs[:, 0], pairs[:, 1], (len(objects), len(attributes)))
    return Context.from_csr(objects, attributes, *rows)


def _incidence(
    document: Document, objects: list[str], attributes: list[str]
) -> list[tuple[int, int]]:
    sides = [{name: number for number, name in enumerate(names)} for names in (objects, attributes)]
    crosses = []
    for place, pair in enumerate(document.list_at("incidence")):
        if not isinstance(pair, list) or len(pair) != 2:
            document.refuse("expected a pair, [object, attribute]", "incidence", place)
        g, m = (
            _number(document, name, numbers, side, "incidence", place)
            for name, numbers, side in zip(pair, sides, ("object", "attribute"), strict=True)
        )
        crosses.append((g, m))
    return crosses


def _adjacency(
    document: Document, attributes: list[str]
) -> tuple[list[str], list[tuple[int, int]]]:
    numbers = {name: number for number, name in enumerate(attributes)}
    objects: dict[str, int] = {}
    crosses = []
    for place in range(len(document.list_at("adjacency-list"))):
        path = ("adjacency-list", place)
        name = _name(document.at(*path, "object"))
        if not isinstance(name, str) or name in objects:
            document.refuse("no name, or one that occurs twice", *path, "object")
        objects[name] = place
        crosses += [
            (place, _number(document, attribute, numbers, "attribute", *path, "attributes"))
            for attribute in document.list_at(*path, "attributes")
        ]
    return list(objects), crosses


def _number(
    document: Document, name: Any, numbers: dict[str, int], side: str, *path: str | int
) -> int:
    found = numbers.get(_name(name)) if isinstance(name, str | int) else None
    if found is None:
        document.refuse(f"{side} {name!r:.60} is not there", *path)
    return found


def _name(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _from_fcaps(document: Document) -> Context:
    """Return the context of a document in the dialect of FCAPS."""
    document.layout = (
        '[{"ObjNames": [names], "Params": {"AttrNames": [names]}}, '
        '{"Count": number, "Data": [{"Count": number, "Inds": [numbers]}, …]}]'
    )
    attributes = document.names(0, "Params", "AttrNames")
    objects = document.names(0, "ObjNames")
    data = document.list_at(1, "Data")
    if len(data) != len(objects):
        document.refuse(f"has {len(data)} rows, but there are {len(objects)} objects", 1, "Data")
    _check_count(document, document.at(1), len(data), 1)
    rows: list[list[int]] = []
    for place in range(len(data)):
        path = (1, "Data", place)
        numbers = document.numbers(document.at(*path, "Inds"), len(attributes), *path, "Inds")
        _check_count(document, data[place], len(numbers), *path)
        rows.append(numbers)
    return _from_lists(objects, attributes, rows)


def _check_count(document: Document, part: dict[str, Any], found: int, *path: str | int) -> None:
    count = part.get("Count", found)
    if count != found or isinstance(count, bool):
        document.refuse(f"says {count!r:.40}, but there are {found}", *path, "Count")


def _from_lists(objects: list[str], attributes: list[str], lists: list[list[int]]) -> Context:
    indptr = offsets_of(np.array([len(row) for row in lists], dtype=np.int64))
    indices = np.array([number for row in lists for number in row], dtype=np.int64)
    return Context.from_csr(objects, attributes, *sorted_rows(indptr, indices))


def write(context: Context) -> bytes:
    """Return a context as JSON in the dialect of `concepts`, with the weights if it has some.

    Examples
    --------
    >>> print(write(Context(["cat"], ["purrs"], [[True]])).decode(), end="")
    {
    "objects": ["cat"],
    "properties": ["purrs"],
    "context": [
    [0]
    ]
    }
    """
    refuse_names(context, unwritable="[\ud800-\udfff]")
    rows = ",\n".join(map(dumps, lists(context.rows())))
    weights = f',\n"weights": {dumps(context.weights.tolist())}' if context.weighted else ""
    return (
        f'{{\n"objects": {dumps(context.objects)},\n"properties": {dumps(context.attributes)},\n'
        f'"context": [\n{rows}\n]{weights}\n}}\n'
    ).encode()


def write_conexp(context: Context) -> bytes:
    """Return a context as JSON in the dialect of conexp-clj.

    Examples
    --------
    >>> write_conexp(Context(["cat"], ["purrs"], [[True]])).decode().splitlines()[3:5]
    ['"incidence": [', '["cat", "purrs"]']
    """
    refuse_names(context, unwritable="[\ud800-\udfff]")
    objects = [dumps(name) for name in context.objects]
    attributes = [dumps(name) for name in context.attributes]
    pairs = ",\n".join(
        f"[{name}, {attributes[m]}]"
        for name, row in zip(objects, lists(context.rows()), strict=True)
        for m in row
    )
    return (
        f'{{\n"objects": [{", ".join(objects)}],\n"attributes": [{", ".join(attributes)}],\n'
        f'"incidence": [\n{pairs}\n]\n}}\n'
    ).encode()


def write_fcaps(context: Context) -> bytes:
    """Return a context as JSON in the dialect of FCAPS.

    Examples
    --------
    >>> write_fcaps(Context(["cat"], ["purrs"], [[True]])).decode().splitlines()[2]
    '{"Count": 1, "Inds": [0]}'
    """
    refuse_names(context, unwritable="[\ud800-\udfff]")
    names = {"ObjNames": context.objects, "Params": {"AttrNames": context.attributes}}
    rows = [dumps({"Count": len(row), "Inds": row}) for row in lists(context.rows())]
    data = ",\n".join(rows)
    return f'[{dumps(names)},\n{{"Count": {len(rows)}, "Data": [\n{data}\n]}}]\n'.encode()


def _dialect(
    name: str,
    description: str,
    context_of: Callable[[Document], Context],
    write: Callable[..., bytes],
) -> Format:
    """Return the format of a dialect that is read only if it is named."""

    def read(data: bytes) -> Context:
        return context_of(Document(data))

    return Format(
        name=name,
        suffixes=(),
        description=description,
        sniff=lambda head: Fit.NO,
        read=read,
        write=write,
        lines=False,
        notices_cuts=True,
    )


CONCEPTS = Format(
    name="json",
    suffixes=(".json",),
    description="JSON: any of three dialects is read, that of the package concepts written",
    sniff=sniff,
    read=read,
    write=write,
    lines=False,
    notices_cuts=True,
    holds_weights=True,
)
CONEXP = _dialect(
    "json_conexp",
    "JSON in the dialect of conexp-clj: names and pairs of names",
    _from_conexp,
    write_conexp,
)
FCAPS = _dialect(
    "json_fcaps",
    "JSON in the dialect of FCAPS and fcapy: names and lists of numbers",
    _from_fcaps,
    write_fcaps,
)
