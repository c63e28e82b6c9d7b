"""Answers to the page from a folder of mined concepts, which is never loaded as a whole.

A concept is known by its place in the parts, one after the other. What stays in memory are the
different scores of each measure, and for the last few queries the places of what they choose.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.batch import Batch
from conceptrank.concept import Concept
from conceptrank.errors import BudgetExceeded
from conceptrank.explorer import axes, rule_list, short_list
from conceptrank.explorer.lattice_source import (
    MOST_COVERS,
    MOST_GENERATORS,
    MOST_POINTS,
    different,
)
from conceptrank.explorer.payload import DEFAULT_THEN, description
from conceptrank.explorer.query import (
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
from conceptrank.plot.suborder import SubOrder

if TYPE_CHECKING:
    import polars as pl

    from conceptrank.context import Context
    from conceptrank.lattice import Lattice
    from conceptrank.runs import Run

# The number of rows of a CSV file that are read at once.
ROWS_AT_ONCE = 100_000


def _refuse(*, extents: bool) -> None:
    if extents:
        raise BadQueryError("a folder of mined concepts has no names of objects")


@dataclass(frozen=True)
class Chosen:
    """The numbers of the concepts that match a query, and the words of it that occur in no name.

    They are in its order except among those of equal score and support, which end at `ends`;
    only where somebody looks are these ordered by their intents, and `ordered` says where.
    Those of equal score end at `tie_ends`; their ranks are `numbers`, or count up if None.
    """

    places: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    ordered: NDArray[np.bool_]
    tie_ends: NDArray[np.uint32]
    unknown: list[str]
    numbers: NDArray[np.int64] | None = None

    def ranks(self, places: NDArray[Any]) -> list[tuple[int, int]]:
        """Return ranks and their sizes for some places in the order."""
        groups = np.searchsorted(self.tie_ends, places, side="right")
        sizes = np.diff(self.tie_ends, prepend=np.uint32(0))[groups]
        numbers = groups + 1 if self.numbers is None else self.numbers[groups]
        return list(zip(numbers.tolist(), sizes.tolist(), strict=True))


class RunSource:
    """Answers from a folder written by `conceptrank mine`.

    The folder keeps no names of objects: extents are counted, not listed, and a search finds
    attributes only.

    Parameters
    ----------
    run
        The run.
    by
        The measure to sort by at first; the first one of the run if None.
    title
        What the page is called; the name of the folder if None.
    then
        The measures that break ties at first; `log_stability` if None and the run has it.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     movies = cr.datasets.load("movies")
    ...     run = cr.runs.mine(movies, directory + "/run", measures=["cr"], workers=1)
    ...     page = RunSource(run).rows(Query("cr", True, "drama -comedy"), 0, 2)
    >>> page["total"], page["rows"][0]["support"], page["rows"][0]["tied"]
    (4, 5, 2)
    """

    def __init__(
        self,
        run: Run,
        *,
        by: str | None = None,
        title: str | None = None,
        then: Sequence[str] | None = None,
    ) -> None:
        self._run = run
        self._title = run.folder.name if title is None else title
        self._keys = keys_of(run, by)
        self._then = tie_breakers_of(run, self._keys, then)
        self._parts = run.parts
        self._ends = np.cumsum(list(self._parts.values()), dtype=np.int64)
        self._spreads = {key: self._spread(key) for key in self._keys}
        self._recent: Recent[Chosen] = Recent()
        self._lock = threading.Lock()
        self._summary_lock = threading.Lock()
        self._rules: dict[str, Answer] = {}
        self._rules_lock = threading.Lock()

    @property
    def keys(self) -> Collection[str]:
        """The measures."""
        return self._keys

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def meta(self) -> Answer:
        """Return the facts about all concepts: names, numbers, measures."""
        run = self._run
        measures = []
        for key, spread in self._spreads.items():
            # A folder stores per row whether all scores are exact, so this is an upper bound.
            inexact = 0 if key == "support" else run.totals["inexact"]
            about = description(key, run.job.measure(key)[0].name)
            measures.append(about | spread.described() | {"inexact": inexact})
        return {
            "title": self._title,
            "objects": self._context.shape[0],
            "objectNames": False,
            "attributes": self._context.attributes,
            "concepts": len(self),
            "minSupport": run.job.min_support,
            "complete": run.complete and run.job.top is None,
            "note": "",
            "more": False,
            "measures": measures,
            "then": self._then,
        }

    def extended(self) -> Source:
        """Refuse: `conceptrank mine` extends a folder."""
        raise BadQueryError("conceptrank mine extends a folder")

    def summary(self) -> Answer:
        """Return the short list; it is computed at the first call."""
        with self._summary_lock:
            return self._summary

    @cached_property
    def _summary(self) -> Answer:
        return short_list_of(self._run, self._listed, patient=True)

    def _listed(self, concepts: Sequence[Concept]) -> list[int]:
        known = self._places_of(concepts)
        return [known.get(tuple(each.intent_numbers.tolist()), -1) for each in concepts]

    def rows(self, query: Query, offset: int, limit: int) -> Answer:
        """Return some rows of the table and the number of all rows."""
        chosen = self._select(query)
        places = self._ordered(chosen, offset, offset + limit)
        return {
            "total": len(chosen.places),
            "rows": self._rows(
                self._fetched(places), chosen.ranks(np.arange(offset, offset + len(places)))
            ),
            "unknown": chosen.unknown,
        }

    def place(self, query: Query, concept: int) -> int:
        """Return the position of a concept in the table; -1 if it does not match the query."""
        chosen = self._select(query)
        found = np.flatnonzero(chosen.places == concept)
        if not len(found):
            return -1
        self._ordered(chosen, int(found[0]), int(found[0]) + 1)
        return int(np.flatnonzero(chosen.places == concept)[0])

    def concept(self, concept: int, objects: int) -> Answer:
        """Return the details of a concept except the names of its objects."""
        del objects
        frame = self._fetched([concept])
        (row,) = self._rows(frame, [(0, 0)])
        one = Concept(self._context, np.array(row["intent"], dtype=np.uint32))
        numbers = self._context.attribute_names.numbers
        try:
            generators, cut = one.generators(side="intent", limit=MOST_GENERATORS), False
        except BudgetExceeded:
            generators, cut = (), True
        upper, lower = one.upper_covers, one.lower_covers
        known = self._places_of([*upper, *lower])
        return {
            "row": row,
            "extent": [],
            "relevant": numbers(one.relevant_attributes).tolist(),
            "generators": [numbers(each).tolist() for each in generators],
            "generatorsCut": cut,
            "upper": [_cover(one, each, known) for each in upper],
            "lower": [_cover(one, each, known) for each in lower],
            "inexact": [key for key in self._keys if not exact_scores(self._run, frame, key).all()],
        }

    def suborder(self, query: Query, view: View, concept: int, most: int) -> Answer:
        """Return a part of the order to draw."""
        frame, found = self._part(query, view, concept, most)
        frame = _in_lattice_order(frame)
        intents = [np.array(each, dtype=np.uint32) for each in frame["intent"].to_list()]
        batch = Batch(self._context, _lists.joined(intents))
        covers = SubOrder(batch, np.arange(len(frame)), view).covers.tolist()
        chosen, ids = self._select(query), frame["id"].to_numpy()
        inside = np.flatnonzero(np.isin(chosen.places, ids))
        ranks = dict(zip(chosen.places[inside].tolist(), chosen.ranks(inside), strict=True))
        own = self._own_counts(intents, covers)
        nodes = [
            row | {"matches": row["rank"] > 0, "own": [], "ownCount": count}
            for row, count in zip(
                self._rows(frame, [ranks.get(each, (0, 0)) for each in ids.tolist()]),
                own,
                strict=True,
            )
        ]
        edges = sorted((upper, lower) for lower, upper in covers)
        edges.sort(key=lambda edge: edge[1])
        support = int(frame["support"][-1]) if len(frame) else 0
        return {"nodes": nodes, "edges": edges, "found": found, "support": support}

    def facets(self, query: Query) -> Answer:
        """Return the number of matching concepts with each attribute."""
        import polars as pl

        if query.diverse:
            rows = self._fetched(self._select(query).places).lazy()
        else:
            condition, _ = self._condition(query)
            rows = self._all.filter(condition)
        attributes = rows.select(pl.col("intent").explode()).drop_nulls()
        found = _collected(attributes.group_by("intent").agg(pl.len().alias("how many")))
        counts = np.zeros(self._context.shape[1], dtype=np.int64)
        counts[found["intent"].to_numpy()] = found["how many"].to_numpy()
        return {"counts": counts.tolist()}

    def cloud(self, query: Query, x: str, y: str, scale: Scale) -> Answer:
        """Return the points or cells of a plot of two measures."""
        chosen = self._select(query)
        shape = {"columns": axes.COLUMNS, "rows": axes.ROWS}
        if len(chosen.places) <= MOST_POINTS:
            places = self._ordered(chosen, 0, len(chosen.places))
            frame = self._fetched(places)
            a, b = _scores(frame, x), _scores(frame, y)
            finite = np.isfinite(a) & np.isfinite(b)
            found = (each[finite].tolist() for each in (places, a, b))
            points = list(zip(*found, strict=True))
            return shape | {"total": len(points), "points": points, "grid": None}
        condition, _ = self._condition(query)
        cells = np.zeros(axes.COLUMNS * axes.ROWS, dtype=np.int64)
        for part in self._scans():
            frame = _collected(part.filter(condition).select({x, y}))
            a, b = _scores(frame, x), _scores(frame, y)
            finite = np.isfinite(a) & np.isfinite(b)
            across = self._spreads[x].axis.positions(a[finite], scale)
            cells += axes.counted(across, self._spreads[y].axis.positions(b[finite], scale))
        return shape | {"total": int(cells.sum()), "points": None, "grid": cells.tolist()}

    def rules(self, basis: str) -> Answer:
        """Return the rules of a basis that the page lists; computed at the first call."""
        with self._rules_lock:
            if basis not in self._rules:
                self._rules[basis] = rule_list.of_run(self._frequent, basis, self._listed)
        return self._rules[basis]

    @cached_property
    def _frequent(self) -> Lattice | None:
        return frequent(self._run, self._spreads["support"])

    def closed(self, sets: Sequence[Sequence[int]]) -> list[Answer]:
        """Return the concepts that sets of attributes generate."""
        names = self._context.attributes
        concepts = [self._context.concept(*(names[m] for m in each)) for each in sets]
        return [
            {"id": place, "intent": one.intent_numbers.tolist(), "support": one.support}
            for place, one in zip(self._listed(concepts), concepts, strict=True)
        ]

    def csv(self, query: Query, columns: Sequence[str], *, extents: bool = False) -> Iterator[str]:
        """Return the table as CSV in pieces; a folder has no names of objects."""
        _refuse(extents=extents)
        return self._lines(query, columns)

    def _lines(self, query: Query, columns: Sequence[str]) -> Iterator[str]:
        names, keys = self._context.attributes, list(self._keys)
        yield line(["rank", *columns, "intent"])
        for row in self._every(query):
            scores = [row["scores"][keys.index(key)] for key in columns]
            intent = "; ".join(names[m] for m in row["intent"])
            yield line([row["rank"], *("" if s is None else s for s in scores), intent])

    def frame(self, query: Query, columns: Sequence[str], *, extents: bool = False) -> pl.DataFrame:
        """Return the table as a frame, with lists of names."""
        _refuse(extents=extents)
        return framed(self._every(query), list(self._keys), columns, self._context.attributes)

    def _every(self, query: Query) -> Iterator[Answer]:
        chosen = self._select(query)
        for begin in range(0, len(chosen.places), ROWS_AT_ONCE):
            places = self._ordered(chosen, begin, begin + ROWS_AT_ONCE)
            ranks = chosen.ranks(np.arange(begin, begin + len(places)))
            yield from self._rows(self._fetched(places), ranks)

    @property
    def _context(self) -> Context:
        return self._run.context

    def _scans(self, wanted: Collection[int] | None = None) -> list[pl.LazyFrame]:
        """Return the parts, or some of them, with the places of their concepts as `id`."""
        import polars as pl

        begins = (self._ends - list(self._parts.values())).tolist()
        return [
            pl.scan_parquet(path).with_row_index("id", offset=begin)
            for number, (path, begin) in enumerate(zip(self._parts, begins, strict=True))
            if wanted is None or number in wanted
        ] or [pl.DataFrame(schema={"id": pl.UInt32(), **self._run.schema}).lazy()]

    @cached_property
    def _all(self) -> pl.LazyFrame:
        import polars as pl

        return pl.concat(self._scans())

    def _spread(self, key: str) -> Spread:
        import polars as pl

        counted = _collected(self._all.group_by(key).agg(pl.len().alias("how many")))
        values, places = np.unique(_scores(counted, key), return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places, counted["how many"].to_numpy())
        return Spread(values, counts)

    def _fetched(self, places: Sequence[int] | NDArray[np.uint32]) -> pl.DataFrame:
        """Return the rows of some concepts, in the order given."""
        import polars as pl

        wanted = np.asarray(places, dtype=np.uint32)
        parts = set(np.searchsorted(self._ends, wanted, side="right").tolist())
        inside = pl.col("id").is_in(pl.Series(wanted, dtype=pl.UInt32).implode())
        found = _collected(pl.concat(self._scans(parts)).filter(inside)).sort("id")
        return found[np.searchsorted(found["id"].to_numpy(), wanted)] if len(found) else found

    def _rows(self, frame: pl.DataFrame, ranks: Sequence[tuple[int, int]]) -> list[Answer]:
        """Return rows with these ranks and numbers of concepts that share them."""
        scores = zip(*(_scores(frame, key).tolist() for key in self._keys), strict=True)
        supports, intents = frame["support"].to_list(), frame["intent"].to_list()
        ids = frame["id"].to_list()
        return [
            {
                "id": place,
                "rank": rank,
                "tied": tied,
                "intent": intent,
                "support": support,
                "scores": list(map(plain, own)),
            }
            for place, (rank, tied), intent, support, own in zip(
                ids, ranks, intents, supports, scores, strict=True
            )
        ]

    def _places_of(self, concepts: Sequence[Concept]) -> dict[tuple[int, ...], int]:
        """Return the places of those concepts that the folder has, by their intents."""
        import polars as pl

        schema = {name: self._run.schema[name] for name in ("intent", "support")}
        intents = [each.intent_numbers.tolist() for each in concepts]
        supports = [each.support for each in concepts]
        wanted = pl.LazyFrame({"intent": intents, "support": supports}, schema=schema)
        rows = self._all.select("id", *schema).filter(
            pl.col("support").is_in(pl.Series(supports, dtype=pl.UInt32).implode())
        )
        found = _collected(rows.join(wanted, on=list(schema), how="semi"))
        places = found["id"].to_list()
        return dict(zip(map(tuple, found["intent"].to_list()), places, strict=True))

    def _part(self, query: Query, view: View, concept: int, most: int) -> tuple[pl.DataFrame, int]:
        import polars as pl

        if view == "top":
            chosen = self._select(query)
            return self._fetched(self._ordered(chosen, 0, most)), len(chosen.places)
        if view == "iceberg":
            least = least_support(self._spreads["support"], most)
            return self._first(pl.col("support") >= least, most), len(self)
        if view == "near":
            return self._near(query, concept)
        own = self._fetched([concept])["intent"][0]
        literal = pl.lit(own.implode()) if len(own) else pl.lit([], dtype=own.implode().dtype)
        common = pl.col("intent").list.set_intersection(literal).list.len()
        related = common == (len(own) if view == "below" else pl.col("intent").list.len())
        found = int(_collected(self._all.filter(related).select(pl.len())).item())
        return self._first(related, most, nearest_above=view == "above"), found

    def _first(self, condition: pl.Expr, most: int, *, nearest_above: bool = False) -> pl.DataFrame:
        """Return the first rows in the order of lattices, or in the opposite one."""
        descending = [not nearest_above, nearest_above]
        rows = self._all.filter(condition).sort("support", "intent", descending=descending)
        return _collected(rows.head(most))

    def _near(self, query: Query, concept: int) -> tuple[pl.DataFrame, int]:
        answer = self.concept(concept, 0)
        places, found = [concept], 1
        for side in ("upper", "lower"):
            covers = [cover["id"] for cover in answer[side] if cover["id"] >= 0]
            found += len(covers)
            if len(covers) > MOST_COVERS:
                frame = self._fetched(covers)
                # Parts are in the order of lattices, which breaks ties.
                keys = [
                    -_scores(frame, key) if descending else _scores(frame, key)
                    for key, descending in reversed(query.sorting)
                ]
                covers = [covers[i] for i in np.lexsort(keys)[:MOST_COVERS]]
            places += covers
        return self._fetched(places), found

    @cached_property
    def _columns(self) -> tuple[_lists.Lists, NDArray[Any]]:
        """The different rows of the context by attribute, and how many objects have each."""
        from conceptrank.runs import pack

        packed = pack(self._context)
        return _lists.transposed(packed.rows, len(packed.attributes)), packed.weights

    def _own_counts(
        self, intents: Sequence[NDArray[np.uint32]], covers: Sequence[Sequence[int]]
    ) -> list[int]:
        """Return how many objects each concept has that none of these below it has."""
        weights = self._columns[1]
        extents = [np.flatnonzero(self._extent(intent.tolist())) for intent in intents]
        below: list[list[NDArray[np.int64]]] = [[] for _ in intents]
        for lower, upper in covers:
            below[upper].append(extents[lower])
        counts = []
        for own, others in zip(extents, below, strict=True):
            left = np.setdiff1d(own, np.concatenate(others)) if others else own
            counts.append(int(weights[left].sum(dtype=np.int64)))
        return counts

    def _extent(self, intent: Iterable[int]) -> NDArray[np.bool_]:
        """Return which of the different rows have all of these attributes."""
        (offsets, rows), weights = self._columns
        extent = np.ones(len(weights), dtype=bool)
        for m in intent:
            holds = np.zeros(len(weights), dtype=bool)
            holds[rows[offsets[m] : offsets[m + 1]]] = True
            extent &= holds
        return extent

    def _select(self, query: Query) -> Chosen:
        return self._recent.get(query.key, lambda: self._selected(query))

    def _selected(self, query: Query) -> Chosen:
        import polars as pl

        if query.diverse:
            return self._diverse(self._select(replace(query, diverse=False)))
        condition, unknown = self._condition(query)
        keys = [f"key {number}" for number in range(len(query.sorting))]
        scores = [
            # Make -0.0 and 0.0 one score.
            (pl.col(key).cast(pl.Float64) + 0.0).fill_nan(None).alias(alias)
            for alias, (key, _) in zip(keys, query.sorting, strict=True)
        ]
        downwards = [descending for _, descending in query.sorting]
        found = _collected(
            self._all.filter(condition)
            .select("id", "support", *scores)
            .sort(*keys, "support", descending=[*downwards, True], nulls_last=True)
        )
        ends = _run_ends(found, [*keys, "support"])
        places = found["id"].to_numpy().copy()
        ordered = np.diff(ends, prepend=np.uint32(0)) == 1
        return Chosen(places, ends, ordered, _run_ends(found, keys), unknown)

    def _diverse(self, chosen: Chosen) -> Chosen:
        """Keep each of the first concepts that shares few objects with every kept one."""
        places = self._ordered(chosen, 0, MOST_LOOKED_AT)
        intents = self._fetched(places)["intent"].to_list() if len(places) else []
        kept = np.array(different(map(self._extent, intents), self._columns[1]), dtype=np.int64)
        groups = np.searchsorted(chosen.tie_ends, kept, side="right")
        numbers, counts = np.unique(groups + 1, return_counts=True)
        ends = np.arange(1, len(kept) + 1, dtype=np.uint32)
        tie_ends = np.cumsum(counts).astype(np.uint32)
        ordered = np.ones(len(kept), dtype=bool)
        return Chosen(places[kept], ends, ordered, tie_ends, chosen.unknown, numbers)

    def _ordered(self, chosen: Chosen, begin: int, end: int) -> NDArray[np.uint32]:
        """Return some of the places in the order of the query."""
        import polars as pl

        end = min(end, len(chosen.places))
        if begin >= end:
            return chosen.places[:0]
        first, last = np.searchsorted(chosen.ends, (begin, end - 1), side="right").tolist()
        low = int(chosen.ends[first - 1]) if first else 0
        places = chosen.places[low : int(chosen.ends[last])].copy()
        if not chosen.ordered[first : last + 1].all():
            sizes = np.diff(chosen.ends[first : last + 1], prepend=np.uint32(low))
            group = pl.Series("group", np.repeat(np.arange(len(sizes)), sizes))
            intents = self._fetched(places).select("id", "intent").with_columns(group)
            places = intents.sort("group", "intent")["id"].to_numpy().copy()
            with self._lock:
                chosen.places[low : low + len(places)] = places
                chosen.ordered[first : last + 1] = True
        return places[begin - low : end - low]

    def _condition(self, query: Query) -> tuple[pl.Expr, list[str]]:
        """Return a query as a condition, and the words of it that occur in no attribute."""
        import polars as pl

        condition = pl.lit(value=True)
        for key, (low, high) in query.limits.items():
            score = pl.col(key).cast(pl.Float64)
            if low is not None:
                condition &= score.is_not_nan() & (score >= low)
            if high is not None:
                condition &= score.is_not_nan() & (score <= high)
        unknown = []
        for term in terms(query.search):
            meant = [] if term.side == "object" else term.matching(self._context.attributes)
            if not meant:
                unknown.append(term.text)
            among = pl.lit(pl.Series(meant, dtype=pl.UInt32).implode())
            holds = pl.col("intent").list.set_intersection(among).list.len() > 0
            condition &= holds != term.negated if meant else pl.lit(term.negated)
        return condition, unknown


def tie_breakers_of(run: Run, keys: Sequence[str], then: Sequence[str] | None) -> list[str]:
    """Return the measures that break ties by default."""
    wanted = [DEFAULT_THEN] if then is None else [run.column_of(each)[0] for each in then]
    return [key for key in dict.fromkeys(wanted) if key in keys and key != keys[0]]


def short_list_of(
    run: Run, places: Callable[[Sequence[Concept]], list[int]], *, patient: bool = False
) -> Answer:
    """Return the short list of a run's table; see `short_list.of_lattice`."""
    most = short_list.MOST_CELLS_SERVED if patient else short_list.MOST_CELLS
    if (refused := short_list.too_large(run.context, most)) is not None:
        return refused
    seconds = short_list.SECONDS_SERVED if patient else None
    summary = short_list.summarized(run.context, large=not run.complete, seconds=seconds)
    return short_list.described(summary, places, names=False)


def frequent(run: Run, supports: Spread) -> Lattice | None:
    """Return the lattice that the rules of a run come from; None if the run left concepts out.

    A folder keeps no covers, so the most frequent concepts are mined again.
    """
    if not run.complete or run.job.top is not None or run.job.constraints:
        return None
    most = rule_list.most_concepts(run.context)
    least = 0 if supports.counts.sum() <= most else least_support(supports, most)
    return run.context.lattice(min_support=max(1, run.job.min_support, least))


def least_support(supports: Spread, most: int) -> int:
    """Return the least support of the largest iceberg that has at most so many concepts."""
    upwards = np.cumsum(supports.counts[::-1])
    fitting = int(np.searchsorted(upwards, most, side="right"))
    # If even the concepts of the largest support are too many, take some of them.
    return int(supports.values[::-1][max(fitting, 1) - 1]) if len(upwards) else 0


def keys_of(run: Run, by: str | None) -> list[str]:
    """Return the measures of a run, the one to sort by first."""
    first, _ = run.column_of(by)
    return list(dict.fromkeys([first, *run.measures, "support"]))


def exact_scores(run: Run, frame: pl.DataFrame, key: str) -> NDArray[np.bool_]:
    """Return which scores by a measure are exact.

    A row only says whether all its scores are exact. If not, this measure is checked again.
    """
    exact = frame["exact"].to_numpy().copy()
    if key == "support":
        exact[:] = True
    elif not exact.all():
        measure, params = run.job.measure(key)
        intents = [np.array(each, np.uint32) for each in frame["intent"].filter(~frame["exact"])]
        exact[~exact] = measure.exact(Batch(run.context, _lists.joined(intents)), params)
    return exact


def _scores(frame: pl.DataFrame, key: str) -> NDArray[np.float64]:
    # Make -0.0 and 0.0 one score.
    scores: NDArray[np.float64] = frame[key].to_numpy().astype(np.float64) + 0.0
    return scores


def _run_ends(frame: pl.DataFrame, keys: Sequence[str]) -> NDArray[np.uint32]:
    """Return where runs of rows with equal keys end."""
    import polars as pl

    runs = frame.select(pl.struct(keys).rle_id()).to_series().to_numpy()
    ends = np.flatnonzero(np.append(np.diff(runs.astype(np.int64)) > 0, len(runs) > 0)) + 1
    return ends.astype(np.uint32)


def _in_lattice_order(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sort("support", "intent", descending=[True, False])


def _collected(frame: pl.LazyFrame) -> pl.DataFrame:
    return frame.collect(engine="streaming")


def _cover(one: Concept, other: Concept, known: dict[tuple[int, ...], int]) -> Answer:
    return {
        "id": known.get(tuple(other.intent_numbers.tolist()), -1),
        "intent": other.intent_numbers.tolist(),
        "support": other.support,
        "difference": np.setxor1d(one.intent_numbers, other.intent_numbers).tolist(),
    }
