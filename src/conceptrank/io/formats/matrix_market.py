"""Matrix Market, `.mtx`: sparse matrices as lists of places, dense ones as lists of values.

It holds no names: objects and attributes are numbered from 1. Every entry that is not zero is a
cross; `pattern` matrices list their crosses only.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import from_pairs
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.losses import dropped_names
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import Growing
from conceptrank.io.text import Block, Data, LineStream, decode_block, shown, text_head

_BANNER = "%%matrixmarket"
_VALUES = {"pattern": 0, "integer": 1, "real": 1, "double": 1, "complex": 2}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_HINT = "%%MatrixMarket matrix coordinate pattern general"


def sniff(head: bytes) -> Fit:
    r"""Return whether a file begins with `%%MatrixMarket`.

    Examples
    --------
    >>> sniff(b"%%MatrixMarket matrix coordinate real general\n").name, sniff(b"% zoo\n").name
    ('CERTAIN', 'NO')
    """
    return Fit.CERTAIN if text_head(head[:100]).lower().startswith(_BANNER) else Fit.NO


def read(data: Data) -> Context:
    r"""Read a matrix; every entry that is not zero is a cross.

    Raises
    ------
    FormatError
        For an unknown kind of matrix, a wrong number of entries, or an entry outside the matrix.

    Examples
    --------
    >>> text = b"%%MatrixMarket matrix coordinate real general\n% a\n2 3 2\n1 1 0.5\n2 3 1\n"
    >>> context = read(text)
    >>> context.shape, context.to_pairs()
    ((2, 3), [('1', '1'), ('2', '3')])
    """
    stream = LineStream(data)
    entries = _Entries(_header(stream.lines()))
    for block in stream.blocks():
        entries.add(block)
    return entries.context()


class _Header:
    """The first lines: the kind of the matrix and its size."""

    def __init__(self, banner: str, sizes: str, line: int) -> None:
        words = banner.lower().split()
        if len(words) != 5 or words[1] != "matrix" or words[2] not in ("coordinate", "array"):
            raise FormatError(f"can't read {shown(banner)}", line=1, hint=_HINT)
        self.dense = words[2] == "array"
        if (
            words[3] not in _VALUES
            or words[4] not in _SYMMETRIES
            or (self.dense and words[3] == "pattern")
        ):
            raise FormatError(
                f"can't read {shown(' '.join(words[3:]))} matrices",
                line=1,
                hint=f"values are {', '.join(_VALUES)}; symmetries {', '.join(_SYMMETRIES)}",
            )
        self.values, self.symmetry, self.line = _VALUES[words[3]], words[4], line
        numbers = sizes.split()
        if len(numbers) != (2 if self.dense else 3) or not all(
            number.isascii() and number.isdecimal() and len(number) < 19 for number in numbers
        ):
            raise FormatError(
                f"can't read the size {shown(sizes)}",
                line=line,
                hint="rows, columns" + ("" if self.dense else " and the number of entries"),
            )
        self.n, self.q = int(numbers[0]), int(numbers[1])
        if self.symmetry != "general" and self.n != self.q:
            raise FormatError(f"a {self.symmetry} matrix of {self.n} × {self.q}", line=line)
        self.count = self._dense_count() if self.dense else int(numbers[2])

    def _dense_count(self) -> int:
        if self.symmetry == "general":
            return self.n * self.q
        return self.n * (self.n + (-1 if self.symmetry == "skew-symmetric" else 1)) // 2


def _header(lines: Iterator[tuple[int, str]]) -> _Header:
    _, banner = next(lines, (1, None))
    if banner is None:
        raise FormatError("the file is empty", line=1, hint=_HINT)
    if not banner.strip().lower().startswith(_BANNER):
        found = shown(banner.strip())
        raise FormatError(f"found {found}, expected %%MatrixMarket", line=1, hint=_HINT)
    for line, row in lines:
        if row.strip() and not row.strip().startswith("%"):
            return _Header(banner.strip(), row.strip(), line)
    raise FormatError("no size after the first line", line=1, hint=_HINT)


class _Entries:
    """The entries of a matrix, collected block by block."""

    def __init__(self, header: _Header) -> None:
        self._header = header
        self._seen = 0
        self._left, self._right = Growing(), Growing()

    def add(self, block: Block) -> None:
        """Add whole lines."""
        header = self._header
        width = max(header.values, 1) if header.dense else 2 + header.values
        table = self._numbers(block, width)
        if not len(table):
            return
        if self._seen + len(table) > header.count:
            self._refuse_count(block.line)
        if header.dense:
            rows, columns = self._dense_places(len(table))
        else:
            places = table[:, :2] - 1
            inside = (places >= 0) & (places < (header.n, header.q)) & (places == np.floor(places))
            if not inside.all():
                raise FormatError(
                    f"an entry outside the matrix of {header.n:,} × {header.q:,}",
                    line=block.line,
                    hint="rows and columns are counted from 1",
                )
            rows, columns = places.astype(np.int64).T
            table = table[:, 2:]
        self._seen += len(rows)
        marked = (table != 0).any(axis=1) if table.shape[1] else np.ones(len(rows), dtype=np.bool_)
        self._left.extend(rows[marked])
        self._right.extend(columns[marked])

    def context(self) -> Context:
        """Return the context; refuse too few entries."""
        header = self._header
        if self._seen != header.count:
            self._refuse_count(header.line)
        if max(header.n, header.q) >= 1 << 32 or header.q > _MOST_COLUMNS + 10 * self._seen:
            raise FormatError(
                f"a matrix of {header.n:,} × {header.q:,} with {header.count:,} entries",
                line=header.line,
                hint="is the size right?",
            )
        left, right = self._left.array(), self._right.array()
        if header.symmetry != "general":
            left, right = np.concatenate([left, right]), np.concatenate([right, left])
        rows = from_pairs(left, right, (header.n, header.q))
        return Context.from_csr(range(1, header.n + 1), range(1, header.q + 1), *rows)

    def _numbers(self, block: Block, width: int) -> NDArray[np.float64]:
        lines = [line for line in decode_block(block).split("\n") if line.strip()]
        try:
            table = np.array([line.split() for line in lines], dtype=np.float64)
            if table.size and table.shape[1:] != (width,):
                raise ValueError
        except ValueError:
            for number, line in enumerate(lines):
                if len(line.split()) != width or not _is_numeric(line):
                    raise FormatError(
                        f"{shown(line)} is no entry: {width} numbers are expected",
                        line=block.line + number,
                        hint="no blank lines or comments between the entries",
                    ) from None
            raise
        return table.reshape(-1, width)

    def _dense_places(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the places of the next entries: column by column, below the diagonal if needed."""
        header = self._header
        numbers = np.arange(self._seen, self._seen + count, dtype=np.int64)
        if header.symmetry == "general":
            return numbers % max(header.n, 1), numbers // max(header.n, 1)
        first = int(header.symmetry == "skew-symmetric")
        lengths = np.arange(header.n - first, 0, -1, dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        columns = np.searchsorted(starts, numbers, side="right") - 1
        return numbers - starts[columns] + columns + first, columns

    def _refuse_count(self, line: int) -> None:
        header = self._header
        more = "more" if self._seen != header.count and line > header.line else "fewer"
        raise FormatError(
            f"there are {more} entries than the {header.count:,} that line {header.line} announces",
            line=line,
            hint="is the file whole?",
        )


_MOST_COLUMNS = 1 << 24


def _is_numeric(line: str) -> bool:
    try:
        return bool([float(word) for word in line.split()])
    except ValueError:
        return False


def write(context: Context) -> bytes:
    r"""Return the crosses of a context as a pattern matrix.

    Examples
    --------
    >>> write(Context("12", "12", [[1, 0], [1, 1]])).split(b"\n")[1:]
    [b'2 2 3', b'1 1', b'2 1', b'2 2', b'']
    """
    n, q = context.shape
    indptr, indices = context.rows()
    rows = np.repeat(np.arange(1, n + 1), np.diff(indptr)).tolist()
    lines = [f"{g} {m + 1}" for g, m in zip(rows, indices.tolist(), strict=True)]
    head = ["%%MatrixMarket matrix coordinate pattern general", f"{n} {q} {len(indices)}"]
    return "".join(f"{line}\n" for line in [*head, *lines]).encode("ascii")


FORMAT = Format(
    name="matrix_market",
    suffixes=(".mtx",),
    description="Matrix Market: a sparse matrix without names",
    sniff=sniff,
    read=read,
    write=write,
    drops=dropped_names,
    streams=True,
    notices_cuts=True,
)
