"""Real data whose number of concepts is known from other programs."""

import gzip

import pytest

import conceptrank as cr
from data_files import data_path

COUNTS = {
    "paper/Diagnosis.ctx": 88,
    "paper/Dolphins.ctx": 282,
    "paper/Cointoss-1.ctx": 913,
    "paper/Dirichlet-2.ctx": 18_166,
    "bench/classic/bob-ross.cxt": 3_463,
    "bench/classic/zoo.ctx": 4_579,
    "bench/mushroom.dat.gz": 238_710,
}


@pytest.mark.parametrize(("name", "count"), COUNTS.items(), ids=list(COUNTS))
def test_known_counts(name: str, count: int) -> None:
    lattice = cr.load(data_path(name)).lattice()
    assert len(lattice) == count
    assert lattice.complete


def test_tic_tac_toe_by_nominal_scaling() -> None:
    table = cr.scaling.read_table(data_path("bench/tic-tac-toe.arff"))
    plan = cr.scaling.infer(table)
    for column in table.columns:
        plan[column] = "nominal"
    assert len(plan.apply(table).lattice()) == 59_505


def test_mushroom_has_its_covers() -> None:
    lattice = cr.load(data_path("bench/mushroom.dat.gz")).lattice()
    assert len(lattice.lower_covers[1]) == len(lattice.upper_covers[1]) == 1_370_991
    assert lattice.n_bytes / len(lattice) <= 250


@pytest.mark.parametrize("least", [100, 500, 1000, 5000])
def test_closed_sets_that_another_program_lists(least: int) -> None:
    listed = {}
    with gzip.open(data_path(f"bench/oracles/T10I4D100K_fpc_mf-{least}.dat.gz"), "rt") as file:
        for line in file:
            items, support = line.rstrip(")\n").split("(")
            listed[frozenset(items.split())] = int(support)
    context = cr.load(data_path("bench/T10I4D100K.dat.gz"))
    for concepts in (context.closed_sets(min_support=least), context.lattice(min_support=least)):
        ours = {frozenset(c.intent): c.support for c in concepts if c.intent}
        assert ours == listed
