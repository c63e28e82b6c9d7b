"""What a page shows: of a lattice, of the best concepts of a table, or of the folder of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists
from conceptrank.budget import Budget, current_watch, support_threshold
from conceptrank.concept import Concept
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError
from conceptrank.explorer import rule_list, short_list
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params, split
from conceptrank.query import labelled
from conceptrank.ranking import order
from conceptrank.summary.summary import Summary

if TYPE_CHECKING:
    from conceptrank.runs import Run

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
# The most concepts of a page: more make it slow.
MOST_CONCEPTS = 300_000
# The size that a browser tab can hold without trouble.
MOST_BYTES = 400_000_000
# The best concepts of a table that is too large to mine: how many to look for, and how long.
BEST_CONCEPTS = 1_000
BEST_SECONDS = 10.0
# The longest search for the short list of such a table.
SUMMARY_SECONDS = 20.0


class TooLargeError(ConceptRankError, ValueError):
    """The table is too large for a page."""


@dataclass(frozen=True)
class Column:
    """The scores by a measure, and which of them are exact."""

    measure: str
    scores: NDArray[np.float64]
    exact: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Content:
    """The data of a page before packing; concepts are in the order of lattices.

    Parameters
    ----------
    title
        The title of the page.
    objects, attributes, rows
        The names of the objects, None if they are unknown; those of the attributes; the crosses.
    intents, scores
        The concepts.
    then
        The measures that break ties by default.
    min_support, complete
        Which concepts these are.
    note
        A note on missing concepts.
    more
        Whether there are more concepts.
    summary, rules
        The short list and the rules, as the page shows them.
    """

    title: str
    objects: tuple[str, ...] | None
    attributes: tuple[str, ...]
    rows: Lists
    intents: Lists
    scores: Mapping[str, Column]
    then: Sequence[str]
    min_support: int
    complete: bool
    note: str
    more: bool
    summary: Mapping[str, Any]
    rules: Sequence[Mapping[str, Any]]


def of_lattice(
    lattice: Lattice,
    measures: Sequence[MeasureLike] = DEFAULT_MEASURES,
    *,
    title: str = "concepts",
    then: Sequence[MeasureLike] | None = None,
    note: str = "",
    more: bool = False,
    summary: Summary | None = None,
    most: int = MOST_CONCEPTS,
    seconds: float | None = None,
) -> Content:
    """Return what a page shows of a lattice.

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
    note, more
        A note on missing concepts, and whether they can be found.
    summary
        The short list; it is computed if None.
    most
        The most concepts. Of more, the best by the first measure are shown.
    seconds
        The longest search for the short list.

    Raises
    ------
    TooLargeError
        If the table is too large for a browser.

    Examples
    --------
    >>> import conceptrank as cr
    >>> content = of_lattice(cr.datasets.load("movies").lattice(), ["cr"], most=5)
    >>> content.scores["support"].scores.tolist(), content.note
    ([8.0, 8.0, 7.0, 5.0, 4.0], 'The 5 best of 20 concepts by cr.')
    """
    context, wanted = lattice.context, columns(measures, then)
    tie_breakers = _tie_breakers(wanted, then)
    most = min(most, fitting(context.shape, len(wanted)))
    lattice.prepare(registry.face_needs(list(wanted.values())))
    scores = {
        key: Column(name, lattice.score(name, **params), lattice.exact(name, **params))
        for key, (name, params) in wanted.items()
    }
    if summary is None:
        summary = short_list.summarized(context, large=not lattice.complete, seconds=seconds)
    intents, complete = lattice.intents, lattice.complete
    if len(lattice) > most:
        by = next(iter(wanted))
        note = f"The {most:,} best of {len(lattice):,} concepts by {by}."
        levels = [
            order.levels(scores[key].scores, descending=_is_higher_better(scores[key].measure))
            for key in (by, *tie_breakers)
        ]
        best = np.sort(np.argsort(order.joint(levels), kind="stable")[:most])
        intents, complete, more = _lists.take(intents, best), False, True
        scores = {
            key: Column(each.measure, each.scores[best], each.exact[best])
            for key, each in scores.items()
        }
    places = _places_in(intents)
    # The page has no weights: repeat objects.
    single = context.repeated()
    return Content(
        title=title,
        objects=single.objects,
        attributes=context.attributes,
        rows=single.rows(),
        intents=intents,
        scores=scores,
        then=tie_breakers,
        min_support=lattice.min_support,
        complete=complete,
        note=note,
        more=more,
        summary=short_list.described(summary, places),
        rules=[rule_list.of_lattice(lattice, basis, places) for basis in rule_list.BASES],
    )


def of_best(
    context: Context,
    measures: Sequence[MeasureLike],
    *,
    title: str,
    then: Sequence[MeasureLike] | None = None,
    k: int = BEST_CONCEPTS,
    seconds: float = BEST_SECONDS,
    min_support: float = 0,
    threads: int = 0,
    summary: Summary | None = None,
) -> Content:
    """Return what a page shows of a table that is too large to mine: its best concepts.

    The concepts of the short list are with them.

    Parameters
    ----------
    context
        The table.
    measures, title, then, summary
        As for `of_lattice`.
    k
        How many concepts to find.
    seconds
        The longest time that the search may take; then the best so far are shown, and the page
        says how good another concept could be.
    min_support, threads
        As for `Context.best`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> content = of_best(cr.datasets.load("movies"), ["cr"], title="movies", k=3)
    >>> len(content.scores["cr"].scores), content.more
    (3, True)
    """
    name, params = split(measures[0])
    watch = current_watch()
    limits = Budget() if watch is None else watch.budget
    best = context.best(
        k,
        by=(name, params),
        min_support=min_support,
        threads=threads,
        budget=limits.with_seconds(seconds),
    )
    more = not (best.complete and len(best) < k)
    note = f"{'The table has more concepts than were mined. ' if more else ''}{best.title}."
    if summary is None:
        most = min(2 * seconds, SUMMARY_SECONDS)
        summary = short_list.summarized(context, large=True, seconds=most)
    lattice = best.lattice
    least = support_threshold(min_support, context.shape[0])
    others = [
        pattern.concept
        for pattern in summary or ()
        if pattern.support >= least
        and lattice.find(pattern.concept.intent_numbers, pattern.support) is None
    ]
    if others:
        note += " The concepts of the short list are with them."
        listed = _lists.joined([each.intent_numbers for each in others])
        intents = _lists.stacked([lattice.intents, listed])
        supports = np.append(lattice.supports, [each.support for each in others])
        both = Concepts(context, intents, supports=supports, threads=threads)
        lattice = Lattice.of(both, lattice.min_support)
    return of_lattice(
        lattice, measures, title=title, then=then, note=note, more=more, summary=summary
    )


def of_run(
    run: Run,
    *,
    by: str | None = None,
    title: str | None = None,
    then: Sequence[str] | None = None,
    most: int = MOST_CONCEPTS,
) -> Content:
    """Return what a page shows of a run; its objects have no names.

    Parameters
    ----------
    run
        The run.
    by
        The measure to sort by; the first one of the run if None.
    title
        The title of the page; the name of the folder if None.
    then
        The measures that break ties by default; `log_stability` if None and the run has it.
    most
        The most concepts. Of more, the best by the first measure are shown.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     movies = cr.datasets.load("movies")
    ...     run = cr.runs.mine(movies, directory + "/run", measures=["cr"], workers=1)
    ...     content = of_run(run, most=5)
    >>> content.note
    'The 5 best of 20 concepts by cr.'
    """
    from conceptrank.convert import results
    from conceptrank.runs import pack

    context, (first, _) = run.context, run.column_of(by)
    keys = list(dict.fromkeys([first, *run.measures, "support"]))
    wanted = [DEFAULT_THEN] if then is None else [run.column_of(each)[0] for each in then]
    tie_breakers = [key for key in dict.fromkeys(wanted) if key in keys and key != first]
    most = min(most, fitting(context.shape, len(keys)))
    frame = run.best(most, by=first, then=tie_breakers)
    frame = frame.sort("support", "intent", descending=[True, False])
    intents = results.lists_of(frame["intent"])
    rows = pack(context)
    places = _places_in(intents)
    summary = short_list.summarized(context, large=not run.complete)
    left_out = len(run) > len(frame)
    frequent = _most_frequent(run)
    return Content(
        title=run.folder.name if title is None else title,
        objects=None,
        attributes=context.attributes,
        rows=_lists.take(rows.rows, np.repeat(np.arange(len(rows.weights)), rows.weights)),
        intents=intents,
        scores={
            key: Column(
                run.job.measure(key)[0].name,
                frame[key].to_numpy().astype(np.float64),
                _exact(run, key, frame["exact"].to_numpy(), intents),
            )
            for key in keys
        },
        then=tie_breakers,
        min_support=run.job.min_support,
        complete=run.complete and not left_out,
        note=f"The {len(frame):,} best of {len(run):,} concepts by {first}." if left_out else "",
        more=left_out,
        summary=short_list.described(summary, places),
        rules=[rule_list.of_lattice(frequent, basis, places) for basis in rule_list.BASES],
    )


def fitting(shape: tuple[int, int], measures: int) -> int:
    """Return the number of concepts that a page can hold for a context of this shape.

    Examples
    --------
    >>> fitting((1_000, 100), 2)
    10810459
    >>> fitting((1_000_000, 10_000), 2)
    Traceback (most recent call last):
    conceptrank.explorer.content.TooLargeError: 1,000,000 objects with 10,000 attributes take ...
    """
    n, q = shape
    width = -(-q // 8)
    concepts = (MOST_BYTES - n * width) // (width + 12 * measures)
    if concepts < 1:
        raise TooLargeError(
            f"{n:,} objects with {q:,} attributes take {n * width / 1e6:,.0f} MB, too much for "
            "a page"
        )
    return concepts


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


def _tie_breakers(
    shown: Mapping[str, tuple[str, Params]], then: Sequence[MeasureLike] | None
) -> list[str]:
    """Return the names on the page of the measures that break ties by default."""
    first = next(iter(shown))
    if then is None:
        return [key for key in (DEFAULT_THEN,) if key in shown and key != first]
    wanted = [split(measure) for measure in then]
    keys = [key for each in wanted for key, measure in shown.items() if measure == each]
    return [key for key in dict.fromkeys(keys) if key != first]


def _is_higher_better(measure: str) -> bool:
    return registry.get(measure).direction == "higher"


def _places_in(intents: Lists) -> Callable[[Sequence[Concept]], list[int]]:
    """Return a function that finds concepts on the page; -1 for those that are not there."""

    def places(concepts: Sequence[Concept]) -> list[int]:
        if not concepts:
            return []
        wanted = _lists.joined([each.intent_numbers for each in concepts])
        found: list[int] = _lists.found_in(wanted, intents).tolist()
        return found

    return places


def _exact(run: Run, key: str, exact: NDArray[np.bool_], intents: Lists) -> NDArray[np.bool_]:
    """Return which scores by a measure are exact.

    A row only says whether all its scores are exact. If not, this measure is checked again.
    """
    if key == "support":
        return np.ones(len(exact), dtype=np.bool_)
    exact = exact.copy()
    unsure = np.flatnonzero(~exact)
    if len(unsure):
        measure, params = run.job.measure(key)
        exact[unsure] = measure.exact(Concepts(run.context, _lists.take(intents, unsure)), params)
    return exact


def _most_frequent(run: Run) -> Lattice | None:
    """Return the lattice that the rules of a run come from; None if the run left concepts out.

    A folder keeps no covers, so the most frequent concepts are mined again.
    """
    import polars as pl

    if not run.complete or run.job.constraints:
        return None
    most = rule_list.most_concepts(run.context)
    least = run.job.min_support
    if len(run) > most:
        supports = pl.scan_parquet(list(run.parts)).select("support").top_k(most + 1, by="support")
        ordered = -np.sort(-supports.collect(engine="streaming")["support"].to_numpy().astype(int))
        least = rule_list.least_support(ordered, most)
    return run.context.lattice(min_support=max(1, least))
