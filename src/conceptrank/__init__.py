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

from conceptrank import datasets, errors, evaluation, io, measures, scaling
from conceptrank.budget import Budget
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.io import load
from conceptrank.lattice import Lattice
from conceptrank.measures import measure
from conceptrank.ranking import Ranking

if TYPE_CHECKING:
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
    "io",
    "load",
    "measure",
    "measures",
    "scaling",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        # Only on demand: reading the metadata takes longer than everything else here.
        from importlib.metadata import version

        return version("conceptrank")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
