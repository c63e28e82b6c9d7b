"""Options that several commands share, and the values that can be typed for them."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import typer

from conceptrank import io


class OneFormat(StrEnum):
    """How to print one thing."""

    table = "table"
    json = "json"


def min_support(text: str | float) -> float:
    """Return a minimum support: a number of objects, or a share of them.

    Examples
    --------
    >>> min_support("5"), min_support("0.05"), min_support("5%")
    (5, 0.05, 0.05)
    """
    text = str(text)  # Defaults come as the number that they are.
    try:
        if text.endswith("%"):
            value: float = float(text[:-1]) / 100
        else:
            value = int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        value = -1
    if not (value >= 0 and (isinstance(value, int) or value <= 1)):
        raise typer.BadParameter(
            f"{text!r} is neither a number of objects, as 5, nor a share of them, as 0.05"
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


def names(values: list[str] | None) -> list[str]:
    """Return what was given by repeating an option, by commas, or both; each once.

    Examples
    --------
    >>> names(["cr_alpha, stability", "support", "cr_alpha"]), names(None), names([""])
    (['cr_alpha', 'stability', 'support'], [], [])
    """
    parts = (part.strip() for value in values or () for part in value.split(","))
    return list(dict.fromkeys(part for part in parts if part))


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A file, the name of a data set ([bold]movies[/]), or - for standard input.",
        show_default=False,
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Format of the file ({', '.join(each.name for each in io.formats())}); "
        "detected if not given.",
        show_default=False,
    ),
]
MinSupport = Annotated[
    float,
    typer.Option(
        metavar="N|SHARE",
        help="Least number of objects of a concept, as 5, or their share, as 0.05.",
        parser=min_support,
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing but errors on standard error.")
]
