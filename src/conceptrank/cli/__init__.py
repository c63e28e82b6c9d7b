"""The command line: one module a command, and nothing that the library doesn't do.

Data goes to standard output and everything else to standard error. Exit codes are 0 done,
1 failed, 2 wrong use, 3 budget reached. What is slow to import (polars, most of rich) is imported
where it is used, so that help and small runs answer at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from conceptrank.cli import (
    _guard,
    _streams,
    agree,
    convert,
    evaluate,
    explore,
    explore_attributes,
    generate,
    info,
    measures,
    mine,
    plot,
    rank,
    reproduce,
    rules,
    scale,
    show,
    status,
    top,
)
from conceptrank.cli._help import examples

__all__ = ["app", "main"]

app = typer.Typer(
    name="conceptrank",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        # Not above: the version is looked up when it is asked for.
        from conceptrank import __version__

        typer.echo(f"conceptrank {__version__}")
        raise typer.Exit


@app.callback(
    epilog=examples(
        "conceptrank rank movies",
        "conceptrank show movies --intent criminal,drama",
        "conceptrank rank --help",
    )
)
def conceptrank(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda value: _print_version(wanted=value),
            is_eager=True,
            help="Print the version and end.",
        ),
    ] = False,
) -> None:
    """Find the patterns that matter in a table of objects and attributes."""


app.command("rank", help=rank.HELP, epilog=rank.EXAMPLES)(rank.command)
app.command("agree", help=agree.HELP, epilog=agree.EXAMPLES)(agree.command)
app.command("measures", help=measures.HELP, epilog=measures.EXAMPLES)(measures.command)
app.command("rules", help=rules.HELP, epilog=rules.EXAMPLES)(rules.command)
app.command("info", help=info.HELP, epilog=info.EXAMPLES)(info.command)
app.command("show", help=show.HELP, epilog=show.EXAMPLES)(show.command)
app.command("plot", help=plot.HELP, epilog=plot.EXAMPLES)(plot.command)
app.command("explore", help=explore.HELP, epilog=explore.EXAMPLES)(explore.command)
app.command("explore-attributes", help=explore_attributes.HELP, epilog=explore_attributes.EXAMPLES)(
    explore_attributes.command
)
app.command("scale", help=scale.HELP, epilog=scale.EXAMPLES)(scale.command)
app.command("evaluate", help=evaluate.HELP, epilog=evaluate.EXAMPLES)(evaluate.command)
app.command("reproduce", help=reproduce.HELP, epilog=reproduce.EXAMPLES)(reproduce.command)
app.command("generate", help=generate.HELP, epilog=generate.EXAMPLES)(generate.command)
app.command("mine", help=mine.HELP, epilog=mine.EXAMPLES)(mine.command)
app.command("top", help=top.HELP, epilog=top.EXAMPLES)(top.command)
app.command("status", help=status.HELP, epilog=status.EXAMPLES)(status.command)
app.command("convert", help=convert.HELP, epilog=convert.EXAMPLES)(convert.command)


def main() -> None:
    """Run the command line; the entry point of the program `conceptrank`."""
    _streams.mend()
    try:
        app(prog_name="conceptrank")
    except (OSError, KeyboardInterrupt) as error:
        sys.exit(_guard.end(error))
