"""Real files, with the shapes that the collection's own list states."""

from __future__ import annotations

import pytest

import conceptrank as cr
from conceptrank import io
from conceptrank.errors import FormatError, InputWarning
from data_files import data_path

CONTEXTS = {
    "paper/Dirichlet-2.ctx": (200, 15),
    "paper/Cointoss-1.ctx": (793, 10),
    "paper/Diagnosis.ctx": (120, 17),
    "paper/Dolphins.ctx": (62, 62),
    "paper/Dirichlet-1.ctx": (198, 10),
    "paper/Cointoss-2.ctx": (200, 15),
    "paper/diagnosis_from_uci.cxt": (120, 17),
    "paper/dolphins_from_gml.cxt": (62, 62),
    "paper/linkedin_user_skill.cxt": (1596, 97),
    "paper/linkedin_sub.cxt": (1275, 34),
    "paper/officiallang.cxt": (238, 184),
    "bench/classic/Living-Beings-and-Water.ctx": (8, 9),
    "bench/classic/Forum-Romanum.ctx": (14, 7),
    "bench/classic/Olympic-Disciplines.ctx": (50, 19),
    "bench/classic/Seasoning-Planner.ctx": (56, 37),
    "bench/classic/Southern-Woman.ctx": (18, 14),
    "bench/classic/Wood-Properties.ctx": (29, 28),
    "bench/classic/Brunson-Club.ctx": (25, 15),
    "bench/classic/Bird-Diet.ctx": (10, 8),
    "bench/classic/zoo.ctx": (101, 43),
    "bench/classic/bodiesofwater.cxt": (17, 5),
    "bench/classic/bob-ross.cxt": (403, 67),
    "bench/classic/tealady.cxt": (18, 14),
    "bench/classic/digits.cxt": (10, 7),
    "bench/mushroom.dat.gz": (8124, 119),
    "bench/chess.dat.gz": (3196, 75),
    "bench/connect.dat.gz": (67557, 129),
    "bench/retail.dat.gz": (88162, 16470),
    "bench/T10I4D100K.dat.gz": (100000, 870),
    "bench/kosarak10k.txt.gz": (10000, 10094),
    "bench/kosarak25k.txt.gz": (25000, 14804),
    "bench/accidents_10k.dat.gz": (10000, 310),
    "bench/adult.dat.gz": (32561, 611),
}
# Plain matrices whose first column is a class.
REFUSED = {
    "bench/oracles/T10I4D100K_fpc_mf-5000.dat.gz": r"line 1: found '\('",
    "paper/linkedin_triadic.txt": "line 22011: row has 2 fields, expected 3",
}
SCALED = {
    "bench/house-votes-84.data": (435, 34),
    "bench/wine.data": (178, 55),
    "bench/agaricus-lepiota.data": (8124, 117),
    "bench/adult.data.gz": (32561, 121),
    "paper/diagnosis.data": (120, 18),
    "paper/officiallang_features.csv": (414, 374),
}


@pytest.mark.parametrize(("name", "shape"), CONTEXTS.items(), ids=CONTEXTS)
def test_real_contexts_have_their_shape(name, shape):
    assert cr.load(data_path(name)).shape == shape


def test_baskets_and_pairs_have_their_shape_once_they_are_named():
    assert cr.load(data_path("bench/groceries.csv"), format="baskets").shape == (9835, 169)
    pairs = cr.load(
        data_path("paper/officiallang_features.csv"),
        transaction_id="country",
        item="glottocode",
    )
    assert pairs.shape == cr.load(data_path("paper/officiallang.cxt")).shape == (238, 184)
    with pytest.raises(FormatError, match=r"line 22011: row has . fields"):
        cr.load(data_path("paper/linkedin_triadic.txt"), scale="auto", header=False)


@pytest.mark.parametrize(("name", "pattern"), REFUSED.items(), ids=REFUSED)
def test_files_of_other_kinds_are_refused_with_a_reason(name, pattern):
    with pytest.raises(FormatError, match=pattern):
        cr.load(data_path(name))


@pytest.mark.parametrize(("name", "shape"), SCALED.items(), ids=SCALED)
def test_files_of_raw_values_are_scaled_and_said_to_be(name, shape):
    with pytest.warns(InputWarning, match="columns were scaled by type and values"):
        found = cr.load(data_path(name))
    assert found.shape == shape
    assert found == cr.load(data_path(name), scale="auto")


def test_two_files_of_one_graph_agree():
    # One file numbers the dolphins, the other names them: the numbers of crosses have to do.
    one = cr.load(data_path("paper/Dolphins.ctx"))
    other = cr.load(data_path("paper/dolphins_from_gml.cxt"))
    assert one.crosses == other.crosses == 2 * 159


def test_a_real_context_survives_every_format(tmp_path):
    context = cr.load(data_path("bench/classic/bob-ross.cxt"))
    for entry in io.formats():
        for suffix in entry.suffixes[:1] if entry.write else ():
            path = tmp_path / f"paintings{suffix}.gz"
            lost = io.losses(context, entry.name)
            if entry.name in ("fimi", "colibri", "oal"):
                assert lost
                continue
            io.save(context, path)
            found = cr.load(path)
            assert (found.shape, found.crosses) == (context.shape, context.crosses)
            assert (found == context) == (not lost)
