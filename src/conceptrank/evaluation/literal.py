"""The paper's algorithms, written literally in plain Python.

This module is a reference for timing; no score of the product comes from it. It follows the text
of the paper closely. A context is a mapping from objects to sets of attributes, and derivations are
loops. Relevant attributes come from removing one attribute after the other, minimal generators from
the faces towards the upper covers by the incremental update of Pfaltz and Taylor, and stability
from all subsets.

References
----------
Ibrahim, Missaoui, Vaillancourt, Detecting important patterns using Conceptual Relevance
interestingness measure (2021), Algorithm 1. Pfaltz, Taylor, Scientific knowledge discovery through
iterative transformation of concept lattices (2002).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations
from typing import TypeAlias

Names: TypeAlias = frozenset[str]
Table: TypeAlias = Mapping[str, Names]


def intension(table: Table, objects: Iterable[str], attributes: Names) -> Names:
    """Return the attributes that all of the objects have.

    Examples
    --------
    >>> table = {"1": frozenset("ab"), "2": frozenset("bc")}
    >>> sorted(intension(table, ["1", "2"], frozenset("abc")))
    ['b']
    """
    common = set(attributes)
    for name in objects:
        common &= table[name]
    return frozenset(common)


def extension(table: Table, attributes: Names) -> Names:
    """Return the objects that have all of the attributes.

    Examples
    --------
    >>> sorted(extension({"1": frozenset("ab"), "2": frozenset("bc")}, frozenset("b")))
    ['1', '2']
    """
    return frozenset(name for name, row in table.items() if attributes <= row)


def subsets(names: Names) -> Iterator[Names]:
    """Return all subsets.

    Examples
    --------
    >>> len(list(subsets(frozenset("abc"))))
    8
    """
    ordered = sorted(names)
    sizes = range(len(ordered) + 1)
    return map(frozenset, chain.from_iterable(combinations(ordered, size) for size in sizes))


def upper_cover_intents(table: Table, extent: Names, intent: Names) -> list[Names]:
    """Return the intents of the upper covers: the largest ones among B ∩ g′, g not in A.

    Examples
    --------
    >>> table = {"1": frozenset("ab"), "2": frozenset("bc"), "3": frozenset("b")}
    >>> [sorted(intent) for intent in upper_cover_intents(table, frozenset("1"), frozenset("ab"))]
    [['b']]
    """
    candidates = {intent & row for name, row in table.items() if name not in extent}
    return [one for one in candidates if not any(one < other for other in candidates)]


def minimal_generators(faces: Iterable[Names]) -> list[Names]:
    """Return the minimal sets that meet every face, one face at a time.

    Examples
    --------
    >>> found = minimal_generators([frozenset("ab"), frozenset("d")])
    >>> sorted("".join(sorted(generator)) for generator in found)
    ['ad', 'bd']
    """
    found = [frozenset[str]()]
    for face in faces:
        meeting = [one for one in found if one & face]
        extended = {one | {name} for one in found if not one & face for name in face}
        meeting += [
            one for one in extended if not any(other < one for other in extended | {*meeting})
        ]
        found = meeting
    return found


def conceptual_relevance(table: Table, extent: Names, intent: Names) -> float:
    """Return the Conceptual Relevance of a concept: Algorithm 1.

    Examples
    --------
    >>> table = {"1": frozenset("ab"), "2": frozenset("bc"), "3": frozenset("b")}
    >>> conceptual_relevance(table, frozenset("1"), frozenset("ab"))
    0.25
    """
    if not intent:
        return 0.0
    relevant = sum(extension(table, intent - {name}) != extent for name in intent)
    alpha = relevant / len(intent)
    faces = [intent - upper for upper in upper_cover_intents(table, extent, intent)]
    generators = minimal_generators(faces)
    beta = 0.0
    if len(generators) > 1 and len(intent) > 1:
        beta = len(generators) / (2 ** len(intent) - 2)
    return (alpha + beta) / 2


def stability_intensional(table: Table, extent: Names, intent: Names, attributes: Names) -> float:
    """Return the share of the subsets of the extent that have the same intent.

    Examples
    --------
    >>> table = {"1": frozenset("ab"), "2": frozenset("bc"), "3": frozenset("b")}
    >>> stability_intensional(table, frozenset("123"), frozenset("b"), frozenset("abc"))
    0.625
    """
    same = sum(intension(table, part, attributes) == intent for part in subsets(extent))
    return float(same / 2 ** len(extent))


def stability_extensional(table: Table, extent: Names, intent: Names) -> float:
    """Return the share of the subsets of the intent that have the same extent.

    Examples
    --------
    >>> table = {"1": frozenset("ab"), "2": frozenset("bc"), "3": frozenset("b")}
    >>> stability_extensional(table, frozenset("1"), frozenset("ab"))
    0.5
    """
    same = sum(extension(table, part) == extent for part in subsets(intent))
    return float(same / 2 ** len(intent))
