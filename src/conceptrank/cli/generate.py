"""`conceptrank generate`: random contexts and standard scales, for experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from conceptrank import io
from conceptrank.cli import _options, _output
from conceptrank.cli._command import DONE, WrongUseError, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli.convert import target_format
from conceptrank.context import Context
from conceptrank.datasets import random, scales
from conceptrank.errors import ConceptRankError


class Kind(StrEnum):
    """What to generate."""

    dirichlet = "dirichlet"
    coin_toss = "coin-toss"
    categorical = "categorical"
    fixed_density = "fixed-density"
    swap = "swap"
    curveball = "curveball"
    shuffle = "shuffle"
    resample = "resample"
    planted = "planted"
    contranominal = "contranominal"
    ordinal = "ordinal"
    nominal = "nominal"


class Toss(StrEnum):
    """How to toss coins."""

    direct = "direct"
    indirect = "indirect"


class Background(StrEnum):
    """What patterns are planted in."""

    columns = "columns"
    both = "both"
    blocks = "blocks"


class Overlap(StrEnum):
    """How patterns share attributes."""

    free = "free"
    disjoint = "disjoint"
    nested = "nested"


_PLANTED = (
    *("patterns", "sizes", "supports"),
    *("background", "overlap", "missing", "added", "truth"),
)
_SHAPED: Mapping[Kind, tuple[Callable[..., Context], tuple[str, ...]]] = {
    Kind.dirichlet: (random.dirichlet_rows, ("precision", "base")),
    Kind.coin_toss: (random.coin_toss, ("density", "method")),
    Kind.categorical: (random.categorical_rows, ("sizes",)),
    Kind.fixed_density: (random.fixed_density, ("density", "crosses")),
}
_CHANGING: Mapping[Kind, tuple[Callable[..., Context], tuple[str, ...]]] = {
    Kind.swap: (random.swap, ("steps",)),
    Kind.curveball: (random.curveball, ("trades",)),
    Kind.shuffle: (random.shuffle_columns, ()),
    Kind.resample: (random.resample_rows, ()),
}
_SCALES: Mapping[Kind, Callable[[int], Context]] = {
    Kind.contranominal: scales.contranominal,
    Kind.ordinal: scales.ordinal,
    Kind.nominal: scales.nominal,
}


def _option(help_text: str, metavar: str, **more: Any) -> Any:
    return typer.Option(metavar=metavar, help=help_text, show_default=False, **more)


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
    kind: Annotated[Kind, typer.Argument(help="What to generate.", show_default=False)],
    objects: Annotated[int | None, _option("Number of objects.", "N", min=0)] = None,
    attributes: Annotated[int | None, _option("Number of attributes.", "N", min=0)] = None,
    like: Annotated[
        str | None, _option("A file or data set whose shape and margins to follow.", "FILE")
    ] = None,
    density: Annotated[
        float | None, _option("coin-toss, fixed-density: share of crosses.", "SHARE")
    ] = None,
    crosses: Annotated[
        int | None, _option("fixed-density: number of crosses instead.", "N", min=0)
    ] = None,
    method: Annotated[
        Toss | None,
        _option("coin-toss: one coin per cell, or draw the row's size first.", "direct|indirect"),
    ] = None,
    precision: Annotated[
        float | None,
        _option("dirichlet: low values give rows of diverse sizes, high values the base.", "P"),
    ] = None,
    base: Annotated[
        str | None, _option("dirichlet: weights of rows with 0, 1, … attributes.", "W,W,…")
    ] = None,
    sizes: Annotated[
        str | None,
        _option(
            "categorical: weights of rows with 0, 1, … attributes; "
            "planted: the smallest and the largest pattern.",
            "W,W,…",
        ),
    ] = None,
    steps: Annotated[int | None, _option("swap: number of steps.", "N", min=0)] = None,
    trades: Annotated[int | None, _option("curveball: number of trades.", "N", min=0)] = None,
    patterns: Annotated[int | None, _option("planted: number of patterns.", "N", min=0)] = None,
    supports: Annotated[
        str | None,
        _option("planted: the smallest and the largest share of objects.", "LOW,HIGH"),
    ] = None,
    background: Annotated[
        Background | None,
        _option(
            "planted: independent columns, unequal objects as well, or correlated blocks.",
            "columns|both|blocks",
        ),
    ] = None,
    overlap: Annotated[
        Overlap | None,
        _option("planted: how patterns share attributes.", "free|disjoint|nested"),
    ] = None,
    missing: Annotated[
        float | None, _option("planted: share of planted crosses to leave out.", "SHARE")
    ] = None,
    added: Annotated[
        float | None, _option("planted: share of empty cells to fill.", "SHARE")
    ] = None,
    truth: Annotated[
        Path | None,
        _option("planted: CSV, JSON or Parquet file for the patterns.", "FILE"),
    ] = None,
    seed: _options.Seed = 0,
    out: _options.Out = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Format of the file.",
            show_default="by the suffix of --out, else burmeister",
            rich_help_panel="Output",
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
    _output.refuse_unwritable(truth, option="--truth ")
    target = target_format(out, output_format, option="--format")
    typed: dict[str, Any] = {
        "objects": objects,
        "attributes": attributes,
        "like": like,
        "density": density,
        "crosses": crosses,
        "method": None if method is None else method.value,
        "precision": precision,
        "base": _weights("base", base),
        "sizes": _weights("sizes", sizes),
        "steps": steps,
        "trades": trades,
        "patterns": patterns,
        "supports": _weights("supports", supports),
        "background": None if background is None else background.value,
        "overlap": None if overlap is None else overlap.value,
        "missing": missing,
        "added": added,
        "truth": truth,
    }
    options = {name: value for name, value in typed.items() if value is not None}
    _refuse_foreign(kind, options)
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
    if kind in _SCALES:
        if "objects" not in options:
            raise WrongUseError(f"{kind.value} needs --objects N")
        return _SCALES[kind](options["objects"])
    if kind is Kind.planted:
        return _planted(options, seed)
    draw, params = _SHAPED.get(kind) or _CHANGING[kind]
    like = options.pop("like", None)
    if like is None and kind in _CHANGING:
        raise WrongUseError(f"{kind.value} changes a context (hint: name it by --like FILE)")
    sources = () if like is None else (Reading().load(like, messages).context,)
    if not sources and not {"objects", "attributes"} <= options.keys():
        raise WrongUseError(
            f"{kind.value} needs a shape (hint: --objects N --attributes N, or --like FILE)"
        )
    if not sources and "density" in params and not {"density", "crosses"} & options.keys():
        crosses = " or --crosses N" if "crosses" in params else ""
        raise WrongUseError(f"{kind.value} needs --density SHARE{crosses}, or --like FILE")
    try:
        return draw(*sources, **options, seed=seed)
    except ValueError as error:
        raise WrongUseError(str(error)) from error


def _planted(options: dict[str, Any], seed: int) -> Context:
    if not {"objects", "attributes"} <= options.keys():
        raise WrongUseError("planted needs a shape (hint: --objects N --attributes N)")
    truth = options.pop("truth", None)
    for name in {"sizes", "supports"} & options.keys():
        if len(options[name]) != 2:
            raise WrongUseError(f"--{name} of planted patterns takes two numbers: LOW,HIGH")
    if "sizes" in options:
        options["sizes"] = [int(size) if size.is_integer() else size for size in options["sizes"]]
    try:
        table = random.planted(**options, seed=seed)
    except ValueError as error:
        raise WrongUseError(str(error)) from error
    if truth is not None:
        from conceptrank.convert import results

        results.save(table.to_polars(), truth)
    return table.context


def _refuse_foreign(kind: Kind, options: Mapping[str, Any]) -> None:
    """Fail if an option doesn't fit this kind."""
    if kind in _SCALES:
        known: tuple[str, ...] = ("objects",)
    elif kind is Kind.planted:
        known = ("objects", "attributes", *_PLANTED)
    elif kind in _SHAPED:
        known = ("objects", "attributes", "like", *_SHAPED[kind][1])
    else:
        known = ("like", *_CHANGING[kind][1])
    for name in options:
        if name not in known:
            names = ", ".join(f"--{each}" for each in known)
            raise WrongUseError(f"--{name} doesn't fit {kind.value}, which takes {names}")


def _weights(name: str, text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise WrongUseError(f"--{name} {text}: expected numbers separated by commas") from None
