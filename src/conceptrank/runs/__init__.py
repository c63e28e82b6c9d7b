"""Runs whose concepts may exceed the memory: `mine` writes them to a folder, `open_run` reads them.

`mine` works on one core, on all cores or on a cluster. A run that was stopped or killed is resumed.
"""

from conceptrank.runs import streaming
from conceptrank.runs.driver import RunProgress
from conceptrank.runs.engines import dask_executor
from conceptrank.runs.job import RunError
from conceptrank.runs.mining import check_folder, mine, needs_every_item
from conceptrank.runs.packed import Packed, pack
from conceptrank.runs.packed import read as open_packed
from conceptrank.runs.run import IncompleteRunWarning, Run, open_run
from conceptrank.runs.streaming import pack_file, pack_transactions
from conceptrank.runs.task import run_branch

__all__ = [
    "IncompleteRunWarning",
    "Packed",
    "Run",
    "RunError",
    "RunProgress",
    "check_folder",
    "dask_executor",
    "mine",
    "needs_every_item",
    "open_packed",
    "open_run",
    "pack",
    "pack_file",
    "pack_transactions",
    "run_branch",
    "streaming",
]
