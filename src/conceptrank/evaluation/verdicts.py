"""`verdicts` compares the statements of the paper with the results of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from conceptrank.evaluation.intervals import Summary, mean_interval, run_interval
from conceptrank.evaluation.paper import CR, INTENSIONAL, TABLE, PaperRow
from conceptrank.evaluation.study import Study
from conceptrank.evaluation.timing import TIMED_CR

REPRODUCED, UNDEFINED, UNCLEAR = "reproduced", "undefined", "not clear of chance"
NOT_PUBLIC, UNAVAILABLE = "data not public", "data unavailable"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A statement of the paper and the result of a run.

    Attributes
    ----------
    part
        The table or figure of the paper.
    data, subject
        The data set and the subject.
    paper, ours
        The paper's value, and that of the run.
    verdict
        `reproduced`, `differs by …`, `not clear of chance`, `undefined`, `data not public` or
        `data unavailable`. A statement that one quantity exceeds another is `reproduced` only if
        the interval of the difference is above 0.
    note
        Further remarks.
    """

    part: str
    data: str
    subject: str
    paper: str
    ours: str
    verdict: str
    note: str = ""

    @property
    def kind(self) -> str:
        """The verdict without its number."""
        return "differs" if self.verdict.startswith("differs") else self.verdict


def verdicts(
    studies: Mapping[str, Study],
    *,
    missing: Mapping[str, str] | None = None,
    table: Sequence[PaperRow] = TABLE,
) -> list[Verdict]:
    """Return a verdict on every statement of the paper that a run can check.

    Parameters
    ----------
    studies
        The results, by the name of the data set. Other data sets than the paper's are ignored.
    missing
        Why data sets are missing, by name.
    table
        The paper's data sets.
    """
    found: list[Verdict] = []
    for part in (_table, _agreement, _agreement_over_splits, _time, _neighbours):
        for row in table:
            if row.name in studies:
                found += part(row, studies[row.name])
            elif part is _table:
                reason = (missing or {}).get(row.name, "")
                kind = UNAVAILABLE if row.public else NOT_PUBLIC
                found.append(
                    Verdict(
                        part="all",
                        data=row.title,
                        subject="everything",
                        paper=f"{row.objects} × {row.attributes}, {row.concepts} concepts",
                        ours="–",
                        verdict=kind,
                        note=reason,
                    )
                )
    return found


def overview(found: Sequence[Verdict]) -> tuple[list[str], list[list[str]]]:
    """Return a table of verdicts, one row per data set: its header and its rows.

    Examples
    --------
    >>> one = dict(part="Table 1", data="Zoo", paper="1", ours="1", verdict="reproduced")
    >>> overview([Verdict(subject="|G|", **one), Verdict(subject="|M|", **one)])
    (['data', 'Table 1'], [['Zoo', 'reproduced']])
    """
    columns = dict.fromkeys(_column(one) for one in found if one.part != "all")
    rows = []
    for data in dict.fromkeys(one.data for one in found):
        own = [one for one in found if one.data == data]
        row = [data]
        for column in columns:
            cells = [one for one in own if _column(one) == column]
            row.append(_together(cells or own))
        rows.append(row)
    return ["data", *columns], rows


def _column(one: Verdict) -> str:
    return one.part if one.part == "Table 1" else f"{one.part}: {one.subject}"


def _together(cells: Sequence[Verdict]) -> str:
    others = [one for one in cells if one.verdict != REPRODUCED]
    if len(cells) > 1:
        return "; ".join(f"{one.subject} {one.verdict}" for one in others) or REPRODUCED
    (one,) = cells
    return one.verdict if one.part in ("Table 1", "all") else f"{one.verdict}: {one.ours}"


def _table(row: PaperRow, study: Study) -> Iterator[Verdict]:
    shared = int(study.paper.shared[0])
    pairs = (
        ("|G|", row.objects, study.objects),
        ("|M|", row.attributes, study.attributes),
        ("|L|", row.concepts, study.concepts),
        ("n, shared concepts", row.shared, shared),
    )
    for subject, paper, ours in pairs:
        if paper is None:
            continue
        note = ""
        if subject == "|G|" and _looks_misprinted(row, study):
            note = (
                f"likely a misprint in the paper: |M| and |L| are the same with {ours} objects, "
                "a tenth of the number printed"
            )
        yield Verdict(
            part="Table 1",
            data=row.title,
            subject=subject,
            paper=str(paper),
            ours=str(ours),
            verdict=REPRODUCED if paper == ours else f"differs by {ours - paper:+,}",
            note=note,
        )


def _looks_misprinted(row: PaperRow, study: Study) -> bool:
    others = (row.attributes, row.concepts) == (study.attributes, study.concepts)
    return others and row.objects == 10 * study.objects


def _agreement(row: PaperRow, study: Study) -> Iterator[Verdict]:
    first, second = (float(study.paper.of(name)[0]) for name in (CR, INTENSIONAL))
    note = "one split has no interval" if study.exact else "some of these scores are not exact"
    yield Verdict(
        part="Figure 2",
        data=row.title,
        subject="Pearson, halves by file order, without top and bottom",
        paper="CR above intensional stability",
        ours=f"CR {_number(first)}, stability {_number(second)}",
        verdict=_above(study.paper.difference(CR, INTENSIONAL)),
        note=_why_undefined(study, first, second) or note,
    )


def _why_undefined(study: Study, first: float, second: float) -> str:
    for name, value in ((CR, first), (INTENSIONAL, second)):
        if isnan(value):
            x, y = study.paper.points[name]
            constant = any(len(part) and part.min() == part.max() for part in (x, y))
            if constant:
                return f"all {len(x)} shared concepts have the same {name} in a half"
            return f"{len(x)} shared concepts give no correlation of {name}"
    return ""


def _agreement_over_splits(row: PaperRow, study: Study) -> Iterator[Verdict]:
    for splits, ends in ((study.splits, "without"), (study.whole_splits, "with")):
        difference = splits.difference(CR, INTENSIONAL)
        first, second = (splits.summary(name) for name in (CR, INTENSIONAL))
        yield Verdict(
            part="Figure 2",
            data=row.title,
            subject=f"Pearson, {splits.splits} random halves, {ends} top and bottom",
            paper="CR above intensional stability",
            ours=f"CR {first}, stability {second}",
            verdict=_above(difference),
            note=f"difference {difference}, interval of the mean" if difference.defined else "",
        )


def _time(row: PaperRow, study: Study) -> Iterator[Verdict]:
    times = study.times
    literal, ours, number = times.ratio(INTENSIONAL)
    left = len(times.sample) - number
    note = f"on {number:,} of {len(times.sample):,} sampled concepts"
    if left:
        note += f"; {left:,} have over {times.limit:,} subsets or generators"
    longer = mean_interval(times.literal[INTENSIONAL] - times.literal[TIMED_CR])
    (cr_low, cr_high), (low, high) = (times.spread[name] for name in (TIMED_CR, INTENSIONAL))
    of_repeats = Summary(ours - 1, np.nan, low / cr_high - 1, high / cr_low - 1, 1, 1)
    for subject, value, difference, more in (
        ("time of stability over that of CR, literally", literal, longer, note),
        (
            "time of stability over that of CR, ours",
            ours,
            of_repeats,
            f"on all {study.concepts:,} concepts",
        ),
    ):
        verdict = _above(difference)
        yield Verdict(
            part="Figure 3",
            data=row.title,
            subject=subject,
            paper="above 1",
            ours=UNDEFINED if isnan(value) else f"{value:.3g}",
            verdict=f"differs by {value - 1:+.3g}" if verdict.startswith("differs") else verdict,
            note=more,
        )


def _neighbours(row: PaperRow, study: Study) -> Iterator[Verdict]:
    first, second = (study.bootstrap.observed[name].separated for name in (CR, INTENSIONAL))
    drawn = [study.bootstrap.of(name, "separated") for name in (CR, INTENSIONAL)]
    difference = run_interval(drawn[0] - drawn[1])
    yield Verdict(
        part="Text",
        data=row.title,
        subject="neighbours with different scores",
        paper="CR separates more of them than stability",
        ours=f"CR {_percent(first)}, stability {_percent(second)}",
        verdict=_above(difference._replace(mean=first - second)),
        note=f"difference over {difference.defined} bootstrap draws: "
        f"{_percent(difference.low)} to {_percent(difference.high)}",
    )


def _above(difference: Summary) -> str:
    """Return the verdict on "the first is larger" from the interval of the difference."""
    if not difference.defined:
        return UNDEFINED
    if difference.low > 0:
        return REPRODUCED
    return f"differs by {difference.mean:+.3g}" if difference.high < 0 else UNCLEAR


def _number(value: float) -> str:
    return UNDEFINED if isnan(value) else f"{value:.3f}"


def _percent(value: float) -> str:
    return UNDEFINED if isnan(value) else f"{value:.1%}"
