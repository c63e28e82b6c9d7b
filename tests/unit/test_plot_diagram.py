"""Line diagrams: what they show, and that it can be read."""

from __future__ import annotations

import sys
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.errors import ConceptRankError
from conceptrank.plot import Diagram, TooManyConceptsError, diagram
from conceptrank.plot.suborder import SubOrder
from data_files import data_path
from plot_cases import hostile_lattice

# Which scripts can be drawn depends on the fonts of a machine.
pytestmark = pytest.mark.filterwarnings("ignore:Glyph .* missing from font")


@pytest.fixture(autouse=True)
def close_figures(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def boxes(shown: Diagram) -> list:
    """The boxes of the labels as matplotlib draws them, in points of the drawing."""
    ax = shown.draw()
    figure = ax.figure
    figure.canvas.draw()
    back = ax.transData.inverted()
    return [
        text.get_window_extent().transformed(back)
        for text in ax.texts
        if text.get_label() == "label of a concept"
    ]


def overlap(a, b) -> bool:
    return min(a.x1, b.x1) > max(a.x0, b.x0) and min(a.y1, b.y1) > max(a.y0, b.y0)


def check_legible(shown: Diagram) -> None:
    found = boxes(shown)
    places, radii = shown.scene.positions, shown.scene.radii.tolist()
    written = sum(bool(label.above) + bool(label.below) for label in shown.labels)
    assert len(found) == written
    assert not any(overlap(a, b) for a, b in combinations(found, 2))
    for (x, y), radius in zip(
        shown.scene.positions.tolist(), shown.scene.radii.tolist(), strict=True
    ):
        for box in found:
            dx = max(box.x0 - x, 0, x - box.x1)
            dy = max(box.y0 - y, 0, y - box.y1)
            assert dx * dx + dy * dy > (radius * 0.9) ** 2
    for (lower, upper), path in zip(shown.part.covers.tolist(), shown.scene.paths, strict=True):
        for a, b in pairwise(path):
            # No line strikes a label through, be it of its own nodes or of others.
            points = a + np.linspace(0, 1, 400)[:, None] * (b - a)
            for box in found:
                inside = (points[:, 0] > box.x0) & (points[:, 0] < box.x1)
                assert not (inside & (points[:, 1] > box.y0) & (points[:, 1] < box.y1)).any()
            for node in set(range(len(shown.part))) - {lower, upper}:
                along = np.clip(
                    (shown.scene.positions[node] - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1
                )
                away = np.linalg.norm(places[node] - a - along * (b - a))
                assert away > radii[node]


@pytest.mark.parametrize("mode", ["reduced", "full", "counts"])
@pytest.mark.parametrize("size", [None, "support"])
def test_labels_and_lines_keep_apart(mode: str, size: str | None) -> None:
    movies = cr.datasets.load("movies").lattice()
    check_legible(diagram(movies, labels=mode, size=size))
    check_legible(diagram(movies.rank("stability"), top=12, labels=mode, size=size))
    check_legible(diagram(hostile_lattice(), labels=mode, size=size))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bench/classic/Living-Beings-and-Water.ctx", {}),
        ("bench/classic/Forum-Romanum.ctx", {"labels": "full"}),
        ("bench/classic/Southern-Woman.ctx", {"labels": "counts"}),
        ("bench/classic/Seasoning-Planner.ctx", {"top": 80}),
        ("bench/classic/bob-ross.cxt", {"top": 100, "limit": 100}),
        ("bench/classic/zoo.ctx", {"top": 150, "limit": 150}),
        ("bench/mushroom.dat.gz", {"min_support": 0.46}),
    ],
)
def test_real_diagrams_up_to_150_concepts_can_be_read(name: str, options: dict) -> None:
    least = options.get("min_support", 0)
    shown = diagram(cr.load(data_path(name)).lattice(min_support=least), **options)
    assert 15 <= len(shown.part) <= 150
    check_legible(shown)


def test_the_part_that_is_asked_for() -> None:
    lattice = cr.datasets.load("movies").lattice()
    assert len(diagram(lattice).part) == 20
    assert diagram(lattice, around="drama").part.focus is not None
    assert diagram(lattice, around=lattice["drama"], radius=0).part.intents == (("drama",),)
    assert len(diagram(lattice, filter=("criminal", "drama")).part) == 6
    assert len(diagram(lattice.rank("cr", where="support > 2")).part) == 10
    assert diagram(lattice.rank("cr"), top=5).colour.name == "cr"
    assert diagram(lattice, min_support=5).part.supports.tolist() == [11, 8, 8, 7, 5]
    with pytest.raises(ConceptRankError, match="ideal and top are different parts"):
        diagram(lattice, ideal="drama", top=3)
    with pytest.raises(cr.errors.UnknownNameError, match="did you mean 'drama'"):
        diagram(lattice, ideal="dramma")


def test_a_limit_is_stated_rather_than_a_grey_mass() -> None:
    lattice = cr.datasets.load("movies").lattice()
    with pytest.raises(TooManyConceptsError, match="at most 10"):
        diagram(lattice.rank("cr"), limit=10)
    with pytest.raises(TooManyConceptsError, match="show a part"):
        diagram(lattice, filter="drama", limit=1)
    with pytest.raises(ValueError, match="grey mass"):
        diagram(lattice, limit=5000)
    large = cr.Context.from_numpy(~np.eye(8, dtype=bool)).lattice()
    shown = diagram(large, limit=300)
    assert (len(shown.part), shown.mode) == (256, "none")
    assert "Labels are left out beyond 150 concepts." in shown.notes
    assert len(diagram(large).part) == 37  # those with six objects or more: 1 + 8 + 28
    # All but the top have one object: no iceberg fits, so the first ones by a measure are shown.
    flat = diagram(cr.Context.from_numpy(np.eye(200, dtype=bool)).lattice())
    assert flat.part.title == "the first 80 by cr"
    assert "Lines show what covers what among the concepts drawn." in flat.notes


def tiny() -> list[cr.Lattice]:
    contexts = [
        cr.Context((), (), ()),
        cr.Context("1", "a", [[True]]),
        cr.Context("1", "a", [[False]]),
    ]
    return [context.lattice() for context in contexts]


@pytest.mark.parametrize("labels", ["reduced", "full", "counts", "none"])
def test_nothing_one_two_and_all_equal(labels: str, tmp_path) -> None:
    parts = [SubOrder.of(tiny()[0], [], "nothing"), *map(SubOrder.whole, tiny())]
    assert [len(part) for part in parts] == [0, 1, 1, 2]
    for number, part in enumerate(parts):
        shown = diagram(part, labels=labels, colour="frequency", size="stability")
        for suffix in ("svg", "dot", "tex"):
            shown.save(tmp_path / f"{number}.{suffix}")
            assert (tmp_path / f"{number}.{suffix}").stat().st_size > 50
    assert diagram(parts[0]).notes == ("There are no concepts.",)


def test_scores_that_are_no_numbers_are_shown_as_such() -> None:
    @cr.measure("sometimes")
    def sometimes(concept):
        return {2: np.nan, 3: np.inf}.get(concept.support, 1.0)

    lattice = cr.datasets.load("movies").lattice()
    shown = diagram(lattice, colour="sometimes", size="sometimes")
    assert np.isfinite(shown.radii).all()
    assert set(shown.fills) == {"#ffffff", shown.fills[0]}
    assert shown.colour.missing() == "5 without a score, 4 infinite"
    shown.draw()


def test_notebooks_show_the_drawing(monkeypatch) -> None:
    shown = diagram(cr.datasets.load("movies").lattice())
    assert shown._repr_png_().startswith(b"\x89PNG")
    monkeypatch.setattr("conceptrank.plot.line_diagram.find_spec", lambda name: None)
    assert shown._repr_png_() is None


def test_without_matplotlib_the_extra_is_named(monkeypatch) -> None:
    lattice = cr.datasets.load("movies").lattice()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(ConceptRankError, match=r"pip install .*\[plot\]'"):
            lattice.plot()
        with pytest.raises(ConceptRankError, match=r"pip install .*\[plot\]'"):
            cr.plot.scatter(lattice.rank("cr", also="support"))
        written = diagram(lattice, colour="cr").to_tikz().splitlines()
    assert sum("[concept" in line and "fill={" in line for line in written) == len(lattice)


def test_on_given_axes_all_of_it_fits() -> None:
    from matplotlib import pyplot

    figure, (_, right) = pyplot.subplots(1, 2, figsize=(8, 3))
    shown = diagram(cr.datasets.load("movies").lattice(), colour="cr")
    assert shown.draw(right) is right
    figure.canvas.draw()
    frame = right.get_window_extent()
    for text in right.texts:
        box = text.get_window_extent()
        assert frame.x0 - 1 <= box.x0 <= box.x1 <= frame.x1 + 1
        assert frame.y0 - 1 <= box.y0 <= box.y1 <= frame.y1 + 1


def test_files_have_the_same_bytes_and_hold_hostile_names(tmp_path) -> None:
    for suffix in ("svg", "pdf", "png", "dot", "tex"):
        for run in ("a", "b"):
            diagram(hostile_lattice(), colour="cr").save(tmp_path / f"{run}.{suffix}")
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    drawing = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert not [node for node in drawing.iter() if node.tag.rpartition("}")[2] in ("script", "img")]
    assert "onerror" not in {key for node in drawing.iter() for key in node.attrib}


@pytest.mark.parametrize("size", [None, "support"])
def test_a_figure_fits_a_column(tmp_path, size: str | None) -> None:
    width = 85 / 25.4 * 72
    lattice = cr.datasets.load("movies").lattice()
    shown = diagram(lattice, colour="cr", size=size, width=width, font=7.0)
    check_legible(shown)
    ax = shown.draw()
    assert ax.figure.get_size_inches()[0] * 72 == pytest.approx(width)
    labels = [text for text in ax.texts if text.get_label() == "label of a concept"]
    assert [text.get_fontsize() for text in labels] == pytest.approx([7.0] * len(labels))
    shown.save(tmp_path / "column.pdf")
    pdf = (tmp_path / "column.pdf").read_bytes()
    assert b"/Type3" not in pdf
    assert b"/CIDFontType2" in pdf
    shown.save(tmp_path / "column.svg")
    assert ">adventure</text>" in (tmp_path / "column.svg").read_text(encoding="utf-8")
    assert r"\fontsize{7}" in shown.to_tikz()
    with pytest.raises(ValueError, match="width must be at least"):
        diagram(lattice, width=10)
    with pytest.raises(ValueError, match="font must be"):
        diagram(lattice, font=100)
