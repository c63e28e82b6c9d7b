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
from conceptrank.evaluation import Settings, contest, evaluate, noise_recovery, reproduce, study
from conceptrank.evaluation.experiment import Experiment
from conceptrank.evaluation.intervals import mean_interval
from conceptrank.evaluation.paper import (
    REPRODUCED,
    TABLE,
    UNCLEAR,
    UNDEFINED,
    Verdict,
    verdicts,
)
from conceptrank.evaluation.study import CR
from conceptrank.evaluation.timing import EXTENSIONAL, INTENSIONAL
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


def changed(experiment: Experiment, **values: object) -> Experiment:
    """The experiment with other figures of Conceptual Relevance: a number, or one per case."""
    runs = experiment.runs
    own = (runs["measure"] == CR).to_numpy()
    for figure, value in values.items():
        column = runs[figure].fill_null(np.nan).to_numpy().copy()
        column[own] = value
        runs = runs.with_columns(pl.Series(figure, column).fill_nan(None))
    return replace(experiment, runs=runs)


def test_table_1_compares_numbers(found):
    fitting = replace(found, objects=120, attributes=17, concepts=88)
    halves = found.file_halves
    fitting = replace(
        fitting, file_halves=replace(halves, runs=halves.runs.with_columns(shared=81))
    )
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
    first, second = (float(found.file_halves.of(name)[0]) for name in (CR, INTENSIONAL))
    # One split has no interval, so it supports no verdict.
    assert row.verdict == UNCLEAR
    assert f"CR {first:.3f}, stability {second:.3f}" == row.ours
    other = replace(found, file_halves=changed(found.file_halves, pearson=0.25))
    assert judged(other)[key].ours == f"CR 0.250, stability {second:.3f}"
    nothing = replace(found, file_halves=changed(found.file_halves, pearson=np.nan))
    assert judged(nothing)[key].verdict == UNDEFINED
    assert judged(nothing)[key].note


@pytest.mark.parametrize("ends", ["with", "without"])
def test_figure_2_over_random_splits(found, ends):
    key = f"Pearson, 3 random halves, {ends} top and bottom"
    attribute = "whole_splits" if ends == "with" else "splits"
    splits = getattr(found, attribute)

    def verdict(differences: list[float]) -> Verdict:
        values = splits.of(INTENSIONAL) + differences
        return judged(replace(found, **{attribute: changed(splits, pearson=values)}))[key]

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
    first, second = (found.neighbours[name] for name in (CR, INTENSIONAL))

    def verdict(differences: list[float]) -> Verdict:
        values = found.bootstrap.of(INTENSIONAL, "separated") + differences
        study = replace(found, bootstrap=changed(found.bootstrap, separated=values))
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


def places(study: cr.evaluation.Study, name: str) -> dict[str, int | None]:
    frame = contest.standings([study])
    return dict(zip(frame["measure"], frame[f"rank_{name}"], strict=True))


def test_the_winner_is_who_scores_best(found):
    best = replace(
        found, splits=changed(found.splits, spearman=2.0), noise=changed(found.noise, auc=3.0)
    )
    assert places(best, "splits")[CR] == places(best, "noise")[CR] == 1
    assert all(line.startswith(f"{CR} wins") for line in contest.findings([best]))
    worst = replace(found, noise=changed(found.noise, auc=-1.0))
    assert places(worst, "noise")[CR] == 3


def test_both_contests_judge_by_the_interval_of_the_mean(found):
    levels = len(found.noise.groups)
    splits, noise = (replace(one, runs=one.runs) for one in (found.splits, found.noise))
    zero = pl.lit(0.0)
    splits = replace(splits, runs=splits.runs.with_columns(spearman=zero))
    noise = replace(noise, runs=noise.runs.with_columns(auc=zero))
    study = replace(
        found,
        splits=changed(splits, spearman=np.array([0.1, 0.3, 0.2])),
        noise=changed(noise, auc=np.tile([0.1, 0.3], levels)),
    )
    of_splits, of_noise = contest.findings([study])
    assert str(mean_interval([0.1, 0.3, 0.2], split=0.5)) in of_splits
    assert str(mean_interval([0.1, 0.3])) in of_noise


def test_measures_of_the_intent_alone_are_out_of_the_contest(found):
    trivial = replace(found, splits=changed(found.splits, identical=1.0))
    assert places(trivial, "splits")[CR] is None
    assert "intent alone" in contest.reason([trivial], CR)
    # On one of two data sets only, it stays in.
    assert not contest.reason([trivial, found], CR)


def test_equal_measures_share_a_place_and_the_lead():
    settings = Settings(measures=("support", "frequency", "cr")).quick()
    context = random_context(60, 6, density=0.5, seed=2)
    one = study(context, "x", settings=settings)
    assert places(one, "splits")["support"] == places(one, "splits")["frequency"]
    assert "support and frequency" in contest.findings([one])[0]


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
    assert len(figures) == 2
    for name in figures:
        assert (directory / "figures" / f"{name}.svg").stat().st_size > 1000
        assert directory / "figures" / f"{name}.svg" in targets
    for path in (directory / "numbers").iterdir():
        assert path in targets
        assert len(pl.read_csv(path, infer_schema_length=None)) > 0
    assert "conceptrank reproduce &lt;b&gt;" in page
    assert f"conceptrank {cr.__version__}" in page
    assert "Seed 0" in page


def test_the_page_says_what_the_run_found(written):
    evaluation, directory = written
    page = (directory / "index.html").read_text(encoding="utf-8")
    for line in evaluation.sentences():
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
    assert mean == pytest.approx(study.noise.summary(CR, "auc", 0.01).mean)


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
    assert evaluation.sentences() != other.sentences()


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


def test_an_evaluation_of_ones_own_table_judges_no_paper():
    context = random_context(30, 6, density=0.5, seed=3)
    assert evaluate(context, "mine", settings=SMALL).verdicts == []


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
