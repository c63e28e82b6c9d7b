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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import Lists
from conceptrank.errors import ConceptRankError
from conceptrank.explorer import rule_list, short_list
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params, split
from conceptrank.ranking.recipe import labelled
from conceptrank.summary.summary import Summary

DEFAULT_MEASURES = (
    "cr",
    "log_stability",
    "stability",
    "separation",
    "delta_measure",
    "intent_size",
)
# Breaks ties by default if it is among the measures.
DEFAULT_THEN = "log_stability"
# The size that a browser tab can hold without trouble.
MOST_BYTES = 400_000_000
VERSION = 1
# Sets are written as lists if these are smaller than bits by this factor.
SPARSE = 4


class TooLargeError(ConceptRankError, ValueError):
    """The concepts are too many or too large for a page."""


def pack(
    lattice: Lattice,
    measures: Sequence[MeasureLike] = DEFAULT_MEASURES,
    *,
    title: str = "concepts",
    then: Sequence[MeasureLike] | None = None,
    note: str = "",
    summary: Summary | None = None,
) -> bytes:
    """Return the data of a page about a lattice, compressed.

    Parameters
    ----------
    lattice
        The concepts.
    measures
        The measures to show, the one to sort by first; support is always there.
    title
        The title of the page.
    then
        The measures that break ties by default; `log_stability` if None and it is shown.
    note
        A note on missing concepts.
    summary
        The short list; it is computed if None.

    Raises
    ------
    TooLargeError
        If the data are too large for a browser.

    Examples
    --------
    >>> import conceptrank as cr
    >>> len(pack(cr.datasets.load("movies").lattice(), ["cr"])) < 2_000
    True
    """
    context, wanted = lattice.context, columns(measures, then)
    refuse_too_large(context.shape, len(lattice), len(wanted))
    lattice.prepare(list(wanted.values()))
    scores = {
        key: Column(name, lattice.score(name, **params), lattice.exact(name, **params))
        for key, (name, params) in wanted.items()
    }
    # The page has no weights: repeat objects.
    single = context.repeated()
    return packed(
        Content(
            title=title,
            objects=_names(single.objects),
            attributes=context.attributes,
            rows=single.rows(),
            intents=lattice.intents,
            min_support=lattice.min_support,
            complete=lattice.complete,
            note=note,
            scores=scores,
            then=tie_breakers(wanted, then),
            summary=short_list.of_lattice(lattice, summary=summary),
            rules=[rule_list.of_lattice(lattice, basis) for basis in rule_list.BASES],
        )
    )


@dataclass(frozen=True)
class Column:
    """The scores by a measure, and which of them are exact."""

    measure: str
    scores: NDArray[np.float64]
    exact: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Content:
    """The data of a page before packing; concepts are in the order of lattices."""

    title: str
    objects: dict[str, Any]
    attributes: tuple[str, ...]
    rows: Lists
    intents: Lists
    min_support: int
    complete: bool
    scores: Mapping[str, Column]
    then: Sequence[str]
    summary: Mapping[str, Any]
    rules: Sequence[Mapping[str, Any]]
    note: str = ""


def refuse_too_large(shape: tuple[int, int], concepts: int, measures: int) -> None:
    """Raise an error if a page can't hold this many concepts of a context of this shape.

    Examples
    --------
    >>> refuse_too_large((1_000, 100), 100_000_000, 2)
    Traceback (most recent call last):
    conceptrank.explorer.payload.TooLargeError: 100,000,000 concepts with 100 attributes take ...
    """
    n, q = shape
    raw = (n + concepts) * -(-q // 8) + concepts * 12 * measures
    if raw > MOST_BYTES:
        raise TooLargeError(
            f"{concepts:,} concepts with {q:,} attributes take up to {raw / 1e6:,.0f} MB: "
            "serve them instead of exporting, or choose a larger minimum support"
        )


def packed(content: Content) -> bytes:
    """Return the bytes that a page reads."""
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
        "objects": content.objects,
        "attributes": content.attributes,
        "concepts": len(content.intents[0]) - 1,
        "minSupport": content.min_support,
        "complete": content.complete,
        "note": content.note,
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


def columns(
    measures: Sequence[MeasureLike], then: Sequence[MeasureLike] | None = None
) -> dict[str, tuple[str, Params]]:
    """Return measures with their parameters by the names that they have on the page.

    Measures that break ties come after the first one. Support is always there, last if it was not
    asked for.

    Examples
    --------
    >>> list(columns(["cr", ("cr", {"side": "extent"}), "cr"])), list(columns(["support", "cr"]))
    (['cr', 'cr(side=extent)', 'support'], ['support', 'cr'])
    """
    measures = [*measures[:1], *(then or ()), *measures[1:]]
    names = [split(measure)[0] for measure in measures]
    others, _ = labelled([m for m, name in zip(measures, names, strict=True) if name != "support"])
    support: dict[str, tuple[str, Params]] = {"support": ("support", {})}
    return support | others if names[:1] == ["support"] else others | support


def tie_breakers(
    shown: Mapping[str, tuple[str, Params]], then: Sequence[MeasureLike] | None
) -> list[str]:
    """Return the names on the page of the measures that break ties at first.

    Examples
    --------
    >>> shown = columns(["cr", "log_stability"])
    >>> tie_breakers(shown, None), tie_breakers(shown, ["support"])
    (['log_stability'], ['support'])
    """
    first = next(iter(shown))
    if then is None:
        return [key for key in (DEFAULT_THEN,) if key in shown and key != first]
    wanted = [split(measure) for measure in then]
    keys = [key for each in wanted for key, measure in shown.items() if measure == each]
    return [key for key in dict.fromkeys(keys) if key != first]


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


def _names(names: tuple[str, ...]) -> dict[str, Any]:
    """Return names as they are, or only where they begin if they count up."""
    for first in (0, 1):
        if all(name == str(number) for number, name in enumerate(names, start=first)):
            return {"count": len(names), "first": first, "names": None, "known": True}
    return {"count": len(names), "first": 0, "names": names, "known": True}
