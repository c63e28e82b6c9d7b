"""What `evaluate` and `reproduce` share: options, progress and output."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conceptrank._util.text import printable
from conceptrank.budget import Budget
from conceptrank.cli import _measures, _output
from conceptrank.cli._command import WrongUseError
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import MaxSeconds, Options, Seed, Threads, flag, option

if TYPE_CHECKING:
    from conceptrank.evaluation import Evaluation, Settings


@dataclass
class Experiments(Options):
    """Which measures to compare, how often and how long, and where to write the report.

    Parameters
    ----------
    measures
        Measures to compare; repeat, or separate by commas.
    quick
        Few runs, and few measures unless some are named.
    runs
        Random halves, noisy tables and bootstrap samples per data set.
    out
        Directory of the report: index.html, figures/ and numbers/.
    fresh
        Discard what an earlier run left in DIR.
    """

    measures: Annotated[
        list[str] | None, option("MEASURES", show_default="all that need nothing but a table")
    ] = None
    quick: Annotated[bool, flag("--quick")] = False
    runs: Annotated[int | None, option("N", min=1, show_default="30 halves, 20 of the others")] = (
        None
    )
    seed: Seed = 0
    threads: Threads = 0
    max_seconds: MaxSeconds = None
    out: Annotated[Path, option("DIR", panel="Output")] = Path("report")
    fresh: Annotated[bool, flag("--fresh", panel="Output")] = False

    def settings(self, *, min_support: float = 0) -> Settings:
        """Return the settings of the experiments, or fail before the work begins."""
        from conceptrank.evaluation import Settings

        chosen = _measures.measures(self.measures)
        if self.measures is not None and len(chosen) < 2:
            raise WrongUseError("an evaluation takes two measures or more (hint: cr,stability)")
        _measures.bind(chosen, {})
        _output.refuse_no_directory(self.out)
        _output.require_matplotlib("a report")
        settings = Settings(measures=tuple(chosen) or None, min_support=min_support, seed=self.seed)
        settings = settings.quick() if self.quick else settings
        if self.runs is None:
            return settings
        return replace(settings, splits=self.runs, draws=self.runs, resamples=self.runs)

    def run(self, evaluate: Callable[..., Evaluation], messages: Messages) -> Evaluation:
        """Run all experiments, write the report, and print what was found."""
        from conceptrank.evaluation.reproduction import PIECES

        self.out.mkdir(parents=True, exist_ok=True)
        if self.fresh:
            shutil.rmtree(self.out / PIECES, ignore_errors=True)
        with messages.bar(hint="Ctrl-C stops; the same command continues") as bar:

            def report(task: str, share: float) -> None:
                bar.show(share, task=task)

            evaluation = evaluate(
                threads=self.threads,
                budget=Budget(seconds=self.max_seconds),
                report=report,
                resume=self.out / PIECES,
                command=shlex.join(["conceptrank", *sys.argv[1:]]),
            )
            page = evaluation.write(self.out, report=report)
        messages.note(f"the report is {page}")
        for line in evaluation.sentences():
            _output.print_text(printable(line))
        return evaluation
