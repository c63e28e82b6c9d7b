"""The figures of a report, each as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from conceptrank.budget import Progress
from conceptrank.evaluation.contest import Contest
from conceptrank.evaluation.figures.agreement import neighbours, scatter, split_intervals
from conceptrank.evaluation.figures.base import Drawn, save
from conceptrank.evaluation.figures.measures import contest, correlations, noise
from conceptrank.evaluation.figures.planted import planted
from conceptrank.evaluation.figures.time import growth, times
from conceptrank.evaluation.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from conceptrank.evaluation.planted_recovery import PlantedRecovery

__all__ = ["Drawn", "draw_all"]


def draw_all(
    directory: Path,
    studies: Sequence[Study],
    found: Contest,
    growing: pl.DataFrame,
    recovery: PlantedRecovery | None = None,
    *,
    progress: Progress | None = None,
) -> list[Drawn]:
    """Draw and write all figures of a report, and return what they show."""
    directory.mkdir(parents=True, exist_ok=True)
    makers: list[Callable[[], tuple[Figure, Drawn]]] = [
        lambda: scatter(studies),
        lambda: split_intervals(studies),
        lambda: times(studies),
        lambda: growth(growing),
        lambda: noise(studies),
        lambda: neighbours(studies),
        lambda: contest(found),
        lambda: correlations(studies),
    ]
    if recovery is not None:
        found_again = recovery
        makers.append(lambda: planted(found_again))
    drawn = []
    for place, make in enumerate(makers):
        if progress is not None:
            progress(place, place / len(makers))
        figure, about = make()
        save(figure, directory, about.name)
        drawn.append(about)
    return drawn
