"""`conceptrank plot`: a line diagram, or a figure of scores, in a file."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

from conceptrank.cli import _measures, _options, _output
from conceptrank.cli._command import WrongUseError, define_command
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options, Out, option
from conceptrank.cli._pipeline import Mining, Pipeline
from conceptrank.measures import registry
from conceptrank.query import labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from conceptrank.lattice import Lattice
    from conceptrank.plot import Diagram
    from conceptrank.ranking import Ranking

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


@dataclass
class Part(Options):
    """Which concepts a diagram shows.

    Parameters
    ----------
    around
        A concept and its neighbours; name attributes that generate it, or ''.
    ideal
        A concept and all below it.
    filter_of
        A concept and all above it.
    top
        The first K concepts by --by.
    radius
        Steps that --around reaches.
    limit
        The most concepts of a diagram; more than 150 have no labels.
    """

    around: Annotated[Names, _part("NAMES")] = None
    ideal: Annotated[Names, _part("NAMES")] = None
    filter_of: Annotated[Names, _part("NAMES", "--filter")] = None
    top: Annotated[int | None, _part("K", min=0)] = None
    radius: Annotated[int, _part("N", min=0)] = 1
    limit: Annotated[int, _part("N", min=1, max=2000)] = 80

    def __post_init__(self) -> None:
        if len(self.named) + (self.top is not None) > 1:
            raise WrongUseError("--around, --ideal, --filter and --top are different parts")

    @property
    def named(self) -> dict[str, list[str]]:
        """The option that names a concept, and the names as they were typed."""
        options = {"around": self.around, "ideal": self.ideal, "filter": self.filter_of}
        return {name: typed for name, typed in options.items() if typed is not None}


@dataclass
class Look(Options):
    """What a diagram looks like.

    Parameters
    ----------
    labels
        reduced: each attribute and object once. full: intents and extents. counts: attributes once,
        and numbers of objects.
    layout
        layered: few crossings. additive: one direction per attribute. support: height by the number
        of objects. auto: additive if small and as readable, else layered.
    colour
        Measure that darkens nodes.
    size
        Measure that enlarges nodes.
    width
        Width of the drawing: 85mm, 3.3in or 240pt.
    font
        Size of the labels.
    """

    labels: Annotated[Literal["reduced", "full", "counts", "none"], _look()] = "reduced"
    layout: Annotated[Literal["auto", "layered", "additive", "support"], _look()] = "auto"
    colour: Annotated[str | None, _look("MEASURE", "--colour", "--color")] = None
    size: Annotated[str | None, _look("MEASURE")] = None
    width: Annotated[str | None, _look("LENGTH")] = None
    font: Annotated[str, _look("LENGTH")] = "8pt"

    def __post_init__(self) -> None:
        typed = {"colour": self.colour, "size": self.size}
        self.measures = {
            name: _measures.measure(text) for name, text in typed.items() if text is not None
        }
        self.points = {"font": _points(self.font, "--font")}
        if self.width is not None:
            self.points["width"] = _points(self.width, "--width")

    def keywords(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keywords of `diagram`, the measures with those parameters that they have."""
        found: dict[str, Any] = {"labels": self.labels, "layout": self.layout, **self.points}
        for name, measure in self.measures.items():
            known = registry.get(registry.split(measure)[0]).params
            shared = {key: value for key, value in params.items() if key in known}
            (found[name],) = labelled([measure], shared)[0].values()
        return found


@dataclass
class Scores(Options):
    """What a figure of scores shows.

    Parameters
    ----------
    measures
        The measures to show; repeat, or separate by commas.
    coefficient
        The coefficient of agreement.
    """

    measures: Annotated[Names, _scores("MEASURES")] = None
    coefficient: Annotated[
        Literal["pearson", "spearman", "kendall", "lin", "top_k", "rbo"], _scores()
    ] = "spearman"


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
    figure: Annotated[Kind, option()] = "diagram",
    by: Annotated[
        str | None, option("MEASURE", show_default="the first of --measures, else cr")
    ] = None,
    where: _measures.Where = None,
    part: Part,
    look: Look,
    scores: Scores,
    measure_options: MeasureOptions,
    mining: Mining,
    output_format: Annotated[
        Format | None,
        option("NAME", "--format", show_default="by the suffix of --out", panel="Output"),
    ] = None,
    out: Out = None,
) -> int:
    """Draw the concepts of a table: a line diagram, or a figure of their scores.

    A diagram shows the whole lattice if it has at most 80 concepts, else those with the largest
    support, or a part of your choice. Figures are readable in black and white.

    Parameters
    ----------
    figure
        A line diagram; one measure against another; agreement of measures; scores by rank.
    by
        The measure to rank by. [bold]conceptrank measures[/] lists them.
    output_format
        svg, png or pdf; for diagrams also dot or tikz.
    """
    limits, messages = mining.limits, mining.messages
    _output.refuse_unwritable(out)
    target = _chosen_format(output_format, out, figure)
    if part.named and figure != "diagram":
        raise WrongUseError(f"--{next(iter(part.named))} fits diagrams only")
    shown = _measures.measures(scores.measures)
    if by is not None or not shown:
        first = _measures.measure(by or "cr")
        shown = [first, *(each for each in shown if each != first)]
    if figure in ("scatter", "agreement") and len(shown) < 2:
        raise WrongUseError(
            f"--figure {figure} takes two measures or more (hint: --measures cr,stability)"
        )
    ranked = figure != "diagram" or part.top is not None or where is not None
    pipeline = Pipeline(
        mining,
        measure_options=measure_options,
        measures=[*(shown if ranked else ()), *look.measures.values()],
        where=where,
    )
    if figure == "diagram":
        rank = partial(pipeline.rank, shown[0], also=shown[1:])
        concepts = rank if ranked else lambda: pipeline.lattice
        drawing = _diagram(pipeline, concepts, part, look, limits.min_support)
        with messages.working("drawing"):
            _save(drawing, target, out, messages)
        # One of the notes may repeat the title.
        for note in (drawing.title, *(n for n in drawing.notes if drawing.part.title not in n)):
            messages.note(note)
        return pipeline.exit_code
    from conceptrank import plot

    ranking = pipeline.rank(shown[0], also=shown[1:])
    chosen = ranking if part.top is None else ranking.top(part.top)
    with messages.working("drawing"):
        more = {"agreement": {"coefficient": scores.coefficient}}.get(figure, {})
        drawn = getattr(plot, figure)(chosen, **more)
        _save(drawn, target, out, messages)
    return pipeline.exit_code


def _diagram(
    pipeline: Pipeline,
    concepts: Callable[[], Lattice | Ranking],
    part: Part,
    look: Look,
    min_support: float,
) -> Diagram:
    from conceptrank.plot import diagram

    context = pipeline.loaded.context
    named: dict[str, Any] = {
        name: _options.names(typed, context.attributes) for name, typed in part.named.items()
    }
    options = {"radius": part.radius, "limit": part.limit, **look.keywords(pipeline.params)}
    if "around" in named:
        # The neighbours of a concept need no lattice.
        concept = context.concept(*named["around"])
        return diagram(concept, min_support=min_support or None, **options)
    return diagram(concepts(), top=part.top, **named, **options)


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


def _save(drawn: Diagram | Axes, target: Format, out: Path | None, messages: Messages) -> None:
    from conceptrank.plot import Diagram, save

    file = sys.stdout.buffer if out is None else out
    sys.stdout.flush()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(drawn, Diagram):
            drawn.save(file, format=target)
        else:
            save(drawn, file, format=target, close=True)
    letters = {match[1] for each in caught if (match := _GLYPH.match(str(each.message)))}
    if letters:
        text = "".join(sorted(chr(int(each)) for each in letters))
        messages.warning(f"no installed font has {text}: boxes replace these letters")
