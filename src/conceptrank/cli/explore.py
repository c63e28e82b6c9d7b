"""`conceptrank explore`: concepts to look at in a browser."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conceptrank.cli import _given, _input, _measures, _mining, _options, _output
from conceptrank.cli._guard import BUDGET_REACHED, DONE, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice

if TYPE_CHECKING:
    from conceptrank.explorer import Source

HELP = (
    "Explore the concepts of a table in a browser: a ranked table, each concept in detail, plots "
    "of measures against each other, and line diagrams.\n\n"
    "The page is served on this machine, under a link that only you know, until Ctrl-C ends it. "
    "With --export it becomes one file that needs neither this program nor a network."
)
EXAMPLES = examples(
    "conceptrank explore movies --export movies.html",
    "conceptrank explore movies --min-support 0.2 --export movies.html",
    "conceptrank explore movies --by stability --also cr,separation --export movies.html",
)


@guarded
def command(
    file: _options.File,
    *,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Write the page to this file instead of serving it.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Where to serve; 0 is any free port.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")
    ] = True,
    by: _options.By = "cr",
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="Measures to show beside it; repeat, or separate by commas.",
            show_default="stability, separation, delta_measure",
        ),
    ] = None,
    min_support: _options.MinSupport = 0,
    param: _options.Params = None,
    label: _options.Label = None,
    weights: _options.Weights = None,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    threads: _options.Threads = 0,
    max_concepts: _options.MaxConcepts = None,
    max_memory: _options.MaxMemory = None,
    max_seconds: _options.MaxSeconds = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Explore the concepts of a table in a browser."""
    from conceptrank import explorer

    voice = Voice(quiet=quiet)
    _output.refuse_unwritable(export, option="--export ")
    decides = _measures.measure(by)
    beside = explorer.DEFAULT_MEASURES if also is None else _measures.measures(also)
    wanted = [decides, *(each for each in beside if each not in (decides, "support"))]
    known = _given.Given(label, weights)
    measures = _measures.checked(wanted, _measures.params(param or ()), later=known.params)

    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    loaded = _input.load(file, format=input_format, voice=voice, scaling=raw, label=label)
    shown = _measures.completed(measures, known.of(loaded, wanted))
    lattice = _mining.mine(
        loaded.context,
        min_support=min_support,
        threads=threads,
        budget=_mining.budget_of(max_concepts, max_memory, max_seconds),
        measures=shown,
        voice=voice,
    )
    done = DONE if lattice.complete else BUDGET_REACHED
    title = Path(file).name
    if export is not None:
        with voice.working("writing the page"):
            explorer.export(lattice, export, shown, title=title)
        voice.note(f"{export}: {_mining.size_text(export.stat().st_size)}; open it in a browser")
        return done
    with voice.working(f"scoring {len(lattice):,} concepts"):
        source = explorer.LatticeSource(lattice, shown, title=title)
    _serve(source, port=port, browser=browser)
    return done


def _serve(source: Source, *, port: int, browser: bool) -> None:
    from conceptrank.explorer import Server

    with Server(source, port=port) as server:

        def ready() -> None:
            # On standard output: it is what was asked for, also with --quiet.
            typer.echo(server.link)
            typer.echo("Ctrl-C ends it", err=True)
            if browser:
                import webbrowser

                webbrowser.open(server.link)

        with suppress(KeyboardInterrupt):
            server.run(ready)
