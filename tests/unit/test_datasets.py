from __future__ import annotations

import pytest

from conceptrank import datasets
from conceptrank.errors import UnknownNameError


def intents_of(context):
    indptr, indices = context.rows()
    return {
        name: {context.attributes[m] for m in indices[indptr[g] : indptr[g + 1]]}
        for g, name in enumerate(context.objects)
    }


def test_movies_has_the_cells_that_the_literature_forces():
    rows = intents_of(datasets.load("movies"))
    assert rows["2"] == {"action", "adventure", "criminal", "drama"}
    assert rows["5"] == rows["6"] == {"adventure", "criminal", "drama"}
    assert {g for g, row in rows.items() if {"adventure", "criminal"} <= row} == {
        "2", "5", "6", "7", "8", "10", "11",
    }  # fmt: skip
    assert list(rows) == [str(g) for g in range(1, 12)]


def test_movies_has_seven_genres_in_the_order_of_the_alphabet():
    context = datasets.load("movies")
    assert context.attributes == (
        "action", "adventure", "comedy", "criminal", "drama", "fantasy", "thriller",
    )  # fmt: skip
    assert context.crosses == 32


def test_names_are_listed_once_with_the_embedded_one_first():
    names = datasets.names()
    assert names[0] == "movies"
    assert len(set(names)) == len(names)
    assert set(datasets.available()["name"]) == set(names) - {"movies"}


def test_an_unknown_name_suggests_a_known_one():
    with pytest.raises(UnknownNameError) as caught:
        datasets.load("moives")
    assert str(caught.value).startswith("unknown data set 'moives'; did you mean 'movies'")
