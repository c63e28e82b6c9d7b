"""
The native core of conceptrank: numbers in, numbers out; names live in Python.
"""

from collections.abc import Callable, Sequence

import numpy
from numpy.typing import NDArray


class Watch:
    """The limits of a long call, what ends it, what gets its progress."""

    def __init__(self, interrupt: Callable[[], bool] | None = None, progress: Callable[[int, float], None] | None = None, *, concepts: int | None = None, bytes: int | None = None, seconds: float | None = None) -> None: ...

class Table:
    """The incidence relation of a context, by numbers."""

    def __init__(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], n_attributes: int, weights: NDArray[numpy.uint32] | None = None, watch: Watch | None = None) -> None:
        """A row counts as so many objects as its weight says."""

    @staticmethod
    def distinct(rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], weights: NDArray[numpy.uint32], n_attributes: int, watch: Watch | None = None) -> Table:
        """
        A table of distinct rows with weights. It keeps the arrays, which must not change.
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

    def extension(self, attributes: NDArray[numpy.uint32]) -> NDArray[numpy.uint32]:
        """The objects that have all the attributes."""

    def intension(self, objects: NDArray[numpy.uint32]) -> NDArray[numpy.uint32]:
        """The attributes that all the objects share."""

    def closure(self, attributes: NDArray[numpy.uint32]) -> NDArray[numpy.uint32]:
        """The attributes that follow from the attributes."""

    def support(self, attributes: NDArray[numpy.uint32]) -> int:
        """Number of objects that have all the attributes."""

    def attribute_supports(self) -> NDArray[numpy.int64]:
        """Number of objects of every attribute."""

    def rows(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """The attributes of all objects."""

    def row_of_object(self) -> NDArray[numpy.uint32]:
        """The number of the distinct row of every object."""

    def distinct_rows(self) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], NDArray[numpy.uint32]]:
        """The different rows, and how many objects have each."""

def renumbered(lists: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], places: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
    """
    Lists in other numbers, ascending, each once. `places` has the new numbers; 2^32 - 1 leaves one out.
    """

def occurrences(lists: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], weights: NDArray[numpy.uint32]) -> NDArray[numpy.int64]:
    """
    How often each number occurs in lists that count as often as their weights say. 2^32 - 1 is left out.
    """

class RowMerger:
    """Makes equal rows one row with a weight."""

    def __init__(self) -> None: ...

    def add(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], weights: NDArray[numpy.uint32]) -> None:
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

    def take(self) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], NDArray[numpy.uint32]]:
        """The different rows and their weights; then it is empty."""

def column_sum_fields() -> list[str]:
    """Names of the columns of column sums."""

def cohesion_fields() -> list[str]:
    """Names of the columns of cohesions."""

def column_sums(table: Table, intents: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], threads: int = 0, watch: Watch | None = None) -> NDArray[numpy.float64]:
    """
    Column sums of the concepts with these intents, each from the table alone.
    """

def cohesion(table: Table, intents: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], threads: int = 0, watch: Watch | None = None) -> NDArray[numpy.float64]:
    """How alike the objects of the concepts with these intents are."""

def extent_sums(table: Table, intents: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], values: NDArray[numpy.float64], threads: int = 0, watch: Watch | None = None) -> NDArray[numpy.float64]:
    """
    The sum over the objects of each set of attributes of a number that every object has.
    """

def extensions(table: Table, intents: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
    """The objects of each set of attributes."""

class Covers:
    """Covers of some concepts."""

    @property
    def offsets(self) -> NDArray[numpy.int64]:
        """Where the covers of each concept begin and end."""

    @property
    def intents(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

def covers(table: Table, intents: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], direction: str, below: int, threads: int = 0, watch: Watch | None = None) -> Covers:
    """The upper or lower covers, of those with fewer than `below` objects."""

class IntentCounts:
    """What a walk found out about each set."""

    @property
    def supports(self) -> NDArray[numpy.uint32]:
        """Numbers of rows that have it."""

    @property
    def closed(self) -> NDArray[numpy.uint8]:
        """Whether it is closed, if requested."""

class IntentWalk:
    """
    Sets of attributes, arranged for finding them in one table after another.
    """

    def __init__(self, intents: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], n_attributes: int) -> None: ...

    @property
    def n_intents(self) -> int: ...

    def count(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], closed: bool = False, watch: Watch | None = None) -> IntentCounts:
        """
        Numbers of rows that have each set, and on request whether it is closed there.
        """

    def match(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], lacking: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]] | None = None, threads: int = 0, watch: Watch | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """
        The rows that have each set and, if given, lack an attribute of its list.
        """

class FaceOptions:
    """What to compute from the faces of a concept."""

    def __init__(self, *, keep: float = 0.5, generators: bool = False, share: bool = False, probability: bool = False, bounds: bool = False, node_budget: int = 100000, state_budget: int = 100000, method: str = 'exact', eps: float = 0.01, delta: float = 0.05, seed: int = 0, bits: int = 4, fields: int = 4294967295) -> None: ...

def face_score_fields() -> list[str]:
    """Names of the columns of face scores."""

def faces(table: Table, intent: NDArray[numpy.uint32], side: str) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
    """Faces of the concept with this intent, smallest first."""

def score_concepts(table: Table, intents: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], side: str, options: FaceOptions, threads: int = 0, watch: Watch | None = None) -> NDArray[numpy.float64]:
    """
    Face scores of the concepts with these intents, each from the table alone.
    """

def minimal_transversals(faces: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], n_elements: int, limit: int, watch: Watch | None = None) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], bool]:
    """At most `limit` minimal transversals, and whether that is all."""

class Constraints:
    """Which concepts count, by numbers of attributes."""

    def __init__(self, *, contains: NDArray[numpy.uint32], forbidden: NDArray[numpy.uint32], any_of: NDArray[numpy.uint32], min_support: int = 0, max_support: int | None = None, min_intent: int = 0, max_intent: int | None = None, shared: NDArray[numpy.uint32]) -> None: ...

class Scored:
    """Scores of concepts, in the order of their lattice."""

    @property
    def extent_scores(self) -> NDArray[numpy.float64]:
        """Face scores, if requested."""

    @property
    def intent_scores(self) -> NDArray[numpy.float64]:
        """Face scores, if requested."""

    @property
    def column_sums(self) -> NDArray[numpy.float64]:
        """If requested."""

    @property
    def done(self) -> NDArray[numpy.uint8]:
        """Which concepts have been scored."""

class Lattice:
    """Concepts and their cover relation, as flat arrays."""

    @property
    def n_bytes(self) -> int: ...

    @property
    def min_support(self) -> int: ...

    @property
    def stop(self) -> str:
        """Why mining ended early; empty if the lattice is complete."""

    @property
    def supports(self) -> NDArray[numpy.uint32]: ...

    @property
    def deltas(self) -> NDArray[numpy.uint32]: ...

    @property
    def intents(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

    @property
    def lower(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

    @property
    def upper(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

    def find(self, intent: NDArray[numpy.uint32], support: int) -> int | None:
        """The number of the concept, or None."""

    @staticmethod
    def from_arrays(*, min_support: int, stop: str, supports: NDArray[numpy.uint32], deltas: NDArray[numpy.uint32], intents: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], lower: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]) -> Lattice: ...

    def score_intents(self, options: FaceOptions, threads: int = 0, watch: Watch | None = None) -> Scored:
        """Scores of the intent faces of all concepts of a complete lattice."""

    def score_again(self, table: Table, *, threads: int = 0, score_extents: FaceOptions | None = None, score_intents: FaceOptions | None = None, sum_columns: bool = False, watch: Watch | None = None) -> Scored:
        """Walks the search tree of the lattice again and scores its concepts."""

class Mined:
    """A lattice, and what was computed with it."""

    @property
    def lattice(self) -> Lattice: ...

    @property
    def extent_scores(self) -> NDArray[numpy.float64]:
        """Face scores, if requested."""

    @property
    def column_sums(self) -> NDArray[numpy.float64]:
        """If requested."""

def mine(table: Table, *, min_support: int = 0, threads: int = 0, score_extents: FaceOptions | None = None, sum_columns: bool = False, covers: bool = True, constraints: Constraints | None = None, watch: Watch | None = None) -> Mined:
    """
    The concepts with at least min_support objects, with or without covers; with constraints, those that meet them, without the relation of covers.
    """

class ConceptEstimate:
    """An estimated number of concepts."""

    @property
    def value(self) -> float: ...

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""

    @property
    def high(self) -> float:
        """Its upper end."""

    @property
    def exact(self) -> bool: ...

    @property
    def runs(self) -> int:
        """Number of runs behind it."""

def estimate_concepts(table: Table, *, min_support: int = 0, seed: int = 0, exact_nodes: int = 20000, runs: int = 32, watch: Watch | None = None) -> ConceptEstimate:
    """Estimates the number of concepts."""

class MinedBranch:
    """Concepts of a piece of the search tree."""

    @property
    def intents(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

    @property
    def supports(self) -> NDArray[numpy.uint32]: ...

    @property
    def deltas(self) -> NDArray[numpy.uint32]: ...

    @property
    def intent_scores(self) -> NDArray[numpy.float64]:
        """Face scores, if requested."""

    @property
    def extent_scores(self) -> NDArray[numpy.float64]:
        """Face scores, if requested."""

    @property
    def column_sums(self) -> NDArray[numpy.float64]:
        """If requested."""

    @property
    def left(self) -> list[tuple[Sequence[int], int, Sequence[int] | None]]:
        """The parts of the tree that are left."""

    @property
    def visited(self) -> int:
        """Number of visited nodes."""

class BranchMiner:
    """Mines pieces of the search tree of a table."""

    def __init__(self, table: Table, min_support: int = 0) -> None: ...

    def mine(self, prefixes: Sequence[tuple[Sequence[int], int, Sequence[int] | None]], *, nodes: int, score_intents: FaceOptions | None = None, score_extents: FaceOptions | None = None, sum_columns: bool = False, constraints: Constraints | None = None, watch: Watch | None = None) -> MinedBranch:
        """
        Visits at most `nodes` nodes of some parts of the tree, and mines and scores the concepts that meet the constraints.
        """

class FoundConcepts:
    """Concepts that a search found."""

    @property
    def intents(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

    @property
    def supports(self) -> NDArray[numpy.int64]: ...

    @property
    def deltas(self) -> NDArray[numpy.int64]: ...

    @property
    def counts(self) -> NDArray[numpy.uint8]:
        """Whether they meet the constraints."""

class SearchStep:
    """Expanded nodes and their children."""

    @property
    def nodes(self) -> FoundConcepts: ...

    @property
    def children(self) -> FoundConcepts:
        """The concepts of the children themselves."""

    @property
    def supports(self) -> NDArray[numpy.int64]:
        """The largest support at or below each child."""

    @property
    def deltas(self) -> NDArray[numpy.int64]:
        """The largest Δ there."""

    @property
    def lengths(self) -> NDArray[numpy.int64]:
        """The largest number of attributes there."""

    @property
    def bottoms(self) -> NDArray[numpy.uint8]:
        """Whether the concept of all attributes can be there."""

    @property
    def sums(self) -> NDArray[numpy.uint32]:
        """For each child the sums of its own marks, then the largest ones."""

    @property
    def bound(self) -> float:
        """The largest first number of the nodes' keys."""

    @property
    def stop(self) -> str:
        """What stopped it."""

class BestSearch:
    """A best-first search of the tree of concepts."""

    def __init__(self, table: Table, constraints: Constraints, *, width: int, most_bytes: int, comparison: str = 'automatic') -> None: ...

    def __len__(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def bound(self) -> float:
        """The largest first number of a key."""

    def add_marks(self, numbers: NDArray[numpy.uint32]) -> None:
        """From now on, `expand` gives the sums of these numbers, one per object."""

    def step_size(self, visited: int) -> int:
        """The number of nodes in the next step, given how many were visited."""

    @staticmethod
    def dives(step: int, visited: int, enough: bool) -> int:
        """How many nodes of a step to pick by their own scores."""

    def expand(self, *, count: int, dives: int, threshold: NDArray[numpy.float64], least_support: int = 0, least_delta: int = 0, least_sum: int = 0, limit_length: bool = True, strict: bool = False, threads: int = 0, watch: Watch | None = None) -> SearchStep:
        """
        Expands nodes that are not below the threshold. If strict, limits leave out the children's own concepts. `push` takes the children's keys.
        """

    def push(self, keys: NDArray[numpy.float64], scores: NDArray[numpy.float64], threshold: NDArray[numpy.float64]) -> None:
        """
        Adds the children of the last expansion with their keys, one key after the other, and the scores of their own concepts, if there are any.
        """

class Implications:
    """Implications by number, arranged for closures."""

    def __init__(self, premises: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], conclusions: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], n_attributes: int) -> None: ...

    def __len__(self) -> int: ...

    def close(self, sets: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], watch: Watch | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """What follows from each set, the set included."""

    def irredundant(self, watch: Watch | None = None) -> NDArray[numpy.uint8]:
        """Which implications to keep so that none follows from the others."""

    def next_open(self, table: Table, start: NDArray[numpy.uint32], watch: Watch | None = None) -> NDArray[numpy.uint32] | None:
        """
        The first set in lectic order, from a closed one on, that is closed under the implications but not in the table.
        """

class ImplicationBasis:
    """Implications of a table."""

    @property
    def premises(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

    @property
    def closures(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """Premises and conclusions together."""

    @property
    def supports(self) -> NDArray[numpy.uint32]: ...

    @property
    def stop(self) -> str:
        """What ended the search early."""

def duquenne_guigues(table: Table, *, min_support: int = 0, max_premise: int | None = None, watch: Watch | None = None) -> ImplicationBasis:
    """
    The Duquenne–Guigues basis. The limit on concepts is one on implications.
    """

class Generators:
    """Minimal generators of some concepts."""

    @property
    def offsets(self) -> NDArray[numpy.int64]:
        """Where the generators of each begin and end."""

    @property
    def sets(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

def lattice_generators(lattice: Lattice, begin: int, end: int, *, max_size: int | None = None, threads: int = 0, watch: Watch | None = None) -> Generators | None:
    """
    The minimal generators of concepts from begin to end; None if stopped. The limit on concepts is one on generators.
    """

def descendants(lattice: Lattice, begin: int, end: int, *, min_support: int = 0, min_confidence: float = 0.0, threads: int = 0, watch: Watch | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]] | None:
    """
    The places strictly below each concept with enough objects; None if stopped.
    """

def proper_conclusions(lattice: Lattice, generators: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], sources: NDArray[numpy.uint32], threads: int = 0, watch: Watch | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]] | None:
    """
    For each minimal generator, what follows from no proper subset; None if stopped.
    """

def differences(lists: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], places: NDArray[numpy.uint32], others: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], other_places: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
    """For each pair of places, a list without the members of another one."""

class Randomised:
    """Rows that a chain has reached."""

    @property
    def rows(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

    @property
    def attempted(self) -> int:
        """Number of steps."""

    @property
    def accepted(self) -> int:
        """Number of steps that changed the rows."""

    @property
    def distances(self) -> NDArray[numpy.float64]:
        """To the start, at equal intervals."""

class RandomStream:
    """
    A stream of random numbers, and the tables that are drawn from it. One thread at a time.
    """

    def __init__(self, seed: int, stream: int = 0) -> None: ...

    def uniform(self, n: int) -> NDArray[numpy.float64]:
        """n numbers in [0, 1)."""

    def dirichlet(self, parameters: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """Probabilities from the Dirichlet distribution."""

    def swap_crosses(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], n_attributes: int, steps: int, checkpoints: int = 0, watch: Watch | None = None) -> Randomised:
        """Rows with the same margins."""

    def trade_rows(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], n_attributes: int, steps: int, checkpoints: int = 0, watch: Watch | None = None) -> Randomised:
        """The same by Curveball trades between rows."""

    def toss_cells(self, n_objects: int, n_attributes: int, chance: float, watch: Watch | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """Rows whose cells are crosses with the same chance."""

    def place_crosses(self, n_objects: int, n_attributes: int, crosses: int, watch: Watch | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """Rows with so many crosses in all."""

    def draw_rows(self, n_objects: int, n_attributes: int, weights: NDArray[numpy.float64], watch: Watch | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """
        Rows whose sizes follow weights, any set of a size being equally likely.
        """

    def shuffle_columns(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], n_attributes: int, watch: Watch | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """Rows whose columns are permuted, each on its own."""

    def resample_rows(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], n_objects: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """Rows drawn with replacement."""

class Explanation:
    """Units, the rows that carry them, and the gain in nats."""

    @property
    def units(self) -> NDArray[numpy.uint32]: ...

    @property
    def rows(self) -> NDArray[numpy.uint32]: ...

    @property
    def gain(self) -> float: ...

class BestPattern:
    """The result of a search."""

    @property
    def stop(self) -> str:
        """What stopped it."""

    @property
    def pattern(self) -> Explanation | None: ...

class Reader:
    """The probability of every cell for a reader."""

    def __init__(self, rows: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], weights: NDArray[numpy.uint32], column: NDArray[numpy.uint32], free: NDArray[numpy.uint8], parent: NDArray[numpy.uint32], states: tuple[NDArray[numpy.int64], NDArray[numpy.uint32]], state_column: NDArray[numpy.uint32], richness: bool) -> None: ...

    class Support:
        """The rows that have all of some units."""

        @property
        def found(self) -> float: ...

        @property
        def expected(self) -> float: ...

        @property
        def variance(self) -> float: ...

    class Presence:
        """How many of some rows have a unit."""

        @property
        def rows(self) -> float: ...

        @property
        def found(self) -> float: ...

        @property
        def expected(self) -> float: ...

        @property
        def variance(self) -> float: ...

    def explain(self, units: NDArray[numpy.uint32]) -> Explanation: ...

    def support(self, units: NDArray[numpy.uint32]) -> Reader.Support: ...

    def presence(self, unit: int, rows: NDArray[numpy.uint32]) -> Reader.Presence: ...

    def extent(self, units: NDArray[numpy.uint32]) -> NDArray[numpy.uint32]: ...

    def tell(self, pattern: Explanation) -> None: ...

    @property
    def richness(self) -> NDArray[numpy.float64]:
        """The log-odds of the classes."""

    @property
    def log_shares(self) -> NDArray[numpy.float64]:
        """ln of their shares."""

    @property
    def levels(self) -> NDArray[numpy.float64]:
        """The levels of the units."""

    @property
    def bytes(self) -> int: ...

class PatternSearch:
    """The patterns that explain most."""

    def __init__(self, reader: Reader, min_support: float, most_units: int | None = None, required: NDArray[numpy.uint32] = ..., barred: NDArray[numpy.uint32] = ...) -> None: ...

    def best(self, watch: Watch | None = None) -> BestPattern: ...

    def tell(self, pattern: Explanation) -> None: ...

    def description(self, units: NDArray[numpy.uint32]) -> float: ...

class Places:
    """Where the elements of a line diagram are."""

    @property
    def layers(self) -> list[int]: ...

    @property
    def columns(self) -> list[int]: ...

    @property
    def kind(self) -> str:
        """The kind of layout."""

def diagram_places(covers: Sequence[tuple[int, int]], levels: Sequence[int], kind: str, supports: Sequence[int], watch: Watch | None = None) -> Places:
    """Layers and columns of the elements of a line diagram."""

def active_kernel() -> str:
    """Name of the kernels in use."""

def available_kernels() -> list[str]:
    """Names of the kernels that this processor can run, slowest first."""

def compiler() -> str:
    """Name and version of the compiler that built the core."""
