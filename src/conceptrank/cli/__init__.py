"""The command line: one module per command; everything else is in the library.

Data go to standard output and everything else to standard error. Exit codes are 0 done,
1 failed, 2 wrong use, 3 limit reached. What is slow to import (polars, most of rich) is imported
where it is used, so that help and small runs answer at once.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import warnings
from importlib import import_module
from typing import Annotated

import typer

from conceptrank._util.files import give_up
from conceptrank.budget import TASK_THREAD
from conceptrank.cli import _command, _streams
from conceptrank.cli._options import option
from conceptrank.errors import TargetWarning

__all__ = ["app", "main"]

# The modules of the commands in the order of the help, by panel.
COMMANDS: dict[str, str] = {
    "Concepts": "summarize rank best show rules check plot explore",
    "Measures": "measures evaluate reproduce",
    "Tables": "info convert",
    "Large runs": "mine",
}

app: typer.Typer = typer.Typer(
    name="conceptrank",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        # Imported here because looking up the version takes a while.
        import platform

        from conceptrank import __version__, build_info

        kernel, compiler = build_info()
        typer.echo(f"conceptrank {__version__}")
        typer.echo(
            f"kernel {kernel}, built by {compiler}, "
            f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
        )
        raise typer.Exit


@app.callback(
    epilog=_command.examples_text(
        "conceptrank rank movies",
        "conceptrank show movies --intent criminal,drama",
        "conceptrank rank --help",
    )
)
def conceptrank(
    *,
    version: Annotated[
        bool,
        option(
            None,
            "--version",
            callback=lambda value: _print_version(wanted=value),
            is_eager=True,
            help="Print the version, the build and the kernel, and exit.",
        ),
    ] = False,
) -> None:
    """Find the patterns that matter in a table of objects and attributes."""


for _panel, _modules in COMMANDS.items():
    for _module in _modules.split():
        _one: _command.Command = import_module(f"{__name__}.{_module}").command
        app.command(_one.name, help=_one.help, epilog=_one.epilog, rich_help_panel=_panel)(_one.run)


def main() -> None:
    """Run the command line."""
    _streams.repair()
    _end_in_order()
    # The column of --label has left the table.
    warnings.simplefilter("ignore", TargetWarning)
    try:
        app(prog_name="conceptrank")
    except SystemExit as error:
        # Typer and rich exit with 1 when the reader of a pipe has closed it.
        sys.exit(_command.code_without_broken_pipe(error))
    except (OSError, KeyboardInterrupt) as error:
        sys.exit(_command.report(error))
    finally:
        _leave_tasks_behind()
        # Python would look for garbage among all objects of all modules, which takes 0.1 s.
        gc.freeze()


def _end_in_order() -> None:
    """Let SIGTERM and SIGHUP end the program as an exception, so that no temporary file stays."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # `nohup` ignores SIGHUP, and that must stay so. Windows has no SIGHUP.
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda received, _: sys.exit(128 + received))


def _leave_tasks_behind() -> None:
    """End the program at once if a cancelled task is still running in a thread."""
    error = sys.exc_info()[1]
    if any(thread.name.startswith(TASK_THREAD) for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        give_up()
        os._exit(error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else 1)
