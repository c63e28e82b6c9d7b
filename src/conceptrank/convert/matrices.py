"""NumPy and SciPy matrices, in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists
from conceptrank.convert.shared import Parts, crosses_of, imported, numbered, texts
from conceptrank.errors import FormatError

if TYPE_CHECKING:
    import scipy.sparse as sp


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
    crosses = crosses_of(
        bools.ravel(), lambda i: f"row {i // n_attributes + 1}, column {i % n_attributes + 1}"
    )
    return _lists.from_marks(crosses.reshape(bools.shape))


def from_numpy(
    matrix: NDArray[Any],
    *,
    objects: Iterable[object] | None = None,
    attributes: Iterable[object] | None = None,
) -> Parts:
    """Return the crosses of a matrix."""
    if matrix.ndim != 2:
        raise FormatError(f"the table has {matrix.ndim} dimensions, expected 2")
    rows = numbered(matrix.shape[0]) if objects is None else texts(objects)
    columns = numbered(matrix.shape[1]) if attributes is None else texts(attributes)
    return rows, columns, *from_bools(len(rows), len(columns), matrix)


def from_scipy(
    matrix: sp.sparray | sp.spmatrix,
    *,
    objects: Iterable[object] | None = None,
    attributes: Iterable[object] | None = None,
) -> Parts:
    """Return the entries of a sparse matrix that are not zero."""
    n_rows, n_columns = cast(Any, matrix).shape
    return (
        numbered(n_rows) if objects is None else texts(objects),
        numbered(n_columns) if attributes is None else texts(attributes),
        *nonzero_rows(matrix),
    )


def nonzero_rows(matrix: sp.sparray | sp.spmatrix) -> Lists:
    """Return the columns of the entries that are not zero, for each row of a sparse matrix.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> offsets, values = nonzero_rows(sp.csr_array([[0, 2], [0, 0]]))
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 1], [1])
    """
    rows: Any = cast(Any, matrix).tocsr()
    if not rows.has_canonical_format or (rows.data == 0).any():
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows.indptr.astype(np.int64), rows.indices.astype(np.uint32)


def to_numpy(rows: Lists, n_attributes: int) -> NDArray[np.bool_]:
    """Return rows as a matrix of truth values.

    Examples
    --------
    >>> to_numpy((np.array([0, 1, 1]), np.array([1])), 2).tolist()
    [[False, True], [False, False]]
    """
    offsets, values = rows
    matrix = np.zeros((len(offsets) - 1, n_attributes), dtype=np.bool_)
    matrix[np.repeat(np.arange(len(matrix)), np.diff(offsets)), values] = True
    return matrix


def columns(rows: Lists, n_attributes: int) -> Iterator[NDArray[np.bool_]]:
    """Yield the columns of a table, each an array of truth values.

    Examples
    --------
    >>> [column.tolist() for column in columns((np.array([0, 1, 1]), np.array([1])), 2)]
    [[False, False], [True, False]]
    """
    offsets, values = _lists.transposed(rows, n_attributes)
    for start, stop in pairwise(offsets.tolist()):
        column = np.zeros(len(rows[0]) - 1, dtype=np.bool_)
        column[values[start:stop]] = True
        yield column


def to_scipy(rows: Lists, n_attributes: int) -> sp.csr_array[Any]:
    """Return a sparse matrix of truth values."""
    sparse = imported("scipy.sparse")
    offsets, values = rows
    entries = np.ones(len(values), dtype=np.bool_)
    shape = (len(offsets) - 1, n_attributes)
    matrix: sp.csr_array[Any] = sparse.csr_array((entries, values, offsets), shape=shape)
    return matrix


def _array(rows: list[list[Any]], shape: tuple[int, int]) -> NDArray[Any]:
    """Return rows as a matrix without changing any value's type."""
    matrix = np.empty(shape, dtype=np.object_)
    if all(isinstance(value, bool) for row in rows for value in row):
        matrix = np.empty(shape, dtype=np.bool_)
    for number, row in enumerate(rows):
        matrix[number] = row
    return matrix
