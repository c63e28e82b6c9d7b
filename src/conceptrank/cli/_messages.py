"""Standard error: notes, warnings, errors and progress."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from conceptrank._util.text import counted, printable
from conceptrank.cli import _streams
from conceptrank.cli._options import Options, flag

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# Seconds before progress is shown.
PATIENCE = 1.0


@dataclass
class Messages(Options):
    """Writes one line per message to standard error, and progress if that is a terminal.

    Parameters
    ----------
    quiet
        Print errors only, neither notes nor warnings.
    """

    quiet: Annotated[bool, flag("--quiet", "-q")] = False

    @cached_property
    def console(self) -> Console:
        """Rich's view of standard error."""
        from rich.console import Console

        console = Console(stderr=True, highlight=False)
        # In a pipe or a file, a message is one line.
        console.soft_wrap = not console.is_terminal
        return console

    @property
    def animated(self) -> bool:
        """Whether to show progress."""
        return not self.quiet and self.console.is_terminal

    def note(self, message: str) -> None:
        """Write something worth knowing."""
        if not self.quiet:
            self._write("note", "cyan", message)

    def warning(self, message: str) -> None:
        """Write something that the user should act on."""
        if not self.quiet:
            self._write("warning", "yellow", message)

    def error(self, message: str) -> None:
        """Write why the command failed."""
        self._write("error", "bold red", message)

    def _write(self, kind: str, style: str, message: str) -> None:
        from rich.text import Text

        text = Text.assemble((f"{kind}:", style), " ", printable(message))
        if self.console.is_terminal:
            self.console.print(text)
            return
        try:
            with self.console.capture() as line:
                self.console.print(text)
            self.console.file.write(line.get())
            self.console.file.flush()
        except OSError:
            # A full disk or a closed pipe behind standard error must not fail the command.
            _streams.drop(sys.stderr)

    @contextmanager
    def working(self, task: str) -> Iterator[None]:
        """Show what is being done if it takes a while."""
        if not self.animated:
            yield
            return
        from rich.text import Text

        status = self.console.status(Text(printable(task)))
        timer = threading.Timer(PATIENCE, status.start)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            status.stop()

    @contextmanager
    def bar(self, task: str = "", hint: str = "Ctrl-C stops") -> Iterator[Bar]:
        """Give a progress bar for a task, as `"mining"`."""
        bar = Bar(self.console if self.animated else None, task, hint)
        try:
            yield bar
        finally:
            bar.stop()


class Bar:
    """A progress bar that appears only if the work takes a while.

    Parameters
    ----------
    console
        The terminal; None if nothing is to be shown.
    task
        What is being done.
    hint
        What the user can do meanwhile.
    """

    def __init__(self, console: Console | None, task: str, hint: str = "Ctrl-C stops") -> None:
        self._console = console
        self._task = task
        self._hint = hint
        self._begin = time.monotonic()
        self._progress: Progress | None = None

    def show(self, share: float, *, task: str | None = None, counted: str = "") -> None:
        """Show the share of the work that is done, between 0 and 1; 0 if it is unknown.

        Parameters
        ----------
        share
            The share.
        task
            What is being done, if that has changed.
        counted
            What has been found so far, as `"1,234 concepts"`.
        """
        elapsed = time.monotonic() - self._begin
        if self._console is None or elapsed < PATIENCE:
            return
        if self._progress is None:
            self._progress = _progress(self._console)
        self._task = task or self._task
        seconds = timedelta(seconds=round(elapsed / share - elapsed)) if share >= 0.01 else None
        left = f"{100 * share:.0f} %, {seconds} left" if seconds is not None else ""
        self._progress.update(
            self._progress.task_ids[0],
            description=printable(self._task),
            total=None if seconds is None else 1.0,
            completed=share,
            said=", ".join(filter(None, (counted, left, self._hint))),
            refresh=True,
        )

    def count(self, unit: str) -> Callable[[int, float], None] | None:
        """Return a callback for a count and a share; None if nothing is to be shown."""
        if self._console is None:
            return None
        noun = unit.removesuffix("s")
        return lambda count, share: self.show(share, counted=counted(count, noun))

    def stop(self) -> None:
        """Remove the bar for good."""
        self._console = None
        if self._progress is not None:
            self._progress.stop()


def _progress(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn

    task = TextColumn("{task.description}", markup=False)
    said = TextColumn("{task.fields[said]}", markup=False)
    progress = Progress(
        task, BarColumn(), said, console=console, auto_refresh=False, transient=True
    )
    progress.add_task("", total=None, said="")
    progress.start()
    return progress
