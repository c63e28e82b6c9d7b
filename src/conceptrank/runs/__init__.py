"""Runs that are larger than memory or than a machine: parts in a folder, resume, engines.

`mine` writes scored concepts to a folder as it finds them, on one core, on all of them, or on a
cluster; `open_run` reads them back.
"""

from conceptrank.runs import streaming
from conceptrank.runs.driver import Progress
from conceptrank.runs.engines import ProcessPool, dask_executor
from conceptrank.runs.job import RunError
from conceptrank.runs.mining import check_folder, mine
from conceptrank.runs.packed import Packed, pack
from conceptrank.runs.run import IncompleteRunWarning, Run, open_run
from conceptrank.runs.streaming import pack_file
from conceptrank.runs.task import run_branch

__all__ = [
    "IncompleteRunWarning",
    "Packed",
    "ProcessPool",
    "Progress",
    "Run",
    "RunError",
    "check_folder",
    "dask_executor",
    "mine",
    "open_run",
    "pack",
    "pack_file",
    "run_branch",
    "streaming",
]
