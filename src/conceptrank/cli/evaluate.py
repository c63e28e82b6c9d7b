"""`conceptrank evaluate`: how far measures can be trusted on a table, as a report."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from conceptrank.cli._command import DONE, define_command
from conceptrank.cli._evaluation import Experiments
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File, MinSupport
from conceptrank.cli._pipeline import Limits, warn_if_many


@define_command(
    examples=["conceptrank evaluate movies --measures cr,stability,support --quick --out report"]
)
def command(
    *,
    file: File,
    experiments: Experiments,
    min_support: MinSupport = 0,
    reading: Reading,
    messages: Messages,
) -> int:
    """Compare how reliable measures are on a table, and write a report.

    The experiments: do random halves of the data agree, are concepts found again after noise, do
    rankings survive the bootstrap, how long does each measure take?

    The report is a page with tables and figures, the figures as SVG, and all numbers as
    CSV. The same command continues a run that was stopped.
    """
    from conceptrank.evaluation import evaluate

    settings = experiments.settings(min_support=min_support)
    context = reading.load(file, messages).context
    warn_if_many(context, Limits(min_support), messages)
    experiments.run(partial(evaluate, context, Path(file).name, settings=settings), messages)
    return DONE
