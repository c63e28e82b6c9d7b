"""The measures compared by agreement over splits and by recovery after noise, over all tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from conceptrank.evaluation.intervals import mean_interval, run_interval
from conceptrank.evaluation.study import Study

CONTESTS = {"splits": "agreement over splits", "noise": "recovery after noise"}


def runs(studies: Sequence[Study], measure: str, contest: str) -> NDArray[np.float64]:
    """Return one number per run: the mean over the tables; nan if one of them has no number.

    It is Spearman's correlation of two halves, or the mean AUC over the levels of noise.
    """
    if contest == "splits":
        each = [study.splits.of(measure, "spearman") for study in studies]
    else:
        noise = [(study.noise, study.noise.groups) for study in studies]
        each = [np.mean([one.of(measure, "auc", g) for g in groups], 0) for one, groups in noise]
    means: NDArray[np.float64] = np.mean(each, axis=0)
    return means


def reason(studies: Sequence[Study], measure: str) -> str:
    """Return why a measure is left out of the contest of splits; empty if it is not."""
    if all(study.splits.of(measure, "identical").all() for study in studies):
        return "the same scores in both halves on all data: it depends on the intent alone"
    unknown = [study for study in studies if np.isnan(study.splits.of(measure, "spearman")).all()]
    return f"undefined on {', '.join(study.title for study in unknown)}" if unknown else ""


def standings(studies: Sequence[Study]) -> pl.DataFrame:
    """Return a row per measure, the best in splits first; undefined values are null.

    For each contest there are the mean, the interval of the middle 95 % of the runs, and the rank.
    `reason` says why a measure has no rank in splits.
    """
    rows = []
    for measure in studies[0].measures:
        row: dict[str, object] = {"measure": measure, "reason": reason(studies, measure)}
        for contest in CONTESTS:
            found = run_interval(runs(studies, measure, contest))
            row |= {contest: found.mean, f"{contest}_low": found.low, f"{contest}_high": found.high}
        rows.append(row)
    frame = pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)
    # Means that differ by rounding alone are equal.
    ranks = [
        pl.when((pl.col("reason") == "") | (contest != "splits"))
        .then(pl.col(contest).round(12))
        .rank("min", descending=True)
        .cast(pl.Int64)
        .alias(f"rank_{contest}")
        for contest in CONTESTS
    ]
    return frame.with_columns(ranks).sort("rank_splits", nulls_last=True, maintain_order=True)


def findings(studies: Sequence[Study]) -> list[str]:
    """Return who is ahead in each contest, in sentences.

    Measures can share a place, as support and frequency do. The difference between the first and
    the second place has a confidence interval of the mean.
    """
    frame, found = standings(studies), []
    for contest, title in CONTESTS.items():
        rank = pl.col(f"rank_{contest}")
        ranked = frame.drop_nulls(f"rank_{contest}").sort(rank, maintain_order=True)
        places = ranked.group_by(rank, maintain_order=True).agg("measure", contest)
        if len(places) < 2:
            found.append(f"No two measures differ significantly in {title}.")
            continue
        (_, first, means), (_, second, _) = places.head(2).rows()
        of = partial(runs, studies, contest=contest)
        # Noisy tables are drawn independently; splits share their objects.
        split = studies[0].splits.split if contest == "splits" else None
        difference = mean_interval(of(first[0]) - of(second[0]), split=split)
        found.append(
            f"{' and '.join(first)} {'wins' if len(first) == 1 else 'win'} {title} with a mean of "
            f"{means[0]:.3f}, ahead of {' and '.join(second)} by {difference}"
            f"{'' if difference.low > 0 else ', which is not clear of chance'}."
        )
    return found
