"""`conceptrank show`: everything about one concept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Annotated, Any

import numpy as np

from conceptrank._util.text import counted, printable
from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _measures, _options, _output, _table
from conceptrank.cli._command import DONE, WrongUseError, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File, TableOrJson, flag, option
from conceptrank.concept import Concept
from conceptrank.errors import BudgetExceeded, MeasureError, UnknownNameError
from conceptrank.measures import registry

# The most objects, and covers or generators, that the text lists; JSON has them all.
MOST_OBJECTS = 20
MOST_LINES = 10
RELEVANT = "*"
# The measures that the text has without --all.
USUAL = (*("conceptual_relevance", "stability_intensional", "separation", "delta_measure", "lift"),)
_ADDED = {
    "attributes": "; every object with these also has",
    "objects": "; what these share is also shared by",
}


@define_command(
    examples=[
        "conceptrank show movies --intent criminal,drama",
        "conceptrank show movies --intent criminal --intent drama",
        "conceptrank show movies --objects 2,5 --format json",
    ]
)
def command(
    *,
    file: File,
    intent: Annotated[list[str] | None, option("NAMES")] = None,
    objects: Annotated[list[str] | None, option("NAMES")] = None,
    all_scores: Annotated[bool, flag("--all")] = False,
    output_format: TableOrJson = "table",
    reading: Reading,
    messages: Messages,
) -> int:
    """Show one concept: the one that some attributes or objects generate.

    Lists its intent with relevant attributes marked, its extent, neighbours, minimal generators
    and some scores. No lattice is built, so this is also fast on large tables.

    Parameters
    ----------
    intent
        Attributes: repeat, or separate by commas; double quotes protect commas inside a name. '' is
        the concept of all objects.
    objects
        Objects instead of attributes, typed likewise.
    all_scores
        Show the scores by all measures.
    """
    if (intent is None) == (objects is None):
        hint = "--intent '' is the concept of all objects"
        raise WrongUseError(f"name a concept by --intent or by --objects (hint: {hint})")
    context = reading.load(file, messages).context
    with messages.working("computing the concept"):
        try:
            if objects is None:
                names = _options.names(intent, context.attributes)
                concept = context.concept(*names)
            else:
                names = _options.names(objects, context.objects)
                concept = context.concept(*context.intension(names))
        except UnknownNameError as error:
            raise WrongUseError(f"{file}: {error}") from error
        measures = registry.available()["name"] if all_scores or output_format == "json" else USUAL
        by = "attributes" if objects is None else "objects"
        facts = _facts(concept, names, by, _scores(concept, measures))
    if output_format == "json":
        scores = facts["scores"].items()
        # JSON has no infinity.
        finite = {name: value if isfinite(value) else None for name, value in scores}
        _output.print_json(facts | {"scores": finite})
    else:
        _write(facts, title=file)
    return DONE


def _facts(
    concept: Concept, given: list[str], by: str, scores: Mapping[str, tuple[float, bool]]
) -> dict[str, Any]:
    """Return what is known about a concept."""
    extent, intent = concept
    try:
        generators = concept.minimal_generators
    except BudgetExceeded:
        generators = None
    return {
        "by": by,
        "given": given,
        "added": _without(intent if by == "attributes" else extent, given),
        "intent": intent,
        "extent": extent,
        "support": concept.support,
        "relevant_attributes": concept.relevant_attributes,
        "upper_covers": [
            {"without": _without(intent, cover.intent), **_neighbour(cover)}
            for cover in concept.upper_covers
        ],
        "lower_covers": [
            {"with": _without(cover.intent, intent), **_neighbour(cover)}
            for cover in concept.lower_covers
        ],
        "minimal_generators": generators,
        "scores": {name: value for name, (value, _) in scores.items()},
        "inexact": [name for name, (_, exact) in scores.items() if not exact],
    }


def _neighbour(cover: Concept) -> dict[str, Any]:
    return {"intent": cover.intent, "support": cover.support}


def _without(larger: Sequence[str], smaller: Sequence[str]) -> list[str]:
    removed = set(smaller)
    return [name for name in larger if name not in removed]


def _scores(concept: Concept, measures: Iterable[str]) -> dict[str, tuple[float, bool]]:
    """Return the scores by some measures, and whether they are exact."""
    scores = {}
    for name in measures:
        measure = registry.get(name)
        # A measure of the lattice needs all concepts, and one concept is to be shown at once.
        if measure.builtin and measure.needs == "lattice":
            continue
        # Some measures need a parameter, such as labels, or too many other concepts.
        with suppress(MeasureError, BudgetExceeded):
            scores[name] = concept.score(name), concept.exact(name)
    return scores


def _write(facts: Mapping[str, Any], *, title: str) -> None:
    """Write everything about a concept to standard output."""
    _table.heading(
        f"{printable(title)}: a concept of {counted(facts['support'], 'object')} "
        f"and {counted(len(facts['intent']), 'attribute')}"
    )
    if facts["given"] and facts["added"]:
        given = _table.names(facts["given"], most=_table.MOST_NAMES)
        given[-1] += _ADDED[facts["by"]]
        _paragraph(["given", *given, *_table.names(facts["added"], most=_table.MOST_NAMES)])
    relevant = set(facts["relevant_attributes"])
    marked = [f"{RELEVANT}{name}" if name in relevant else name for name in facts["intent"]]
    _section("intent", [_table.names(marked, most=_table.MOST_NAMES)])
    if relevant:
        _paragraph([f"{RELEVANT} relevant: without it, more objects would qualify"])
    _section("extent", [_table.names(facts["extent"], most=MOST_OBJECTS)])
    for kind, word in (("upper_covers", "without"), ("lower_covers", "with")):
        covers = facts[kind]
        _section(
            f"{kind.replace('_', ' ')} ({len(covers):,})",
            [
                [f"{counted(cover['support'], 'object')} {word}", *_table.names(cover[word])]
                for cover in covers[:MOST_LINES]
            ],
            more=len(covers) - MOST_LINES,
        )
    generators = facts["minimal_generators"]
    if generators is None:
        _section("minimal generators", [["too many to list"]])
    else:
        _section(
            f"minimal generators ({len(generators):,})",
            list(map(_table.names, generators[:MOST_LINES])),
            more=len(generators) - MOST_LINES,
        )
    _write_scores(facts)


def _write_scores(facts: Mapping[str, Any]) -> None:
    """Write the scores; all of them in one table, so that the columns of all families align."""
    scores: Mapping[str, float] = facts["scores"]
    ordered = [("scores", name) for name in scores]
    if len(scores) > len(USUAL):
        ordered = [(f"scores: {family}", name) for family, name in _measures.by_family(scores)]
    texts = [
        _table.numbers(np.array([scores[name]]), exact=np.array([name not in facts["inexact"]]))[0]
        for _, name in ordered
    ]
    columns = [
        TextColumn("", [name for _, name in ordered], wraps=False),
        TextColumn("", texts, right=True),
        TextColumn("", [registry.get(name).summary.split() for _, name in ordered]),
    ]
    _table.write_grouped(columns, [title for title, _ in ordered])
    if facts["inexact"]:
        _paragraph(["~ an estimate or a bound"])
    if len(scores) <= len(USUAL):
        _paragraph(["--all shows the other scores"])


def _section(title: str, lines: Sequence[Sequence[str]], *, more: int = 0) -> None:
    _table.heading(f"\n{title}")
    _table.write_body([TextColumn("", lines)])
    if more > 0:
        _paragraph([f"… and {more:,} more (--format json)"])


def _paragraph(parts: Sequence[str]) -> None:
    _table.write_body([TextColumn("", [parts])])
