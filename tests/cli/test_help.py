"""Every example in the help runs as it is written."""

import re
import shlex
import subprocess

import pytest

from conceptrank.cli.rules import MEASURES
from conceptrank.rules import measures

NAMES = (
    "rank",
    "best",
    "measures",
    "info",
    "show",
    "rules",
    "plot",
    "explore",
    "convert",
    "mine",
)
COMMANDS = [[], *([name] for name in NAMES)]


def help_of(run, command: list[str]) -> str:
    result = run(*command, "--help", env={"COLUMNS": "120", "NO_COLOR": "1"})
    assert result.exit_code == 0
    return result.stdout


def examples(run, command: list[str]) -> list[str]:
    return re.findall(r"^ *\$ (.*?) *$", help_of(run, command), re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command) or "none")
def test_examples_run(run, command):
    found = examples(run, command)
    assert found
    for line in found:
        if not line.startswith("conceptrank "):
            subprocess.run(line, shell=True, check=True)
            continue
        result = run(*shlex.split(line)[1:])
        assert result.exit_code == 0, f"{line}: {result.stderr}"


def test_every_command_is_listed(run):
    shown = help_of(run, [])
    for command in (*NAMES, "evaluate", "reproduce"):
        assert re.search(rf"^\W*{command}\s", shown, re.MULTILINE)
    assert run("-h").stdout == run("--help").stdout


def test_the_help_lists_every_measure_of_rules():
    assert MEASURES.split(", ") == list(measures.names())
