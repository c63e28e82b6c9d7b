"""The data of a page: crosses, intents, scores, short list and rules, packed and compressed.

The browser computes extents, covers and minimal generators from the crosses on demand. It does not
compute scores. The score of a concept is stored as an index into the list of different scores of
its measure, so ties stay ties and no digit is lost.

The format, without gaps: the length of the header in four bytes; the header (JSON); the rows of the
context and the intents, as bits (the first bytes of all sets, then the second ones, …) or, if they
are sparse, as lists (the sizes of all sets, then their elements, four bytes each); per measure its
different scores as doubles, the indices as unsigned integers of as few bytes as they need (again
the first bytes of all, then the second ones), and one bit per concept if some scores are estimates.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank.explorer.content import Column, Content
from conceptrank.measures import registry

VERSION = 1
# Sets are written as lists if these are smaller than bits by this factor.
SPARSE = 4


def packed(content: Content) -> bytes:
    """Return the bytes that a page reads.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from conceptrank.explorer.content import of_lattice
    >>> len(packed(of_lattice(cr.datasets.load("movies").lattice(), ["cr"]))) < 2_000
    True
    """
    q = len(content.attributes)
    entries, sections = [], []
    for key, column in content.scores.items():
        entry, section = _scores(key, column)
        entries.append(entry)
        sections.append(section)
    crosses_listed, crosses = _sets(*content.rows, q)
    intents_listed, intents = _sets(*content.intents, q)
    header = {
        "version": VERSION,
        "title": content.title,
        "objects": _names(len(content.rows[0]) - 1, content.objects),
        "attributes": content.attributes,
        "concepts": len(content.intents[0]) - 1,
        "minSupport": content.min_support,
        "complete": content.complete,
        "note": content.note,
        "more": content.more,
        "listed": {"rows": crosses_listed, "intents": intents_listed},
        "measures": entries,
        "then": content.then,
        "summary": content.summary,
        "rules": content.rules,
    }
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode()
    whole = b"".join([len(text).to_bytes(4, "little"), text, crosses, intents, *sections])
    # No time stamp, so that the same content gives the same bytes.
    return gzip.compress(whole, compresslevel=9, mtime=0)


def description(key: str, measure: str) -> dict[str, Any]:
    """Return what the page says about a measure.

    Examples
    --------
    >>> description("cr(side=extent)", "cr")["direction"]
    'higher'
    """
    known = registry.get(measure)
    return {
        "key": key,
        "summary": known.summary,
        "direction": known.direction,
        "range": known.range,
        "reference": known.reference,
        "formula": _formula(known.compute.__doc__),
        "side": known.side,
    }


def _formula(docstring: str | None) -> str:
    """Return the first sentence of a measure's description, without its verb."""
    first = " ".join((docstring or "").split("\n\n")[0].split()).removeprefix("Return ")
    return first[:1].upper() + first[1:] if first[1:2].isalpha() else first


def _scores(key: str, column: Column) -> tuple[dict[str, Any], bytes]:
    scores, exact = column.scores, column.exact
    # Make -0.0 and 0.0 one score.
    values, places = np.unique(scores + 0.0, return_inverse=True)
    size = max(1, (max(len(values) - 1, 0).bit_length() + 7) // 8)
    codes = places.astype("<u4").view(np.uint8).reshape(len(scores), 4)[:, :size]
    inexact = int((~exact).sum())
    if column.measure == "intent_size":
        # The page computes sizes of intents itself.
        size = 0
    entry = description(key, column.measure) | {
        "distinct": len(values),
        "bytes": size,
        "inexact": inexact,
    }
    parts = [values.astype("<f8").tobytes(), np.ascontiguousarray(codes[:, :size].T).tobytes()]
    if inexact:
        parts.append(np.packbits(~exact, bitorder="little").tobytes())
    return entry, b"".join(parts)


def _sets(offsets: NDArray[Any], numbers: NDArray[Any], size: int) -> tuple[int | None, bytes]:
    """Return sets of numbers below `size` as bits, or as lists with the number of their elements.

    A browser unpacks 60 MB of bits for the 25,000 × 14,804 cells of kosarak25k, of which 200,000
    are crosses.
    """
    n = len(offsets) - 1
    if SPARSE * 4 * (n + len(numbers)) >= n * -(-size // 8):
        return None, _planes(offsets, numbers, size)
    lists = np.concatenate([np.diff(offsets), numbers]).astype("<u4")
    return len(numbers), lists.tobytes()


def _planes(offsets: NDArray[Any], numbers: NDArray[Any], size: int) -> bytes:
    """Return sets of numbers below `size` as bits; byte p of all of them before byte p + 1."""
    n = len(offsets) - 1
    planes = np.zeros((-(-size // 8), n), dtype=np.uint8)
    owners = np.repeat(np.arange(n), np.diff(offsets))
    bits = np.left_shift(1, numbers & 7).astype(np.uint8)
    np.bitwise_or.at(planes, (numbers >> 3, owners), bits)
    return planes.tobytes()


def _names(count: int, names: Sequence[str] | None) -> dict[str, Any]:
    """Return names as they are, or only where they begin if they count up."""
    if names is None:
        return {"count": count, "first": 1, "names": None, "known": False}
    for first in (0, 1):
        if all(name == str(number) for number, name in enumerate(names, start=first)):
            return {"count": count, "first": first, "names": None, "known": True}
    return {"count": count, "first": 0, "names": names, "known": True}
