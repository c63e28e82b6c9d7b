"""The estimators of `conceptrank.learn`: conventions, leakage, explanations, odd input."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.stats import fisher_exact
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import conceptrank as cr
from conceptrank.learn import ConceptClassifier, ConceptFeatures
from conceptrank.learn.search import Found, significance

ESTIMATORS = [
    ConceptClassifier(5),
    ConceptFeatures(),
    ConceptFeatures(5, select="diverse"),
    ConceptFeatures(5, select="predictive", match="intent"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_conventions_of_scikit_learn(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = {
        each["check_name"]: each["exception"] for each in results if each["status"] == "failed"
    }
    assert failed == {}
    assert sum(each["status"] == "passed" for each in results) > 40


def fruit(n=300, seed=0):
    """A table of words, numbers and gaps in which two conjunctions decide the class."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "blue", "green"], n),
            "shape": rng.choice(["round", "long"], n),
            "weight": rng.normal(100, 20, n).round(1),
            "ripe": rng.random(n) < 0.5,
        }
    )
    sweet = ((frame["colour"] == "red") & frame["ripe"]) | (
        (frame["shape"] == "long") & (frame["weight"] > 100)
    )
    y = np.where(sweet ^ (rng.random(n) < 0.05), "sweet", "sour")
    frame.loc[rng.random(n) < 0.05, "weight"] = np.nan
    frame["colour"] = frame["colour"].astype(object)
    frame.loc[rng.random(n) < 0.05, "colour"] = None
    return frame, y


def test_explanations_reproduce_the_predictions():
    frame, y = fruit()
    model = ConceptClassifier().fit(frame, y)
    new, _ = fruit(100, seed=1)
    chances, labels = model.predict_proba(new), model.predict(new)
    for place in range(100):
        why = model.explain(new.iloc[[place]])
        score = why.intercept[0] + math.fsum(each.weights[0] for each in why.patterns)
        assert 1 / (1 + math.exp(-score)) == pytest.approx(chances[place, 1], abs=1e-12)
        assert why.prediction == labels[place]
        assert why.prediction in str(why)


def test_explanations_of_several_classes():
    rng = np.random.default_rng(3)
    table = rng.random((200, 8)) < 0.5
    y = table[:, 0].astype(int) + (table[:, 1] & table[:, 2])
    model = ConceptClassifier().fit(table, y)
    assert (model.predict(table) == y).mean() > 0.95
    for place in range(100):
        why = model.explain(table[place])
        scores = np.array(why.intercept) + sum(np.array(each.weights) for each in why.patterns)
        chances = np.exp(scores) / np.exp(scores).sum()
        assert chances == pytest.approx(model.predict_proba(table[[place]])[0], abs=1e-12)


def test_what_a_pattern_shows_is_true():
    frame, y = fruit()
    frame = frame.dropna(subset=["colour", "weight"])
    y = y[frame.index]
    model = ConceptClassifier(scaling={"weight": "ordinal:80,100,120"}).fit(frame, y)
    for pattern in model.patterns_:
        inside = np.ones(len(frame), dtype=bool)
        for attribute in pattern.attributes:
            column, sign, value = attribute.partition(" = ")
            if sign:
                inside &= (frame[column].astype(str).str.lower() == value).to_numpy()
            else:
                column, _, value = attribute.partition(" ≤ ")
                inside &= (frame[column] <= float(value)).to_numpy()
        assert pattern.support == inside.sum()
        assert pattern.confidences[1] == pytest.approx((y[inside] == "sweet").mean())
        assert set(pattern.attributes) <= set(pattern.intent)


def test_scaling_and_selection_see_the_training_fold_only():
    """The labels are random. Whatever is chosen on all rows leaks them, and predicts."""
    rng = np.random.default_rng(5)
    table = rng.random((80, 500)) < 0.5
    y = rng.random(80) < 0.5
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    features = ConceptFeatures(10, select="predictive", max_length=1)
    leaking = features.fit_transform(table, y)
    planted = cross_val_score(LogisticRegression(), leaking, y, cv=folds)
    honest = cross_val_score(make_pipeline(features, LogisticRegression()), table, y, cv=folds)
    assert planted.mean() > 0.75
    assert honest.mean() < 0.65
    assert cross_val_score(ConceptClassifier(5, max_length=1), table, y, cv=folds).mean() < 0.65


def test_cut_points_come_from_the_training_rows():
    values = np.arange(100.0).reshape(-1, 1)
    features = ConceptFeatures(select="best", bins=2).fit(values[:50])
    assert features.attributes_.tolist() == ["x0 ≤ 24", "x0 ≥ 24"]
    other = ConceptFeatures(select="best", bins=2).fit(values)
    assert other.attributes_.tolist() == ["x0 ≤ 49", "x0 ≥ 49"]


def test_categories_that_training_did_not_have_are_no_cross():
    frame = pd.DataFrame({"town": ["Bath", "York"] * 20})
    features = ConceptFeatures(select="best").fit(frame)
    new = pd.DataFrame({"town": ["Bath", "Hull", None]})
    got = features.transform(new).toarray()
    assert got.sum(axis=1).tolist() == [1, 0, 0]


def test_sparse_input_is_not_made_dense():
    rng = np.random.default_rng(0)
    wide = sp.random_array((400, 200_000), density=2e-5, rng=rng, format="csr")
    part = sp.csr_array(np.repeat(rng.random((400, 1)) < 0.5, 3, axis=1).astype(float))
    table = sp.hstack([part, wide]).tocsr()
    y = part.toarray()[:, 0] > 0
    model = ConceptClassifier().fit(table, y)
    assert (model.predict(table) == y).all()
    assert ConceptFeatures(select="predictive").fit(table, y).transform(table).nnz == y.sum()


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array, sp.coo_matrix])
def test_sparse_and_dense_crosses_are_the_same(container):
    rng = np.random.default_rng(1)
    table = rng.random((120, 6)) < 0.4
    y = table[:, 0] & table[:, 1]
    dense, sparse = (ConceptFeatures(select="best").fit(x, y) for x in (table, container(table)))
    assert dense.intents_ == sparse.intents_
    assert (dense.transform(table) != sparse.transform(container(table))).nnz == 0


@pytest.mark.parametrize("match", ["intent", "generator"])
def test_memberships_equal_a_literal_subset_test(match):
    rng = np.random.default_rng(2)
    table = rng.random((200, 8)) < 0.6
    names = [f"x{j}" for j in range(8)]
    features = ConceptFeatures(10, select="diverse", match=match).fit(table)
    new = rng.random((50, 8)) < 0.6
    rows = [{name for name, cross in zip(names, row, strict=True) if cross} for row in new]
    sets = features.intents_ if match == "intent" else features.generators_
    assert len(sets) == 10
    want = [[set(each) <= row for each in sets] for row in rows]
    assert features.transform(new).toarray().tolist() == want


def test_a_fitted_summary_gives_the_features():
    planted = cr.datasets.random.planted(500, 20, patterns=2, supports=(0.1, 0.2), seed=1)
    summary = planted.context.summarize()
    frame = planted.context.to_pandas()
    features = ConceptFeatures(patterns=summary, match="intent").fit(frame)
    assert features.intents_ == [each.intent for each in summary]
    assert (features.transform(frame) != summary.transform(planted.context)).nnz == 0


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_frames_as_output(container):
    frame, y = fruit()
    features = ConceptFeatures(5, select="predictive").set_output(transform=container)
    got = features.fit(frame, y).transform(frame)
    assert isinstance(got, pd.DataFrame if container == "pandas" else pl.DataFrame)
    assert list(got.columns) == features.get_feature_names_out().tolist()
    with config_context(transform_output=container):
        again = ConceptFeatures(5, select="predictive").fit(frame, y).transform(frame)
    assert type(again) is type(got)


def test_weights_count_as_repeated_rows():
    frame, y = fruit(200)
    weights = np.random.default_rng(1).integers(0, 4, 200)
    model = ConceptClassifier().fit(frame, y, sample_weight=weights)
    again = np.repeat(np.arange(200), weights)
    repeated = ConceptClassifier().fit(frame.iloc[again].reset_index(drop=True), y[again])
    assert model.predict_proba(frame) == pytest.approx(repeated.predict_proba(frame), abs=1e-3)
    shown, expected = (
        [(each.attributes, each.support) for each in one.patterns_] for one in (model, repeated)
    )
    assert shown == expected
    tenth = ConceptClassifier().fit(frame, y, sample_weight=weights / 10)
    assert (tenth.predict(frame) == y).mean() > 0.8
    with pytest.raises(ValueError, match=r"(?i)sample.weight"):
        ConceptClassifier().fit(frame, y, sample_weight=np.zeros(200))


def test_weights_are_routed_through_a_grid_search():
    frame, y = fruit(200)
    weights = np.where(y == "sweet", 1.0, 1e-6)
    with config_context(enable_metadata_routing=True):
        model = ConceptClassifier(5).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"max_length": [1]}, cv=2)
        assert set(search.fit(frame, y, sample_weight=weights).predict(frame)) == {"sweet"}
        assert set(search.fit(frame, y).predict(frame)) == {"sweet", "sour"}


def test_patterns_of_random_labels_are_not_significant():
    found = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table, y = rng.random((100, 15)) < 0.5, rng.integers(0, 2 + seed % 2, 100)
        found += len(ConceptClassifier(5, alpha=0.05, max_length=2).fit(table, y).patterns_) > 0
        if seed == 0:
            assert ConceptClassifier(5, max_length=2).fit(table, y).patterns_
    assert found <= 3
    frame, y = fruit()
    names = [str(each) for each in ConceptClassifier(alpha=0.05).fit(frame, y).patterns_]
    assert "colour = red & ripe = true" in names


def test_significance_equals_fishers_test_of_scipy():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 60)
    for _ in range(30):
        rows = np.flatnonzero(rng.random(60) < np.where(codes, 0.5, rng.random() / 2))
        inside = int(codes[rows].sum())
        cells = [[inside, len(rows) - inside]]
        cells.append([int(codes.sum()) - inside, 60 - int(codes.sum()) - len(rows) + inside])
        tails = [fisher_exact(cells, alternative).pvalue for alternative in ("greater", "less")]
        # Two sides, two lengths, and the 45 pairs of 10 attributes.
        expected = min(tails) * 2 * 2 * 45
        found = Found((0, 1), rows, 1.0)
        assert significance(codes, 10, 2, expected * (1 + 1e-9))(found)
        assert not significance(codes, 10, 2, expected * (1 - 1e-9))(found)


def test_an_empty_summary_warns_and_gives_no_columns():
    rng = np.random.default_rng(0)
    with pytest.warns(cr.errors.InputWarning, match="no concept was chosen"):
        features = ConceptFeatures().fit(rng.random((30, 3)) < 0.5)
    assert features.transform(np.ones((2, 3))).shape == (2, 0)


def test_wrong_choices_are_named():
    with pytest.raises(cr.errors.UnknownNameError, match="did you mean 'summary'"):
        ConceptFeatures(select="sumary").fit(np.eye(4))
    with pytest.raises(ValueError, match="one row, got 2"):
        ConceptClassifier().fit(np.eye(4), [0, 1, 0, 1]).explain(np.eye(4)[:2])
