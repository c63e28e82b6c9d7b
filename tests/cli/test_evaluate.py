"""The commands that write reports; what a report says is tested with the library."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import conceptrank as cr
from data_files import data_path


def test_evaluate_writes_a_report(run):
    result = run(
        *("evaluate", "movies", "--measures", "cr,stability,support", "--quick", "--out", "mine"),
        "--quiet",
    )
    assert result.exit_code == 0, result.stderr
    assert "agreement over splits with" in result.stdout
    page = Path("mine/index.html").read_text(encoding="utf-8")
    assert "Evaluation of measures on movies" in page
    assert "paper's statements" not in page
    assert list(Path("mine/pieces").glob("splits-*"))
    Path("mine/pieces/splits-0.jsonl").write_text("")
    run(*("evaluate", "movies", "--max-seconds", 0, "--out", "mine", "--fresh"))
    assert not Path("mine/pieces/splits-0.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--measures", "cr"), "two measures or more"),
        (("--measures", "cr,information_gain"), "information_gain needs labels"),
        (("--measures", "cr,nothing"), "unknown measure"),
        (("--out", "taken"), "is no directory"),
    ],
)
def test_wrong_use_ends_before_the_work(run, arguments, message):
    Path("taken").write_text("")
    result = run("evaluate", "movies", "--quick", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_limit_in_seconds_ends_with_what_is_done(run):
    result = run(
        "evaluate", "movies", "--max-seconds", 0.01, "--runs", 10**6, "--measures", "cr,support"
    )
    assert result.exit_code == 3
    assert "the next run continues from there" in result.stderr
    assert not Path("report/index.html").exists()


def test_reproduce_without_data_says_what_to_do(run, monkeypatch, tmp_path):
    monkeypatch.delenv("CONCEPTRANK_DATA", raising=False)
    monkeypatch.setenv("CONCEPTRANK_CACHE", str(tmp_path / "nothing"))
    result = run("reproduce", "--quick", "--no-download", "--out", "report")
    assert result.exit_code == 1
    assert "none of the data can be had" in result.stderr


def test_reproduce_quickly(program, monkeypatch):
    data = data_path("paper/Diagnosis.ctx").parents[1]
    result = program(
        *("reproduce", "--quick", "--no-download", "--out", "report"),
        env=os.environ | {"CONCEPTRANK_DATA": str(data)},
    )
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    reproduced = {
        (row[2], row[3]) for row in rows if row[:1] == ["Table"] and row[-1] == "reproduced"
    }
    for name in ("Coin-Toss", "Diagnosis", "Dolphins"):
        assert {(name, each) for each in ("|G|", "|M|", "|L|", "n,")} <= reproduced
    assert {("Dirichlet", "|M|"), ("Dirichlet", "|L|")} <= reproduced
    assert ("Dirichlet", "|G|") not in reproduced
    assert "data not public" in result.stdout
    page = Path("report/index.html").read_text(encoding="utf-8")
    assert "likely a misprint" in page
    assert "conceptrank reproduce --quick --no-download --out report" in page
    assert "linkedin_skills" not in page


def test_an_interrupt_keeps_what_was_done(tmp_path):
    context = cr.datasets.random.coin_toss(objects=60, attributes=8, density=0.5, seed=1)
    cr.io.save(context, tmp_path / "x.cxt")
    command = [sys.executable, "-m", "conceptrank", "evaluate", "x.cxt", "--out", "report"]
    command += ["--measures", "cr,support", "--runs", "100000"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + 600
            while time.monotonic() < deadline:
                kept = [
                    len(path.read_text().splitlines())
                    for path in (tmp_path / "report" / "pieces").glob("splits-*")
                ]
                if kept and max(kept) > 5:
                    break
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=600)
        finally:
            process.kill()
    assert process.returncode == 130
    assert error == "error: interrupted\n"
    assert max(kept) > 5
