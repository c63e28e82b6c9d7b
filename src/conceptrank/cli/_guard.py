"""What a command may end with: an exit code and one line, never a traceback for bad input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from errno import EBADF, EPIPE
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import typer

from conceptrank._whole_file import number_of
from conceptrank.cli import _streams
from conceptrank.cli._voice import Voice
from conceptrank.errors import (
    BudgetExceeded,
    ConceptRankError,
    MeasureError,
    UnknownNameError,
)
from conceptrank.ranking import ConditionError

DONE = 0
FAILED = 1
WRONG_USE = 2
BUDGET_REACHED = 3
INTERRUPTED = 130
HUGE = 2**63
# What the core says of a variable of the environment that it can't follow.
_SETTING = "CONCEPTRANK_"

Arguments = ParamSpec("Arguments")


class WrongUseError(ConceptRankError):
    """The options of a command contradict each other, or one of them makes no sense."""


_WRONG_USE = (UnknownNameError, MeasureError, ConditionError, WrongUseError)


def guarded(command: Callable[Arguments, int]) -> Callable[Arguments, None]:
    """Make the number that a command returns its exit code, and every expected error a line."""

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        def checked() -> int:
            _refuse_huge(kwargs)
            _refuse_own_input(kwargs)
            return command(*args, **kwargs)

        raise typer.Exit(_exit_code(checked))

    return run


def _refuse_huge(options: Mapping[str, object]) -> None:
    """Fail if a number has more digits than the machine's own numbers."""
    for name, given in options.items():
        if isinstance(given, int) and given >= HUGE:
            raise WrongUseError(f"--{name.replace('_', '-')}: no number is that large here")


def _refuse_own_input(options: Mapping[str, object]) -> None:
    """Fail if a result would take the place of the file that it comes from, unasked for."""
    file = options.get("file")
    if not isinstance(file, str) or not os.path.isfile(file) or options.get("force"):
        return
    for name, given in options.items():
        if isinstance(given, Path) and given.exists() and given.samefile(file):
            raise WrongUseError(f"--{name} {given}: that is the file to read (hint: another name)")


def _exit_code(command: Callable[[], int]) -> int:
    _streams.allow_any_name()
    try:
        code = command()
        sys.stdout.flush()
    except KeyboardInterrupt as error:
        return end(error)
    except MemoryError:
        Voice().error("out of memory (hint: a larger --min-support, or --max-memory, bounds it)")
        return FAILED
    except (ConceptRankError, OSError) as error:
        if isinstance(error, OSError):
            return end(error)
        Voice().error(_message(error))
        if isinstance(error, _WRONG_USE):
            return WRONG_USE
        return BUDGET_REACHED if isinstance(error, BudgetExceeded) else FAILED
    except ValueError as error:
        if not str(error).startswith(_SETTING):
            raise
        Voice().error(str(error))
        return WRONG_USE
    return code


def end(error: OSError | KeyboardInterrupt) -> int:
    """Say why the program ends, inside of a command or not, and return its exit code."""
    if isinstance(error, KeyboardInterrupt):
        Voice().error("interrupted")
        return INTERRUPTED
    if number_of(error) == EPIPE:
        # The reader has seen enough (`| head`); nobody needs to hear about it.
        _streams.drop(sys.stdout)
        return DONE
    Voice().error(_message(error))
    if not error.filename:
        # Standard output failed: what it still holds would fail again at the end.
        _streams.drop(sys.stdout)
    return FAILED


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, ConceptRankError):
        number = number_of(error)
        if number == EBADF and not error.filename:
            return "standard output is closed"
        reason = error.strerror or (str(error) if number is None else os.strerror(number))
        return f"{os.fsdecode(error.filename)}: {reason}" if error.filename else reason
    return str(error)
