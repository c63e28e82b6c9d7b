"""`Options`, the base of option groups; options that stand alone; parsers of their values."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

# More threads than any machine has; the system may refuse to start more.
MOST_THREADS = 1024
# `-` stands for standard output, as it does for standard input.
STANDARD_OUTPUT = Path("-")
STANDARD_OUTPUT_DEVICE = Path("/dev/stdout")


@dataclass
class Options:
    """A group of options that several commands share.

    A subclass is a dataclass. Each of its fields is an option, declared by `Annotated` with
    `typer.Option`; the field's default is the option's. Checks that need the options alone are in
    `__post_init__`, which runs before any work. A command uses the group if it has a parameter
    of its type (see `_command.define_command`).
    """

    @property
    def given(self) -> list[str]:
        """The options of this group that were given, as `--max-seconds`."""
        options = [each.name for each in fields(self) if each.init and getattr(self, each.name)]
        return [f"--{name.replace('_', '-')}" for name in options]


def option(metavar: str | None = None, *names: str, panel: str | None = None, **more: Any) -> Any:
    """Declare an option: the name of its value, other names, and the panel in the help.

    The rest is as for `typer.Option`. The help of an option is what the docstring of its command,
    or of its group, says of the parameter; options that stand alone have a `help`.
    """
    return typer.Option(*names, metavar=metavar, rich_help_panel=panel, **more)


def flag(*names: str, panel: str | None = None, **more: Any) -> Any:
    """Declare an option without a value."""
    return typer.Option(*names, rich_help_panel=panel, **more)


def min_support(text: str | float) -> float:
    """Return a minimum support: a number of objects, or a share of them.

    Examples
    --------
    >>> min_support("5"), min_support("0.05"), min_support("5%")
    (5, 0.05, 0.05)
    """
    text = str(text)  # typer passes the default as a number.
    try:
        if text.endswith("%"):
            value: float = float(text[:-1]) / 100
        else:
            value = int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        value = -1
    if not (value >= 0 and (isinstance(value, int) or value <= 1)):
        raise typer.BadParameter(
            f"{text!r} is neither a number of objects (5) nor a share of them (0.05)"
        )
    return value


def memory(text: str) -> int:
    """Return an amount of memory in bytes.

    Examples
    --------
    >>> memory("1000"), memory("2G"), memory("1.5 MB")
    (1000, 2147483648, 1572864)
    """
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*([kmgt]?)i?b?", text.strip().lower())
    if match is None:
        raise typer.BadParameter(f"{text!r} is no amount of memory; write it as 500M or 2G")
    number, unit = match.groups()
    return int(float(number) * 1024 ** " kmgt".index(unit or " "))


def names(values: Iterable[str] | None, known: Collection[str] = ()) -> list[str]:
    """Return the names in repeated options, in lists separated by commas, or both; each once.

    Parameters
    ----------
    values
        What the user typed. Double quotes protect commas.
    known
        Names that exist. A value that is one of them is not split.

    Examples
    --------
    >>> names(["cr_alpha, stability", "support", "cr_alpha"]), names(None), names([""])
    (['cr_alpha', 'stability', 'support'], [], [])
    >>> names(['"salt, sea",pepper']), names(["salt, sea"], known=["salt, sea"])
    (['salt, sea', 'pepper'], ['salt, sea'])
    """
    found: list[str] = []
    for value in values or ():
        found += [value] if value in known else split_at_commas(value)
    return list(dict.fromkeys(found))


def split_at_commas(text: str) -> list[str]:
    """Return the parts between commas without spaces around them; double quotes protect commas.

    Examples
    --------
    >>> split_at_commas('a, "b, c",, d=1')
    ['a', 'b, c', 'd=1']
    """
    parts = next(csv.reader([text], skipinitialspace=True), [])
    return [part.strip() for part in parts if part.strip()]


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help=(
            "A file, the name of a data set ([bold]movies[/], diagnosis, mushroom, …), or - "
            "for standard input."
        ),
    ),
]
MinSupport = Annotated[
    float,
    option(
        "N|SHARE",
        parser=min_support,
        help="The least support of a concept: a number of objects (5) or a share of them (0.05).",
    ),
]
MaxSeconds = Annotated[
    float | None,
    option(
        "S", min=0, panel="Limits", help="Stop after this many seconds and keep what was found."
    ),
]
Threads = Annotated[
    int,
    option(
        "N",
        min=0,
        max=MOST_THREADS,
        panel="Limits",
        help="Number of threads; 0 means one per processor. The result doesn't depend on it.",
    ),
]
Seed = Annotated[int, option("N", min=0, help="Seed of the random numbers.")]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        callback=lambda path: None if path == STANDARD_OUTPUT else path,
        readable=False,  # typer would refuse a file that can be written but not read.
        rich_help_panel="Output",
        show_default=False,
        help="Write to this file; - is standard output.",
    ),
]
TableOrJson = Annotated[Literal["table", "json"], option("NAME", "--format", help="table or json.")]
