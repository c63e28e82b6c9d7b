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
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from conceptrank._util.lists import from_pairs
from conceptrank._util.names import first_repeat
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import from_lists
from conceptrank.io.text import decode, notice, shown, text_head
from conceptrank.io.writing import refuse_names

_KEYS = re.compile(r'"(?:objects|attributes|ObjNames)"\s*+:')
_SURROGATE = re.compile("[\ud800-\udfff]")
_HINT = (
    'such as {"objects": [names], "properties": [names], "context": [[numbers of properties], …]}'
)
# Parts of contexts, and parts of documents that say nothing about one.
_KNOWN = {"objects", "properties", "context", "weights", "attributes", "incidence"}
_KNOWN |= {"adjacency-list", "name", "lattice"}


def sniff(head: bytes) -> Fit:
    r"""Return whether a JSON object or list begins, with a key of one of the dialects.

    Examples
    --------
    >>> [sniff(head).name for head in (b'{"objects": [', b'[{"id": 1}]', b"[section]")]
    ['CERTAIN', 'POSSIBLE', 'NO']
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
        If the text is not JSON, or holds no context of these dialects.

    Examples
    --------
    >>> read(b'{"objects": ["cat"], "properties": ["purrs", "barks"], "context": [[0]]}').crosses
    1
    >>> read(b'{"objects": [1], "attributes": ["a"], "incidence": [[1, "a"]]}').objects
    ('1',)
    >>> names = b'[{"ObjNames": ["g"], "Params": {"AttrNames": ["m"]}}'
    >>> read(names + b', {"Data": [{"Inds": []}]}]').shape
    (1, 1)
    """
    document = _parsed(decode(data))
    if isinstance(document, list):
        return _from_fcaps(document)
    if not isinstance(document, dict):
        _refuse("", f"found {_shown(document)}, expected an object or a list")
    if more := sorted(document.keys() - _KNOWN):
        notice(f"left out: {', '.join(more)}, which are no parts of a context", source)
    if not {"properties", "context"} & document.keys():
        return _from_conexp(document)
    objects = _names(document, "objects")
    attributes = _names(document, "properties")
    rows = [
        _numbers(row, f"context[{place}]", len(attributes))
        for place, row in enumerate(_list(document, "context", count=len(objects)))
    ]
    context = from_lists(objects, attributes, rows)
    if "weights" not in document:
        return context
    try:
        return context.with_weights(_list(document, "weights"))
    except FormatError as error:
        _refuse("weights", error.reason)


def _from_conexp(document: dict[str, Any]) -> Context:
    attributes = _names(document, "attributes")
    numbers = {name: place for place, name in enumerate(attributes)}
    objects: dict[str, int] = {}
    crosses: list[tuple[int, int]] = []
    if "adjacency-list" in document:
        for place, entry in enumerate(_list(document, "adjacency-list")):
            where = f"adjacency-list[{place}]"
            name = _name(_part(entry, "object", where), f"{where}.object")
            if name in objects:
                _refuse(where, f"the name {shown(name)} occurs twice")
            objects[name] = place
            having = _list(entry, "attributes", where)
            crosses += [(place, _place(each, numbers, "attribute", where)) for each in having]
    else:
        objects = {name: place for place, name in enumerate(_names(document, "objects"))}
        for place, pair in enumerate(_list(document, "incidence")):
            where = f"incidence[{place}]"
            if not isinstance(pair, list) or len(pair) != 2:
                _refuse(where, "expected a pair, [object, attribute]")
            object_place = _place(pair[0], objects, "object", where)
            crosses.append((object_place, _place(pair[1], numbers, "attribute", where)))
    pairs = np.array(crosses, dtype=np.int64).reshape(-1, 2)
    rows = from_pairs(pairs[:, 0], pairs[:, 1], (len(objects), len(attributes)))
    return Context.from_csr(list(objects), attributes, *rows)


def _from_fcaps(parts: list[Any]) -> Context:
    if len(parts) < 2:
        _refuse("", f"has {len(parts)} parts, expected the names and the rows")
    attributes = _names(_part(parts[0], "Params", "[0]"), "AttrNames", "[0].Params")
    objects = _names(parts[0], "ObjNames", "[0]")
    found = _list(parts[1], "Data", "[1]", count=len(objects))
    _check_count(parts[1], "[1]", len(found))
    rows = []
    for place, row in enumerate(found):
        where = f"[1].Data[{place}]"
        rows.append(_numbers(_part(row, "Inds", where), f"{where}.Inds", len(attributes)))
        _check_count(row, where, len(rows[-1]))
    return from_lists(objects, attributes, rows)


def write(context: Context) -> bytes:
    """Return a context as JSON in the dialect of `concepts`, with the weights if it has some.

    Raises
    ------
    FormatError
        If a name has half a surrogate pair.

    Examples
    --------
    >>> json.loads(write(Context(["cat"], ["purrs"], [[True]])))
    {'objects': ['cat'], 'properties': ['purrs'], 'context': [[0]]}
    """
    refuse_names(context, unwritable=_SURROGATE.pattern)
    rows = ",\n".join(map(_dumps, lists(context.rows())))
    weights = f',\n"weights": {_dumps(context.weights.tolist())}' if context.weighted else ""
    return (
        f'{{\n"objects": {_dumps(context.objects)},\n"properties": {_dumps(context.attributes)},\n'
        f'"context": [\n{rows}\n]{weights}\n}}\n'
    ).encode()


def write_conexp(context: Context) -> bytes:
    """Return a context as JSON in the dialect of conexp-clj. Errors as for `write`."""
    refuse_names(context, unwritable=_SURROGATE.pattern)
    pairs = ",\n".join(
        _dumps([name, context.attributes[m]])
        for name, row in zip(context.objects, lists(context.rows()), strict=True)
        for m in row
    )
    return (
        f'{{\n"objects": {_dumps(context.objects)},\n"attributes": {_dumps(context.attributes)},\n'
        f'"incidence": [\n{pairs}\n]\n}}\n'
    ).encode()


def write_fcaps(context: Context) -> bytes:
    """Return a context as JSON in the dialect of FCAPS. Errors as for `write`."""
    refuse_names(context, unwritable=_SURROGATE.pattern)
    names = {"ObjNames": context.objects, "Params": {"AttrNames": context.attributes}}
    rows = [_dumps({"Count": len(row), "Inds": row}) for row in lists(context.rows())]
    data = ",\n".join(rows)
    return f'[{_dumps(names)},\n{{"Count": {len(rows)}, "Data": [\n{data}\n]}}]\n'.encode()


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parsed(text: str) -> Any:
    line, hint = 1, "is the file whole?"
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        reason = f"not JSON: {error.msg}" if text.strip() else "the file is empty"
        line = error.lineno
    except RecursionError:
        reason, hint = "lists inside each other, far too deep", "is it the right file?"
    except ValueError:
        reason = "not JSON: a number is too long"
    raise FormatError(reason, line=line, hint=hint) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if repeat := first_repeat(keys):
        _refuse("", f"the key {keys[repeat[0]]!r} occurs twice")
    return dict(pairs)


def _no_constant(word: str) -> NoReturn:
    _refuse("", f"not JSON: {word} is no number")


def _refuse(where: str, reason: str) -> NoReturn:
    raise FormatError(f"{where}: {reason}" if where else reason, hint=_HINT)


def _shown(value: object) -> str:
    return shown(json.dumps(value, default=str))


def _part(value: Any, key: str, where: str = "") -> Any:
    """Return the part of an object under a key."""
    if not isinstance(value, dict):
        _refuse(where, f"found {_shown(value)}, expected an object")
    if key not in value:
        _refuse(where, f"there is no {key!r}")
    return value[key]


def _list(value: Any, key: str, where: str = "", *, count: int | None = None) -> list[Any]:
    """Return the list in an object under a key; `count` objects need as many rows."""
    found, where = _part(value, key, where), f"{where}.{key}".removeprefix(".")
    if not isinstance(found, list):
        _refuse(where, f"found {_shown(found)}, expected a list")
    if count is not None and len(found) != count:
        _refuse(where, f"has {len(found)} rows, but there are {count} objects")
    return found


def _name(value: Any, where: str) -> str:
    """Return a name; a whole number is one as well."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        _refuse(where, f"found {_shown(value)}, expected a name")
    if _SURROGATE.search(str(value)):
        _refuse(where, "half a surrogate pair in a name")
    return str(value)


def _names(value: Any, key: str, where: str = "") -> list[str]:
    """Return the different names in a list."""
    found, where = _list(value, key, where), f"{where}.{key}".removeprefix(".")
    names = [_name(each, f"{where}[{place}]") for place, each in enumerate(found)]
    if repeat := first_repeat(names):
        reason = f"the name {shown(names[repeat[0]])} occurs twice"
        _refuse(f"{where}[{repeat[1]}]", reason)
    return names


def _numbers(found: Any, where: str, below: int) -> list[int]:
    """Return a list of numbers, each less than a limit."""
    if not isinstance(found, list):
        _refuse(where, f"found {_shown(found)}, expected a list of numbers")
    for place, number in enumerate(found):
        if type(number) is not int or not 0 <= number < below:
            reason = f"found {_shown(number)}, expected a number below {below}"
            _refuse(f"{where}[{place}]", reason)
    return found


def _place(value: Any, places: Mapping[str, int], side: str, where: str) -> int:
    name = _name(value, where)
    if name not in places:
        _refuse(where, f"{side} {shown(name)} is not there")
    return places[name]


def _check_count(value: dict[str, Any], where: str, found: int) -> None:
    """Check the `Count` of a part, if it has one."""
    if value.get("Count", found) != found:
        _refuse(f"{where}.Count", f"says {value['Count']!r:.40}, but there are {found}")


def _dialect(name: str, description: str, write: Any, suffixes: tuple[str, ...] = ()) -> Format:
    return Format(
        name=name,
        suffixes=suffixes,
        description=description,
        sniff=sniff if suffixes else lambda head: Fit.NO,
        read=read,
        write=write,
        lines=False,
        notices_cuts=True,
        holds_weights=bool(suffixes),
    )


CONCEPTS = _dialect(
    "json", "JSON: three dialects are read, that of concepts is written", write, (".json",)
)
CONEXP = _dialect(
    "json_conexp", "JSON in the dialect of conexp-clj: names and pairs of names", write_conexp
)
FCAPS = _dialect(
    "json_fcaps", "JSON in the dialect of FCAPS and fcapy: names and lists of numbers", write_fcaps
)
