"""`Run`: what a folder of parts holds, read without loading it all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.measures import registry
from conceptrank.scale_out import parts
from conceptrank.scale_out.best import best
from conceptrank.scale_out.driver import Found, survey, totals
from conceptrank.scale_out.job import Job, load_manifest
from conceptrank.scale_out.packed import PackedContext
from conceptrank.scale_out.packed import read as read_packed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Run", "open_run"]

# So many rows of one part after the other are kept before the best of them are picked.
_ROWS_AT_ONCE = 1 << 18


class Run:
    """The concepts that a run has written, whether it is finished or not.

    Every part is checked against its digest before its rows are used for the first time.

    Parameters
    ----------
    folder
        The folder.
    verify
        Whether to check parts; metadata are looked at in any case.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     run = cr.scale_out.mine(
    ...         cr.datasets.load("movies"), directory + "/run", measures=["stability"], workers=1
    ...     )
    ...     print(run)
    ...     print(run.top(1, by="stability")["intent"].to_list())
    <Run 20 concepts of 11 objects, 7 attributes in 1 part: complete>
    [['action', 'adventure', 'comedy', 'criminal', 'drama', 'fantasy', 'thriller']]
    """

    def __init__(self, folder: str | os.PathLike[str], *, verify: bool = True) -> None:
        self.folder = Path(folder)
        self.manifest = load_manifest(self.folder)
        self.job = Job.of(self.folder, self.manifest)
        self._verify = verify
        self._verified: set[str] = set()

    @cached_property
    def _found(self) -> Found:
        return survey(self.job, verify=False)

    @cached_property
    def context(self) -> PackedContext:
        """The context, without the names of its objects."""
        return read_packed(self.job.context, digest=self.job.digest).context

    @property
    def complete(self) -> bool:
        """Whether every concept is there."""
        return not self._found.open

    @property
    def state(self) -> str:
        """How the run stands: "complete", "incomplete", or "damaged"."""
        if self._found.damaged:
            return "damaged"
        return "complete" if self.complete else "incomplete"

    @property
    def damaged(self) -> list[str]:
        """What is wrong with the parts that can't be used."""
        return [str(error) for error in self._found.damaged]

    @property
    def totals(self) -> dict[str, int]:
        """Numbers of parts, concepts, bytes and so on."""
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
        """Check every part against its digest.

        Raises
        ------
        FormatError
            If a part is not as it was written.
        """
        for summary in self._found.summaries:
            self._check(summary.file)

    def top(
        self,
        k: int = 20,
        *,
        by: str | None = None,
        where: pl.Expr | None = None,
        contains: str | Sequence[str] = (),
    ) -> pl.DataFrame:
        """Return the best concepts by a measure, in an order that has no ties.

        Equal scores are ordered as in a lattice: by support, largest first, then by intent. So
        the result doesn't depend on how the work was split.

        Parameters
        ----------
        k
            How many.
        by
            A measure of the run, or `"support"`; the first one if None.
        where
            Only rows for which this expression holds; columns are `support`, `exact` and the
            measures.
        contains
            Only concepts whose intents have these attributes.
        """
        import polars as pl

        column, descending = self._column(by)
        kept: pl.DataFrame | None = None
        waiting: list[pl.DataFrame] = []
        rows = 0
        for frame in self._frames(where, contains):
            waiting.append(best(frame, k, column, descending=descending))
            rows += len(waiting[-1])
            if rows > _ROWS_AT_ONCE:
                kept = best(pl.concat(waiting), k, column, descending=descending)
                waiting, rows = [kept], len(kept)
        kept = pl.concat(waiting) if waiting else pl.DataFrame(schema=self._schema)
        kept = best(kept, k, column, descending=descending)
        order = dict.fromkeys(("intent", "support", column, *self.measures, "exact"))
        return self._named(kept.select(*order))

    def count(self, *, where: pl.Expr | None = None, contains: str | Sequence[str] = ()) -> int:
        """Return the number of concepts, of all or of some; see `top`."""
        if where is None and not contains:
            return len(self)
        return sum(len(frame) for frame in self._frames(where, contains))

    def sample(self, n: int, *, seed: int = 0) -> pl.DataFrame:
        """Return n concepts, each as likely as any other, in the order of the parts."""
        import numpy as np
        import polars as pl

        total = len(self)
        places = np.random.default_rng(seed).choice(total, min(n, total), replace=False)
        places.sort()
        taken, begin = [], 0
        for frame in self._frames(None, ()):
            low, high = np.searchsorted(places, (begin, begin + len(frame)))
            if high > low:
                taken.append(frame[places[low:high] - begin])
            begin += len(frame)
        return self._named(pl.concat(taken) if taken else pl.DataFrame(schema=self._schema))

    @property
    def parts(self) -> dict[Path, int]:
        """The files of concepts, checked if they are to be, and how many are in each.

        Attributes are numbers in them.
        """
        if self._verify:
            self.verify()
        return {self.folder / each.file: each.concepts for each in self._found.summaries}

    def scan(self) -> pl.LazyFrame:
        """Return all concepts as a lazy frame of polars, with names in the intents.

        What is not needed of the files is not read; `collect(engine="streaming")` and
        `sink_parquet` never hold all of them.
        """
        import polars as pl

        files = list(self.parts)
        if not files:
            return self._named(pl.DataFrame(schema=self._schema)).lazy()
        names = self.context.attributes
        labels = pl.element().replace_strict(
            list(range(len(names))), list(names), return_dtype=pl.String
        )
        return pl.scan_parquet(files).with_columns(pl.col("intent").list.eval(labels))

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write all concepts to one file: `.parquet`, `.csv` or `.jsonl`, told by the suffix."""
        import polars as pl

        from conceptrank._frames import joined_names
        from conceptrank._whole_file import write_whole

        lazy, path = self.scan(), Path(path)
        suffix = path.suffix.lower()
        if suffix == ".parquet":
            write_whole(path, lazy.sink_parquet)
        elif suffix == ".csv":
            joined = lazy.with_columns(joined_names(pl.col("intent")))
            write_whole(path, joined.sink_csv)
        elif suffix in (".jsonl", ".ndjson"):
            write_whole(path, lazy.sink_ndjson)
        else:
            raise FormatError(
                f"the suffix {suffix!r} doesn't tell the format",
                source=os.fsdecode(path),
                hint="use .parquet, .csv or .jsonl",
            )

    @property
    def _schema(self) -> dict[str, pl.DataType]:
        return parts.schema_of(self.measures)

    def _frames(
        self, where: pl.Expr | None, contains: str | Sequence[str]
    ) -> Iterator[pl.DataFrame]:
        import polars as pl

        wanted = [contains] if isinstance(contains, str) else list(contains)
        numbers = self.context._attributes.numbers(wanted).tolist()
        for summary in self._found.summaries:
            frame = self._check(summary.file)
            if frame is None:
                frame = pl.read_parquet(self.folder / summary.file)
            for number in numbers:
                frame = frame.filter(pl.col("intent").list.contains(number))
            yield frame if where is None else frame.filter(where)

    def _check(self, file: str) -> pl.DataFrame | None:
        """Return a part that was not checked before, after checking it."""
        if not self._verify or file in self._verified:
            return None
        path = self.folder / file
        _, frame = parts.read(path, run=self.job.key, measures=self.measures)
        self._verified.add(file)
        return frame

    def _column(self, by: str | None) -> tuple[str, bool]:
        if by is None:
            by = self.job.by or next(iter(self.measures), "support")
        if by == "support":
            return by, True
        for label, name, _ in self.job.measures:
            if by in (label, name) or by in (registry.get(name).name, *registry.get(name).aliases):
                return label, registry.get(name).direction == "higher"
        raise UnknownNameError(
            "measure", by, ("support", *self.measures), where=f"the run {self.folder}"
        )

    def _named(self, frame: pl.DataFrame) -> pl.DataFrame:
        from conceptrank import _frames

        intents = _frames.list_column(_frames.lists_of(frame["intent"]), self.context.attributes)
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
        The folder that was given to `conceptrank mine --out` or `conceptrank.scale_out.mine`.
    verify
        Whether to check each part against its digest before it is used.

    Raises
    ------
    RunError
        If there is no run.
    FormatError
        If its manifest is damaged.
    """
    return Run(folder, verify=verify)
