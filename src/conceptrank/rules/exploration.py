"""Attribute exploration: a dialogue at whose end every implication is known to hold or to fail.

The examples known so far raise a question: an implication that holds in all of them and doesn't
follow from those confirmed. An expert confirms it or names an object that violates it. The
questions are premises in lectic order, so that at the end the confirmed implications are the
Duquenne–Guigues basis of all objects there are (Ganter 1984).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank._util.lists import Numbers
from conceptrank._util.names import Names
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError
from conceptrank.rules.implications import Implication, Implications

# True, or the name and the attributes of a counter-example.
Answer: TypeAlias = "bool | tuple[str, Iterable[str]]"
Expert: TypeAlias = Callable[[Implication], Answer]


class ExplorationError(ConceptRankError, ValueError):
    """An answer contradicts the question, or what was said before."""


class AttributeExploration:
    """A dialogue about which attributes follow from which.

    Parameters
    ----------
    context
        The attributes, and the examples that are known to begin with.
    confirmed
        Implications that are known to hold: `context` and `implications` of an earlier dialogue
        resume it.

    Raises
    ------
    ExplorationError
        If an example contradicts a confirmed implication.

    Examples
    --------
    >>> import conceptrank as cr
    >>> numbers = cr.Context(["2", "9"], ["even", "odd", "prime"], [[1, 0, 1], [0, 1, 0]])
    >>> exploration = AttributeExploration(numbers)
    >>> print(exploration.question)
    {prime} → {even}
    >>> exploration.reject("3", ["odd", "prime"])
    >>> print(exploration.question)
    {even} → {prime}
    >>> exploration.reject("4", ["even"])
    >>> print(exploration.question)
    {even, odd} → {prime}
    >>> exploration.confirm()
    >>> exploration.done, exploration.implications
    (True, 1 implication between 3 attributes
    {even, odd} → {prime})
    """

    def __init__(self, context: Context, confirmed: Iterable[Implication] = ()) -> None:
        context.refuse_weights("a dialogue about examples")
        self._attributes = Names("attribute", context.attributes)
        self._objects: list[str] = list(context.objects)
        offsets, values = context.rows()
        self._rows: list[Numbers] = np.split(values, offsets[1:-1]) if len(self._objects) else []
        known = Implications(context.attributes, confirmed)
        for rule, names in known.counter_examples(context):
            raise ExplorationError(f"{names[0]!r} contradicts {rule}, which is confirmed")
        self._confirmed: list[Implication] = list(known)
        self._start: Numbers = _lists.NO_NUMBERS
        self._given = len(self._objects)
        self._look()

    @property
    def context(self) -> Context:
        """The examples: those given, and the counter-examples."""
        rows = _lists.joined(self._rows)
        return Context.from_csr(self._objects, self._attributes.labels, *rows)

    @property
    def implications(self) -> Implications:
        """The implications that are confirmed."""
        return Implications(self._attributes.labels, self._confirmed)

    @property
    def counter_examples(self) -> tuple[str, ...]:
        """The objects that were named as counter-examples."""
        return tuple(self._objects[self._given :])

    @property
    def question(self) -> Implication | None:
        """The implication to be confirmed or rejected; None when nothing is open."""
        return self._question

    @property
    def done(self) -> bool:
        """Whether everything is known."""
        return self._question is None

    def confirm(self) -> None:
        """Confirm that the implication in question holds for all objects there are."""
        self._confirmed.append(self._asked())
        self._look()

    def reject(self, name: str, attributes: str | Iterable[str]) -> None:
        """Name an object that has the premise in question but not all of the conclusion.

        Parameters
        ----------
        name
            The name of the object.
        attributes
            All the attributes that it has.

        Raises
        ------
        ExplorationError
            If the object is no counter-example, contradicts a confirmed implication, or has the
            name of another one.
        UnknownNameError
            If there is no such attribute.
        """
        question = self._asked()
        numbers = self._attributes.numbers(attributes)
        having = set(self._attributes.of(numbers.tolist()))
        lacking = [each for each in question.premise if each not in having]
        if lacking:
            raise ExplorationError(f"{name!r} shows nothing: it lacks {', '.join(lacking)}")
        if having.issuperset(question.conclusion):
            raise ExplorationError(
                f"{name!r} shows nothing: it has {', '.join(question.conclusion)}"
            )
        for premise, conclusion in self._confirmed:
            if having.issuperset(premise) and not having.issuperset(conclusion):
                rule = Implication(premise, conclusion)
                raise ExplorationError(f"{name!r} contradicts {rule}, which is confirmed")
        if name in self._objects:
            raise ExplorationError(f"there is an object {name!r} already")
        self._objects.append(name)
        self._rows.append(numbers)
        self._look()

    def run(self, expert: Expert, *, questions: int | None = None) -> int:
        """Ask an expert until no question is left.

        Parameters
        ----------
        expert
            Takes an implication; returns True if it holds, or the name and the attributes of an
            object that shows that it doesn't.
        questions
            The largest number of questions to ask; any if None.

        Returns
        -------
        int
            The number of questions that were asked.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> def expert(question):
        ...     claim = cr.rules.Implications(movies.attributes, [question])
        ...     for _, (name, *_) in claim.counter_examples(movies):
        ...         return name, movies.intension([name])
        ...     return True
        >>> exploration = cr.rules.AttributeExploration(movies.select(objects=[]))
        >>> asked = exploration.run(expert)
        >>> exploration.implications.complete_for(movies), exploration.implications.holds_in(movies)
        (True, True)
        """
        asked = 0
        while self._question is not None and (questions is None or asked < questions):
            answer = expert(self._question)
            asked += 1
            if answer is True:
                self.confirm()
            elif isinstance(answer, tuple):
                self.reject(*answer)
            else:
                raise ExplorationError(
                    f"an answer is True or the name and attributes of an object, got {answer!r}"
                )
        return asked

    def _asked(self) -> Implication:
        if self._question is None:
            raise ExplorationError("nothing is in question: every implication is known")
        return self._question

    def _look(self) -> None:
        """Find the next question: a set closed under what is confirmed, not in the examples."""
        context = self.context
        known = Implications(self._attributes.labels, self._confirmed)
        found = known.core.next_open(context.core, self._start)
        self._question: Implication | None = None
        if found is None:
            return
        # Sets before this one are settled for good: more examples only make more sets closed.
        self._start = found
        closed = context.core.closure(found)
        conclusion = np.setdiff1d(closed, found, assume_unique=True)
        names = self._attributes
        self._question = Implication(names.of(found.tolist()), names.of(conclusion.tolist()))
