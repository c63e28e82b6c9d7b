"""Readers of tables of values; every module here registers its formats."""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    if _module.name != "child":  # It is the program of another process.
        import_module(f"{__name__}.{_module.name}")
