"""What a command may end with: an exit code and one line, never a traceback for bad input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from errno import EPIPE
from functools import wraps
from io import TextIOWrapper
from typing import ParamSpec

import typer

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

Arguments = ParamSpec("Arguments")


class WrongUseError(ConceptRankError):
    """The options of a command contradict each other, or one of them makes no sense."""


_WRONG_USE = (UnknownNameError, MeasureError, ConditionError, WrongUseError)


def guarded(command: Callable[Arguments, int]) -> Callable[Arguments, None]:
    """Make the number that a command returns its exit code, and every expected error a line."""

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        raise typer.Exit(_exit_code(lambda: command(*args, **kwargs)))

    return run


def _exit_code(command: Callable[[], int]) -> int:
    _allow_any_name()
    try:
        code = command()
        sys.stdout.flush()
    except KeyboardInterrupt:
        Voice().error("interrupted")
        return INTERRUPTED
    except MemoryError:
        Voice().error("out of memory (hint: a larger --min-support, or --max-memory, bounds it)")
        return FAILED
    except (ConceptRankError, OSError) as error:
        if _is_broken_pipe(error):
            # The reader has seen enough (`| head`); nobody needs to hear about it.
            _drop_output()
            return DONE
        Voice().error(_message(error))
        if isinstance(error, _WRONG_USE):
            return WRONG_USE
        return BUDGET_REACHED if isinstance(error, BudgetExceeded) else FAILED
    return code


def _is_broken_pipe(error: Exception) -> bool:
    # What polars writes fails with an error that has no number but in its text.
    return isinstance(error, OSError) and (
        error.errno == EPIPE or f"(os error {EPIPE})" in str(error)
    )


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, ConceptRankError):
        reason = error.strerror or str(error)
        return f"{os.fsdecode(error.filename)}: {reason}" if error.filename else reason
    return str(error)


def _allow_any_name() -> None:
    """Let a name that the terminal's encoding can't show be replaced instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Let the interpreter's own flush at the end go nowhere."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
