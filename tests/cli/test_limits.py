"""Limits and Ctrl-C while concepts are scored: rows that have a score are printed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import conceptrank as cr
from conceptrank.budget import Budget
from conceptrank.cli import _pipeline
from conceptrank.cli._messages import Messages

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals")


@pytest.fixture
def pressing():
    """A measure during which Ctrl-C is pressed, when it comes to the first pair of attributes."""

    @cr.measure("pressing")
    def pressing(concept):
        if len(concept.intent) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return concept.support


def rows_of(result) -> list[dict]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.usefixtures("pressing")
@pytest.mark.parametrize("options", [(), ("--diverse", "3")])
def test_ctrl_c_during_scoring_prints_what_was_scored(run, options):
    arguments = ("rank", "movies", *options, "--by", "support", "--format", "jsonl")
    result = run(*arguments, "--also", "pressing")
    assert result.exit_code == 3, result.stderr
    assert "stopped by Ctrl-C: 20 concepts were found" in result.stderr
    expected = rows_of(run(*arguments))
    assert [row["intent"] for row in rows_of(result)] == [row["intent"] for row in expected]
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("pressing")
def test_ctrl_c_before_the_first_score_is_a_line(run):
    result = run("rank", "movies", "--by", "pressing")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "error: " in result.stderr


@pytest.fixture
def slow():
    """A measure that takes longer than the seconds of its test."""

    @cr.measure("slow")
    def slow(concept):
        time.sleep(0.02)
        return concept.support


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("options", [(), ("--all",), ("--diverse", "3")])
def test_max_seconds_before_the_first_score_is_a_line(run, options):
    result = run("rank", "movies", "--by", "slow", "--max-seconds", "0.25", *options)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "--max-seconds 0.25 reached" in result.stderr
    assert result.stderr.count("\n") == 1


def test_max_seconds_ends_reading(run, monkeypatch, tmp_path):
    monkeypatch.setattr(_pipeline, "_LEAST_LOADING", 0.0)
    path = tmp_path / "many.dat"
    path.write_text("1 2 3\n" * 400_000)
    for command in ("rank", "best", "summarize", "rules", "mine"):
        options = ("--out", str(tmp_path / "run")) if command == "mine" else ()
        result = run(command, str(path), "--max-seconds", "0.0001", *options)
        assert (result.exit_code, result.stdout) == (3, "")
        assert f"reading {path} took more than 0.0001 seconds" in result.stderr


def test_two_signals_at_once_are_one_press(monkeypatch):
    def press(times: int, apart: float) -> Budget:
        clock = iter(apart * number for number in range(1, times + 1))
        monkeypatch.setattr(_pipeline.time, "monotonic", lambda: next(clock))
        budget = Budget()
        with _pipeline.stopped_by_interrupt(budget, lambda: None):
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
        return budget

    assert press(2, apart=0.01).cancelled
    with pytest.raises(KeyboardInterrupt):
        press(2, apart=10)


def test_a_second_press_gives_up(capsys):
    def press_twice() -> None:
        with _pipeline.watched(Budget(), Messages()):
            signal.raise_signal(signal.SIGINT)
            _pipeline.time.sleep(_pipeline._SAME_PRESS + 0.05)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        press_twice()
    assert "another Ctrl-C" in capsys.readouterr().err


def test_ctrl_c_ends_a_page_that_is_not_there_yet(run, monkeypatch, tmp_path):
    mine = cr.Context.lattice

    def pressed(*arguments, **options):
        # Measures are checked on a small lattice before, without a budget.
        if "budget" in options:
            signal.raise_signal(signal.SIGINT)
        return mine(*arguments, **options)

    monkeypatch.setattr(cr.Context, "lattice", pressed)
    result = run("explore", "movies", "--export", tmp_path / "page.html")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "error: interrupted\n"
    assert list(tmp_path.iterdir()) == []


# A program that Ctrl-C ends while a piece of an evaluation goes on.
LEFT_BEHIND = """
import time
from conceptrank import cli
from conceptrank.evaluation._work import Run

def command(**_):
    for _ in Run(threads=2).map(lambda number, stop: number and time.sleep(1000), 2):
        raise KeyboardInterrupt

cli.app = command
cli.main()
"""


def test_the_program_does_not_wait_for_pieces_after_ctrl_c():
    result = subprocess.run(
        [sys.executable, "-c", LEFT_BEHIND],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (result.returncode, result.stderr) == (130, "error: interrupted\n")


# A program that Ctrl-C reaches twice while Python shuts down, the second time when the handlers of
# signals are gone.
PRESSED_AT_EXIT = """
import atexit, os, signal, sys
from conceptrank.__main__ import main

class Last:
    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.SIGINT):
        kill(own, number)

sys.modules["last"] = Last()
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv = ["conceptrank", "rank", "movies", "--by", "support", "--top", "1", "--format", "csv"]
main()
"""


def test_ctrl_c_at_the_exit_changes_nothing():
    result = subprocess.run(
        [sys.executable, "-c", PRESSED_AT_EXIT],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (result.returncode, result.stderr.count("\n")) == (0, 1), result.stderr
    assert result.stdout == 'rank,support,intent\n1,11,""\n'
