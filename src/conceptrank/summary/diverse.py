"""Diverse concepts: high scores that overlap little, by maximal marginal relevance."""

from __future__ import annotations

from conceptrank._util import lists as _lists
from conceptrank.budget import Budget
from conceptrank.context import Context
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.query import ConstraintOptions
from conceptrank.ranking import diversity
from conceptrank.ranking.diversity import Overlap
from conceptrank.summary.selection import Choice, Crosses, Selection

# Marginal relevance has no natural end: there is always a next concept that overlaps a little more.
_DEFAULT_PATTERNS = 10


def select(
    context: Context,
    *,
    max_patterns: int | None = None,
    min_support: float = 0,
    by: MeasureLike = "separation",
    overlap: Overlap = "extent",
    threads: int = 0,
    lattice: Lattice | None = None,
    constraints: ConstraintOptions | None = None,
    budget: Budget | None = None,
) -> Selection:
    """Return concepts with high scores that overlap little, as `Ranking.diverse` does.

    The gain of a concept is its score, divided by the best one, times 1 minus its largest overlap
    with a concept before it.

    Parameters
    ----------
    context
        The context.
    max_patterns
        The number of concepts; 10 if None, since this method has no other end.
    min_support
        The least number of objects of a concept; a float is a share of all objects.
    by
        The measure.
    overlap
        What a concept covers: its objects (`"extent"`) or its crosses (`"cells"`).
    threads
        The number of threads that mine the concepts; 0 is one per processor.
    lattice
        The concepts to choose from, if they are mined already.
    constraints
        Which concepts to choose from, as for `Context.lattice`; all if None.
    budget
        Limits. A limit that ends the mining leaves the concepts found so far to choose from.

    References
    ----------
    Carbonell, Goldstein, The use of MMR, diversity-based reranking for reordering documents and
    producing summaries, SIGIR (1998).

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> for choice in select(context, max_patterns=2, by="cr"):
    ...     print([context.attributes[m] for m in choice.intent], round(choice.gain, 3))
    ['adventure'] 1.0
    ['comedy', 'drama'] 1.0
    """
    if lattice is None:
        lattice = context.lattice(
            min_support=min_support,
            threads=threads,
            budget=budget,
            measures=[by],
            **(constraints or {}),
        )
    ranking = lattice.rank(by=by)
    worths = diversity.worths(
        ranking.score(ranking.by), descending=ranking.recipe.descending[ranking.by]
    )
    most = _DEFAULT_PATTERNS if max_patterns is None else max_patterns
    rows, picked = diversity.pick(lattice, ranking.order, worths, most, overlap)
    gains = worths[rows] * (1 - picked.overlaps)
    offsets, values = _lists.take(lattice.intents, ranking.order[rows])
    crosses, choices = Crosses(context), []
    for number, gain in enumerate(gains.tolist()):
        intent = tuple(values[offsets[number] : offsets[number + 1]].tolist())
        choices.append(Choice(intent, gain, crosses.explain(intent)))
    return Selection(tuple(choices), "share of the best score", lattice.stopped)
