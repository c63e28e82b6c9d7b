"""Figures of scores: what is drawn is what the ranking says."""

from __future__ import annotations

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.errors import MeasureError
from conceptrank.plot.columns import columns
from conceptrank.plot.ranking_curves import _corners


def figure(ranking, kind: str, ax=None):
    if kind == "diagram":
        return cr.plot.diagram(ranking).draw(ax)
    return getattr(cr.plot, kind)(ranking, ax=ax)


@pytest.fixture(autouse=True)
def close_figures(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.fixture
def ranking() -> cr.Ranking:
    lattice = cr.datasets.load("movies").lattice()
    return lattice.rank("cr", also=["stability", "support"])


def made_up(values: list[float]) -> cr.Ranking:
    """A ranking by these scores of as many concepts, and by support."""

    @cr.measure("made_up")
    def score(concept):
        return values[len(concept.intent)]

    chain = cr.Context.from_numpy(np.tri(len(values), len(values) - 1, k=-1, dtype=bool))
    assert len(chain.lattice()) == len(values)
    return chain.lattice().rank("made_up", also="support")


def test_columns_are_those_of_the_ranking_or_others(ranking) -> None:
    assert [each.name for each in columns(ranking)] == ["cr", "stability", "support"]
    (column,) = columns(ranking, "delta_stability")
    wanted = ranking.lattice.score("delta_stability")[ranking.order]
    assert column.scores.tolist() == wanted.tolist()


def test_points_of_a_scatter_plot_are_the_scores(ranking) -> None:
    ax = cr.plot.scatter(ranking, x="support", y="cr")
    drawn = {tuple(point) for point in ax.collections[0].get_offsets().tolist()}
    wanted = set(zip(ranking.score("support").tolist(), ranking.score("cr").tolist(), strict=True))
    assert drawn == wanted
    told = ranking.agreement(["support", "cr"]).between("support", "cr")
    assert f"{told['spearman']:.3f}" in ax.get_title(loc="left")


def test_very_many_points_are_small() -> None:
    random = cr.datasets.random.coin_toss(objects=200, attributes=14, density=0.5, seed=1)
    ranking = random.lattice().rank("stability", also=["separation"])
    (points,) = cr.plot.scatter(ranking).collections
    assert len(points.get_offsets()) == len(ranking) > 2_000
    assert points.get_sizes().max() < 14


def test_curves_fall(ranking) -> None:
    ax = cr.plot.curves(ranking)
    for line in ax.lines:
        assert (np.diff(line.get_ydata()) <= 0).all()
        assert (line.get_ydata()[0], line.get_ydata()[-1]) == (1, 0)
    alone = cr.plot.curves(ranking, measures="stability")
    assert alone.lines[0].get_ydata().tolist() == sorted(ranking.score("stability"))[::-1]


def test_long_curves_keep_their_first_and_last_places() -> None:
    kept = _corners(np.zeros(1_000_000))
    assert kept[:20].tolist() == list(range(20))
    assert kept[-1] == 999_999
    assert len(kept) <= 1000


@pytest.mark.parametrize(
    "values",
    [[0.5], [0.5, 0.5], [0.3] * 6, [np.nan] * 4, [1, np.nan, np.inf, 2], [-np.inf, 1e300, 0, 1]],
)
@pytest.mark.parametrize("kind", ["curves", "scatter", "agreement", "diagram"])
def test_strange_scores_make_figures(kind: str, values: list[float], tmp_path) -> None:
    drawn = figure(made_up(values), kind)
    cr.plot.save(drawn, tmp_path / "a.png", close=True)
    assert (tmp_path / "a.png").stat().st_size > 1000


@pytest.mark.parametrize("kind", ["curves", "scatter", "agreement", "diagram"])
def test_no_concepts_make_figures(kind: str, tmp_path) -> None:
    none = cr.datasets.load("movies").lattice().rank("cr", also="support", where="support > 99")
    cr.plot.save(figure(none, kind), tmp_path / "a.svg")


def test_figures_are_drawn_on_given_axes(ranking) -> None:
    from matplotlib import pyplot

    _, axes = pyplot.subplots(2, 2)
    for ax, kind in zip(axes.flat, ("curves", "scatter", "agreement", "diagram"), strict=True):
        assert figure(ranking, kind, ax=ax) is ax


def test_what_can_not_be_drawn(ranking) -> None:
    alone = ranking.lattice.rank("cr")
    with pytest.raises(MeasureError, match="two measures"):
        cr.plot.scatter(alone)


def test_hostile_names_of_measures_are_text(tmp_path) -> None:
    name = "$\\frac{</text><script>$"

    @cr.measure(name)
    def odd(concept):
        return concept.support

    ranking = cr.datasets.load("movies").lattice().rank("cr", also=name)
    for kind in ("curves", "scatter", "agreement"):
        cr.plot.save(figure(ranking, kind), tmp_path / f"{kind}.svg")
        assert "<script" not in (tmp_path / f"{kind}.svg").read_text()
