"""`Context`: objects, attributes and the crosses between them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core, convert, operations
from conceptrank._lists import Lists, Numbers, Offsets
from conceptrank.budget import Budget, ConceptEstimate, support_threshold
from conceptrank.errors import FormatError, MeasureError
from conceptrank.names import Names

if TYPE_CHECKING:
    from conceptrank.best import Best
    from conceptrank.best.search import BestProgress, TieRule
    from conceptrank.best.significance import Significant
    from conceptrank.closed_sets import ClosedSets
    from conceptrank.concept import Concept
    from conceptrank.lattice import Lattice
    from conceptrank.measures.registry import MeasureLike
    from conceptrank.ranking import Ranking
    from conceptrank.ranking.conditions import ConditionLike
    from conceptrank.ranking.order import TieMode


class Context(operations.Operations):
    """A formal context: a table that says which object has which attribute. It never changes.

    Parameters
    ----------
    objects
        The names of the objects, in order.
    attributes
        The names of the attributes, in order.
    bools
        One row an object, in it one truth value an attribute.

    Raises
    ------
    FormatError
        If the table has another shape or other values, or a name is there twice.

    Examples
    --------
    >>> Context("12", "abc", [[True, True, False], [False, True, True]])
    <Context 2 objects × 3 attributes, 4 crosses [c9f8d25d]>
    """

    def __init__(
        self,
        objects: Iterable[object],
        attributes: Iterable[object],
        bools: NDArray[Any] | Iterable[Iterable[object]],
    ) -> None:
        self._objects = Names("object", objects)
        self._attributes = Names("attribute", attributes)
        rows = convert.from_bools(len(self._objects), len(self._attributes), bools)
        self._table = _core.Table(*rows, len(self._attributes))

    @classmethod
    def from_csr(
        cls,
        objects: Iterable[object],
        attributes: Iterable[object],
        indptr: NDArray[Any],
        indices: NDArray[Any],
    ) -> Self:
        """Return a context from the attribute numbers of all objects, one object after the other.

        Parameters
        ----------
        objects, attributes
            The names.
        indptr
            Object g has the attributes `indices[indptr[g]:indptr[g + 1]]`.
        indices
            Attribute numbers from 0; ascending and without repetition within an object.

        Examples
        --------
        >>> Context.from_csr("12", "abc", np.array([0, 2, 4]), np.array([0, 1, 1, 2])).crosses
        4
        """
        self = cls.__new__(cls)
        self._objects = Names("object", objects)
        self._attributes = Names("attribute", attributes)
        if len(indptr) != len(self._objects) + 1:
            raise FormatError(
                f"{len(indptr)} row pointers don't fit {len(self._objects)} objects, "
                f"expected {len(self._objects) + 1}"
            )
        if len(indices) and not 0 <= indices.min() <= indices.max() < len(self._attributes):
            raise FormatError(f"an attribute number is not below {len(self._attributes)}")
        try:
            self._table = _core.Table(
                np.ascontiguousarray(indptr, dtype=np.int64),
                np.ascontiguousarray(indices, dtype=np.uint32),
                len(self._attributes),
            )
        except ValueError as error:
            raise FormatError(str(error)) from None
        return self

    @classmethod
    def from_distinct_rows(
        cls, attributes: Iterable[object], rows: Lists, weights: Numbers
    ) -> Self:
        """Return a context from its distinct rows; objects are named by the numbers from 1.

        Parameters
        ----------
        attributes
            The names of the attributes.
        rows
            The attribute numbers of each distinct row, as offsets and values.
        weights
            The number of objects with each row. These objects are neighbours.

        Examples
        --------
        >>> rows = np.array([0, 1, 3]), np.array([0, 0, 1], dtype=np.uint32)
        >>> context = Context.from_distinct_rows("ab", rows, np.array([2, 1], dtype=np.uint32))
        >>> context.objects, context.intension("3")
        (('1', '2', '3'), ('a', 'b'))
        """
        self = cls.__new__(cls)
        self._attributes = Names("attribute", attributes)
        self._table = _core.Table.from_distinct_rows(*rows, weights, len(self._attributes))
        self._objects = Names("object", range(1, self._table.n_objects + 1))
        return self

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of the objects."""
        return self._objects.labels

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes; also called `properties`."""
        return self._attributes.labels

    properties = attributes

    @property
    def shape(self) -> tuple[int, int]:
        """The number of objects and the number of attributes."""
        return len(self._objects), len(self._attributes)

    @property
    def crosses(self) -> int:
        """The number of crosses."""
        return self._table.n_crosses

    @property
    def density(self) -> float:
        """The share of the table that holds crosses; 0 for an empty table."""
        n, q = self.shape
        return self.crosses / (n * q) if n and q else 0.0

    @property
    def n_distinct_rows(self) -> int:
        """The number of different rows."""
        return self._table.n_distinct_rows

    @cached_property
    def digest(self) -> str:
        """A SHA-256 of names and crosses, as hexadecimal text; equal contexts have equal ones."""
        digest = hashlib.sha256(b"conceptrank context 1")
        for labels in (self.objects, self.attributes):
            lengths = np.fromiter(map(len, labels), dtype="<i8", count=len(labels))
            digest.update(len(labels).to_bytes(8, "little"))
            digest.update(lengths.tobytes())
            digest.update("".join(labels).encode("utf-8", "surrogatepass"))
        offsets, numbers = self.rows()
        digest.update(offsets.astype("<i8", copy=False).tobytes())
        digest.update(numbers.astype("<u4", copy=False).tobytes())
        return digest.hexdigest()

    def rows(self) -> tuple[Offsets, Numbers]:
        """Return the attribute numbers of all objects in the form that `from_csr` takes.

        Examples
        --------
        >>> indptr, indices = Context("12", "ab", [[True, False], [True, True]]).rows()
        >>> indptr.tolist(), indices.tolist()
        ([0, 1, 3], [0, 0, 1])
        """
        if not self._table.has_objects:
            raise MeasureError(f"this needs the rows of {len(self._objects):,} single objects")
        return self._table.rows()

    def intension(self, objects: str | Iterable[str]) -> tuple[str, ...]:
        """Return the attributes that all these objects have; all attributes if there are none.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").intension(["2", "5"])
        ('adventure', 'criminal', 'drama')
        """
        numbers = self._table.intension(self._objects.numbers(objects))
        return self._attributes.of(numbers.tolist())

    def extension(self, attributes: str | Iterable[str]) -> tuple[str, ...]:
        """Return the objects that have all these attributes; all objects if there are none.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").extension(["criminal", "drama"])
        ('2', '5', '6')
        """
        numbers = self._table.extension(self._attributes.numbers(attributes))
        return self._objects.of(numbers.tolist())

    def closure(self, attributes: str | Iterable[str]) -> tuple[str, ...]:
        """Return all attributes that every object with these attributes has.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").closure(["criminal", "drama"])
        ('adventure', 'criminal', 'drama')
        """
        numbers = self._table.closure(self._attributes.numbers(attributes))
        return self._attributes.of(numbers.tolist())

    def concept(self, *attributes: str) -> Concept:
        """Return the concept that these attributes generate. No lattice is built.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama")
        <Concept 3 objects {2, 5, 6} × {adventure, criminal, drama}>
        """
        from conceptrank.concept import Concept

        return Concept(self, self._table.closure(self._attributes.numbers(attributes)))

    def lattice(
        self,
        *,
        min_support: float = 0,
        threads: int = 0,
        budget: Budget | None = None,
        progress: Callable[[int, float], None] | None = None,
        measures: Sequence[MeasureLike] = (),
    ) -> Lattice:
        """Mine the concepts and the cover relation between them.

        Parameters
        ----------
        min_support
            The least number of objects of a concept; a float is a share of all objects.
        threads
            How many threads to use; 0 is one for each processor. The result is the same.
        budget
            Limits; see `Budget`.
        progress
            Called now and then with the number of concepts found and the share of the search
            that is done.
        measures
            Measures that will be asked for: names, or pairs of a name and its parameters. What
            they need of the extents is then computed in the same pass, and what they need of the
            intents in one pass when the first of them is asked for.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=0.25, measures=["stability"])
        <Lattice 10 concepts with at least 3 of 11 objects, 7 attributes [069b8e81]>
        """
        from conceptrank.lattice import Lattice

        return Lattice.mine(
            self,
            min_support=min_support,
            threads=threads,
            budget=budget,
            progress=progress,
            measures=measures,
        )

    def rank(
        self,
        by: MeasureLike = "conceptual_relevance",
        *,
        also: MeasureLike | Sequence[MeasureLike] = (),
        then: MeasureLike | Sequence[MeasureLike] = (),
        descending: bool | None = None,
        ties: TieMode = "dense",
        where: ConditionLike | None = None,
        min_support: float = 0,
        threads: int = 0,
        budget: Budget | None = None,
        progress: Callable[[int, float], None] | None = None,
        **params: object,
    ) -> Ranking:
        """Mine the concepts and rank them by a measure, in one pass.

        This is faster than `context.lattice().rank(...)`, since extents are scored while mining.
        Options, measures and conditions are checked before mining starts.

        Parameters
        ----------
        by, also, then, descending, ties, where, **params
            As for `Lattice.rank`.
        min_support, threads
            As for `lattice`.
        budget
            Limits for mining and scoring together. When one is reached, the ranking holds the
            concepts that were scored until then, and its `stopped` names the limit.
        progress
            Called now and then with the number of concepts done and the share of the whole.

        Raises
        ------
        BudgetExceeded
            If the budget ended before a single concept had a score.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").rank("stability", also="cr", min_support=5)
        Ranking of 5 concepts by stability (4 different scores, 1 tie of 2 concepts)
        rank  stability   cr  support  intent
           1     0.8984  0.5        7  {adventure, criminal}
           2     0.7974    0       11  {}
           3     0.6562  0.5        5  {drama}
           4     0.4844  0.5        8  {adventure}
           4     0.4844  0.5        8  {criminal}
        """
        from conceptrank.ranking.building import mine_and_rank

        return mine_and_rank(
            self,
            by,
            also=also,
            then=then,
            descending=descending,
            ties=ties,
            where=where,
            min_support=min_support,
            threads=threads,
            budget=budget,
            progress=progress,
            params=params,
        )

    def closed_sets(
        self,
        *,
        min_support: float = 0,
        threads: int = 0,
        budget: Budget | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> ClosedSets:
        """List the closed attribute sets with their supports, and nothing else of the concepts.

        These are the intents of the lattice. Without covers they come several times faster.

        Parameters
        ----------
        min_support, threads, budget, progress
            As for `lattice`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> for intent, support in cr.datasets.load("movies").closed_sets(min_support=7):
        ...     print(support, intent)
        11 ()
        8 ('adventure',)
        8 ('criminal',)
        7 ('adventure', 'criminal')
        """
        from conceptrank.closed_sets import ClosedSets

        return ClosedSets.mine(
            self, min_support=min_support, threads=threads, budget=budget, progress=progress
        )

    def best(
        self,
        k: int,
        by: MeasureLike = "conceptual_relevance",
        *,
        also: MeasureLike | Sequence[MeasureLike] = (),
        then: MeasureLike | Sequence[MeasureLike] = (),
        descending: bool | None = None,
        ties: TieRule = "first",
        contains: str | Iterable[str] = (),
        excludes: str | Iterable[str] = (),
        any_of: str | Iterable[str] = (),
        objects: str | Iterable[str] = (),
        min_support: float = 0,
        max_support: float | None = None,
        min_intent: int = 0,
        max_intent: int | None = None,
        where: ConditionLike | None = None,
        target: str | None = None,
        threads: int = 0,
        budget: Budget | None = None,
        max_seconds: float | None = None,
        progress: BestProgress | None = None,
        **params: object,
    ) -> Best:
        """Find the k best concepts by a measure without listing the others.

        A measure with a bound (`conceptrank.measures.available()` has a column `bounded`) lets the
        search leave out whatever can't be among the best. Other measures work as well, but all
        concepts that meet the constraints are visited.

        Parameters
        ----------
        k
            How many concepts to find.
        by, also, then, descending
            As for `Lattice.rank`.
        ties
            What to do if more concepts tie with the last one than are wanted. `"first"` takes
            those that come first in the order of lattices: larger support, then the intent.
            `"all"` lists all of them.
        contains, excludes, any_of
            Attributes that every intent has; that no intent has; of which every intent has one.
        objects
            Objects that every extent has.
        min_support, max_support
            The least and the largest number of objects; a float is a share of all objects.
        min_intent, max_intent
            The least and the largest number of attributes.
        where
            A condition as for `Lattice.rank`, or a function of a concept. The search leaves out
            what can't meet it.
        target
            An attribute that says which label each object has, for supervised measures such as
            `"wracc"`. It leaves the table: the result is about the context without it.
        threads
            How many threads to use; 0 is one for each processor. The result is the same.
        budget, max_seconds
            Limits. `Budget.bytes` limits the memory of the search, which then goes depth first.
        progress
            Called after every step with the number of concepts visited, the k-th best score so far
            and the best score that is still possible.
        **params
            Parameters for all of the measures that know them.

        Returns
        -------
        Best
            A ranking. If a limit ended the search, it has the k best concepts so far; its `bound`
            is the best score that any other concept can have, and its first `proven` rows are
            certain to be among the best.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").best(3, by="delta_measure", min_intent=1)
        The 3 best concepts by delta_measure (... visited)
        rank  delta_measure  support  intent
           1              4        7  {adventure, criminal}
           2              2        5  {drama}
           2              2        3  {adventure, criminal, drama}
        """
        from conceptrank.best import Constraints, best

        if max_seconds is not None:
            if budget is not None:
                raise ValueError("give either max_seconds or a budget")
            budget = Budget(seconds=max_seconds)
        context = self
        if target is not None:
            if "labels" in params:
                raise ValueError("give either a target or labels")
            inside = set(self.extension(target))
            params["labels"] = [name in inside for name in self.objects]
            others = [name for name in self.attributes if name != target]
            context = self.select(attributes=others)
        return best(
            context,
            k,
            by,
            also=also,
            then=then,
            descending=descending,
            ties=ties,
            constraints=Constraints(
                contains=contains,
                excludes=excludes,
                any_of=any_of,
                objects=objects,
                min_support=min_support,
                max_support=max_support,
                min_intent=min_intent,
                max_intent=max_intent,
            ),
            where=where,
            threads=threads,
            budget=budget,
            progress=progress,
            params=params,
        )

    def significant(
        self,
        labels: object,
        *,
        positive: object = None,
        alpha: float = 0.05,
        method: Literal["westfall_young", "lamp"] = "westfall_young",
        permutations: int = 1000,
        seed: int = 0,
        threads: int = 0,
        budget: Budget | None = None,
    ) -> Significant:
        """Find the concepts that have a label more often than chance explains.

        The chance that any concept is listed although none goes with the label is at most alpha.

        Parameters
        ----------
        labels
            A label for each object: a mapping from names, or a sequence in the context's order.
        positive
            The label that counts. If None, labels are truth values or 0 and 1, and 1 counts.
        alpha
            The chance of any false finding.
        method
            `"westfall_young"` shuffles the labels, which takes the overlap of concepts into
            account; `"lamp"` divides alpha by the number of concepts that can be significant.
        permutations, seed
            How many times to shuffle the labels, and the seed.
        threads
            As for `lattice`.
        budget
            The seconds that it may take, and a way to cancel it.

        Raises
        ------
        BudgetExceeded
            If the budget ended it.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> seen = ["drama" in movies.intension([g]) for g in movies.objects]
        >>> found = movies.significant(seen)
        >>> [concept.intent for _, concept, _ in found], found.correction.tested
        ([('drama',)], 6)
        """
        from conceptrank.best.significance import significant

        return significant(
            self,
            labels,
            positive=positive,
            alpha=alpha,
            method=method,
            permutations=permutations,
            seed=seed,
            threads=threads,
            budget=budget,
        )

    def estimate_concepts(
        self, *, min_support: float = 0, seed: int = 0, runs: int = 32
    ) -> ConceptEstimate:
        """Estimate the number of concepts by sampling, in far less time than mining takes.

        Parameters
        ----------
        min_support
            As for `lattice`.
        seed
            Of the random choices.
        runs
            The most independent runs to make; fewer in large tables. 5 give a rough idea at once.

        Examples
        --------
        >>> import conceptrank as cr
        >>> print(cr.datasets.load("movies").estimate_concepts())
        20 concepts
        """
        least = support_threshold(min_support, len(self._objects))
        estimate = _core.estimate_concepts(self._table, min_support=least, seed=seed, runs=runs)
        return ConceptEstimate(*estimate[:4])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        return self is other or (self.shape == other.shape and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return Context.from_csr, (self.objects, self.attributes, *self.rows())

    def __repr__(self) -> str:
        n, q = self.shape
        return (
            f"<Context {n:,} objects × {q:,} attributes, "
            f"{self.crosses:,} crosses [{self.digest[:8]}]>"
        )

    def _repr_html_(self) -> str:
        from conceptrank import _html

        return _html.context(self)
