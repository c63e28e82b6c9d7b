"""NumPy and Matrix Market files, compared with what NumPy and SciPy read and write."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from conceptrank import io
from conceptrank.context import Context
from conceptrank.errors import FormatError

MARKS = arrays(np.bool_, st.tuples(st.integers(1, 6), st.integers(1, 6)))


def saved(save, *arguments, **keywords):
    file = BytesIO()
    save(file, *arguments, **keywords)
    return file.getvalue()


@given(MARKS)
def test_files_of_numpy_and_scipy(marks):
    expected = Context.from_numpy(marks)
    assert io.load(saved(np.save, marks)) == expected
    assert io.load(saved(np.save, np.asfortranarray(marks.astype(float)))) == expected
    assert io.load(saved(np.savez, marks)) == expected
    assert io.load(saved(np.savez_compressed, table=marks, other=marks), array="table") == expected
    for kind in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.bsr_matrix, sp.dia_matrix):
        assert io.load(saved(sp.save_npz, kind(marks))) == expected
    text = saved(scipy.io.mmwrite, sp.coo_matrix(marks.astype(int)))
    assert io.load(text) == expected
    assert io.load(saved(scipy.io.mmwrite, marks.astype(float))) == expected


@given(MARKS)
def test_numpy_and_scipy_read_what_is_written(marks):
    context = Context.from_numpy(marks)
    written = {entry.name: entry for entry in io.formats()}
    assert (np.load(BytesIO(written["npy"].write(context))) == marks).all()
    sparse = sp.load_npz(BytesIO(written["npz"].write(context)))
    assert (sparse.toarray() == marks).all()
    market = scipy.io.mmread(BytesIO(written["matrix_market"].write(context)), spmatrix=False)
    assert (market.toarray() == marks).all()


SQUARES = st.integers(1, 5).flatmap(lambda n: arrays(np.int64, (n, n), elements=st.integers(0, 2)))


@given(SQUARES)
def test_symmetric_matrices(square):
    matrix = np.triu(square) + np.triu(square, 1).T
    for value in (matrix, sp.coo_matrix(matrix)):
        text = saved(scipy.io.mmwrite, value, symmetry="symmetric")
        assert io.load(text) == Context.from_scipy(sp.csr_array(matrix))


HEAD = b"%%MatrixMarket matrix coordinate pattern general\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%%MatrixMarket vector\n1 1 1\n", "can't read '%%MatrixMarket vector'"),
        (HEAD, "no size after the first line"),
        (HEAD + b"2 2\n", "can't read the size '2 2'"),
        (HEAD + b"2 2 2\n1 1\n", "fewer entries than the 2"),
        (HEAD + b"2 2 1\n1 1\n2 2\n", "more entries than the 1"),
        (HEAD + b"2 2 1\n3 1\n", "an entry outside the matrix of 2 × 2"),
        (HEAD + b"2 2 1\n1 x\n", "'1 x' is no entry"),
        (HEAD + b"2 2 1\n1 1 1\n", "'1 1 1' is no entry"),
        (HEAD + b"1 999999999999 0\n", "a matrix of 1 × 999,999,999,999"),
    ],
)
def test_damaged_matrices(data, reason):
    with pytest.raises(FormatError) as caught:
        io.load(data)
    assert reason in caught.value.reason
    assert caught.value.line


def test_damaged_arrays_are_refused():
    whole = {
        ".npy": saved(np.save, np.eye(3, dtype=bool)),
        ".npz": saved(sp.save_npz, sp.eye(3, format="csr")),
    }
    for suffix, data in whole.items():
        for cut in range(10, len(data), 7):
            with pytest.raises(FormatError):
                io.load(data[:cut], format=suffix)
    with pytest.raises(FormatError, match="it holds Python objects"):
        io.load(saved(np.save, np.array([{}]), allow_pickle=True))
    huge = saved(np.save, np.eye(3, dtype=bool)).replace(b"(3, 3)", b"(9**9,)")
    with pytest.raises(FormatError):
        io.load(huge)
    with pytest.raises(FormatError, match="a cross is True or False"):
        io.load(saved(np.save, np.array([[2, 3]])))
    with pytest.raises(FormatError, match="holds 2 arrays: 'a', 'b'"):
        io.load(saved(np.savez, a=np.eye(2), b=np.eye(2)))


@settings(max_examples=200)
@given(st.data())
def test_changed_bytes_of_arrays_give_a_context_or_one_error(data):
    whole = data.draw(
        st.sampled_from(
            [
                saved(np.save, np.eye(3, dtype=bool)),
                saved(sp.save_npz, sp.eye(3, format="csr"), compressed=False),
            ]
        )
    )
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:place] + data.draw(st.binary(min_size=1, max_size=4)) + whole[place + 1 :]
    name = "npy" if whole.startswith(b"\x93") else "npz"
    with suppress(FormatError):
        assert isinstance(io.load(changed, format=name), Context)
