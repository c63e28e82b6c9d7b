"""Repairs for standard streams that are closed, full, gone, or can't encode a name."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO


def repair() -> None:
    """Replace closed streams (`>&-`), so that the next opened file doesn't become one of them.

    Standard input is then empty, writing to standard output fails, and standard error is ignored.
    """
    # In this order, because a file gets the lowest free number.
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    # A closed stream is None. Its number may belong to the script, which Python 3.14 keeps open.
    for name, mode, flags in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def allow_any_name() -> None:
    """Replace letters that the terminal's encoding lacks instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def let_ctrl_c_end_reads() -> None:
    """Make Ctrl-C end a read from a pipe or a terminal.

    Importing polars installs a handler of SIGINT after which the system continues such a read.
    Installing Python's handler again undoes that.
    """
    import polars as _  # noqa: F401

    handler = signal.getsignal(signal.SIGINT)
    if handler is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)


def drop(stream: TextIO) -> None:
    """Discard the rest of a stream, including the interpreter's own flush at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
