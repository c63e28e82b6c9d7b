"""The errors that conceptrank raises, all of them derived from one base."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, get_args

# The most names that an error about an unknown one lists.
_MOST_NAMES = 8


class ConceptRankError(Exception):
    """Base of every error that conceptrank raises on purpose.

    Every such error can be pickled and keeps its text, so it can leave a worker process.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # Constructors build a text from their arguments, so unpickling must not call them again.
        fields = {"args": self.args, **self.__dict__}
        if isinstance(self, OSError):
            # `__dict__` does not contain these.
            fields |= {name: getattr(self, name) for name in ("errno", "strerror", "filename")}
        return _restored, (type(self), fields)


def _restored(cls: type[ConceptRankError], fields: dict[str, Any]) -> ConceptRankError:
    """Return an unpickled error."""
    error = OSError.__new__(cls) if issubclass(cls, OSError) else cls.__new__(cls)
    for name, value in fields.items():
        setattr(error, name, value)
    return error


class FormatError(ConceptRankError, ValueError):
    """A file or buffer does not hold what its format promises.

    Examples
    --------
    >>> print(FormatError("row has 5 marks, expected 6", source="a.cxt", line=7))
    a.cxt, line 7: row has 5 marks, expected 6
    """

    def __init__(
        self,
        reason: str,
        *,
        source: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.reason = reason
        self.source = source
        self.line = line
        self.hint = hint
        super().__init__(reason)

    def __str__(self) -> str:
        place = ", ".join(
            part
            for part in (self.source, None if self.line is None else f"line {self.line}")
            if part
        )
        text = f"{place}: {self.reason}" if place else self.reason
        return f"{text} (hint: {self.hint})" if self.hint else text


@contextmanager
def naming(source: str | None) -> Iterator[None]:
    """Add the name of a file to errors about it that have none yet.

    Examples
    --------
    >>> with naming("a.cxt"):
    ...     raise FormatError("the file is empty", line=1)
    Traceback (most recent call last):
    conceptrank.errors.FormatError: a.cxt, line 1: the file is empty
    """
    try:
        yield
    except FormatError as error:
        error.source = error.source or source
        raise


class InputWarning(UserWarning):
    """What a reader assumed about an input, or noticed in it; the result stands nevertheless."""


class TargetWarning(InputWarning):
    """An attribute separates one label from all others, so it may be the labels' own column."""


def notify(message: str, category: type[Warning] = InputWarning) -> None:
    """Issue a warning at the line outside conceptrank from which this was called."""
    from inspect import currentframe

    frame, level = currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "conceptrank":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class UnknownNameError(ConceptRankError, KeyError):
    """A name that does not exist: of an attribute, an object, a measure or a data set.

    Examples
    --------
    >>> print(UnknownNameError("attribute", "dramma", ["drama", "comedy"]))
    unknown attribute 'dramma'; did you mean 'drama'?
    >>> print(UnknownNameError("method", "quick", ["exact", "auto"]))
    unknown method 'quick' (hint: there are exact, auto)
    """

    def __init__(
        self, kind: str, name: object, known: Iterable[str] = (), *, where: str | None = None
    ) -> None:
        self.kind = kind
        self.name = name
        place = f" in {where}" if where else ""
        text = f"unknown {kind} {str(name)!r}{place}"
        words = list(known)
        nearest = get_close_matches(str(name), words, n=3, cutoff=0.5)
        if nearest:
            text += f"; did you mean {' or '.join(repr(word) for word in nearest)}?"
        elif words:
            some = ", ".join(map(str, words[:_MOST_NAMES])) + ", …" * (len(words) > _MOST_NAMES)
            text += f" (hint: there are {some})"
        self.message = text
        super().__init__(text)

    def __str__(self) -> str:
        # KeyError would show the quoted repr of the message.
        return self.message


def refuse_unknown(
    kind: str, names: Iterable[Any], known: Collection[Any], *, where: str | None = None
) -> None:
    """Raise an error for the first name that is not known; None is no name.

    Examples
    --------
    >>> refuse_unknown("column", ["age", None], ["age", "sex"])
    >>> refuse_unknown("column", ["ages"], ["age", "sex"], where="the table")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown column 'ages' in the table; did you mean 'age'?
    """
    for name in names:
        if name is not None and name not in known:
            raise UnknownNameError(kind, name, known, where=where)


class WriteError(ConceptRankError, OSError):
    """A file can't be written; also an `OSError`, with its number and the name of the file.

    Examples
    --------
    >>> from errno import ENOSPC
    >>> print(WriteError(ENOSPC, "No space left on device", "scores.csv"))
    scores.csv: can't be written: No space left on device
    """

    def __str__(self) -> str:
        return f"{self.filename}: can't be written: {self.strerror}"


class BudgetExceeded(ConceptRankError, RuntimeError):
    """A limit was reached before the answer was complete."""


class MeasureError(ConceptRankError, ValueError):
    """A measure can't be computed with these arguments."""


def checked_choice(
    name: str, value: object, choices: Any, error: type[Exception] = ValueError
) -> Any:
    """Return the value of an argument if its `Literal` type lists it; raise an error otherwise.

    Examples
    --------
    >>> from typing import Literal
    >>> checked_choice("side", "top", Literal["intent", "extent"])
    Traceback (most recent call last):
    ValueError: side must be 'intent' or 'extent', got 'top'
    """
    known = get_args(choices)
    if value not in known:
        *first, last = map(repr, known)
        raise error(f"{name} must be {', '.join(first)} or {last}, got {value!r}")
    return value


def install_command(extra: str) -> str:
    """Return the command that installs an extra of conceptrank, for hints.

    It names the source tree if conceptrank was installed from one.

    Examples
    --------
    >>> install_command("plot")
    "pip install ...[plot]'"
    """
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        origin = json.loads(distribution("conceptrank").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    if "dir_info" not in origin:
        return f"pip install 'conceptrank[{extra}]'"
    editable = "--editable " if origin["dir_info"].get("editable") else ""
    return f"pip install {editable}'{unquote(urlsplit(origin['url']).path)}[{extra}]'"
