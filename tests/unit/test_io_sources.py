"""Where bytes come from: compression, buffers, open files, URLs, and all that breaks on the way."""

from __future__ import annotations

import bz2
import gzip
import io as streams
import lzma
import socket
import sys
import threading
import tracemalloc
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import conceptrank as cr
from conceptrank.errors import FormatError, install_command
from conceptrank.io import compression, sources, urls
from io_samples import SAMPLES

PETS = SAMPLES["burmeister"]
CODECS = pytest.mark.parametrize("codec", compression.CODECS, ids=lambda codec: codec.name)


def refusal(source, **keywords):
    with pytest.raises(FormatError) as caught:
        cr.load(source, **keywords)
    message = str(caught.value)
    assert "\n" not in message
    return message


@CODECS
def test_compressed_files_are_read_as_they_are(tmp_path, codec):
    packed = codec.compress(PETS.data)
    # The suffix doesn't matter: the first bytes tell.
    for name in (f"pets.cxt{codec.suffixes[0]}", "pets.cxt", "pets", "pets.gz"):
        path = tmp_path / name
        path.write_bytes(packed)
        assert cr.load(path) == PETS.context
    assert cr.load(packed) == PETS.context
    assert cr.load(streams.BytesIO(packed)) == PETS.context


@CODECS
def test_files_put_together_unpack_together(codec):
    packed = codec.compress(b"1 2 3\n") + codec.compress(b"4 5\n") + bytes(512)
    assert cr.load(packed, format="fimi").shape == (2, 5)


@CODECS
def test_data_that_ends_too_early(tmp_path, codec):
    text = "".join(f"{k} {k * k} {k + 7}\n" for k in range(3000)).encode()
    packed = codec.compress(text)
    path = tmp_path / "numbers.dat"
    for end in {*range(10, 40), *range(10, len(packed), 97), len(packed) - 1}:
        path.write_bytes(packed[:end])
        assert refusal(path) == (
            f"{path}: the {codec.name} data ends too early "
            "(hint: the file is cut off; fetch it again)"
        )


@CODECS
def test_damaged_data(codec):
    text = "".join(f"{k * k * k % 9973} " for k in range(20_000)).encode()
    packed = bytearray(codec.compress(text))
    packed[len(packed) // 2] ^= 0xFF
    assert refusal(bytes(packed), format="fimi") == (
        f"the {codec.name} data is damaged (hint: fetch the file again)"
    )


def test_a_wrong_check_sum_is_noticed():
    packed = gzip.compress(b"1 2 3\n" * 50)
    assert "the gzip data is damaged" in refusal(packed[:-8] + bytes(8))
    packed = bz2.compress(b"1 2 3\n" * 50)
    assert "the bzip2 data is damaged" in refusal(packed[:12] + b"\0" + packed[13:])


@CODECS
def test_something_else_after_the_data(codec):
    assert refusal(codec.compress(b"1 2 3\n") + b"junk junk junk") == (
        f"something else follows the {codec.name} data (hint: the file is damaged; fetch it again)"
    )


@CODECS
@pytest.mark.parametrize("line", [b"1 2 3\n", bytes(8), b"<a>" * 3])
@pytest.mark.parametrize("name", ["fimi", "burmeister", "json", "cex", None])
def test_a_bomb_takes_neither_memory_nor_time(codec, line, name):
    bomb = bombs(codec, line)
    tracemalloc.start()
    try:
        refusal(bomb, format=name)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 400 << 20


_BOMBS = {}


def bombs(codec, line):
    """More than is harmless, in very few bytes."""
    if (codec.name, line) not in _BOMBS:
        part = line * (1 << 17)
        _BOMBS[codec.name, line] = codec.compress(part) * (2 * (1 << 26) // len(part))
    return _BOMBS[codec.name, line]


def test_a_bomb_is_called_one():
    bomb = gzip.compress(b"1 2 3\n" * (1 << 20)) * 16
    assert refusal(bomb) == (
        "the gzip data unpacks to more than 200 times its size "
        "(hint: if the file can be trusted, allow its size with max_bytes)"
    )


@CODECS
def test_a_bomb_of_transactions_is_called_one(codec, tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "HARMLESS_BYTES", 1000)
    content = b"order_id,sku\n" + b"1,apple\n" * 100_000
    path = tmp_path / f"orders.csv{codec.suffixes[0]}"
    path.write_bytes(codec.compress(content))
    for source in (path, tmp_path):
        with pytest.raises(FormatError, match=r"orders.csv.*200 times its size"):
            cr.load(source)
    path.unlink()
    plain = tmp_path / "orders.csv"
    plain.write_bytes(content)
    with pytest.raises(FormatError, match="holds more than 1,000 bytes"):
        cr.load(plain, max_bytes=1000)


def test_a_limit_that_is_given_counts_alone(monkeypatch):
    monkeypatch.setattr(compression, "HARMLESS_BYTES", 1000)
    packed = gzip.compress(b"1 2 3\n" * 5000)
    assert "200 times" in refusal(packed)
    assert cr.load(packed, max_bytes=30_000).shape == (5000, 3)
    assert refusal(packed, max_bytes=29_999) == (
        "unpacks to more than 29,999 bytes (hint: raise max_bytes if the file can be trusted)"
    )
    assert refusal(b"1 2 3\n" * 5000, max_bytes=29_999).startswith("holds more than 29,999 bytes")
    assert cr.load(b"1 2 3\n" * 5000, max_bytes=30_000).shape == (5000, 3)
    assert refusal(PETS.data, max_bytes=30).startswith("holds more than 30 bytes")


def test_xz_that_wants_all_the_memory():
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    packed = lzma.compress(b"1 2 3\n", filters=filters)
    assert "the xz data is damaged" in refusal(packed)


def test_a_missing_codec_is_named(monkeypatch):
    packed = compression.CODECS[3].compress(PETS.data)
    for package in ("compression", "backports"):
        monkeypatch.setitem(sys.modules, package, None)
    assert refusal(packed) == (
        "Zstandard data needs the package backports.zstd "
        f"(hint: {install_command('zstd')}, or use gzip)"
    )


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_buffers(kind):
    assert cr.load(kind(PETS.data)) == PETS.context


def test_what_is_no_source():
    for source in (None, 7, [7]):
        assert "is not a table (hint: give a frame" in refusal(source)


def test_open_files_that_give_little_at_a_time_or_break():
    class Slow:
        name = "pets.cxt"

        def __init__(self, data, error=None):
            self.data, self.error = data, error

        def read(self, size=-1):
            if not self.data and self.error:
                raise self.error
            piece, self.data = self.data[:1], self.data[1:]
            return piece

    assert cr.load(Slow(PETS.data)) == PETS.context
    assert cr.load(Slow(PETS.text)) == PETS.context
    assert refusal(Slow(PETS.data, OSError(5, "Input/output error"))) == (
        "pets.cxt: can't be read: Input/output error"
    )
    assert "can't be read: closed" in refusal(Slow(b"", ValueError("closed")))


def test_the_head_has_whole_lines():
    line = b"1 2 3\n"
    with sources.Content(line * 100_000) as content:
        head = content.head()
        assert sources.HEAD_BYTES - len(line) < len(head) <= sources.HEAD_BYTES
        assert head.endswith(b"\n")
        assert content.head() == head
        assert b"".join(content.pieces()) == line * 100_000
    with sources.Content(b"x" * 200_000 + b"\n" + line * 3) as content:
        assert content.head() == b"x" * 200_000 + b"\n" + line * 2
    with sources.Content(b"x" * 200_000) as content:
        assert content.head() == b"x" * 200_000


def test_read_bytes_takes_every_source(tmp_path):
    path = tmp_path / "pets.cxt.xz"
    path.write_bytes(lzma.compress(PETS.data))
    assert sources.read_bytes(path) == (PETS.data, str(path))
    assert sources.read_bytes(streams.StringIO(PETS.text)) == (PETS.data, None)


class Server(BaseHTTPRequestHandler):
    """Answers by the path that is asked for."""

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/moved.cxt":
            self.send_response(302)
            self.send_header("Location", "/pets.cxt")
            self.end_headers()
        elif path == "/inside.cxt":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
        elif path == "/loop.cxt":
            self.send_response(302)
            self.send_header("Location", "/loop.cxt")
            self.end_headers()
        elif path == "/short.cxt":
            self.answer(PETS.data[:20], length=len(PETS.data))
        elif path == "/endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"1 2 3 " * 10_000)
            except OSError:
                self.close_connection = True
        elif path.startswith("/pets"):
            codec = compression.codec_of_name(path)
            self.answer(codec.compress(PETS.data) if codec else PETS.data)
        else:
            self.send_error(404, "Not Found")

    def answer(self, data, length=None):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("path", ["pets.cxt", "pets.csv", "pets", "moved.cxt", "pets.cxt?a=b#c"])
def test_urls(site, path):
    assert cr.load(f"{site}/{path}") == PETS.context


@CODECS
def test_compressed_files_behind_urls(site, codec):
    assert cr.load(f"{site}/pets.cxt{codec.suffixes[0]}") == PETS.context


def test_urls_that_fail(site):
    assert refusal(f"{site}/missing.cxt?token=secret") == (
        f"{site}/missing.cxt: the server answers 404 Not Found (hint: check the address)"
    )
    assert refusal(f"{site}/short.cxt") == (
        f"{site}/short.cxt: the server sent 20 of {len(PETS.data)} bytes (hint: try again)"
    )
    assert "unknown url type" in refusal(f"{site}/inside.cxt") or "302" in refusal(
        f"{site}/inside.cxt"
    )
    assert "the server answers 302" in refusal(f"{site}/loop.cxt")
    assert "a line of more than" in refusal(f"{site}/endless", format="fimi")
    assert "holds more than 1,000,000 bytes" in refusal(
        f"{site}/endless", format="json", max_bytes=1_000_000
    )


def test_servers_that_are_not_there():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    assert refusal(f"http://127.0.0.1:{port}/pets.cxt").startswith(
        f"http://127.0.0.1:{port}/pets.cxt: can't be fetched: "
    )
    for url in ("http://", "http://[", "https://a b/", "http://127.0.0.1:port/"):
        refusal(url)


def test_a_server_that_never_answers(monkeypatch):
    monkeypatch.setattr(urls, "_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        assert "no answer within 0 seconds" in refusal(f"http://127.0.0.1:{port}/pets.cxt")


def test_file_urls(tmp_path):
    path = tmp_path / "my pets.cxt"
    path.write_bytes(PETS.data)
    url = path.as_uri()
    assert "%20" in url
    assert cr.load(url) == PETS.context
    assert refusal(url + "x").startswith(f"no such file: {path}x")
    assert "is no file on this machine" in refusal("file://elsewhere/pets.cxt")
    assert refusal("ftp://example.org/pets.cxt") == (
        "ftp://example.org/pets.cxt: can't fetch ftp URLs "
        "(hint: http, https and file URLs work; fetch the file by other means)"
    )


def test_passwords_and_queries_are_not_shown():
    assert urls.shown_url("http://ann:secret@example.org/a?key=1") == "http://example.org/a"
    assert "secret" not in urls.shown_url("http://[ann:secret@x/a?key=1")
