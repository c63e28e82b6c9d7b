"""Verdicts: what the paper states, what a run found, and whether the one follows from the other.

Everything here is computed from studies; nothing is said that another run could not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from conceptrank.evaluation.intervals import Summary
from conceptrank.evaluation.paper import CR, INTENSIONAL, TABLE, PaperRow
from conceptrank.evaluation.study import Study

REPRODUCED, UNDEFINED = "reproduced", "undefined"
NOT_PUBLIC, UNAVAILABLE = "data not public", "data unavailable"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One row: a statement of the paper next to what a run found.

    Attributes
    ----------
    part
        The table or figure of the paper.
    data, subject
        On which data, about what.
    paper, ours
        What the paper says, and what the run says.
    verdict
        `reproduced`, `differs by …`, `undefined`, `data not public` or `data unavailable`.
    note
        What else there is to know.
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
        What was found, by the name of the data set. Others than those of the paper don't matter.
    missing
        Why data sets could not be had, by name.
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
    """Return verdicts in short, a row for each data set: the head of the table, and its rows.

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
    note = "" if study.exact else "some of these scores are not exact"
    yield Verdict(
        part="Figure 2",
        data=row.title,
        subject="Pearson, halves by file order, without top and bottom",
        paper="CR above intensional stability",
        ours=f"CR {_number(first)}, stability {_number(second)}",
        verdict=_above(first - second),
        note=note or _why_undefined(study, first, second),
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
            ours=f"CR {interval(first)}, stability {interval(second)}",
            verdict=_above(difference.mean),
            note=_sureness(difference),
        )


def _sureness(difference: Summary) -> str:
    if isnan(difference.mean):
        return ""
    text = f"difference {interval(difference)}, corrected for overlapping splits"
    if isnan(difference.low):
        return f"difference {difference.mean:+.3f} in {difference.defined} split"
    if difference.low <= 0 <= difference.high:
        return f"{text}: not clear of chance"
    return text


def _time(row: PaperRow, study: Study) -> Iterator[Verdict]:
    literal, ours, number = study.times.ratio(INTENSIONAL)
    left = len(study.times.sample) - number
    note = f"on {number:,} of the {len(study.times.sample):,} concepts looked at"
    if left:
        note += f"; {left:,} have over {study.times.limit:,} subsets or generators to go through"
    for subject, value, more in (
        ("time of stability over that of CR, literally", literal, note),
        ("time of stability over that of CR, ours", ours, f"on all {study.concepts:,} concepts"),
    ):
        yield Verdict(
            part="Figure 3",
            data=row.title,
            subject=subject,
            paper="above 1",
            ours=UNDEFINED if isnan(value) else f"{value:.3g}",
            verdict=_above(value - 1),
            note=more,
        )


def _neighbours(row: PaperRow, study: Study) -> Iterator[Verdict]:
    found = study.bootstrap.observed
    first, second = found[CR].separated, found[INTENSIONAL].separated
    spreads = [study.bootstrap.summary(name, "separated") for name in (CR, INTENSIONAL)]
    yield Verdict(
        part="Text",
        data=row.title,
        subject="neighbours with different scores",
        paper="CR separates more of them than stability",
        ours=f"CR {_percent(first)}, stability {_percent(second)}",
        verdict=_above(first - second),
        note="bootstrap: CR "
        + " and stability ".join(f"{_percent(one.low)} to {_percent(one.high)}" for one in spreads),
    )


def _above(difference: float) -> str:
    if isnan(difference):
        return UNDEFINED
    return REPRODUCED if difference > 0 else f"differs by {difference:+.3g}"


def _number(value: float) -> str:
    return UNDEFINED if isnan(value) else f"{value:.3f}"


def _percent(value: float) -> str:
    return UNDEFINED if isnan(value) else f"{value:.1%}"


def interval(summary: Summary, digits: int = 3) -> str:
    """Return a mean with its interval as text.

    Examples
    --------
    >>> interval(Summary(0.5, 0.1, 0.31, 0.7, 30)), interval(Summary(*[float("nan")] * 4, 0))
    ('0.500 [0.310, 0.700]', 'undefined')
    """
    if not summary.defined or isnan(summary.mean):
        return UNDEFINED
    if isnan(summary.low):
        return f"{summary.mean:.{digits}f}"
    return f"{summary.mean:.{digits}f} [{summary.low:.{digits}f}, {summary.high:.{digits}f}]"
