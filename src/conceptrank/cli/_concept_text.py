"""One concept as text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from conceptrank._text import printable
from conceptrank.cli import _table
from conceptrank.cli._concept_facts import Facts, Neighbour
from conceptrank.cli._table import GAP, Column

# So many names, covers and generators are listed; the JSON form has them all.
MOST_NAMES = 100
MOST_OBJECTS = 20
MOST_LINES = 10
RELEVANT = "*"


def write(facts: Facts, *, title: str, all_objects: bool) -> None:
    """Write everything about a concept to standard output."""
    width = _table.line_width(sys.stdout)
    _table.heading(
        f"{printable(title)}: a concept of {_count(len(facts.extent), 'object')} "
        f"and {_count(len(facts.intent), 'attribute')}"
    )
    if facts.given and facts.added:
        _paragraph(_closure(facts), width)
    _section("intent", width, _marked(facts))
    if facts.relevant_attributes:
        _paragraph([f"{RELEVANT} relevant: without it, more objects would qualify"], width)
    most = None if all_objects else MOST_OBJECTS
    _section("extent", width, _table.names(facts.extent, most=most))
    _covers("upper covers", "without", facts.upper_covers, width)
    _covers("lower covers", "with", facts.lower_covers, width)
    _generators(facts, width)
    _relevance(facts, width)
    _scores(facts, width)


def _closure(facts: Facts) -> list[str]:
    also = {
        "attributes": "; every object with them also has",
        "objects": "; what they have in common is also common to",
    }[facts.by]
    given = _table.names(facts.given, most=MOST_NAMES)
    given[-1] += also
    return ["given", *given, *_table.names(facts.added, most=MOST_NAMES)]


def _marked(facts: Facts) -> list[str]:
    relevant = set(facts.relevant_attributes)
    labels = [f"{RELEVANT}{name}" if name in relevant else name for name in facts.intent]
    return _table.names(labels, most=MOST_NAMES)


def _covers(title: str, word: str, covers: Sequence[Neighbour], width: int | None) -> None:
    _table.heading(f"\n{title} ({len(covers):,})")
    shown = covers[:MOST_LINES]
    if shown:
        supports = [_count(cover.support, "object") for cover in shown]
        differences = [[word, *_table.names(c.difference, most=MOST_NAMES)] for c in shown]
        _body([Column("", supports, right=True), Column("", differences)], width)
    _rest(len(covers))


def _generators(facts: Facts, width: int | None) -> None:
    if facts.minimal_generators is None:
        _table.heading("\nminimal generators")
        _paragraph(["too many to list"], width)
        return
    _table.heading(f"\nminimal generators ({len(facts.minimal_generators):,})")
    for generator in facts.minimal_generators[:MOST_LINES]:
        _paragraph(_table.names(generator, most=MOST_NAMES), width)
    _rest(len(facts.minimal_generators))


def _relevance(facts: Facts, width: int | None) -> None:
    parts = [facts.score(name) for name in ("conceptual_relevance", "cr_alpha", "cr_beta")]
    size, relevant = len(facts.intent), len(facts.relevant_attributes)
    generators = facts.minimal_generators
    why_alpha = f"{relevant:,} of {size:,} attributes relevant" if size else "no attributes"
    if generators is not None and len(generators) < 2:
        why_beta = "there is one minimal generator only"
    else:
        many = "very many" if generators is None else f"{len(generators):,}"
        subsets = f"{2**size - 2:,}" if size <= 20 else f"2^{size} - 2"
        why_beta = f"{many} of the {subsets} proper, non-empty subsets are minimal generators"
    _table.heading("\nConceptual Relevance")
    columns = [
        Column("", ["cr", "α", "β"], wraps=False),
        Column("", [_shown(each.value, exact=each.exact) for each in parts], right=True),
        Column("", ["the mean of α and β", why_alpha.split(), why_beta.split()]),
    ]
    _body(columns, width)


def _scores(facts: Facts, width: int | None) -> None:
    _table.heading("\nscores")
    columns = [
        Column("", [score.name for score in facts.scores], wraps=False),
        Column("", [_shown(score.value, exact=score.exact) for score in facts.scores], right=True),
        Column("", [score.meaning.split() for score in facts.scores]),
    ]
    _body(columns, width)
    if not all(score.exact for score in facts.scores):
        _paragraph(["~ an estimate or a bound"], width)


def _section(title: str, width: int | None, parts: Sequence[str]) -> None:
    _table.heading(f"\n{title}")
    _paragraph(parts, width)


def _paragraph(parts: Sequence[str], width: int | None) -> None:
    _body([Column("", [parts])], width)


def _body(columns: Sequence[Column], width: int | None) -> None:
    _, *body = _table.lines(columns, width=width, indent=GAP)
    _table.write(body, titled=False)


def _rest(total: int) -> None:
    if total > MOST_LINES:
        _table.write([f"{GAP}… and {total - MOST_LINES:,} more (--format json)"], titled=False)


def _shown(value: float, *, exact: bool) -> str:
    return _table.numbers(np.array([value]), exact=np.array([exact]))[0]


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
