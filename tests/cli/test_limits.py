"""Limits and Ctrl-C while concepts are scored: rows that have a score are printed."""

from __future__ import annotations

import json
import os
import signal

import pytest

import conceptrank as cr
from conceptrank.budget import Budget
from conceptrank.cli import _pipeline
from conceptrank.cli._input import Reading
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


def test_max_seconds_bounds_the_number_of_rows(monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(_pipeline.time, "monotonic", lambda: clock[0])
    pipeline = _pipeline.Pipeline(
        "movies",
        reading=Reading(),
        limits=_pipeline.Limits(max_seconds=5),
        messages=Messages(),
    )
    clock[0] = 1.0

    def write(rows):
        clock[0] += rows / 1000

    assert pipeline.rows_in_time(1000, write) == 1000
    assert pipeline.exit_code == 0
    assert pipeline.rows_in_time(10**6, write) == 3000
    assert pipeline.exit_code == 3
    message = "--max-seconds 5 reached: the first 3,000 of 1,000,000 rows are written"
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("format_", ["csv", "jsonl", "json", "table"])
def test_rows_that_there_is_no_time_to_write(run, monkeypatch, format_):
    arguments = ("rank", "movies", "--all", "--format", format_, "--max-seconds", "1000")
    whole = run(*arguments)
    assert whole.exit_code == 0
    monkeypatch.setattr(_pipeline, "_SAMPLE_ROWS", 4)
    assert run(*arguments).stdout == whole.stdout
    monkeypatch.setattr(_pipeline.Pipeline, "rows_in_time", lambda *_: 7)
    some = run(*arguments)
    assert len(some.stdout) < len(whole.stdout)


def test_max_seconds_ends_reading(run, monkeypatch, tmp_path):
    monkeypatch.setattr(_pipeline, "_LEAST_LOADING", 0.0)
    path = tmp_path / "many.dat"
    path.write_text("1 2 3\n" * 400_000)
    for command in ("rank", "best", "summarize", "rules"):
        result = run(command, str(path), "--max-seconds", "0.0001")
        assert (result.exit_code, result.stdout) == (3, "")
        assert result.stderr.endswith(f"--max-seconds 0.0001 reached before {path} was read\n")
    result = run("mine", str(path), "--out", str(tmp_path / "run"), "--max-seconds", "0.0001")
    assert result.exit_code == 3
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
    assert "another Ctrl-C gives up" in capsys.readouterr().err
