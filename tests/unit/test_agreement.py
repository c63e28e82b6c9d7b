"""`Agreement` as an object: known values, what is undefined or tied, files, pictures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import UnknownNameError
from conceptrank.ranking import Agreement

COEFFICIENTS = [
    "pearson",
    "spearman",
    "kendall",
    "concordance",
    "top_overlap",
    "rank_biased_overlap",
]


@pytest.fixture(scope="module")
def ranking() -> cr.Ranking:
    lattice = cr.datasets.load("movies").lattice()
    return lattice.rank(by="cr", also=["stability", "support", "log_stability"])


def test_values_from_the_literature() -> None:
    # Lin's concordance punishes a shift that Pearson's correlation does not see.
    x = np.array([1.0, 2.0, 3.0, 4.0])
    shifted = Agreement({"x": x, "y": x + 1}).between("x", "y")
    assert shifted["pearson"] == pytest.approx(1)
    assert shifted["concordance"] == pytest.approx(2 * 1.25 / (2 * 1.25 + 1))
    # Two lists that share all but the order of their first two items.
    swapped = Agreement({"x": -x, "y": -np.array([2.0, 1.0, 3.0, 4.0])}, p=0.9, k=1).between(
        "x", "y"
    )
    assert swapped["top_overlap"] == 0
    assert swapped["rank_biased_overlap"] == pytest.approx(0.9)
    assert swapped["kendall"] == pytest.approx(4 / 6)


def test_other_packages_agree(ranking: cr.Ranking) -> None:
    names = ["cr", "stability", "support"]
    frame, found = ranking.to_pandas()[names], ranking.agreement(names)
    for name in ("pearson", "spearman", "kendall"):
        expected = frame.corr(method=name).to_numpy()
        assert found.matrix(name) == pytest.approx(expected, abs=1e-12)


def test_matrices(ranking: cr.Ranking) -> None:
    agreement = ranking.agreement(k=5)
    assert agreement.measures == ("cr", "stability", "support", "log_stability")
    assert (agreement.concepts, agreement.k, agreement.p) == (20, 5, 0.9)
    for name in COEFFICIENTS:
        matrix = agreement.matrix(name)
        assert matrix.shape == (4, 4)
        assert np.array_equal(matrix, matrix.T, equal_nan=True)
        finite = [0, 1, 2] if name in ("pearson", "concordance") else range(4)
        assert matrix[finite, finite] == pytest.approx(1)
        assert agreement.between("support", "cr")[name] == matrix[2, 0]
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = 2
    assert agreement.matrix("rbo") is agreement.matrix("rank_biased_overlap")
    assert agreement.matrix("lin") is agreement.matrix("concordance")
    with pytest.raises(UnknownNameError, match="unknown coefficient 'pearsen'; did you mean 'pear"):
        agreement.matrix("pearsen")
    with pytest.raises(UnknownNameError, match="unknown measure 'supprt' in this agreement"):
        agreement.between("cr", "supprt")


def test_undefined_is_said(ranking: cr.Ranking) -> None:
    agreement = ranking.agreement(k=5)
    with_infinite = agreement.between("cr", "log_stability")
    assert math.isnan(with_infinite["pearson"])
    assert math.isnan(with_infinite["concordance"])
    assert not math.isnan(with_infinite["spearman"])
    assert "undefined" in repr(agreement)
    assert "undefined" in agreement._repr_html_()
    assert "nan" not in repr(agreement).lower()
    assert any("log_stability: 1 score is infinite" in note for note in agreement.notes)
    frame = agreement.to_polars()
    assert frame["pearson"].null_count() == 3
    assert frame["spearman"].null_count() == 0
    assert not frame.select(pl.col(pl.Float64).is_nan().any()).row(0).count(True)


@pytest.mark.parametrize("constant", [0.0, 0.1, -3.0, math.inf, math.nan])
def test_constant_scores_agree_with_nothing(constant: float) -> None:
    varied = np.arange(6.0)
    agreement = Agreement({"x": np.full(6, constant), "y": varied})
    assert all(math.isnan(value) for value in agreement.between("x", "y").values())
    assert all(math.isnan(value) for value in agreement.between("x", "x").values())
    assert agreement.between("y", "y") == pytest.approx(dict.fromkeys(COEFFICIENTS, 1.0))
    assert any("x: the same for all concepts" in note for note in agreement.notes)


def test_scores_that_differ_by_rounding_are_constant() -> None:
    noise = np.array([0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2])
    found = Agreement({"x": noise, "y": np.arange(4.0)}).between("x", "y")
    assert all(math.isnan(value) for value in found.values())


def test_ties_across_the_last_place_are_said(ranking: cr.Ranking) -> None:
    assert ranking.agreement(k=5).notes[0] == (
        "cr: place 5 falls into a tie of 12 concepts, which count in part"
    )
    assert not [note for note in ranking.agreement(k=12).notes if note.startswith("cr:")]
    assert not [note for note in ranking.agreement(k=99).notes if "place" in note]


def test_direction_of_the_ranking_counts() -> None:
    lattice = cr.datasets.load("movies").lattice()
    down = lattice.rank(by="support", also=["frequency"], descending=False).agreement()
    up = lattice.rank(by="support", also=["frequency"]).agreement()
    assert up.between("support", "frequency")["spearman"] == pytest.approx(1)
    assert down.between("support", "frequency")["spearman"] == pytest.approx(-1)
    assert down.between("support", "frequency")["pearson"] == pytest.approx(-1)


@pytest.mark.parametrize(("name", "value"), [("k", 0), ("p", 0.0), ("p", 1.0), ("p", 1.5)])
def test_wrong_arguments(ranking: cr.Ranking, name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        ranking.agreement(**{name: value})


class TestHeatmap:
    @pytest.fixture(autouse=True)
    def _without_a_screen(self) -> None:
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("Agg")

    def test_what_is_drawn(self, ranking: cr.Ranking, tmp_path: Path) -> None:
        from matplotlib import pyplot

        agreement = ranking.agreement(k=5)
        ax = cr.plot.agreement(agreement, coefficient="pearson")
        texts = [text.get_text() for text in ax.texts]
        assert len(texts) == 16
        assert texts[0] == "1.00"
        assert texts[1] == f"{agreement.matrix('pearson')[0, 1]:.2f}".replace("-", "−")
        assert texts.count("–") == 7
        assert "undefined" in ax.get_title(loc="left")
        assert [label.get_text() for label in ax.get_yticklabels()] == list(agreement.measures)
        ax.figure.savefig(tmp_path / "a.png")
        pyplot.close(ax.figure)

    def test_given_axes(self, ranking: cr.Ranking) -> None:
        from matplotlib import pyplot

        figure, (left, right) = pyplot.subplots(1, 2)
        agreement = ranking.agreement(k=5)
        assert cr.plot.agreement(agreement, ax=left) is left
        assert (
            cr.plot.agreement(agreement, coefficient="top_k", ax=right).get_title(loc="left")
            == "Overlap of the first 5"
        )
        assert right.images[0].get_clim() == (0, 1)
        pyplot.close(figure)
