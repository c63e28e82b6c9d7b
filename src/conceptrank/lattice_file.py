"""Lattices in Parquet files: `save` and `load`.

The file is one table with three kinds of rows, in this order: the objects with their attributes,
and with their weights as supports unless all are 1; the attributes; and the concepts with their
intent, support, Δ and lower covers (numbers of concepts). The file's metadata have the other
values, and a seal over every byte of the file.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util.files import write_whole
from conceptrank._util.sealed import UNSEALED, is_intact, reading, refuse_other, seal
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.lattice import Lattice

if TYPE_CHECKING:
    import polars as pl

FORMAT = "conceptrank lattice"
VERSION = 1


def save(lattice: Lattice, path: str | os.PathLike[str]) -> None:
    """Write a lattice and its context."""
    import polars as pl

    from conceptrank import __version__
    from conceptrank.convert import results

    context = lattice.context
    parts: dict[str, dict[str, pl.Series]] = {
        "object": {
            "name": pl.Series(context.objects, dtype=pl.String),
            "attributes": results.list_column(context.rows()),
        },
        "attribute": {"name": pl.Series(context.attributes, dtype=pl.String)},
        "concept": {
            "attributes": results.list_column(lattice.intents),
            "support": pl.Series(lattice.core.supports),
            "delta": pl.Series(lattice.core.deltas),
            "lower_covers": results.list_column(lattice.lower_covers),
        },
    }
    if context.weighted:
        parts["object"]["support"] = pl.Series(context.weights.astype(np.uint32))
    kinds = [pl.DataFrame(part).with_columns(kind=pl.lit(kind)) for kind, part in parts.items()]
    columns = _schema()
    frame = pl.concat([pl.DataFrame(schema=columns), *kinds], how="diagonal").select(*columns)
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "conceptrank": __version__,
        "context": context.digest,
        "min_support": str(lattice.min_support),
        "stopped": lattice.core.stop,
        "seal": UNSEALED,
    }
    content = io.BytesIO()
    frame.write_parquet(content, metadata=metadata)
    sealed = seal(content.getbuffer())
    write_whole(path, lambda file: file.write(sealed))


def load(path: str | os.PathLike[str]) -> Lattice:
    """Return the lattice that a file holds."""
    import polars as pl

    from conceptrank.convert import results

    source = os.fsdecode(path)
    try:
        content = Path(path).read_bytes()
    except IsADirectoryError:
        raise FormatError("is a directory, not a Parquet file", source=source) from None
    if len(content) < 12 or not content.startswith(b"PAR1") or not content.endswith(b"PAR1"):
        raise FormatError("is not a readable Parquet file", source=source)
    intact = is_intact(content)
    if intact is None:
        raise FormatError("holds no lattice", source=source, hint="use Lattice.save")
    if not intact:
        raise FormatError("is damaged: its content is not what was written", source=source)
    with reading(source):
        metadata = pl.read_parquet_metadata(io.BytesIO(content))
        writer = metadata.get("conceptrank")
        refuse_other(metadata, FORMAT, VERSION, source=source, writer=writer)
        frame = pl.read_parquet(io.BytesIO(content))
        if dict(frame.schema) != _schema():
            raise FormatError("has other columns than a lattice", source=source)
        of_kind = {kind: frame.filter(pl.col("kind") == kind) for kind in frame["kind"].unique()}
        objects, attributes, concepts = (
            of_kind.get(kind, frame.clear()) for kind in ("object", "attribute", "concept")
        )
        context = Context.from_csr(
            objects["name"].to_list(),
            attributes["name"].to_list(),
            *results.lists_of(objects["attributes"]),
            weights=_numbers(weights) if (weights := objects["support"]).count() else None,
        )
        core = _lattice_of(concepts, metadata, len(context.attributes))
        if context.digest != metadata["context"]:
            raise FormatError("is damaged: its content is not what was written", source=source)
    return Lattice(context, core)


def _lattice_of(
    concepts: pl.DataFrame, metadata: dict[str, str], n_attributes: int
) -> _core.Lattice:
    from conceptrank.convert import results

    intents = results.lists_of(concepts["attributes"])
    if intents[1].max(initial=0) >= max(n_attributes, 1):
        raise ValueError("a concept has an attribute that the context doesn't have")
    return _core.Lattice.from_arrays(
        min_support=int(metadata["min_support"]),
        stop=metadata["stopped"],
        supports=_numbers(concepts["support"]),
        deltas=_numbers(concepts["delta"]),
        intents=intents,
        lower=results.lists_of(concepts["lower_covers"]),
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


def _numbers(column: pl.Series) -> NDArray[np.uint32]:
    if column.null_count():
        raise ValueError(f"a number is missing in column {column.name!r}")
    return np.ascontiguousarray(column.to_numpy(), dtype=np.uint32)
