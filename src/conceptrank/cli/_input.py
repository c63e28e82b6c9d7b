"""From what a user types as FILE to a context."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches

from conceptrank import datasets, io
from conceptrank.cli._voice import Voice
from conceptrank.context import Context

STANDARD_INPUT = "-"


def load(file: str, *, format: str | None, voice: Voice) -> Context:  # noqa: A002
    """Return the context in a file, on standard input, or of a data set; a file wins."""
    if file == STANDARD_INPUT:
        with voice.working("reading standard input"):
            return io.load(sys.stdin.buffer, format=format)
    if not os.path.lexists(file):
        if file in datasets.names():
            return datasets.load(file)
        _refuse_word(file)
    with voice.working(f"reading {file}"):
        return io.load(file, format=format)


def _refuse_word(file: str) -> None:
    """Say that a single word names no data set either; paths have better messages elsewhere."""
    if os.path.dirname(file) or os.path.splitext(file)[1]:
        return
    known = (*datasets.names(), *sorted(os.listdir()))
    nearest = get_close_matches(file, known, n=1)
    hint = f"did you mean {nearest[0]}?" if nearest else f"data sets: {', '.join(datasets.names())}"
    raise io.MissingFileError(f"{file}, and no data set of that name", hint=hint)
