"""Packed contexts from files."""

from __future__ import annotations

import os

from conceptrank.scale_out.packed import Packed, pack

__all__ = ["pack_file", "packed_in_pieces"]


def packed_in_pieces(path: str | os.PathLike[str], *, format: str | None = None) -> Packed | None:  # noqa: A002
    """Return the different rows of a context that is read piece by piece; None if it can't be."""
    return None


def pack_file(path: str | os.PathLike[str]) -> Packed:
    """Return the different rows of the context in a file."""
    from conceptrank import io

    return pack(io.load(path))
