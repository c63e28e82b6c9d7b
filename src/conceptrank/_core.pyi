"""
The native core of conceptrank: numbers in, numbers out; names live in Python.
"""

from collections.abc import Callable
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Table:
    """The incidence relation of a context, by numbers."""

    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,))], attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], n_attributes: int, interrupt: Callable[[], bool] | None = None) -> None: ...

    @staticmethod
    def weighted(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,))], attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], n_attributes: int, interrupt: Callable[[], bool] | None = None) -> Table:
        """A table whose rows count as several objects each."""

    @staticmethod
    def distinct(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,))], attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], n_attributes: int, interrupt: Callable[[], bool] | None = None) -> Table:
        """
        A table of distinct rows that count as several objects each. It keeps the arrays, which must not change.
        """

    @property
    def n_objects(self) -> int:
        """Number of objects, counted with weights."""

    @property
    def n_attributes(self) -> int: ...

    @property
    def n_distinct_rows(self) -> int: ...

    @property
    def n_crosses(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

    def extension(self, attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The objects that have all the attributes."""

    def intension(self, objects: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The attributes that all the objects share."""

    def closure(self, attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The attributes that follow from the attributes."""

    def support(self, attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """Number of objects that have all the attributes."""

    def attribute_supports(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Number of objects of every attribute."""

    def rows(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """The attributes of all objects, as offsets and values."""

    def row_of_object(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The number of the distinct row of every object."""

    def distinct_rows(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        The different rows and how many objects have each: offsets, values, weights.
        """

def renumbered(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,))], values: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], places: Annotated[NDArray[numpy.uint32], dict(shape=(None,))]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    Lists in other numbers, ascending, each once. `places` has the new numbers; 2^32 - 1 leaves one out.
    """

def occurrences(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,))], values: Annotated[NDArray[numpy.uint32], dict(shape=(None,))], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,))]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    How often each number occurs in lists that count as often as their weights say. 2^32 - 1 is left out.
    """

class RowMerger:
    """Makes equal rows one row with a weight."""

    def __init__(self) -> None: ...

    def add(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Adds rows that stand for so many objects each; attributes come in any order, and repeated ones count once.
        """

    def reserve(self, n_rows: int, n_crosses: int) -> None:
        """Makes room for so many different rows and crosses."""

    @property
    def n_objects(self) -> int: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

    def take(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        The different rows and their weights, as offsets, values, weights; then it is empty.
        """

def covers(table: Table, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: str, below: int, threads: int = 0, interrupt: Callable[[], bool] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    The upper or lower covers, of those with fewer than `below` objects: how many each concept has, as offsets, and their intents.
    """

class FaceOptions:
    """What to compute from the faces of a concept."""

    def __init__(self, *, keep: float = 0.5, generators: bool = False, share: bool = False, probability: bool = False, bounds: bool = False, node_budget: int = 100000, state_budget: int = 100000, method: str = 'exact', eps: float = 0.01, delta: float = 0.05, seed: int = 0, bits: int = 4, fields: int = 4294967295) -> None: ...

def face_score_fields() -> list[str]:
    """Names of the columns of face scores."""

def faces(table: Table, intent: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], side: str) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    Faces of the concept with this intent, smallest first, as offsets and values.
    """

def score_concepts(table: Table, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], side: str, options: FaceOptions, threads: int = 0, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Face scores of the concepts with these intents, each from the table alone.
    """

def minimal_transversals(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], faces: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_elements: int, limit: int, interrupt: Callable[[], bool] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], bool]:
    """
    At most `limit` minimal transversals, as offsets and values, and whether that is all.
    """

def count_minimal_transversals(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], faces: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_elements: int, node_budget: int) -> tuple[float, bool]:
    """Number of minimal transversals, and whether the count is complete."""

def miss_probability(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], faces: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_elements: int, keep: float, weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, state_budget: int = 100000) -> tuple[float, float, bool]:
    """Chance to miss a face, a bound on its error, and whether it is exact."""

class Implications:
    """Implications by number, arranged for closures."""

    def __init__(self, premise_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], premises: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], conclusion_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], conclusions: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_attributes: int) -> None: ...

    def __len__(self) -> int: ...

    def close(self, offsets: NDArray[numpy.int64], sets: NDArray[numpy.uint32], interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """What follows from each set, the set included."""

    def irredundant(self, interrupt: Callable[[], bool] | None = None) -> NDArray[numpy.uint8]:
        """Which implications to keep so that none follows from the others."""

    def next_open(self, table: Table, start: NDArray[numpy.uint32], interrupt: Callable[[], bool] | None = None) -> NDArray[numpy.uint32] | None:
        """
        The first set in lectic order, from a closed one on, that is closed under the implications but not in the table.
        """

def duquenne_guigues(table: Table, *, min_support: int = 0, max_premise: int | None = None, rules: int | None = None, bytes: int | None = None, seconds: float | None = None, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], NDArray[numpy.uint32], str]:
    """
    The Duquenne–Guigues basis: premises, their closures, supports, and what ended the search early.
    """

class Constraints:
    """Which concepts count, by numbers of attributes."""

    def __init__(self, *, contains: NDArray[numpy.uint32], forbidden: NDArray[numpy.uint32], any_of: NDArray[numpy.uint32], min_support: int = 0, max_support: int | None = None, min_intent: int = 0, max_intent: int | None = None, shared: NDArray[numpy.uint32]) -> None: ...

class Lattice:
    """Concepts and their cover relation, as flat arrays."""

    @property
    def n_concepts(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

    @property
    def min_support(self) -> int: ...

    @property
    def stop(self) -> str:
        """Why mining ended early; empty when the lattice is complete."""

    @property
    def supports(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    @property
    def deltas(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    @property
    def intent_offsets(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]: ...

    @property
    def intents(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    @property
    def lower_offsets(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]: ...

    @property
    def lower(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    @property
    def upper_offsets(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]: ...

    @property
    def upper(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    def find(self, intent: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], support: int) -> int | None:
        """The number of the concept, or None."""

    @staticmethod
    def from_arrays(*, min_support: int, stop: str, supports: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], deltas: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], intent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lower_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Lattice: ...

    def score_intents(self, options: FaceOptions, threads: int = 0, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], NDArray[numpy.uint8]]:
        """
        Scores of the intent faces of all concepts of a complete lattice, and which of them are done.
        """

    def score_again(self, table: Table, *, threads: int = 0, score_extents: FaceOptions | None = None, score_intents: FaceOptions | None = None, sum_columns: bool = False, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None) -> tuple[NDArray[numpy.float64] | None, NDArray[numpy.float64] | None, NDArray[numpy.float64] | None, NDArray[numpy.uint8]]:
        """
        Walks the search tree of the lattice again and scores its concepts. Gives face scores of extents and of intents, column sums, and which concepts are done.
        """

def mine(table: Table, *, min_support: int = 0, threads: int = 0, concepts: int | None = None, bytes: int | None = None, seconds: float | None = None, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None, score_extents: FaceOptions | None = None, sum_columns: bool = False, covers: bool = True, constraints: Constraints | None = None) -> tuple[Lattice, Annotated[NDArray[numpy.float64], dict(shape=(None, None))] | None, Annotated[NDArray[numpy.float64], dict(shape=(None, None))] | None]:
    """
    The concepts with at least min_support objects, with or without covers; on request the face scores of their extents and their column sums. With constraints, those that meet them, without the relation of covers.
    """

def estimate_concepts(table: Table, *, min_support: int = 0, seed: int = 0, exact_nodes: int = 20000, runs: int = 32, seconds: float | None = None, interrupt: Callable[[], bool] | None = None) -> tuple[float, float, float, bool, int]:
    """
    Estimated number of concepts, its 95 % interval, whether it is exact, and runs made.
    """

class BranchMiner:
    """Mines pieces of the search tree of a table."""

    def __init__(self, table: Table, min_support: int = 0) -> None: ...

    def order(self) -> NDArray[numpy.uint32]:
        """The frequent attributes in the order of the search."""

    def mine(self, offsets: NDArray[numpy.int64], intents: NDArray[numpy.uint32], last: NDArray[numpy.int64], whole: NDArray[numpy.uint8], child_offsets: NDArray[numpy.int64], children: NDArray[numpy.uint32], *, nodes: int, worth: int = 0, score_intents: FaceOptions | None = None, score_extents: FaceOptions | None = None, sum_columns: bool = False, constraints: Constraints | None = None, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint32], NDArray[numpy.uint32], NDArray[numpy.float64] | None, NDArray[numpy.float64] | None, NDArray[numpy.float64] | None, tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.int64], NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint32]], int, int]:
        """
        Visits at most `nodes` nodes of some parts of the tree, and mines and scores the concepts that meet the constraints. Gives intents (offsets, values), supports, deltas, face scores of intents and of extents, column sums, the parts that are left, the number of visited nodes, and how many subtrees had too few objects to be worth it.
        """

class BestSearch:
    """A best-first search of the tree of concepts."""

    def __init__(self, table: Table, constraints: Constraints, *, width: int, most_bytes: int, comparison: str = "automatic") -> None: ...

    def __len__(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def depth_first(self) -> bool: ...

    @property
    def bound(self) -> float:
        """The largest first number of a key."""

    def expand(self, *, count: int, dives: int, threshold: NDArray[numpy.float64], least_support: int = 0, least_delta: int = 0, least_sum: int = 0, limit_length: bool = True, strict: bool = False, threads: int = 0, seconds: float | None = None, interrupt: Callable[[], bool] | None = None) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint8], tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint32], float, str]:
        """
        Expands nodes that are not below the threshold. Gives their intents, supports, deltas and whether they meet the constraints; the children's intents and largest supports, deltas and lengths, whether the concept of all attributes can be below them, and their own supports, deltas and whether they meet the constraints; their sums of marks, own ones and then the largest ones; the largest first number of the nodes' keys; and what stopped it. If strict, limits leave out the children's own concepts. `push` takes the children's keys.
        """

    def add_marks(self, numbers: NDArray[numpy.uint32]) -> None:
        """From now on, `expand` gives the sums of these numbers, one per object."""

    def step_size(self, visited: int) -> int:
        """The number of nodes in the next step, given how many were visited."""

    @staticmethod
    def dives(step: int, visited: int, enough: bool) -> int:
        """How many nodes of a step to pick by their own scores."""

    def run(self, *, by_delta: bool, score: NDArray[numpy.float64], limit: NDArray[numpy.float64], limit_with_bottom: NDArray[numpy.float64], best_scores: NDArray[numpy.float64], best_supports: NDArray[numpy.int64], k: int, by_support: bool, visited: int, most: int, threads: int = 0, seconds: float | None = None, interrupt: Callable[[], bool] | None = None) -> tuple[int, tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], NDArray[numpy.int64], NDArray[numpy.int64], str]:
        """
        Expands nodes by tables of scores and limits. Gives the number of expanded nodes; the intents, supports and deltas of the concepts found that can be among the k best; and what stopped it.
        """

    def push(self, keys: NDArray[numpy.float64], scores: NDArray[numpy.float64], threshold: NDArray[numpy.float64]) -> None:
        """
        Adds the children of the last expansion with their keys, one key after the other, and the scores of their own concepts, if there are any.
        """

class IntentWalk:
    """
    Sets of attributes, arranged for finding them in one table after another.
    """

    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_attributes: int) -> None: ...

    @property
    def n_intents(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    def count(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], *, closed: bool = False, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint8]]:
        """
        Numbers of rows that have each set, and whether it is closed there (empty if not asked).
        """

    def match(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], *, threads: int = 0, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """The rows that have each set, as lists."""

    def violations(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], conclusion_offsets: NDArray[numpy.int64], conclusions: NDArray[numpy.uint32], *, threads: int = 0, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """
        The rows that have each set and lack an attribute of its conclusion, as lists.
        """

class RandomStream:
    """
    A stream of random numbers, and the tables that are drawn from it. One thread at a time.
    """

    def __init__(self, seed: int, stream: int = 0) -> None: ...

    def uniform(self, n: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """n numbers in [0, 1)."""

    def dirichlet(self, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Probabilities from the Dirichlet distribution."""

    def swap_crosses(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], n_attributes: int, steps: int, checkpoints: int = 0, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], int, int, NDArray[numpy.float64]]:
        """
        Rows with the same margins, steps attempted and accepted, distances to the start.
        """

    def trade_rows(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], n_attributes: int, steps: int, checkpoints: int = 0, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], int, int, NDArray[numpy.float64]]:
        """The same by Curveball trades between rows."""

    def toss_cells(self, n_objects: int, n_attributes: int, chance: float, interrupt: Callable[[], bool] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """Rows whose cells are crosses with the same chance."""

    def place_crosses(self, n_objects: int, n_attributes: int, crosses: int, interrupt: Callable[[], bool] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """Rows with so many crosses in all."""

    def draw_rows(self, n_objects: int, n_attributes: int, weights: NDArray[numpy.float64], interrupt: Callable[[], bool] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        Rows whose sizes follow weights, any set of a size being equally likely.
        """

    def shuffle_columns(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], n_attributes: int, interrupt: Callable[[], bool] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """Rows whose columns are permuted, each on its own."""

    def resample_rows(self, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], n_objects: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """Rows drawn with replacement."""

def lattice_generators(lattice: Lattice, begin: int, end: int, *, max_size: int | None = None, most: int | None = None, bytes: int | None = None, threads: int = 0, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]] | None:
    """
    The minimal generators of concepts from begin to end: how many each has, as offsets, and the sets; None if stopped.
    """

def descendants(lattice: Lattice, begin: int, end: int, *, min_support: int = 0, min_confidence: float = 0.0, bytes: int | None = None, threads: int = 0, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]] | None:
    """
    The places strictly below each concept with enough objects; None if stopped.
    """

def count_descendants(lattice: Lattice, begin: int, end: int, *, min_support: int = 0, threads: int = 0, interrupt: Callable[[], bool] | None = None) -> NDArray[numpy.int64] | None:
    """How many concepts are strictly below each; None if stopped."""

def proper_conclusions(lattice: Lattice, offsets: NDArray[numpy.int64], values: NDArray[numpy.uint32], sources: NDArray[numpy.uint32], threads: int = 0, interrupt: Callable[[], bool] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]] | None:
    """
    For each minimal generator, what follows from no proper subset; None if stopped.
    """

def differences(offsets: NDArray[numpy.int64], values: NDArray[numpy.uint32], places: NDArray[numpy.uint32], other_offsets: NDArray[numpy.int64], other_values: NDArray[numpy.uint32], other_places: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
    """For each pair of places, a list without the members of another one."""

def column_sum_fields() -> list[str]:
    """Names of the columns of column sums."""

def cohesion_fields() -> list[str]:
    """Names of the columns of cohesions."""

def column_sums(table: Table, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Column sums of the concepts with these intents, each from the table alone.
    """

def cohesion(table: Table, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """How alike the objects of the concepts with these intents are."""

def extent_sums(table: Table, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The sum over the objects of each set of attributes of a number that every object has.
    """

def extensions(table: Table, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """The objects of each set of attributes, as offsets and values."""

class Surprise:
    """The search for the candidate that surprises a reader most."""

    def __init__(self, table: Table, intent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], unit_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], supports: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], free: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], ) -> None:
        """
        Candidates as intents and as sets of units, with supports and costs in nats; and which units depend on the richness of objects.
        """

    def set_background(self, group: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], signature: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], doubt: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], posterior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], densities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], carrying: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tiles: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], richness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_chance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], carriers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_ratio: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ) -> None:
        """Set what the reader knows; every table as one list."""

    def wholeness(self, intent: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], ) -> float:
        """
        1 if no further attribute goes with the intent; near 0 for a part of a larger one.
        """

    def drop(self, candidate: int) -> None:
        """Leave a candidate out from now on."""

    def bound(self, candidate: int) -> float:
        """
        What the ratio of a candidate is at most, by what earlier backgrounds said.
        """

    def evidence(self, intent: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], ) -> tuple[float, float]:
        """
        The gain of an intent, and the log-likelihood ratio with the best share, in nats.
        """

    def strongest(self, intent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], unit_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], supports: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ) -> tuple[int, float, float] | None:
        """The intent with the largest gain, with its evidence."""

    def best(self, threads: int = 0, seconds: float | None = None, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None) -> tuple[str, tuple[int, float, float, float] | None]:
        """
        The limit that stopped the search, if any, and the best candidate with its wholeness and its evidence.
        """

def diagram_places(covers: list[tuple[int, int]], levels: list[int], kind: str, supports: list[int], interrupt: Callable[[], bool] | None = None) -> tuple[list[int], list[int], str]:
    """
    Layers and columns of the elements of a line diagram, and the kind of layout.
    """

def active_kernel() -> str:
    """Name of the kernels in use."""

def available_kernels() -> list[str]:
    """Names of the kernels that this processor can run, slowest first."""

def compiler() -> str:
    """Name and version of the compiler that built the core."""
