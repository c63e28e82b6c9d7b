"""What is packed into a page, read back by a literal reader."""

import gzip
import json

import numpy as np
import pytest

import conceptrank as cr
from conceptrank import explorer
from conceptrank.explorer import payload


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
    header, rows, intents, scores = unpacked(explorer.pack(lattice, measures))
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
    header, rows, intents, _ = unpacked(explorer.pack(lattice, ["cr"]))
    assert header["listed"] == {"rows": crosses.sum(), "intents": len(lattice.intents[1])}
    assert rows == [np.flatnonzero(row).tolist() for row in crosses]
    assert intents == [concept.intent_numbers.tolist() for concept in lattice]


def test_the_same_lattice_gives_the_same_bytes():
    lattice = cr.datasets.load("movies").lattice()
    assert explorer.to_html(lattice) == explorer.to_html(lattice)


def test_names_that_count_up_are_left_out():
    header, *_ = unpacked(explorer.pack(cr.datasets.load("movies").lattice(), ["cr"]))
    assert header["objects"] == {"count": 11, "first": 1, "names": None, "known": True}


def test_what_a_browser_could_not_hold_is_refused(monkeypatch):
    monkeypatch.setattr(payload, "MOST_BYTES", 100)
    with pytest.raises(payload.TooLargeError, match="minimum support"):
        explorer.pack(cr.datasets.load("movies").lattice())


def test_a_name_cannot_leave_its_place_in_the_page():
    hostile = "</script><script>alert(1)</script>"
    context = cr.Context([hostile], [hostile, "b"], [[True, False]])
    page = explorer.to_html(context.lattice(), title=hostile)
    assert "alert(1)</script>" not in page.replace("&lt;", "<").replace(f"<title>{hostile}", "")
    assert page.count("</script>") == 2


def test_names_that_are_no_text_are_written(tmp_path):
    odd = "caf\udce9"
    lattice = cr.Context([odd], [odd + "b"], [[True]]).lattice()
    explorer.export(lattice, tmp_path / "page.html", title=odd)
    assert "<title>caf?</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")
