"""Basic level: concepts whose objects are alike, more than above and hardly less than below.

After Belohlavek and Trnecka's formalisation of what psychology calls the basic level. Published
code differs in details. The options cover all variants; the defaults are those of the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.concepts import Concepts, ScoreOf
from conceptrank.errors import UnknownNameError
from conceptrank.faces import Direction, Scores, checked_share
from conceptrank.measures.registry import measure

Value = TypeVar("Value")

# Averages that are equal as fractions can differ by rounding; below this they count as equal.
_ROUNDING = 1e-12

_SIMILARITIES = {"jaccard": "jaccard", "smc": "matching"}
_ENTROPIES = {"one_sided": "entropy", "binary": "binary_entropy"}
_NORMS: dict[str, Callable[[Scores, Scores], Scores]] = {
    "product": np.multiply,
    "min": np.minimum,
    "lukasiewicz": lambda a, b: np.maximum(a + b - 1, 0.0),
}


_BELOHLAVEK = "Belohlavek, Trnecka, Basic level in formal concept analysis, IJCAI (2013)"
_basic = partial(measure, range="[0, 1]", depends=("support", "hits"), reference=_BELOHLAVEK)


@_basic(side="extent", complexity="O(|A|² q)")
def cohesion_avg(
    concepts: Concepts, *, similarity: str = "jaccard", include_self: bool = False
) -> Scores:
    """Return the mean similarity of two different objects of A; 1 for one object, 0 for none.

    Parameters
    ----------
    concepts
        The concepts.
    similarity
        `"jaccard"`: |g′ ∩ h′| / |g′ ∪ h′|, 0 for two empty rows; `"smc"`: the share of attributes
        that both objects have or both lack.
    include_self
        Whether to compare objects with themselves, too.

    Notes
    -----
    fcapsy includes the pairs of an object with itself.
    """
    (average,) = concepts.cohesions(f"{_chosen('similarity', similarity, _SIMILARITIES)}_average")
    if not include_self:
        return average.copy()
    n = concepts.supports
    return np.where(n > 0, (average * (n - 1) + 2) / (n + 1), 0.0)


@_basic(side="extent", complexity="O(|A|² q)")
def cohesion_min(concepts: Concepts, *, similarity: str = "jaccard") -> Scores:
    """Return the least similarity of two different objects of A; 1 for one object, 0 for none.

    Parameters
    ----------
    concepts, similarity
        As for `cohesion_avg`.
    """
    (least,) = concepts.cohesions(f"{_chosen('similarity', similarity, _SIMILARITIES)}_minimum")
    return least.copy()


@_basic(side="extent", depends=("support", "columns"), complexity="O(n q)")
def predictability(concepts: Concepts, *, entropy: str = "one_sided") -> Scores:
    """Return 1 minus the mean entropy of the attributes outside B among the objects of A.

    0 where A is empty, 1 where B has all attributes and A is not empty.

    Parameters
    ----------
    concepts
        The concepts.
    entropy
        Of an attribute that a share t of the objects has: `"one_sided"` for -t ln t; `"binary"` for
        -t log2 t - (1 - t) log2(1 - t), which treats presence and absence alike.
    """
    (entropies,) = concepts.column_sums(_chosen("entropy", entropy, _ENTROPIES))
    outside = len(concepts.context.attributes) - concepts.intent_sizes
    scores = 1 - entropies / np.maximum(outside, 1)
    return np.where(concepts.supports > 0, scores, 0.0)


@_basic(depends=("support", "hits", "covers"), complexity="O(|A|² q) for it and its covers")
def basic_level_similarity(
    concepts: Concepts,
    *,
    similarity: str = "jaccard",
    cohesion: str = "avg",
    include_self: bool = False,
    aggregation: str = "mean",
    norm: str = "product",
    theta: float = 1.0,
    strict: bool = False,
) -> Scores:
    """Return how much a concept is on the basic level, by the similarity of its objects.

    The score is a1 · a2 · a3. a1 is the cohesion of the concept. a2 is 1 minus the mean of coh(u) /
    coh(c) over the upper covers u with coh(u) ≤ coh(c). a3 is the mean of coh(c) / coh(l) over the
    lower covers l with coh(l) ≥ coh(c). 0 for the top, the bottom and where the cohesion is 0.

    Parameters
    ----------
    concepts
        The concepts.
    similarity, include_self
        As for `cohesion_avg`.
    cohesion
        `"avg"` or `"min"`.
    aggregation
        Over the covers: the `"mean"` of the ratios, or the `"worst"` of them.
    norm
        What joins the three numbers: `"product"`, `"min"` or `"lukasiewicz"`.
    theta
        The least share of the upper covers that are at most as cohesive, and of the lower covers
        that are at least as cohesive, for a score above 0.
    strict
        Whether covers of equal cohesion are left out of these.

    Notes
    -----
    Cohesions that differ by less than 1e-12 count as equal. An atom over an empty bottom gets 0.
    Published code differs in strictness and in pairs of an object with itself; the options cover
    both.
    """
    of_pairs = {
        "avg": partial(cohesion_avg, similarity=similarity, include_self=include_self),
        "min": partial(cohesion_min, similarity=similarity),
    }
    score = _chosen("cohesion", cohesion, of_pairs)
    return _basic_level(concepts, score, aggregation, norm, theta, strict=strict)


@_basic(depends=("support", "columns", "covers"), complexity="O(n q) for it and its covers")
def basic_level_predictability(
    concepts: Concepts,
    *,
    entropy: str = "one_sided",
    aggregation: str = "mean",
    norm: str = "product",
    theta: float = 1.0,
    strict: bool = False,
) -> Scores:
    """Return how much a concept is on the basic level, by the predictability of its objects.

    It is `basic_level_similarity` with `predictability` in place of cohesion.

    Parameters
    ----------
    concepts
        The concepts.
    entropy
        As for `predictability`.
    aggregation, norm, theta, strict
        As for `basic_level_similarity`.
    """
    score = partial(predictability, entropy=entropy)
    return _basic_level(concepts, score, aggregation, norm, theta, strict=strict)


@measure(
    side="intent",
    range="[0, |B|]",
    depends=("support", "intent"),
    frequent=True,
    complexity="O(|B|)",
    reference="Rosch, Mervis, Family resemblances, Cognitive Psychology 7 (1975)",
)
def cue_validity(concepts: Concepts) -> Scores:
    """Return the sum over m in B of |A| / |m′|; 0 where A or B is empty.

    |A| / |m′| is the chance that an object with the attribute m is in the extent.
    """
    supports = concepts.context.core.attribute_supports()
    inverse = np.divide(1.0, supports, out=np.zeros(len(supports)), where=supports > 0)
    offsets, values = concepts.intents
    chances = _lists.reduced(np.add, (offsets, inverse[values]), empty=0)
    return np.asarray(concepts.supports * chances)


@measure(
    range="[0, q]",
    depends=("support", "columns"),
    complexity="O(n q)",
    reference="Jones, Identifying basic categories, Psychological Bulletin 94 (1983)",
)
def category_feature_collocation(concepts: Concepts) -> Scores:
    """Return the sum over all m of |A ∩ m′|² / (|m′| |A|); 0 where A is empty.

    That is P(concept | attribute) P(attribute | concept), summed over all attributes.
    """
    (collocation,) = concepts.column_sums("collocation")
    return np.asarray(collocation / np.maximum(concepts.supports, 1))


@measure(
    range="[-q, q]",
    depends=("support", "columns"),
    complexity="O(n q)",
    reference="Gluck, Corter, Information, uncertainty, and the utility of categories (1985)",
)
def category_utility(concepts: Concepts) -> Scores:
    """Return |A|/n times the sum over all m of (|A ∩ m′| / |A|)² - (|m′| / n)².

    It says how much better attributes can be guessed for an object of the extent. It can be
    negative. 0 for the top and where A is empty.
    """
    (squares,) = concepts.column_sums("squares")
    n = max(concepts.context.shape[0], 1)
    supports = concepts.supports.astype(np.float64)
    everywhere = (
        float((concepts.context.core.attribute_supports().astype(np.float64) ** 2).sum()) / n**2
    )
    inside = squares / np.maximum(supports, 1) ** 2
    return np.where(supports > 0, supports / n * (inside - everywhere), 0.0)


def _basic_level(
    concepts: Concepts, score: ScoreOf, aggregation: str, norm: str, theta: float, *, strict: bool
) -> Scores:
    join = _chosen("norm", norm, _NORMS)
    worst = _chosen("aggregation", aggregation, {"mean": False, "worst": True})
    share = checked_share(theta, "theta")
    own = score(concepts)
    above = 1 - _covers(concepts, own, score, "upper", share, worst=worst, strict=strict)
    below = _covers(concepts, own, score, "lower", share, worst=worst, strict=strict)
    joined = join(join(own, above), below)
    return np.where(own > 0, joined, 0.0)


def _covers(
    concepts: Concepts,
    own: Scores,
    score: ScoreOf,
    direction: Direction,
    theta: float,
    *,
    worst: bool,
    strict: bool,
) -> Scores:
    """Return the ratio of cohesions of a concept and its covers, the smaller over the larger.

    Covers on the wrong side are left out. If too few are left, the result makes the score 0.
    """
    upper = direction == "upper"
    offsets, scores = concepts.cover_scores(direction, score)
    many = np.diff(offsets)
    mine = np.repeat(own, many)
    less, more = (scores, mine) if upper else (mine, scores)
    counted = less < more - _ROUNDING if strict else less <= more + _ROUNDING
    counted &= more > 0
    ratios = np.divide(less, more, out=np.zeros_like(scores), where=counted)
    fits = _lists.reduced(np.add, (offsets, counted.astype(np.float64)), empty=0)
    if worst:
        # A cover that is left out must not be the worst.
        harmless = np.where(counted, ratios, 0.0 if upper else np.inf)
        value = _lists.reduced(np.maximum if upper else np.minimum, (offsets, harmless), empty=0)
    else:
        value = _lists.reduced(np.add, (offsets, ratios), empty=0) / np.maximum(fits, 1)
    enough = (fits > 0) & (fits >= theta * many - _ROUNDING)
    return np.where(enough, np.minimum(value, 1.0), 1.0 if upper else 0.0)


def _chosen(option: str, name: str, known: dict[str, Value]) -> Value:
    if name not in known:
        raise UnknownNameError(option, name, known)
    return known[name]
