"""Rules out of a lattice, some concepts at a time, thresholds applied on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists, Numbers, Offsets
from conceptrank.budget import Budget, Watch, support_threshold, watched
from conceptrank.errors import BudgetExceeded, MeasureError
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.query import Constraints, Query, Target, mining
from conceptrank.rules import bases, measures
from conceptrank.rules.bases import Basis
from conceptrank.rules.parts import Part
from conceptrank.rules.rules import Origin, Rules
from conceptrank.rules.watch import RuleWatch

# Ranks rules where a number of rules is given and no measure.
DEFAULT_MEASURE = "lift"
# Concepts that are looked at together, at first; then so many that their rules are about as many
# as the second number.
_CONCEPTS_AT_ONCE = 4096
_RULES_AT_ONCE = 1 << 18
# Of concepts with everything below them, one at first: it can have as many rules as concepts.
_LARGE_AT_ONCE = 1


@dataclass(frozen=True)
class Sides:
    """What is in a rule.

    Parameters
    ----------
    premise, conclusion
        Attributes that the premise, or the conclusion, must have.
    meant
        For each concept, whether it may be that of premise and conclusion together; all if None.
    alone
        Whether the conclusion has nothing else.
    """

    premise: tuple[int, ...] = ()
    conclusion: tuple[int, ...] = ()
    meant: NDArray[np.bool_] | None = None
    alone: bool = False

    def of(self, lattice: Lattice, part: Part) -> Part:
        """Return the rules that have these."""
        if not (self.premise or self.conclusion) and self.meant is None:
            return part
        kept = np.ones(part.n_rules, dtype=np.bool_)
        if self.meant is not None:
            kept &= self.meant[part.targets]
        if self.premise:
            kept &= _having(part.premises, self.premise)[part.numbers] == len(self.premise)
        if self.conclusion and part.conclusions is not None:
            kept &= _having(part.conclusions, self.conclusion) == len(self.conclusion)
        elif self.conclusion:
            together = _having(lattice.intents, self.conclusion) == len(self.conclusion)
            kept &= together[part.targets]
            kept &= _having(part.premises, self.conclusion)[part.numbers] == 0
        part = part if kept.all() else part.take(np.flatnonzero(kept))
        return self._alone(lattice, part) if self.alone else part

    def _alone(self, lattice: Lattice, part: Part) -> Part:
        """Return the rules with nothing but the wanted conclusion, one for each premise.

        The largest concept of premise and conclusion has just the objects with both.
        """
        order = np.lexsort((-lattice.supports[part.targets], part.numbers))
        _, first = np.unique(part.numbers[order], return_index=True)
        chosen = part.take(order[first])
        offsets = np.arange(chosen.n_rules + 1) * len(self.conclusion)
        conclusions = np.tile(np.array(self.conclusion, dtype=np.uint32), chosen.n_rules)
        return replace(chosen, conclusions=(offsets, conclusions))


def _having(sets: Lists, attributes: Sequence[int]) -> NDArray[np.int64]:
    """Return how many of these attributes each set has."""
    offsets, values = sets
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(owners[np.isin(values, attributes)], minlength=len(offsets) - 1)


def search(
    query: Query,
    basis: str = "minimal_non_redundant",
    *,
    premise: str | Iterable[str] = (),
    conclusion: str | Iterable[str] = (),
    target: str | None = None,
    **options: Any,
) -> Rules:
    """Return the rules of a context; see `Context.rules`.

    A rule with these attributes has them among its objects at least `min_support` times. So has
    every concept above that of its premise, and nothing else is mined.
    """
    if target is not None:
        found = Target.of(query.context, target)
        if found.numeric or conclusion:
            reason = "is a number" if found.numeric else "is the conclusion, so give no other one"
            raise MeasureError(f"the target {found.name!r} {reason}")
        query, conclusion = replace(query, context=found.beside()), found.name
    chosen, wanted = bases.get(basis), query.tightened
    least = wanted.least_support(query.context)
    least = least if chosen.exact else max(least, 1)
    names = query.context.attribute_names
    inside, concluded = names.numbers(premise).tolist(), names.numbers(conclusion).tolist()
    shared = names.of(sorted({*inside, *concluded, *names.numbers(wanted.contains).tolist()}))
    # Other constraints can hold for an intent and fail for its subsets.
    above = Constraints(
        excludes=wanted.excludes,
        objects=wanted.objects,
        max_intent=wanted.max_intent,
        min_support=least,
    )
    watch = Watch(query.budget)
    if chosen.premises in ("pseudo-intents", "proper"):
        above, shared = Constraints(min_support=least), ()
    plan = Query(
        context=query.context,
        constraints=above,
        threads=query.threads,
        budget=watch.remaining(),
    )
    lattice = mining.lattice(plan, shared=shared)
    if lattice.stopped:
        refuse_incomplete(lattice)
    sides = Sides(
        tuple(sorted({*inside})),
        tuple(sorted({*concluded})),
        None
        if wanted.is_plain and query.where is None
        else wanted.met(lattice) & query.holds(lattice),
        alone=target is not None,
    )
    return rules(
        lattice,
        basis,
        min_support=least,
        sides=sides,
        budget=watch.remaining(),
        progress=query.progress,
        **options,
    )


def rules(
    lattice: Lattice,
    basis: str = "minimal_non_redundant",
    *,
    min_support: float | None = None,
    min_confidence: float = 0.0,
    max_premise: int | None = None,
    sides: Sides | None = None,
    by: MeasureLike | None = None,
    top: int | None = None,
    budget: Budget | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Rules:
    """Return the rules of a lattice; see `Lattice.rules`."""
    origin = _checked(lattice, bases.get(basis), min_support, min_confidence, max_premise)
    if top is not None and top < 0:
        raise ValueError(f"top must not be negative, got {top}")
    if top is not None and by is None:
        by = DEFAULT_MEASURE
    wanted = None if by is None else measures.wanted(by)
    if sides is None:
        refuse_incomplete(lattice)
    watch = RuleWatch(budget or Budget(), progress)
    found = generated(lattice, origin, watch)
    if sides is not None:
        found = map(partial(sides.of, lattice), found)
    if by is not None and wanted is not None and top is not None and wanted.single:
        return _best(lattice, found, top, by=by, origin=origin, watch=watch)
    part = Part.joined(list(_admitted(found, watch)))
    whole = Rules(lattice, part, origin, watch.stopped)
    if by is None:
        return whole
    # Rules that were found before a limit are scored, too.
    with watched(None if watch.stopped else budget):
        return whole.sorted(by) if top is None else whole.top(top, by=by)


def _checked(
    lattice: Lattice,
    basis: Basis,
    min_support: float | None,
    min_confidence: float,
    max_premise: int | None,
) -> Origin:
    """Return what rules must have, with numbers of objects; refuse invalid origin."""
    if min_support is None:
        least = lattice.min_support if basis.exact else max(lattice.min_support, 1)
    else:
        least = support_threshold(min_support, lattice.context.shape[0])
        if least < lattice.min_support:
            raise ValueError(
                f"the lattice has no concepts of fewer than {lattice.min_support:,} objects, and "
                f"min_support is {least:,}: mine it with that min_support"
            )
    if not 0 <= min_confidence <= 1:
        raise ValueError(f"min_confidence is a share between 0 and 1, got {min_confidence}")
    if max_premise is not None and max_premise < 0:
        raise ValueError(f"max_premise must not be negative, got {max_premise}")
    return Origin(basis, least, float(min_confidence), max_premise)


def refuse_incomplete(lattice: Lattice) -> None:
    """Raise an error if the covers of a lattice are not known."""
    if lattice.constrained:
        raise BudgetExceeded(
            "constraints left out concepts that rules come from: context.rules(...) takes the same "
            "constraints"
        )
    if not lattice.complete:
        raise BudgetExceeded(
            f"mining ended early ({lattice.stopped}), so that the covers, which rules come from, "
            "are not known (hint: a larger minimum support gives a complete lattice)"
        )


def generated(lattice: Lattice, origin: Origin, watch: RuleWatch) -> Iterator[Part]:
    """Return the rules of a basis, some at a time, in the order of their premises' concepts."""
    basis = origin.basis
    if basis.premises == "pseudo-intents":
        yield _duquenne_guigues(lattice, origin, watch)
        return
    if basis.premises == "proper":
        yield from _proper(lattice, origin, watch)
        return
    step = _LARGE_AT_ONCE if basis.concludes in ("below", "all") else _CONCEPTS_AT_ONCE
    end = _frequent(lattice, origin)
    begin = 0
    while begin < end:
        stop = min(begin + step, end)
        part = _block(lattice, origin, (begin, stop), watch)
        if part is None:
            break
        yield part
        watch.report(watch.found, stop / end)
        if watch.interrupted():
            break
        grown = step * _RULES_AT_ONCE // max(part.n_rules, 1)
        begin, step = stop, max(1, min(grown, 4 * step, _CONCEPTS_AT_ONCE))


def _frequent(lattice: Lattice, origin: Origin) -> int:
    """Return how many concepts have enough objects; they are the first ones."""
    return int(np.searchsorted(-lattice.supports, -origin.min_support, side="right"))


def _block(
    lattice: Lattice, origin: Origin, block: tuple[int, int], watch: RuleWatch
) -> Part | None:
    (begin, end), basis = block, origin.basis
    targets = _conclusions(lattice, origin, block, watch)
    if targets is None:
        return None
    if basis.premises == "intents":
        premises = _lists.section(lattice.intents, begin, end)
        if origin.max_premise is not None:
            kept = np.flatnonzero(np.diff(premises[0]) <= origin.max_premise)
            return _expanded(_lists.take(premises, kept), kept, begin, targets)
        return _expanded(premises, np.arange(end - begin), begin, targets)
    found = _generators(lattice, block, origin.max_premise, watch, limit=watch.rules_left)
    if found is None:
        return None
    offsets, sets = found
    part = _expanded(sets, np.repeat(np.arange(end - begin), np.diff(offsets)), begin, targets)
    if basis.concludes in ("same", "all"):
        # An intent that generates itself alone concludes nothing.
        sizes = np.diff(part.premises[0]) == lattice.intent_sizes[part.sources]
        empty = sizes[part.numbers] & (part.sources[part.numbers] == part.targets)
        if empty.any():
            part = Part(part.premises, part.sources, part.numbers[~empty], part.targets[~empty])
    return part


def _expanded(premises: Lists, owners: NDArray[np.int64], begin: int, targets: Lists) -> Part:
    """Return a rule for each premise and each target of its concept."""
    lengths, places = _lists.take(targets, owners)
    numbers = np.repeat(np.arange(len(owners), dtype=np.uint32), np.diff(lengths))
    return Part(premises, (owners + begin).astype(np.uint32), numbers, places)


def _generators(
    lattice: Lattice,
    block: tuple[int, int],
    max_size: int | None,
    watch: RuleWatch,
    *,
    limit: int | None,
) -> tuple[Offsets, Lists] | None:
    """Return the minimal generators of some concepts; None if the budget ended that."""
    found = _core.lattice_generators(
        lattice.core,
        *block,
        max_size=max_size,
        # What is found before a limit must not depend on the number of threads.
        threads=lattice.threads if limit is None else 1,
        watch=_core.Watch(
            watch.interrupted,
            # One more than there may be rules, as one generator may be an intent.
            concepts=None if limit is None else limit + block[1] - block[0],
            bytes=watch.bytes_left,
        ),
    )
    if found is None:
        watch.stopped = watch.stopped or "bytes"
        return None
    return found.offsets, found.sets


def _conclusions(
    lattice: Lattice, origin: Origin, block: tuple[int, int], watch: RuleWatch
) -> Lists | None:
    """Return the places that the rules of each concept may lead to."""
    (begin, end), basis = block, origin.basis
    own: Lists = np.arange(end - begin + 1), np.arange(begin, end, dtype=np.uint32)
    if basis.concludes == "same":
        return own
    if basis.concludes == "covers":
        offsets, places = _lists.section(lattice.lower_covers, begin, end)
        lengths = np.diff(offsets)
        supports = lattice.supports
        above = np.repeat(supports[begin:end], lengths)
        below = supports[places]
        kept = (below >= origin.min_support) & (below / above >= origin.min_confidence)
        if kept.all():
            return offsets, places
        owners = np.repeat(np.arange(end - begin), lengths)[kept]
        return _lists.offsets_of(np.bincount(owners, minlength=end - begin)), places[kept]
    found = _core.descendants(
        lattice.core,
        *block,
        min_support=origin.min_support,
        min_confidence=origin.min_confidence,
        threads=lattice.threads,
        watch=_core.Watch(watch.interrupted, bytes=watch.bytes_left),
    )
    if found is None:
        watch.stopped = watch.stopped or "bytes"
        return None
    return _lists.merged(own, found) if basis.concludes == "all" else found


def _duquenne_guigues(lattice: Lattice, origin: Origin, watch: RuleWatch) -> Part:
    budget = watch.budget
    found = _core.duquenne_guigues(
        lattice.context.core,
        min_support=origin.min_support,
        max_premise=origin.max_premise,
        watch=_core.Watch(
            lambda: budget.cancelled,
            watch.report,
            concepts=budget.rules,
            bytes=budget.bytes,
            seconds=budget.seconds,
        ),
    )
    watch.stopped = "rules" if found.stop == "concepts" else found.stop
    places = [
        lattice.find(closure, support)
        for closure, support in zip(
            _lists.each(found.closures), found.supports.tolist(), strict=True
        )
    ]
    numbers = np.arange(len(places), dtype=np.uint32)
    concepts: Numbers = np.array(places, dtype=np.uint32)
    return Part(found.premises, concepts, numbers, concepts)


def _proper(lattice: Lattice, origin: Origin, watch: RuleWatch) -> Iterator[Part]:
    """Return the rules of proper premises: minimal generators with something new to conclude."""
    end = _frequent(lattice, origin)
    found = []
    for begin in range(0, end, _CONCEPTS_AT_ONCE):
        block = begin, min(begin + _CONCEPTS_AT_ONCE, end)
        generators = _generators(lattice, block, origin.max_premise, watch, limit=None)
        if generators is None:
            return
        offsets, sets = generators
        sources = np.repeat(np.arange(*block, dtype=np.uint32), np.diff(offsets))
        found.append(Part(sets, sources, _lists.NO_NUMBERS, _lists.NO_NUMBERS))
        watch.report(0, block[1] / end / 2)
    premises = Part.joined(found)
    concluded = _core.proper_conclusions(
        lattice.core,
        premises.premises,
        premises.sources,
        threads=lattice.threads,
        watch=_core.Watch(watch.interrupted),
    )
    if concluded is None:
        return
    numbers = np.flatnonzero(np.diff(concluded[0]))
    yield Part(
        _lists.take(premises.premises, numbers),
        premises.sources[numbers],
        np.arange(len(numbers), dtype=np.uint32),
        premises.sources[numbers],
        _lists.take(concluded, numbers),
    )


def _admitted(found: Iterator[Part], watch: RuleWatch) -> Iterator[Part]:
    """Return the rules that the budget has room for."""
    for part in found:
        # The core has already applied the limits to the rules that it found.
        stopped = watch.stopped
        room = watch.room(part.n_rules, part.n_bytes)
        yield part if room == part.n_rules else part.take(np.arange(room))
        if watch.stopped:
            watch.stopped = stopped or watch.stopped
            return


def _best(
    lattice: Lattice,
    found: Iterator[Part],
    k: int,
    *,
    by: MeasureLike,
    origin: Origin,
    watch: RuleWatch,
) -> Rules:
    """Return the best of all rules, the earlier one of equal ones, without holding all of them."""
    descending = measures.wanted(by).descending
    kept, worths, seen = Part.joined([]), np.zeros(0), 0
    of_concepts: dict[str, Scores] = {}
    for part in (piece for whole in found for piece in whole.pieces(_RULES_AT_ONCE)):
        try:
            with watched(watch.budget):
                scores = Rules(lattice, part, origin, of_concepts=of_concepts).score(by)
        except BudgetExceeded:
            if not watch.interrupted():
                raise
            break
        seen += part.n_rules
        watch.found = seen
        if watch.rules_left is not None and watch.rules_left < 0:
            watch.stopped = "rules"
        worth = measures.worths(scores, descending=descending)
        full = 0 < k <= len(worths)
        new = np.flatnonzero(worth > worths[-1]) if full else np.arange(len(worth))
        new = new[np.argsort(-worth[new], kind="stable")[:k]]
        if len(new):
            worths = np.concatenate((worths, worth[new]))
            order = np.argsort(-worths, kind="stable")[:k]
            kept, worths = Part.joined([kept, part.take(new)]).take(order), worths[order]
        if watch.stopped:
            break
    return Rules(lattice, kept, origin, watch.stopped, by=by, among=seen)
