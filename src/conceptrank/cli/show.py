"""`conceptrank show`: everything about one concept."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from typing import Annotated, Any, Literal

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

# The most names, objects, and covers or generators that the text lists; JSON has them all.
MOST_NAMES = 100
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
        facts = facts_of(concept, given=names, by="attributes" if by_attributes else "objects")
    if output_format == "json":
        _output.print_json(facts.as_dict())
    else:
        _write(facts, title=file, all_objects=all_objects)
    return DONE


@dataclass(frozen=True)
class Neighbour:
    """A cover: how its intent differs from the concept's, its intent and its support."""

    difference: tuple[str, ...]
    intent: tuple[str, ...]
    support: int


@dataclass(frozen=True)
class Score:
    """A score: its value, whether it is exact, what it means, and the family of its measure."""

    family: str
    name: str
    value: float
    exact: bool
    meaning: str


@dataclass(frozen=True)
class Facts:
    """A concept with its neighbours, generators and scores.

    `given` are the names that the user typed, and `added` those that the closure added.
    `minimal_generators` is None if there are too many to list.
    """

    by: Literal["attributes", "objects"]
    given: tuple[str, ...]
    added: tuple[str, ...]
    intent: tuple[str, ...]
    extent: tuple[str, ...]
    support: int
    relevant_attributes: tuple[str, ...]
    upper_covers: tuple[Neighbour, ...]
    lower_covers: tuple[Neighbour, ...]
    minimal_generators: tuple[tuple[str, ...], ...] | None
    scores: tuple[Score, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; a score that is not finite becomes null."""
        return {
            **vars(self),
            "upper_covers": [
                {"without": each.difference, "intent": each.intent, "support": each.support}
                for each in self.upper_covers
            ],
            "lower_covers": [
                {"with": each.difference, "intent": each.intent, "support": each.support}
                for each in self.lower_covers
            ],
            "scores": {
                each.name: each.value if isfinite(each.value) else None for each in self.scores
            },
            "inexact": [each.name for each in self.scores if not each.exact],
        }

    def score(self, name: str) -> Score:
        """Return a score."""
        return next(score for score in self.scores if score.name == name)


def facts_of(concept: Concept, *, given: list[str], by: Literal["attributes", "objects"]) -> Facts:
    """Return everything about a concept.

    Examples
    --------
    >>> import conceptrank as cr
    >>> concept = cr.datasets.load("movies").concept("criminal", "drama")
    >>> facts = facts_of(concept, given=["criminal", "drama"], by="attributes")
    >>> facts.added, facts.upper_covers[0].difference, facts.score("cr_alpha").value
    (('adventure',), ('drama',), 0.3333333333333333)
    """
    extent, intent = concept
    whole = intent if by == "attributes" else extent
    typed = set(given)
    try:
        generators = concept.minimal_generators
    except BudgetExceeded:
        generators = None
    return Facts(
        by=by,
        given=tuple(given),
        added=tuple(name for name in whole if name not in typed),
        intent=intent,
        extent=extent,
        support=concept.support,
        relevant_attributes=concept.relevant_attributes,
        upper_covers=tuple(
            Neighbour(_without(intent, cover.intent), cover.intent, cover.support)
            for cover in concept.upper_covers
        ),
        lower_covers=tuple(
            Neighbour(_without(cover.intent, intent), cover.intent, cover.support)
            for cover in concept.lower_covers
        ),
        minimal_generators=generators,
        scores=tuple(_scores(concept)),
    )


def _without(larger: tuple[str, ...], smaller: tuple[str, ...]) -> tuple[str, ...]:
    removed = set(smaller)
    return tuple(name for name in larger if name not in removed)


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


def _write(facts: Facts, *, title: str, all_objects: bool) -> None:
    """Write everything about a concept to standard output."""
    _table.heading(
        f"{printable(title)}: a concept of {counted(facts.support, 'object')} "
        f"and {counted(len(facts.intent), 'attribute')}"
    )
    if facts.given and facts.added:
        _paragraph(_closure(facts))
    _section("intent", _marked(facts))
    if facts.relevant_attributes:
        _paragraph([f"{RELEVANT} relevant: without it, more objects would qualify"])
    most = None if all_objects else MOST_OBJECTS
    _section("extent", _table.names(facts.extent, most=most))
    _write_covers("upper covers", "without", facts.upper_covers)
    _write_covers("lower covers", "with", facts.lower_covers)
    _write_generators(facts)
    _write_relevance(facts)
    _write_scores(facts)


def _closure(facts: Facts) -> list[str]:
    also = {
        "attributes": "; every object with these also has",
        "objects": "; what these share is also shared by",
    }[facts.by]
    given = _table.names(facts.given, most=MOST_NAMES)
    given[-1] += also
    return ["given", *given, *_table.names(facts.added, most=MOST_NAMES)]


def _marked(facts: Facts) -> list[str]:
    relevant = set(facts.relevant_attributes)
    labels = [f"{RELEVANT}{name}" if name in relevant else name for name in facts.intent]
    return _table.names(labels, most=MOST_NAMES)


def _write_covers(title: str, word: str, covers: Sequence[Neighbour]) -> None:
    _table.heading(f"\n{title} ({len(covers):,})")
    shown = covers[:MOST_LINES]
    if shown:
        supports = [counted(cover.support, "object") for cover in shown]
        differences = [[word, *_table.names(c.difference, most=MOST_NAMES)] for c in shown]
        _table.write_body([TextColumn("", supports, right=True), TextColumn("", differences)])
    _rest(len(covers))


def _write_generators(facts: Facts) -> None:
    if facts.minimal_generators is None:
        _table.heading("\nminimal generators")
        _paragraph(["too many to list"])
        return
    _table.heading(f"\nminimal generators ({len(facts.minimal_generators):,})")
    for generator in facts.minimal_generators[:MOST_LINES]:
        _paragraph(_table.names(generator, most=MOST_NAMES))
    _rest(len(facts.minimal_generators))


def _write_relevance(facts: Facts) -> None:
    parts = [facts.score(name) for name in ("conceptual_relevance", "cr_alpha", "cr_beta")]
    size, relevant = len(facts.intent), len(facts.relevant_attributes)
    generators = facts.minimal_generators
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


def _write_scores(facts: Facts) -> None:
    scores = sorted(facts.scores, key=lambda score: _family_order(score.family))
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
    if not all(score.exact for score in facts.scores):
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
