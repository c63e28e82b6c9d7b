"""Conditions on concepts, written as `support >= 10 and cr > 0.3`, or as functions or arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank.concept import Concept
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.faces import Scores
from conceptrank.measures.registry import Params
from conceptrank.query.condition_syntax import (
    ConditionError,
    Reader,
    Scope,
    Truth,
    Truths,
    element_number,
)

ConditionLike: TypeAlias = "str | Condition | Callable[[Concept], bool] | NDArray[np.bool_]"


@dataclass(frozen=True)
class Condition:
    """A condition on concepts.

    It may have measures by name or alias, with parameters as in `cr(side="extent")`; numbers and
    arithmetic (`+ - * / **`, `abs`, `sqrt`, `exp`, `log`, `log2`, `min`, `max`); comparisons, also
    chained, where scores that are equal but for rounding are equal; `"name" in intent` and
    `"name" in extent`; and `and`, `or`, `not`. Every comparison with NaN is false,
    `!=` included.

    Parameters
    ----------
    text
        What the user wrote.
    measures
        The measures in it, with their parameters.
    elements
        The attributes and objects in it, as pairs of `"intent"` or `"extent"` and a name.

    Examples
    --------
    >>> Condition.parse("support >= 3 and 'drama' in intent").measures
    (('support', {}),)
    >>> Condition.parse("suport >= 3")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown measure 'suport'; did you mean 'support' or ...
    >>> Condition.parse("support >= 3 or open('x')")
    Traceback (most recent call last):
    conceptrank.query.condition_syntax.ConditionError: "open('x')" has no place in a condition ...
    """

    text: str
    measures: tuple[tuple[str, Params], ...]
    elements: tuple[tuple[str, str], ...]
    _truth: Truth

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Return the condition that a text says.

        Raises
        ------
        ConditionError
            If the text is not a condition; the message says where it is wrong.
        UnknownNameError
            If there is no such measure.
        """
        reader = Reader(text)
        truth = reader.read()
        return cls(text, tuple(reader.measures), tuple(reader.elements), truth)

    def check(self, context: Context) -> None:
        """Raise UnknownNameError if an attribute or object is not in the context.

        Examples
        --------
        >>> import conceptrank as cr
        >>> Condition.parse("'dramma' in intent").check(cr.datasets.load("movies"))
        Traceback (most recent call last):
        conceptrank.errors.UnknownNameError: unknown attribute 'dramma'; did you mean 'drama'?
        """
        for side, name in self.elements:
            element_number(context, side, name)

    def holds(self, concepts: Concepts, score: Callable[[str, Params], Scores]) -> Truths:
        """Return for which concepts the condition holds.

        Parameters
        ----------
        concepts
            The concepts.
        score
            Gives their scores by a measure with parameters.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=5)
        >>> condition = Condition.parse("6 < support <= 8")
        >>> condition.holds(lattice, lambda name, params: lattice.score(name, **params)).tolist()
        [False, True, True, True, False]
        """
        with np.errstate(all="ignore"):
            return np.array(np.broadcast_to(self._truth(Scope(concepts, score)), len(concepts)))


def chosen(
    concepts: Concepts, where: ConditionLike, score: Callable[[str, Params], Scores]
) -> Truths:
    """Return which concepts are meant by a condition of any kind.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice(min_support=7)
    >>> chosen(lattice, lambda concept: len(concept.intent) == 1, lattice.score).tolist()
    [False, True, True, False]
    """
    if isinstance(where, Condition):
        return where.holds(concepts, score)
    if callable(where):
        return _called(concepts, where)
    truths = np.asarray(where)
    if truths.dtype != np.bool_ or truths.shape != (len(concepts),):
        raise ConditionError(
            f"an array of {truths.dtype} and shape {truths.shape} is no condition: "
            f"a truth value for each of the {len(concepts):,} concepts would be one"
        )
    return truths


def _called(concepts: Concepts, function: Callable[[Concept], bool]) -> Truths:
    truths = np.zeros(len(concepts), dtype=np.bool_)
    for place, concept in enumerate(concepts):
        truth = function(concept)
        if not isinstance(truth, bool | np.bool_):
            raise ConditionError(f"the condition gave {truth!r} for {concept!r}, not True or False")
        truths[place] = truth
    return truths
