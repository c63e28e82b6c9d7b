"""`conceptrank generate`: random contexts and standard scales, for experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from conceptrank import io
from conceptrank.cli import _output
from conceptrank.cli._command import DONE, WrongUseError, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options, Out, Seed, option
from conceptrank.cli.convert import target_format
from conceptrank.context import Context
from conceptrank.datasets import random, scales
from conceptrank.datasets.random.planted import Background
from conceptrank.datasets.random.planted import Overlap as PatternOverlap
from conceptrank.errors import ConceptRankError

Kind: TypeAlias = Literal[
    "dirichlet",
    "coin-toss",
    "categorical",
    "fixed-density",
    "swap",
    "curveball",
    "shuffle",
    "resample",
    "planted",
    "contranominal",
    "ordinal",
    "nominal",
]
_SHAPE = ("objects", "attributes")
_PATTERNS = ("patterns", "sizes", "supports", "background", "overlap", "missing", "added", "truth")
# What draws a context of each kind, and the options that it takes.
_KINDS: Mapping[Kind, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "dirichlet": (random.dirichlet_rows, (*_SHAPE, "like", "precision", "base")),
    "coin-toss": (random.coin_toss, (*_SHAPE, "like", "density", "method")),
    "categorical": (random.categorical_rows, (*_SHAPE, "like", "sizes")),
    "fixed-density": (random.fixed_density, (*_SHAPE, "like", "density", "crosses")),
    "swap": (random.swap, ("like", "steps")),
    "curveball": (random.curveball, ("like", "trades")),
    "shuffle": (random.shuffle_columns, ("like",)),
    "resample": (random.resample_rows, ("like",)),
    "planted": (random.planted, (*_SHAPE, *_PATTERNS)),
    "contranominal": (scales.contranominal, ("objects",)),
    "ordinal": (scales.ordinal, ("objects",)),
    "nominal": (scales.nominal, ("objects",)),
}


@dataclass
class Choices(Options):
    """What to generate; each kind takes some of these."""

    objects: Annotated[int | None, option("Number of objects.", "N", min=0)] = None
    attributes: Annotated[int | None, option("Number of attributes.", "N", min=0)] = None
    like: Annotated[
        str | None, option("A file or data set whose shape and margins to follow.", "FILE")
    ] = None
    density: Annotated[
        float | None, option("coin-toss, fixed-density: share of crosses.", "SHARE")
    ] = None
    crosses: Annotated[
        int | None, option("fixed-density: number of crosses instead.", "N", min=0)
    ] = None
    method: Annotated[
        Literal["direct", "indirect"] | None,
        option("coin-toss: one coin per cell, or draw the row's size first.", "direct|indirect"),
    ] = None
    precision: Annotated[
        float | None,
        option("dirichlet: low values give rows of diverse sizes, high values the base.", "P"),
    ] = None
    base: Annotated[
        str | None, option("dirichlet: weights of rows with 0, 1, … attributes.", "W,W,…")
    ] = None
    sizes: Annotated[
        str | None,
        option(
            "categorical: weights of rows with 0, 1, … attributes; "
            "planted: the smallest and the largest pattern.",
            "W,W,…",
        ),
    ] = None
    steps: Annotated[int | None, option("swap: number of steps.", "N", min=0)] = None
    trades: Annotated[int | None, option("curveball: number of trades.", "N", min=0)] = None
    patterns: Annotated[int | None, option("planted: number of patterns.", "N", min=0)] = None
    supports: Annotated[
        str | None, option("planted: the smallest and the largest share of objects.", "LOW,HIGH")
    ] = None
    background: Annotated[
        Background | None,
        option(
            "planted: independent columns, unequal objects as well, or correlated blocks.",
            "columns|both|blocks",
        ),
    ] = None
    overlap: Annotated[
        PatternOverlap | None,
        option("planted: how patterns share attributes.", "free|disjoint|nested"),
    ] = None
    missing: Annotated[
        float | None, option("planted: share of planted crosses to leave out.", "SHARE")
    ] = None
    added: Annotated[float | None, option("planted: share of empty cells to fill.", "SHARE")] = None
    truth: Annotated[
        Path | None, option("planted: CSV, JSON or Parquet file for the patterns.", "FILE")
    ] = None

    def for_kind(self, kind: Kind) -> dict[str, Any]:
        """Return the options that were given, or fail if one doesn't fit the kind."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        for name in ("base", "sizes", "supports"):
            if name in given:
                given[name] = _numbers(name, given[name])
        _, known = _KINDS[kind]
        for name in given:
            if name not in known:
                names = ", ".join(f"--{each}" for each in known)
                raise WrongUseError(f"--{name} doesn't fit {kind}, which takes {names}")
        return given


@define_command(
    examples=[
        "conceptrank generate dirichlet --objects 2000 --attributes 15 --precision 0.1 --seed 1 "
        "--out x.cxt",
        "conceptrank generate coin-toss --objects 793 --attributes 10 --density 0.4 --seed 7 "
        "--out y.csv",
        "conceptrank generate categorical --objects 9 --attributes 3 --sizes 0,1,2,1",
        "conceptrank generate swap --like movies --seed 3",
        "conceptrank generate planted --objects 2000 --attributes 40 --missing 0.1 --truth t.csv "
        "--out x.cxt",
        "conceptrank generate contranominal --objects 5",
    ]
)
def command(
    *,
    kind: Annotated[Kind, typer.Argument(help="What to generate.")],
    choices: Choices,
    seed: Seed = 0,
    out: Out = None,
    output_format: Annotated[
        str | None,
        option(
            "Format of the file.",
            "NAME",
            "--format",
            show_default="by the suffix of --out, else burmeister",
            panel="Output",
        ),
    ] = None,
    messages: Messages,
) -> int:
    """Generate a random context or a standard scale.

    [bold]dirichlet[/], [bold]coin-toss[/], [bold]categorical[/] and [bold]fixed-density[/] take
    a shape (--objects, --attributes) or --like a file. [bold]swap[/], [bold]curveball[/],
    [bold]shuffle[/] and [bold]resample[/] change the file that --like names.
    [bold]planted[/] takes a shape and plants patterns, which --truth writes to a file.
    [bold]contranominal[/], [bold]ordinal[/] and [bold]nominal[/] take a number of --objects.
    The same seed gives the same context.
    """
    _output.refuse_unwritable(out)
    _output.refuse_unwritable(choices.truth, option="--truth ")
    target = target_format(out, output_format, option="--format")
    options = choices.for_kind(kind)
    with messages.working("drawing"):
        try:
            context = _generated(kind, options, seed, messages)
        except MemoryError:
            raise ConceptRankError(
                "the context doesn't fit into memory (hint: fewer --objects or --attributes)"
            ) from None
        if out is not None:
            io.save(context, out, format=target)
        else:
            (write,) = (each.write for each in io.formats() if each.name == target)
            if write is not None:
                _output.print_bytes(write(context))
    n, q = context.shape
    messages.note(f"{n:,} objects, {q:,} attributes, {context.crosses:,} crosses")
    return DONE


def _generated(kind: Kind, options: dict[str, Any], seed: int, messages: Messages) -> Context:
    draw, known = _KINDS[kind]
    if known == ("objects",):
        if "objects" not in options:
            raise WrongUseError(f"{kind} needs --objects N")
        context: Context = draw(options["objects"])
        return context
    like = options.pop("like", None)
    if like is not None:
        options["context"] = Reading().load(like, messages).context
    elif "objects" not in known:
        raise WrongUseError(f"{kind} changes a context (hint: name it by --like FILE)")
    elif not options.keys() >= {"objects", "attributes"}:
        other = ", or --like FILE" if "like" in known else ""
        raise WrongUseError(f"{kind} needs a shape (hint: --objects N --attributes N{other})")
    elif "density" in known and not {"density", "crosses"} & options.keys():
        crosses = " or --crosses N" if "crosses" in known else ""
        raise WrongUseError(f"{kind} needs --density SHARE{crosses}, or --like FILE")
    truth = options.pop("truth", None)
    if kind == "planted":
        _check_planted(options)
    try:
        drawn = draw(**options, seed=seed)
    except ValueError as error:
        raise WrongUseError(str(error)) from error
    if truth is not None:
        from conceptrank.convert import results

        results.save(drawn.to_polars(), truth)
    return drawn if isinstance(drawn, Context) else drawn.context


def _check_planted(options: dict[str, Any]) -> None:
    for name in {"sizes", "supports"} & options.keys():
        if len(options[name]) != 2:
            raise WrongUseError(f"--{name} of planted patterns takes two numbers: LOW,HIGH")
    if "sizes" in options:
        options["sizes"] = [int(size) if size.is_integer() else size for size in options["sizes"]]


def _numbers(name: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise WrongUseError(f"--{name} {text}: expected numbers separated by commas") from None
