"""From what other libraries hold to names and rows: what `Context.from_csr` takes.

No other library is imported: a frame that comes in has brought its own along.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from conceptrank import _lists
from conceptrank._lists import Numbers, Offsets
from conceptrank.errors import FormatError, UnknownNameError

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import polars as pl
    import scipy.sparse as sp

Parts: TypeAlias = tuple[Sequence[str], Sequence[str], Offsets, Numbers]


def from_bools(n_objects: int, n_attributes: int, bools: object) -> _lists.Lists:
    """Return the rows of a cross table.

    Examples
    --------
    >>> offsets, values = from_bools(2, 2, [[True, False], [1, 1]])
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 3], [0, 0, 1])
    >>> from_bools(2, 2, [[True, False], [True]])
    Traceback (most recent call last):
    conceptrank.errors.FormatError: row 2 has 1 marks, expected 2
    """
    if not isinstance(bools, np.ndarray):
        rows = [list(row) for row in bools]  # type: ignore[attr-defined]
        for number, row in enumerate(rows, start=1):
            if len(row) != n_attributes:
                raise FormatError(f"row {number} has {len(row)} marks, expected {n_attributes}")
        bools = _array(rows, (len(rows), n_attributes))
    if bools.ndim != 2 or bools.shape != (n_objects, n_attributes):
        shape = " × ".join(map(str, bools.shape))
        raise FormatError(f"the table is {shape}, expected {n_objects} × {n_attributes}")
    crosses = _crosses(
        bools.ravel(), lambda i: f"row {i // n_attributes + 1}, column {i % n_attributes + 1}"
    ).reshape(bools.shape)
    values = np.nonzero(crosses)[1].astype(np.uint32)
    return _lists.offsets_of(crosses.sum(axis=1, dtype=np.int64)), values


def from_pandas(frame: pd.DataFrame) -> Parts:
    """Return the index as objects, the columns as attributes."""
    columns = (frame.iloc[:, j].to_numpy() for j in range(frame.shape[1]))
    return _from_columns(_texts(frame.index), _texts(frame.columns), columns)


def from_polars(frame: pl.DataFrame, *, objects: str | None = None) -> Parts:
    """Return one column as objects, the others as attributes."""
    if objects is None:
        names: Sequence[str] = numbered(frame.height)
    elif objects not in frame.columns:
        raise UnknownNameError("column", objects, frame.columns)
    else:
        names = _texts(frame.get_column(objects))
        frame = frame.drop(objects)
    columns = (frame.to_series(j).to_numpy() for j in range(frame.width))
    return _from_columns(names, frame.columns, columns)


def from_numpy(
    matrix: NDArray[Any],
    *,
    objects: Iterable[object] | None = None,
    attributes: Iterable[object] | None = None,
) -> Parts:
    """Return the crosses of a matrix."""
    if matrix.ndim != 2:
        raise FormatError(f"the table has {matrix.ndim} dimensions, expected 2")
    rows = numbered(matrix.shape[0]) if objects is None else _texts(objects)
    columns = numbered(matrix.shape[1]) if attributes is None else _texts(attributes)
    return rows, columns, *from_bools(len(rows), len(columns), matrix)


def from_itemsets(
    itemsets: Iterable[Iterable[object]] | Mapping[Any, Iterable[object]],
    *,
    attributes: Iterable[object] | None = None,
) -> Parts:
    """Return every item set as an object, every item as an attribute."""
    if isinstance(itemsets, Mapping):
        objects, sets = _texts(itemsets), list(map(list, itemsets.values()))
    else:
        sets = list(map(list, itemsets))
        objects = numbered(len(sets))
    items = list(chain.from_iterable(sets))
    known = _sorted(set(items)) if attributes is None else list(attributes)
    lengths = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    rows = np.repeat(np.arange(len(sets)), lengths)
    columns = _places(items, known, "item")
    return objects, _texts(known), *_lists.from_pairs(rows, columns, (len(sets), len(known)))


def from_pairs(
    pairs: Iterable[tuple[object, object]],
    *,
    objects: Iterable[object] | None = None,
    attributes: Iterable[object] | None = None,
) -> Parts:
    """Return the crosses that the pairs of an object and an attribute name."""
    if hasattr(pairs, "columns"):
        pairs = _two_columns(pairs)
    listed: list[Any] = _sorted(pairs) if isinstance(pairs, Set) else list(pairs)
    for number, pair in enumerate(listed, start=1):
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise FormatError(
                f"pair {number} is {reprlib.repr(pair)}, expected an object and an attribute"
            )
    rows, columns = ([pair[side] for pair in listed] for side in (0, 1))
    known_rows = list(dict.fromkeys(rows) if objects is None else objects)
    known_columns = list(dict.fromkeys(columns) if attributes is None else attributes)
    lists = _lists.from_pairs(
        _places(rows, known_rows, "object"),
        _places(columns, known_columns, "attribute"),
        (len(known_rows), len(known_columns)),
    )
    return _texts(known_rows), _texts(known_columns), *lists


def _two_columns(frame: Any) -> Iterable[tuple[object, object]]:
    """Return the pairs in the two columns of a frame of pandas or polars."""
    names = [str(name) for name in frame.columns]
    if len(names) != 2:
        raise FormatError(
            f"the frame has {len(names)} columns, expected two: objects and attributes",
            hint="choose them, such as df[['order', 'item']]",
        )
    left, right = (frame[name] for name in frame.columns)
    return zip(left.to_list(), right.to_list(), strict=True)


def from_scipy(
    matrix: sp.sparray | sp.spmatrix,
    *,
    objects: Iterable[object] | None = None,
    attributes: Iterable[object] | None = None,
) -> Parts:
    """Return the entries of a sparse matrix that are not zero."""
    rows: Any = cast(Any, matrix).tocsr(copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    rows.sort_indices()
    n_rows, n_columns = rows.shape
    return (
        numbered(n_rows) if objects is None else _texts(objects),
        numbered(n_columns) if attributes is None else _texts(attributes),
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.uint32),
    )


def from_networkx(graph: nx.Graph[Any], *, diagonal: bool = False) -> Parts:
    """Return the two sides of a bipartite graph, or any graph's neighbourhoods."""
    sides: dict[Any, Any] = dict(graph.nodes(data="bipartite"))
    labels: dict[Any, Any] = dict(graph.nodes(data="label"))
    edges: list[Any] = list(graph.edges())
    if all(side is None for side in sides.values()):
        # One edge of an undirected graph is two crosses.
        if not graph.is_directed():
            edges += [(b, a) for a, b in edges]
        if diagonal:
            edges += [(node, node) for node in sides]
        return _labelled(from_pairs(edges, objects=sides, attributes=sides), labels, sides, sides)
    if diagonal:
        raise FormatError("a bipartite graph has no diagonal: objects are no attributes")
    for node, side in sides.items():
        if side not in (0, 1):
            raise FormatError(
                f"node {node!r} has bipartite={side!r}, expected 0 (object) or 1 (attribute)"
            )
    edges = [(b, a) if sides[a] else (a, b) for a, b in edges]
    for a, b in edges:
        if sides[a] or not sides[b]:
            raise FormatError(f"the edge from {a!r} to {b!r} joins two nodes of one side")
    objects, attributes = ([node for node in sides if sides[node] == side] for side in (0, 1))
    parts = from_pairs(edges, objects=objects, attributes=attributes)
    return _labelled(parts, labels, objects, attributes)


def _labelled(
    parts: Parts, labels: Mapping[Any, Any], objects: Iterable[Any], attributes: Iterable[Any]
) -> Parts:
    """Return a context with the labels of its nodes as names, where there are some."""
    names = [
        [str(node) if labels[node] is None else str(labels[node]) for node in side]
        for side in (objects, attributes)
    ]
    return names[0], names[1], *parts[2:]


def numbered(n: int) -> list[str]:
    """Return the names of n things that have none: "1", "2" and so on."""
    return list(map(str, range(1, n + 1)))


def _from_columns(
    objects: Sequence[str], attributes: Sequence[str], columns: Iterable[NDArray[Any]]
) -> Parts:
    found = []
    for name, column in zip(attributes, columns, strict=True):
        marks = _crosses(
            column,
            lambda i, name=name: f"column {name!r}, row {objects[i]!r}",  # type: ignore[misc]
        )
        found.append(np.flatnonzero(marks).astype(np.uint32))
    return objects, attributes, *_lists.transposed(_lists.joined(found), len(objects))


def _crosses(values: NDArray[Any], place: Callable[[int], str]) -> NDArray[np.bool_]:
    """Return which values are crosses; anything but true and false, 1 and 0 is an error."""
    if values.dtype.kind == "b":
        return values
    if values.dtype.kind in "iuf":
        wrong = np.flatnonzero((values != 0) & (values != 1))
    else:
        wrong = np.flatnonzero([not _is_mark(value) for value in values.tolist()])
    if len(wrong):
        value = values[wrong[0]]
        raise FormatError(
            f"{place(int(wrong[0]))} holds {str(value)!r}: a cross is True or False",
            hint="columns of other values have to be scaled first: see conceptrank.scaling",
        )
    return values.astype(np.bool_)


def _is_mark(value: object) -> bool:
    return isinstance(value, int | float | np.bool_ | np.number) and value in (0, 1)


def _array(rows: list[list[Any]], shape: tuple[int, int]) -> NDArray[Any]:
    """Return rows as a matrix without changing any value's type."""
    matrix = np.empty(shape, dtype=np.object_)
    if all(isinstance(value, bool) for row in rows for value in row):
        matrix = np.empty(shape, dtype=np.bool_)
    for number, row in enumerate(rows):
        matrix[number] = row
    return matrix


def _places(names: list[Any], known: list[Any], kind: str) -> NDArray[np.int64]:
    places = {name: place for place, name in enumerate(known)}
    try:
        return np.fromiter((places[name] for name in names), dtype=np.int64, count=len(names))
    except KeyError as error:
        raise FormatError(f"{kind} {error.args[0]!r} is not in the list of {kind}s") from None


def _sorted(values: Iterable[Any]) -> list[Any]:
    """Return values in an order that doesn't depend on their hashes."""
    values = list(values)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def _texts(names: Iterable[object]) -> list[str]:
    return list(map(str, names))
