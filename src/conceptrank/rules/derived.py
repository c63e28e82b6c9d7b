"""`Derived`: all rules that follow from some, as arrays; `Rule`, one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util.lists import Lists
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import Scores

if TYPE_CHECKING:
    import polars as pl

# Pairs of a premise and a conclusion that are made before equal ones are joined.
_PAIRS_AT_ONCE = 1 << 22


class Rule(NamedTuple):
    """A rule: objects with the premise have the conclusion, with some confidence.

    `support` is the share of all objects with both.
    """

    premise: tuple[str, ...]
    conclusion: tuple[str, ...]
    support: float
    confidence: float

    def __str__(self) -> str:
        return f"{_text.braces(self.premise)} → {_text.braces(self.conclusion)}"


@dataclass(frozen=True, eq=False)
class Derived:
    """Rules that follow from others, the surest and most frequent first.

    Parameters
    ----------
    attributes
        The names of the attributes.
    premises, conclusions
        The attribute numbers of each side of all rules, as offsets and values.
    support, confidence
        What is known of each rule.
    """

    attributes: tuple[str, ...]
    premises: Lists
    conclusions: Lists
    support: Scores
    confidence: Scores

    def __len__(self) -> int:
        return len(self.support)

    def __getitem__(self, place: int) -> Rule:
        place = range(len(self))[place]
        premise, conclusion = (
            tuple(self.attributes[m] for m in _lists.at(side, place).tolist())
            for side in (self.premises, self.conclusions)
        )
        return Rule(premise, conclusion, float(self.support[place]), float(self.confidence[place]))

    def __iter__(self) -> Iterator[Rule]:
        return map(self.__getitem__, range(len(self)))

    def to_polars(self) -> pl.DataFrame:
        """Return the rules as a polars frame: premise, conclusion, support and confidence."""
        import polars as pl

        from conceptrank.convert import results

        return pl.DataFrame(
            {
                "premise": results.list_column(self.premises, self.attributes),
                "conclusion": results.list_column(self.conclusions, self.attributes),
                "support": self.support,
                "confidence": self.confidence,
            }
        )


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs X → Y that follow from rules h → D: h with some of D, and some others of D.

    `added` and `follows` say which members of D, as bits. `keys` are two words that depend on X and
    Y alone, made of random words per attribute: pairs of equal keys are equal.
    """

    rules: NDArray[np.int64]
    added: NDArray[np.int64]
    follows: NDArray[np.int64]
    keys: NDArray[np.uint64]

    @classmethod
    def none(cls) -> _Pairs:
        """Return no pairs."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing, np.zeros((0, 2), dtype=np.uint64))

    @classmethod
    def joined(cls, parts: list[_Pairs]) -> _Pairs:
        """Return several parts as one."""
        parts = [cls.none(), *parts]
        return cls(
            np.concatenate([part.rules for part in parts]),
            np.concatenate([part.added for part in parts]),
            np.concatenate([part.follows for part in parts]),
            np.concatenate([part.keys for part in parts]),
        )

    def at(self, places: NDArray[np.int64]) -> _Pairs:
        """Return some of them."""
        return _Pairs(
            self.rules[places], self.added[places], self.follows[places], self.keys[places]
        )


def derived(
    attributes: tuple[str, ...],
    premises: Lists,
    conclusions: Lists,
    support: Scores,
    confidence: Scores,
    *,
    limit: int,
) -> Derived:
    """Return all rules with premise and conclusion not empty that follow from some.

    A rule h → D stands for every X → Y with h inside X, and X and Y inside h and D: it has at least
    the support and the confidence of h → D. The most that is known of either holds.
    """
    words = np.random.default_rng(0).integers(0, 2**64, (2, len(attributes), 2), dtype=np.uint64)
    facts = np.column_stack((support, confidence))
    found, most = _Pairs.none(), facts[:0]
    waiting: list[_Pairs] = []
    for part in _parts(premises, conclusions, words, limit):
        if part is not None:
            waiting.append(part)
        if part is None or sum(len(each.rules) for each in waiting) > _PAIRS_AT_ONCE:
            new = _Pairs.joined(waiting)
            both = _Pairs.joined([found, new])
            places, most = _different(both.keys, np.concatenate((most, facts[new.rules])))
            found, waiting = both.at(places), []
            if len(places) > limit:
                raise _too_many(limit)
    sides = _sides(found, premises, conclusions, len(attributes))
    order = np.lexsort((*_columns(sides[1]), *_columns(sides[0]), -most[:, 0], -most[:, 1]))
    taken = [_lists.take(side, order) for side in sides]
    return Derived(attributes, taken[0], taken[1], *most[order].T)


def _too_many(limit: int) -> BudgetExceeded:
    return BudgetExceeded(
        f"more than {limit:,} rules follow; derived(limit={limit * 10}) would list more"
    )


def _parts(
    premises: Lists, conclusions: Lists, words: NDArray[np.uint64], limit: int
) -> Iterator[_Pairs | None]:
    """Give the pairs that follow from the rules, those of one size of conclusions at a time.

    None comes last.
    """
    own, sizes = _folded(premises, words[0]), np.diff(conclusions[0])
    for size in np.unique(sizes[sizes > 0]).tolist():
        # All pairs of one rule are different.
        if 3**size - 2 ** (size + 1) > limit:
            raise _too_many(limit)
        rules = np.flatnonzero(sizes == size)
        step = max(1, _PAIRS_AT_ONCE // 3**size)
        for begin in range(0, len(rules), step):
            yield _pairs(rules[begin : begin + step], conclusions, own, words, premises)
    yield None


def _folded(lists: Lists, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the exclusive or of the words of each list's members."""
    offsets, values = lists
    total = np.concatenate((np.zeros((1, 2), dtype=np.uint64), words[values]))
    total = np.bitwise_xor.accumulate(total, axis=0)
    return np.asarray(total[offsets[1:]] ^ total[offsets[:-1]])


def _pairs(
    rules: NDArray[np.int64],
    conclusions: Lists,
    own: NDArray[np.uint64],
    words: NDArray[np.uint64],
    premises: Lists,
) -> _Pairs:
    """Return the pairs of some rules whose conclusions have one size."""
    members = _lists.take(conclusions, rules)[1].reshape(len(rules), -1)
    size = members.shape[1]
    subsets = np.zeros((2, len(rules), 1 << size, 2), dtype=np.uint64)
    for bit in range(size):
        half = 1 << bit
        subsets[:, :, half : 2 * half] = subsets[:, :, :half] ^ words[:, members[:, bit], None, :]
    added = follows = np.zeros(1, dtype=np.int64)
    for bit in range(size):
        one = 1 << bit
        added, follows = (
            np.concatenate((added, added | one, added)),
            np.concatenate((follows, follows, follows | one)),
        )
    added, follows = added[follows > 0], follows[follows > 0]
    keys = own[rules][:, None, :] ^ subsets[0][:, added] ^ subsets[1][:, follows]
    some = (np.diff(premises[0])[rules] > 0)[:, None] | (added > 0)
    return _Pairs(
        np.repeat(rules, some.sum(axis=1)),
        np.broadcast_to(added, some.shape)[some],
        np.broadcast_to(follows, some.shape)[some],
        keys[some],
    )


def _different(keys: NDArray[np.uint64], facts: Scores) -> tuple[NDArray[np.int64], Scores]:
    """Return the places of the first of equal pairs, and the most that is known of each."""
    if not len(keys):
        return np.zeros(0, dtype=np.int64), facts
    order = np.argsort(keys[:, 0])
    first, second = keys[order, 0], keys[order, 1]
    begins = np.append(True, first[1:] != first[:-1])
    if (begins[1:] < (second[1:] != second[:-1])).any():
        # Two pairs share one of their words.
        order = np.lexsort((keys[:, 1], keys[:, 0]))
        first, second = keys[order, 0], keys[order, 1]
        begins[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    starts = np.flatnonzero(begins)
    return order[starts], np.maximum.reduceat(facts[order], starts, axis=0)


def _sides(found: _Pairs, premises: Lists, conclusions: Lists, q: int) -> tuple[Lists, Lists]:
    """Return the attribute numbers of both sides of pairs."""
    n = len(found.rules)
    offsets, members = _lists.take(conclusions, found.rules)
    owners = np.repeat(np.arange(n), np.diff(offsets))
    bits = np.arange(len(members)) - np.repeat(offsets[:-1], np.diff(offsets))
    own_offsets, own = _lists.take(premises, found.rules)
    inside = (found.added[owners] >> bits & 1).astype(np.bool_)
    after = (found.follows[owners] >> bits & 1).astype(np.bool_)
    rows = np.concatenate((np.repeat(np.arange(n), np.diff(own_offsets)), owners[inside]))
    premise = _lists.from_pairs(rows, np.concatenate((own, members[inside])), (n, q))
    return premise, _lists.from_pairs(owners[after], members[after], (n, q))


def _columns(lists: Lists) -> list[NDArray[np.int64]]:
    """Return the members of ascending lists as sort keys, the first member last."""
    offsets, values = lists
    lengths = np.diff(offsets)
    padded = np.full((len(lengths), int(lengths.max(initial=0))), -1, dtype=np.int64)
    padded[np.arange(padded.shape[1]) < lengths[:, None]] = values
    return list(padded.T[::-1])
