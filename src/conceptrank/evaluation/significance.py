"""`significance`: p-values of concepts against random contexts, by any measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util import text_table
from conceptrank.budget import Budget
from conceptrank.concept import Concept
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.datasets._samplers import count, share
from conceptrank.errors import ConceptRankError, checked_choice
from conceptrank.evaluation import multiplicity
from conceptrank.evaluation._comparison import AllConcepts, Alternative, Comparison, Tally
from conceptrank.evaluation._work import Run
from conceptrank.evaluation.nulls import NullLike, NullSource, shown
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import Ranking

Correction: TypeAlias = Literal["bh", "by", "westfall_young"]
Tested: TypeAlias = "Context | Concepts | Ranking | Concept | Sequence[Concept]"

_SHOWN_ROWS = 10
_CORRECTIONS: dict[str | None, str] = {
    "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli",
    "westfall_young": "Westfall–Young",
    None: "no correction",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SignificanceResult:
    """P-values of concepts. All arrays are in the order of the concepts.

    Attributes
    ----------
    concepts
        The concepts: a lattice, or a batch of single ones.
    measure, null
        The measure and the null model.
    alternative
        Whether `"greater"` or `"less"` scores count as extreme.
    correction
        For many tests: `"bh"`, `"by"`, `"westfall_young"` or None.
    alpha
        The level of `significant`.
    seed, samples
        The seed, and the number of random contexts.
    stopped
        What ended the draws early: `"seconds"`, `"cancelled"`, or `""` if nothing did. The
        p-values are valid for the samples drawn.
    observed
        The scores in the context, or in the hold-out.
    expected
        The mean of the scores in the random contexts, where they are finite.
    pvalues
        The p-value of each intent alone. It is valid only for an intent that was fixed before
        looking at the context.
    adjusted
        The corrected p-values.
    fixed
        Whether the intents counted as fixed beforehand.
    maxima
        With the correction of Westfall and Young: the largest statistic in each random context.
    distance
        With a chain as the null model: the share of the crosses that differ between the context
        and the hub, where all random contexts start. A value near 0 means that the margins leave
        no freedom, or that there were too few steps.
    """

    concepts: Concepts
    measure: str
    null: str
    alternative: Alternative
    correction: Correction | None
    alpha: float
    seed: int
    samples: int
    stopped: str
    observed: Scores
    expected: Scores
    pvalues: Scores
    adjusted: Scores
    fixed: bool
    maxima: Scores | None
    distance: float | None

    @property
    def complete(self) -> bool:
        """Whether all samples were drawn."""
        return not self.stopped

    @cached_property
    def significant(self) -> NDArray[np.bool_]:
        """Which concepts have an adjusted p-value of at most `alpha`."""
        return self.adjusted <= self.alpha

    @property
    def title(self) -> str:
        """The test and its result in one line."""
        return (
            f"Significance of {len(self):,} concepts by {self.measure} against {self.null}, "
            f"{self.samples:,} samples, {_CORRECTIONS[self.correction]}"
            f"{'' if self.fixed else ' over all concepts'}: "
            f"{int(self.significant.sum()):,} at {self.alpha:g}"
        )

    def to_polars(self) -> pl.DataFrame:
        """Return a row per concept, in their order.

        Examples
        --------
        >>> import conceptrank as cr
        >>> result = cr.evaluation.significance(cr.datasets.load("movies"), samples=99)
        >>> result.to_polars().columns
        ['support', 'expected', 'p', 'adjusted', 'significant', 'intent']
        """
        from conceptrank.convert import results

        intents = results.list_column(self.concepts.intents, self.concepts.context.attributes)
        columns: dict[str, object] = {
            self.measure: self.observed,
            "expected": self.expected,
            "p": self.pvalues,
            "adjusted": self.adjusted,
            "significant": self.significant,
        }
        return pl.DataFrame(columns | {"support": self.concepts.supports, "intent": intents})

    def __len__(self) -> int:
        return len(self.observed)

    def __repr__(self) -> str:
        order = np.lexsort((self.pvalues, self.adjusted))[:_SHOWN_ROWS].tolist()
        attributes = self.concepts.context.attributes
        taken = _lists.take(self.concepts.intents, np.array(order, dtype=np.int64))
        intents = _lists.labelled(map(np.ndarray.tolist, _lists.each(taken)), attributes)
        columns = (self.pvalues, self.adjusted, self.observed, self.expected)
        rows = [
            [*(_text.number(column[i]) for column in columns), _text.braces(intent)]
            for i, intent in zip(order, intents, strict=False)
        ]
        header = ["p", "adjusted", self.measure, "expected", "intent"]
        return text_table.titled(self.title, header, rows, total=len(self))


def significance(
    concepts: Tested,
    *,
    measure: MeasureLike = "support",
    null: NullLike = "curveball",
    samples: int = 999,
    seed: int = 0,
    alternative: Alternative | None = None,
    correction: Correction | None = "westfall_young",
    alpha: float = 0.05,
    holdout: Context | None = None,
    fixed: bool = False,
    threads: int = 0,
    budget: Budget | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> SignificanceResult:
    """Test whether concepts score higher than in random contexts.

    By default the concepts count as mined from the context: every random context is mined as well,
    with the same minimum support, and the adjusted p-value of a concept is (1 + r) / (1 + R), with
    r the number of the R random contexts in which any concept scores at least as high (as low).
    That limits the chance of any false discovery to `alpha`, however the concepts were chosen.
    For `support` and `frequency` the compared statistic is the surprise at the support if
    attributes were independent (`shannon_surprise`; `independence_z` for `"less"`).

    With `fixed=True` or `holdout`, the intents count as chosen without looking at the tested
    context. Each intent B is then compared with itself in random contexts. By `support` and
    `frequency`, its score there is that of the objects that have all of B. By other measures it is
    the score of the concept with the intent B, if B is closed there; otherwise it is 0, or infinite
    for a measure whose low scores are the interesting ones.

    Parameters
    ----------
    concepts
        The concepts: all of a context, a lattice, a ranking, or some concepts of one context.
    measure
        A measure: a name, or a pair of a name and its parameters.
    null
        The null model: a name of `nulls.available()`, a pair of a name and parameters, or a
        function that takes a context and a seed and returns a context with the same attributes.
    samples
        The number of random contexts. No p-value is below 1 / (samples + 1), and `"bh"` and
        `"by"` multiply the smallest ones.
    seed
        Of the random contexts. The result does not depend on the number of threads.
    alternative
        `"greater"` or `"less"`; the interesting direction of the measure if None.
    correction
        For many tests. `"westfall_young"` limits the chance of any false discovery by the maximum
        over all tests. The others need `fixed=True` or `holdout`: `"bh"` (Benjamini–Hochberg) and
        `"by"` (Benjamini–Yekutieli, for any dependence) limit the share of false discoveries, None
        corrects nothing. With fixed intents, Westfall–Young standardises each score by its mean and
        deviation under the null, which favours intents that random contexts rarely score at all.
    alpha
        The level for `significant`.
    holdout
        Another context with the same attributes to test in, such as the half of the objects that
        was not mined.
    fixed
        Whether the intents were chosen without looking at the context. If they were not, the
        corrections don't hold: see the notes.
    threads
        The number of threads; 0 for one per processor.
    budget
        A limit in seconds, and a way to cancel. The result then rests on fewer samples.
    progress
        Called with the number of samples drawn and their share.

    Notes
    -----
    A p-value depends on what the null model randomises. `curveball` and `swap` keep the sizes of
    all objects and attributes. The row models (`categorical_rows`, `dirichlet_rows`, `coin_toss`,
    `fixed_density`) make attributes exchangeable, so a small p-value can mean only that the
    attributes of B are frequent. `resample_rows` randomises the choice of objects alone: its
    p-values describe how a score varies, not whether it is due to chance.

    Treating mined concepts as fixed is wrong, and not by a little: a mined concept was chosen for
    its score. docs/evaluation.md has measured error rates.

    References
    ----------
    Gionis, Mannila, Mielikäinen, Tsaparas, ACM TKDD 1 (2007). Besag, Clifford, Biometrika 76
    (1989). Westfall, Young, Resampling-based multiple testing (1993).

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> result = cr.evaluation.significance(context.lattice(min_support=3), samples=199, seed=1)
    >>> result.title.partition(" against ")[0], int(result.significant.sum())
    ('Significance of 10 concepts by support', 0)
    >>> result.concepts[3].intent, float(result.adjusted[3]), float(result.expected[3].round(2))
    (('adventure', 'criminal'), 0.555, 5.61)
    """
    if correction is not None:
        checked_choice("correction", correction, Correction)
    count("samples", samples, least=1)
    share("alpha", alpha)
    fixed = fixed or holdout is not None
    if not fixed and correction != "westfall_young":
        raise ConceptRankError(
            f"correction={correction!r} is not valid for concepts mined from the tested context "
            "(hint: keep 'westfall_young', test on other objects with holdout=…, or give "
            "fixed=True if the intents were chosen without looking at this context)"
        )
    run = Run(threads=count("threads", threads), budget=budget, progress=progress)
    family = _family(concepts, threads=threads, budget=budget)
    name, params = registry.split(measure)
    if holdout is not None and holdout.attributes != family.context.attributes:
        raise ConceptRankError("holdout must have the same attributes in the same order")
    comparison = Comparison(family, registry.get(name), params, alternative, context=holdout)
    source = NullSource(comparison.context, null, seed)

    def scores(number: int, stop: Callable[[], bool]) -> Scores:
        return comparison.scores(source.draw(number, stop), stop)

    def scores_and_maximum(number: int, stop: Callable[[], bool]) -> tuple[Scores, float]:
        rows = source.draw(number, stop)
        return comparison.scores(rows, stop), everything.maximum(rows, stop)

    by_maximum = fixed and correction == "westfall_young"
    tally = Tally(comparison, keep=by_maximum)
    prepared = samples if run.call(source.prepare) else 0
    maxima: Scores | None = None
    if not fixed:
        lattice = concepts.lattice if isinstance(concepts, Ranking) else concepts
        least = lattice.min_support if isinstance(lattice, Lattice) else 0
        everything = AllConcepts(comparison, family, least)
        largest = []
        for found, maximum in run.map(scores_and_maximum, prepared):
            tally.add(found)
            largest.append(maximum)
        maxima = np.array(largest, dtype=np.float64)
        adjusted = everything.adjusted(maxima)
    else:
        for found in run.map(scores, prepared):
            tally.add(found)
        if by_maximum:
            standardise = tally.standardiser()
            adjusted, maxima = multiplicity.westfall_young(
                standardise(comparison.observed), map(standardise, tally.kept)
            )
        else:
            adjusted = _ADJUST[correction](tally.pvalues())
    return SignificanceResult(
        concepts=family,
        measure=name + shown(params),
        null=source.label,
        alternative=comparison.alternative,
        correction=correction,
        alpha=alpha,
        seed=seed,
        samples=tally.samples,
        stopped=run.stopped,
        observed=comparison.observed,
        expected=tally.expected(),
        pvalues=tally.pvalues(),
        adjusted=adjusted,
        fixed=fixed,
        maxima=maxima,
        distance=source.distance,
    )


def _family(concepts: Tested, *, threads: int, budget: Budget | None) -> Concepts:
    """Return the concepts to test as a lattice or a batch."""
    if isinstance(concepts, Context):
        return concepts.lattice(threads=threads, budget=budget)
    if isinstance(concepts, Concepts):
        return concepts
    if isinstance(concepts, Ranking):
        lattice = concepts.lattice
        intents = _lists.take(lattice.intents, concepts.order)
        return Concepts(lattice.context, intents, threads=threads)
    given = [concepts] if isinstance(concepts, Concept) else list(concepts)
    contexts = {concept.context for concept in given}
    if len(contexts) != 1:
        raise ConceptRankError(f"concepts of one context are wanted, got {len(contexts)} contexts")
    intents = _lists.joined([concept.intent_numbers for concept in given])
    return Concepts(contexts.pop(), intents, threads=threads)


_ADJUST: dict[str | None, Callable[[Scores], Scores]] = {
    "bh": multiplicity.benjamini_hochberg,
    "by": multiplicity.benjamini_yekutieli,
    None: np.copy,
}
