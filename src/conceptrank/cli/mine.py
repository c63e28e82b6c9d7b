"""`conceptrank mine`: mine concepts into a folder, in a run that can be killed and resumed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from conceptrank._util.text import counted
from conceptrank.budget import Budget, ConceptEstimate, Watch, watched
from conceptrank.cli import _command, _measures, _options, _output, _pipeline
from conceptrank.cli._command import BUDGET_REACHED, DONE, define_command
from conceptrank.cli._constraints import ConstraintGroup
from conceptrank.cli._input import Reading, as_notes
from conceptrank.cli._messages import Bar, Messages
from conceptrank.cli._options import File, MaxSeconds, MinSupport, flag, option
from conceptrank.context import Context

if TYPE_CHECKING:
    from conceptrank.runs import Packed, Run, RunProgress

# Seconds between two lines of progress where there is no terminal.
_SECONDS_PER_LINE = 30.0
_worker = partial(option, panel="Workers")


@define_command(
    examples=[
        "conceptrank mine movies --out run --measures cr,stability --workers 1",
        "conceptrank mine movies --out run --measures cr,stability --resume",
        "conceptrank rank run --by stability",
    ]
)
def command(
    *,
    file: File,
    out: Annotated[Path, option("DIR", "--out")],
    measures: Annotated[list[str] | None, option("MEASURE", show_default="cr")] = None,
    min_support: MinSupport = 0,
    resume: Annotated[bool, flag("--resume")] = False,
    where: _measures.Where = None,
    workers: Annotated[int, _worker("N", min=0, max=_options.MOST_THREADS)] = 0,
    dask: Annotated[str | None, _worker("ADDRESS")] = None,
    task_concepts: Annotated[int, _worker("N", min=2)] = 200_000,
    max_seconds: MaxSeconds = None,
    constraints: ConstraintGroup,
    reading: Reading,
    messages: Messages,
) -> int:
    """Mine the concepts of a table into a folder of Parquet files.

    Concepts are scored and written while they are found, so their number may exceed the memory,
    and a killed run loses little: --resume continues it. Workers are processes of this machine,
    or of a Dask cluster that sees the folder under the same path. [bold]conceptrank rank[/],
    [bold]info[/] and [bold]explore[/] read the folder, also during the run. Exit code 3 means that
    --max-seconds or Ctrl-C stopped the run.

    Parameters
    ----------
    out
        The folder.
    measures
        Measures to score by; repeat, or separate by commas.
    resume
        Continue the run in the folder.
    workers
        Number of worker processes; 0 for one per processor, 1 to work in this process.
    dask
        Work on a Dask cluster: the address of its scheduler, such as tcp://head:8786, or local for
        a cluster that is started here.
    task_concepts
        The most concepts per task; the first tasks are smaller.
    """
    from conceptrank import runs

    watch = Watch(Budget(seconds=max_seconds), task=f"reading {file}")
    _output.refuse_no_directory(out)
    runs.check_folder(out, resume=resume)
    if dask is not None:
        _command.require("--dask", "distributed", extra="dask")
    _command.require("mining into a folder", "filelock", extra="mine")
    scored_by = _measures.measures(measures) or ["cr"]
    _measures.bind(scored_by, {})
    # A packed context has no names of objects, which one constraint needs.
    source: Packed | Context
    with watched(watch):
        if constraints.objects:
            source = reading.load(file, messages).context
        else:
            chosen = any(constraints.options(where=where).values())
            source = _packed(file, reading, messages, scored_by, min_support, constrained=chosen)
    with messages.working("estimating the number of concepts"):
        context = source if isinstance(source, Context) else source.context
        estimate = context.estimate_concepts(min_support=min_support, runs=5)
    budget = watch.remaining()
    with ExitStack() as stack:
        executor: Any = None
        if dask is not None:
            address = None if dask == "local" else dask
            executor, workers = stack.enter_context(runs.dask_executor(address, workers=workers))
        bar = stack.enter_context(messages.bar("mining"))
        stack.enter_context(
            _pipeline.stopped_by_interrupt(
                budget, lambda: messages.note("stopping; another Ctrl-C gives up the running tasks")
            )
        )
        try:
            run = runs.mine(
                source,
                out,
                measures=scored_by,
                min_support=min_support,
                workers=workers,
                executor=executor,
                task_concepts=task_concepts,
                resume=resume,
                budget=budget,
                progress=_report(messages, bar, estimate),
                **constraints.options(source, where),
            )
        except KeyboardInterrupt:
            # polars may raise this before our handler runs.
            run = runs.open_run(out)
    _note_result(run, messages)
    return DONE if run.manifest.get("state") == "complete" else BUDGET_REACHED


def _report(
    messages: Messages, bar: Bar, estimate: ConceptEstimate
) -> Callable[[RunProgress], None]:
    """Return what shows the progress of a run: as a bar on a terminal, else as occasional lines."""
    last_line = time.monotonic()

    def show(progress: RunProgress) -> None:
        nonlocal last_line
        # The estimate may be too small.
        share = min(0.95, progress.concepts / max(estimate.value, 1.0))
        if messages.animated:
            bar.show(share, counted=f"{progress.concepts:,} concepts")
        elif time.monotonic() - last_line >= _SECONDS_PER_LINE:
            last_line = time.monotonic()
            messages.note(
                f"{progress.concepts:,} concepts, {progress.concepts_per_second:,.0f} per second, "
                f"about {100 * share:.0f} %; {progress.tasks_done:,} tasks done, "
                f"{progress.tasks_waiting:,} waiting"
            )

    return show


def _packed(
    file: str,
    reading: Reading,
    messages: Messages,
    measures: list[Any],
    min_support: float,
    *,
    constrained: bool,
) -> Packed:
    """Return the context, read in pieces if the format allows it."""
    from conceptrank import runs
    from conceptrank.io.shapes import Baskets, find_shape
    from conceptrank.io.streams import Stream, is_many_files

    named = {name: value for name, value in reading.columns_of_items.items() if value}
    columns = [f"--{name.replace('_', '-')}" for name in named]
    if (named and reading.given == columns) or (not reading.given and is_many_files(file)):
        stream = Stream(file, columns=named.values())
        shape = find_shape(stream, **named)
        if shape is not None:
            if not named:
                messages.note(f"read as transactions: {shape}")
            rare = runs.needs_every_item(measures)
            if rare and min_support:
                messages.note(f"infrequent items are kept, because {', '.join(rare)} needs them")
            # Constraints may name infrequent items, or other measures.
            least = 0 if rare or constrained else min_support
            with messages.working(f"reading {file}"):
                return runs.pack_transactions(Baskets(stream, shape), min_support=least)
    if reading.given in ([], ["--input-format"]) and os.path.isfile(file):
        with as_notes(messages), messages.working(f"reading {file}"):
            packed = runs.streaming.packed_in_pieces(file, format=reading.input_format)
        if packed is not None:
            return packed
    return runs.pack(reading.load(file, messages).context)


def _note_result(run: Run, messages: Messages) -> None:
    # From the manifest, because the parts need not be checked again.
    totals, tasks_left = run.manifest["totals"], run.manifest.get("tasks_left")
    messages.note(
        f"{counted(totals['concepts'], 'concept')} of {totals['visited']:,} visited in "
        f"{counted(totals['parts'], 'part')}, {_pipeline.size_text(totals['bytes'])}: "
        f"conceptrank rank {run.folder}"
    )
    if totals["inexact"]:
        messages.warning(f"{totals['inexact']:,} concepts have a score that is not exact")
    if tasks_left:
        messages.warning(
            f"the run is incomplete: {tasks_left:,} tasks are left; --resume continues"
        )
