"""The server: for this machine, for who has the link, and never a traceback."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from urllib.parse import urlencode

import pytest

import conceptrank as cr
from conceptrank.budget import poll
from conceptrank.explorer import Content, Server, of_lattice, packed

LATTICE = cr.datasets.load("movies").lattice()


def content(times: int) -> Content:
    return of_lattice(LATTICE, title="movies", most=5 * times)


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with Server(content, title="movies") as made:
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
) -> tuple[int, bytes, dict[str, str]]:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=600)
    try:
        given = {"X-Token": running.token} | {k.replace("_", "-"): v for k, v in headers.items()}
        connection.request(method, f"{path}?{urlencode(params or {})}", headers=given)
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())
    finally:
        connection.close()


def test_it_listens_on_this_machine_only(running):
    assert running._socket.getsockname()[0] == "127.0.0.1"
    assert running.link == f"http://127.0.0.1:{running.port}/?token={running.token}"
    assert len(running.token) >= 32


def test_every_server_has_its_own_token():
    with Server(content) as one, Server(content) as other:
        assert one.token != other.token
        assert one.port != other.port


def test_the_page_and_its_payload(running):
    status, text, headers = ask(running, "/", {"token": running.token}, X_Token="")
    assert status == 200
    assert b"<title>movies</title>" in text
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert not [name for name in headers if name.lower().startswith("access-control")]
    status, payload, _ = ask(running, "/payload")
    assert status == 200
    assert payload == packed(content(1))


def test_a_longer_payload_on_request():
    with Server(content) as made:
        thread, errors = started(made)
        for times in (2, 4):
            assert ask(made, "/more")[1] == packed(content(times))
            assert ask(made, "/payload")[1] == packed(content(times))
        made.stop()
        thread.join(600)
        assert errors == []


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
    for path in ("/payload", "/more", "/", "/nowhere"):
        status, text, _ = ask(running, path, **headers)
        assert status == 403
        assert b"movies" not in text


def test_the_token_of_the_page_is_in_its_link_only(running):
    assert ask(running, "/")[0] == 403
    assert ask(running, "/", {"token": "x" * 32})[0] == 403
    assert ask(running, "/payload", {"token": running.token}, X_Token="")[0] == 403


def test_other_addresses_and_methods(running):
    assert ask(running, "/nothing")[0] == 404
    assert ask(running, "/../../etc/passwd")[0] == 404
    assert ask(running, "/payload", method="POST")[0] == 405


def test_a_failure_inside_is_no_traceback():
    def once(times: int) -> Content:
        if times > 1:
            raise RuntimeError("secret")
        return content(1)

    with Server(once) as made:
        thread, errors = started(made)
        status, text, _ = ask(made, "/more")
        assert status == 500
        assert b"secret" not in text
        # What was there is served as before.
        assert ask(made, "/payload")[1] == packed(content(1))
        made.stop()
        thread.join(600)
        assert errors == []


def test_a_port_that_is_taken_is_said(running):
    # Only a socket that listens holds its port against others.
    with pytest.raises(cr.errors.ConceptRankError, match="--port"):
        Server(content, port=running.port)


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


def test_the_page_is_there_before_its_content():
    go_on = threading.Event()

    def make(times: int) -> Content:
        assert go_on.wait(600)
        return content(times)

    with Server(make, title="a <title>", waiting="Scoring 20 concepts …") as made:
        thread, errors = started(made)
        status, text, _ = ask(made, "/", {"token": made.token}, X_Token="")
        assert status == 200
        assert b"<title>a &lt;title&gt;</title>" in text
        assert "Scoring 20 concepts …".encode() in text
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(ask, made, "/payload")
            assert not asked.done()
            go_on.set()
            assert asked.result(20)[1] == packed(content(1))
        made.stop()
        thread.join(600)
        assert not thread.is_alive()
        assert errors == []


def test_content_that_can_not_be_made_ends_the_server():
    def make(times: int) -> Content:
        raise ValueError("no content")

    with Server(make) as made:
        thread, errors = started(made)
        thread.join(600)
        assert not thread.is_alive()
        assert [str(error) for error in errors] == ["no content"]


@pytest.mark.parametrize("path", ["/payload", "/more"])
def test_a_server_that_is_stopped_ends_its_work(path):
    begun = threading.Event()

    def make(times: int) -> Content:
        if path == "/payload" or times > 1:
            begun.set()
            while True:
                poll()
                time.sleep(0.01)
        return content(times)

    with Server(make) as made, ThreadPoolExecutor(1) as pool:
        thread, errors = started(made)
        asked = pool.submit(ask, made, path)
        assert begun.wait(600)
        made.stop()
        thread.join(600)
        assert not thread.is_alive()
        assert errors == []
        asked.exception(600)
