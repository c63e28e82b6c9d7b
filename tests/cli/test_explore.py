"""`conceptrank explore`."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request

import pytest


def test_a_page_is_written(run, tmp_path):
    page = tmp_path / "movies.html"
    result = run("explore", "movies", "--export", page, "--by", "stability", "--also", "cr")
    assert result.exit_code == 0
    assert "open it in a browser" in result.stderr
    assert result.stdout == ""
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_was_found_is_written_when_a_limit_is_reached(run, tmp_path):
    page = tmp_path / "movies.html"
    result = run("explore", "movies", "--export", page, "--max-concepts", 5)
    assert result.exit_code == 3
    assert page.exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--export", "nowhere/page.html"], "no directory"),
        (["--export", "page.html", "--by", "suport"], "did you mean"),
        (["--export", "page.html", "--also", "precision"], "--label"),
        (["--port", "70000"], "--port"),
    ],
)
def test_wrong_use(run, arguments, reason):
    result = run("explore", "movies", *arguments)
    assert result.exit_code == 2
    assert reason in result.stderr


def test_the_page_is_served_until_interrupted():
    command = [sys.executable, "-m", "conceptrank", "explore", "movies", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stdout is not None
            link = program.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=\S{32}", link)
            with urllib.request.urlopen(link, timeout=20) as answer:
                assert b"<title>movies</title>" in answer.read()
            program.send_signal(signal.SIGINT)
            _, errors = program.communicate(timeout=20)
        finally:
            program.kill()
    assert program.returncode == 0
    assert "Traceback" not in errors
