"""What to know about a ranking before trusting it: cuts, ties, and scores that are not exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrank import _text
from conceptrank.cli._voice import Voice
from conceptrank.ranking import Ranking


@dataclass(frozen=True)
class Doubts:
    """Where the scores of a ranking are not exact; for all concepts, in the lattice's order.

    Parameters
    ----------
    exact
        For each measure that is not exact everywhere, where it is.
    margins
        For each of them with intervals, how far the truth can be from a score.
    """

    exact: Mapping[str, NDArray[np.bool_]]
    margins: Mapping[str, NDArray[np.float64]]

    @classmethod
    def about(cls, ranking: Ranking) -> Doubts:
        """Return the doubts about a ranking."""
        exact, margins = {}, {}
        for label, doubt in ranking.doubts.items():
            exact[label] = doubt.exact
            if doubt.low is None or doubt.high is None:
                continue
            name, params = ranking.recipe.measures[label]
            scores = ranking.lattice.score(name, **params)
            margin = np.maximum(doubt.high - scores, scores - doubt.low)
            margins[label] = np.where(doubt.exact, 0.0, margin)
        return cls(exact, margins)


def say(ranking: Ranking, shown: Ranking, doubts: Doubts, voice: Voice) -> None:
    """Say what to know about a ranking, of which some rows are shown."""
    total, where = len(ranking.lattice), ranking.recipe.where
    if not total:
        if not ranking.lattice.complete:
            return  # They were not looked for, as has been said.
        voice.note(f"no concept has {ranking.lattice.min_support:,} objects or more")
        return
    if where is not None:
        voice.note(f"{len(ranking):,} of {total:,} concepts meet --where")
    if shown.selection is not None:
        voice.note(
            f"{len(shown):,} of {len(ranking):,} concepts picked by --diverse, {shown.selection}"
        )
    elif len(shown) < len(ranking):
        voice.note(
            f"{len(shown):,} of {len(ranking):,} concepts shown (--top N or --all shows more)"
        )
    if len(ranking):
        _say_ties(ranking, voice)
    for name, known in doubts.exact.items():
        count = int((~known[ranking.order]).sum())
        margin = ", with ± how far the truth can be" if name in doubts.margins else ""
        voice.note(
            f"{count:,} of {len(ranking):,} scores by {name} are estimates or bounds; "
            f"tables mark them with ~{margin}"
        )


def _say_ties(ranking: Ranking, voice: Voice) -> None:
    ties = ranking.ties.unbroken or ranking.ties
    if ties.first < 2:
        return
    best = _text.number(ranking.score(ranking.by)[0])
    broken = ""
    if ranking.ties.unbroken is not None:
        left, then = ranking.ties.first, " and ".join(ranking.recipe.by[1:])
        broken = f"; {then} " + (f"leaves {left:,} of them tied" if left > 1 else "parts the first")
    voice.note(
        f"{ties.first:,} of {ties.concepts:,} concepts share the top score {best}; "
        f"there are {ties.distinct:,} different scores{broken}"
    )
