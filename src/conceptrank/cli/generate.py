"""`conceptrank generate`: random contexts and standard scales, for experiments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from conceptrank import io
from conceptrank.cli import _input, _options, _output
from conceptrank.cli._guard import DONE, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice
from conceptrank.cli.convert import target_format
from conceptrank.context import Context
from conceptrank.datasets import random, scales
from conceptrank.errors import ConceptRankError

HELP = (
    "Make a context by chance, or a standard scale.\n\n"
    "[bold]dirichlet[/], [bold]coin-toss[/], [bold]categorical[/] and [bold]fixed-density[/] take "
    "a shape (--objects, --attributes) or --like a file; [bold]swap[/], [bold]curveball[/], "
    "[bold]shuffle[/] and [bold]resample[/] change the file that --like names; "
    "[bold]contranominal[/], [bold]ordinal[/] and [bold]nominal[/] take a number of --objects. "
    "The same seed gives the same context."
)
EXAMPLES = examples(
    "conceptrank generate dirichlet --objects 2000 --attributes 15 --precision 0.1 --seed 1 "
    "--out x.cxt",
    "conceptrank generate coin-toss --objects 793 --attributes 10 --density 0.4 --seed 7 "
    "--out y.csv",
    "conceptrank generate categorical --objects 9 --attributes 3 --sizes 0,1,2,1",
    "conceptrank generate swap --like movies --seed 3",
    "conceptrank generate contranominal --objects 5",
)


class Kind(StrEnum):
    """What to make."""

    dirichlet = "dirichlet"
    coin_toss = "coin-toss"
    categorical = "categorical"
    fixed_density = "fixed-density"
    swap = "swap"
    curveball = "curveball"
    shuffle = "shuffle"
    resample = "resample"
    contranominal = "contranominal"
    ordinal = "ordinal"
    nominal = "nominal"


class Toss(StrEnum):
    """How to toss coins."""

    direct = "direct"
    indirect = "indirect"


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


@guarded
def command(
    kind: Annotated[Kind, typer.Argument(help="What to make.", show_default=False)],
    *,
    objects: Annotated[int | None, _option("How many objects.", "N", min=0)] = None,
    attributes: Annotated[int | None, _option("How many attributes.", "N", min=0)] = None,
    like: Annotated[
        str | None, _option("A file or data set whose shape and properties to take.", "FILE")
    ] = None,
    density: Annotated[
        float | None, _option("coin-toss, fixed-density: the share of crosses.", "SHARE")
    ] = None,
    crosses: Annotated[
        int | None, _option("fixed-density: their number instead.", "N", min=0)
    ] = None,
    method: Annotated[
        Toss | None,
        _option("coin-toss: a coin a cell, or the size of a row first.", "direct|indirect"),
    ] = None,
    precision: Annotated[
        float | None,
        _option("dirichlet: how close the sizes of rows stay to the base; low is diverse.", "P"),
    ] = None,
    base: Annotated[
        str | None, _option("dirichlet: weights of rows of 0, 1, … attributes.", "W,W,…")
    ] = None,
    sizes: Annotated[
        str | None, _option("categorical: weights of rows of 0, 1, … attributes.", "W,W,…")
    ] = None,
    steps: Annotated[int | None, _option("swap: how many steps.", "N", min=0)] = None,
    trades: Annotated[int | None, _option("curveball: how many trades.", "N", min=0)] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Which random numbers.")] = 0,
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
    quiet: _options.Quiet = False,
) -> int:
    """Make a context."""
    voice = Voice(quiet=quiet)
    _output.refuse_unwritable(out)
    if out is None:
        target = output_format or "burmeister"
        io.losses(Context((), (), ()), target)  # Fails if there is no such format.
    else:
        target = target_format(out, output_format, option="--format")
    given: dict[str, Any] = {
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
    }
    given = {name: value for name, value in given.items() if value is not None}
    _refuse_foreign(kind, given)
    with voice.working("drawing"):
        try:
            context = _made(kind, given, seed, voice)
        except MemoryError:
            raise ConceptRankError(
                "so many don't fit into memory (hint: fewer --objects or --attributes)"
            ) from None
        if out is None:
            _print(context, target)
        else:
            io.save(context, out, format=target)
    n, q = context.shape
    voice.note(f"{n:,} objects, {q:,} attributes, {context.crosses:,} crosses")
    return DONE


def _made(kind: Kind, given: dict[str, Any], seed: int, voice: Voice) -> Context:
    if kind in _SCALES:
        if "objects" not in given:
            raise WrongUseError(f"{kind.value} needs --objects N")
        return _SCALES[kind](given["objects"])
    draw, own = _SHAPED.get(kind) or _CHANGING[kind]
    like = given.pop("like", None)
    if like is None and kind in _CHANGING:
        raise WrongUseError(f"{kind.value} changes a context (hint: name it by --like FILE)")
    sources = () if like is None else (_input.load(like, format=None, voice=voice).context,)
    if not sources and not {"objects", "attributes"} <= given.keys():
        raise WrongUseError(
            f"{kind.value} needs a shape (hint: --objects N --attributes N, or --like FILE)"
        )
    if not sources and "density" in own and not {"density", "crosses"} & given.keys():
        crosses = " or --crosses N" if "crosses" in own else ""
        raise WrongUseError(f"{kind.value} needs --density SHARE{crosses}, or --like FILE")
    try:
        return draw(*sources, **given, seed=seed)
    except ValueError as error:
        raise WrongUseError(str(error)) from error


def _print(context: Context, target: str) -> None:
    (write,) = (each.write for each in io.formats() if each.name == target)
    if write is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(write(context))


def _refuse_foreign(kind: Kind, given: Mapping[str, Any]) -> None:
    """Fail if an option has nothing to say about this kind."""
    if kind in _SCALES:
        own: tuple[str, ...] = ("objects",)
    elif kind in _SHAPED:
        own = ("objects", "attributes", "like", *_SHAPED[kind][1])
    else:
        own = ("like", *_CHANGING[kind][1])
    for name in given:
        if name not in own:
            known = ", ".join(f"--{each}" for each in own)
            raise WrongUseError(f"--{name} means nothing to {kind.value}, which takes {known}")


def _weights(name: str, text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise WrongUseError(f"--{name} {text}: numbers separated by commas are wanted") from None
