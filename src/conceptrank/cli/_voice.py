"""What is said on standard error: notes, warnings, errors, and how far the work has come."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conceptrank._text import printable
from conceptrank.cli import _streams

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# Work that ends within so many seconds shows no sign of progress.
PATIENCE = 1.0


class Voice:
    """Standard error: one line a message, and progress on terminals only.

    Parameters
    ----------
    quiet
        Whether to keep everything but errors back.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self._console: Console | None = None

    @property
    def console(self) -> Console:
        """The terminal, if it is one."""
        if self._console is None:
            from rich.console import Console

            self._console = Console(stderr=True, highlight=False)
            # One line a message for whoever reads it from a pipe or a file.
            self._console.soft_wrap = not self._console.is_terminal
        return self._console

    @property
    def animated(self) -> bool:
        """Whether to show progress."""
        return not self.quiet and self.console.is_terminal

    def note(self, message: str) -> None:
        """Say something worth knowing."""
        if not self.quiet:
            self._say("note", "cyan", message)

    def warning(self, message: str) -> None:
        """Say something that the user should act on."""
        if not self.quiet:
            self._say("warning", "yellow", message)

    def error(self, message: str) -> None:
        """Say why nothing more will come."""
        self._say("error", "bold red", message)

    def _say(self, kind: str, style: str, message: str) -> None:
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
            # A full disk, or a reader who left: not a reason to fail what the words are about.
            _streams.drop(sys.stderr)

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Say what is going on, if it takes a while."""
        if not self.animated:
            yield
            return
        from rich.text import Text

        status = self.console.status(Text(printable(what)))
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
    def bar(self, what: str, unit: str = "concepts") -> Iterator[Bar]:
        """Give a bar that shows how far something has come: `"mining"`, `"scoring"`."""
        bar = Bar(self.console, what, unit)
        try:
            yield bar
        finally:
            bar.stop()


class Bar:
    """A progress bar that appears only after a while.

    Parameters
    ----------
    console
        The terminal.
    what
        What is going on.
    unit
        The plural of what is counted.
    """

    def __init__(self, console: Console, what: str, unit: str = "concepts") -> None:
        self._console = console
        self._what = what
        self._unit = unit
        self._begin = time.monotonic()
        self._progress: Progress | None = None
        self._over = False

    def show(self, found: int, share: float) -> None:
        """Show how many were found or scored, and how much of the whole is done."""
        if self._over or time.monotonic() - self._begin < PATIENCE:
            return
        if self._progress is None:
            self._progress = self._started()
        (task,) = self._progress.task_ids
        self._progress.update(task, completed=share, found=f"{found:,}", refresh=True)

    def _started(self) -> Progress:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        progress = Progress(
            TextColumn(self._what),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn(f"{{task.fields[found]}} {self._unit}"),
            TimeRemainingColumn(),
            TextColumn("left, Ctrl-C stops"),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        progress.add_task(self._what, total=1.0, found="0")
        progress.start()
        return progress

    def stop(self) -> None:
        """Take the bar away."""
        self._over = True
        if self._progress is not None:
            self._progress.stop()
