"""Readers of tables of values; the formats that a module declares are registered."""

from conceptrank.io.registry import register_declared

register_declared(__name__, __path__)
