"""The names of one side of a context, and the way from names to numbers and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from conceptrank._util.lists import Numbers
from conceptrank.errors import FormatError, UnknownNameError

# With more names than this, similar names are searched only among some of them.
_MOST_CANDIDATES = 2_000


class Names:
    """The objects or the attributes of a context, by name.

    Parameters
    ----------
    kind
        `"object"` or `"attribute"`, for messages.
    labels
        The names, in order; values that are not strings are named by their `str`. The names of a
        range of numbers are created only when they are used.

    Raises
    ------
    FormatError
        If a name occurs twice.

    Examples
    --------
    >>> names = Names("attribute", ["comedy", "drama"])
    >>> names.numbers(["drama"]).tolist(), names.of([1, 0])
    ([1], ('drama', 'comedy'))
    >>> names.numbers(["dramma"])
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown attribute 'dramma'; did you mean 'drama'?
    >>> Names("attribute", ["age = child", "sex = f"]).numbers(["age=child", "f"]).tolist()
    [0, 1]
    """

    def __init__(self, kind: str, labels: Iterable[object]) -> None:
        self.kind = kind
        self._given = labels if isinstance(labels, range) else tuple(map(str, labels))
        # The numbers of a range are distinct.
        if isinstance(self._given, tuple) and (repeat := first_repeat(self._given)):
            first, second = repeat
            raise FormatError(
                f"{kind}s {first + 1} and {second + 1} are both named {self._given[first]!r}",
                hint=f"every {kind} needs a name of its own",
            )

    def __len__(self) -> int:
        return len(self._given)

    @property
    def given(self) -> range | tuple[str, ...]:
        """The names, or the numbers that are the names, as a range."""
        return self._given

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names, in order."""
        given = self._given
        return given if isinstance(given, tuple) else tuple(map(str, given))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {label: place for place, label in enumerate(self.labels)}

    def numbers(self, names: str | Iterable[str]) -> Numbers:
        """Return the numbers of some names, ascending, each once; a string is one name."""
        wanted = [names] if isinstance(names, str) else list(names)
        places = self._places
        try:
            found = {places[name] for name in wanted}
        except (KeyError, TypeError):
            found = {self._place(name) for name in wanted}
        return np.array(sorted(found), dtype=np.uint32)

    def _place(self, name: object) -> int:
        """Return the number of a name that may be typed in another way, such as `age=30`."""
        if isinstance(name, str) and name in self._places:
            return self._places[name]
        place = self._readings.get(_plain(str(name))) if isinstance(name, str) else None
        if place is None:
            raise UnknownNameError(self.kind, name, self._candidates(str(name)))
        return place

    @cached_property
    def _readings(self) -> dict[str, int | None]:
        """The numbers of attributes by their plain names and values; None for several."""
        found: dict[str, int | None] = {}
        for place, label in enumerate(self.labels if self.kind == "attribute" else ()):
            plain = _plain(label)
            for reading in {plain, plain.partition("=")[2]} - {""}:
                found[reading] = None if reading in found else place
        return found

    def of(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the names with these numbers."""
        labels = self.labels
        return tuple([labels[i] for i in numbers])

    def _candidates(self, name: str) -> Iterable[str]:
        if len(self.labels) <= _MOST_CANDIDATES:
            return self.labels
        alike = (label for label in self.labels if label[:1].lower() == name[:1].lower())
        return islice(alike, _MOST_CANDIDATES)


def _plain(name: str) -> str:
    """Return a name without blanks and quotes around its signs."""
    text = name.replace("<=", "≤").replace(">=", "≥")
    return "".join(part.strip(" '\"") for part in re.split("([=≠≤≥<>])", text))


def first_repeat(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the two positions of the first name that occurs twice, or None.

    Examples
    --------
    >>> first_repeat(["a", "b", "a", "b"])
    (0, 2)
    """
    if len(set(names)) == len(names):
        return None
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if (earlier := seen.setdefault(name, position)) != position:
            return earlier, position
    return None
