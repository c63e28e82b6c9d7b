"""`choose_context`, for files that hold several contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from conceptrank.errors import FormatError

_MOST_LISTED = 20


class Labelled(Protocol):
    """Something with a label, on a line of a file."""

    label: str
    line: int


Part = TypeVar("Part", bound=Labelled)


def choose_context(parts: Sequence[Part], wanted: str | int | None) -> Part:
    """Return the one part that there is, or the one that is wanted.

    Parameters
    ----------
    parts
        What the file holds.
    wanted
        The label of the one to take, or None if there is only one.

    Raises
    ------
    FormatError
        If the choice is not unique; the message lists the contexts.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> parts = [SimpleNamespace(label="0", line=3), SimpleNamespace(label="1", line=9)]
    >>> choose_context(parts, 1).line
    9
    >>> choose_context(parts, None)
    Traceback (most recent call last):
    conceptrank.errors.FormatError: holds 2 contexts (hint: choose context='0' or '1')
    """
    if not parts:
        raise FormatError("holds no context", hint="is it the right file?")
    fitting = [part for part in parts if wanted is None or part.label == str(wanted)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting and wanted is not None:
        raise FormatError(
            f"a second context is called {str(wanted)!r}",
            line=fitting[1].line,
            hint="give them different names",
        )
    labels = " or ".join(repr(part.label) for part in parts[:_MOST_LISTED])
    holds = f"{len(parts)} contexts" if wanted is None else f"no context {str(wanted)!r}"
    raise FormatError(f"holds {holds}", hint=f"choose context={labels}")
