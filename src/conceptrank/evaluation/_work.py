"""`Run` does numbered pieces of work on threads; `Pieces` also keeps their results in files."""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar

from conceptrank._util.files import as_write_error, write_whole_text
from conceptrank.budget import TASK_THREAD, Budget, Progress, Watch, watched
from conceptrank.errors import BudgetExceeded

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")
Stop: TypeAlias = Callable[[], bool]
Work: TypeAlias = Callable[[int, Stop], Result]
Piece: TypeAlias = dict[str, Any]


class Running(TypedDict, total=False):
    """How numbered pieces of work are done: the arguments of `Pieces`."""

    threads: int
    budget: Budget | None
    progress: Progress | None
    resume: str | os.PathLike[str] | None


# Seconds between two checks of the budget while the calling thread waits.
_SLICE = 0.05


class Run:
    """Work on several threads, under one budget.

    A piece of work takes its number and a function that returns True when it should give up. The
    results come in the order of the numbers, for any number of threads. When the budget, an error
    or Ctrl-C ends the run, running pieces are cancelled, and the run does not wait for them.

    Parameters
    ----------
    threads
        The number of threads; 0 for one per processor.
    budget
        The seconds for the whole run, and a way to cancel it.
    progress
        Called with the number of results and the share of the run that is done.

    Examples
    --------
    >>> run = Run(threads=2)
    >>> list(run.map(lambda number, stop: number**2, 5)), run.stopped
    ([0, 1, 4, 9, 16], '')
    """

    def __init__(
        self, *, threads: int, budget: Budget | None = None, progress: Progress | None = None
    ) -> None:
        self._threads = threads or os.cpu_count() or 1
        self._watch = Watch(budget, progress)

    def call(self, work: Callable[[Stop], object]) -> bool:
        """Do one piece of work, and return whether the budget let it finish.

        Examples
        --------
        >>> Run(threads=1, budget=Budget(seconds=0)).call(lambda stop: None)
        False
        """
        return len(list(self.map(lambda _, stop: work(stop), 1))) == 1

    def map(self, work: Work[Result], n: int) -> Iterator[Result]:
        """Yield the results of n pieces of work; fewer if the budget ends the run.

        Parameters
        ----------
        work
            Takes a number and the function to ask whether to give up; returns a result.
        n
            The number of pieces.
        """
        from concurrent.futures import ThreadPoolExecutor

        # Its end also ends what a piece mines or scores without limits of its own.
        pieces = Budget()

        def piece(number: int) -> Result:
            with watched(pieces):
                return work(number, lambda: pieces.cancelled)

        pool = ThreadPoolExecutor(self._threads, thread_name_prefix=TASK_THREAD)
        pending: deque[Future[Result]] = deque()
        submitted = 0
        try:
            for done in range(n):
                # Two pieces per thread keep all threads busy and few results waiting.
                while submitted < min(n, done + 2 * self._threads):
                    pending.append(pool.submit(piece, submitted))
                    submitted += 1
                if not self._wait(pending[0]):
                    return
                yield pending.popleft().result()
                self._watch.report(done + 1, (done + 1) / n)
        finally:
            pieces.cancel()
            pool.shutdown(wait=False, cancel_futures=True)

    def _wait(self, future: Future[Result]) -> bool:
        """Wait for a result; return False if the budget ends first."""
        from concurrent.futures import wait

        while not self._watch.interrupted():
            if wait([future], timeout=_SLICE).done:
                return True
        return False

    @property
    def stopped(self) -> str:
        """What ended the run early: `"seconds"`, `"cancelled"`, or nothing."""
        return self._watch.stopped


@dataclass(frozen=True, kw_only=True)
class Pieces:
    """Numbered pieces of work whose results are values of JSON.

    Parameters
    ----------
    threads
        The number of threads; 0 for one per processor. The results do not depend on it.
    budget
        Seconds, and a way to cancel. Finished pieces stay in `resume`.
    progress
        Called with the number of pieces done and their share.
    resume
        A directory for the results of finished pieces. Pieces found there are not done again.

    Examples
    --------
    >>> Pieces().map({"what": "squares"}, lambda number: {"value": number**2}, 3)
    [{'value': 0}, {'value': 1}, {'value': 4}]
    """

    threads: int = 0
    budget: Budget | None = None
    progress: Progress | None = None
    resume: str | os.PathLike[str] | None = None

    def map(self, key: Mapping[str, Any], work: Callable[[int], Piece], n: int) -> list[Piece]:
        """Return the results of n pieces.

        Parameters
        ----------
        key
            Values of JSON that identify this work.
        work
            Takes a number, returns a result.
        n
            The number of pieces.

        Raises
        ------
        BudgetExceeded
            If the budget ended the work.
        """
        kept = _Kept(self.resume, key)
        pending = [number for number in range(n) if number not in kept.pieces]
        done = n - len(pending)

        def report(finished: int, _: float) -> None:
            if self.progress is not None:
                self.progress(done + finished, (done + finished) / n)

        run = Run(threads=self.threads, budget=self.budget, progress=report)
        results = run.map(lambda place, _: work(pending[place]), len(pending))
        for piece, number in zip(results, pending, strict=False):
            kept.add(number, piece)
        if len(kept.pieces) < n:
            raise BudgetExceeded(
                f"{len(kept.pieces):,} of {n:,} pieces of the evaluation are done"
                + ("; the next run continues from there" if self.resume is not None else "")
            )
        return [kept.pieces[number] for number in range(n)]


class _Kept:
    """The finished pieces of one work, in a file of JSON lines if there is a directory."""

    def __init__(self, folder: str | os.PathLike[str] | None, key: Mapping[str, Any]) -> None:
        self.pieces: dict[int, Piece] = {}
        self._path: Path | None = None
        if folder is None:
            return
        from conceptrank import __version__

        head = json.dumps({**key, "conceptrank": __version__}, sort_keys=True)
        digest = hashlib.sha256(head.encode()).hexdigest()[:16]
        self._path = Path(folder, f"{key.get('what', 'work')}-{digest}.jsonl")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists():
            first, *lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
            if first == head:
                self.pieces = dict(filter(None, map(_read_line, lines)))
        # Rewrite the file: a killed run can leave half a line, and damaged lines are dropped.
        kept = (_line(number, piece) for number, piece in self.pieces.items())
        write_whole_text(self._path, "".join(f"{line}\n" for line in (head, *kept)))

    def add(self, number: int, piece: Piece) -> None:
        """Keep a piece."""
        # Every piece goes through JSON, so a resumed run has exactly the same values.
        line = _line(number, piece)
        self.pieces[number] = json.loads(line)["piece"]
        if self._path is not None:
            with as_write_error(str(self._path)), self._path.open("a", encoding="utf-8") as file:
                print(line, file=file)


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
