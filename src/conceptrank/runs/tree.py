"""Tasks as parts of the search tree: `Prefix`, `Task`, and the tasks that follow from a task.

A task is a list of prefixes and a generation. The tasks that follow from it depend only on the
prefixes that it left over, not on time or workers. So a run is the same tree of tasks wherever it
runs, and a folder of parts can be walked from the first task on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

# The number of tasks that share the prefixes a task left over.
FAN = 3
# The first task visits at most this many nodes, and each generation twice as many as the one
# before. So a small run keeps all workers busy, and a large run has few tasks.
FIRST_BUDGET = 1_000
# The first node may come with a second concept, that of the empty extent.
LEAST_BUDGET = 2


class Prefix(NamedTuple):
    """A subtree of the search tree, or the subtrees of some children of a node.

    Parameters
    ----------
    intent
        The attribute numbers of the node.
    last
        The attribute that generated it; -1 for the root.
    children
        The attributes that generate the children; None for the node itself with everything.
    """

    intent: tuple[int, ...] = ()
    last: int = -1
    children: tuple[int, ...] | None = None

    @classmethod
    def of(cls, plain: Sequence[Any]) -> Prefix:
        """Return the prefix in a part of JSON, or in a tuple of the core.

        Examples
        --------
        >>> Prefix.of([[1, 4], 4, [6, 7]])
        Prefix(intent=(1, 4), last=4, children=(6, 7))
        """
        intent, last, children = plain
        return cls(tuple(intent), last, None if children is None else tuple(children))


@dataclass(frozen=True)
class Task:
    """Prefixes to mine, and the number of generations of tasks before this one."""

    prefixes: tuple[Prefix, ...]
    generation: int = 0

    @cached_property
    def name(self) -> str:
        """A name that is unique in a run.

        Examples
        --------
        >>> FIRST_TASK.name
        'b99329ddb0663de7'
        """
        content = json.dumps([self.generation, self.prefixes])
        return hashlib.sha256(content.encode()).hexdigest()[:16]


FIRST_TASK = Task((Prefix(),))


def budget_of(task: Task, most: int) -> int:
    """Return the number of nodes that a task may visit.

    Examples
    --------
    >>> budget_of(FIRST_TASK, 200_000), budget_of(Task((), 5), 200_000), budget_of(Task((), 9), 500)
    (1000, 32000, 500)
    """
    grown = FIRST_BUDGET << min(task.generation, 40)
    return max(LEAST_BUDGET, min(most, grown))


def following(task: Task, left: Sequence[Prefix]) -> list[Task]:
    """Return the tasks that share the prefixes a task left over.

    Many children of one node are distributed, because the sizes of their subtrees are unknown. Few
    children stay together, because each task must build the node again.

    Examples
    --------
    >>> left = [Prefix((1,), 1, (2, 3)), Prefix((), -1, (4, 5, 6, 7, 8, 9))]
    >>> for each in following(FIRST_TASK, left):
    ...     print(each.generation, [prefix.children for prefix in each.prefixes])
    1 [(4, 7), (2, 3)]
    1 [(5, 8)]
    1 [(6, 9)]
    """
    shares: list[list[Prefix]] = [[] for _ in range(FAN)]
    sizes = [0] * FAN
    # From the root on, because subtrees near the root are large.
    for prefix in reversed(left):
        children = prefix.children
        if children is not None and len(children) >= 2 * FAN:
            for i in range(FAN):
                part = children[i::FAN]
                shares[i].append(Prefix(prefix.intent, prefix.last, part))
                sizes[i] += len(part)
        else:
            smallest = sizes.index(min(sizes))
            shares[smallest].append(prefix)
            sizes[smallest] += 1 if children is None else len(children)
    return [Task(tuple(share), task.generation + 1) for share in shares if share]
