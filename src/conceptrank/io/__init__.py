"""Contexts in files: one module a format, found by content first and by suffix second.

A further format is a module that calls `register` and one import below.
"""

from conceptrank.io import burmeister, cross_table, fimi
from conceptrank.io.registry import Format, formats, load, register, save
from conceptrank.io.sources import MissingFileError

__all__ = [
    "Format",
    "MissingFileError",
    "burmeister",
    "cross_table",
    "fimi",
    "formats",
    "load",
    "register",
    "save",
]
