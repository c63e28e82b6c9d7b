"""Contexts in files: one module a format, found by content first and by suffix second.

A further format is a module that calls `register` and one import below.
"""

from conceptrank.io import (
    baskets,
    burmeister,
    cex,
    colibri,
    cross_table,
    edge_list,
    fimi,
    galicia,
    gml,
    graphml,
    json_concepts,
    json_conexp,
    json_fcaps,
    matrix,
    matrix_market,
    numpy_array,
    oal,
    pairs,
    rcf,
    slf,
    spmf,
)
from conceptrank.io.registry import Fit, Format, formats, load, losses, register, save
from conceptrank.io.sources import Content, MissingFileError, read_bytes

__all__ = [
    "Content",
    "Fit",
    "Format",
    "MissingFileError",
    "baskets",
    "burmeister",
    "cex",
    "colibri",
    "cross_table",
    "edge_list",
    "fimi",
    "formats",
    "galicia",
    "gml",
    "graphml",
    "json_concepts",
    "json_conexp",
    "json_fcaps",
    "load",
    "losses",
    "matrix",
    "matrix_market",
    "numpy_array",
    "oal",
    "pairs",
    "rcf",
    "read_bytes",
    "register",
    "save",
    "slf",
    "spmf",
]
