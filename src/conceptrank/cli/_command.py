"""`define_command`, which makes a function a command; exit codes; error messages."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from errno import EBADF, EPIPE
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.markup import escape

from conceptrank._util.files import number_of
from conceptrank.cli import _streams
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options
from conceptrank.errors import (
    BudgetExceeded,
    ConceptRankError,
    MeasureError,
    UnknownNameError,
    install_command,
)
from conceptrank.query import ConditionError

DONE = 0
FAILED = 1
WRONG_USE = 2
BUDGET_REACHED = 3
INTERRUPTED = 130
# The core counts in 64 bits.
_TOO_LARGE = 2**63
# The core's messages about environment variables start with this.
_ENVIRONMENT_PREFIX = "CONCEPTRANK_"


class WrongUseError(ConceptRankError):
    """The options of a command contradict each other, or one of them is invalid."""


_WRONG_USE = (UnknownNameError, MeasureError, ConditionError, WrongUseError)


@dataclass(frozen=True)
class Command:
    """A command of the program.

    Parameters
    ----------
    name
        What users type.
    help
        Its help; the first paragraph is the line in the list of commands.
    epilog
        The text below its options.
    run
        What typer calls. Its signature has one parameter per option.
    """

    name: str
    help: str
    epilog: str
    run: Callable[..., None]


def define_command(*, examples: Sequence[str]) -> Callable[[Callable[..., int]], Command]:
    """Make a function a command that is named like its module.

    The docstring is the help. A parameter whose type is an `Options` class stands for all options
    of that group, and the function receives the group. A field of a group may be a group. The
    function returns the exit code. Expected errors become one line on standard error and an exit
    code.

    Parameters
    ----------
    examples
        Command lines for the end of the help; the tests run them.
    """

    def decorate(function: Callable[..., int]) -> Command:
        declared = inspect.signature(function, eval_str=True).parameters
        groups = {
            name: parameter.annotation
            for name, parameter in declared.items()
            if _is_group(parameter.annotation)
        }

        def run(**values: Any) -> None:
            def call() -> int:
                _refuse_too_large(values)
                _refuse_own_input(values)
                arguments = dict(values)
                for name, group in groups.items():
                    arguments[name] = _filled(group, arguments)
                return function(**arguments)

            raise typer.Exit(_exit_code(call))

        described, said = _documented(function)
        signature: list[inspect.Parameter] = []
        for name, parameter in declared.items():
            if name in groups:
                signature += _options_of(groups[name])
            else:
                explained = _explained(parameter.annotation, said.get(name))
                signature.append(
                    parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=explained)
                )
        run.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in signature}
        paragraphs = described.split("\n\n")
        return Command(
            name=function.__module__.rpartition(".")[2].replace("_", "-"),
            help="\n\n".join(" ".join(part.split()) for part in paragraphs),
            epilog=examples_text(*examples),
            run=run,
        )

    return decorate


def require(reason: str, package: str, *, extra: str, hint: str = "") -> None:
    """Fail before the work if an optional package is not installed.

    Parameters
    ----------
    reason
        What needs the package.
    package
        The package.
    extra
        The extra of conceptrank that installs it.
    hint
        What works without it.
    """
    if find_spec(package) is None:
        install = install_command(extra)
        raise ConceptRankError(
            f"{reason} needs {package}: {install}" + (f" (hint: {hint})" if hint else "")
        )


def examples_text(*lines: str) -> str:
    """Return examples as the text below a command's options.

    Examples
    --------
    >>> print(examples_text("conceptrank rank movies"))
    [bold]Examples[/]
      $ conceptrank rank movies
    """
    return "\n".join(["[bold]Examples[/]", *(f"  $ {escape(line)}" for line in lines)])


def _documented(thing: object) -> tuple[str, dict[str, str]]:
    """Return the text of a docstring, and what it says about each parameter."""
    text, _, section = (inspect.getdoc(thing) or "").partition("\n\nParameters\n----------\n")
    entries = re.findall(r"^(\w+)\n((?: +.*\n?)+)", section, re.MULTILINE)
    return text, {name: " ".join(words.split()) for name, words in entries}


def _explained(annotation: Any, said: str | None) -> Any:
    """Return the annotation of an option with its help."""
    if said is None:
        return annotation
    for declared in getattr(annotation, "__metadata__", ()):
        if isinstance(declared, typer.models.ParameterInfo):
            declared.help = said
            return annotation
    return Annotated[annotation, typer.Option(help=said)]


def _is_group(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Options)


def _options_of(group: type[Options]) -> Iterator[inspect.Parameter]:
    """Return the options of a group as parameters of a function."""
    types, (_, said) = get_type_hints(group, include_extras=True), _documented(group)
    for field in fields(group):
        if _is_group(types[field.name]):
            yield from _options_of(types[field.name])
        elif field.init:
            yield inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=_explained(types[field.name], said.get(field.name)),
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
            )


def _filled(group: type[Options], values: dict[str, Any]) -> Options:
    """Return a group with its values, which leave the others."""
    types = get_type_hints(group)
    return group(
        **{
            field.name: _filled(types[field.name], values)
            if _is_group(types[field.name])
            else values.pop(field.name)
            for field in fields(group)
            if field.init
        }
    )


def _refuse_too_large(values: Mapping[str, object]) -> None:
    """Fail if a number doesn't fit into 64 bits."""
    for name, value in values.items():
        if isinstance(value, int) and value >= _TOO_LARGE:
            raise WrongUseError(f"--{name.replace('_', '-')} is too large: {value}")


def _refuse_own_input(values: Mapping[str, object]) -> None:
    """Fail if the result would overwrite the input, unless --force is given."""
    file = values.get("file")
    if not isinstance(file, str) or not os.path.isfile(file) or values.get("force"):
        return
    for name, value in values.items():
        if isinstance(value, Path) and value.exists() and value.samefile(file):
            raise WrongUseError(f"--{name} {value} is the input file (hint: choose another name)")


def _exit_code(call: Callable[[], int]) -> int:
    """Run a command and return its exit code; report expected errors."""
    _streams.allow_any_name()
    try:
        code = call()
        sys.stdout.flush()
    except (OSError, KeyboardInterrupt) as error:
        return report(error)
    except MemoryError:
        Messages().error(
            "out of memory (hint: a larger --min-support or a smaller --max-memory bounds it)"
        )
        return FAILED
    except ConceptRankError as error:
        Messages().error(str(error))
        if isinstance(error, _WRONG_USE):
            return WRONG_USE
        return BUDGET_REACHED if isinstance(error, BudgetExceeded) else FAILED
    except ValueError as error:
        if not str(error).startswith(_ENVIRONMENT_PREFIX):
            raise
        Messages().error(str(error))
        return WRONG_USE
    return code


def report(error: OSError | KeyboardInterrupt) -> int:
    """Report an error of the system, or Ctrl-C, and return the exit code."""
    if isinstance(error, KeyboardInterrupt):
        Messages().error("interrupted")
        return INTERRUPTED
    number = number_of(error)
    if number == EPIPE:
        # The reader has closed the pipe, as `| head` does. That is no error.
        _streams.drop(sys.stdout)
        return DONE
    if isinstance(error, ConceptRankError):
        Messages().error(str(error))
    else:
        reason = error.strerror or (str(error) if number is None else os.strerror(number))
        if error.filename:
            reason = f"{os.fsdecode(error.filename)}: {reason}"
        elif number == EBADF:
            reason = "standard output is closed"
        Messages().error(reason)
    if not error.filename:
        # Standard output failed: flushing the rest at exit would fail again.
        _streams.drop(sys.stdout)
    return FAILED


def code_without_broken_pipe(error: SystemExit) -> str | int | None:
    """Return the exit code of a program; a reader that closes a pipe does not change it."""
    causes: list[BaseException] = []
    cause = error.__context__
    while cause is not None:
        causes.append(cause)
        cause = cause.__context__
    if not any(isinstance(each, BrokenPipeError) for each in causes):
        return error.code
    for stream in (sys.stdout, sys.stderr):
        _streams.drop(stream)
    # Typer's error about wrong options has an exit code of its own.
    codes = (getattr(each, "exit_code", None) for each in causes)
    return next((code for code in codes if code is not None), DONE)
