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
from collections.abc import Callable, Mapping
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
from conceptrank.io.text import decode, notice, shown, text_head

_KEYS = re.compile(r'"(?:objects|attributes|ObjNames)"\s*+:')
_SPACE = re.compile(r"[ \t\n\r]*")
_ODD_NUMBER = re.compile(r'"(?:[^"\\]++|\\.)*+"|(-?Infinity|NaN|[0-9]{1000,})')
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONCEPTS = '{"objects": [names], "properties": [names], "context": [[numbers], …]}'
_CONEXP = '{"objects": [names], "attributes": [names], "incidence": [[name, name], …]}'
_FCAPS = (
    '[{"ObjNames": [names], "Params": {"AttrNames": [names]}}, '
    '{"Count": number, "Data": [{"Count": number, "Inds": [numbers]}, …]}]'
)
# Parts of contexts, and parts of documents that say nothing about one.
_KNOWN = {"objects", "properties", "context", "weights", "attributes", "incidence"}
_KNOWN |= {"adjacency-list", "name", "lattice"}


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


# Objects are lists of pairs in a tuple, so that a key may be found twice.
_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_constant=_no_constant)


def dumps(value: object) -> str:
    """Return a value as JSON, letters as they are.

    Examples
    --------
    >>> dumps({"objects": ["Käse"]})
    '{"objects": ["Käse"]}'
    """
    return json.dumps(value, ensure_ascii=False)


class Node:
    r"""A part of a JSON document, with its place for messages.

    Examples
    --------
    >>> document = opened(b'{"objects":\n ["cat", 7],\n "n": {}}', "a layout")
    >>> document["objects"].names()
    ['cat', '7']
    >>> document["n"].refuse("what is this")
    Traceback (most recent call last):
    conceptrank.errors.FormatError: line 3: n: what is this (hint: a layout)
    """

    def __init__(
        self, text: str, value: Any, layout: str, path: tuple[str | int, ...] = ()
    ) -> None:
        self._text = text
        self._layout = layout
        self._path = path
        self.value: Any = value

    def refuse(self, reason: str, *, hint: str | None = None) -> NoReturn:
        """Raise an error for this part."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self._path)
        where = "".join(steps).removeprefix(".")
        line = self._text.count("\n", 0, self._begin()) + 1
        reason = f"{where}: {reason}" if where else reason
        raise FormatError(reason, line=line, hint=hint or self._layout)

    def titles(self) -> list[str]:
        """Return the keys of an object; refuse anything else, and a key that occurs twice."""
        if not isinstance(self.value, tuple):
            self.refuse(f"found {self._shown()}, expected an object")
        keys = [key for key, _ in self.value]
        if repeat := first_repeat(keys):
            self.refuse(f"the key {keys[repeat[0]]!r} occurs twice")
        return keys

    def __getitem__(self, key: str) -> Node:
        keys = self.titles()
        if key not in keys:
            there = ", ".join(map(shown, keys[:10]))
            self.refuse(
                f"there is no {key!r}", hint=f"there are {there}" if there else "it is empty"
            )
        return self._inside(key, dict(self.value)[key])

    def parts(self, what: str = "a list") -> list[Node]:
        """Return the parts of a list; refuse anything else."""
        if not isinstance(self.value, list):
            self.refuse(f"found {self._shown()}, expected {what}")
        return [self._inside(place, value) for place, value in enumerate(self.value)]

    def name(self) -> str | None:
        """Return a name, which may be a whole number; None for anything else."""
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        return str(self.value) if whole or isinstance(self.value, str) else None

    def names(self) -> list[str]:
        """Return a list of different names."""
        names = []
        for part in self.parts():
            name = part.name()
            if name is None:
                part.refuse(f"found {part._shown()}, expected a name")
            if _SURROGATE.search(name):
                part.refuse("half a surrogate pair in a name")
            names.append(name)
        if repeat := first_repeat(names):
            twice = self.parts()[repeat[1]]
            twice.refuse(
                f"the name {shown(twice.name() or '')} occurs twice", hint="make them differ"
            )
        return names

    def numbers(self, below: int) -> list[int]:
        """Return a list of attribute numbers below a limit."""
        for part in self.parts("a list of numbers"):
            if type(part.value) is not int or not 0 <= part.value < below:
                reason = f"found {part._shown()}, expected a number below {below}"
                part.refuse(reason, hint="attributes are counted from 0")
        found: list[int] = self.value
        return found

    def counted(self, found: int) -> None:
        """Refuse a key `Count` that says anything else."""
        count = self["Count"] if "Count" in self.titles() else None
        if count is not None and (type(count.value) is not int or count.value != found):
            count.refuse(f"says {count.value!r:.40}, but there are {found}")

    def _shown(self) -> str:
        value = dict(self.value) if isinstance(self.value, tuple) else self.value
        return shown(json.dumps(value, default=str))

    def _inside(self, step: str | int, value: Any) -> Node:
        return Node(self._text, value, self._layout, (*self._path, step))

    def _begin(self) -> int:
        """Return where in the text this part begins."""
        position = _after_space(self._text, 0)
        for step in self._path:
            opening = self._text[position]
            position = _after_space(self._text, position + 1)
            place = 0
            while True:
                key: str | int = place
                if opening == "{":
                    key, position = _DECODER.raw_decode(self._text, position)
                    # The colon, with blanks on both sides.
                    position = _after_space(self._text, _after_space(self._text, position) + 1)
                if key == step:
                    break
                _, position = _DECODER.raw_decode(self._text, position)
                position = _after_space(self._text, _after_space(self._text, position) + 1)
                place += 1
        return position


def opened(data: bytes, layout: str) -> Node:
    """Return a JSON document; `layout` is the hint of its errors.

    Raises
    ------
    FormatError
        If it is not JSON.
    """
    text = decode(data)
    line, hint = 1, "is the file whole?"
    try:
        value, end = _DECODER.raw_decode(text, _after_space(text, 0))
    except json.JSONDecodeError as error:
        reason = f"not JSON: {error.msg}" if text.strip() else "the file is empty"
        line = error.lineno
    except RecursionError:
        reason, hint = "lists inside each other, far too deep", "is it the right file?"
    except ValueError:
        # NaN, or a number too long for Python.
        match = next((match for match in _ODD_NUMBER.finditer(text) if match[1]), None)
        line = text.count("\n", 0, match.start() if match else 0) + 1
        reason = f"not JSON: {shown(match[1]) if match else 'a number'} is no number"
        hint = "attributes are counted from 0"
    else:
        rest = _after_space(text, end)
        if rest == len(text):
            return Node(text, value, layout)
        line, hint = text.count("\n", 0, rest) + 1, "one value per file"
        reason = f"found {shown(text[rest : rest + 20])} after the end"
    raise FormatError(reason, line=line, hint=hint) from None


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


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


def read(data: bytes, *, source: str | None = None) -> Context:
    r"""Read a context from JSON of any of the three dialects; the keys decide which.

    Raises
    ------
    FormatError
        If it is not JSON, or the parts don't fit.

    Notes
    -----
    Keys that are no part of a context are left out with a warning.

    Examples
    --------
    >>> context = read(b'{"objects": ["cat"], "properties": ["purrs", "barks"], "context": [[0]]}')
    >>> context.attributes, context.crosses
    (('purrs', 'barks'), 1)
    >>> read(b'{"objects": ["cat"], "attributes": ["purrs"], "incidence": []}').shape
    (1, 1)
    """
    document = opened(data, _CONCEPTS)
    if isinstance(document.value, list):
        return _from_fcaps(data)
    if isinstance(document.value, tuple):
        keys = set(document.titles())
        if more := sorted(keys - _KNOWN):
            notice(f"left out: {', '.join(more)}, which are no parts of a context", source)
        if not {"properties", "context"} & keys:
            return _from_conexp(data)
    objects, attributes = document["objects"].names(), document["properties"].names()
    rows = document["context"]
    _refuse_height(rows, objects)
    context = _from_lists(
        objects, attributes, [row.numbers(len(attributes)) for row in rows.parts()]
    )
    if "weights" not in document.titles():
        return context
    weights = document["weights"]
    try:
        return context.with_weights([part.value for part in weights.parts()])
    except FormatError as error:
        weights.refuse(error.reason)


def _from_conexp(data: bytes) -> Context:
    """Return the context of a document in the dialect of conexp-clj."""
    document = opened(data, _CONEXP)
    attributes = document["attributes"].names()
    numbers = {name: place for place, name in enumerate(attributes)}
    objects: dict[str, int] = {}
    crosses: list[tuple[int, int]] = []
    if "adjacency-list" in document.titles():
        for place, entry in enumerate(document["adjacency-list"].parts()):
            name, having = entry["object"].name(), entry["attributes"]
            if name is None or name in objects:
                entry["object"].refuse("no name, or one that occurs twice")
            objects[name] = place
            places = (_place_of(part, numbers, "attribute", having) for part in having.parts())
            crosses += [(place, number) for number in places]
    else:
        objects = {name: place for place, name in enumerate(document["objects"].names())}
        for pair in document["incidence"].parts():
            if not isinstance(pair.value, list) or len(pair.value) != 2:
                pair.refuse("expected a pair, [object, attribute]")
            g, m = pair.parts()
            object_place = _place_of(g, objects, "object", pair)
            crosses.append((object_place, _place_of(m, numbers, "attribute", pair)))
    pairs = np.array(crosses, dtype=np.int64).reshape(-1, 2)
    rows = from_pairs(pairs[:, 0], pairs[:, 1], (len(objects), len(attributes)))
    return Context.from_csr(list(objects), attributes, *rows)


def _place_of(part: Node, places: Mapping[str, int], side: str, above: Node) -> int:
    found = places.get(part.name() or "")
    if found is None or part.name() is None:
        above.refuse(f"{side} {part.value!r:.60} is not there")
    return found


def _from_fcaps(data: bytes) -> Context:
    """Return the context of a document in the dialect of FCAPS."""
    document = opened(data, _FCAPS)
    parts = document.parts()
    if len(parts) < 2:
        if parts:
            parts[0]["ObjNames"]
        document.refuse(f"has {len(parts)} parts, expected more")
    attributes = parts[0]["Params"]["AttrNames"].names()
    objects = parts[0]["ObjNames"].names()
    data_part = parts[1]["Data"]
    rows = data_part.parts()
    _refuse_height(data_part, objects)
    parts[1].counted(len(rows))
    numbers = []
    for row in rows:
        numbers.append(row["Inds"].numbers(len(attributes)))
        row.counted(len(numbers[-1]))
    return _from_lists(objects, attributes, numbers)


def _refuse_height(rows: Node, objects: list[str]) -> None:
    height = len(rows.parts())
    if height != len(objects):
        rows.refuse(f"has {height} rows, but there are {len(objects)} objects")


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
    read: Callable[[bytes], Context],
    write: Callable[..., bytes],
) -> Format:
    """Return the format of a dialect that is read only if it is named."""
    how: dict[str, Any] = {"suffixes": (), "sniff": lambda head: Fit.NO, "notices_cuts": True}
    return Format(name=name, description=description, read=read, write=write, lines=False, **how)


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
