"""`conceptrank mine`: concepts into a folder, in a run that can be killed and continued."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conceptrank.budget import Budget, ConceptEstimate
from conceptrank.cli import _input, _measures, _mining, _options, _output
from conceptrank.cli._guard import BUDGET_REACHED, DONE, FAILED, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Bar, Voice

if TYPE_CHECKING:
    from conceptrank.scale_out import Packed, Progress, Run

HELP = (
    "Mine the concepts of a table into a folder of Parquet files.\n\n"
    "Concepts are scored and written as they are found: neither their number nor a kill matters. "
    "--resume goes on where a run stopped, and begins one if there is none. Workers are processes "
    "of this machine, or of a Dask cluster that sees the folder under the same path. "
    "[bold]conceptrank top[/] and [bold]conceptrank status[/] read the folder, during the run, "
    "too. Exit code 3 says that Ctrl-C was pressed, 1 that some tasks failed."
)
EXAMPLES = examples(
    "conceptrank mine movies --out run --measures cr,stability --workers 1",
    "conceptrank mine movies --out run --measures cr,stability --resume",
    "conceptrank top run --by stability",
    "conceptrank mine movies --out best --top-k 5 --by stability --workers 1",
)
# Where there is no terminal, a line so often says how far it is.
_SECONDS_A_LINE = 30.0


class Engine(StrEnum):
    """What runs the tasks."""

    pool = "pool"
    dask = "dask"


@guarded
def command(
    file: _options.File,
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder.", show_default=False)
    ],
    measures: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="Measures to score by; repeat, or separate by commas.",
            show_default="cr, or the one of --by",
        ),
    ] = None,
    min_support: _options.MinSupport = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder.")
    ] = False,
    top_k: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="K",
            help="Keep the K best by the measure of --by only. Where a bound on that measure "
            "leaves nothing to find, the search is cut short: support, frequency, delta_measure, "
            "stability and log_stability have one.",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE", help="The measure that decides for --top-k.", show_default=False
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=0,
            max=_options.MOST_THREADS,
            metavar="N",
            help="Worker processes; 0 is one for each processor, 1 is none but this.",
            rich_help_panel="Workers",
        ),
    ] = 0,
    engine: Annotated[
        Engine,
        typer.Option(
            help="Processes of this machine, or of a Dask cluster.", rich_help_panel="Workers"
        ),
    ] = Engine.pool,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="The Dask scheduler, as tcp://head:8786; without it a cluster is started here.",
            show_default=False,
            rich_help_panel="Workers",
        ),
    ] = None,
    task_concepts: Annotated[
        int,
        typer.Option(
            min=2,
            metavar="N",
            help="The most concepts of a task; the first ones are smaller.",
            rich_help_panel="Workers",
        ),
    ] = 200_000,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Mine concepts into a folder."""
    from conceptrank import scale_out

    voice = Voice(quiet=quiet)
    if (top_k is None) != (by is None):
        raise WrongUseError("--top-k and --by belong together: how many, and by which measure")
    if scheduler is not None and engine is not Engine.dask:
        raise WrongUseError("--scheduler needs --engine dask")
    _output.refuse_no_directory(out)
    wanted = _measures.measures(measures) or ([by] if by is not None else ["cr"])
    _measures.checked(wanted, {})
    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    packed = _packed(file, input_format, raw, voice)
    estimate = None
    if not quiet:
        with voice.working("estimating the number of concepts"):
            estimate = packed.context.estimate_concepts(min_support=min_support, runs=5)
    budget = Budget()
    with ExitStack() as stack:
        executor: Any = None
        if engine is Engine.dask:
            executor, workers = stack.enter_context(
                scale_out.dask_executor(scheduler, workers=workers)
            )
        watch = stack.enter_context(_watching(voice, estimate))
        stack.enter_context(
            _mining.stopped_by_interrupt(
                budget, lambda: voice.note("stopping when the tasks that run are done")
            )
        )
        run = scale_out.mine(
            packed,
            out,
            measures=wanted,
            min_support=min_support,
            top=top_k,
            by=by,
            workers=workers,
            executor=executor,
            budget=task_concepts,
            resume=resume,
            progress=watch.show,
            stop=lambda: budget.cancelled,
        )
    _tell(run, voice)
    if run.complete:
        return DONE
    return FAILED if run.manifest["failures"] else BUDGET_REACHED


class _watching:  # noqa: N801
    """Shows progress on a terminal, and says it now and then elsewhere."""

    def __init__(self, voice: Voice, estimate: ConceptEstimate | None) -> None:
        self._voice = voice
        self._expected = estimate.value if estimate is not None else 0.0
        self._bar = Bar(voice.console, "mining") if voice.animated else None
        self._said = time.monotonic()

    def __enter__(self) -> _watching:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Show how far a run is."""
        # An estimate that turns out too small grows with what is found.
        grown = 1.05 * progress.concepts if progress.tasks_waiting else progress.concepts
        expected = max(self._expected, grown, 1.0)
        share = min(1.0, progress.concepts / expected)
        if self._bar is not None:
            self._bar.show(progress.concepts, share)
        elif time.monotonic() - self._said >= _SECONDS_A_LINE:
            self._said = time.monotonic()
            rate = progress.concepts_a_second
            left = (expected - progress.concepts) / rate / 60 if rate else float("inf")
            self._voice.note(
                f"{progress.concepts:,} concepts, {rate:,.0f} a second, about {100 * share:.0f} %, "
                f"{left:,.0f} min left; {progress.tasks_done:,} tasks done, "
                f"{progress.tasks_waiting:,} waiting"
            )


def _packed(file: str, format: str | None, raw: _input.Scaling, voice: Voice) -> Packed:  # noqa: A002
    """Return the context, read piece by piece where that is possible."""
    from conceptrank import scale_out

    if not (raw.wanted or raw.options) and os.path.isfile(file):
        with voice.working(f"reading {file}"):
            packed = scale_out.streaming.packed_in_pieces(file, format=format)
        if packed is not None:
            return packed
    return scale_out.pack(_input.load(file, format=format, voice=voice, scaling=raw).context)


def _tell(run: Run, voice: Voice) -> None:
    totals = run.totals
    concepts, parts = totals["concepts"], totals["parts"]
    many = (
        f"{concepts:,} concept{'' if concepts == 1 else 's'} in "
        f"{parts:,} part{'' if parts == 1 else 's'}"
    )
    voice.note(f"{many}, {_mining.size_text(totals['bytes'])}: conceptrank top {run.folder}")
    if run.job.top is not None:
        voice.note(
            f"{totals['visited']:,} concepts were visited, and {totals['left_out']:,} subtrees "
            "left out that had too few objects for the best"
        )
    if totals["inexact"]:
        voice.warning(f"{totals['inexact']:,} concepts have a score that is not exact")
    for failure in run.manifest["failures"]:
        voice.warning(
            f"task {failure['task']} failed {failure['attempts']} times: {failure['reason']}"
        )
    if not run.complete:
        voice.warning(f"not complete: {run.open_tasks:,} tasks are left; --resume goes on")
