"""Readers of tables of values; the formats that a module declares are registered."""

from conceptrank.io.registry import register_declared

# `child` is the program of another process.
register_declared(__name__, __path__, skip="child")
