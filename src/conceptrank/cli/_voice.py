"""What is said on standard error: notes, warnings, errors, and how far the work has come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# Work that ends within so many seconds shows no sign of progress.
PATIENCE = 1.0


def printable(text: str) -> str:
    r"""Return a text without characters that would move the cursor of a terminal.

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

            self._console = Console(stderr=True, highlight=False, soft_wrap=True)
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

        self.console.print(Text.assemble((f"{kind}:", style), " ", printable(message)))

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
    def mining(self) -> Iterator[Callable[[int, float], None] | None]:
        """Give a function that hears of concepts and shares and draws a bar, if there is one."""
        if not self.animated:
            yield None
            return
        bar = _Bar(self.console)
        try:
            yield bar
        finally:
            bar.stop()


class _Bar:
    """A progress bar that appears only after a while."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begin = time.monotonic()
        self._progress: Progress | None = None

    def __call__(self, found: int, share: float) -> None:
        if self._progress is None:
            if time.monotonic() - self._begin < PATIENCE:
                return
            self._start()
        assert self._progress is not None
        (task,) = self._progress.task_ids
        self._progress.update(task, completed=share, found=f"{found:,}", refresh=True)

    def _start(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("mining"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[found]} concepts"),
            TimeRemainingColumn(),
            TextColumn("left, Ctrl-C to stop"),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        self._progress.add_task("mining", total=1.0, found="0")
        self._progress.start()

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()
