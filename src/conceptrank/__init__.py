"""Find the patterns that matter in a table of objects and attributes.

A context holds the table, its lattice the concepts (closed patterns), and measures such as
Conceptual Relevance rank them.
"""

from typing import TYPE_CHECKING

try:
    from conceptrank import _core as _core
except ImportError as error:
    error.add_note("the native module of conceptrank is not built: run 'pip install .' first")
    raise

from conceptrank import datasets, errors, io, measures
from conceptrank.budget import Budget
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.io import load
from conceptrank.lattice import Lattice
from conceptrank.measures import measure
from conceptrank.ranking import Ranking

if TYPE_CHECKING:
    from conceptrank import evaluation, explorer, plot, rules, runs, scaling
    from conceptrank.runs import open_run

    __version__: str

__all__ = [
    "Budget",
    "Concept",
    "Context",
    "Lattice",
    "Ranking",
    "__version__",
    "datasets",
    "errors",
    "evaluation",
    "explorer",
    "io",
    "load",
    "measure",
    "measures",
    "open_run",
    "plot",
    "rules",
    "runs",
    "scaling",
]


def __getattr__(name: str) -> object:
    # Imported on demand, because they would double the time of the import. `scale_out` is the old
    # name of `runs`.
    if name in ("evaluation", "explorer", "plot", "rules", "runs", "scale_out", "scaling"):
        from importlib import import_module

        return import_module(f"conceptrank.{name}")
    if name == "open_run":
        from conceptrank.runs import open_run

        return open_run
    if name == "__version__":
        from importlib.metadata import version

        return version("conceptrank")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
