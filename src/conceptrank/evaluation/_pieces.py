"""Work in numbered pieces that is done in parallel, shown, stopped, and taken up again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from conceptrank._whole_file import told_as_ours, write_whole_text
from conceptrank.budget import Budget
from conceptrank.errors import BudgetExceeded
from conceptrank.evaluation._parallel import Run

Progress: TypeAlias = Callable[[int, float], None]
Piece: TypeAlias = dict[str, Any]


class Pieces:
    """A way to do numbered pieces of work, each of which gives values that JSON knows.

    Parameters
    ----------
    threads
        How many threads; 0 is one for each processor. The results are the same.
    budget
        Seconds, and a way to cancel. What was done until then is kept in `resume`.
    progress
        Called with the number of pieces done and their share.
    resume
        A directory that keeps finished pieces; those that are there are not done again.

    Examples
    --------
    >>> Pieces().map({"what": "squares"}, lambda number: {"value": number**2}, 3)
    [{'value': 0}, {'value': 1}, {'value': 4}]
    """

    def __init__(
        self,
        *,
        threads: int = 0,
        budget: Budget | None = None,
        progress: Progress | None = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> None:
        self._threads = threads
        self._budget = budget or Budget()
        self._progress = progress
        self._directory = None if resume is None else Path(resume)

    def map(self, key: Mapping[str, Any], work: Callable[[int], Piece], n: int) -> list[Piece]:
        """Return the results of n pieces.

        Parameters
        ----------
        key
            What tells this work from other work, as values that JSON knows.
        work
            Takes a number, returns a result.
        n
            How many.

        Raises
        ------
        BudgetExceeded
            If the budget ended the work.
        """
        with _Kept(self._directory, key) as kept:
            pending = [number for number in range(n) if number not in kept.pieces]
            done = n - len(pending)

            def show(finished: int, _: float) -> None:
                if self._progress is not None:
                    self._progress(done + finished, (done + finished) / n)

            run = Run(threads=self._threads, budget=self._budget, progress=show)
            results = run.map(lambda place, _: work(pending[place]), len(pending))
            for piece, number in zip(results, pending, strict=False):
                kept.add(number, piece)
            if len(kept.pieces) < n:
                raise BudgetExceeded(
                    f"{len(kept.pieces):,} of {n:,} pieces of the evaluation are done"
                    + ("; the next run goes on from there" if self._directory else "")
                )
            return [kept.pieces[number] for number in range(n)]


class _Kept:
    """The finished pieces of one piece of work: a file of JSON lines, if there is a directory."""

    def __init__(self, directory: Path | None, key: Mapping[str, Any]) -> None:
        self.pieces: dict[int, Piece] = {}
        self._file: Any = None
        if directory is None:
            return
        from conceptrank import __version__

        directory.mkdir(parents=True, exist_ok=True)
        head = json.dumps({**key, "conceptrank": __version__}, sort_keys=True)
        digest = hashlib.sha256(head.encode()).hexdigest()[:16]
        path = directory / f"{key.get('what', 'work')}-{digest}.jsonl"
        if path.exists():
            first, *lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
            if first == head:
                self.pieces = dict(filter(None, map(_read_line, lines)))
        # Rewrite the file: a killed run can leave half a line, and damaged lines are dropped.
        kept = (_line(number, piece) for number, piece in self.pieces.items())
        write_whole_text(path, "".join(f"{line}\n" for line in (head, *kept)))
        self._file = path.open("a", encoding="utf-8")

    def add(self, number: int, piece: Piece) -> None:
        """Keep a piece."""
        # Every piece goes through JSON, so a resumed run has exactly the same values.
        line = _line(number, piece)
        self.pieces[number] = json.loads(line)["piece"]
        if self._file is not None:
            with told_as_ours(self._file.name):
                print(line, file=self._file, flush=True)

    def __enter__(self) -> _Kept:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _line(number: int, piece: Piece) -> str:
    """Return a piece as a line of JSON with a checksum."""
    content = {"number": number, "piece": piece}
    return json.dumps({"sha256": _checksum(content), **content})


def _read_line(line: str) -> tuple[int, Piece] | None:
    """Return the number and the piece of a line; None if the line is not as it was written."""
    try:
        content = json.loads(line)
        if content.pop("sha256") == _checksum(content):
            return content["number"], content["piece"]
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        pass
    return None


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
