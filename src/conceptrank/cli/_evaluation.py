"""What `evaluate` and `reproduce` share: options, progress and output."""

from __future__ import annotations

import shlex
import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conceptrank._util.text import printable
from conceptrank.budget import Budget
from conceptrank.cli import _measures, _output
from conceptrank.cli._command import WrongUseError
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options, Seed, Threads, flag, option

if TYPE_CHECKING:
    from conceptrank.evaluation import Evaluation, Settings


@dataclass
class Experiments(Options):
    """Which measures to compare, how often, and how long."""

    measures: Annotated[
        list[str] | None,
        option(
            "Measures to compare; repeat, or separate by commas.",
            "MEASURES",
            show_default="all that need nothing but a table",
        ),
    ] = None
    quick: Annotated[bool, flag("Few runs, and few measures unless some are named.", "--quick")] = (
        False
    )
    splits: Annotated[
        int | None, option("Random halves per data set.", "N", min=1, show_default="30")
    ] = None
    draws: Annotated[
        int | None, option("Noisy tables per level of noise.", "N", min=1, show_default="20")
    ] = None
    resamples: Annotated[
        int | None, option("Bootstrap samples per data set.", "N", min=1, show_default="20")
    ] = None
    planted: Annotated[
        int | None,
        option(
            "Tables with planted patterns per setting.",
            "N",
            min=0,
            show_default="3; 0 with --quick",
        ),
    ] = None
    top_k: Annotated[int, option("Number of top concepts whose overlap counts.", "K", min=1)] = 10
    seed: Seed = 0
    threads: Threads = 0
    max_seconds: Annotated[
        float | None,
        option(
            "Stop after this many seconds; the same command continues.", "S", min=0, panel="Limits"
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

    def run(
        self, evaluate: Callable[..., Evaluation], report: Report, pieces: Path, messages: Messages
    ) -> tuple[Evaluation, Path]:
        """Run all experiments under one budget; return the evaluation and the report's page."""
        budget = Budget()
        timer = threading.Timer(self.max_seconds or 0, budget.cancel)
        timer.daemon = True
        if self.max_seconds is not None:
            timer.start()
        try:
            with messages.bar(hint="Ctrl-C stops; the same command continues") as bar:

                def progress(task: str, share: float) -> None:
                    bar.show(share, task=task)

                evaluation = evaluate(
                    threads=self.threads,
                    budget=budget,
                    report=progress,
                    resume=pieces,
                    command=shlex.join(["conceptrank", *sys.argv[1:]]),
                )
                return evaluation, evaluation.write(report.out, report=progress)
        finally:
            timer.cancel()


@dataclass
class Report(Options):
    """Where to write a report."""

    out: Annotated[
        Path,
        option(
            "Directory of the report: index.html, figures/ and numbers/.", "DIR", panel="Output"
        ),
    ] = Path("report")
    fresh: Annotated[
        bool, flag("Discard what an earlier run left in DIR.", "--fresh", panel="Output")
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


def write_findings(evaluation: Evaluation) -> None:
    """Write what an evaluation found to standard output, one sentence per line."""
    for line in evaluation.sentences():
        _output.print_text(printable(line))
