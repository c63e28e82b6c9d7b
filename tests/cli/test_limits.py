"""Limits and Ctrl-C while concepts are scored: rows that have a score are printed."""

from __future__ import annotations

import json
import os
import signal

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
    assert result.stderr.endswith("error: stopped by Ctrl-C before any concept was scored\n")


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
    assert "another Ctrl-C gives up" in capsys.readouterr().err
