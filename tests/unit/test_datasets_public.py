"""Public data sets: on this machine, in the cache, or behind a server that may misbehave."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import conceptrank as cr
from conceptrank.datasets import DataUnavailableError, fetching, public
from data_files import data_path

CONTEXT = cr.Context("12", "ab", [[True, False], [True, True]])
BODY = b"B\n\n2\n2\n\n1\n2\na\nb\nX.\nXX\n"
SHA256 = hashlib.sha256(BODY).hexdigest()


class Server:
    """A server on this machine that counts what it is asked, and may break off in the middle."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                if self.path.startswith("/missing"):
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(BODY)))
                self.end_headers()
                self.wfile.write(BODY[:9] if self.path.startswith("/broken") else BODY)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def own_directories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache, no data directory, and no proxy between the test and its server."""
    monkeypatch.delenv(fetching.DATA, raising=False)
    monkeypatch.setenv(fetching.CACHE, str(tmp_path / "cache"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def entry(url: str, **changes: str) -> public.Entry:
    known = public.catalogue()["diagnosis"]
    return replace(known, file="paper/small.ctx", sha256=SHA256, url=url, **changes)


def test_a_download_is_checked_kept_and_not_repeated(server, own_directories):
    small = entry(f"{server.url}/small.ctx")
    path = small.path()
    assert small.read(path) == CONTEXT
    assert path.parent == own_directories / "cache"
    assert small.path(download=False) == path
    assert server.asked == ["/small.ctx"]


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(server, own_directories):
    other = entry(f"{server.url}/small.ctx", fetched="0" * 64)
    with pytest.raises(DataUnavailableError, match="not the contents it should have") as caught:
        other.path()
    assert "small.ctx" in str(caught.value)
    assert "$CONCEPTRANK_DATA" in str(caught.value)
    assert list((own_directories / "cache").glob("*")) == []


@pytest.mark.parametrize("path", ["/broken.ctx", "/missing.ctx"])
def test_a_connection_that_breaks_is_told_and_nothing_is_kept(server, own_directories, path):
    with pytest.raises(DataUnavailableError, match="can't be downloaded"):
        entry(server.url + path).path()
    assert [each for each in (own_directories / "cache").glob("*") if each.is_file()] == []


def test_no_server_at_all(server):
    url = server.url
    server.close()
    with pytest.raises(DataUnavailableError, match=r"can.t be downloaded.*hint"):
        entry(f"{url}/small.ctx").path()


def test_a_data_directory_wins_over_a_download(server, own_directories, monkeypatch):
    monkeypatch.setenv(fetching.DATA, str(own_directories))
    small = entry(f"{server.url}/small.ctx")
    (own_directories / "small.ctx").write_bytes(BODY)
    assert small.path() == own_directories / "small.ctx"
    (own_directories / "paper").mkdir()
    (own_directories / "paper" / "small.ctx").write_bytes(BODY)
    assert small.path() == own_directories / "paper" / "small.ctx"
    assert server.asked == []


def test_a_file_that_was_changed_is_refused(server, own_directories, monkeypatch):
    monkeypatch.setenv(fetching.DATA, str(own_directories))
    (own_directories / "small.ctx").write_bytes(BODY + b"\n")
    with pytest.raises(DataUnavailableError, match="is not the file it should be"):
        entry(f"{server.url}/small.ctx").path()


@pytest.mark.parametrize("name", ["linkedin", "pedia_languages"])
def test_what_is_not_public_takes_a_file(name, tmp_path):
    with pytest.raises(DataUnavailableError, match="not public"):
        cr.datasets.load(name)
    path = tmp_path / "own.cxt"
    path.write_bytes(BODY)
    assert cr.datasets.load(name, file=path) == CONTEXT


def test_a_file_of_ones_own_takes_the_place_of_a_public_one(tmp_path):
    path = tmp_path / "own.cxt"
    path.write_bytes(BODY)
    assert cr.datasets.load("diagnosis", file=path) == CONTEXT


COUNTED = [
    each.name
    for each in public.catalogue().values()
    if each.concepts is not None or each.name == "wine"
]


@pytest.mark.parametrize("name", COUNTED)
def test_real_files_hold_what_the_catalogue_says(name, monkeypatch):
    known = public.catalogue()[name]
    path = data_path(known.file)
    monkeypatch.setenv(fetching.DATA, str(path.parents[len(Path(known.file).parts) - 1]))
    context = cr.datasets.load(name)
    assert context.shape == (known.objects, known.attributes)
    if known.concepts is not None:
        assert len(context.closed_sets()) == known.concepts
        if known.concepts < 20_000:
            assert len(context.lattice()) == known.concepts


def test_substitutes_are_made_as_their_description_says(monkeypatch):
    for name, derived in (
        ("linkedin_skills", "paper/linkedin_sub.cxt"),
        ("official_languages", "paper/officiallang.cxt"),
    ):
        path = data_path(derived)
        monkeypatch.setenv(fetching.DATA, str(path.parents[1]))
        assert cr.datasets.load(name) == cr.load(path)
        assert "not the data of the paper" in public.catalogue()[name].title


def test_every_entry_can_be_fetched_and_read():
    for each in public.catalogue().values():
        assert each.url.startswith("https://")
        assert len(each.sha256) == len(each.fetched or each.sha256) == 64
        assert each.reader in public._READERS
        assert each.file.endswith(".gz") or each.fetched is None
