"""Verdicts, winners and reports: all that is said comes from the run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import BudgetExceeded, ConceptRankError
from conceptrank.evaluation import Settings, evaluate, noise_recovery, reproduce, study
from conceptrank.evaluation.bootstrap import FIGURES
from conceptrank.evaluation.contest import NOISE, SPLITS, Contest
from conceptrank.evaluation.intervals import mean_interval
from conceptrank.evaluation.paper import CR, EXTENSIONAL, FOCUS, INTENSIONAL, TABLE
from conceptrank.evaluation.verdicts import (
    REPRODUCED,
    UNCLEAR,
    UNDEFINED,
    Verdict,
    overview,
    verdicts,
)
from data_files import data_path
from strategies import random_context

MEASURES = (CR, INTENSIONAL, EXTENSIONAL)
SMALL = Settings(measures=MEASURES).quick()


@pytest.fixture(scope="module")
def found() -> cr.evaluation.Study:
    context = random_context(40, 7, density=0.5, seed=1)
    return study(context, "diagnosis", title="Diagnosis", settings=SMALL)


def by_subject(verdicts: list[Verdict], data: str = "Diagnosis") -> dict[str, Verdict]:
    return {one.subject: one for one in verdicts if one.data == data}


def judged(found: cr.evaluation.Study) -> dict[str, Verdict]:
    return by_subject(verdicts({"diagnosis": found}))


def swapped(values: np.ndarray) -> np.ndarray:
    """The same array with the first two measures exchanged."""
    return values[:, [1, 0, 2]] if values.ndim == 3 else values[:, :, [1, 0, 2]]


def test_table_1_compares_numbers(found):
    fitting = replace(found, objects=120, attributes=17, concepts=88)
    fitting = replace(fitting, paper=replace(found.paper, shared=np.array([81])))
    rows = judged(fitting)
    for subject in ("|G|", "|M|", "|L|", "n, shared concepts"):
        assert rows[subject].verdict == REPRODUCED
    # The paper's value is shown beside ours.
    assert (rows["|G|"].paper, rows["|L|"].paper) == ("120", "88")
    rows = judged(replace(fitting, concepts=90))
    assert rows["|L|"].verdict == "differs by +2"
    assert rows["|G|"].verdict == REPRODUCED
    rows = judged(found)
    assert rows["|G|"].verdict == "differs by -80"


def test_a_tenth_of_the_objects_with_equal_concepts_is_called_a_misprint(found):
    study = replace(found, objects=200, attributes=15, concepts=18_166)
    rows = by_subject(verdicts({"dirichlet": study}), "Dirichlet")
    assert rows["|G|"].verdict == "differs by -1,800"
    assert "misprint" in rows["|G|"].note
    other = by_subject(verdicts({"dirichlet": replace(study, concepts=18_167)}), "Dirichlet")
    assert other["|G|"].note == ""


def test_figure_2_follows_the_correlations(found):
    key = "Pearson, halves by file order, without top and bottom"
    row = judged(found)[key]
    first, second = (float(found.paper.of(name)[0]) for name in (CR, INTENSIONAL))
    # One split has no interval, so it supports no verdict.
    assert row.verdict == UNCLEAR
    assert f"CR {first:.3f}, stability {second:.3f}" == row.ours
    turned = replace(found, paper=replace(found.paper, values=swapped(found.paper.values)))
    assert judged(turned)[key].ours == f"CR {second:.3f}, stability {first:.3f}"
    hidden = found.paper.values.copy()
    hidden[:, 0] = np.nan
    nothing = replace(found, paper=replace(found.paper, values=hidden))
    assert judged(nothing)[key].verdict == UNDEFINED
    assert judged(nothing)[key].note


@pytest.mark.parametrize("ends", ["with", "without"])
def test_figure_2_over_random_splits(found, ends):
    key = f"Pearson, 3 random halves, {ends} top and bottom"
    attribute = "whole_splits" if ends == "with" else "splits"
    splits = getattr(found, attribute)

    def verdict(differences: list[float]) -> Verdict:
        values = splits.values.copy()
        values[:, 0, 0] = values[:, 1, 0] + differences
        return judged(replace(found, **{attribute: replace(splits, values=values)}))[key]

    assert verdict([0.5, 0.51, 0.49]).verdict == REPRODUCED
    assert verdict([-0.5, -0.51, -0.49]).verdict == "differs by -0.5"
    # A mean above 0 is no verdict if the interval contains 0.
    assert verdict([0.5, -0.5, 0.1]).verdict == UNCLEAR
    assert verdict([0.5, np.nan, np.nan]).verdict == UNCLEAR
    assert verdict([np.nan] * 3).verdict == UNDEFINED
    # The number of splits that a mean rests on is printed.
    assert "in 2 of 3" in verdict([0.5, 0.5, np.nan]).ours
    assert "in 2 of 3" in verdict([0.5, 0.5, np.nan]).note


def test_figure_3_follows_the_times(found):
    literal = {name: np.full(10, 1.0) for name in found.times.literal}
    literal[INTENSIONAL] = np.array([np.nan, *np.full(9, 3.0)])
    times = replace(
        found.times,
        literal=literal,
        ours=found.times.ours | {"cr": 1.0, INTENSIONAL: 0.5},
        spread=found.times.spread | {"cr": (0.9, 1.1), INTENSIONAL: (0.4, 0.6)},
    )
    rows = judged(replace(found, times=times))
    slow, quick = (
        rows[f"time of stability over that of CR, {kind}"] for kind in ("literally", "ours")
    )
    assert (slow.ours, slow.verdict) == ("3", REPRODUCED)
    assert slow.note.startswith("on 9 of 10 sampled concepts")
    assert (quick.ours, quick.verdict) == ("0.5", "differs by -0.5")
    wide = replace(times, spread=times.spread | {INTENSIONAL: (0.4, 1.5)})
    rows = judged(replace(found, times=wide))
    assert rows["time of stability over that of CR, ours"].verdict == UNCLEAR


def test_neighbours_follow_the_lattice(found):
    observed = found.bootstrap.observed
    first, second = observed[CR].separated, observed[INTENSIONAL].separated
    place = FIGURES.index("separated")

    def verdict(differences: list[float]) -> Verdict:
        values = found.bootstrap.values.copy()
        values[:, 0, place] = values[:, 1, place] + differences
        study = replace(found, bootstrap=replace(found.bootstrap, values=values))
        return judged(study)["neighbours with different scores"]

    assert f"CR {first:.1%}, stability {second:.1%}" == verdict([0.1, 0.2]).ours
    assert verdict([0.1, 0.2]).verdict == REPRODUCED
    assert verdict([-0.1, -0.2]).verdict == f"differs by {first - second:+.3g}"
    assert verdict([-0.1, 0.2]).verdict == UNCLEAR


def test_what_was_not_run_is_not_judged():
    rows = verdicts({}, missing={"diagnosis": "no network"})
    assert {one.data: one.verdict for one in rows} == {
        row.title: "data unavailable" if row.public else "data not public" for row in TABLE
    }
    assert by_subject(rows)["everything"].note == "no network"
    # A substitute is no row of the paper.
    assert "linkedin_skills" not in {one.data for one in rows}


def test_the_overview_has_a_row_a_data_set(found):
    header, rows = overview(verdicts({"diagnosis": found}))
    assert {row[0] for row in rows} == {row.title for row in TABLE}
    assert all(len(row) == len(header) for row in rows)
    linkedin = next(row for row in rows if row[0] == "LinkedIn")
    assert set(linkedin[1:]) == {"data not public"}


def contest_with(found, measure: str, *, splits: float | None = None, noise: float | None = None):
    place = found.measures.index(measure)
    changed = found
    if splits is not None:
        values = found.splits.values.copy()
        values[:, place, :] = splits
        changed = replace(changed, splits=replace(found.splits, values=values))
    if noise is not None:
        values = found.noise.values.copy()
        values[:, :, place, :] = noise
        changed = replace(changed, noise=replace(found.noise, values=values))
    return Contest([changed])


def test_the_winner_is_who_scores_best(found):
    for measure in MEASURES:
        contest = contest_with(found, measure, splits=2.0, noise=3.0)
        assert contest.ahead(SPLITS)[0] == contest.ahead(NOISE)[0] == (measure,)
        assert contest.front() == [measure]
        assert f"{measure} wins both." in contest.sentences()
    split = contest_with(found, CR, splits=2.0, noise=-1.0)
    assert CR not in split.ahead(NOISE)[0]
    assert "No measure wins both." in split.sentences()
    assert CR in split.front()
    assert len(split.front()) > 1


def test_both_contests_judge_by_the_interval_of_the_mean(found):
    values = np.array([0.1, 0.3, 0.2])
    for contest, split in ((SPLITS, 0.5), (NOISE, None)):
        study = replace(found)
        if contest == SPLITS:
            changed = np.zeros_like(found.splits.values)
            changed[:, 0, :] = values[:, None]
            study = replace(found, splits=replace(found.splits, values=changed))
        else:
            changed = np.zeros((1, 3, *found.noise.values.shape[2:]))
            changed[:, :, 0, :] = values[:, None]
            noise = replace(found.noise, values=changed, levels=(0.1,), recall=np.ones((1, 3)))
            study = replace(found, noise=noise)
        _, _, difference = Contest([study]).ahead(contest)
        assert difference == pytest.approx(mean_interval(values, split=split))
        assert str(difference) in " ".join(Contest([study]).sentences())


def test_measures_of_the_intent_alone_are_out_of_the_contest(found):
    trivial = replace(found.splits, identical=found.splits.identical | {CR: True})
    contest = Contest([replace(found, splits=trivial)])
    (cr_standing,) = (one for one in contest.standings() if one.measure == CR)
    assert cr_standing.rank_splits is None
    assert "intent alone" in cr_standing.reason
    assert CR not in contest.ahead(SPLITS)[0]
    # On one of two data sets only, it stays in.
    assert not Contest([replace(found, splits=trivial), found]).reason(CR)


def test_equal_measures_share_a_place_and_the_lead():
    settings = Settings(measures=("support", "frequency", "cr")).quick()
    context = random_context(60, 6, density=0.5, seed=2)
    contest = Contest([study(context, "x", settings=settings)])
    places = {one.measure: one.rank_splits for one in contest.standings()}
    assert places["support"] == places["frequency"]
    assert ("support", "frequency") in contest.ahead(SPLITS)[:2]


class Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.targets += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module", autouse=True)
def no_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CONCEPTRANK_DATA", raising=False)
        patch.setenv("CONCEPTRANK_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def written(no_data, tmp_path_factory) -> tuple[cr.evaluation.Evaluation, Path]:
    context = random_context(40, 7, density=0.5, seed=1)
    directory = tmp_path_factory.mktemp("report")
    told: list[float] = []
    evaluation = reproduce(
        settings=SMALL,
        own={"diagnosis": context},
        substitutes=False,
        download=False,
        report=lambda what, share: told.append(share),
        command="conceptrank reproduce <b>",
    )
    evaluation.write(directory, report=lambda what, share: told.append(share))
    assert told == sorted(told)
    assert told[-1] <= 1
    return evaluation, directory


def test_a_report_has_a_page_figures_and_numbers(written):
    _, directory = written
    page = (directory / "index.html").read_text(encoding="utf-8")
    links = Links(page)
    assert links.open == []
    targets = {directory / target for target in links.targets}
    assert all(target.is_file() for target in targets)
    figures = {path.stem for path in (directory / "figures").iterdir()}
    assert len(figures) == 8
    for name in figures:
        for kind in ("png", "svg"):
            assert (directory / "figures" / f"{name}.{kind}").stat().st_size > 1000
            assert directory / "figures" / f"{name}.{kind}" in targets
    for path in (directory / "numbers").iterdir():
        assert path in targets
        assert len(pl.read_csv(path, infer_schema_length=None)) > 0
    assert "conceptrank reproduce &lt;b&gt;" in page
    assert f"conceptrank {cr.__version__}" in page
    assert "Seed 0" in page


def test_the_page_says_what_the_run_found(written):
    evaluation, directory = written
    page = (directory / "index.html").read_text(encoding="utf-8")
    for line in evaluation.contest.sentences():
        assert line.replace("'", "&#x27;") in page
    for one in evaluation.verdicts:
        assert one.verdict in page
    assert "data unavailable" in page
    assert "data not public" in page
    rows = pl.read_csv(directory / "numbers" / "verdicts.csv")
    assert rows["verdict"].to_list() == [one.verdict for one in evaluation.verdicts]
    noise = pl.read_csv(directory / "numbers" / "noise_runs.csv")
    mean = noise.filter((pl.col("measure") == CR) & (pl.col("level") == 0.01))["auc"].mean()
    study = evaluation.studies["diagnosis"]
    assert mean == pytest.approx(study.noise.summary(CR, 0.01).mean)


def test_other_data_give_another_page(written):
    evaluation, _ = written
    other = reproduce(
        settings=SMALL,
        own={"diagnosis": cr.load(data_path("paper/Diagnosis.ctx"))},
        substitutes=False,
        download=False,
    )
    before, after = (by_subject(each.verdicts) for each in (evaluation, other))
    assert before["|L|"].verdict.startswith("differs")
    assert after["|L|"].verdict == after["n, shared concepts"].verdict == REPRODUCED
    key = "Pearson, halves by file order, without top and bottom"
    assert before[key].ours != after[key].ours
    assert evaluation.contest.sentences() != other.contest.sentences()


def test_the_papers_measures_are_always_among_those_compared():
    settings = Settings(measures=("support", "cr")).quick()
    context = random_context(20, 5, density=0.5, seed=3)
    own = {"diagnosis": context}
    found = reproduce(settings=settings, own=own, substitutes=False, download=False)
    assert found.studies["diagnosis"].measures == (*MEASURES, "support")
    assert found.verdicts


def test_without_any_data_there_is_an_error():
    with pytest.raises(ConceptRankError, match="none of the data can be had") as caught:
        reproduce(settings=SMALL, substitutes=False, download=False)
    assert "put Diagnosis.ctx into the directory that $CONCEPTRANK_DATA names" in str(caught.value)


def test_the_page_says_where_to_put_files_that_are_missing(written):
    evaluation, directory = written
    assert (
        "put Dolphins.ctx into the directory that $CONCEPTRANK_DATA"
        in evaluation.missing["dolphins"]
    )
    assert "put Dolphins.ctx into the directory" in (directory / "index.html").read_text("utf-8")


def test_an_evaluation_of_ones_own_table_judges_no_paper():
    context = random_context(30, 6, density=0.5, seed=3)
    assert evaluate(context, "mine", settings=SMALL).verdicts == []


def test_quick_settings_name_their_measures():
    assert Settings().quick().measures == FOCUS
    assert SMALL.measures == MEASURES
    assert Settings().measures is None


def test_the_seconds_of_a_budget_are_for_all_experiments(monkeypatch):
    module = sys.modules["conceptrank.evaluation.study"]
    left: list[float] = []

    def spy(context, **options):
        left.append(options["budget"].seconds)
        return noise_recovery(context, **options)

    monkeypatch.setattr(module, "noise_recovery", spy)
    context = random_context(20, 5, density=0.5, seed=3)
    budget = cr.Budget(seconds=10_000)
    evaluate(context, "mine", settings=SMALL, budget=budget)
    assert left[0] < 10_000
    budget.cancel()
    with pytest.raises(BudgetExceeded):
        evaluate(context, "mine", settings=SMALL, budget=budget)
