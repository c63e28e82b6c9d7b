"""`Lattice`: the concepts of a context in their one order, with the cover relation."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util.lists import NO_NUMBERS, Lists, Numbers, Offsets
from conceptrank.budget import Budget, Progress, core_watch, current_watch, parts, poll
from conceptrank.concept import Concept
from conceptrank.concepts import Concepts, ScoreOf
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError, UnknownNameError
from conceptrank.faces import Computed, Direction, FaceNeed, FaceScores, Scores

if TYPE_CHECKING:
    from anywidget import AnyWidget
    from matplotlib.axes import Axes

    from conceptrank.measures.registry import MeasureLike
    from conceptrank.query import ConditionLike
    from conceptrank.ranking import Ranking
    from conceptrank.ranking.order import TieMode
    from conceptrank.rules import Rules
    from conceptrank.summary import Summary


class MissingConceptError(ConceptRankError, KeyError):
    """A concept is not in the lattice: too few objects, or mining ended before it was found."""

    def __str__(self) -> str:
        # KeyError would show the quoted repr of the message.
        return str(self.args[0])


class Lattice(Concepts):
    """The concepts of a context, largest support first, then by intent in the context's order.

    A lattice comes from `Context.lattice` or `Lattice.load` and never changes. Iterating over it
    gives its concepts, which unpack as `(extent, intent)`. `lattice[3]` is a concept by its place,
    `lattice["drama"]` or `lattice["criminal", "drama"]` the one that attributes generate.

    With a minimum support it holds the upper part of the concept lattice. When a budget ended
    mining, `complete` is False and the lattice holds some of the concepts; everything that it says
    about them, including their scores, still holds in the context.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> lattice
    <Lattice 20 concepts of 11 objects, 7 attributes [069b8e81]>
    >>> for extent, intent in lattice[:2]:
    ...     print(len(extent), intent)
    11 ()
    8 ('adventure',)
    """

    def __init__(
        self,
        context: Context,
        core: _core.Lattice,
        *,
        threads: int = 0,
        faces: FaceScores | None = None,
        sums: Scores | None = None,
        with_covers: Callable[[], _core.Lattice] | None = None,
    ) -> None:
        super().__init__(
            context,
            _lists.of_core(core.intents),
            threads=threads,
            supports=core.supports,
            deltas=core.deltas,
            faces=faces,
            sums=sums,
            min_support=core.min_support,
        )
        self._core = core
        # Returns the same lattice with covers, if they are not known yet.
        self._with_covers = with_covers

    @classmethod
    def of(cls, concepts: Concepts, min_support: int) -> Lattice:
        """Return some concepts as a lattice that is not complete: in its order, without covers.

        Examples
        --------
        >>> import conceptrank as cr
        >>> concepts = cr.datasets.load("movies").closed_sets(contains="drama")
        >>> cr.Lattice.of(concepts.at(np.array([1, 0])), 0).supports
        array([5, 3])
        """
        intents = [intent.tolist() for intent in _lists.each(concepts.intents)]
        supports = concepts.supports.tolist()
        places = sorted(range(len(concepts)), key=lambda i: (-supports[i], intents[i]))
        ordered = concepts.at(np.array(places, dtype=np.int64))
        core = core_of(ordered, min_support, "concepts", ordered.deltas)
        return cls(concepts.context, core, threads=concepts.threads, faces=ordered.faces)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Lattice:
        """Return the lattice that a file holds, with its context.

        Raises
        ------
        FormatError
            If the file is not a lattice file, is of a newer version, or is damaged.

        Examples
        --------
        >>> import conceptrank as cr
        >>> from tempfile import TemporaryDirectory
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> with TemporaryDirectory() as directory:
        ...     lattice.save(directory + "/movies.parquet")
        ...     cr.Lattice.load(directory + "/movies.parquet")
        <Lattice 20 concepts of 11 objects, 7 attributes [069b8e81]>
        """
        from conceptrank import lattice_file

        return lattice_file.load(path)

    @property
    def core(self) -> _core.Lattice:
        """The compiled arrays that the functions of the core take."""
        if self._with_covers is not None:
            self._core, self._with_covers = self._with_covers(), None
        return self._core

    @property
    def complete(self) -> bool:
        """Whether the lattice has every concept with that many objects."""
        return not self._core.stop

    @property
    def stopped(self) -> str:
        """What ended mining: "concepts", "bytes", "seconds", "cancelled", or "" if nothing did."""
        return "" if self.constrained else self._core.stop

    @property
    def constrained(self) -> bool:
        """Whether constraints left out concepts; those that meet them are all there."""
        return self._core.stop == "constraints"

    @property
    def n_bytes(self) -> int:
        """The memory that intents, supports and covers take."""
        return self._core.n_bytes

    @property
    def lower_covers(self) -> Lists:
        """The places of the lower covers of all concepts, of those that are listed.

        Examples
        --------
        >>> import conceptrank as cr
        >>> offsets, values = cr.datasets.load("movies").lattice(min_support=5).lower_covers
        >>> offsets.tolist(), values.tolist()
        ([0, 3, 4, 5, 5, 5], [1, 2, 4, 3, 3])
        """
        core = self.core
        return _lists.of_core(core.lower)

    @property
    def upper_covers(self) -> Lists:
        """The places of the upper covers of all concepts, of those that are listed.

        Examples
        --------
        >>> import conceptrank as cr
        >>> offsets, values = cr.datasets.load("movies").lattice(min_support=5).upper_covers
        >>> offsets.tolist(), values.tolist()
        ([0, 0, 1, 2, 4, 5], [0, 0, 1, 2, 0])
        """
        core = self.core
        return _lists.of_core(core.upper)

    @property
    def top(self) -> Concept:
        """The concept of all objects; also called `supremum`."""
        return self[()]

    @property
    def bottom(self) -> Concept:
        """The concept of all attributes; also called `infimum`."""
        return self[self.context.attributes]

    supremum = top
    infimum = bottom

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the lattice and its context to a Parquet file.

        The rows of the file are of three kinds: objects with their attributes, attributes, and
        concepts with their intent, support, Δ and lower covers.
        """
        from conceptrank import lattice_file

        lattice_file.save(self, path)

    def summarize(self, max_patterns: int | None = None, **options: Any) -> Summary:
        """Return the short list with this lattice's minimum support; see `Context.summarize`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> table = cr.datasets.random.planted(500, 20, patterns=[(4, 0.2)], seed=1)
        >>> len(table.context.lattice(min_support=5).summarize())
        1
        """
        options.setdefault("min_support", self.min_support)
        return self.context.summarize(max_patterns, **options)

    def rank(
        self,
        by: MeasureLike = "conceptual_relevance",
        *,
        also: MeasureLike | Sequence[MeasureLike] = (),
        then: MeasureLike | Sequence[MeasureLike] = (),
        descending: bool | None = None,
        ties: TieMode = "dense",
        where: ConditionLike | None = None,
        budget: Budget | None = None,
        progress: Progress | None = None,
        **params: object,
    ) -> Ranking:
        """Order the concepts by a measure.

        Parameters
        ----------
        by
            The measure that decides: a name, or a pair of a name and its parameters.
        also
            Further measures to show.
        then
            Measures that break its ties, each the ties that those before it leave.
        descending
            Whether large scores come first; if None, as the measure declares.
        ties
            The rank that equal scores share: that of no gaps (`"dense"`), or of the places that
            they take together the first (`"min"`), the last (`"max"`) or the mean (`"average"`).
        where
            Which concepts to rank: a condition such as `"support >= 10 and cr > 0.3"` (see
            `conceptrank.query.Condition`), a function of a concept, or an array of truth values
            in the lattice's order.
        budget, progress
            As for `score`.
        **params
            Parameters for all measures that have them.

        Raises
        ------
        ConditionError
            If the condition is not valid; the message says where it is wrong.
        BudgetExceeded
            If the budget ended the scoring before a single concept had a score. Otherwise the
            ranking holds the concepts that were scored, and its `stopped` names the limit.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> lattice.rank(by="delta_measure", also=["cr"]).top(3)
        Ranking of 3 concepts by delta_measure (5 different scores, 2 ties of 2 to 15 concepts)
        rank  delta_measure   cr  support  intent
           1              4  0.5        7  {adventure, criminal}
           2              3    0       11  {}
           3              2  0.5        5  {drama}
        >>> lattice.rank(by="cr", then="support", where="cr > 0.4 and 'drama' in intent")
        Ranking of 3 concepts by cr, then support where cr > 0.4 and 'drama' in intent (3 ...
        rank   cr  support  intent
           1  0.5        5  {drama}
           2  0.5        2  {action, drama}
           3  0.5        1  {comedy, drama}
        """
        from conceptrank.query import Query
        from conceptrank.ranking import order, rank

        query = Query.of(
            self.context,
            by,
            also=also,
            then=then,
            descending=descending,
            where=where,
            min_support=self.min_support,
            budget=budget,
            progress=progress,
            params=params,
        )
        return rank(self, query, order.checked_ties(ties))

    def rules(
        self,
        basis: str = "minimal_non_redundant",
        *,
        min_support: float | None = None,
        min_confidence: float = 0.0,
        max_premise: int | None = None,
        by: MeasureLike | None = None,
        top: int | None = None,
        budget: Budget | None = None,
        progress: Progress | None = None,
    ) -> Rules:
        """Return rules between the concepts.

        Parameters
        ----------
        basis
            The basis (see `conceptrank.rules.bases.available()`). Some rules always hold:
            `"duquenne_guigues"` (the fewest from which all others follow), `"generic"` (shortest
            premises) and `"proper_premises"` (canonical direct). Some may fail:
            `"luxenburger"` (one for each cover), `"informative"` and `"reduced_informative"`
            (shortest premises). `"minimal_non_redundant"`, or `"mnr"`, is generic and informative
            together.
        min_support
            The least number of objects that a rule holds for; a float is a share of all objects.
            If None, that of the lattice, and 1 if the basis has rules that may fail.
        min_confidence
            The least share of the objects with the premise that have the conclusion as well.
        max_premise
            The largest number of attributes of a premise.
        by
            A measure of rules (`conceptrank.rules.measures.available()`), or of the concept that
            a rule leads to; `"premise.cr"` is that of the concept that it comes from.
        top
            How many of the best by that measure to keep, by lift if `by` is None; all rules if
            None.
        budget, progress
            As for `Context.lattice`. A budget can limit the rules.

        Raises
        ------
        BudgetExceeded
            If the lattice is not complete: then its covers are not known.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> lattice.rules(min_support=3, min_confidence=0.7, by="lift", top=3)
        3 rules of the minimal_non_redundant basis by lift
        ...
        """
        from conceptrank.rules import generation

        return generation.rules(
            self,
            basis,
            min_support=min_support,
            min_confidence=min_confidence,
            max_premise=max_premise,
            by=by,
            top=top,
            budget=budget,
            progress=progress,
        )

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw a line diagram, and return the axes.

        If the lattice has more than 80 concepts and `options` select no part of it, those of the
        largest support are drawn, as many as fit; the figure says so.

        Parameters
        ----------
        ax
            The axes to draw on; those of a new figure if None.
        **options
            What to show and how: `around`, `ideal`, `filter`, `top`, `by`, `min_support`,
            `radius`, `labels`, `colour`, `size`, `limit`; see `conceptrank.plot.diagram`, which
            also writes diagrams for Graphviz, LaTeX and other programs.

        Raises
        ------
        ConceptRankError
            If matplotlib is not installed, or there is too much to draw.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ax = cr.datasets.load("movies").lattice().plot(top=5, colour="cr")
        """
        from conceptrank.plot import diagram

        return diagram(self, **options).draw(ax)

    def explore(
        self,
        measures: Sequence[MeasureLike] | None = None,
        *,
        title: str = "concepts",
        then: Sequence[MeasureLike] | None = None,
        height: int = 680,
        export: str | os.PathLike[str] | None = None,
    ) -> AnyWidget | None:
        """Explore the concepts: the short list, a ranked table, details, plots, line diagrams.

        Parameters
        ----------
        measures
            The measures to show, the one to sort by first; Conceptual Relevance, log-stability,
            stability, separation and Δ if None. Support is always there.
        title
            What the page is called.
        then
            The measures that break ties at first; `log_stability` if None and it is shown.
        height
            The height of the widget in pixels.
        export
            Write one HTML file that needs neither Python nor a network, instead of giving a
            widget for a notebook.

        Raises
        ------
        ConceptRankError
            If anywidget is not installed, or there is more than a page can hold.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> widget = lattice.explore(["cr", "stability"], title="movies")   # shows itself
        """
        from conceptrank import explorer

        wanted = explorer.DEFAULT_MEASURES if measures is None else measures
        content = explorer.of_lattice(self, wanted, title=title, then=then)
        if export is not None:
            explorer.export(content, export)
            return None
        return explorer.widget(content, height=height)

    def prepare(self, needs: Sequence[FaceNeed]) -> None:
        """Compute face scores that several measures need; `registry.face_needs` lists them."""
        for need in parts(needs):
            self.faces.columns(need, self._compute_faces)

    def _compute_faces(self, need: FaceNeed) -> Computed:
        options = need.for_core()
        poll()
        if need.side == "intent" and self.complete:
            scored = self._core.score_intents(options, self.threads, core_watch(partial=True))
        else:
            # The covers of an incomplete lattice are not known; the search tree has the faces.
            side = {"score_extents" if need.side == "extent" else "score_intents": options}
            scored = self._score_again(**side)
        scores = scored.extent_scores if need.side == "extent" else scored.intent_scores
        return self._completed(scores, scored.done, lambda rest: self._faces_of(rest, need))

    def _column_sums(self) -> Scores:
        poll()
        scored = self._score_again(sum_columns=True)
        sums, known = self._completed(scored.column_sums, scored.done, self._sums_of)
        watch = current_watch()
        if known is None or watch is None:
            self._sums = sums
        else:
            watch.leave_out(known)
        return sums

    def _score_again(self, **wanted: Any) -> _core.Scored:
        """Return the core's scores of a second walk."""
        watch = core_watch(partial=True)
        try:
            return self._core.score_again(
                self.context.core, threads=self.threads, watch=watch, **wanted
            )
        except ValueError as error:
            raise ConceptRankError(str(error)) from None

    def _completed(
        self,
        matrix: Scores,
        done: NDArray[np.uint8],
        score: Callable[[Lists], Scores],
    ) -> Computed:
        """Return a matrix of the core and which rows are known; `score` gives rows it left out."""
        if done.all():
            return matrix, None
        known = done.astype(np.bool_)
        watch = current_watch()
        if watch is not None and watch.stopped:
            return matrix, known
        # The search tree leads to some concepts of the lattice through others that it lacks. That
        # can happen if another version mined it.
        rest = np.flatnonzero(~known)
        matrix = matrix.copy()
        matrix[rest] = score(_lists.take(self.intents, rest))
        return matrix, None

    def cover_scores(self, direction: Direction, score: ScoreOf) -> tuple[Offsets, Scores]:
        """Return the scores of all upper or lower covers, listed or not."""
        if not self.complete:
            return super().cover_scores(direction, score)
        offsets, places = self.upper_covers if direction == "upper" else self.lower_covers
        listed = offsets, score(self)[places]
        if direction == "upper" or self._reaches_the_bottom:
            return listed
        starts, covers, hidden = self._covers("lower", below=self.min_support)
        return _lists.merged(listed, (starts, score(covers)[hidden]))

    def means_above(self, score: ScoreOf) -> Scores:
        """Return the mean score of all strict super-concepts; NaN where there are none."""
        if not self.complete:
            return super().means_above(score)
        scores = np.column_stack((score(self), np.ones(len(self))))
        sums = _lists.sums_above(self.intents, self.lower_covers, scores)
        means = np.full(len(self), np.nan)
        np.divide(sums[:, 0], sums[:, 1], out=means, where=sums[:, 1] > 0)
        return means

    def whole(self, limit: int) -> tuple[Concepts, NDArray[np.int64]]:
        """Return the full lattice if it has at most `limit` concepts, and these ones' places."""
        if self.complete and self._reaches_the_bottom and len(self) <= limit:
            return self, np.arange(len(self))
        return super().whole(limit)

    @property
    def _reaches_the_bottom(self) -> bool:
        """Whether the concept of all attributes, and so every concept, is listed."""
        return len(self) > 0 and int(self.intent_sizes[-1]) == len(self.context.attributes)

    def find(self, intent: Numbers, support: int) -> int | None:
        """Return the place of the concept with these attribute numbers, or None.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> lattice.find(np.array([1, 3]), 7)
        3
        """
        return self._core.find(np.ascontiguousarray(intent, dtype=np.uint32), support)

    def _at(self, index: int) -> Concept:
        intent = _lists.at(self.intents, index)
        concept = Concept(self.context, intent, lattice=self, index=index)
        concept.support = int(self._core.supports[index])
        return concept

    def __reduce__(self) -> tuple[Any, ...]:
        core = self.core
        arrays = {
            "min_support": core.min_support,
            "stop": core.stop,
            "supports": core.supports,
            "deltas": core.deltas,
            "intents": self.intents,
            "lower": core.lower,
        }
        return _from_arrays, (self.context, self.threads, arrays)

    @overload
    def __getitem__(self, key: slice) -> list[Concept]: ...
    @overload
    def __getitem__(self, key: int | str | tuple[str, ...]) -> Concept: ...
    def __getitem__(self, key: int | slice | str | tuple[str, ...]) -> Concept | list[Concept]:
        if isinstance(key, slice):
            return list(map(self._at, range(len(self))[key]))
        if isinstance(key, str | tuple):
            return self._generated(key)
        return self._at(range(len(self))[operator.index(key)])

    def _generated(self, attributes: str | tuple[str, ...]) -> Concept:
        table = self.context.core
        intent = table.closure(self.context.attribute_names.numbers(attributes))
        support = table.support(intent)
        index = self.find(intent, support)
        if index is not None:
            return self._at(index)
        names = _text.braces((attributes,) if isinstance(attributes, str) else attributes)
        if support < self.min_support:
            reason = f"it has {support} objects, and min_support is {self.min_support}"
        elif self.constrained:
            reason = "it does not meet the constraints"
        else:
            reason = f"mining ended early ({self.stopped}) and didn't come to it"
        raise MissingConceptError(
            f"the concept of {names} is not in this lattice: {reason}; "
            "context.concept(...) gives it"
        )

    def __contains__(self, key: object) -> bool:
        if isinstance(key, Concept):
            same = key.context == self.context
            return same and self.find(key.intent_numbers, key.support) is not None
        if not isinstance(key, str | tuple):
            return False
        try:
            self._generated(key)
        except (MissingConceptError, UnknownNameError):
            return False
        return True

    def __repr__(self) -> str:
        n, q = self.context.shape
        least = f"with at least {self.min_support:,} of" if self.min_support else "of"
        part = ", under constraints" if self.constrained else ""
        part = f", stopped by {self.stopped}" if self.stopped else part
        return (
            f"<Lattice {len(self):,} concepts {least} {n:,} objects, {q:,} attributes "
            f"[{self.context.digest[:8]}]{part}>"
        )

    def _repr_html_(self) -> str:
        from conceptrank._util import html as _html

        rows = [
            [str(i), f"{concept.support:,}", _text.braces(concept.intent)]
            for i, concept in enumerate(self[: _html.MOST_ROWS])
        ]
        if len(self) > _html.MOST_ROWS:
            rows.append(["…", "", ""])
        return _html.table(["index", "support", "intent"], rows, caption=repr(self)[1:-1])


def _from_arrays(context: Context, threads: int, arrays: dict[str, Any]) -> Lattice:
    return Lattice(context, _core.Lattice.from_arrays(**arrays), threads=threads)


def core_of(
    concepts: Concepts,
    min_support: int,
    stop: str,
    deltas: NDArray[np.int64],
    lower_covers: Lists | None = None,
) -> _core.Lattice:
    """Return the core's lattice of some concepts, which are in its order."""
    offsets, values = concepts.intents
    return _core.Lattice.from_arrays(
        min_support=min_support,
        stop=stop,
        supports=concepts.supports.astype(np.uint32),
        deltas=deltas.astype(np.uint32),
        intents=(
            np.ascontiguousarray(offsets, dtype=np.int64),
            np.ascontiguousarray(values, dtype=np.uint32),
        ),
        lower=lower_covers or (np.zeros(len(concepts) + 1, dtype=np.int64), NO_NUMBERS),
    )
