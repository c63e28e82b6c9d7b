from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank._util.sealed import UNSEALED, seal
from conceptrank.errors import FormatError, UnknownNameError, WriteError
from conceptrank.faces import FaceNeed, Scores
from conceptrank.lattice import Lattice, MissingConceptError

WRONG_NUMBERS = pl.lit([99], pl.List(pl.UInt32))
NO_NUMBERS = pl.lit(None, pl.List(pl.UInt32))


@pytest.fixture
def movies() -> cr.Context:
    return cr.datasets.load("movies")


def contranominal(n: int) -> cr.Context:
    return cr.Context(range(n), [f"m{i}" for i in range(n)], ~np.eye(n, dtype=bool))


def test_a_lattice_is_a_sequence(movies: cr.Context) -> None:
    lattice = movies.lattice()
    assert len(lattice) == len(list(lattice)) == 20
    assert lattice[0] == lattice.top == lattice.supremum
    assert lattice[-1] == lattice[19] == lattice.bottom == lattice.infimum
    assert lattice[np.int64(3)] == lattice[3]
    assert [concept.index for concept in lattice[2:8:2]] == [2, 4, 6]
    assert lattice[100:] == []
    for index in (20, -21):
        with pytest.raises(IndexError):
            lattice[index]
    with pytest.raises(TypeError):
        lattice[1.0]  # type: ignore[call-overload]


def test_order_of_concepts(movies: cr.Context) -> None:
    lattice = movies.lattice()
    place = {name: i for i, name in enumerate(movies.attributes)}
    keys = [(-c.support, [place[name] for name in c.intent]) for c in lattice]
    assert keys == sorted(keys)


def test_concepts_by_attributes(movies: cr.Context) -> None:
    lattice = movies.lattice()
    assert lattice["drama"].intent == ("drama",)
    assert lattice["drama",].intent == ("drama",)
    assert lattice["drama", "criminal"].intent == ("adventure", "criminal", "drama")
    assert lattice[()] == lattice.top
    with pytest.raises(UnknownNameError, match="did you mean 'drama'"):
        lattice["dram"]


def test_what_is_in_a_lattice(movies: cr.Context) -> None:
    lattice = movies.lattice(min_support=3)
    assert "drama" in lattice
    assert ("drama", "criminal") in lattice
    assert ("drama", "comedy") not in lattice
    assert "drum" not in lattice
    assert movies.concept("drama") in lattice
    assert movies.concept("comedy") not in lattice
    assert contranominal(3).concept() not in lattice
    assert 3 not in lattice


def test_concepts_below_the_minimum_support(movies: cr.Context) -> None:
    lattice = movies.lattice(min_support=3)
    with pytest.raises(MissingConceptError) as caught:
        lattice["comedy"]
    message = (
        "the concept of {comedy} is not in this lattice: it has 2 objects, and min_support is 3"
    )
    assert str(caught.value).startswith(message)
    assert isinstance(caught.value, KeyError)
    with pytest.raises(MissingConceptError):
        _ = lattice.bottom
    assert lattice.top.support == 11


def test_nothing_above_the_minimum_support(movies: cr.Context) -> None:
    lattice = movies.lattice(min_support=12)
    assert len(lattice) == 0
    assert list(lattice) == []
    assert lattice.complete
    assert lattice.score("cr").shape == lattice.score("stability").shape == (0,)
    assert len(lattice.rank()) == 0
    with pytest.raises(MissingConceptError):
        _ = lattice.top


def test_an_incomplete_lattice_says_nothing_wrong() -> None:
    random = np.random.default_rng(7)
    context = cr.Context(range(60), range(20), random.random((60, 20)) < 0.5)
    whole, part = context.lattice(), context.lattice(budget=cr.Budget(concepts=300))
    assert not part.complete
    places = [whole[concept.intent].index for concept in part]
    assert places == sorted(places)
    for name in ("cr", "stability", "stability_extensional", "delta_measure", "log_stability"):
        for side in ("intent", "extent") if name == "cr" else (None,):
            params = {"side": side} if side else {}
            scores = whole.score(name, **params)[places]
            np.testing.assert_allclose(part.score(name, **params), scores, rtol=1e-12, err_msg=name)
    for concept in part[::50]:
        assert concept.upper_covers == whole[concept.intent].upper_covers
    missing = next(concept for concept in whole if concept.index not in places)
    with pytest.raises(MissingConceptError, match="mining ended early"):
        part[missing.intent]


def test_scores_of_the_mining_pass(movies: cr.Context) -> None:
    asked = movies.lattice(measures=["stability", ("cr", {"side": "extent"}), "cr"])
    plain = movies.lattice()
    for name, params in (("stability", {}), ("cr", {"side": "extent"}), ("cr", {})):
        assert asked.score(name, **params).tolist() == plain.score(name, **params).tolist()
    with pytest.raises(UnknownNameError):
        movies.lattice(measures=["stabillity"])


def test_arrays_cannot_be_changed(movies: cr.Context) -> None:
    lattice = movies.lattice()
    before = [lattice.supports, lattice.score("stability"), lattice.deltas]
    for array in (lattice.supports, lattice.deltas, lattice.score("stability")):
        array[:] = 0
    after = [lattice.supports, lattice.score("stability"), lattice.deltas]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    for array in (*lattice.intents, *lattice.face_scores("extent", "miss")):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


class TestFiles:
    def test_round_trip(self, movies: cr.Context, tmp_path: Path) -> None:
        for min_support in (0, 3, 12):
            lattice = movies.lattice(min_support=min_support)
            lattice.save(tmp_path / "a.parquet")
            loaded = cr.Lattice.load(str(tmp_path / "a.parquet"))
            assert loaded.context == movies
            assert list(loaded) == list(lattice)
            assert loaded.min_support == min_support
            assert loaded.complete
            for name in ("cr", "stability", "delta_measure"):
                assert loaded.score(name).tolist() == lattice.score(name).tolist()
        assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]

    @pytest.mark.parametrize(("n", "q"), [(0, 0), (0, 3), (3, 0), (1, 1)])
    def test_empty_contexts(self, n: int, q: int, tmp_path: Path) -> None:
        lattice = cr.Context(range(n), range(q), np.zeros((n, q), dtype=bool)).lattice()
        lattice.save(tmp_path / "a.parquet")
        loaded = cr.Lattice.load(tmp_path / "a.parquet")
        assert loaded.context == lattice.context
        assert [tuple(c) for c in loaded] == [tuple(c) for c in lattice]

    def test_incomplete_lattices_stay_incomplete(self, tmp_path: Path) -> None:
        lattice = contranominal(30).lattice(budget=cr.Budget(concepts=50))
        lattice.save(tmp_path / "a.parquet")
        loaded = cr.Lattice.load(tmp_path / "a.parquet")
        assert (loaded.stopped, len(loaded)) == ("concepts", 50)

    def test_other_programs_can_read_it(self, movies: cr.Context, tmp_path: Path) -> None:
        movies.lattice().save(tmp_path / "a.parquet")
        frame = pl.read_parquet(tmp_path / "a.parquet")
        assert frame["kind"].value_counts().sort("kind").rows() == [
            ("attribute", 7),
            ("concept", 20),
            ("object", 11),
        ]
        concept = frame.filter(kind="concept").row(7, named=True)
        assert (concept["attributes"], concept["support"], concept["delta"]) == ([1, 3, 4], 3, 2)

    def test_a_failed_save_leaves_nothing(self, movies: cr.Context, tmp_path: Path) -> None:
        with pytest.raises(WriteError, match=r"there is no directory .*nowhere"):
            movies.lattice().save(tmp_path / "nowhere" / "a.parquet")
        (tmp_path / "taken").mkdir()
        with pytest.raises(WriteError, match="taken"):
            movies.lattice().save(tmp_path / "taken")
        assert [path.name for path in tmp_path.iterdir()] == ["taken"]

    def test_files_that_hold_no_lattice(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            cr.Lattice.load(tmp_path / "missing.parquet")
        path = tmp_path / "a.parquet"
        for junk in (b"", b"PAR1", b"a,b\n1,2\n", bytes(range(256))):
            path.write_bytes(junk)
            with pytest.raises(FormatError, match="is not a readable Parquet file"):
                cr.Lattice.load(path)
        pl.DataFrame({"a": [1]}).write_parquet(path)
        with pytest.raises(FormatError, match="holds no lattice"):
            cr.Lattice.load(path)
        with pytest.raises(FormatError):
            cr.Lattice.load(tmp_path)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda f, m: (f, m | {"version": "99"}), "version 99"),
            (lambda f, m: (f, m | {"min_support": "many"}), "is damaged"),
            (lambda f, m: (f, {k: v for k, v in m.items() if k != "stopped"}), "is damaged"),
            (lambda f, m: (f.drop("delta"), m), "other columns"),
            (lambda f, m: (f.with_columns(pl.col("support").cast(pl.Int64)), m), "other columns"),
            (lambda f, m: (f.head(-1), m), "is damaged"),
            (lambda f, m: (f.tail(-1), m), "is damaged"),
            (lambda f, m: (f.reverse(), m), "is damaged"),
            (lambda f, m: (f.filter(pl.col("kind") != "object"), m), "is damaged"),
            (lambda f, m: (f.with_columns(name=pl.lit("x")), m), "is damaged"),
            (lambda f, m: (f.with_columns(support=pl.lit(3, pl.UInt32)), m), "is damaged"),
            (lambda f, m: (f.with_columns(support=pl.lit(None, pl.UInt32)), m), "is damaged"),
            (lambda f, m: (f.with_columns(attributes=WRONG_NUMBERS), m), "is damaged"),
            (lambda f, m: (f.with_columns(lower_covers=WRONG_NUMBERS), m), "is damaged"),
            (lambda f, m: (f.with_columns(lower_covers=NO_NUMBERS), m), "a list is missing"),
        ],
    )
    def test_damaged_files(
        self,
        tmp_path: Path,
        change: Callable[[pl.DataFrame, dict[str, str]], tuple[pl.DataFrame, dict[str, str]]],
        message: str,
    ) -> None:
        # Changed files get a new seal, so that what they hold is checked as well.
        path = tmp_path / "a.parquet"
        cr.datasets.load("movies").lattice().save(path)
        frame, metadata = pl.read_parquet(path), pl.read_parquet_metadata(path)
        changed, metadata = change(frame, metadata)
        metadata.pop("ARROW:schema", None)
        changed.write_parquet(path, metadata=metadata | {"seal": UNSEALED})
        path.write_bytes(seal(path.read_bytes()))
        with pytest.raises(FormatError, match=message) as caught:
            cr.Lattice.load(path)
        assert "a.parquet" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_measures_that_are_expected_share_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[FaceNeed] = []
    compute = Lattice._compute_faces

    def counted(lattice: Lattice, need: FaceNeed) -> Scores:
        passes.append(need)
        return compute(lattice, need)

    monkeypatch.setattr(Lattice, "_compute_faces", counted)
    names = ["cr", "stability_intensional", "stability_extensional"]
    context = cr.datasets.load("movies")
    lattice = context.lattice(measures=names)
    together = [lattice.score(name) for name in names]
    assert [need.side for need in passes] == ["intent"]
    for name, scores in zip(names, together, strict=True):
        np.testing.assert_array_equal(scores, context.lattice().score(name))
