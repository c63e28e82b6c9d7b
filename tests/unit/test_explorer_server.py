"""The server: for this machine, for who has the link, and never a traceback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from urllib.parse import urlencode

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.budget import poll
from conceptrank.explorer import DEFAULT_MEASURES, LatticeSource, Server, best_source, server
from conceptrank.explorer.query import Query

QUERY = {"sort": "cr", "descending": "true", "search": "", "limits": "{}", "then": "[]"}


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    lattice = cr.datasets.load("movies").lattice()
    with Server(LatticeSource(lattice, DEFAULT_MEASURES, title="movies")) as made:
        ready = threading.Event()
        thread = threading.Thread(target=made.run, args=(ready.set,), daemon=True)
        thread.start()
        assert ready.wait(600)
        yield made
        made.stop()
        thread.join(600)
        assert not thread.is_alive()


def ask(
    running: Server, path: str, params: dict | None = None, *, method: str = "GET", **headers: str
) -> tuple[int, str, dict[str, str]]:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=600)
    try:
        given = {"X-Token": running.token} | {k.replace("_", "-"): v for k, v in headers.items()}
        connection.request(method, f"{path}?{urlencode(params or {})}", headers=given)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())
    finally:
        connection.close()


def test_it_listens_on_this_machine_only(running):
    assert running._socket.getsockname()[0] == "127.0.0.1"
    assert running.link == f"http://127.0.0.1:{running.port}/?token={running.token}"
    assert len(running.token) >= 32


def test_every_server_has_its_own_token():
    lattice = cr.datasets.load("movies").lattice()
    source = LatticeSource(lattice, ["cr"], title="")
    with Server(source) as one, Server(source) as other:
        assert one.token != other.token
        assert one.port != other.port


def test_the_page_and_its_answers(running):
    status, text, headers = ask(running, "/", {"token": running.token}, X_Token="")
    assert status == 200
    assert "<title>movies</title>" in text
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert not [name for name in headers if name.lower().startswith("access-control")]
    status, text, _ = ask(running, "/api/rows", {**QUERY, "offset": 3, "limit": 2})
    assert status == 200
    assert [row["id"] for row in json.loads(text)["rows"]] == (
        cr.datasets.load("movies").lattice().rank("cr").order[3:5].tolist()
    )


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Token": ""},
        {"X_Token": "wrong"},
        {"X_Token": "é"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
    ids=str,
)
def test_nobody_else_is_served(running, headers):
    for path in ("/api/meta", "/api/rows", "/", "/nowhere"):
        status, text, _ = ask(running, path, **headers)
        assert status == 403
        assert "movies" not in text


def test_the_token_of_the_page_is_in_its_link_only(running):
    assert ask(running, "/")[0] == 403
    assert ask(running, "/", {"token": "x" * 32})[0] == 403
    assert ask(running, "/api/meta", {"token": running.token}, X_Token="")[0] == 403


ROWS = {**QUERY, "offset": 0, "limit": 10}
PART = {**QUERY, "view": "top", "id": -1, "most": 20}
CLOUD = {**QUERY, "x": "cr", "y": "support", "scale": "values"}
CASES = [
    ("rows", {**ROWS, "sort": "nothing"}),
    ("rows", {**ROWS, "sort": ""}),
    ("rows", {**ROWS, "descending": "yes"}),
    ("rows", {**ROWS, "offset": -1}),
    ("rows", {**ROWS, "offset": 10**30}),
    ("rows", {**ROWS, "offset": "1e3"}),
    ("rows", {**ROWS, "offset": "٣"}),
    ("rows", {**ROWS, "limit": 0}),
    ("rows", {**ROWS, "limit": 10**6}),
    ("rows", {**ROWS, "search": "a" * 30_000}),
    ("rows", {**ROWS, "limits": "["}),
    ("rows", {**ROWS, "limits": "[" * 5_000}),
    ("rows", {**ROWS, "limits": "[1]"}),
    ("rows", {**ROWS, "limits": '{"cr": 1}'}),
    ("rows", {**ROWS, "limits": '{"cr": [1]}'}),
    ("rows", {**ROWS, "limits": '{"cr": ["a", null]}'}),
    ("rows", {**ROWS, "limits": '{"cr": [true, null]}'}),
    ("rows", {**ROWS, "limits": '{"cr": [NaN, null]}'}),
    ("rows", {**ROWS, "limits": '{"other": [0, 1]}'}),
    ("rows", {}),
    ("place", QUERY),
    ("place", {**QUERY, "id": 20}),
    ("concept", {"id": 20, "objects": 1}),
    ("concept", {"id": -1, "objects": 1}),
    ("concept", {"id": "x", "objects": 1}),
    ("concept", {"id": 0, "objects": 10**9}),
    ("suborder", {**PART, "view": "all"}),
    ("suborder", {**PART, "most": 501}),
    ("suborder", {**PART, "view": "near"}),
    ("cloud", {**CLOUD, "x": "?"}),
    ("cloud", {**CLOUD, "scale": "log"}),
    ("csv", {**QUERY, "columns": "cr"}),
    ("csv", {**QUERY, "columns": '["?"]'}),
    ("csv", {**QUERY, "columns": "[[]]"}),
    ("csv", {**QUERY, "columns": "[]", "extents": "yes"}),
    ("parquet", {**QUERY, "columns": '["?"]'}),
    ("rows", {**ROWS, "diverse": "maybe"}),
    ("rules", {"basis": "none"}),
    ("closed", {"sets": "[[7]]"}),
    ("closed", {"sets": "[[true]]"}),
    ("closed", {"sets": "[0]"}),
]


@pytest.mark.parametrize(("path", "params"), CASES)
def test_bad_parameters_get_400(running, path, params):
    status, text, _ = ask(running, f"/api/{path}", params)
    assert status == 400
    assert "Traceback" not in text
    assert len(text) < 300


def test_other_addresses_and_methods(running):
    assert ask(running, "/api/nothing")[0] == 404
    assert ask(running, "/../../etc/passwd")[0] == 404
    assert ask(running, "/api/meta", method="POST")[0] == 405


def test_a_failure_inside_is_no_traceback(running, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(LatticeSource, "concept", broken)
    status, text, _ = ask(running, "/api/concept", {"id": 0, "objects": 1})
    assert status == 500
    assert "secret" not in text


def test_a_hundred_side_by_side(running):
    asked = [
        ("/api/rows", {**ROWS, "search": f"drama object:{i % 11 + 1}", "offset": 0})
        if i % 2
        else ("/api/concept", {"id": i % 20, "objects": 5})
        for i in range(100)
    ]
    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(lambda each: ask(running, *each), asked))
    assert [status for status, _, _ in answers] == [200] * 100
    for (path, params), (_, text, _) in zip(asked, answers, strict=True):
        assert text == ask(running, path, params)[1]


def test_a_port_that_is_taken_is_said(running):
    lattice = cr.datasets.load("movies").lattice()
    source = LatticeSource(lattice, ["cr"], title="")
    # Only a socket that listens holds its port against others.
    with pytest.raises(cr.errors.ConceptRankError, match="--port"):
        Server(source, port=running.port)


def test_what_is_not_installed_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(server.MissingServerError, match=r"\[explore\]"):
        Server(lambda: pytest.fail("made"))


def started(made: Server) -> tuple[threading.Thread, list[Exception]]:
    """Run a server in a thread of its own, and keep its error."""
    errors: list[Exception] = []
    ready = threading.Event()

    def run() -> None:
        try:
            made.run(ready.set)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(600)
    return thread, errors


def test_the_page_is_there_before_its_source():
    lattice = cr.datasets.load("movies").lattice()
    go_on = threading.Event()

    def make() -> LatticeSource:
        assert go_on.wait(600)
        return LatticeSource(lattice, ["cr"], title="movies")

    with Server(make, title="a <title>", waiting="Scoring 20 concepts …") as made:
        thread, errors = started(made)
        status, text, _ = ask(made, "/", {"token": made.token}, X_Token="")
        assert status == 200
        assert "<title>a &lt;title&gt;</title>" in text
        assert "Scoring 20 concepts …" in text
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(ask, made, "/api/meta")
            assert not asked.done()
            go_on.set()
            assert json.loads(asked.result(20)[1])["concepts"] == 20
        made.stop()
        thread.join(600)
        assert not thread.is_alive()
        assert errors == []


def test_a_source_that_can_not_be_made_ends_the_server():
    def make() -> LatticeSource:
        raise ValueError("no source")

    with Server(make) as made:
        thread, errors = started(made)
        thread.join(600)
        assert not thread.is_alive()
        assert [str(error) for error in errors] == ["no source"]


@pytest.mark.parametrize("when", ["made", "asked"])
def test_a_server_that_is_stopped_ends_its_work(when):
    lattice = cr.datasets.load("movies").lattice()
    begun = threading.Event()

    def forever() -> None:
        begun.set()
        while True:
            poll()
            time.sleep(0.01)

    class Slow(LatticeSource):
        def summary(self) -> dict:
            forever()
            raise AssertionError

    def make() -> LatticeSource:
        if when == "made":
            forever()
        return Slow(lattice, ["cr"], title="movies")

    with Server(make) as made, ThreadPoolExecutor(1) as pool:
        thread, errors = started(made)
        asked = pool.submit(ask, made, "/api/summary")
        assert begun.wait(600)
        made.stop()
        thread.join(600)
        assert not thread.is_alive()
        assert errors == []
        asked.exception(600)


@pytest.mark.parametrize("seed", range(6))
def test_a_search_finds_the_concepts_of_objects(seed):
    random = np.random.default_rng(seed)
    crosses = random.random((64, 8)) < 0.5
    context = cr.Context([f"o{i}" for i in range(64)], [f"m{i}" for i in range(8)], crosses)
    lattice = context.lattice()
    source = LatticeSource(lattice, ["cr"], title="")
    for text, part in (("object:o", ""), ("object:o6", "6"), ('object:"o6"', "")):
        objects = [6] if '"' in text else [i for i in range(64) if str(i).startswith(part)]
        for sign in ("", "-"):
            rows = source.rows(Query("cr", True, sign + text), 0, len(lattice))["rows"]
            of_some = {
                i
                for i, concept in enumerate(lattice)
                if any(crosses[g, concept.intent_numbers].all() for g in objects)
            }
            expected = set(range(len(lattice))) - of_some if sign else of_some
            assert {row["id"] for row in rows} == expected


def test_the_best_concepts_have_those_of_the_short_list_with_them():
    table = cr.datasets.random.planted(150, 12, patterns=2, supports=(0.1, 0.2), seed=1)
    lattice = table.context.lattice()
    source = best_source(table.context, ["cr", "stability"], title="", k=3)
    patterns = source.summary()["patterns"]
    assert patterns
    assert len(source) > 3
    assert "short list are with them" in source.meta()["note"]
    expected = list(zip(lattice.score("cr"), lattice.score("stability"), strict=True))
    for row in source.rows(Query("cr", True), 0, len(source))["rows"]:
        place = lattice.find(row["intent"], row["support"])
        assert tuple(row["scores"][:2]) == pytest.approx(expected[place], abs=1e-12)
    for pattern in patterns:
        assert source.concept(pattern["id"], 0)["row"]["intent"] == pattern["intent"]
    # With a least support, what has fewer objects stays out.
    least = 1 + max(pattern["support"] for pattern in patterns)
    few = best_source(table.context, ["cr"], title="", k=3, min_support=least)
    assert len(few) == 3
    assert all(pattern["id"] < 0 for pattern in few.summary()["patterns"])
