"""Estimates of stability: their intervals hold the truth as often as they say."""

import numpy as np
import pytest

import conceptrank as cr

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
    batch = cr.Lattice(lattice.context, lattice._core)
    held = np.zeros(len(truth))
    for seed in range(RUNS):
        low, high = batch.interval("stability", method=method, eps=0.1, delta=DELTA, seed=seed)
        assert (low <= high).all()
        held += (low <= truth + 1e-12) & (truth <= high + 1e-12)
        batch._faces.known.clear()
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
    crosses = np.ones((45, 3), dtype=bool)
    crosses[:14, 0] = crosses[14:29, 1] = crosses[29:45, 2] = False
    concept = cr.Context(range(45), range(3), crosses).concept()
    missed = 1 - concept.score("stability", method="karp_luby", eps=0.02, seed=5)
    assert missed == pytest.approx(1 - concept.score("stability"), rel=0.02)
    assert missed == pytest.approx(2.0**-14 + 2.0**-15 + 2.0**-16, rel=0.02)


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(cr.errors.UnknownNameError, match="karp_luby"):
        cr.datasets.load("movies").concept().score("stability", method="karpluby")
