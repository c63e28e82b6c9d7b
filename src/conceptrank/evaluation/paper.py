"""What the paper on Conceptual Relevance reports, and verdicts on it.

References
----------
Ibrahim, Missaoui, Vaillancourt, Detecting important patterns using Conceptual Relevance
interestingness measure (2021), https://arxiv.org/abs/2110.11262.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan

import numpy as np

from conceptrank.evaluation.intervals import Summary, mean_interval, run_interval
from conceptrank.evaluation.study import CR, Study
from conceptrank.evaluation.timing import INTENSIONAL, TIMED_CR


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper's table of data sets.

    Attributes
    ----------
    title
        The paper's name of the data set.
    name
        The name for `conceptrank.datasets.load`.
    objects, attributes, concepts
        As printed.
    shared
        The number of concepts that both halves share, if the paper prints it.
    public
        Whether the data are public.
    """

    title: str
    name: str
    objects: int
    attributes: int
    concepts: int
    shared: int | None = None
    public: bool = True


TABLE = (
    PaperRow("Dirichlet", "dirichlet", 2000, 15, 18_166),
    PaperRow("Coin-Toss", "coin_toss", 793, 10, 913, 645),
    PaperRow("Diagnosis", "diagnosis", 120, 17, 88, 81),
    PaperRow("Dolphins", "dolphins", 62, 62, 282, 16),
    PaperRow("LinkedIn", "linkedin", 1269, 34, 4847, public=False),
    PaperRow("PediaLanguages", "pedia_languages", 316, 169, 188, public=False),
)
# Similar data. A report never calls them the paper's.
SUBSTITUTES = ("linkedin_skills", "official_languages")

REPRODUCED, UNDEFINED, UNCLEAR = "reproduced", "undefined", "not clear of chance"
NOT_PUBLIC, UNAVAILABLE = "data not public", "data unavailable"


@dataclass(frozen=True)
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
    studies: Mapping[str, Study], *, missing: Mapping[str, str] | None = None
) -> list[Verdict]:
    """Return a verdict on every statement of the paper that a run can check.

    Parameters
    ----------
    studies
        The results, by the name of the data set. Other data sets than the paper's are ignored.
    missing
        Why data sets are missing, by name.
    """
    found: list[Verdict] = []
    for row in TABLE:
        if row.name not in studies:
            size = f"{row.objects} × {row.attributes}, {row.concepts} concepts"
            kind = UNAVAILABLE if row.public else NOT_PUBLIC
            reason = (missing or {}).get(row.name, "")
            found.append(Verdict("all", row.title, "everything", size, "–", kind, reason))
    for part in (_table, _agreement, _agreement_over_splits, _time, _neighbours):
        for row in TABLE:
            if row.name in studies:
                found += part(row, studies[row.name])
    return found


def _table(row: PaperRow, study: Study) -> Iterator[Verdict]:
    shared = int(study.file_halves.cases["shared"][0])
    for subject, paper, ours in (
        ("|G|", row.objects, study.objects),
        ("|M|", row.attributes, study.attributes),
        ("|L|", row.concepts, study.concepts),
        ("n, shared concepts", row.shared, shared),
    ):
        if paper is None:
            continue
        verdict = REPRODUCED if paper == ours else f"differs by {ours - paper:+,}"
        note = ""
        if subject == "|G|" and _looks_misprinted(row, study):
            note = (
                f"likely a misprint in the paper: |M| and |L| are the same with {ours} objects, "
                "a tenth of the number printed"
            )
        yield Verdict("Table 1", row.title, subject, str(paper), str(ours), verdict, note)


def _looks_misprinted(row: PaperRow, study: Study) -> bool:
    others = (row.attributes, row.concepts) == (study.attributes, study.concepts)
    return others and row.objects == 10 * study.objects


def _agreement(row: PaperRow, study: Study) -> Iterator[Verdict]:
    first, second = (float(study.file_halves.of(name)[0]) for name in (CR, INTENSIONAL))
    note = "one split has no interval" if study.exact else "some of these scores are not exact"
    yield Verdict(
        *("Figure 2", row.title, "Pearson, halves by file order, without top and bottom"),
        paper="CR above intensional stability",
        ours=f"CR {_number(first)}, stability {_number(second)}",
        verdict=_above(study.file_halves.difference(CR, INTENSIONAL)),
        note=_why_undefined(study, first, second) or note,
    )


def _why_undefined(study: Study, first: float, second: float) -> str:
    for name, value in ((CR, first), (INTENSIONAL, second)):
        if isnan(value):
            x, y = study.points[name]
            constant = any(len(part) and part.min() == part.max() for part in (x, y))
            if constant:
                return f"all {len(x)} shared concepts have the same {name} in a half"
            return f"{len(x)} shared concepts give no correlation of {name}"
    return ""


def _agreement_over_splits(row: PaperRow, study: Study) -> Iterator[Verdict]:
    for splits, ends in ((study.splits, "without"), (study.whole_splits, "with")):
        difference = splits.difference(CR, INTENSIONAL)
        first, second = (splits.summary(name) for name in (CR, INTENSIONAL))
        subject = f"Pearson, {len(splits.cases)} random halves, {ends} top and bottom"
        yield Verdict(
            *("Figure 2", row.title, subject),
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
    own = f"on all {study.concepts:,} concepts"
    for how, value, difference, remark in (
        ("literally", literal, longer, note),
        ("ours", ours, of_repeats, own),
    ):
        subject = f"time of stability over that of CR, {how}"
        shown = UNDEFINED if isnan(value) else f"{value:.3g}"
        verdict = _above(difference)
        if verdict.startswith("differs"):
            verdict = f"differs by {value - 1:+.3g}"
        yield Verdict("Figure 3", row.title, subject, "above 1", shown, verdict, remark)


def _neighbours(row: PaperRow, study: Study) -> Iterator[Verdict]:
    first, second = (study.neighbours[name] for name in (CR, INTENSIONAL))
    drawn = [study.bootstrap.of(name, "separated") for name in (CR, INTENSIONAL)]
    difference = run_interval(drawn[0] - drawn[1])
    yield Verdict(
        *("Text", row.title, "neighbours with different scores"),
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
