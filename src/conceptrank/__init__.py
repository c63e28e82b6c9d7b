"""Find the patterns that matter in a table of objects and attributes.

A context holds the table, its lattice the concepts (closed patterns), and measures such as
Conceptual Relevance rank them.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conceptrank import (
        _core as _core,
    )
    from conceptrank import (
        datasets,
        errors,
        evaluation,
        explorer,
        io,
        measures,
        plot,
        rules,
        runs,
        scaling,
        summary,
    )
    from conceptrank.budget import Budget, Watch
    from conceptrank.concept import Concept
    from conceptrank.context import Context
    from conceptrank.lattice import Lattice
    from conceptrank.measures import measure
    from conceptrank.measures.registry import MeasureLike
    from conceptrank.ranking import Ranking
    from conceptrank.runs import open_run
    from conceptrank.scaling.loading import load
    from conceptrank.summary import Summary

    __version__: str

__all__ = [
    "Budget",
    "Concept",
    "Context",
    "Lattice",
    "Ranking",
    "Summary",
    "__version__",
    "build_info",
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
    "rank",
    "rules",
    "runs",
    "scaling",
    "summarize",
    "summary",
]

# Imported on first use: the import of the package is quick, and Ctrl-C during the start of the
# command line can be handled.
_MODULES = {"_core", "datasets", "errors", "evaluation", "explorer", "io", "measures", "plot"}
_MODULES |= {"rules", "runs", "scaling", "summary"}
_NAMES = {
    "Budget": "budget",
    "Concept": "concept",
    "Context": "context",
    "Lattice": "lattice",
    "Ranking": "ranking",
    "Summary": "summary",
    "load": "scaling",
    "measure": "measures",
    "open_run": "runs",
}


def rank(
    source: object,
    by: "MeasureLike" = "conceptual_relevance",
    *,
    budget: "Budget | None" = None,
    read: Mapping[str, Any] | None = None,
    **options: Any,
) -> "Ranking":
    r"""Load a table, mine its concepts and rank them by a measure, in one pass.

    Parameters
    ----------
    source
        Anything that `load` takes: a path, a URL, an open file, bytes, a pandas or polars frame, a
        context.
    by, **options
        As for `Context.rank`: `also`, `then`, `descending`, `ties`, `where`, `min_support`,
        `threads`, `progress`, and parameters of measures.
    budget
        Limits for loading, mining and scoring together. When one is reached, the ranking holds
        the concepts that were scored until then, and its `stopped` names the limit.
    read
        Keywords for `load`, such as `{"scale": "auto"}`.

    Raises
    ------
    FormatError
        If the source can't be read.
    BudgetExceeded
        If the budget ended before a single concept had a score.

    Examples
    --------
    >>> import conceptrank as cr
    >>> cr.rank(b"food,sweet,red\ncherry,X,X\nhoney,X,\n", by="support")
    Ranking of 2 concepts by support (2 different scores)
    rank  support  intent
       1        2  {sweet}
       2        1  {sweet, red}
    """
    context, watch = _loaded(source, read, budget)
    watch.check()
    return context.rank(by, budget=watch.remaining(), **options)


def summarize(
    source: object,
    max_patterns: int | None = None,
    *,
    budget: "Budget | None" = None,
    read: Mapping[str, Any] | None = None,
    **options: Any,
) -> "Summary":
    r"""Load a table and return the short list of patterns that explain it.

    Parameters
    ----------
    source
        Anything that `load` takes: a path, a URL, an open file, bytes, a pandas or polars frame, a
        context.
    max_patterns, **options
        As for `Context.summarize`.
    budget
        Limits for loading and searching together. When one is reached, the summary holds the
        patterns found until then.
    read
        Keywords for `load`, such as `{"scale": "auto"}`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> rows = "".join("1,1,0\n" * 30 + "0,0,1\n" * 30 + "1,0,1\n" * 5)
    >>> print(cr.summarize(("a,b,c\n" + rows).encode()).title)
    1 pattern; 30 of 65 rows (46%) have at least one
    """
    context, watch = _loaded(source, read, budget)
    return context.summarize(max_patterns, budget=watch.remaining(), **options)


def _loaded(
    source: object, read: Mapping[str, Any] | None, budget: "Budget | None"
) -> "tuple[Context, Watch]":
    from conceptrank.budget import Watch, watched
    from conceptrank.scaling.loading import load

    watch = Watch(budget, task="loading")
    with watched(watch):
        return load(source, **(read or {})), watch


def build_info() -> tuple[str, str]:
    """Return the processor kernel in use, and the compiler that built the core.

    Examples
    --------
    >>> import conceptrank as cr
    >>> kernel, compiler = cr.build_info()
    """
    return _core.active_kernel(), _core.compiler()


def __getattr__(name: str) -> object:
    if name in _MODULES:
        try:
            return import_module(f"conceptrank.{name}")
        except ImportError as error:
            if name == "_core":
                error.add_note("the native module is not built: run 'pip install .' first")
            raise
    if name in _NAMES:
        return getattr(import_module(f"conceptrank.{_NAMES[name]}"), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("conceptrank")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
