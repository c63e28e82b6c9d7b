"""`Run`: the concepts in a folder of parts, read without loading all of them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from conceptrank._util.lazy import pl
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import UnknownNameError
from conceptrank.faces import Scores
from conceptrank.measures import registry
from conceptrank.measures.registry import Params
from conceptrank.query import Condition
from conceptrank.runs import parts
from conceptrank.runs.driver import FolderState, survey, totals
from conceptrank.runs.job import Job, load_manifest
from conceptrank.runs.packed import read as read_packed

# `top` collects this many rows before it keeps the best of them.
_ROWS_AT_ONCE = 1 << 18


class IncompleteRunWarning(UserWarning):
    """The run that an answer comes from is incomplete or damaged: concepts may be missing."""


class Run:
    """The concepts that a run has written, whether it is complete or not.

    The parts are checked once, before the first answer. Damaged parts are left out. `top`, `count`
    and `scan` issue an `IncompleteRunWarning` unless the run is complete.

    Parameters
    ----------
    folder
        The folder.
    verify
        Whether to check every byte of every part. If not, only the metadata are read first.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     run = cr.runs.mine(
    ...         cr.datasets.load("movies"), directory + "/run", measures=["stability"], workers=1
    ...     )
    ...     print(run)
    ...     print(run.top(1, by="stability")["intent"].to_list())
    <Run 20 concepts of 11 objects, 7 attributes in 1 part: complete>
    [['action', 'adventure', 'comedy', 'criminal', 'drama', 'fantasy', 'thriller']]
    """

    def __init__(self, folder: str | os.PathLike[str], *, verify: bool = True) -> None:
        self.folder: Path = Path(folder)
        self.manifest: dict[str, Any]
        self.job: Job
        self.manifest, self.job = load_manifest(self.folder)
        self._verify = verify

    @cached_property
    def _found(self) -> FolderState:
        return survey(self.job, verify=self._verify)

    @cached_property
    def context(self) -> Context:
        """The context; objects are numbered, because a run does not keep their names."""
        return read_packed(self.job.context, digest=self.job.digest).context

    @property
    def complete(self) -> bool:
        """Whether every concept is there."""
        return not self._found.open

    @property
    def state(self) -> str:
        """`"complete"`, `"incomplete"` or `"damaged"`."""
        if self._found.damaged:
            return "damaged"
        return "complete" if self.complete else "incomplete"

    @property
    def damaged(self) -> list[str]:
        """One message per damaged part."""
        return [str(error) for error in self._found.damaged]

    @property
    def totals(self) -> dict[str, int]:
        """The numbers of parts, concepts, bytes and so on."""
        return totals(self._found.summaries)

    @property
    def open_tasks(self) -> int:
        """The number of tasks that are known to be left."""
        return len(self._found.open)

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of scores."""
        return self.job.labels

    def __len__(self) -> int:
        return self.totals["concepts"]

    def verify(self) -> None:
        """Check every byte of every part.

        Raises
        ------
        FormatError
            If a part is not as it was written.
        """
        for error in survey(self.job, verify=True).damaged:
            raise error

    def top(
        self,
        k: int = 20,
        *,
        by: str | None = None,
        then: Sequence[str] = (),
        where: str | None = None,
    ) -> pl.DataFrame:
        """Return the best concepts by a measure, in an order without ties.

        Equal scores are ordered as in a lattice: by support, largest first, then by intent. So
        the result does not depend on how the work was split.

        Parameters
        ----------
        k
            How many.
        by
            A measure of the run, or `"support"`; the first one if None.
        then
            Measures of the run that break ties, in this order.
        where
            Only concepts that meet this condition, as in `Lattice.rank`.
        """
        self._warn()
        found = self.best(k, by=by, then=then, where=where)
        columns = [self.column_of(each)[0] for each in (by, *then)]
        return self._named(
            found.select(*dict.fromkeys(("intent", "support", *columns, *self.measures, "exact")))
        )

    def best(
        self,
        k: int,
        *,
        by: str | None = None,
        then: Sequence[str] = (),
        where: str | None = None,
    ) -> pl.DataFrame:
        """Return the same rows as `top`, with attribute numbers in the intents."""
        order = dict(self.column_of(each) for each in (by, *then))

        def first(frames: list[pl.DataFrame]) -> pl.DataFrame:
            # Scores that are not numbers come last.
            scores = [pl.col(each).cast(pl.Float64).fill_nan(None) for each in order]
            descending = [*order.values(), True, False]
            keys = [*scores, pl.col("support"), pl.col("intent")]
            return pl.concat(frames).sort(keys, descending=descending, nulls_last=True).head(k)

        waiting = [pl.DataFrame(schema=parts.schema_of(self.measures))]
        for frame in self._frames(where):
            waiting.append(first([frame]))
            if sum(map(len, waiting)) > max(_ROWS_AT_ONCE, 2 * k):
                waiting = [first(waiting)]
        return first(waiting)

    def count(self, *, where: str | None = None) -> int:
        """Return the number of concepts, all or those that meet a condition; see `top`."""
        self._warn()
        return len(self) if where is None else sum(map(len, self._frames(where)))

    @property
    def parts(self) -> dict[Path, int]:
        """The intact parts and their numbers of concepts; their intents are attribute numbers."""
        return {self.folder / each.file: each.concepts for each in self._found.summaries}

    def scan(self) -> pl.LazyFrame:
        """Return all concepts as a lazy frame of polars, with attribute names in the intents.

        polars reads only what a query needs; `collect(engine="streaming")` and `sink_parquet`
        never hold all concepts.
        """
        self._warn()
        files = list(self.parts)
        if not files:
            return self._named(pl.DataFrame(schema=parts.schema_of(self.measures))).lazy()
        names = self.context.attributes
        labels = pl.element().replace_strict(
            list(range(len(names))), list(names), return_dtype=pl.String
        )
        return pl.scan_parquet(files).with_columns(pl.col("intent").list.eval(labels))

    def column_of(self, by: str | None) -> tuple[str, bool]:
        """Return the column of a measure, and whether high scores are better.

        Parameters
        ----------
        by
            The label, name or alias of a measure of the run, or `"support"`; None for the first.
        """
        if by is None:
            by = next(iter(self.measures), "support")
        if by == "support":
            return by, True
        for label, name, _ in self.job.measures:
            measure = registry.get(name)
            if by in (label, name, measure.name, *measure.aliases):
                return label, measure.direction == "higher"
        raise UnknownNameError(
            "measure", by, ("support", *self.measures), where=f"the run {self.folder}"
        )

    def _warn(self) -> None:
        if not self.complete:
            message = f"{self.folder}: the run is {self.state}, so concepts may be missing"
            warnings.warn(message, IncompleteRunWarning, stacklevel=3)

    def _frames(self, where: str | None) -> Iterator[pl.DataFrame]:
        condition = None if where is None else Condition.parse(where)
        if condition is not None:
            condition.check(self.context)
        for path in self.parts:
            frame = parts.rows_of(path, measures=self.measures)
            yield frame if condition is None else frame.filter(self._holds(condition, frame))

    def _holds(self, condition: Condition, frame: pl.DataFrame) -> pl.Series:
        """Return for which rows a condition holds; measures without a column are computed."""
        from conceptrank.convert.results import lists_of

        batch = Concepts(self.context, lists_of(frame["intent"]))

        def score(name: str, params: Params) -> Scores:
            measure = registry.get(name)
            bound = measure.bind(params)
            for label in ("support", *self.measures):
                stored, stored_params = self.job.measure(label)
                if stored.name == measure.name and stored.bind(stored_params) == bound:
                    return frame[label].cast(pl.Float64).to_numpy()
            return measure.score(batch, params)

        return pl.Series(condition.holds(batch, score), dtype=pl.Boolean)

    def _named(self, frame: pl.DataFrame) -> pl.DataFrame:
        from conceptrank.convert import results

        intents = results.list_column(results.lists_of(frame["intent"]), self.context.attributes)
        return frame.with_columns(intents.alias("intent"))

    def __repr__(self) -> str:
        context = self.manifest["context"]
        many = self.totals["parts"]
        return (
            f"<Run {len(self):,} concepts of {context['objects']:,} objects, "
            f"{context['attributes']:,} attributes in {many:,} part{'' if many == 1 else 's'}: "
            f"{self.state}>"
        )


def open_run(folder: str | os.PathLike[str], *, verify: bool = True) -> Run:
    """Return the run in a folder.

    Parameters
    ----------
    folder
        The folder given to `conceptrank mine --out` or to `mine`.
    verify
        Whether to check every byte of every part before the first answer.

    Raises
    ------
    RunError
        If there is no run.
    FormatError
        If its manifest is damaged.
    """
    return Run(folder, verify=verify)
