"""Damaged copies of files; tasks that are slow or die at a given place, which workers import."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conceptrank.runs import run_branch


@dataclass(frozen=True)
class Slow:
    """A task that takes a while longer, so that a kill has something to hit."""

    seconds: float

    def __call__(self, *arguments: Any) -> Any:
        time.sleep(self.seconds / 2)
        summary = run_branch(*arguments)
        time.sleep(self.seconds / 2)
        return summary


def dies(*_: Any) -> None:
    """A task that always ends its process."""
    os._exit(9)


@dataclass(frozen=True)
class Dying:
    """A task whose process ends once, between writing and renaming or just after it."""

    folder: Path
    share: int  # one of so many tasks dies

    def __call__(self, *arguments: Any) -> Any:
        task = arguments[1]
        place = int(task.name, 16) % (2 * self.share)
        marker = self.folder / task.name
        if place > 1 or marker.exists():
            return run_branch(*arguments)
        marker.touch()
        if place == 0:
            Path.replace = lambda *_: os._exit(9)  # type: ignore[method-assign]
        summary = run_branch(*arguments)
        assert (Path(arguments[0].folder) / summary.file).exists()
        os._exit(9)


@dataclass(frozen=True)
class Through(Executor):
    """An executor that runs other tasks in place of those it is given."""

    executor: Executor
    instead: Callable[..., Any]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert fn is run_branch
        return self.executor.submit(self.instead, *args, **kwargs)


def mutations(content: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Copies with a flipped bit, changed, removed or inserted bytes, or a missing end."""
    chance = random.Random(seed)
    for number in range(count):
        place = chance.randrange(len(content))
        length = chance.choice((1, 1, 4, 30))
        noise = bytes(chance.randrange(256) for _ in range(length))
        yield (
            content[:place]
            + bytes([content[place] ^ 1 << chance.randrange(8)])
            + content[place + 1 :],
            content[:place] + noise + content[place + length :],
            content[:place] + content[place + length :],
            content[:place] + noise + content[place:],
            content[:place],
        )[number % 5]
