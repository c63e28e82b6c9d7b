"""Work in numbered pieces that is done in parallel, shown, stopped, and taken up again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
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
        lines = list(_whole_lines(path))
        if lines and lines[0] == json.loads(head):
            self.pieces = {line["number"]: line["piece"] for line in lines[1:]}
        # Written anew, so that a line which was cut off by a kill is gone.
        known = (
            json.dumps({"number": number, "piece": piece}) for number, piece in self.pieces.items()
        )
        write_whole_text(path, "".join(f"{line}\n" for line in (head, *known)))
        self._file = path.open("a", encoding="utf-8")

    def add(self, number: int, piece: Piece) -> None:
        """Keep a piece."""
        # Through JSON in any case, so that a resumed run has the very same values.
        line = json.dumps({"number": number, "piece": piece})
        self.pieces[number] = json.loads(line)["piece"]
        if self._file is not None:
            with told_as_ours(self._file.name):
                print(line, file=self._file, flush=True)

    def __enter__(self) -> _Kept:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _whole_lines(path: Path) -> Iterator[Any]:
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            return
