"""What the page is given: the crosses, the intents and the scores, packed as small as they go.

Extents, covers and minimal generators follow from the crosses and are found in the browser when
they are asked for; scores do not, and come with the data. A score is a place in the list of the
different scores of its measure, so that ties stay ties and no digit is lost.

After four bytes with its length comes a header (JSON), and then without gaps: the rows of the
context and the intents as bits, all first bytes before all second ones; for each measure its
different scores as doubles, the places as unsigned integers of as few bytes as they need, again
byte by byte, and, if some scores are not exact, a bit for each that says so.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank.errors import ConceptRankError
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params, split
from conceptrank.ranking.recipe import labelled

DEFAULT_MEASURES = ("cr", "stability", "separation", "delta_measure")
# A browser tab holds so much without trouble.
MOST_BYTES = 400_000_000
VERSION = 1


class TooLargeError(ConceptRankError, ValueError):
    """There is more than a page can hold."""


def pack(
    lattice: Lattice, measures: Sequence[MeasureLike] = DEFAULT_MEASURES, *, title: str = "concepts"
) -> bytes:
    """Return what the page needs to know about a lattice, compressed.

    Parameters
    ----------
    lattice
        The concepts.
    measures
        The measures to show, the one to sort by first; support is always there.
    title
        What the page is called.

    Raises
    ------
    TooLargeError
        If a browser could not hold it.

    Examples
    --------
    >>> import conceptrank as cr
    >>> len(pack(cr.datasets.load("movies").lattice(), ["cr"])) < 1000
    True
    """
    context = lattice.context
    (n, q), concepts = context.shape, len(lattice)
    wanted = columns(measures)
    raw = (n + concepts) * -(-q // 8) + concepts * 12 * len(wanted)
    if raw > MOST_BYTES:
        raise TooLargeError(
            f"{concepts:,} concepts with {q:,} attributes take up to {raw / 1e6:,.0f} MB: "
            "serve them instead of exporting, or ask for a larger min_support"
        )
    lattice.prepare(list(wanted.values()))
    entries, sections = [], []
    for key, (name, params) in wanted.items():
        entry, section = _scores(lattice, key, name, params)
        entries.append(entry)
        sections.append(section)
    header = {
        "version": VERSION,
        "title": title,
        "objects": _names(context.objects),
        "attributes": context.attributes,
        "concepts": concepts,
        "minSupport": lattice.min_support,
        "complete": lattice.complete,
        "measures": entries,
    }
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode()
    crosses = _planes(*context.rows(), q)
    intents = _planes(*lattice.intents, q)
    whole = b"".join([len(text).to_bytes(4, "little"), text, crosses, intents, *sections])
    # Without a time in it, the same lattice gives the same bytes.
    return gzip.compress(whole, compresslevel=9, mtime=0)


def columns(measures: Sequence[MeasureLike]) -> dict[str, tuple[str, Params]]:
    """Return measures with their parameters by the names that they have on the page.

    Support is always there, last if it was not asked for.

    Examples
    --------
    >>> list(columns(["cr", ("cr", {"side": "extent"}), "cr"])), list(columns(["support", "cr"]))
    (['cr', 'cr(side=extent)', 'support'], ['support', 'cr'])
    """
    names = [split(measure)[0] for measure in measures]
    others, _ = labelled([m for m, name in zip(measures, names, strict=True) if name != "support"])
    support: dict[str, tuple[str, Params]] = {"support": ("support", {})}
    return support | others if names[:1] == ["support"] else others | support


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
    }


def _scores(lattice: Lattice, key: str, name: str, params: Params) -> tuple[dict[str, Any], bytes]:
    scores = lattice.score(name, **params)
    exact = lattice.exact(name, **params)
    # Zero has no sign here: -0.0 and 0.0 are one score.
    values, places = np.unique(scores + 0.0, return_inverse=True)
    size = max(1, (max(len(values) - 1, 0).bit_length() + 7) // 8)
    codes = places.astype("<u4").view(np.uint8).reshape(len(scores), 4)[:, :size]
    inexact = int((~exact).sum())
    entry = description(key, name) | {"distinct": len(values), "bytes": size, "inexact": inexact}
    parts = [values.astype("<f8").tobytes(), np.ascontiguousarray(codes.T).tobytes()]
    if inexact:
        parts.append(np.packbits(~exact, bitorder="little").tobytes())
    return entry, b"".join(parts)


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
            return {"count": len(names), "first": first, "names": None}
    return {"count": len(names), "first": 0, "names": names}
