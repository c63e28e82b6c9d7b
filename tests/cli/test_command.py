"""Groups of options, and how functions become commands."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from conceptrank.cli import COMMANDS
from conceptrank.cli._command import WrongUseError, define_command
from conceptrank.cli._options import Options


@dataclass
class Shape(Options):
    height: Annotated[int, typer.Option(help="How high.")]
    width: Annotated[int, typer.Option(help="How wide.")] = 3

    def __post_init__(self) -> None:
        if self.width > 100:
            raise WrongUseError("--width: too wide")


@define_command(examples=["conceptrank test-command a --height 2"])
def command(
    *,
    name: Annotated[str, typer.Argument(metavar="NAME")],
    shape: Shape,
    loud: Annotated[bool, typer.Option("--loud")] = False,
) -> int:
    """Print a shape.

    A paragraph that
    takes two lines.
    """
    typer.echo(f"{name} {shape.height} {shape.width} {loud}")
    return 3 if loud else 0


@pytest.fixture
def call():
    app = typer.Typer(rich_markup_mode="rich")
    app.command(command.name, help=command.help, epilog=command.epilog)(command.run)
    return lambda *arguments: CliRunner().invoke(app, arguments, env={"COLUMNS": "100"})


def test_a_group_reaches_the_function_as_one_value(call):
    assert call("a", "--height", "2").stdout == "a 2 3 False\n"
    assert call("a", "--height", "2", "--width", "7", "--loud").stdout == "a 2 7 True\n"


def test_the_number_that_a_function_returns_is_the_exit_code(call):
    assert call("a", "--height", "2").exit_code == 0
    assert call("a", "--height", "2", "--loud").exit_code == 3


def test_a_group_checks_itself_before_the_function_runs(call):
    result = call("a", "--height", "2", "--width", "101")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "error: --width: too wide\n")


def test_an_option_of_a_group_without_a_default_is_required(call):
    result = call("a")
    assert result.exit_code == 2
    assert "--height" in result.stderr


def test_name_help_and_examples(call):
    assert command.name == "test-command"
    assert command.help == "Print a shape.\n\nA paragraph that takes two lines."
    shown = call("--help").stdout
    for text in ("How high.", "How wide.", "[default: 3]", "$ conceptrank test-command a"):
        assert text in shown


def test_commands_are_named_like_their_modules_and_start_with_one_line():
    names = " ".join(COMMANDS.values()).split()
    modules = [import_module(f"conceptrank.cli.{name}") for name in names]
    assert len({module.command.name for module in modules}) == len(modules)
    for module in modules:
        assert module.__name__.endswith(module.command.name.replace("-", "_"))
        assert len(module.command.help.partition("\n\n")[0]) <= 85
