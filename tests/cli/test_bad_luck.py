"""What is no fault of the user's: closed streams, full disks, readers who leave, odd files."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conceptrank.cli import main

PROGRAM = f"{sys.executable} -m conceptrank"
# One that prints a table, one that polars prints, and one that none of our commands prints.
PRINTING = ["rank movies", "rank movies --format jsonl", "--version"]


def shell(line: str, **options: object) -> "subprocess.CompletedProcess[str]":
    """Run a line of the shell, in which `conceptrank` is the program."""
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        ["bash", "-c", line.replace("conceptrank", PROGRAM)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        **options,
    )


@pytest.mark.parametrize("command", PRINTING)
def test_closed_standard_output(command):
    result = shell(f"conceptrank {command} >&-")
    assert result.returncode == 1
    assert result.stderr.endswith("error: standard output is closed\n")
    assert "Traceback" not in result.stderr


def test_all_streams_closed():
    assert shell("conceptrank rank movies --out a.csv <&- >&- 2>&-").returncode == 0
    assert Path("a.csv").read_text().startswith("rank,cr,support,intent\n1,0.5,8,adventure\n")
    assert shell("conceptrank rank - <&-").stderr.startswith("error: the file is empty")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_disk():
    assert shell("conceptrank --help > /dev/full").stderr == "error: No space left on device\n"
    # Nobody can be told, but the data is there.
    told = shell("conceptrank rank movies --top 1 --format csv 2> /dev/full")
    assert (told.returncode, told.stdout) == (0, "rank,cr,support,intent\n1,0.5,8,adventure\n")


@pytest.mark.parametrize("command", ["rank movies", "rank movies --format csv"])
def test_a_reader_who_left_before_the_first_line(command):
    result = shell(f"conceptrank {command} 2>&1 | true; exit ${{PIPESTATUS[0]}}")
    assert (result.returncode, result.stderr) == (0, "")


def test_standard_output_is_a_dash(run, program):
    Path("people.csv").write_text("name,age\nAnn,30\nBob,41\n")
    table = run("rank", "movies", "--out", "-")
    assert (table.exit_code, table.stdout) == (0, run("rank", "movies").stdout)
    comma = run("rank", "movies", "--format", "csv", "--out", "-")
    assert comma.stdout.startswith("rank,cr,support")
    context = program("convert", "movies", "-", "--output-format", "burmeister")
    assert (context.returncode, context.stdout[:8]) == (0, "B\n\n11\n7\n")
    page = program("explore", "movies", "--export", "-")
    assert page.stdout.startswith("<!doctype html>")
    assert os.listdir() == ["people.csv"]


def test_pipes_and_devices(run):
    shell("mkfifo pipe; cat pipe > got & conceptrank rank movies --format csv --out pipe; wait")
    assert Path("got").read_text().startswith("rank,cr,support,intent\n")
    assert sorted(os.listdir()) == ["got", "pipe"]
    assert run("rank", "movies", "--format", "csv", "--out", "/dev/null").exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        ["rank", "movies", "--out", "old.csv"],
        ["rank", "movies", "--out", "old.parquet"],
        ["rules", "movies", "--out", "old.json"],
        ["convert", "movies", "old.cxt", "--force"],
        ["plot", "movies", "--out", "old.svg"],
        ["explore", "movies", "--export", "old.html"],
    ],
)
def test_a_file_that_can_not_be_written_to_its_end(run, command):
    path = next(Path(each) for each in command if each.startswith("old"))
    path.write_text("before")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, usual[1]))
    try:
        result = run(*command, "--quiet")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"error: {path}: can't be written: File too large\n"
    assert (path.read_text(), os.listdir()) == ("before", [path.name])


def test_a_run_on_a_full_disk_goes_on_later(run):
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1200, usual[1]))
    try:
        result = run("mine", "movies", "--out", "run", "--workers", 1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert result.exit_code == 1
    assert "File too large; what the run has written stays valid" in result.stderr
    assert run("mine", "movies", "--out", "run", "--workers", 1, "--resume").exit_code == 0


@pytest.mark.parametrize("command", ["mine", "evaluate"])
@pytest.mark.parametrize("out", ["file", "file/folder"])
def test_a_file_where_a_folder_is_wanted(run, command, out):
    Path("file").touch()
    result = run(command, "movies", "--out", out)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "file is no directory" in result.stderr


def test_what_is_no_run(run):
    Path("file").touch()
    Path("folder").mkdir()
    Path("folder", "manifest.json").write_bytes(bytes(range(256)))
    for command in ("rank", "info"):
        assert "is damaged" in run(command, "folder").stderr


def test_nothing_to_compare(run):
    assert run("rank", "movies", "--max-concepts", 0).stderr.count("\n") == 1
    few = ["--measures", "cr,stability", "--quick", "--min-support", 99]
    result = run("evaluate", "movies", *few, "--out", "report")
    assert (result.exit_code, result.stderr) == (0, "note: the report is report/index.html\n")


def test_ctrl_c_before_a_command_begins(monkeypatch, capsys):
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("conceptrank.cli.app", interrupted)
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr().err == "error: interrupted\n"


def test_a_process_that_goes_on_keeps_ctrl_c(monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(sys, "argv", ["conceptrank", "rank", "movies", "--out", "a.csv"])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    "command",
    [
        ["rank", "people.csv", "--out", "people.csv"],
        ["explore", "people.csv", "--export", "link.csv"],
        ["convert", "people.csv", "people.csv"],
    ],
)
def test_a_result_does_not_take_the_place_of_its_source(run, command):
    text = "name,age\nAnn,30\nBob,41\n"
    Path("people.csv").write_text(text)
    Path("link.csv").symlink_to("people.csv")
    result = run(*command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is the input file" in result.stderr
    assert Path("people.csv").read_text() == text


def test_the_current_directory_is_gone():
    gone = "mkdir a; cd a; rmdir ../a; conceptrank"
    for command in ("mine movies --out x", "rank movies --out x.csv"):
        result = shell(f"{gone} {command}")
        assert result.returncode in (1, 2)
        assert "directory is gone" in result.stderr.splitlines()[-1]


def test_a_setting_that_can_not_be_followed():
    result = shell("CONCEPTRANK_KERNEL=abacus conceptrank info movies")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: CONCEPTRANK_KERNEL=abacus can't run here")
    assert result.stderr.count("\n") == 1
