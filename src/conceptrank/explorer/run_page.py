"""`export_run`: a folder of mined concepts as one page, if it is small enough."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank._util.files import write_whole_text
from conceptrank.explorer import rule_list
from conceptrank.explorer.page import with_data
from conceptrank.explorer.payload import Column, Content, packed, refuse_too_large
from conceptrank.explorer.run_source import (
    exact_scores,
    frequent,
    keys_of,
    short_list_of,
    tie_breakers_of,
)
from conceptrank.explorer.spread import Spread

if TYPE_CHECKING:
    from conceptrank.concept import Concept
    from conceptrank.runs import Run


def export_run(
    run: Run,
    path: str | os.PathLike[str],
    *,
    by: str | None = None,
    title: str | None = None,
    then: Sequence[str] | None = None,
) -> None:
    """Write the concepts of a run as a page that needs nothing else; objects have no names in it.

    Parameters
    ----------
    run
        The run.
    path
        The file.
    by
        The measure to sort by; the first one of the run if None.
    title
        The title of the page; the name of the folder if None.
    then
        The measures that break ties by default; `log_stability` if None and the run has it.

    Raises
    ------
    TooLargeError
        If the concepts are too many for a browser; `RunSource` serves any number.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     movies = cr.datasets.load("movies")
    ...     run = cr.runs.mine(movies, directory + "/run", measures=["cr"], workers=1)
    ...     export_run(run, directory + "/movies.html")
    """
    title = run.folder.name if title is None else title
    text = with_data(title, packed(_content(run, keys_of(run, by), title, then)))
    write_whole_text(path, text)


def _content(run: Run, keys: list[str], title: str, then: Sequence[str] | None) -> Content:
    import polars as pl

    from conceptrank.convert import results
    from conceptrank.runs import pack

    context = run.context
    refuse_too_large(context.shape, len(run), len(keys))
    empty = pl.DataFrame(schema=run.schema)
    frame = pl.concat([empty, *map(pl.read_parquet, run.parts)])
    frame = frame.sort("support", "intent", descending=[True, False])
    rows = pack(context)
    each_object = np.repeat(np.arange(len(rows.weights)), rows.weights)
    scores = {
        key: Column(
            run.job.measure(key)[0].name,
            frame[key].to_numpy().astype(np.float64),
            exact_scores(run, frame, key),
        )
        for key in keys
    }
    intents = results.lists_of(frame["intent"])

    def listed(concepts: Sequence[Concept]) -> list[int]:
        wanted = _lists.joined([each.intent_numbers for each in concepts])
        return _lists.found_in(wanted, intents).tolist() if concepts else []

    rules_from = frequent(run, Spread(*np.unique(scores["support"].scores, return_counts=True)))
    return Content(
        title=title,
        objects={"count": context.shape[0], "first": 1, "names": None, "known": False},
        attributes=context.attributes,
        rows=_lists.take(rows.rows, each_object),
        intents=intents,
        min_support=run.job.min_support,
        complete=run.complete and run.job.top is None,
        scores=scores,
        then=tie_breakers_of(run, keys, then),
        summary=short_list_of(run, listed),
        rules=[rule_list.of_run(rules_from, basis, listed) for basis in rule_list.BASES],
    )
