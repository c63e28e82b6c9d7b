"""Lattices in Parquet files.

One table with three kinds of rows, in this order: the objects with their attributes, the
attributes, and the concepts with their intent, support, Δ and lower covers (numbers of concepts).
What else there is to know is in the file's own metadata.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._whole_file import write_whole
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.lattice import Lattice

if TYPE_CHECKING:
    import polars as pl

FORMAT = "conceptrank lattice"
VERSION = "1"


def save(lattice: Lattice, path: str | os.PathLike[str]) -> None:
    """Write a lattice and its context."""
    import polars as pl

    from conceptrank import __version__, _frames

    context = lattice.context
    parts = {
        "object": {
            "name": pl.Series(context.objects, dtype=pl.String),
            "attributes": _frames.list_column(context.rows()),
        },
        "attribute": {"name": pl.Series(context.attributes, dtype=pl.String)},
        "concept": {
            "attributes": _frames.list_column(lattice.intents),
            "support": pl.Series(lattice._core.supports),
            "delta": pl.Series(lattice._core.deltas),
            "lower_covers": _frames.list_column(lattice.lower_covers),
        },
    }
    kinds = [pl.DataFrame(part).with_columns(kind=pl.lit(kind)) for kind, part in parts.items()]
    columns = _schema()
    frame = pl.concat([pl.DataFrame(schema=columns), *kinds], how="diagonal").select(*columns)
    metadata = {
        "format": FORMAT,
        "version": VERSION,
        "conceptrank": __version__,
        "context": context.digest,
        "concepts": _checksum(lattice._core),
        "min_support": str(lattice.min_support),
        "stopped": lattice.stopped,
    }
    write_whole(path, lambda file: frame.write_parquet(file, metadata=metadata))


def load(path: str | os.PathLike[str]) -> Lattice:
    """Return the lattice that a file holds."""
    import polars as pl

    from conceptrank import _frames

    source = os.fsdecode(path)
    try:
        metadata = pl.read_parquet_metadata(source)
        _check_version(metadata, source)
        frame = pl.read_parquet(source)
    except (pl.exceptions.PolarsError, IsADirectoryError) as error:
        reason = str(error).splitlines()[0]
        raise FormatError(f"is not a readable Parquet file: {reason}", source=source) from None
    if dict(frame.schema) != _schema():
        raise FormatError("has other columns than a lattice", source=source)
    of_kind = {kind: frame.filter(pl.col("kind") == kind) for kind in frame["kind"].unique()}
    objects, attributes, concepts = (
        of_kind.get(kind, frame.clear()) for kind in ("object", "attribute", "concept")
    )
    try:
        context = Context.from_csr(
            objects["name"].to_list(),
            attributes["name"].to_list(),
            *_frames.lists_of(objects["attributes"]),
        )
        core = _lattice_of(concepts, metadata, len(context.attributes))
    except (ValueError, KeyError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise FormatError(f"is damaged: {reason}", source=source) from None
    if context.digest != metadata.get("context") or _checksum(core) != metadata.get("concepts"):
        raise FormatError("is damaged: its content is not what was written", source=source)
    return Lattice(context, core)


def _lattice_of(
    concepts: pl.DataFrame, metadata: dict[str, str], n_attributes: int
) -> _core.Lattice:
    from conceptrank import _frames

    intent_offsets, intents = _frames.lists_of(concepts["attributes"])
    lower_offsets, lower = _frames.lists_of(concepts["lower_covers"])
    if intents.max(initial=0) >= max(n_attributes, 1):
        raise ValueError("a concept has an attribute that the context doesn't have")
    return _core.Lattice.from_arrays(
        min_support=int(metadata["min_support"]),
        stop=metadata["stopped"],
        supports=_numbers(concepts["support"]),
        deltas=_numbers(concepts["delta"]),
        intent_offsets=intent_offsets,
        intents=intents,
        lower_offsets=lower_offsets,
        lower=lower,
    )


def _schema() -> dict[str, pl.DataType]:
    import polars as pl

    number, numbers = pl.UInt32(), pl.List(pl.UInt32)
    return {
        "kind": pl.String(),
        "name": pl.String(),
        "attributes": numbers,
        "support": number,
        "delta": number,
        "lower_covers": numbers,
    }


def _check_version(metadata: dict[str, str], source: str) -> None:
    if metadata.get("format") != FORMAT:
        raise FormatError(
            "is a Parquet file, but holds no lattice", source=source, hint="use Lattice.save"
        )
    if metadata.get("version") != VERSION:
        raise FormatError(
            f"holds a lattice in version {metadata.get('version')} of the format, "
            f"and only version {VERSION} is known",
            source=source,
            hint=f"it was written by conceptrank {metadata.get('conceptrank')}",
        )


def _checksum(core: _core.Lattice) -> str:
    """Return a SHA-256 of what a lattice consists of; with it, what is read can be trusted."""
    digest = hashlib.sha256(f"{core.min_support} {core.stop} {core.n_concepts}".encode())
    for offsets in (core.intent_offsets, core.lower_offsets):
        digest.update(offsets.astype("<u8", copy=False).tobytes())
    for numbers in (core.supports, core.deltas, core.intents, core.lower):
        digest.update(numbers.astype("<u4", copy=False).tobytes())
    return digest.hexdigest()


def _numbers(column: pl.Series) -> NDArray[np.uint32]:
    if column.null_count():
        raise ValueError(f"a number is missing in column {column.name!r}")
    return np.ascontiguousarray(column.to_numpy(), dtype=np.uint32)
