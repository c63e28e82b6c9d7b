"""From what a user types as FILE to a context."""

from __future__ import annotations

import os
import re
import sys
from difflib import get_close_matches

from conceptrank import datasets, io
from conceptrank.cli._voice import Voice
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.sources import Source

STANDARD_INPUT = "-"


def load(file: str, *, format: str | None, voice: Voice) -> Context:  # noqa: A002
    """Return the context in a file, on standard input, or of a data set; a file wins."""
    if file == STANDARD_INPUT:
        return _read(sys.stdin.buffer, "standard input", format, voice)
    if not os.path.lexists(file):
        if file in datasets.names():
            return datasets.load(file)
        _refuse_word(file)
    return _read(file, file, format, voice)


def _read(source: Source, name: str, format: str | None, voice: Voice) -> Context:  # noqa: A002
    try:
        with voice.working(f"reading {name}"):
            return io.load(source, format=format)
    except io.MissingFileError:
        raise
    except FormatError as error:
        if not error.hint:
            raise
        # What is a keyword in the library is an option here.
        hint = error.hint.replace("name the format", "name the format by --input-format")
        hint = re.sub(r"format='(\w+)'", r"--input-format \1", hint)
        raise FormatError(error.reason, source=error.source, line=error.line, hint=hint) from error


def _refuse_word(file: str) -> None:
    """Say that a single word names no data set either; paths have better messages elsewhere."""
    if os.path.dirname(file) or os.path.splitext(file)[1]:
        return
    known = (*datasets.names(), *sorted(os.listdir()))
    nearest = get_close_matches(file, known, n=1)
    hint = f"did you mean {nearest[0]}?" if nearest else f"data sets: {', '.join(datasets.names())}"
    raise io.MissingFileError(f"{file}, and no data set of that name", hint=hint)
