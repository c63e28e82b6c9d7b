"""Contexts in files: one module a format, found by content first and by suffix second.

A further format is a module that calls `register` and one import below.
"""

from conceptrank.io import burmeister, cross_table, fimi, spmf, pairs, baskets, matrix, edge_list, gml
from conceptrank.io.registry import Fit, Format, formats, load, losses, register, save
from conceptrank.io.sources import MissingFileError
