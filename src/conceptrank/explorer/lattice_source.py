"""`LatticeSource`: answers the page's requests from a lattice in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.concept import Concept
from conceptrank.errors import BudgetExceeded
from conceptrank.explorer import axes, rule_list, short_list
from conceptrank.explorer.payload import columns, description, tie_breakers
from conceptrank.explorer.query import (
    MOST_DIVERSE,
    MOST_LOOKED_AT,
    Answer,
    BadQueryError,
    Query,
    Scale,
    Source,
    View,
    terms,
)
from conceptrank.explorer.recent import Recent
from conceptrank.explorer.spread import Spread, framed, line, plain
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.plot.suborder import SubOrder

if TYPE_CHECKING:
    import polars as pl

    from conceptrank.summary.summary import Summary

# The same limits as in the page (`local.ts`).
MOST_GENERATORS = 400
MOST_COVERS = 12
# One bit per object in a word of 64.
MOST_OBJECTS_MEANT = 64
OWN_SHOWN = 6
MOST_POINTS = 4_000


@dataclass(frozen=True)
class Selection:
    """The concepts that match a query, in its order, and the words of it that occur in no name."""

    order: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    unknown: list[str]
    # The rank of each concept, 0 if it does not match, and the number of concepts of each rank.
    ranks: NDArray[np.int64]
    sizes: NDArray[np.int64]


@dataclass(frozen=True)
class Scored(Spread):
    """The scores of a measure as indices into the list of its different scores."""

    codes: NDArray[np.int64]
    exact: NDArray[np.bool_]


class LatticeSource:
    """Answers from a lattice.

    Parameters
    ----------
    lattice
        The concepts.
    measures
        The measures to show; support is always there.
    title
        The title of the page.
    then
        The measures that break ties by default; `log_stability` if None and it is shown.
    note
        A note on missing concepts.
    summary
        The short list; if None, it is computed at the first request.
    more
        Returns a source with more concepts; None if there are no more.

    Examples
    --------
    >>> import conceptrank as cr
    >>> source = LatticeSource(cr.datasets.load("movies").lattice(), ["cr"], title="movies")
    >>> page = source.rows(Query("cr", True, "drama -comedy"), 0, 2)
    >>> page["total"], page["rows"][0]["support"], page["rows"][0]["tied"]
    (4, 5, 2)
    """

    def __init__(
        self,
        lattice: Lattice,
        measures: Sequence[MeasureLike],
        *,
        title: str,
        then: Sequence[MeasureLike] | None = None,
        note: str = "",
        summary: Summary | None = None,
        more: Callable[[], LatticeSource] | None = None,
    ) -> None:
        self._lattice = lattice
        self._note = note
        self._known_summary = summary
        self._more = more
        self._title = title
        self._supports = lattice.supports
        wanted = columns(measures, then)
        self._then = tie_breakers(wanted, then)
        lattice.prepare(list(wanted.values()))
        self._scored: dict[str, Scored] = {}
        self._described: list[Answer] = []
        columns_of = [
            (lattice.score(name, **params), lattice.exact(name, **params))
            for name, params in wanted.values()
        ]
        # Sorting millions of scores takes most of the time, and NumPy releases the lock for it.
        with ThreadPoolExecutor(lattice.threads or None) as pool:
            scored = pool.map(_scored, columns_of)
            self._scored.update(zip(wanted, scored, strict=True))
        for key, (name, _) in wanted.items():
            self._described.append(description(key, name))
        self._recent: Recent[Selection] = Recent()
        self._summary_lock = threading.Lock()
        self._rules: dict[str, Answer] = {}
        self._rules_lock = threading.Lock()

    @property
    def keys(self) -> Collection[str]:
        """The measures."""
        return self._scored.keys()

    def __len__(self) -> int:
        return len(self._lattice)

    def meta(self) -> Answer:
        """Return the facts about all concepts: names, numbers, measures."""
        context = self._lattice.context
        measures = []
        for entry, scored in zip(self._described, self._scored.values(), strict=True):
            measures.append(entry | scored.described() | {"inexact": int((~scored.exact).sum())})
        return {
            "title": self._title,
            "objects": context.shape[0],
            "objectNames": True,
            "attributes": context.attributes,
            "concepts": len(self._lattice),
            "minSupport": self._lattice.min_support,
            "complete": self._lattice.complete,
            "note": self._note,
            "more": self._more is not None,
            "measures": measures,
            "then": self._then,
        }

    def extended(self) -> Source:
        """Return a source with more concepts."""
        if self._more is None:
            raise BadQueryError("there are no more concepts to find")
        return self._more()

    def summary(self) -> Answer:
        """Return the short list; it is computed at the first call."""
        with self._summary_lock:
            return self._summary

    @cached_property
    def _summary(self) -> Answer:
        return short_list.of_lattice(self._lattice, patient=True, summary=self._known_summary)

    def rows(self, query: Query, offset: int, limit: int) -> Answer:
        """Return some rows of the table and the number of all rows."""
        selection = self._select(query)
        ids = selection.order[offset : offset + limit].tolist()
        return {
            "total": len(selection.order),
            "rows": [self._row(each, query) for each in ids],
            "unknown": selection.unknown,
        }

    def place(self, query: Query, concept: int) -> int:
        """Return the position of a concept in the table; -1 if it does not match the query."""
        found = np.flatnonzero(self._select(query).order == concept)
        return int(found[0]) if len(found) else -1

    def concept(self, concept: int, objects: int) -> Answer:
        """Return the details of a concept, with the names of its first objects."""
        one = self._lattice[concept]
        numbers = self._lattice.context.attribute_names.numbers
        try:
            generators = one.generators(side="intent", limit=MOST_GENERATORS)
            cut = False
        except BudgetExceeded:
            generators, cut = (), True
        inexact = [key for key, scored in self._scored.items() if not scored.exact[concept]]
        return {
            "row": self._row(concept, None),
            "extent": one.extent[:objects],
            "relevant": numbers(one.relevant_attributes).tolist(),
            "generators": [numbers(each).tolist() for each in generators],
            "generatorsCut": cut,
            "upper": [self._cover(one, each) for each in one.upper_covers],
            "lower": [self._cover(one, each) for each in one.lower_covers],
            "inexact": inexact,
        }

    def suborder(self, query: Query, view: View, concept: int, most: int) -> Answer:
        """Return a part of the order to draw."""
        ids, found = self._part(query, view, concept, most)
        part = SubOrder.of(self._lattice, ids, view)
        chosen = self._select(query).chosen
        nodes = []
        context = self._lattice.context
        weights = context.weights if context.weighted else None
        for place, own in zip(part.places.tolist(), part.own_object_numbers, strict=True):
            more = {
                "matches": bool(chosen[place]),
                "own": context.object_names.of(own[:OWN_SHOWN].tolist()),
                "ownCount": len(own) if weights is None else int(weights[own].sum()),
            }
            nodes.append(self._row(place, query) | more)
        edges = sorted((upper, lower) for lower, upper in part.covers.tolist())
        edges.sort(key=lambda edge: edge[1])
        return {
            "nodes": nodes,
            "edges": edges,
            "found": found,
            "support": int(self._supports[part.places[-1]]) if len(part) else 0,
        }

    def facets(self, query: Query) -> Answer:
        """Return the number of matching concepts with each attribute."""
        _, values = _lists.take(self._lattice.intents, self._select(query).order)
        counts = np.bincount(values, minlength=len(self._lattice.context.attributes))
        return {"counts": counts.tolist()}

    def cloud(self, query: Query, x: str, y: str, scale: Scale) -> Answer:
        """Return the points or cells of a plot of two measures."""
        across, upwards = self._scored[x], self._scored[y]
        order = self._select(query).order
        a, b = across.values[across.codes[order]], upwards.values[upwards.codes[order]]
        finite = np.isfinite(a) & np.isfinite(b)
        order, a, b = order[finite], a[finite], b[finite]
        shape = {"total": len(order), "columns": axes.COLUMNS, "rows": axes.ROWS}
        if len(finite) <= MOST_POINTS:
            points = list(zip(order.tolist(), a.tolist(), b.tolist(), strict=True))
            return shape | {"points": points, "grid": None}
        cells = axes.counted(across.axis.positions(a, scale), upwards.axis.positions(b, scale))
        return shape | {"points": None, "grid": cells.tolist()}

    def rules(self, basis: str) -> Answer:
        """Return the rules of a basis that the page lists; computed at the first call."""
        with self._rules_lock:
            if basis not in self._rules:
                self._rules[basis] = rule_list.of_lattice(self._lattice, basis)
        return self._rules[basis]

    def closed(self, sets: Sequence[Sequence[int]]) -> list[Answer]:
        """Return the concepts that sets of attributes generate."""
        context, found = self._lattice.context, []
        for each in sets:
            one = context.concept(*(context.attributes[m] for m in each))
            place = self._lattice.find(one.intent_numbers, one.support)
            known = {"intent": one.intent_numbers.tolist(), "support": one.support}
            found.append({"id": -1 if place is None else place, **known})
        return found

    def csv(self, query: Query, columns: Sequence[str], *, extents: bool = False) -> Iterator[str]:
        """Return the table as CSV in pieces, optionally with the objects of each concept."""
        names = self._lattice.context.attributes
        keys = list(self._scored)
        yield line(["rank", *columns, "intent", *(["extent"] if extents else [])])
        for each in self._select(query).order.tolist():
            row = self._row(each, query)
            scores = [row["scores"][keys.index(key)] for key in columns]
            lists = ["; ".join(names[m] for m in row["intent"])]
            if extents:
                lists.append("; ".join(self._lattice[each].extent))
            yield line([row["rank"], *("" if s is None else s for s in scores), *lists])

    def frame(self, query: Query, columns: Sequence[str], *, extents: bool = False) -> pl.DataFrame:
        """Return the table as a frame, with lists of names."""
        order = self._select(query).order.tolist()
        rows = (self._row(each, query) for each in order)
        frame = framed(rows, list(self._scored), columns, self._lattice.context.attributes)
        if not extents:
            return frame
        import polars as pl

        found = [self._lattice[each].extent for each in order]
        return frame.with_columns(pl.Series("extent", found, dtype=pl.List(pl.String)))

    def _row(self, concept: int, query: Query | None) -> Answer:
        rank = tied = 0
        if query is not None:
            selection = self._select(query)
            rank = int(selection.ranks[concept])
            tied = int(selection.sizes[rank])
        return {
            "id": concept,
            "rank": rank,
            "tied": tied,
            "intent": self._intent(concept).tolist(),
            "support": int(self._supports[concept]),
            "scores": [
                plain(float(each.values[each.codes[concept]])) for each in self._scored.values()
            ],
        }

    def _intent(self, concept: int) -> NDArray[Any]:
        offsets, values = self._lattice.intents
        return values[offsets[concept] : offsets[concept + 1]]

    def _cover(self, one: Concept, other: Concept) -> Answer:
        place = self._lattice.find(other.intent_numbers, other.support)
        return {
            "id": -1 if place is None else place,
            "intent": other.intent_numbers.tolist(),
            "support": other.support,
            "difference": np.setxor1d(one.intent_numbers, other.intent_numbers).tolist(),
        }

    def _part(
        self, query: Query, view: View, concept: int, most: int
    ) -> tuple[NDArray[np.int64], int]:
        if view == "top":
            order = self._select(query).order
            return order[:most], len(order)
        if view == "iceberg":
            part = SubOrder.largest_iceberg(self._lattice, most).places
            # If even the concepts of the largest support are too many, take some of them.
            return (part if len(part) else np.arange(min(most, len(self)))), len(self)
        if view == "near":
            return self._near(query, concept)
        offsets, values = self._lattice.intents
        own = self._intent(concept)
        common = _lists.reduced(np.add, (offsets, np.isin(values, own).astype(np.int64)), empty=0)
        needed = len(own) if view == "below" else np.diff(offsets)
        related = np.flatnonzero(common == needed)
        # Nearest in support first.
        if view == "above":
            related = related[::-1]
        return related[:most], len(related)

    def _near(self, query: Query, concept: int) -> tuple[NDArray[np.int64], int]:
        answer = self.concept(concept, 0)
        ids, found = [concept], 1
        for side in ("upper", "lower"):
            covers = np.array([c["id"] for c in answer[side] if c["id"] >= 0], dtype=np.int64)
            found += len(covers)
            if len(covers) > MOST_COVERS:
                covers = covers[np.lexsort((covers, *self._sorting(query, covers)))[:MOST_COVERS]]
            ids += covers.tolist()
        return np.array(ids), found

    def _select(self, query: Query) -> Selection:
        return self._recent.get(query.key, lambda: self._selected(query))

    def _selected(self, query: Query) -> Selection:
        chosen = np.ones(len(self), dtype=bool)
        for key, (low, high) in query.limits.items():
            if low is None and high is None:
                continue
            scored = self._scored[key]
            numbers = scored.values[: scored.numbers]
            begin = 0 if low is None else int(np.searchsorted(numbers, low))
            end = len(numbers) if high is None else int(np.searchsorted(numbers, high, "right"))
            chosen &= (scored.codes >= begin) & (scored.codes < end)
        unknown = self._search(query.search, chosen)
        ids = np.flatnonzero(chosen)
        keys = self._sorting(query, ids)
        places = _sorted(keys)
        order = ids[places]
        begins = np.zeros(len(ids), dtype=np.int64)
        begins[:1] = 1
        for codes in keys:
            begins[1:] |= np.diff(codes[places]) != 0
        ranks = np.zeros(len(self), dtype=np.int64)
        ranks[order] = np.cumsum(begins)
        sizes = np.bincount(ranks[order], minlength=1)
        if query.diverse:
            order = self._diverse(order)
            chosen = np.zeros(len(self), dtype=bool)
            chosen[order] = True
            ranks[~chosen] = 0
            sizes = np.bincount(ranks[order], minlength=len(sizes))
        return Selection(order, chosen, unknown, ranks, sizes)

    def _diverse(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keep each concept whose Jaccard index with every kept one is at most 1/2."""
        weights = self._lattice.context.weights

        def masks() -> Iterator[NDArray[np.bool_]]:
            for place in order[:MOST_LOOKED_AT].tolist():
                mask = np.zeros(len(weights), dtype=bool)
                mask[self._lattice[place].extent_numbers] = True
                yield mask

        return order[different(masks(), weights)]

    def _sorting(self, query: Query, ids: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return numbers that grow in the order of the table; the last array is the primary key.

        What has no score comes last.
        """
        keys = []
        for key, descending in reversed(query.sorting):
            scored = self._scored[key]
            codes = scored.codes[ids]
            if descending:
                last = scored.numbers - 1
                codes = np.where(codes <= last, last - codes, codes)
            keys.append(codes)
        return keys

    def _search(self, search: str, chosen: NDArray[np.bool_]) -> list[str]:
        """Restrict to the concepts that match; return the words that occur in no name."""
        context = self._lattice.context
        rows, crosses = context.rows()
        unknown = []
        for term in terms(search):
            attributes = [] if term.side == "object" else term.matching(context.attributes)
            objects = (
                []
                if term.side == "attribute"
                else term.matching(context.objects, MOST_OBJECTS_MEANT)
            )
            if not attributes and not objects:
                unknown.append(term.text)
            offsets, values = self._lattice.intents
            named = np.zeros(len(context.attributes), dtype=np.uint8)
            named[attributes] = 1
            holds = _lists.reduced(np.maximum, (offsets, named[values]), empty=0) > 0
            if objects:
                # A bit per object: an intent is in the row if all of its attributes are.
                bits = np.zeros(len(context.attributes), dtype=np.uint64)
                for bit, number in enumerate(objects):
                    bits[crosses[rows[number] : rows[number + 1]]] |= np.uint64(1 << bit)
                every = (1 << len(objects)) - 1
                holds |= _lists.reduced(np.bitwise_and, (offsets, bits[values]), empty=every) != 0
            chosen &= holds != term.negated
        return unknown


def different(masks: Iterable[NDArray[np.bool_]], weights: NDArray[Any]) -> list[int]:
    """Return the indices of the sets whose Jaccard index with every kept one is at most 1/2.

    Empty sets are left out, and so is what comes after as many as a page shows.

    Examples
    --------
    >>> masks = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool)
    >>> different(masks, np.ones(4, dtype=np.int64))
    [0, 2]
    """
    kept = list[int]()
    known: list[tuple[NDArray[np.bool_], int]] = []
    for place, mask in enumerate(masks):
        size = int(weights[mask].sum())
        if size == 0 or any(
            3 * int(weights[mask & other].sum()) > size + others for other, others in known
        ):
            continue
        kept.append(place)
        known.append((mask, size))
        if len(kept) == MOST_DIVERSE:
            break
    return kept


def _scored(column: tuple[NDArray[np.float64], NDArray[np.bool_]]) -> Scored:
    scores, exact = column
    values, codes, counts = np.unique(scores + 0.0, return_inverse=True, return_counts=True)
    return Scored(values, counts, codes, exact)


def _sorted(keys: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return `np.lexsort(keys)` for non-negative integers, sorted 16 bits at a time for speed.

    Examples
    --------
    >>> _sorted([np.array([70_000, 5, 5, 0]), np.array([1, 1, 1, 0])]).tolist()
    [3, 1, 2, 0]
    """
    order = np.arange(len(keys[0]))
    for key in keys:
        for shift in range(0, int(key.max(initial=0)).bit_length(), 16):
            digits = (key >> shift).astype(np.uint16)
            order = order[np.argsort(digits[order], kind="stable")]
    return order
