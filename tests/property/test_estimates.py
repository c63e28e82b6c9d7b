"""Estimates of stability: their intervals hold the truth as often as they say."""

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.measures import estimates

METHODS = ["karp_luby", "monte_carlo", "stratified", "low_discrepancy"]
RUNS = 200
DELTA = 0.1


def contexts() -> list[cr.Context]:
    random = np.random.default_rng(8)
    dense = random.random((14, 9)) < 0.7
    twins = np.repeat(random.random((8, 7)) < 0.5, 3, axis=0)
    return [
        cr.datasets.load("movies"),
        cr.Context(range(14), range(9), dense),
        cr.Context(range(24), range(7), twins),
    ]


@pytest.fixture(scope="module", params=[0, 1, 2], ids=["movies", "dense", "twins"])
def lattice(request: pytest.FixtureRequest) -> cr.Lattice:
    return contexts()[request.param].lattice(min_support=2)


@pytest.mark.parametrize("method", METHODS)
def test_intervals_hold_the_truth(method: str, lattice: cr.Lattice) -> None:
    truth = lattice.score("stability")
    batch = cr.Lattice(lattice.context, lattice.core)
    held = np.zeros(len(truth))
    for seed in range(RUNS):
        low, high = batch.interval("stability", method=method, eps=0.1, delta=DELTA, seed=seed)
        assert (low <= high).all()
        held += (low <= truth + 1e-12) & (truth <= high + 1e-12)
        batch.faces.known.clear()
    # Three standard errors of one concept's share, and of the mean share over all of them.
    slack = 3 * np.sqrt(DELTA * (1 - DELTA) / RUNS)
    assert held.mean() / RUNS >= 1 - DELTA - 0.01
    assert held.min() / RUNS >= 1 - DELTA - 2 * slack


@pytest.mark.parametrize("method", METHODS)
def test_estimates_are_unbiased_and_seeded(method: str) -> None:
    concept = cr.datasets.load("movies").concept()
    scores = [concept.score("stability", method=method, eps=0.1, seed=s) for s in range(RUNS)]
    assert concept.score("stability", method=method, eps=0.1, seed=7) == scores[7]
    assert len(set(scores)) > 5
    error = np.std(scores) / np.sqrt(RUNS)
    assert np.mean(scores) == pytest.approx(1633 / 2048, abs=4 * error)


@pytest.mark.parametrize("method", METHODS)
def test_a_concept_alone_gets_the_estimate_that_it_gets_in_a_lattice(method: str) -> None:
    lattice = cr.datasets.load("movies").lattice()
    scores = lattice.score("stability", method=method, seed=3)
    alone = [concept.score("stability", method=method, seed=3) for concept in lattice]
    assert scores.tolist() == alone


def test_auto_goes_exact_where_it_is_cheap_and_says_so() -> None:
    lattice = cr.datasets.load("movies").lattice()
    np.testing.assert_array_equal(
        lattice.score("stability", method="auto"), lattice.score("stability")
    )
    assert lattice.exact("stability", method="auto").all()
    # Without faces there is nothing to estimate: the last concept has all attributes.
    assert not lattice.exact("stability", method="karp_luby")[:-1].any()


def test_auto_samples_where_exact_is_out_of_reach() -> None:
    """Faces over 60 objects that overlap at random, far too many for an exact sum."""
    random = np.random.default_rng(2)
    context = cr.Context(range(60), range(400), random.random((60, 400)) < 0.9)
    top = context.concept()
    assert not top.exact("stability", method="auto")
    low, high = top.interval("stability", method="auto", eps=0.2, seed=1)
    assert 0 <= low <= top.score("stability", method="auto", eps=0.2, seed=1) < high <= 1
    other = top.interval("stability", method="monte_carlo", eps=0.02, seed=2)
    assert max(low, other[0]) <= min(high, other[1])


def test_karp_luby_finds_rare_misses() -> None:
    """Faces of 14, 15 and 16 objects: 1 - σ is 1.06766e-4, too rare for plain sampling."""
    # Of 36 objects, the first face shares four with either of the others, and these one.
    first, second = range(14), [*range(4), *range(14, 25)]
    third = [*range(4, 8), 14, *range(25, 36)]
    crosses = np.ones((36, 3), dtype=bool)
    for attribute, face in enumerate((first, second, third)):
        crosses[face, attribute] = False
    concept = cr.Context(range(36), range(3), crosses).concept()
    missed = 1 - concept.score("stability", method="karp_luby", eps=0.02, seed=5)
    assert missed == pytest.approx(1 - concept.score("stability"), rel=0.02)
    assert missed == pytest.approx(1.06766e-4, rel=0.02)
    assert 1 - concept.score("stability") == pytest.approx(1.06766e-4, rel=1e-5)
    assert concept.score("log_stability") == pytest.approx(13.193, abs=5e-4)


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(cr.errors.UnknownNameError, match="karp_luby"):
        cr.datasets.load("movies").concept().score("stability", method="karpluby")


def drawn(name: str, concept: cr.Concept, **params: object) -> tuple[float, float]:
    """An estimate of the chance to miss a face, and the number of draws behind it."""
    sampling = estimates.sampling_of(name, **params)  # type: ignore[arg-type]
    miss, samples = concept._alone.face_scores("extent", "miss", "samples", sampling=sampling)
    return float(miss[0]), float(samples[0])


def test_worked_numbers_of_draws() -> None:
    top = cr.datasets.load("movies").concept()
    assert drawn("monte_carlo", top, eps=0.01, delta=0.01)[1] == 26_492
    assert drawn("monte_carlo", top, eps=0.05, delta=0.05)[1] == 738
    # At most as many as the general bound, which knows the number of faces only.
    assert drawn("karp_luby", top)[1] <= np.ceil(3 * 6 * np.log(2 / 0.05) / 0.05**2)


def test_worked_spread_of_the_estimates() -> None:
    # 400 draws on the top of Movies: 0.004 around 0.202637 by Karp and Luby, 0.020 by plain draws,
    # and by strata no more than that.
    top = cr.datasets.load("movies").concept()
    assert 1 - top.score("stability") == pytest.approx(0.202637, abs=5e-7)
    spreads = {}
    for name in ("karp_luby", "monte_carlo", "stratified"):
        found = np.array([drawn(name, top, eps=0.1, seed=seed) for seed in range(300)])
        assert found[:, 0].mean() == pytest.approx(0.202637, abs=4 * found[:, 0].std() / 300**0.5)
        spreads[name] = found[:, 0].std() * (found[:, 1].mean() / 400) ** 0.5
    assert spreads["karp_luby"] == pytest.approx(0.004, abs=0.001)
    assert spreads["monte_carlo"] == pytest.approx(0.020, abs=0.003)
    assert spreads["stratified"] < 1.1 * spreads["monte_carlo"]


def test_points_spread_evenly_move_all_objects() -> None:
    # Points of one unscrambled sequence would only ever move the first ten of these objects.
    crosses = np.ones((20, 1), dtype=bool)
    crosses[16:] = False
    concept = cr.Context(range(20), "m", crosses).concept()
    assert concept.score("stability") == 15 / 16
    low, high = concept.interval("stability", method="low_discrepancy", seed=1)
    assert 0.9 < low <= 15 / 16 <= high
