"""Options that several commands share, and the values that can be typed for them."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from conceptrank import io

# Files of values, which become contexts by scaling.
RAW_FORMATS = ("csv", "arff", "parquet", "feather", "excel", "sqlite")


# More than any machine has; the system may run out of them.
MOST_THREADS = 1024
# Where what is written to - goes, as what is read from - comes from standard input.
STANDARD_OUTPUT = Path("-")
THROUGH = Path("/dev/stdout")


class Missing(StrEnum):
    """What becomes of missing values."""

    no_cross = "no_cross"
    value = "value"
    error = "error"


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
        help="A file, the name of a data set ([bold]movies[/], diagnosis, mushroom, …), or - "
        "for standard input.",
        show_default=False,
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Format of the file ({', '.join(each.name for each in io.formats())}; raw tables: "
        f"{', '.join(RAW_FORMATS)}); detected if not given.",
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
By = Annotated[
    str,
    typer.Option(
        metavar="MEASURE",
        help="The measure that decides, as cr or stability(method=auto); "
        "[bold]conceptrank measures[/] lists them.",
    ),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MEASURE",
        help="Measures to show beside it; repeat, or separate by commas.",
        show_default=False,
    ),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="A parameter for the measures that know it, as alpha=0.9 or seed=7; repeat for more.",
        show_default=False,
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="Only the concepts that meet it, as 'support >= 10 and cr > 0.3' or "
        "'\"drama\" in intent'.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The attribute, or column of raw values, that is each object's label for precision, "
        "information_gain and the like; it is taken out of the table.",
        show_default=False,
        rich_help_panel="Labels and weights",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=NUMBER,…|FILE",
        help="Weights of attributes, or of objects, for weighted measures: typed, or a TOML file "
        "or a CSV file of names and numbers. Names that are left out weigh 1.",
        show_default=False,
        rich_help_panel="Labels and weights",
    ),
]
Scale = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PLAN|COLUMN=SCALE",
        help="How raw values become attributes: a plan file, a scale for a column, as "
        "age=quantiles:4 (repeat for more), or auto. [bold]conceptrank scale[/] shows the plan.",
        show_default=False,
        rich_help_panel="Raw tables",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Columns to leave out; repeat, or separate by commas.",
        show_default=False,
        rich_help_panel="Raw tables",
    ),
]
ObjectNames = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that names the objects.",
        show_default=False,
        rich_help_panel="Raw tables",
    ),
]
MissingValues = Annotated[
    Missing | None,
    typer.Option(
        "--missing",
        help="A missing value is no cross, a value of its own, or an error.",
        show_default="as the plan says, else no_cross",
        rich_help_panel="Raw tables",
    ),
]
Read = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="An option of the file's format, as header=true, separator=';', encoding=utf-16, "
        "decimal_comma=true, names=a,b,c, sheet=Data or table=people; repeat for more.",
        show_default=False,
        rich_help_panel="Raw tables",
    ),
]
Threads = Annotated[
    int,
    typer.Option(
        min=0,
        max=MOST_THREADS,
        metavar="N",
        help="Threads to use; 0 is one for each processor. The result is the same.",
        rich_help_panel="Limits",
    ),
]
MaxConcepts = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Stop after so many concepts.",
        rich_help_panel="Limits",
        show_default=False,
    ),
]
MaxMemory = Annotated[
    int | None,
    typer.Option(
        metavar="SIZE",
        parser=memory,
        help="Stop when the concepts take so much memory, as 500M or 2G.",
        rich_help_panel="Limits",
        show_default="a quarter of what there is",
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="S",
        help="Stop mining after so many seconds.",
        rich_help_panel="Limits",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        callback=lambda path: None if path == STANDARD_OUTPUT else path,
        readable=False,  # It needn't be: it is written.
        help="Write to a file instead of standard output, which is -.",
        rich_help_panel="Output",
        show_default=False,
    ),
]
