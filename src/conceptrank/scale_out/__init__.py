"""Runs that are larger than memory or than a machine: parts in a folder, resume, engines.

`mine` writes scored concepts to a folder as it finds them, on one core, on all of them, or on a
cluster; `open_run` reads them back.
"""

from conceptrank.scale_out import streaming
from conceptrank.scale_out.driver import Progress
from conceptrank.scale_out.engines import ProcessPool, dask_executor
from conceptrank.scale_out.job import RunError
from conceptrank.scale_out.mining import check_folder, mine
from conceptrank.scale_out.packed import Packed, pack
from conceptrank.scale_out.run import IncompleteRunWarning, Run, open_run
from conceptrank.scale_out.streaming import pack_file
from conceptrank.scale_out.task import run_branch

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
