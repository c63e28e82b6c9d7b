"""The rules that the page lists: the best of each basis, with their concepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.budget import Budget
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.explorer.short_list import plain
from conceptrank.lattice import Lattice
from conceptrank.rules import bases

# The bases, what the page calls them, and the measure that picks the rules it lists.
BASES = {
    "duquenne_guigues": ("Duquenne–Guigues", "support"),
    "minimal_non_redundant": ("minimal non-redundant", "leverage"),
    "luxenburger": ("Luxenburger", "leverage"),
}
MOST_RULES = 300
# Rules come from at most this many concepts, those with the largest supports. A limit on seconds
# would make the page depend on the machine.
MOST_CONCEPTS = 20_000
MOST_FOUND = 1_000_000
# The most attributes times concepts; it limits the search for the Duquenne–Guigues basis.
MOST_WORK = 40_000_000
LEAST_CONFIDENCE = 0.5


def of_lattice(
    lattice: Lattice | None, basis: str, places: Callable[[Sequence[Concept]], list[int]]
) -> dict[str, Any]:
    """Return the rules of a basis that the page lists, and a note on what was left out.

    Parameters
    ----------
    lattice
        The concepts that the rules come from; None if some were left out.
    basis
        The basis.
    places
        Returns the places of concepts on the page, -1 for those that are not there.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> found = of_lattice(lattice, "luxenburger", lambda concepts: [0] * len(concepts))
    >>> len(found["rules"]), found["rules"][0]
    (19, {'from': 0, 'to': 0, 'premise': [1, 5], 'conclusion': [6], 'support': 2, ...})
    >>> found["note"]
    '19 rules with support ≥ 1 and confidence ≥ 50%.'
    """
    known, (title, by) = bases.get(basis), BASES[basis]
    described: dict[str, Any] = {
        "basis": basis,
        "title": title,
        "summary": known.summary,
        "reference": known.reference,
        "note": "Rules need all concepts, and some were left out or not reached. The command "
        "conceptrank rules lists the rules of a table.",
        "rules": [],
    }
    if lattice is None or lattice.constrained or not lattice.complete:
        return described
    # Rules whose premise no object has say nothing about the table.
    least = max(1, lattice.min_support)
    if len(lattice) > (most := most_concepts(lattice.context)):
        least = max(least, least_support(lattice.supports, most))
    rules = lattice.rules(
        basis,
        min_support=least,
        min_confidence=LEAST_CONFIDENCE,
        by=by,
        top=MOST_RULES,
        budget=Budget(rules=MOST_FOUND),
    )
    ends = np.unique(np.concatenate([rules.sources, rules.targets]))
    on_page = dict(
        zip(ends.tolist(), places([lattice[place] for place in ends.tolist()]), strict=True)
    )
    lift, leverage = rules.score("lift"), rules.score("leverage")
    described["rules"] = [
        {
            "from": on_page[int(rules.sources[i])],
            "to": on_page[int(rules.targets[i])],
            "premise": _lists.at(rules.premises, i).tolist(),
            "conclusion": _lists.at(rules.conclusions, i).tolist(),
            "support": int(rules.counts[i]),
            "confidence": int(rules.counts[i]) / int(rules.premise_counts[i]),
            "lift": plain(float(lift[i])),
            "leverage": plain(float(leverage[i])),
        }
        for i in range(len(rules))
    ]
    limits = f"support ≥ {least:,}"
    if not known.exact:
        limits += f" and confidence ≥ {LEAST_CONFIDENCE:.0%}"
    if len(rules) == rules.among:
        note = f"{rules.among:,} rules with {limits}."
    else:
        among = f"{rules.among:,}" if rules.complete else f"the first {rules.among:,}"
        note = f"{len(rules):,} of {among} with {limits}, those of the largest {by}."
    if len(rules) < rules.among or least > 1:
        note += f" conceptrank rules --basis {basis} lists the others."
    return described | {"note": note}


def most_concepts(context: Context) -> int:
    """Return of how many concepts rules are found at once.

    Examples
    --------
    >>> import conceptrank as cr
    >>> most_concepts(cr.datasets.load("movies"))
    20000
    """
    return min(MOST_CONCEPTS, MOST_WORK // max(1, len(context.attributes)))


def least_support(supports: NDArray[Any], most: int) -> int:
    """Return the least support that at most so many concepts have; the largest one comes first.

    Of a support, all concepts count or none.

    Examples
    --------
    >>> least_support(np.array([5, 4, 3, 3]), 3)
    4
    """
    return int(supports[np.searchsorted(-supports, -supports[most]) - 1]) if most else 0
