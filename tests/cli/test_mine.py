"""`conceptrank mine`, and its folders as FILE of `rank` and `info`."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import conceptrank as cr
from conceptrank.cli import mine as mine_module
from conceptrank.runs import open_run


def test_mine_rank_and_info(run, tmp_path: Path) -> None:
    done = run("mine", "movies", "--out", "r", "--measures", "cr,stability", "--workers", 1)
    assert done.exit_code == 0
    assert "20 concepts of" in done.stderr
    assert done.stdout == ""
    best = ["--by", "stability", "--top", 2, "--format", "jsonl", "--min-support", 1]
    top = run("rank", "r", *best)
    rows = [json.loads(line) for line in top.stdout.splitlines()]
    assert [row["intent"] for row in rows] == [["adventure", "criminal"], []]
    lattice = cr.datasets.load("movies").lattice()
    assert rows[0]["stability"] == lattice["adventure", "criminal"].score("stability")
    assert run("rank", "r", "--where", "'drama' in intent", "--out", "best.csv").exit_code == 0
    assert (tmp_path / "best.csv").read_text().count("drama") == 6
    status = run("info", "r", "--format", "json")
    facts = json.loads(status.stdout)
    assert (status.exit_code, facts["state"], facts["concepts"]) == (0, "complete", 20)
    assert run("info", "r").stdout.count("complete") == 1


def test_exit_codes_and_messages(run, tmp_path: Path) -> None:
    assert run("mine", "movies", "--out", "r", "--workers", 1).exit_code == 0
    again = run("mine", "movies", "--out", "r", "--workers", 1)
    assert again.exit_code == 1
    assert "--resume" in again.stderr
    assert run("mine", "movies", "--out", "r", "--workers", 1, "--resume").exit_code == 0
    for wrong in (
        ["mine", "movies", "--out", "s", "--measures", "no_such"],
        ["mine", "movies", "--out", "s", "--measures", "precision"],
        ["rank", "r", "--by", "stability"],
        ["rank", "r", "--diverse", "3"],
        ["rank", "r", "--scale", "auto"],
        ["info", "r", "--columns"],
    ):
        assert run(*wrong).exit_code == 2, wrong
    part = next((tmp_path / "r").glob("part-*"))
    content = part.read_bytes()
    part.write_bytes(content[:100])
    status = run("info", "r")
    assert status.exit_code == 1
    assert "--resume" in status.stderr
    assert part.name in status.stderr
    part.write_bytes(content.replace(b"visited", b"Visited"))
    for command in (["rank", "r"], ["explore", "r", "--export", "p"]):
        done = run(*command)
        assert done.exit_code == 3, command
        assert "damaged" in done.stdout + done.stderr
    part.unlink()
    assert run("info", "r").exit_code == 3
    top = run("rank", "r")
    assert top.exit_code == 3
    assert "the run is incomplete" in top.stderr
    (tmp_path / "r" / "manifest.json").write_text("[" * 100_000)
    for command in ("info", "rank", "explore"):
        done = run(command, "r")
        assert (done.exit_code, done.stderr.startswith("error:")) == (1, True)
        assert "manifest.json: is damaged" in done.stderr
    assert run("info", "nowhere").exit_code == 1


def test_an_occupied_folder_is_refused_before_the_table_is_read(run, monkeypatch) -> None:
    assert run("mine", "movies", "--out", "r", "--workers", 1).exit_code == 0
    monkeypatch.setattr(mine_module, "_packed", lambda *_: pytest.fail("read"))
    assert run("mine", "movies", "--out", "r", "--workers", 1).exit_code == 1


def test_dask_is_asked_for_before_the_table_is_read(run, monkeypatch) -> None:
    monkeypatch.setattr("conceptrank.cli._command.find_spec", lambda name: None)
    monkeypatch.setattr(mine_module, "_packed", lambda *_: pytest.fail("read"))
    result = run("mine", "movies", "--out", "r", "--dask", "local")
    assert result.exit_code == 1
    assert "needs distributed: pip install " in result.stderr


def test_max_seconds(run, contranominal: Path, tmp_path: Path) -> None:
    options = ["--out", "r", "--workers", 1, "--measures", "support"]
    done = run("mine", contranominal, *options, "--max-seconds", 2)
    assert done.exit_code == 3
    assert "--resume" in done.stderr
    assert not list((tmp_path / "r").glob(".*.part"))
    assert not (tmp_path / "r" / ".stop").exists()
    assert open_run(tmp_path / "r").state == "incomplete"
    # Nothing is lost by another try without time.
    before = len(open_run(tmp_path / "r"))
    assert run("mine", contranominal, *options, "--resume", "--max-seconds", 0).exit_code == 3
    assert len(open_run(tmp_path / "r")) == before > 0


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 3), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals_keep_what_was_found(
    contranominal: Path, tmp_path: Path, workers: str, number: signal.Signals, code: int
) -> None:
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("this signal is ignored, as under nohup")
    options = ["--out", "r", "--workers", workers, "--measures", "cosine", "--quiet"]
    command = [sys.executable, "-m", "conceptrank", "mine", str(contranominal), *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(list((tmp_path / "r").glob("part-*"))) < 2:
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate(timeout=600)
    assert (process.returncode, errors) == (code, "")
    hidden = sorted(path.name for path in (tmp_path / "r").glob(".*"))
    assert hidden == [".lock"]
    there = open_run(tmp_path / "r")
    assert there.state == "incomplete"
    assert len(there) > 0


def test_conditions_on_a_run(run, tmp_path: Path) -> None:
    options = ["--measures", "cr,stability", "--min-support", 2, "--workers", 1]
    assert run("mine", "movies", "--out", "r", *options).exit_code == 0
    where = "stability > 0.3 and intent_size >= 2 and 'drama' in intent"
    found = run("rank", "r", "--where", where, "--format", "jsonl")
    lattice = cr.datasets.load("movies").lattice(min_support=2)
    ranking = lattice.rank("cr", where=where)
    rows = [json.loads(line)["intent"] for line in found.stdout.splitlines()]
    assert sorted(rows) == sorted(list(each.concept.intent) for each in ranking) != []
    assert run("rank", "r", "--where", "no_such > 1").exit_code == 2

    names = pl.read_parquet(tmp_path / "r" / "attributes.parquet")
    assert names["attribute"].to_list() == list(lattice.context.attributes)
    assert names["number"].to_list() == list(range(7))


@pytest.mark.parametrize(
    ("name", "content"), [("x.dat", "1 2\n2 3"), ("x.csv", "name,red,hot\nfig,X,\nchilli,X,X")]
)
def test_a_table_that_may_be_cut_off_is_noticed(run, name, content):
    Path(name).write_text(content, encoding="utf-8")
    result = run("mine", name, "--out", "r", "--workers", 1)
    assert result.exit_code == 0
    assert f"note: {name}: the last line has no line end; is the file cut off?" in result.stderr
