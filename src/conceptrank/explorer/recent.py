"""A cache of the last results, because panels make the same request in turn."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")

REMEMBERED = 8


class Recent(Generic[Value]):
    """A cache of the last results, for several threads.

    Examples
    --------
    >>> recent = Recent[int]()
    >>> recent.get("a", lambda: 1), recent.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, make: Callable[[], Value]) -> Value:
        """Return the result of a key, from the cache or computed."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        # Not under the lock, so that a slow call does not block others.
        made = make()
        with self._lock:
            self._known[key] = made
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return made
