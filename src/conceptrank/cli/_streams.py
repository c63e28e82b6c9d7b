"""The standard streams, which may be closed, full, gone, or unable to show a name."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO


def mend() -> None:
    """Give a program that was started with closed streams (`>&-`) ones that fail when used.

    Without, a file that is opened next would take the place of standard output. Who asks for
    nothing gets nothing: an empty standard input, and a standard error that goes nowhere.
    """
    # In this order: a file gets the first number that is free.
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    # They are None if they were closed, whatever their types say.
    streams: dict[str, TextIO | None] = {
        name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")
    }
    for number, (name, stream) in enumerate(streams.items()):
        if stream is None:
            mode = "w" if number else "r"
            opened = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, opened)


def allow_any_name() -> None:
    """Let a name that the terminal's encoding can't show be replaced instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def drop(stream: TextIO) -> None:
    """Let what is left of a stream, and the interpreter's own flush at the end, go nowhere."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
