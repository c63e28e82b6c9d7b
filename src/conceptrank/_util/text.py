"""Values as short text, for `repr` and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

MOST_SHOWN = 8
_LONGEST = 40


def label(name: str, longest: int = _LONGEST) -> str:
    """Return a name, cut if it is very long.

    Examples
    --------
    >>> label("a" * 50) == "a" * 39 + "…"
    True
    """
    return name if len(name) <= longest else name[: longest - 1] + "…"


def printable(text: str) -> str:
    r"""Return a text without characters that would move the cursor or turn the direction.

    Examples
    --------
    >>> printable("häuser"), printable("two\nlines\x1b[2J")
    ('häuser', 'two\\nlines\\x1b[2J')
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def braces(names: Sequence[str], total: int | None = None) -> str:
    """Return the first names of a set, and whether there are more.

    Examples
    --------
    >>> braces(["2", "5"]), braces(["2", "5"], 9), braces([])
    ('{2, 5}', '{2, 5, …}', '{}')
    """
    shown = [label(name) for name in names[:MOST_SHOWN]]
    if (len(names) if total is None else total) > len(shown):
        shown.append("…")
    return f"{{{', '.join(shown)}}}"


def counted(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    Examples
    --------
    >>> counted(1, "object"), counted(2000, "object")
    ('1 object', '2,000 objects')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def number(value: float) -> str:
    """Return a score in a few digits.

    Examples
    --------
    >>> number(1 / 3), number(12.0), number(-inf), number(1e-9)
    ('0.3333', '12', '−∞', '1e-09')
    """
    if not isfinite(value):
        return {inf: "∞", -inf: "−∞"}.get(value, "–")
    return f"{value:.0f}" if abs(value) < 1e6 and value == int(value) else f"{value:.4g}"
