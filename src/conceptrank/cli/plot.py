"""`conceptrank plot`: a line diagram, or a figure of scores, in a file."""

from __future__ import annotations

import os
import re
import sys
import warnings
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conceptrank._whole_file import write_whole_text
from conceptrank.cli import _given, _input, _measures, _mining, _options, _output
from conceptrank.cli._guard import BUDGET_REACHED, DONE, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice
from conceptrank.concept import Concept
from conceptrank.errors import ConceptRankError
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import Condition, Ranking

if TYPE_CHECKING:
    from conceptrank.plot import Diagram

HELP = (
    "Draw the concepts of a table: a line diagram, or a figure of their scores.\n\n"
    "A diagram shows the whole lattice if it has at most 80 concepts, else those with the most "
    "objects; or a part that you name. Figures read in black and white."
)
EXAMPLES = examples(
    "conceptrank plot movies --out movies.svg",
    "conceptrank plot movies --top 8 --colour cr --size support --out top.pdf",
    "conceptrank plot movies --around criminal,drama --labels counts --out near.png",
    "conceptrank plot movies --ideal drama --format tikz",
    "conceptrank plot movies --figure scatter --measures cr,stability --out scatter.pdf",
    "conceptrank plot movies --figure agreement --measures cr,stability,support --out agree.svg",
)


class Kind(StrEnum):
    """What to draw."""

    diagram = "diagram"
    distributions = "distributions"
    scatter = "scatter"
    agreement = "agreement"
    curves = "curves"
    overlap = "overlap"


class Labels(StrEnum):
    """What is written at the nodes."""

    reduced = "reduced"
    full = "full"
    counts = "counts"
    none = "none"


class Format(StrEnum):
    """What the file is."""

    svg = "svg"
    png = "png"
    pdf = "pdf"
    dot = "dot"
    tikz = "tikz"
    graphml = "graphml"


# What matplotlib says of a letter that no font has.
_GLYPH = re.compile(r"Glyph (\d+) .*missing from font")
# Those that are written without matplotlib, for diagrams only.
TEXTS = (Format.dot, Format.tikz, Format.graphml)
SUFFIXES = {f".{each.value}": each for each in Format} | {".tex": Format.tikz, ".gv": Format.dot}


def _part(text: str, *names: str, **more: Any) -> Any:
    given: dict[str, Any] = {"metavar": "NAMES", "show_default": False} | more
    return typer.Option(*names, help=text, rich_help_panel="Part of the lattice", **given)


def _look(text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel="Look of a diagram", **more)


def _scores(text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel="Figures of scores", **more)


Names = list[str] | None


@guarded
def command(
    file: _options.File,
    *,
    figure: Annotated[
        Kind,
        typer.Option(
            help="A line diagram; how scores are spread; measure against measure; how far "
            "measures agree; how scores fall with the rank; what the first places share."
        ),
    ] = Kind.diagram,
    around: Annotated[
        Names, _part("A concept and its neighbours: attributes that generate it, or ''.")
    ] = None,
    ideal: Annotated[Names, _part("A concept and all below it.")] = None,
    filter_of: Annotated[Names, _part("A concept and all above it.", "--filter")] = None,
    top: Annotated[int | None, _part("The first concepts by --by.", min=0, metavar="K")] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="The measure that ranks; [bold]conceptrank measures[/] lists them.",
            show_default="the first of --measures, else cr",
        ),
    ] = None,
    where: _options.Where = None,
    min_support: _options.MinSupport = 0,
    radius: Annotated[
        int, _part("How many covers --around reaches.", min=0, metavar="N", show_default=True)
    ] = 1,
    limit: Annotated[
        int,
        _part(
            "The most concepts of a diagram; beyond 80 there are no labels.",
            min=1,
            max=2000,
            metavar="N",
            show_default=True,
        ),
    ] = 80,
    labels: Annotated[
        Labels,
        _look(
            "Each attribute and object once; intents and extents; attributes once and numbers of "
            "objects; or none."
        ),
    ] = Labels.reduced,
    colour: Annotated[
        str | None,
        _look(
            "Nodes are the darker the higher they score.",
            "--colour",
            "--color",
            metavar="MEASURE",
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        str | None,
        _look("Nodes are the larger the higher they score.", metavar="MEASURE", show_default=False),
    ] = None,
    measures: Annotated[
        Names,
        _scores(
            "The measures to show; repeat, or separate by commas.",
            metavar="MEASURES",
            show_default=False,
        ),
    ] = None,
    coefficient: Annotated[
        str,
        _scores("Of agreement: pearson, spearman, kendall, lin, top_k or rbo.", metavar="NAME"),
    ] = "spearman",
    ranks: Annotated[bool, _scores("Scatter ranks instead of scores.", "--ranks")] = False,
    names: Annotated[
        int, _scores("How many of the first concepts a scatter plot names.", min=0, metavar="N")
    ] = 0,
    param: _options.Params = None,
    label: _options.Label = None,
    weights: _options.Weights = None,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    threads: _options.Threads = 0,
    max_concepts: _options.MaxConcepts = None,
    max_memory: _options.MaxMemory = None,
    max_seconds: _options.MaxSeconds = None,
    output_format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="svg, png or pdf; diagrams also dot, tikz or graphml.",
            show_default="by the suffix of --out",
            rich_help_panel="Output",
        ),
    ] = None,
    out: _options.Out = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Draw the concepts of a table."""
    voice = Voice(quiet=quiet)
    _output.refuse_unwritable(out)
    chosen = _chosen_format(output_format, out, figure)
    about = {"around": around, "ideal": ideal, "filter": filter_of}
    part = {name: _options.names(given) for name, given in about.items() if given is not None}
    _refuse_parts(part, top, figure)
    condition = None if where is None else Condition.parse(where)
    shown = _measures.measures(measures)
    if by is not None or not shown:
        first = _measures.measure(by or "cr")
        shown = [first, *(each for each in shown if each != first)]
    if figure in (Kind.scatter, Kind.agreement, Kind.overlap) and len(shown) < 2:
        raise WrongUseError(
            f"--figure {figure.value} takes two measures or more (hint: --measures cr,stability)"
        )
    looks = {
        name: _measures.measure(text)
        for name, text in {"colour": colour, "size": size}.items()
        if text is not None
    }
    ranked = figure is not Kind.diagram or top is not None or condition is not None
    wanted = [
        *(shown if ranked else ()),
        *looks.values(),
        *(condition.measures if condition else ()),
    ]
    params: dict[str, Any] = _measures.params(param or ())
    known = _given.Given(label, weights)
    needed = _measures.checked(wanted, params, later=known.params) if wanted else []

    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    loaded = _input.load(file, format=input_format, voice=voice, scaling=raw, label=label)
    later = known.of(loaded, wanted)
    params |= later
    source: Lattice | Ranking | Concept
    if "around" in part:
        # No lattice is needed for a concept and its neighbours.
        source, complete = loaded.context.concept(*part.pop("around")), True
    else:
        source = _mining.mine(
            loaded.context,
            min_support=min_support,
            threads=threads,
            budget=_mining.budget_of(max_concepts, max_memory, max_seconds),
            measures=_measures.completed(needed, later),
            voice=voice,
        )
        complete = source.complete
    if isinstance(source, Lattice) and ranked:
        first, *others = shown
        with voice.working(f"scoring {len(source):,} concepts"):
            source = source.rank(first, also=others, where=condition, **params)
        if figure is not Kind.diagram and top is not None:
            source = source.top(top)
    with voice.working("drawing"):
        if isinstance(source, Ranking) and figure is not Kind.diagram:
            drawn = _figure_of(source, figure, coefficient, ranks=ranks, names=names)
            _save(drawn, chosen, out, voice)
            return DONE if complete else BUDGET_REACHED
        from conceptrank.plot import diagram

        drawing = diagram(
            source,
            **part,  # type: ignore[arg-type]
            top=top,
            min_support=min_support or None if isinstance(source, Concept) else None,
            radius=radius,
            labels=labels.value,
            limit=limit,
            **{name: _with(each, params) for name, each in looks.items()},  # type: ignore[arg-type]
        )
        _save(drawing, chosen, out, voice)
    _say(drawing, source, voice)
    return DONE if complete else BUDGET_REACHED


def _chosen_format(given: Format | None, out: Path | None, figure: Kind) -> Format:
    """Return the format, or find out before the work that it can't be had."""
    if given is None and out is not None:
        given = SUFFIXES.get(out.suffix.lower())
    if given is None:
        known = ", ".join(SUFFIXES)
        raise WrongUseError(
            f"{out}: a figure is a file in {known}"
            if out is not None
            else "say where to (hint: --out figure.svg, or --format dot for standard output)"
        )
    if given in TEXTS:
        if figure is not Kind.diagram:
            raise WrongUseError(f"{given.value} is for diagrams; write this one as svg, png or pdf")
        return given
    if out is None and given is not Format.svg:
        raise WrongUseError(f"{given.value} is no text (hint: add --out figure.{given.value})")
    if find_spec("matplotlib") is None:
        raise ConceptRankError(f"{given.value} needs matplotlib: pip install 'conceptrank[plot]'")
    # No window is wanted, wherever this runs.
    os.environ["MPLBACKEND"] = "Agg"
    return given


def _refuse_parts(part: dict[str, list[str]], top: int | None, figure: Kind) -> None:
    given = [f"--{name}" for name in part] + (["--top"] if top is not None else [])
    if part and figure is not Kind.diagram:
        raise WrongUseError(f"{given[0]} chooses a part of a diagram, and this is none")
    if len(given) > 1:
        raise WrongUseError(f"{' and '.join(given)} are different parts: give one of them")


def _with(measure: MeasureLike, params: dict[str, Any]) -> MeasureLike:
    """Return a measure with the parameters that it knows."""
    name, own = registry.split(measure)
    known = registry.get(name).params
    given = {key: value for key, value in params.items() if key in known} | dict(own)
    return (name, given) if given else name


def _figure_of(ranking: Ranking, kind: Kind, coefficient: str, *, ranks: bool, names: int) -> Any:
    match kind:
        case Kind.scatter:
            return ranking.plot("scatter", ranks=ranks, names=names)
        case Kind.agreement:
            return ranking.plot("agreement", coefficient=coefficient)
        case Kind.overlap:
            return ranking.plot("curves", show="overlap")
    return ranking.plot(kind.value)


def _save(drawn: Any, format: Format, out: Path | None, voice: Voice) -> None:  # noqa: A002
    from conceptrank.plot import Diagram, save

    if format in TEXTS:
        text = getattr(drawn, f"to_{format.value}")()
        if out is None:
            sys.stdout.write(text)
        else:
            write_whole_text(out, text)
        return
    if isinstance(drawn, Diagram):
        drawn = drawn.draw()
    sys.stdout.flush()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        save(drawn, sys.stdout.buffer if out is None else out, format=format.value, close=True)
    letters = {match[1] for each in said if (match := _GLYPH.match(str(each.message)))}
    if letters:
        names = "".join(sorted(chr(int(each)) for each in letters))
        voice.warning(f"no installed font has {names}: boxes stand for these letters")


def _say(drawing: Diagram, source: Lattice | Ranking | Concept, voice: Voice) -> None:
    part = drawing.part
    if isinstance(source, Lattice) and len(part) == len(source):
        voice.note(drawing.title)
    if isinstance(source, Lattice) and len(part) < len(source) and part.focus is None:
        voice.note(
            f"all {len(source):,} concepts can't be read in one diagram; --top, --around, --ideal, "
            "--filter and --min-support show other parts"
        )
    for note in drawing.notes:
        voice.note(note)
