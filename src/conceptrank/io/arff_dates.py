"""Date patterns of Java, which ARFF uses, in the notation of polars."""

from __future__ import annotations

import re

__all__ = ["DEFAULT_PATTERN", "chrono_pattern"]

DEFAULT_PATTERN = "yyyy-MM-dd'T'HH:mm:ss"

_PARTS = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
_LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "M": "%m",
    "MMM": "%b",
    "MMMM": "%B",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "mm": "%M",
    "m": "%M",
    "ss": "%S",
    "s": "%S",
    "SSS": "%3f",
}


def chrono_pattern(java: str) -> str | None:
    """Return a pattern of Java's SimpleDateFormat for polars; None if it has other parts.

    A pattern without hours gets midnight.

    Examples
    --------
    >>> chrono_pattern("yyyy-MM-dd'T'HH:mm:ss"), chrono_pattern("dd.MM.yyyy")
    ('%Y-%m-%dT%H:%M:%S', '%d.%m.%Y')
    >>> chrono_pattern("yyyy 'week' ww") is None
    True
    """
    parts = []
    position = 0
    while position < len(java):
        match = _PARTS.match(java, position)
        if match is None:
            return None
        position = match.end()
        if match[1] is not None:
            parts.append((match[1].replace("''", "'") or "'").replace("%", "%%"))
        elif match[2] is None:
            parts.append(match[0].replace("%", "%%"))
        elif match[0] in _LETTERS:
            parts.append(_LETTERS[match[0]])
        else:
            return None
    return "".join(parts)
