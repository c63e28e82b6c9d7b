"""Sets of items and pairs of names, in."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Set
from itertools import chain
from typing import Any

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.convert.shared import Parts, numbered, places_of, stable_order, texts
from conceptrank.errors import FormatError


def from_itemsets(
    itemsets: Iterable[Iterable[object]] | Mapping[Any, Iterable[object]],
    *,
    attributes: Iterable[object] | None = None,
) -> Parts:
    """Return every item set as an object, every item as an attribute."""
    if isinstance(itemsets, Mapping):
        objects, sets = texts(itemsets), list(map(list, itemsets.values()))
    else:
        sets = list(map(list, itemsets))
        objects = numbered(len(sets))
    items = list(chain.from_iterable(sets))
    known = stable_order(set(items)) if attributes is None else list(attributes)
    lengths = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    rows = np.repeat(np.arange(len(sets)), lengths)
    columns = places_of(items, known, "item")
    return objects, texts(known), *_lists.from_pairs(rows, columns, (len(sets), len(known)))


def from_pairs(
    pairs: Iterable[tuple[object, object]],
    *,
    objects: Iterable[object] | None = None,
    attributes: Iterable[object] | None = None,
) -> Parts:
    """Return the crosses that the pairs of an object and an attribute name."""
    if hasattr(pairs, "columns"):
        pairs = _two_columns(pairs)
    listed: list[Any] = stable_order(pairs) if isinstance(pairs, Set) else list(pairs)
    for number, pair in enumerate(listed, start=1):
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise FormatError(
                f"pair {number} is {reprlib.repr(pair)}, expected an object and an attribute"
            )
    rows, columns = ([pair[side] for pair in listed] for side in (0, 1))
    known_rows = list(dict.fromkeys(rows) if objects is None else objects)
    known_columns = list(dict.fromkeys(columns) if attributes is None else attributes)
    lists = _lists.from_pairs(
        places_of(rows, known_rows, "object"),
        places_of(columns, known_columns, "attribute"),
        (len(known_rows), len(known_columns)),
    )
    return texts(known_rows), texts(known_columns), *lists


def _two_columns(frame: Any) -> Iterable[tuple[object, object]]:
    """Return the pairs in the two columns of a frame of pandas or polars."""
    names = [str(name) for name in frame.columns]
    if len(names) != 2:
        raise FormatError(
            f"the frame has {len(names)} columns, expected two: objects and attributes",
            hint="choose them, such as df[['order', 'item']]",
        )
    left, right = (frame[name] for name in frame.columns)
    return zip(left.to_list(), right.to_list(), strict=True)
