"""The program as users start it: streams, signals, exit codes, time."""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import struct
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import conceptrank

PROGRAM = [sys.executable, "-m", "conceptrank"]


def test_data_and_everything_else_go_separate_ways(program):
    result = program("rank", "movies", "--format", "jsonl", "--top", "3")
    assert result.returncode == 0
    assert len([json.loads(line) for line in result.stdout.splitlines()]) == 3
    assert re.fullmatch(r"(note: .*\n)+", result.stderr)


def test_version(program):
    version, build = program("--version").stdout.splitlines()
    assert version == f"conceptrank {conceptrank.__version__}"
    kernel = conceptrank._core.available_kernels()[0]
    environment = {**os.environ, "CONCEPTRANK_KERNEL": kernel}
    assert f"kernel {kernel}, built by " in program("--version", env=environment).stdout
    assert platform.python_version() in build


def test_nothing_to_do_shows_the_help(program):
    result = program()
    assert "Usage: conceptrank" in result.stdout + result.stderr


def test_the_bytes_do_not_depend_on_threads(program):
    arguments = (
        "rank",
        "movies",
        "--all",
        "--also",
        "stability,stability_extensional",
        "--extents",
    )
    for name in ("table", "csv", "jsonl"):
        one, two = (program(*arguments, "--format", name, "--threads", n) for n in (1, 2))
        assert one.stdout == two.stdout
        assert one.stderr == two.stderr


@pytest.mark.parametrize(
    ("limit", "option"),
    [
        (["--max-concepts", "500"], "--max-concepts 500"),
        (["--max-seconds", "0.05"], "--max-seconds 0.05"),
        (["--max-memory", "200K"], "200 KB"),
    ],
)
def test_a_limit_ends_an_explosion_with_what_was_found(program, contranominal, limit, option):
    result = program("rank", contranominal, *limit, "--format", "jsonl")
    assert result.returncode == 3
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    # A busy machine may find fewer in the time, or nothing.
    assert len(rows) == 20 or ("--max-seconds" in limit and len(rows) < 20)
    assert all(row["support"] == 60 - len(row["intent"]) for row in rows)
    assert all(row["cr"] == 0.5 for row in rows)
    assert option in result.stderr
    assert "there are more" in result.stderr or not rows


def test_an_explosion_is_announced(program, contranominal):
    assert "warning: about" in program("rank", contranominal, "--max-seconds", "0.01").stderr
    assert "about" not in program("rank", contranominal, "--max-concepts", "9").stderr
    quiet = program("rank", contranominal, "--max-seconds", "0.01", "--quiet").stderr
    assert "warning" not in quiet


def processor_seconds(process: subprocess.Popen[str]) -> float:
    """Return the processor time of a program; the time of day where there is no /proc."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_interrupt_keeps_what_was_found(contranominal):
    process = subprocess.Popen(
        [*PROGRAM, "rank", str(contranominal), "--format", "jsonl", "--max-concepts", "2000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        # The announcement of the explosion comes just before mining begins.
        assert process.stderr is not None
        announced = process.stderr.readline()
        begin = processor_seconds(process)
        while processor_seconds(process) < begin + 0.1:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, messages = process.communicate(timeout=600)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    assert process.returncode == 3
    assert len(output.splitlines()) == 20
    assert "stopped by Ctrl-C" in messages
    assert "Traceback" not in announced + messages


@pytest.mark.parametrize("start", [b"", b"name,age,town\nAnn,30,Bath\nBob,41,York\n"])
def test_an_interrupt_elsewhere_ends_it(tmp_path, start):
    fifo = tmp_path / "waiting.csv"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [*PROGRAM, "rank", str(fifo)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    writer = None
    while writer is None and process.poll() is None:
        # It can be opened as soon as the program waits for a first line.
        with suppress(OSError):
            writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.05)
    if writer is not None:
        os.write(writer, start)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    output, messages = process.communicate(timeout=600)
    if writer is not None:
        os.close(writer)
    assert (process.returncode, output) == (130, "")
    assert messages == "error: interrupted\n"


@pytest.mark.parametrize("name", ["table", "csv", "jsonl"])
def test_a_reader_that_has_enough_is_no_error(tmp_path, name):
    # Far more than a pipe holds.
    attributes = [f"a rather long attribute name, number {i}" for i in range(40)]
    objects = [f"g{i}" for i in range(300)]
    rows = ["".join("X" if (i * 7 + j * j) % 5 else "." for j in range(40)) for i in range(300)]
    path = tmp_path / "large.cxt"
    path.write_text("\n".join(["B", "", "300", "40", "", *objects, *attributes, *rows, ""]))
    arguments = ["rank", str(path), "--all", "--max-concepts", "3000", "--quiet", "--format", name]
    process = subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.wait(timeout=600) == 0


def on_a_terminal(arguments: list[str], **environment: str) -> str:
    """Run the program on a terminal of 80 columns and return what it shows."""
    fcntl, pty, termios = (pytest.importorskip(each) for each in ("fcntl", "pty", "termios"))
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", **environment},
    )
    os.close(terminal)
    shown = b""
    with suppress(OSError):
        while piece := os.read(controller, 65536):
            shown += piece
    process.wait(timeout=600)
    os.close(controller)
    return shown.decode().replace("\r\n", "\n")


def test_colours_are_for_terminals_that_want_them(program):
    assert "\x1b[1m" in on_a_terminal(["rank", "movies"])
    assert "\x1b[3" in on_a_terminal(["rank", "movies"])
    plain = on_a_terminal(["rank", "movies"], NO_COLOR="1")
    assert not re.search(r"\x1b\[(3|4|9)[0-9]", plain)
    assert "\x1b" not in program("rank", "movies").stdout + program("rank", "movies").stderr


def test_a_table_fits_the_terminal():
    shown = on_a_terminal(["rank", "movies", "--also", "stability,delta_measure"], NO_COLOR="1")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert max(map(len, plain.splitlines())) <= 80
    assert "rank      cr  stability  delta_measure  support  intent" in plain


def test_names_survive_a_terminal_without_unicode(program, tmp_path):
    path = tmp_path / "names.csv"
    path.write_text(",日本,b\ng,X,X\nh,,X\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = program("rank", path, env=environment)
    assert result.returncode == 0
    assert "??" in result.stdout
    data = program("rank", path, "--format", "jsonl", env=environment)
    assert "日本" in data.stdout


def test_nothing_of_the_core_outlives_a_program(program):
    environment = {**os.environ, "CONCEPTRANK_LEAK_WARNINGS": "1"}
    for arguments in (["rank", "movies"], ["show", "movies", "--intent", ""], ["rules", "movies"]):
        result = program(*arguments, "--quiet", env=environment)
        assert (result.returncode, result.stderr) == (0, "")
