"""`conceptrank explore`."""

from __future__ import annotations

import base64
import gzip
import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

import conceptrank as cr


def test_a_page_is_written(run, tmp_path):
    page = tmp_path / "movies.html"
    result = run("explore", "movies", "--export", page, "--by", "stability", "--also", "cr")
    assert result.exit_code == 0
    assert "open it in a browser" in result.stderr
    assert result.stdout == ""
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def content(page):
    """Return the header of a page's data."""
    data = re.search('id="conceptrank-data">([^<]*)<', page.read_text(encoding="utf-8"))
    assert data is not None
    packed = gzip.decompress(base64.b64decode(data[1]))
    return json.loads(packed[4 : 4 + int.from_bytes(packed[:4], "little")])


def test_the_best_are_written_when_a_limit_is_reached(run, tmp_path):
    page = tmp_path / "movies.html"
    result = run("explore", "movies", "--export", page, "--max-concepts", 5, "--by", "stability")
    assert result.exit_code == 3
    assert "the page has the best" in result.stderr
    found = content(page)
    assert found["concepts"] == 5
    assert "5 best concepts by stability" in found["note"]


def test_too_many_concepts_are_not_mined_without_a_limit(run, tmp_path, monkeypatch):
    from conceptrank.cli import explore

    monkeypatch.setattr(explore, "MOST_CONCEPTS", 19)
    page = tmp_path / "movies.html"
    result = run("explore", "movies", "--export", page)
    assert result.exit_code == 3
    assert "too many concepts" in result.stderr
    # There are fewer than the search looks for.
    assert content(page)["concepts"] == 20
    monkeypatch.setattr(explore, "MOST_CONCEPTS", 20)
    assert run("explore", "movies", "--export", page).exit_code == 0
    assert content(page)["note"] == ""


def test_the_page_is_served_until_interrupted():
    command = [sys.executable, "-m", "conceptrank", "explore", "movies", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stdout is not None
            link = program.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=\S{32}", link)
            with urllib.request.urlopen(link, timeout=600) as answer:
                assert b"<title>movies</title>" in answer.read()
            program.send_signal(signal.SIGINT)
            _, errors = program.communicate(timeout=600)
        finally:
            program.kill()
    assert program.returncode == 0
    assert "Traceback" not in errors


@pytest.fixture
def folder(run, tmp_path):
    mined = tmp_path / "mined"
    arguments = ["--out", mined, "--measures", "cr,stability", "--workers", 1]
    assert run("mine", "movies", *arguments).exit_code == 0
    return mined


def test_a_folder_as_a_page(run, folder, tmp_path):
    page = tmp_path / "page.html"
    result = run("explore", folder, "--by", "stability", "--export", page)
    assert result.exit_code == 0, result.stderr
    assert "open it in a browser" in result.stderr
    assert "<title>mined</title>" in page.read_text(encoding="utf-8")


@pytest.fixture
def shown(monkeypatch):
    """What the command would serve: a function of how often more was asked for."""
    from conceptrank.cli import explore

    shown = []
    monkeypatch.setattr(explore.Serving, "show", lambda _, make, *__: shown.append(make))
    return shown


def test_a_folder_is_served(run, folder, shown):
    assert run("explore", folder).exit_code == 0
    made = shown[0](1)
    assert list(made.scores) == ["cr", "stability", "support"]
    assert made.title == "mined"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--also", "cr"], "--also can't be used with a folder"),
        (["--min-support", "2", "--drop", "a"], "--min-support, --drop can't be used"),
        (["--by", "separation"], "unknown measure 'separation' in the run"),
    ],
)
def test_what_a_folder_can_not_give(run, folder, arguments, reason):
    result = run("explore", folder, *arguments, "--export", "page.html")
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())


def test_a_table_that_is_not_mined_to_its_end_shows_its_best(run, shown):
    result = run("explore", "movies", "--max-concepts", 5)
    assert result.exit_code == 3
    assert "the page has the best" in result.stderr
    scores = sorted(cr.datasets.load("movies").lattice().score("cr").tolist(), reverse=True)
    for times, size in ((1, 5), (2, 10), (4, 20), (8, 20)):
        made = shown[0](times)
        assert sorted(made.scores["cr"].scores.tolist(), reverse=True) == scores[:size]
        assert "best concepts by cr" in made.note
        assert made.more is (times < 8)


def test_a_served_page_grows_on_request(run, shown, monkeypatch):
    monkeypatch.setattr(cr.explorer, "MOST_CONCEPTS", 8)
    assert run("explore", "movies").exit_code == 0
    made = [shown[0](times) for times in (1, 2, 4)]
    assert [len(each.scores["cr"].scores) for each in made] == [8, 16, 20]
    assert [each.more for each in made] == [True, True, False]


@pytest.mark.parametrize("complete", [True, False])
def test_max_seconds_covers_all_searches(run, monkeypatch, tmp_path, contranominal, complete):
    granted = {}

    def recorded(name):
        search = getattr(cr.Context, name)

        def searching(*arguments, budget=None, **options):
            if budget is not None:
                granted[name] = budget.seconds
            return search(*arguments, budget=budget, **options)

        monkeypatch.setattr(cr.Context, name, searching)

    for name in ("lattice", "best", "summarize"):
        recorded(name)
    file = "movies" if complete else contranominal
    seconds = 60 if complete else 2
    result = run("explore", file, "--max-seconds", seconds, "--export", tmp_path / "page.html")
    assert result.exit_code == (0 if complete else 3), result.stderr
    assert granted.keys() == {"lattice", "summarize"} | (set() if complete else {"best"})
    # Loading takes some of the time, and no search gets the whole of it.
    assert max(granted.values()) < seconds
