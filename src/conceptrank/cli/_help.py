"""Help that can be copied and run."""

from __future__ import annotations

from rich.markup import escape


def examples(*lines: str) -> str:
    """Return examples as the text below a command's options.

    Examples
    --------
    >>> print(examples("conceptrank rank movies"))
    [bold]Examples[/]
      $ conceptrank rank movies
    """
    return "\n".join(["[bold]Examples[/]", *(f"  $ {escape(line)}" for line in lines)])
