"""`conceptrank explore`: concepts to look at in a browser."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conceptrank._whole_file import is_plain
from conceptrank.cli import _given, _input, _measures, _mining, _options, _output
from conceptrank.cli._guard import BUDGET_REACHED, DONE, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice

if TYPE_CHECKING:
    from conceptrank.explorer import Source
    from conceptrank.scale_out import Run

HELP = (
    "Explore the concepts of a table in a browser: a ranked table, each concept in detail, plots "
    "of measures against each other, and line diagrams.\n\n"
    "FILE may also be a folder that [bold]conceptrank mine[/] has written or is writing, however "
    "large: it is read as far as the page needs it.\n\n"
    "The page is served on this machine, under a link that only you know, until Ctrl-C ends it. "
    "With --export it becomes one file that needs neither this program nor a network."
)
EXAMPLES = examples(
    "conceptrank explore movies --export movies.html",
    "conceptrank explore movies --min-support 0.2 --export movies.html",
    "conceptrank explore movies --by stability --also cr,separation --export movies.html",
    "conceptrank mine movies --out run --measures cr,stability --workers 1",
    "conceptrank explore run --by stability --export run.html",
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
    by: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="The measure to sort by at first, as cr or stability(method=auto); "
            "[bold]conceptrank measures[/] lists them.",
            show_default="cr; of a folder, its first one",
        ),
    ] = None,
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
    export = _options.THROUGH if export == _options.STANDARD_OUTPUT else export
    _output.refuse_unwritable(export, option="--export ")
    if Path(file).is_dir():
        given = {
            "--also": also,
            "--min-support": min_support,
            "--param": param,
            "--label": label,
            "--weights": weights,
            "--scale": scale,
            "--drop": drop,
            "--object-names": object_names,
            "--missing": missing,
            "--read": read,
            "--max-concepts": max_concepts,
            "--max-memory": max_memory,
            "--max-seconds": max_seconds,
            "--input-format": input_format,
        }
        _refuse([option for option, value in given.items() if value])
        run, source = _opened(Path(file), by, export, voice)
        if source is not None:
            _serve(source, port=port, browser=browser)
        return DONE if run.complete else BUDGET_REACHED
    decides = _measures.measure(by or "cr")
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
        _tell(export, voice)
        return done
    with voice.working(f"scoring {len(lattice):,} concepts"):
        source = explorer.LatticeSource(lattice, shown, title=title)
    _serve(source, port=port, browser=browser)
    return done


def _refuse(options: Sequence[str]) -> None:
    if options:
        raise WrongUseError(
            f"{', '.join(options)} can't be used with a folder, which was mined and scored already"
        )


def _opened(
    folder: Path, by: str | None, export: Path | None, voice: Voice
) -> tuple[Run, Source | None]:
    """Return a run and who answers for it, or write its page."""
    from conceptrank import explorer
    from conceptrank.scale_out import open_run

    run = open_run(folder)
    title = folder.resolve().name
    if not run.complete:
        voice.warning(f"the run is {run.state}: these are the concepts that are there")
    if export is None:
        with voice.working(f"checking {len(run):,} concepts"):
            return run, explorer.RunSource(run, by=by, title=title)
    with voice.working("writing the page"):
        explorer.export_run(run, export, by=by, title=title)
    _tell(export, voice)
    return run, None


def _tell(page: Path, voice: Voice) -> None:
    if is_plain(page):
        voice.note(f"{page}: {_mining.size_text(page.stat().st_size)}; open it in a browser")


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
