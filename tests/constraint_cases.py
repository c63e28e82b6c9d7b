"""Small random contexts, random constraints, and what constraints mean."""

from random import Random
from typing import Any

import numpy as np

import conceptrank as cr
from conceptrank.best import Best, best
from conceptrank.query import Constraints, Query


def some_context(random: Random, *, most: int = 9) -> cr.Context:
    n, q = random.randint(0, most), random.randint(0, most)
    density = random.choice((0.2, 0.5, 0.8))
    rows = [[random.random() < density for _ in range(q)] for _ in range(n)]
    # Equal rows have a weight in the core.
    rows += [random.choice(rows) for _ in range(random.choice((0, 3)))] if rows else []
    table = np.array(rows, dtype=bool).reshape(len(rows), q)
    return cr.Context(range(len(rows)), [f"m{m}" for m in range(q)], table)


def some_constraints(random: Random, context: cr.Context) -> Constraints:
    n, q = context.shape

    def some(names: tuple[str, ...], most: int) -> list[str]:
        return random.sample(names, min(len(names), random.randint(0, most)))

    given = {
        "contains": some(context.attributes, 2),
        "excludes": some(context.attributes, 2),
        "any_of": some(context.attributes, 3),
        "objects": some(context.objects, 1),
        "min_support": random.choice((0, 1, 2, 0.3)),
        "max_support": random.choice((None, n // 2, 0.6)),
        "min_intent": random.randint(0, 3),
        "max_intent": random.choice((None, 2, q // 2)),
    }
    kept = random.sample(sorted(given), random.randint(0, 3))
    return Constraints(**{name: given[name] for name in kept})


def meets(constraints: Constraints, context: cr.Context, concept: cr.Concept) -> bool:
    """The constraints, as they are defined."""
    n, _ = context.shape
    extent, intent = map(set, concept)
    least, most = constraints.min_support, constraints.max_support
    return (
        set(constraints.contains) <= intent
        and not set(constraints.excludes) & intent
        and (not constraints.any_of or bool(set(constraints.any_of) & intent))
        and set(constraints.objects) <= extent
        and len(extent) >= (least * n if isinstance(least, float) else least)
        and (most is None or len(extent) <= (most * n if isinstance(most, float) else most))
        and constraints.min_intent <= len(intent)
        and (constraints.max_intent is None or len(intent) <= constraints.max_intent)
    )


def keywords(constraints: Constraints) -> dict:
    """The constraints as keywords, those without effect aside."""
    fields = Constraints.__dataclass_fields__
    given = {name: getattr(constraints, name) for name in fields}
    return {name: value for name, value in given.items() if value != fields[name].default}


def best_of(
    context: cr.Context, k: int, by: Any, constraints: Constraints | None = None, **more: Any
) -> Best:
    """The best concepts, with the choices that only the search itself takes."""
    given = keywords(constraints or Constraints())
    search = {name: more.pop(name) for name in ("ties", "comparison") if name in more}
    query = Query.of(context, by, **given, **more)
    return best(query, k, **search)
