"""The rules that the page lists: the best of each basis, with their concepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conceptrank.budget import Budget
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.explorer.query import Answer
from conceptrank.explorer.spread import plain
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


def of_lattice(lattice: Lattice, basis: str) -> Answer:
    """Return the rules of a basis that the page lists, and a note on what was left out.

    Examples
    --------
    >>> import conceptrank as cr
    >>> found = of_lattice(cr.datasets.load("movies").lattice(), "luxenburger")
    >>> len(found["rules"]), found["rules"][0]
    (19, {'from': 8, 'to': 13, 'premise': [1, 5], 'conclusion': [6], 'support': 2, ...})
    >>> found["note"]
    '19 rules with support ≥ 1 and confidence ≥ 50%.'
    """
    known, (_, by) = bases.get(basis), BASES[basis]
    described = _empty(basis, "")
    if lattice.constrained or not lattice.complete:
        note = "Rules need all concepts, and some were left out or not reached."
        return described | {"note": note}
    # Rules whose premise no object has say nothing about the table.
    least = max(1, lattice.min_support, _least_support(lattice))
    rules = lattice.rules(
        basis,
        min_support=least,
        min_confidence=LEAST_CONFIDENCE,
        by=by,
        top=MOST_RULES,
        budget=Budget(rules=MOST_FOUND),
    )
    lift, leverage = rules.score("lift"), rules.score("leverage")
    (begins, premises), (starts, conclusions) = rules.premises, rules.conclusions
    described["rules"] = [
        {
            "from": int(rules.sources[i]),
            "to": int(rules.targets[i]),
            "premise": premises[begins[i] : begins[i + 1]].tolist(),
            "conclusion": conclusions[starts[i] : starts[i + 1]].tolist(),
            "support": int(rules.counts[i]),
            "confidence": int(rules.counts[i]) / int(rules.premise_counts[i]),
            "lift": plain(float(lift[i])),
            "leverage": plain(float(leverage[i])),
        }
        for i in range(len(rules))
    ]
    limits = [f"support ≥ {least:,}"]
    if not known.exact:
        limits.append(f"confidence ≥ {LEAST_CONFIDENCE:.0%}")
    among = f"{rules.among:,}" if rules.complete else f"the first {rules.among:,}"
    what = f"{rules.among:,} rules" if len(rules) == rules.among else f"{len(rules):,} of {among}"
    best = "" if len(rules) == rules.among else f", those of the largest {by}"
    command = f"conceptrank rules --basis {basis}"
    rest = "" if len(rules) == rules.among and least <= 1 else f" {command} lists the others."
    return described | {"note": f"{what} with {' and '.join(limits)}{best}.{rest}"}


def of_run(
    lattice: Lattice | None, basis: str, places: Callable[[Sequence[Concept]], list[int]]
) -> Answer:
    """Return the rules of a folder, from the lattice of its most frequent concepts.

    `places` returns the places of concepts in the folder. Without a lattice the page says why
    there are no rules.
    """
    if lattice is None:
        note = (
            "Rules need all concepts, and this run has left some out. The command conceptrank "
            "rules lists the rules of a table."
        )
        return _empty(basis, note)
    found = of_lattice(lattice, basis)
    ends = sorted({rule[end] for rule in found["rules"] for end in ("from", "to")})
    known = dict(zip(ends, places([lattice[place] for place in ends]), strict=True))
    rules = [
        rule | {"from": known[rule["from"]], "to": known[rule["to"]]} for rule in found["rules"]
    ]
    return found | {"rules": rules}


def _empty(basis: str, note: str) -> dict[str, Any]:
    known = bases.get(basis)
    return {
        "basis": basis,
        "title": BASES[basis][0],
        "summary": known.summary,
        "reference": known.reference,
        "note": note,
        "rules": [],
    }


def most_concepts(context: Context) -> int:
    """Return of how many concepts rules are found at once.

    Examples
    --------
    >>> import conceptrank as cr
    >>> most_concepts(cr.datasets.load("movies"))
    20000
    """
    return min(MOST_CONCEPTS, MOST_WORK // max(1, len(context.attributes)))


def _least_support(lattice: Lattice) -> int:
    """Return the least support that leaves so few concepts that their rules are found at once."""
    most = most_concepts(lattice.context)
    if len(lattice) <= most:
        return 0
    supports = lattice.supports
    # Take all concepts of a support or none.
    return int(supports[np.searchsorted(-supports, -supports[most]) - 1]) if most else 0
