"""What `evaluate` and `reproduce` share: options, progress and output."""

from __future__ import annotations

import shlex
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conceptrank._util.text import printable
from conceptrank.budget import Budget
from conceptrank.cli import _measures, _options, _output
from conceptrank.cli._command import WrongUseError
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options

if TYPE_CHECKING:
    from conceptrank.evaluation import Evaluation, Settings


@dataclass
class Experiments(Options):
    """Which measures to compare, how often, and how long."""

    measures: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURES",
            help="Measures to compare; repeat, or separate by commas.",
            show_default="all that need nothing but a table",
        ),
    ] = None
    quick: Annotated[
        bool, typer.Option("--quick", help="Few runs, and few measures unless some are named.")
    ] = False
    splits: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Random halves per data set.", show_default="30"),
    ] = None
    draws: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Noisy tables per level of noise.", show_default="20"
        ),
    ] = None
    resamples: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Bootstrap samples per data set.", show_default="20"),
    ] = None
    planted: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Tables with planted patterns per setting.",
            show_default="3; 0 with --quick",
        ),
    ] = None
    top_k: Annotated[
        int, typer.Option(min=1, metavar="K", help="Number of top concepts whose overlap counts.")
    ] = 10
    seed: _options.Seed = 0
    threads: _options.Threads = 0
    max_seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="S",
            help="Stop after this many seconds; the same command continues.",
            rich_help_panel="Limits",
            show_default=False,
        ),
    ] = None

    def settings(self, *, min_support: float = 0) -> Settings:
        """Return the settings of the experiments, or fail before the work begins."""
        from conceptrank.evaluation import Settings

        chosen = _measures.measures(self.measures)
        if self.measures is not None and len(chosen) < 2:
            raise WrongUseError("an evaluation takes two measures or more (hint: cr,stability)")
        _measures.bind(chosen, {}, takes_options=False)
        settings = Settings(
            measures=tuple(chosen) or None, k=self.top_k, min_support=min_support, seed=self.seed
        )
        settings = settings.quick() if self.quick else settings
        return replace(
            settings,
            splits=self.splits or settings.splits,
            draws=self.draws or settings.draws,
            resamples=self.resamples or settings.resamples,
            planted=settings.planted if self.planted is None else self.planted,
        )

    @contextmanager
    def running(self, messages: Messages) -> Iterator[tuple[Budget, Callable[[str, float], None]]]:
        """Give a budget over all experiments, and a callback for a task and the share done."""
        budget = Budget()
        timer = threading.Timer(self.max_seconds or 0, budget.cancel)
        timer.daemon = True
        if self.max_seconds is not None:
            timer.start()
        try:
            with messages.bar(hint="Ctrl-C stops; the same command continues") as bar:
                yield budget, lambda task, share: bar.show(share, task=task)
        finally:
            timer.cancel()


@dataclass
class Report(Options):
    """Where to write a report."""

    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Directory of the report: index.html, figures/ and numbers/.",
            rich_help_panel="Output",
        ),
    ] = Path("report")
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Discard what an earlier run left in DIR.",
            rich_help_panel="Output",
        ),
    ] = False

    def prepare(self) -> Path:
        """Return the folder of finished pieces, or fail before the work begins."""
        from conceptrank.evaluation.reproduction import PIECES

        _output.refuse_no_directory(self.out)
        _output.require_matplotlib("a report")
        self.out.mkdir(parents=True, exist_ok=True)
        pieces = self.out / PIECES
        if self.fresh:
            shutil.rmtree(pieces, ignore_errors=True)
        return pieces


def typed_command() -> str:
    """Return the command line of this run."""
    return shlex.join(["conceptrank", *sys.argv[1:]])


def write_findings(evaluation: Evaluation) -> None:
    """Write what an evaluation found to standard output, one sentence per line."""
    for line in evaluation.sentences():
        _output.print_text(printable(line))
