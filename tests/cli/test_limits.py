"""Limits and Ctrl-C while concepts are scored: rows that have a score are printed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import conceptrank as cr
from conceptrank.budget import Budget, Watch
from conceptrank.cli import _pipeline
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.errors import BudgetExceeded

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
    assert result.stderr == "error: --max-seconds 0.25 reached before any concept was scored\n"


def test_diverse_concepts_are_picked_when_mining_took_all_seconds(run, monkeypatch):
    rank = _pipeline.Pipeline.rank

    def taking_all_seconds(pipeline, *arguments, **options):
        ranking = rank(pipeline, *arguments, **options)
        pipeline._watch = Watch(Budget(seconds=0))
        monkeypatch.setattr(_pipeline, "_LEAST_SECONDS", 0.0)
        return ranking

    monkeypatch.setattr(_pipeline.Pipeline, "rank", taking_all_seconds)
    result = run("rank", "movies", "--diverse", "3", "--format", "jsonl", "--max-seconds", "9")
    assert len(rows_of(result)) == 3


def test_diverse_concepts_that_there_is_no_time_to_pick(run, monkeypatch):
    monkeypatch.setattr(_pipeline.Pipeline, "picking", lambda _: Budget(seconds=0))
    result = run("rank", "movies", "--diverse", "3", "--format", "jsonl", "--max-seconds", "1000")
    assert result.exit_code == 3
    assert len(rows_of(result)) == 1
    assert "--max-seconds 1000 reached: 1 of 3 diverse concepts were picked" in result.stderr


def test_max_seconds_bounds_the_number_of_rows(monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(_pipeline.time, "monotonic", lambda: clock[0])
    limits = _pipeline.Limits(max_seconds=5)
    mining = _pipeline.Mining("movies", limits, Reading(), Messages())
    pipeline = _pipeline.Pipeline(mining)
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


# A program in which Ctrl-C comes when a search has just ended; it prints what it imports then.
PRESSED = """
import signal, sys
from importlib import import_module
from conceptrank import __main__, cli

path, name = sys.argv.pop(1).split(":")
module, _, owner = path.partition("/")
owner = getattr(import_module(module), owner) if owner else import_module(module)
search, known = getattr(owner, name), set()

def pressed(*arguments, **options):
    found = search(*arguments, **options)
    if not known:
        known.update(sys.modules)
        signal.raise_signal(signal.SIGINT)
    return found

setattr(owner, name, pressed)
try:
    cli.main()
finally:
    print(*sorted({each.partition(".")[0] for each in sys.modules} - known), file=sys.stderr)
"""
CONTEXT = "conceptrank.context/Context"


@pytest.mark.parametrize(
    ("search", "arguments"),
    [
        (f"{CONTEXT}:rank", ("rank", "--out", "x.csv")),
        (f"{CONTEXT}:rank", ("plot", "--figure", "distributions", "--out", "x.png")),
        (f"{CONTEXT}:lattice", ("plot", "--out", "x.svg")),
        (f"{CONTEXT}:lattice", ("plot", "--out", "x.dot")),
        (f"{CONTEXT}:summarize", ("summarize", "--out", "x.csv")),
        ("conceptrank.lattice/Lattice:rules", ("rules", "--out", "x.csv")),
        ("conceptrank.cli.best:best", ("best", "--out", "x.jsonl")),
    ],
)
def test_nothing_large_is_imported_after_ctrl_c(search, arguments, tmp_path):
    command, *options = arguments
    result = subprocess.run(
        [sys.executable, "-c", PRESSED, search, command, "movies", *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=tmp_path,
    )
    assert "Traceback" not in result.stderr
    *_, imported = result.stderr.splitlines()
    assert not {"polars", "matplotlib", "scipy", "pandas"} & set(imported.split())


def cancelled_pipeline() -> _pipeline.Pipeline:
    limits = _pipeline.Limits()
    limits.budget.cancel()
    return _pipeline.Pipeline(_pipeline.Mining("movies", limits, Reading(), Messages()))


def test_a_result_gets_a_moment_after_ctrl_c():
    pipeline = cancelled_pipeline()
    with pipeline.finishing("it was done"):
        pass

    def endless() -> None:
        with pipeline.finishing("it was done"):
            while True:
                try:
                    sum(range(1000))
                except Exception:
                    continue

    with pytest.raises(BudgetExceeded, match="stopped by Ctrl-C before it was done"):
        endless()
    # Nothing comes later.
    for _ in range(300):
        sum(range(10_000))


def test_results_of_other_threads_are_not_ended():
    pipeline, ended = cancelled_pipeline(), []

    def work() -> None:
        with pipeline.finishing("it was done"):
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]


def test_rows_after_ctrl_c(monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(_pipeline.time, "monotonic", lambda: clock[0])

    def write(rows):
        clock[0] += rows / 4000

    monkeypatch.setattr(_pipeline, "_GRACE", 1.0)
    assert cancelled_pipeline().rows_in_time(10**6, write) == 3000
    assert "stopped by Ctrl-C: the first 3,000 of 1,000,000 rows" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x.svg", "x.dot"])
def test_a_diagram_after_ctrl_c_has_few_concepts(run, monkeypatch, tmp_path, name):
    mine = cr.Context.lattice

    def pressed(*arguments, **options):
        found = mine(*arguments, **options)
        signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(cr.Context, "lattice", pressed)
    monkeypatch.setattr(_pipeline, "_GRACE", 60.0)
    monkeypatch.setattr("conceptrank.cli.plot.FEW_CONCEPTS", 5)
    result = run("plot", "movies", "--out", tmp_path / name)
    assert "of 20 concepts" in result.stderr
    assert (tmp_path / name).stat().st_size > 0
    (tmp_path / name).unlink()
    # There is no time for a figure.
    monkeypatch.setattr(_pipeline, "_GRACE", 1e-6)
    monkeypatch.setattr("conceptrank.plot.diagram", lambda *_, **__: [None for _ in iter(int, 1)])
    result = run("plot", "movies", "--out", tmp_path / name)
    assert result.exit_code == 3
    assert "error: stopped by Ctrl-C before the figure was drawn (hint: --max-seconds" in (
        result.stderr
    )
    assert list(tmp_path.iterdir()) == []


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


# A program that Ctrl-C reaches when its output is written and its exit code is known.
PRESSED_AFTER_THE_COMMAND = """
import gc, os, signal, sys
from conceptrank.__main__ import main

gc.freeze = lambda: os.kill(os.getpid(), signal.SIGINT)
sys.argv = ["conceptrank", "rank", "movies", "--by", "support", "--top", "1", "--format", "csv"]
main()
"""
# A program that Ctrl-C reaches in the last steps of its entry point.
PRESSED_IN_THE_LAST_STEP = """
import signal, sys, types
from conceptrank import __main__ as program

presses = [signal.SIGINT]

def last_step(*arguments):
    if presses:
        signal.raise_signal(presses.pop())
    signal.signal(*arguments)

numbers = {"SIGINT": signal.SIGINT, "SIG_IGN": signal.SIG_IGN}
program.signal = types.SimpleNamespace(signal=last_step, **numbers)
sys.argv = ["conceptrank", "--help"]
program.main()
"""


@pytest.mark.parametrize(
    ("program", "code"), [(PRESSED_AFTER_THE_COMMAND, 0), (PRESSED_IN_THE_LAST_STEP, 130)]
)
def test_ctrl_c_after_the_output_ends_quietly(program, code):
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300
    )
    assert (result.returncode, "Traceback" in result.stderr) == (code, False), result.stderr
    assert result.stdout
