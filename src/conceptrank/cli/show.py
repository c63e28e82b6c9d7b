"""`conceptrank show`: everything about one concept."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import isfinite
from typing import Annotated, Any, NamedTuple

import numpy as np

from conceptrank._util import text_table
from conceptrank._util.text import counted, printable
from conceptrank._util.text_table import GAP, TextColumn
from conceptrank.cli import _options, _output, _table
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
# Families of measures whose scores come first.
FAMILIES = ("size", "relevance", "stability", "tolerance", "robustness", "separation")


@define_command(
    examples=[
        "conceptrank show movies --intent criminal,drama",
        "conceptrank show movies --attribute criminal --attribute drama",
        "conceptrank show movies --objects 2,5 --format json",
    ]
)
def command(
    *,
    file: File,
    intent: Annotated[
        list[str] | None,
        option(
            "Attributes: repeat, or separate by commas; double quotes protect commas inside "
            "a name. '' is the concept of all objects.",
            "NAMES",
        ),
    ] = None,
    attribute: Annotated[
        list[str] | None, option("One attribute, never split at commas; repeat for more.", "NAME")
    ] = None,
    objects: Annotated[
        list[str] | None, option("Objects instead of attributes, typed likewise.", "NAMES")
    ] = None,
    all_objects: Annotated[bool, flag("List the whole extent.", "--all-objects")] = False,
    output_format: TableOrJson = "table",
    reading: Reading,
    messages: Messages,
) -> int:
    """Show one concept: the one that some attributes or objects generate.

    Lists its intent with relevant attributes marked, its extent, neighbours, minimal generators
    and scores. No lattice is built, so this is also fast on large tables.
    """
    by_attributes = intent is not None or attribute is not None
    if by_attributes == (objects is not None):
        raise WrongUseError(
            "name a concept by --intent (or --attribute), or by --objects"
            " (hint: --intent '' is the concept of all objects)"
        )
    context = reading.load(file, messages).context
    with messages.working("computing the concept"):
        try:
            if by_attributes:
                typed = _options.names(intent, context.attributes)
                names = list(dict.fromkeys([*typed, *(attribute or ())]))
                concept = context.concept(*names)
            else:
                names = _options.names(objects, context.objects)
                concept = context.concept(*context.intension(names))
        except UnknownNameError as error:
            raise WrongUseError(f"{file}: {error}") from error
        scores = _scores(concept)
        facts = _facts(concept, scores, names, "attributes" if by_attributes else "objects")
    if output_format == "json":
        _output.print_json(facts)
    else:
        _write(facts, scores, title=file, all_objects=all_objects)
    return DONE


class Score(NamedTuple):
    """A score: its value, whether it is exact, what it means, and the family of its measure."""

    family: str
    name: str
    value: float
    exact: bool
    meaning: str


def _facts(concept: Concept, scores: list[Score], given: list[str], by: str) -> dict[str, Any]:
    """Return everything about a concept as JSON has it; a score that is not finite is None."""
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
        "scores": {each.name: each.value if isfinite(each.value) else None for each in scores},
        "inexact": [each.name for each in scores if not each.exact],
    }


def _neighbour(cover: Concept) -> dict[str, Any]:
    return {"intent": cover.intent, "support": cover.support}


def _without(larger: Sequence[str], smaller: Sequence[str]) -> list[str]:
    removed = set(smaller)
    return [name for name in larger if name not in removed]


def _scores(concept: Concept) -> list[Score]:
    scores = []
    for name in registry.available().get_column("name"):
        measure = registry.get(name)
        if measure.builtin and measure.needs == "lattice":
            # It needs all concepts, and one concept is to be shown at once.
            continue
        try:
            value, exact = concept.score(name), concept.exact(name)
        except (MeasureError, BudgetExceeded):
            # It needs a parameter, such as labels, or too many other concepts.
            continue
        family = measure.compute.__module__.rpartition(".")[2] if measure.builtin else "others"
        scores.append(Score(family.replace("_", " "), name, value, exact, measure.summary))
    return scores


def _write(facts: Mapping[str, Any], scores: list[Score], *, title: str, all_objects: bool) -> None:
    """Write everything about a concept to standard output."""
    _table.heading(
        f"{printable(title)}: a concept of {counted(facts['support'], 'object')} "
        f"and {counted(len(facts['intent']), 'attribute')}"
    )
    if facts["given"] and facts["added"]:
        _paragraph(_closure(facts))
    _section("intent", _marked(facts))
    if facts["relevant_attributes"]:
        _paragraph([f"{RELEVANT} relevant: without it, more objects would qualify"])
    most = None if all_objects else MOST_OBJECTS
    _section("extent", _table.names(facts["extent"], most=most))
    _write_covers("upper covers", "without", facts["upper_covers"])
    _write_covers("lower covers", "with", facts["lower_covers"])
    _write_generators(facts["minimal_generators"])
    _write_relevance(facts, scores)
    _write_scores(scores)


def _closure(facts: Mapping[str, Any]) -> list[str]:
    also = {
        "attributes": "; every object with these also has",
        "objects": "; what these share is also shared by",
    }[facts["by"]]
    given = _table.names(facts["given"], most=_table.MOST_NAMES)
    given[-1] += also
    return ["given", *given, *_table.names(facts["added"], most=_table.MOST_NAMES)]


def _marked(facts: Mapping[str, Any]) -> list[str]:
    relevant = set(facts["relevant_attributes"])
    labels = [f"{RELEVANT}{name}" if name in relevant else name for name in facts["intent"]]
    return _table.names(labels, most=_table.MOST_NAMES)


def _write_covers(title: str, word: str, covers: Sequence[Mapping[str, Any]]) -> None:
    _table.heading(f"\n{title} ({len(covers):,})")
    shown = covers[:MOST_LINES]
    if shown:
        supports = [counted(cover["support"], "object") for cover in shown]
        differences = [
            [word, *_table.names(cover[word], most=_table.MOST_NAMES)] for cover in shown
        ]
        _table.write_body([TextColumn("", supports, right=True), TextColumn("", differences)])
    _rest(len(covers))


def _write_generators(generators: Sequence[Sequence[str]] | None) -> None:
    if generators is None:
        _table.heading("\nminimal generators")
        _paragraph(["too many to list"])
        return
    _table.heading(f"\nminimal generators ({len(generators):,})")
    for generator in generators[:MOST_LINES]:
        _paragraph(_table.names(generator, most=_table.MOST_NAMES))
    _rest(len(generators))


def _write_relevance(facts: Mapping[str, Any], scores: list[Score]) -> None:
    by_name = {score.name: score for score in scores}
    parts = [by_name[name] for name in ("conceptual_relevance", "cr_alpha", "cr_beta")]
    size, relevant = len(facts["intent"]), len(facts["relevant_attributes"])
    generators = facts["minimal_generators"]
    why_alpha = f"{relevant:,} of {size:,} attributes relevant" if size else "no attributes"
    if generators is not None and len(generators) < 2:
        why_beta = "there is only one minimal generator"
    else:
        many = "very many" if generators is None else f"{len(generators):,}"
        subsets = f"{2**size - 2:,}" if size <= 20 else f"2^{size} - 2"
        why_beta = f"{many} of the {subsets} proper, non-empty subsets are minimal generators"
    _table.heading("\nConceptual Relevance")
    columns = [
        TextColumn("", ["cr", "α", "β"], wraps=False),
        TextColumn("", [_shown(each.value, exact=each.exact) for each in parts], right=True),
        TextColumn("", ["the mean of α and β", why_alpha.split(), why_beta.split()]),
    ]
    _table.write_body(columns)


def _write_scores(scores: list[Score]) -> None:
    scores = sorted(scores, key=lambda score: _family_order(score.family))
    columns = [
        TextColumn("", [score.name for score in scores], wraps=False),
        TextColumn("", [_shown(score.value, exact=score.exact) for score in scores], right=True),
        TextColumn("", [score.meaning.split() for score in scores]),
    ]
    # One table, so that the columns of all families align.
    lines = text_table.rows(columns, width=_table.line_width(sys.stdout), indent=GAP)
    for family, members in groupby(zip(scores, lines, strict=True), lambda one: one[0].family):
        _table.heading(f"\nscores: {family}")
        _table.write([line for _, row in members for line in row], titled=False)
    if not all(score.exact for score in scores):
        _paragraph(["~ an estimate or a bound"])


def _family_order(family: str) -> tuple[int, str]:
    return (FAMILIES.index(family) if family in FAMILIES else len(FAMILIES), family)


def _section(title: str, parts: Sequence[str]) -> None:
    _table.heading(f"\n{title}")
    _paragraph(parts)


def _paragraph(parts: Sequence[str]) -> None:
    _table.write_body([TextColumn("", [parts])])


def _rest(total: int) -> None:
    if total > MOST_LINES:
        _table.write([f"{GAP}… and {total - MOST_LINES:,} more (--format json)"], titled=False)


def _shown(value: float, *, exact: bool) -> str:
    return _table.numbers(np.array([value]), exact=np.array([exact]))[0]
