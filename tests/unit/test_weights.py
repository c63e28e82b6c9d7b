"""Weights of objects equal repetition: in measures, rules, searches, summaries and evaluation."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from inspect import Parameter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conceptrank as cr
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.measures import registry

# All measures in 500 contexts take a minute.
CONTEXTS = 500 if os.environ.get("CONCEPTRANK_SOAK") else 125
BASES = ("generic", "luxenburger", "duquenne_guigues")


def drawn(seed: int) -> tuple[cr.Context, cr.Context, NDArray[np.int64]]:
    """Return a random context with weights, its rows repeated without the product, and weights."""
    random = np.random.default_rng(seed)
    n, q = int(random.integers(1, 9)), int(random.integers(1, 7))
    cells = random.random((n, q)) < random.choice([0.3, 0.6, 0.8])
    if n > 2 and seed % 3 == 0:
        cells[-1] = cells[0]
    weights = random.integers(1, [2, 4, 40][seed % 3] + 1, n)
    weights[int(random.integers(n))] += 1
    context = cr.Context(range(n), range(q), cells, weights=weights)
    places = np.repeat(np.arange(n), weights)
    return context, cr.Context(range(len(places)), range(q), cells[places]), weights


def variants(name: str, random: np.random.Generator, context: cr.Context) -> list[dict[str, Any]]:
    """Return parameters for a measure; labels and weights have one value per listed object."""
    measure = registry.get(name)
    own: dict[str, Any] = {}
    n, q = len(context.objects), len(context.attributes)
    for param, default in measure.params.items():
        if default is not Parameter.empty:
            continue
        if param == "labels":
            own[param] = random.integers(0, 2, n)
        elif param == "weights":
            own[param] = random.random(n if measure.side == "extent" else q).round(3)
        else:
            own[param] = 0.2
    found = [own]
    choices = {
        "side": ["extent", "intent"],
        "agg": ["mean", "max", "product", "owa"],
        "target": ["variance"],
        "similarity": ["smc"],
        "bottom": ["inf"],
    }
    for param, values in choices.items():
        if param in measure.params:
            found += [own | {param: value} for value in values if value != measure.params[param]]
    if name in ("target_entropy", "information_gain", "chi_squared"):
        found.append({"labels": random.integers(0, 3, n)})
    return found


def repeated_params(
    params: dict[str, Any], measure: registry.Measure, weights: NDArray[np.int64]
) -> dict[str, Any]:
    """Return the parameters for the repeated context."""
    result = dict(params)
    for param in ("labels", "weights"):
        if param in params and (param == "labels" or measure.side == "extent"):
            result[param] = np.repeat(params[param], weights)
    return result


@pytest.mark.parametrize("part", range(CONTEXTS // 25))
def test_every_measure_of_concepts_and_rules(part: int):
    names = registry.available().get_column("name").to_list()
    of_rules = cr.rules.measures.available().get_column("name").to_list()
    for seed in range(25 * part, 25 * part + 25):
        random = np.random.default_rng(10_000 + seed)
        context, whole, weights = drawn(seed)
        lattice, expected = context.lattice(threads=1), whole.lattice(threads=1)
        assert context.shape == whole.shape
        assert context.crosses == whole.crosses
        assert context.density == whole.density
        for one, other in zip(lattice.intents, expected.intents, strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(lattice.supports, expected.supports)
        np.testing.assert_array_equal(lattice.deltas, expected.deltas)
        for one, other in zip(lattice.lower_covers, expected.lower_covers, strict=True):
            np.testing.assert_array_equal(one, other)
        places = np.repeat(np.arange(len(weights)), weights)
        for concept, same in zip(lattice, expected, strict=True):
            assert concept.support == same.support == weights[concept.extent_numbers].sum()
            np.testing.assert_array_equal(
                np.unique(places[same.extent_numbers]), concept.extent_numbers
            )
        # A measure in a few contexts with all its variants, in the others by its defaults.
        for number, name in enumerate(names):
            measure = registry.get(name)
            found = variants(name, random, context)
            for params in found if (number + seed) % 10 == 0 else found[:1]:
                more = repeated_params(params, measure, weights)
                np.testing.assert_allclose(
                    lattice.score(name, **params),
                    expected.score(name, **more),
                    rtol=1e-12,
                    atol=1e-12,
                    err_msg=f"{name} {params} in context {seed}",
                )
        for basis in BASES:
            rules = lattice.rules(basis, min_confidence=0.3)
            same_rules = expected.rules(basis, min_confidence=0.3)
            for one, other in zip(rules.premises, same_rules.premises, strict=True):
                np.testing.assert_array_equal(one, other)
            for one, other in zip(rules.conclusions, same_rules.conclusions, strict=True):
                np.testing.assert_array_equal(one, other)
            for name in of_rules:
                np.testing.assert_allclose(
                    rules.score(name), same_rules.score(name), rtol=1e-12, atol=1e-12, err_msg=name
                )


@pytest.mark.parametrize("seed", range(30))
def test_distinct_rows_are_used_as_they_are(seed: int):
    context, whole, _ = drawn(seed)
    weights = context.weights.astype(np.uint32)
    ones = np.ones(len(whole.objects), dtype=np.uint32)
    packed = cr.Context.from_distinct_rows(context.attributes, context.rows(), weights)
    # Equal rows that were not merged count as single objects.
    repeated = cr.Context.from_distinct_rows(whole.attributes, whole.rows(), ones)
    assert packed.shape == repeated.shape == whole.shape
    expected = whole.lattice(threads=1)
    for other in (packed, repeated):
        lattice = other.lattice(threads=1)
        np.testing.assert_array_equal(lattice.supports, expected.supports)
        for name in ("stability", "cr", "delta_measure", "lift", "separation"):
            np.testing.assert_allclose(lattice.score(name), expected.score(name), rtol=1e-12)
        sets = other.closed_sets(min_support=2)
        assert sets.to_polars().equals(whole.closed_sets(min_support=2).to_polars())


@pytest.mark.parametrize("row", [[1, 0], [0, 0], [0, 2]])
def test_distinct_rows_are_checked(row: list[int]):
    rows = np.array([0, 2]), np.array(row, dtype=np.uint32)
    with pytest.raises(FormatError, match="row 0 is not an ascending list of attribute numbers"):
        cr.Context.from_distinct_rows("ab", rows, np.ones(1, dtype=np.uint32))


def larger(seed: int) -> tuple[cr.Context, cr.Context]:
    """Return a context with weights and some structure, and the same with repeated rows."""
    random = np.random.default_rng(seed)
    cells = random.random((40, 8)) < 0.35
    cells[:12, :3] = True
    weights = random.integers(1, 6, len(cells))
    context = cr.Context(range(len(cells)), "abcdefgh", cells, weights=weights)
    whole = cells[np.repeat(np.arange(len(cells)), weights)]
    return context, cr.Context(range(len(whole)), "abcdefgh", whole)


def repeated(values: NDArray[Any], context: cr.Context) -> NDArray[Any]:
    return np.repeat(values, context.weights)


@pytest.mark.parametrize("by", ["delta_measure", "stability", "cr", "wracc", "mean_shift"])
@pytest.mark.parametrize("seed", range(3))
def test_best_concepts(by: str, seed: int):
    context, whole = larger(seed)
    labels = np.random.default_rng(seed).integers(0, 2, len(context.objects))
    needs = by in ("wracc", "mean_shift")
    options: dict[str, Any] = {"min_support": 0.05, "min_intent": 1}
    found = context.best(7, by=by, **options, **({"labels": labels} if needs else {}))
    more = {"labels": repeated(labels, context)} if needs else {}
    same = whole.best(7, by=by, **options, **more)
    assert [c.intent for _, c, _ in found] == [c.intent for _, c, _ in same]
    np.testing.assert_allclose(found.score(by), same.score(by), rtol=1e-12)


def test_best_concepts_for_a_target():
    context, whole = larger(1)
    found, same = (each.best(5, by="wracc", target="a") for each in (context, whole))
    assert found.to_polars().equals(same.to_polars())


@pytest.mark.parametrize("method", ["westfall_young", "lamp"])
def test_significant_concepts(method: Any):
    context, whole = larger(2)
    labels = np.arange(len(context.objects)) < 15
    options: dict[str, Any] = {"method": method, "permutations": 99, "seed": 1}
    found = context.significant(labels, **options)
    same = whole.significant(repeated(labels, context), **options)
    assert len(found)
    assert found.correction == same.correction
    assert found.to_polars().equals(same.to_polars())


@pytest.mark.parametrize("method", ["surprise", "slim", "grecond", "diverse"])
def test_summaries(method: str):
    context, whole = larger(3)
    found, same = (each.summarize(4, method=method) for each in (context, whole))
    assert found.to_polars().equals(same.to_polars())
    assert found.title == same.title
    lattices = (each.lattice(min_support=2) for each in (context, whole))
    found, same = (each.summarize(4, method=method) for each in lattices)
    assert found.to_polars().equals(same.to_polars())


@pytest.mark.parametrize("overlap", ["extent", "cells"])
def test_diverse_rankings(overlap: Any):
    found, same = (each.rank("stability").diverse(5, overlap=overlap) for each in larger(4))
    assert found.to_polars().equals(same.to_polars())
    assert str(found.selection) == str(same.selection)


def test_closed_sets_estimates_and_implications():
    context, whole = larger(5)
    for least in (0, 0.2, 9):
        found, same = (each.closed_sets(min_support=least).to_polars() for each in (context, whole))
        assert found.equals(same)
        estimates = [each.estimate_concepts(min_support=least) for each in (context, whole)]
        assert estimates[0] == estimates[1]
        bases = [cr.rules.Implications.of(each, min_support=least) for each in (context, whole)]
        assert str(bases[0]) == str(bases[1])


@pytest.mark.parametrize(
    "constraints",
    [
        {"contains": "a"},
        {"contains": ["a", "b"], "max_intent": 4},
        {"any_of": ["c", "d"], "excludes": "e"},
        {"min_intent": 3, "max_support": 0.3},
        {"where": "cr > 0.3", "min_intent": 2},
    ],
)
def test_constraints(constraints: Any):
    context, whole = larger(11)
    lattices = [each.lattice(min_support=5, **constraints) for each in (context, whole)]
    for name in ("stability", "cr", "separation"):
        found, same = (each.score(name) for each in lattices)
        assert len(found)
        np.testing.assert_allclose(found, same, rtol=1e-12)
    np.testing.assert_array_equal(lattices[0].deltas, lattices[1].deltas)
    np.testing.assert_array_equal(lattices[0].lower_covers[1], lattices[1].lower_covers[1])
    found, same = (
        each.closed_sets(min_support=5, **constraints).to_polars() for each in (context, whole)
    )
    assert found.equals(same)
    found, same = (
        each.rules(conclusion="c", min_support=3, by="lift", top=9) for each in (context, whole)
    )
    assert found.to_polars().equals(same.to_polars())


def test_evaluation():
    context, whole = larger(6)
    options: dict[str, Any] = {"measures": ["cr", "stability"], "min_support": 0.05, "threads": 1}
    evaluation = cr.evaluation
    for function, more in (
        (evaluation.bootstrap, {"draws": 2}),
        (evaluation.noise_recovery, {"draws": 1, "levels": (0.01,)}),
        (evaluation.split_agreement, {"splits": 2}),
    ):
        found, same = (str(function(each, **options, **more)) for each in (context, whole))
        assert found == same
    for null in ("curveball", "resample_rows", "categorical_rows", "coin_toss"):
        found, same = (
            evaluation.significance(each.lattice(min_support=30), null=null, samples=19)
            for each in (context, whole)
        )
        np.testing.assert_array_equal(found.adjusted, same.adjusted)


def test_random_contexts_count_copies():
    context, whole = larger(7)
    random = cr.datasets.random
    for draw in (random.swap, random.curveball, random.shuffle_columns, random.resample_rows):
        assert np.array_equal(draw(context, seed=3).rows()[1], draw(whole, seed=3).rows()[1])


def test_runs(tmp_path):
    context, whole = larger(8)
    found, same = (
        cr.runs.mine(each, tmp_path / name, measures=["cr", "stability"], workers=1)
        for each, name in ((context, "weighted"), (whole, "whole"))
    )
    assert found.job.digest == same.job.digest
    assert found.context == same.context
    assert found.context.shape == whole.shape
    assert len(found) == len(whole.lattice())


def unpacked(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header of a page's data without the extents in its short list, and the rest."""
    whole = gzip.decompress(data)
    end = 4 + int.from_bytes(whole[:4], "little")
    header = json.loads(whole[4:end])
    for pattern in header["summary"]["patterns"]:
        del pattern["extent"]
    return header, whole[end:]


def test_pages_and_figures():
    context, whole = larger(9)
    named = whole.rename(objects=dict(zip(whole.objects, context.repeated().objects, strict=True)))
    found, same = (
        unpacked(cr.explorer.packed(cr.explorer.of_lattice(each.lattice(min_support=20))))
        for each in (context, named)
    )
    assert found == same
    assert found[0]["objects"]["count"] == whole.shape[0]


def test_context_operations_keep_weights():
    context = cr.Context("123", "abc", [[1, 1, 0], [1, 0, 0], [1, 1, 0]], weights=[5, 1, 2])
    whole = context.repeated()
    assert whole.objects == ("1", "1 (2)", "1 (3)", "1 (4)", "1 (5)", "2", "3", "3 (2)")
    assert not whole.weighted
    assert context.select(objects=["3", "1"]).weights.tolist() == [2, 5]
    assert context.drop(objects="2").weights.tolist() == [5, 2]
    assert context.select(attributes="b").repeated() == whole.select(attributes="b")
    assert context.rename(attributes={"a": "x"}).weights.tolist() == [5, 1, 2]
    assert context.complement().repeated() == whole.complement()
    other = cr.Context("12", "abc", [[1, 1, 1], [0, 0, 0]]).rename(objects={"1": "4", "2": "5"})
    assert context.subposition(other).weights.tolist() == [5, 1, 2, 1, 1]
    beside = cr.Context("321", "d", [[1], [0], [1]])
    with pytest.raises(FormatError, match="different weights"):
        context.apposition(beside)
    weighted = beside.with_weights({"1": 5, "2": 1, "3": 2})
    assert context.apposition(weighted).concept("d").support == 7
    merged = context.merged()
    assert merged.objects == ("1", "2")
    assert merged.weights.tolist() == [7, 1]
    assert whole.merged() == merged
    assert merged.merged() is merged
    assert context.clarify() == whole.clarify()
    assert context.reduce() == whole.reduce()
    assert context.reducible_attributes() == whole.reducible_attributes()
    assert context.equal_objects() == (("1", "3"),)
    assert context.with_weights(None) == context.with_weights([1, 1, 1])
    assert not context.with_weights(None).weighted


def test_digest_pickle_and_text():
    context = cr.Context("12", "ab", [[1, 1], [1, 0]])
    weighted = context.with_weights([2, 3])
    assert context.with_weights(np.ones(2)).digest == context.digest
    assert len({context.digest, weighted.digest, context.with_weights([3, 2]).digest}) == 3
    assert weighted != context
    again = pickle.loads(pickle.dumps(weighted))
    assert again == weighted
    assert again.weights.tolist() == [2, 3]
    assert repr(weighted).startswith("<Context 5 objects (2 rows with weights) × 2 attributes, 7")
    assert "<th>weight</th>" in weighted._repr_html_()
    assert repr(weighted.concept("a")) == "<Concept 5 objects {1, 2} × {a}>"
    assert weighted.concept("b").mask.tolist() == [True, False]
    with pytest.raises(ValueError, match="read-only"):
        weighted.weights[0] = 7


def test_files_that_hold_weights(tmp_path):
    context, _ = larger(10)
    cr.io.save(context, tmp_path / "table.json.gz")
    assert cr.load(tmp_path / "table.json.gz") == context
    assert cr.io.losses(context, "json") == []
    lattice = context.lattice(min_support=20)
    lattice.save(tmp_path / "lattice.parquet")
    again = cr.Lattice.load(tmp_path / "lattice.parquet")
    assert again.context == context
    np.testing.assert_array_equal(again.score("stability"), lattice.score("stability"))
    packed = cr.runs.pack(context)
    packed.save(tmp_path / "table.packed")
    merged = cr.runs.packed.read(tmp_path / "table.packed").context
    np.testing.assert_array_equal(merged.lattice().supports, context.lattice().supports)
    with pytest.raises(FormatError, match="weights: the weight of object 'b' is 0"):
        cr.load(b'{"objects":["a","b"],"properties":[],"context":[[],[]],"weights":[1,0]}')
    with pytest.raises(FormatError, match="weights: 1 weights are given for 2 objects"):
        cr.load(b'{"objects":["a","b"],"properties":[],"context":[[],[]],"weights":[1]}')


def test_what_cannot_hold_weights_refuses_them(tmp_path):
    context = cr.Context("12", "12", [[1, 1], [1, 0]], weights=[2, 3])
    writable = [each for each in cr.io.formats() if each.write is not None]
    assert sum(each.holds_weights for each in writable) == 1
    for each in writable:
        if not each.holds_weights:
            with pytest.raises(FormatError, match=r"the objects have weights.*repeated\(\)"):
                cr.io.save(context, tmp_path / "table", format=each.name)
            assert "weights" in cr.io.losses(context, each.name)[0]
    assert not list(tmp_path.iterdir())
    for name in ("numpy", "scipy", "pandas", "polars", "networkx", "itemsets", "pairs"):
        with pytest.raises(FormatError, match="the objects have weights"):
            getattr(context, f"to_{name}")()
    with pytest.raises(FormatError, match="attributes have no weights"):
        context.transpose()
    with pytest.raises(FormatError, match="a dialogue about examples"):
        cr.rules.AttributeExploration(context)


def test_frames():
    import pandas as pd
    import polars as pl

    context = cr.Context(["x", "y"], ["a", "b"], [[1, 1], [1, 0]], weights=[2, 3])
    frame = context.to_polars(weights="count")
    assert frame.columns == ["object", "count", "a", "b"]
    options: dict[str, Any] = {"objects": "object", "weights": "count"}
    assert cr.Context.from_polars(frame, **options) == context
    assert cr.Context.from_arrow(frame, **options) == context
    assert cr.Context.from_pandas(context.to_pandas(weights="count"), weights="count") == context
    assert cr.Context.from_numpy(np.array([[1, 1], [1, 0]]), weights=[2, 3]).shape == (5, 2)
    assert cr.Context.from_itemsets([{"a"}, {"b"}], weights=pd.Series([2, 3])).shape == (5, 2)
    pairs = cr.Context.from_pairs([("x", "a"), ("y", "a")], weights={"y": 3, "x": 2})
    assert pairs.weights.tolist() == [2, 3]
    assert cr.Context.from_polars(pl.DataFrame({"a": [1]}), weights=pl.Series([4])).shape == (4, 1)
    with pytest.raises(UnknownNameError, match="'cuont'; did you mean 'count'"):
        cr.Context.from_polars(frame, weights="cuont")
    with pytest.raises(FormatError, match="there is an attribute 'a' already"):
        context.to_polars(weights="a")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "1 weights are given for 2 objects"),
        ([1, 0], "the weight of object 'y' is 0, expected a whole number from 1 on"),
        ([1, -2], "is -2"),
        ([1.5, 1], "the weight of object 'x' is 1.5"),
        ([float("nan"), 1], "is nan"),
        ([1, None], "is None"),
        ([1, "many"], "many"),
        ([True, "2"], "expected a whole number"),
        ("12", "must be a mapping from objects or a sequence"),
        (7, "must be a mapping from objects or a sequence"),
        ({"x": 1}, "no value for the object 'y'"),
        ([2**32, 1], "expected a whole number"),
        ([2**32 - 1, 1], "add up to 4,294,967,296"),
    ],
)
def test_bad_weights(weights: Any, message: str):
    with pytest.raises(FormatError, match=message):
        cr.Context("xy", "a", [[1], [0]], weights=weights)


def test_large_weights():
    context = cr.Context("xy", "ab", [[1, 1], [1, 0]], weights=[4 * 10**9, 2 * 10**8])
    assert context.lattice().supports.tolist() == [4_200_000_000, 4_000_000_000]
    assert context.rank("log_stability").score("log_stability").max() > 1e8
    assert [len(c.extent) for _, c, _ in context.best(2, by="delta_measure")] == [1, 2]
    assert context.lattice(min_support=0.96).supports.tolist() == [4_200_000_000]
    with pytest.raises(FormatError, match="4,200,000,000 objects are too many"):
        context.repeated()


def test_tables_of_values(tmp_path):
    random = np.random.default_rng(1)
    lines = [
        (int(random.integers(18, 70)), str(random.choice(["f", "m"])), int(random.integers(1, 9)))
        for _ in range(60)
    ]
    text = "age,sex,count\n" + "".join(f"{age},{sex},{count}\n" for age, sex, count in lines)
    whole = "age,sex\n" + "".join(f"{age},{sex}\n" * count for age, sex, count in lines)
    for scale in ("age=quantiles:4", "age=ordinal:quantiles=3", "age=equal_width:3", "auto"):
        if scale.startswith("age=ordinal"):
            plan: Any = {"age": cr.scaling.Ordinal(quantiles=3)}
        else:
            plan = scale
        found = cr.load(text.encode(), scale=plan, weights="count", header=True)
        same = cr.load(whole.encode(), scale=plan, header=True)
        assert found.attributes == same.attributes
        assert found.shape == same.shape
        np.testing.assert_array_equal(found.lattice().supports, same.lattice().supports)
    counts = [count for *_, count in lines]
    given = cr.load(text.encode(), scale="auto", drop=["count"], weights=counts, header=True)
    assert given.weights.tolist() == counts
    crosses = cr.load(b"food,sweet,red,n\ncherry,1,1,7\nhoney,1,0,2\n", weights="n")
    assert crosses.attributes == ("sweet", "red")
    assert crosses == cr.Context(
        ["cherry", "honey"], crosses.attributes, [[1, 1], [1, 0]], weights=[7, 2]
    )
    path = tmp_path / "table.csv"
    path.write_text("a,b,n\n1,0,2\n1,1,x\n")
    with pytest.raises(FormatError, match=r"table.csv: column 'n': the weight of row '2' is 'x'"):
        cr.load(path, weights="n")
    with pytest.raises(UnknownNameError, match="unknown column 'm'"):
        cr.load(path, weights="m")
    with pytest.raises(FormatError, match="has no column of weights"):
        cr.load(cr.datasets.load("movies"), weights="n")
    movies = cr.load(cr.datasets.load("movies"), weights=range(1, 12))
    assert movies.shape == (66, 7)


@pytest.mark.parametrize(
    "constraints", [{"contains": "a"}, {"any_of": ["b", "c"], "min_support": 10}, {"min_intent": 3}]
)
def test_constraints_of_several_tables(constraints):
    for seed in range(5):
        context, whole = larger(seed)
        found, same = (each.lattice(**constraints) for each in (context, whole))
        assert found.supports.tolist() == same.supports.tolist()
        assert [c.intent for c in found] == [c.intent for c in same]
