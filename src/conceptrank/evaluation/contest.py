"""`Contest`: the measures compared by agreement over splits and by recovery after noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from conceptrank.evaluation.intervals import Summary, mean_interval, run_interval
from conceptrank.evaluation.study import Study

SPLITS, NOISE = "splits", "noise"
# Means that differ by less are equal.
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The results of a measure over all data sets.

    Attributes
    ----------
    measure
        The measure.
    splits, noise
        Its mean over the data sets, with the interval of the middle 95 % of the runs: Spearman's
        correlation between random halves, and the AUC over all levels of noise.
    rank_splits, rank_noise
        Its ranks; None if it is left out.
    reason
        Why it is left out of the contest of splits; empty if it is not.
    """

    measure: str
    splits: Summary
    noise: Summary
    rank_splits: int | None
    rank_noise: int | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Contest:
    """The standings of all measures.

    Parameters
    ----------
    studies
        Studies with the same measures.
    """

    studies: Sequence[Study]

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures."""
        return self.studies[0].measures

    def runs(self, measure: str, contest: str) -> NDArray[np.float64]:
        """Return one number per run: the mean over the data sets; nan if one has no number."""
        if contest == SPLITS:
            each = [study.splits.of(measure, "spearman") for study in self.studies]
        else:
            each = [
                np.mean([study.noise.of(measure, level) for level in study.noise.levels], axis=0)
                for study in self.studies
            ]
        means: NDArray[np.float64] = np.mean(each, axis=0)
        return means

    def reason(self, measure: str) -> str:
        """Return why a measure is left out of the contest of splits; empty if it is not."""
        if all(study.splits.identical[measure] for study in self.studies):
            return "the same scores in both halves on all data: it depends on the intent alone"
        without = [
            study.title
            for study in self.studies
            if np.isnan(study.splits.of(measure, "spearman")).all()
        ]
        return f"undefined on {', '.join(without)}" if without else ""

    def standings(self) -> list[Standing]:
        """Return all measures, the best in splits first, those left out last."""
        reasons = {measure: self.reason(measure) for measure in self.measures}
        means = {
            contest: {measure: self._mean(measure, contest) for measure in self.measures}
            for contest in (SPLITS, NOISE)
        }
        ranks = {
            SPLITS: _ranks({m: v for m, v in means[SPLITS].items() if not reasons[m]}),
            NOISE: _ranks(means[NOISE]),
        }
        found = [
            Standing(
                measure=measure,
                splits=self._summary(measure, SPLITS),
                noise=self._summary(measure, NOISE),
                rank_splits=ranks[SPLITS].get(measure),
                rank_noise=ranks[NOISE].get(measure),
                reason=reasons[measure],
            )
            for measure in self.measures
        ]
        return sorted(found, key=lambda one: one.rank_splits or len(found) + 1)

    def ahead(self, contest: str) -> tuple[tuple[str, ...], tuple[str, ...], Summary] | None:
        """Return the best measures, the next ones, and the difference; None without two places.

        Measures can share a place, as support and frequency do. The difference has a confidence
        interval of the mean in both contests.
        """
        rank = "rank_splits" if contest == SPLITS else "rank_noise"
        places: dict[int, list[str]] = {}
        for one in self.standings():
            if getattr(one, rank) is not None:
                places.setdefault(getattr(one, rank), []).append(one.measure)
        if len(places) < 2:
            return None
        first, second = (places[place] for place in sorted(places)[:2])
        paired = self.runs(first[0], contest) - self.runs(second[0], contest)
        # Noisy tables are drawn independently; splits share their objects.
        split = self.studies[0].splits.ratio if contest == SPLITS else None
        return tuple(first), tuple(second), mean_interval(paired, split=split)

    def front(self) -> list[str]:
        """Return the measures that no other measure beats in both contests."""
        taking = [
            one
            for one in self.standings()
            if one.rank_splits is not None and one.rank_noise is not None
        ]
        return [
            one.measure
            for one in taking
            if not any(
                other.splits.mean > one.splits.mean + _ROUNDING
                and other.noise.mean > one.noise.mean + _ROUNDING
                for other in taking
            )
        ]

    def sentences(self) -> list[str]:
        """Return the winners in sentences."""
        found = []
        winners: list[set[str]] = []
        titles = {SPLITS: "agreement over splits", NOISE: "recovery after noise"}
        for contest, title in titles.items():
            ahead = self.ahead(contest)
            if ahead is None:
                found.append(f"No two measures differ significantly in {title}.")
                continue
            first, second, difference = ahead
            winners.append(set(first))
            verb = "wins" if len(first) == 1 else "win"
            doubt = "" if difference.low > 0 else ", which is not clear of chance"
            found.append(
                f"{' and '.join(first)} {verb} {title} with a mean of "
                f"{self._mean(first[0], contest):.3f}, ahead of {' and '.join(second)} by "
                f"{difference}{doubt}."
            )
        if len(winners) == 2:
            both = [name for name in self.measures if name in winners[0] & winners[1]]
            verb = "wins" if len(both) == 1 else "win"
            found.append(f"{' and '.join(both)} {verb} both." if both else "No measure wins both.")
            if not both:
                found.append(f"Not beaten in both by another: {', '.join(self.front())}.")
                found.append(self._best_of_both())
        return found

    def _best_of_both(self) -> str:
        ranked = [
            (max(one.rank_splits, one.rank_noise), one)
            for one in self.standings()
            if one.rank_splits is not None and one.rank_noise is not None
        ]
        _, best = min(ranked, key=lambda pair: pair[0])
        return (
            f"The best worse rank has {best.measure}: {best.rank_splits} in splits and "
            f"{best.rank_noise} after noise, of {len(ranked)}."
        )

    def to_polars(self) -> pl.DataFrame:
        """Return a row per measure; undefined values are null."""
        rows: list[dict[str, Any]] = [
            {
                "measure": one.measure,
                "splits": one.splits.mean,
                "splits_low": one.splits.low,
                "splits_high": one.splits.high,
                "rank_splits": one.rank_splits,
                "noise": one.noise.mean,
                "noise_low": one.noise.low,
                "noise_high": one.noise.high,
                "rank_noise": one.rank_noise,
                "reason": one.reason,
            }
            for one in self.standings()
        ]
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)

    def _summary(self, measure: str, contest: str) -> Summary:
        return run_interval(self.runs(measure, contest))

    def _mean(self, measure: str, contest: str) -> float:
        return self._summary(measure, contest).mean


def _ranks(means: dict[str, float]) -> dict[str, int]:
    """Return the ranks of the largest means; means that are equal up to rounding share one.

    Examples
    --------
    >>> _ranks({"a": 0.5, "b": 0.7, "c": 0.7, "d": float("nan")})
    {'a': 3, 'b': 1, 'c': 1}
    """
    known = [measure for measure, mean in means.items() if np.isfinite(mean)]
    return {
        measure: 1 + sum(means[other] > means[measure] + _ROUNDING for other in known)
        for measure in known
    }
