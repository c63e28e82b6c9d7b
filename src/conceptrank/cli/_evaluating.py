"""What `evaluate` and `reproduce` share: options, progress, and what they print."""

from __future__ import annotations

import shlex
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conceptrank import _text
from conceptrank.budget import Budget
from conceptrank.cli import _measures, _output
from conceptrank.cli._guard import WrongUseError
from conceptrank.cli._voice import PATIENCE, Voice
from conceptrank.errors import ConceptRankError

if TYPE_CHECKING:
    from rich.progress import Progress

    from conceptrank.evaluation import Evaluation, Settings

Directory = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="DIR",
        help="The directory of the report: index.html, figures/ and numbers/.",
        rich_help_panel="Output",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MEASURES",
        help="Measures to compare; repeat, or separate by commas.",
        show_default="all that need nothing but a table",
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="A first look: few runs, and few measures if none is named.")
]
Splits = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Random halves a data set.", show_default="30"),
]
Draws = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Noisy tables a level of noise.", show_default="20"),
]
Resamples = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Bootstrap draws a data set.", show_default="20"),
]
TopK = Annotated[
    int, typer.Option(min=1, metavar="K", help="How many concepts the overlap at the top compares.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Which random numbers.")]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="S",
        help="Stop after so many seconds; the same command goes on from there.",
        rich_help_panel="Limits",
        show_default=False,
    ),
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Begin anew, whatever an earlier run has left in the DIR.")
]


def settings_of(
    measures: list[str] | None,
    *,
    quick: bool,
    splits: int | None,
    draws: int | None,
    resamples: int | None,
    top_k: int,
    min_support: float,
    seed: int,
) -> Settings:
    """Return the settings that the options of a command say."""
    from conceptrank.evaluation import Settings

    chosen = _measures.measures(measures)
    if measures is not None and len(chosen) < 2:
        raise WrongUseError("an evaluation takes two measures or more (hint: cr,stability)")
    _measures.checked(chosen, {})
    settings = Settings(measures=tuple(chosen) or None, k=top_k, min_support=min_support, seed=seed)
    settings = settings.quick() if quick else settings
    return replace(
        settings,
        splits=splits or settings.splits,
        draws=draws or settings.draws,
        resamples=resamples or settings.resamples,
    )


def prepared(directory: Path, *, fresh: bool) -> Path:
    """Return where finished pieces are kept, or fail before the work begins."""
    from conceptrank.evaluation.reproduction import PIECES

    _output.refuse_no_directory(directory)
    if find_spec("matplotlib") is None:
        raise ConceptRankError("a report needs matplotlib: pip install 'conceptrank[plot]'")
    directory.mkdir(parents=True, exist_ok=True)
    pieces = directory / PIECES
    if fresh:
        shutil.rmtree(pieces, ignore_errors=True)
    return pieces


def typed() -> str:
    """Return what was typed, as one could type it again."""
    return shlex.join(["conceptrank", *sys.argv[1:]])


@contextmanager
def limited(seconds: float | None) -> Iterator[Budget]:
    """Give a budget that ends after so many seconds, over all experiments."""
    budget = Budget()
    timer = None if seconds is None else threading.Timer(seconds, budget.cancel)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield budget
    finally:
        if timer is not None:
            timer.cancel()


@contextmanager
def stages(voice: Voice) -> Iterator[Stages]:
    """Give a bar that shows what is being done, and how far all of it has come."""
    bar = Stages(voice)
    try:
        yield bar
    finally:
        bar.stop()


class Stages:
    """A progress bar with the name of what is being done; it appears only after a while."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._begin = time.monotonic()
        self._progress: Progress | None = None

    def show(self, what: str, share: float) -> None:
        """Show what is being done, and the share of all work that is done."""
        if not self._voice.animated or time.monotonic() - self._begin < PATIENCE:
            return
        if self._progress is None:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeRemainingColumn(),
                TextColumn("left, Ctrl-C stops; the same command goes on from there"),
                console=self._voice.console,
                auto_refresh=False,
                transient=True,
            )
            self._progress.add_task("", total=1.0)
            self._progress.start()
        (task,) = self._progress.task_ids
        self._progress.update(
            task, description=_text.printable(what), completed=share, refresh=True
        )

    def stop(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def finish(evaluation: Evaluation, directory: Path, bar: Stages) -> Path:
    """Write the report, and return the path of its page."""
    return evaluation.write(directory, report=bar.show)


def sentences(lines: Sequence[str]) -> None:
    """Print sentences, one a line."""
    for line in lines:
        typer.echo(_text.printable(line))
