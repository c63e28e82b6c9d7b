"""`conceptrank plot`: a line diagram, or a figure of scores, in a file."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

from conceptrank.cli import _measures, _options, _output
from conceptrank.cli._command import DONE, WrongUseError, define_command
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Out, option
from conceptrank.cli._pipeline import Mining, Pipeline
from conceptrank.concept import Concept
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import Ranking

if TYPE_CHECKING:
    from conceptrank.plot import Diagram


Kind: TypeAlias = Literal["diagram", "scatter", "agreement", "curves"]
Format: TypeAlias = Literal["svg", "png", "pdf", "dot", "tikz"]
# Matplotlib's warning about a letter that no font has.
_GLYPH = re.compile(r"Glyph (\d+) .*missing from font")
# Formats of diagrams that need no matplotlib.
TEXTS = ("dot", "tikz")
SUFFIXES: dict[str, Format] = {f".{name}": name for name in get_args(Format)} | {
    ".tex": "tikz",
    ".gv": "dot",
}
_part = partial(option, panel="Part of the lattice")
_look = partial(option, panel="Look of a diagram")
_scores = partial(option, panel="Figures of scores")
Names = list[str] | None


@define_command(
    examples=[
        "conceptrank plot movies --out movies.svg",
        "conceptrank plot movies --top 8 --colour cr --size support --out top.pdf",
        "conceptrank plot movies --around criminal,drama --labels counts --out near.png",
        "conceptrank plot movies --ideal drama --format tikz",
        "conceptrank plot movies --width 85mm --font 7pt --out column.pdf",
        "conceptrank plot movies --figure scatter --measures cr,stability --out scatter.pdf",
        "conceptrank plot movies --figure agreement --measures cr,stability,support "
        "--out agree.svg",
    ]
)
def command(
    *,
    figure: Annotated[
        Kind,
        option(
            "A line diagram; one measure against another; agreement of measures; scores by rank."
        ),
    ] = "diagram",
    by: Annotated[
        str | None,
        option(
            "The measure to rank by. [bold]conceptrank measures[/] lists them.",
            "MEASURE",
            show_default="the first of --measures, else cr",
        ),
    ] = None,
    where: _measures.Where = None,
    around: Annotated[
        Names,
        _part("A concept and its neighbours; name attributes that generate it, or ''.", "NAMES"),
    ] = None,
    ideal: Annotated[Names, _part("A concept and all below it.", "NAMES")] = None,
    filter_of: Annotated[Names, _part("A concept and all above it.", "NAMES", "--filter")] = None,
    top: Annotated[int | None, _part("The first K concepts by --by.", "K", min=0)] = None,
    radius: Annotated[int, _part("Steps that --around reaches.", "N", min=0)] = 1,
    limit: Annotated[
        int,
        _part(
            "The most concepts of a diagram; more than 150 have no labels.", "N", min=1, max=2000
        ),
    ] = 80,
    labels: Annotated[
        Literal["reduced", "full", "counts", "none"],
        _look(
            "reduced: each attribute and object once. full: intents and extents. counts: "
            "attributes once, and numbers of objects."
        ),
    ] = "reduced",
    layout: Annotated[
        Literal["auto", "layered", "additive", "support"],
        _look(
            "layered: few crossings. additive: one direction per attribute. support: height "
            "by the number of objects. auto: additive if small and as readable, else layered."
        ),
    ] = "auto",
    colour: Annotated[
        str | None, _look("Measure that darkens nodes.", "MEASURE", "--colour", "--color")
    ] = None,
    size: Annotated[str | None, _look("Measure that enlarges nodes.", "MEASURE")] = None,
    label_length: Annotated[
        int | None,
        _look(
            "The most letters of a name or a line.",
            "N",
            min=2,
            show_default="whole names; in PNG and with --width 12 to 26, fewer for more concepts",
        ),
    ] = None,
    caption: Annotated[
        bool, _look("Whether to explain the diagram below it.", None, "--caption/--no-caption")
    ] = True,
    width: Annotated[
        str | None, _look("Width of the drawing: 85mm, 3.3in or 240pt.", "LENGTH")
    ] = None,
    font: Annotated[str, _look("Size of the labels.", "LENGTH")] = "8pt",
    measures: Annotated[
        Names, _scores("The measures to show; repeat, or separate by commas.", "MEASURES")
    ] = None,
    coefficient: Annotated[
        Literal["pearson", "spearman", "kendall", "lin", "top_k", "rbo"],
        _scores("The coefficient of agreement."),
    ] = ("spearman"),
    ranks: Annotated[bool, _scores("Scatter ranks instead of scores.", None, "--ranks")] = False,
    measure_options: MeasureOptions,
    mining: Mining,
    output_format: Annotated[
        Format | None,
        option(
            "svg, png or pdf; for diagrams also dot or tikz.",
            "NAME",
            "--format",
            show_default="by the suffix of --out",
            panel="Output",
        ),
    ] = None,
    out: Out = None,
) -> int:
    """Draw the concepts of a table: a line diagram, or a figure of their scores.

    A diagram shows the whole lattice if it has at most 80 concepts, else those with the largest
    support, or a part of your choice. Figures are readable in black and white.
    """
    limits, messages = mining.limits, mining.messages
    _output.refuse_unwritable(out)
    target = _chosen_format(output_format, out, figure)
    typed_parts = {"around": around, "ideal": ideal, "filter": filter_of}
    parts = {name: typed for name, typed in typed_parts.items() if typed is not None}
    _refuse_parts(parts, top, figure)
    shown = _measures.measures(measures)
    if by is not None or not shown:
        first = _measures.measure(by or "cr")
        shown = [first, *(each for each in shown if each != first)]
    if figure in ("scatter", "agreement") and len(shown) < 2:
        raise WrongUseError(
            f"--figure {figure} takes two measures or more (hint: --measures cr,stability)"
        )
    looks = {
        name: _measures.measure(typed)
        for name, typed in {"colour": colour, "size": size}.items()
        if typed is not None
    }
    needs_ranking = figure != "diagram" or top is not None or where is not None
    pipeline = Pipeline(
        mining,
        measure_options=measure_options,
        measures=[*(shown if needs_ranking else ()), *looks.values()],
        where=where,
    )
    known = pipeline.loaded.context.attributes
    part = {name: _options.names(typed, known) for name, typed in parts.items()}
    source: Lattice | Ranking | Concept
    if "around" in part:
        # The neighbours of a concept need no lattice.
        source, exit_code = pipeline.loaded.context.concept(*part.pop("around")), DONE
    elif needs_ranking:
        source = pipeline.rank(shown[0], also=shown[1:])
        exit_code = pipeline.exit_code
    else:
        source, exit_code = pipeline.lattice, pipeline.exit_code
    with messages.working("drawing"):
        if isinstance(source, Ranking) and figure != "diagram":
            ranking = source if top is None else source.top(top)
            drawn = _figure_of(ranking, figure, coefficient, ranks=ranks)
            _save(drawn, target, out, messages)
            return exit_code
        from conceptrank.plot import diagram

        drawing = diagram(
            source,
            **part,  # type: ignore[arg-type]
            top=top,
            min_support=limits.min_support or None if isinstance(source, Concept) else None,
            radius=radius,
            labels=labels,
            layout=layout,
            limit=limit,
            label_length=label_length,
            caption=caption,
            width=None if width is None else _points(width, "--width"),
            font=_points(font, "--font"),
            **{name: _with(each, pipeline.params) for name, each in looks.items()},  # type: ignore[arg-type]
        )
        _save(drawing, target, out, messages)
    _note_parts(drawing, source, messages)
    return exit_code


def _points(text: str, option: str) -> float:
    """Return a length in points.

    Examples
    --------
    >>> _points("1in", "--width"), round(_points("85 mm", "--width"), 2)
    (72.0, 240.94)
    """
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(mm|cm|in|pt)\s*", text)
    if found is None:
        raise WrongUseError(f"{option} {text!r} is no length (hint: write 85mm, 3.3in or 240pt)")
    return float(found[1]) * {"mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72.0, "pt": 1.0}[found[2]]


def _chosen_format(name: Format | None, out: Path | None, figure: Kind) -> Format:
    """Return the format, or fail before the work if it can't be written."""
    if name is None and out is not None:
        name = SUFFIXES.get(out.suffix.lower())
    if name is None:
        raise WrongUseError(
            f"{out}: a figure is a file in {', '.join(SUFFIXES)}"
            if out is not None
            else "no output is named (hint: --out figure.svg, or --format dot for standard output)"
        )
    if name in TEXTS:
        if figure != "diagram":
            raise WrongUseError(f"{name} is for diagrams; write this one as svg, png or pdf")
        return name
    if out is None and name != "svg":
        raise WrongUseError(f"{name} is no text (hint: add --out figure.{name})")
    _output.require_matplotlib(name)
    return name


def _refuse_parts(part: dict[str, list[str]], top: int | None, figure: Kind) -> None:
    options = [f"--{name}" for name in part] + (["--top"] if top is not None else [])
    if part and figure != "diagram":
        raise WrongUseError(f"{options[0]} fits diagrams only")
    if len(options) > 1:
        raise WrongUseError(f"{' and '.join(options)} are different parts: give one of them")


def _with(measure: MeasureLike, params: Mapping[str, Any]) -> MeasureLike:
    """Return a measure with those of the parameters that it has."""
    name, own = registry.split(measure)
    known = registry.get(name).params
    bound = {key: value for key, value in params.items() if key in known} | dict(own)
    return (name, bound) if bound else name


def _figure_of(ranking: Ranking, kind: Kind, coefficient: str, *, ranks: bool) -> Any:
    match kind:
        case "scatter":
            return ranking.plot("scatter", ranks=ranks)
        case "agreement":
            return ranking.plot("agreement", coefficient=coefficient)
    return ranking.plot(kind)


def _save(drawn: Any, target: Format, out: Path | None, messages: Messages) -> None:
    from conceptrank.plot import Diagram, save

    if target in TEXTS:
        _output.print_text(getattr(drawn, f"to_{target}")(), out)
        return
    if isinstance(drawn, Diagram):
        drawn = (drawn if target == "png" else drawn.with_whole_names()).draw()
    sys.stdout.flush()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        save(drawn, sys.stdout.buffer if out is None else out, format=target, close=True)
    letters = {match[1] for each in caught if (match := _GLYPH.match(str(each.message)))}
    if letters:
        text = "".join(sorted(chr(int(each)) for each in letters))
        messages.warning(f"no installed font has {text}: boxes replace these letters")


def _note_parts(drawing: Diagram, source: Lattice | Ranking | Concept, messages: Messages) -> None:
    part = drawing.part
    if isinstance(source, Lattice) and len(part) == len(source):
        messages.note(drawing.title)
    if isinstance(source, Lattice) and len(part) < len(source) and part.focus is None:
        messages.note(
            f"all {len(source):,} concepts can't be read in one diagram; --top, --around, --ideal, "
            "--filter and --min-support show other parts"
        )
    for note in drawing.notes:
        messages.note(note)
