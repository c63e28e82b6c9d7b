"""What is packed into a page, read back by a literal reader."""

import gzip
import json

import numpy as np
import pytest

import conceptrank as cr
from conceptrank import explorer
from conceptrank.explorer import content, packed, rule_list


def unpacked(packed: bytes) -> tuple[dict, list, list, list]:
    """The header, the rows, the intents and the scores, element by element."""
    data = gzip.decompress(packed)
    length = int.from_bytes(data[:4], "little")
    header, at = json.loads(data[4 : 4 + length]), 4 + length
    q = len(header["attributes"])

    def sets(n: int, listed: int | None) -> list[list[int]]:
        nonlocal at
        if listed is not None:
            numbers = np.frombuffer(data, "<u4", n + listed, at).tolist()
            at += 4 * (n + listed)
            rest = iter(numbers[n:])
            return [[next(rest) for _ in range(size)] for size in numbers[:n]]
        found = [[m for m in range(q) if data[at + m // 8 * n + i] >> m % 8 & 1] for i in range(n)]
        at += n * -(-q // 8)
        return found

    rows = sets(header["objects"]["count"], header["listed"]["rows"])
    intents = sets(header["concepts"], header["listed"]["intents"])
    n = header["concepts"]
    scores = []
    for measure in header["measures"]:
        values = np.frombuffer(data, "<f8", measure["distinct"], at)
        at += 8 * measure["distinct"]
        places = [
            sum(data[at + p * n + i] << 8 * p for p in range(measure["bytes"])) for i in range(n)
        ]
        at += n * measure["bytes"]
        scores.append([float(values[place]) for place in places])
        if measure["inexact"]:
            at += -(-n // 8)
    assert at == len(data)
    return header, rows, intents, scores


@pytest.mark.parametrize("seed", range(20))
def test_everything_comes_back(seed):
    random = np.random.default_rng(seed)
    shape = random.integers(0, 12, size=2)
    objects = [f"o{i}" for i in range(shape[0])]
    context = cr.Context(objects, range(shape[1]), random.random(shape) < 0.5)
    lattice = context.lattice()
    measures = ["cr", "stability", "separation", ("cr", {"side": "extent"})]
    header, rows, intents, scores = unpacked(packed(explorer.of_lattice(lattice, measures)))
    assert header["objects"]["names"] == (objects or None)
    names = [list(map(int, context.intension([each]))) for each in objects]
    assert rows == names
    assert intents == [[int(name) for name in concept.intent] for concept in lattice]
    keys = [measure["key"] for measure in header["measures"]]
    assert keys == ["cr", "stability", "separation", "cr(side=extent)", "support"]
    for found, key in zip(scores, [*measures, "support"], strict=True):
        name, params = (key, {}) if isinstance(key, str) else key
        # Not nearly: a tie on the page is a tie in the library.
        np.testing.assert_array_equal(found, lattice.score(name, **params))


@pytest.mark.parametrize("seed", range(5))
def test_sparse_tables_come_back(seed):
    random = np.random.default_rng(seed)
    crosses = random.random((30, 3_000)) < 0.001
    context = cr.Context(range(30), range(3_000), crosses)
    lattice = context.lattice(min_support=1)
    header, rows, intents, _ = unpacked(packed(explorer.of_lattice(lattice, ["cr"])))
    assert header["listed"] == {"rows": crosses.sum(), "intents": len(lattice.intents[1])}
    assert rows == [np.flatnonzero(row).tolist() for row in crosses]
    assert intents == [concept.intent_numbers.tolist() for concept in lattice]


def test_the_same_lattice_gives_the_same_bytes(movies):
    one, other = (explorer.to_html(explorer.of_lattice(movies)) for _ in range(2))
    assert one == other


def test_a_table_that_a_browser_could_not_hold_is_refused(monkeypatch, movies):
    monkeypatch.setattr(content, "MOST_BYTES", 10)
    with pytest.raises(content.TooLargeError, match="too much for a page"):
        explorer.of_lattice(movies)


@pytest.fixture(scope="module")
def movies():
    return cr.datasets.load("movies").lattice()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mined") / "movies"
    movies = cr.datasets.load("movies")
    return cr.runs.mine(movies, folder, measures=["cr", "stability"], workers=1, task_concepts=5)


def listed(made):
    """The intents of a page with their scores by the first measure."""
    offsets, values = made.intents
    scores = next(iter(made.scores.values())).scores.tolist()
    intents = [tuple(each.tolist()) for each in np.split(values, offsets[1:-1])]
    return list(zip(intents, scores, strict=True))


@pytest.mark.parametrize("most", [1, 7, 19, 20])
def test_of_more_concepts_the_best_are_shown(movies, run, most):
    ranking = movies.rank("stability", then="cr")
    best = {tuple(movies[i].intent_numbers.tolist()) for i in ranking.order[:most].tolist()}
    of_lattice = explorer.of_lattice(movies, ["stability", "cr"], then=["cr"], most=most)
    of_run = explorer.of_run(run, by="stability", then=["cr"], most=most)
    assert {intent for intent, _ in listed(of_lattice)} == best
    assert listed(of_lattice) == listed(of_run)
    for made in (of_lattice, of_run):
        assert made.more is (most < 20)
        assert made.complete is (most == 20)
        assert ("best of 20 concepts by stability" in made.note) is (most < 20)
    # Rules come from all concepts; those that the page lacks have no place.
    (found, *_), (same, *_) = of_lattice.rules, of_run.rules
    assert found == same
    assert any(rule["to"] < 0 for rule in found["rules"]) is (most < 20)


def test_a_run_has_no_names_of_objects_and_no_rules_if_constrained(run, tmp_path):
    header, _, _, scores = unpacked(packed(explorer.of_run(run)))
    assert header["title"] == "movies"
    assert header["objects"] == {"count": 11, "first": 1, "names": None, "known": False}
    assert [each["key"] for each in header["measures"]] == ["cr", "stability", "support"]
    assert scores[2] == sorted(scores[2], reverse=True)
    some = cr.runs.mine(run.context, tmp_path / "some", measures=["cr"], min_intent=2, workers=1)
    made = explorer.of_run(some)
    assert all(len(intent) >= 2 for intent, _ in listed(made))
    assert all(not each["rules"] for each in made.rules)


def test_estimates_of_a_run_are_marked(tmp_path):
    context = cr.datasets.random.coin_toss(objects=30, attributes=8, density=0.4, seed=1)
    measures = [("stability", {"method": "monte_carlo", "seed": 1}), "cr"]
    run = cr.runs.mine(context, tmp_path / "run", measures=measures, workers=1)
    header, *_ = unpacked(packed(explorer.of_run(run)))
    inexact = {each["key"]: each["inexact"] for each in header["measures"]}
    lattice = context.lattice()
    exact = lattice.exact("stability", method="monte_carlo", seed=1)
    assert list(inexact.values()) == [(~exact).sum(), 0, 0]


def test_the_best_concepts_have_those_of_the_short_list_with_them():
    table = cr.datasets.random.planted(150, 12, patterns=2, supports=(0.1, 0.2), seed=1)
    lattice = table.context.lattice()
    made = explorer.of_best(table.context, ["cr", "stability"], title="", k=3)
    patterns = made.summary["patterns"]
    assert patterns
    assert "short list are with them" in made.note
    found = listed(made)
    assert len(found) > 3
    scores = lattice.score("cr")
    for intent, score in found:
        names = [lattice.context.attributes[m] for m in intent]
        place = next(i for i, each in enumerate(lattice) if list(each.intent) == names)
        assert score == pytest.approx(scores[place], abs=1e-12)
    for pattern in patterns:
        assert set(found[pattern["id"]][0]) >= set(pattern["intent"])
    # With a least support, what has fewer objects stays out.
    least = 1 + max(pattern["support"] for pattern in patterns)
    few = explorer.of_best(table.context, ["cr"], title="", k=3, min_support=least)
    assert len(listed(few)) == 3
    assert all(pattern["id"] < 0 for pattern in few.summary["patterns"])


def test_rules_that_are_left_out_are_said():
    context = cr.datasets.random.coin_toss(objects=40, attributes=12, density=0.5, seed=2)
    lattice = context.lattice()
    _, made, _ = explorer.of_lattice(lattice, ["support"]).rules
    among = len(lattice.rules("minimal_non_redundant", min_support=1, min_confidence=0.5))
    assert len(made["rules"]) == rule_list.MOST_RULES < among
    assert f"{rule_list.MOST_RULES} of {among:,} with support ≥ 1" in made["note"]
    cut = explorer.of_lattice(context.lattice(budget=cr.Budget(concepts=20)), ["support"])
    assert all(not each["rules"] for each in cut.rules)


def test_a_name_cannot_leave_its_place_in_the_page():
    hostile = "</script><script>alert(1)</script>"
    context = cr.Context([hostile], [hostile, "b"], [[True, False]])
    page = explorer.to_html(explorer.of_lattice(context.lattice(), title=hostile))
    assert "alert(1)</script>" not in page.replace("&lt;", "<").replace(f"<title>{hostile}", "")
    assert page.count("</script>") == 2
