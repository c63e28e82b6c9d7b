"""`conceptrank explore`: concepts in a browser."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conceptrank._util.files import is_plain
from conceptrank.cli import _command, _measures, _options, _output
from conceptrank.cli._command import BUDGET_REACHED, DONE, WrongUseError, define_command
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options, flag, option
from conceptrank.cli._pipeline import Mining, Pipeline, size_text

if TYPE_CHECKING:
    from conceptrank.explorer import Source


# The limit on mining if none is given.
MOST_CONCEPTS = 3_000_000
# The shares of --max-seconds that mining, and then the search for the best concepts, may take. The
# short list may take twice as long as that search.
_MINING_SHARE = 0.5
_BEST_SHARE = 1 / 3


@dataclass
class Serving(Options):
    """How to serve the page."""

    port: Annotated[
        int, option("Port to serve on; 0 means any free one.", "N", min=0, max=65535)
    ] = 0
    token: Annotated[
        str | None,
        option(
            "Secret of the link, 16 letters or more: with --port, a link survives a restart.",
            "TEXT",
            envvar="CONCEPTRANK_TOKEN",
            show_default="a new one",
        ),
    ] = None
    browser: Annotated[bool, flag("Whether to open a browser.", "--browser/--no-browser")] = True

    def serve(self, source: Callable[[], Source], title: str, waiting: str) -> None:
        """Serve a page until Ctrl-C."""
        from conceptrank.explorer import Server

        with Server(
            source, title=title, waiting=waiting, port=self.port, token=self.token
        ) as server:

            def ready() -> None:
                # The link is the result of the command, so it is printed even with --quiet.
                typer.echo(server.link)
                typer.echo("Ctrl-C ends it", err=True)
                if self.browser:
                    import webbrowser

                    webbrowser.open(server.link)

            with suppress(KeyboardInterrupt):
                server.run(ready)


@define_command(
    examples=[
        "conceptrank explore movies --export movies.html",
        "conceptrank explore movies --min-support 0.2 --export movies.html",
        "conceptrank explore movies --by stability --also cr,separation --export movies.html",
        "conceptrank mine movies --out run --measures cr,stability --workers 1",
        "conceptrank explore run --by stability --export run.html",
    ]
)
def command(
    *,
    export: Annotated[
        Path | None, option("Write the page to this file instead of serving it.", "PATH")
    ] = None,
    serving: Serving,
    by: Annotated[
        str | None,
        option(
            "The measure to sort by at first, such as cr or stability(method=auto). "
            "[bold]conceptrank measures[/] lists them.",
            "MEASURE",
            show_default="cr; the first measure of a folder",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        option(
            "More measures to show; repeat, or separate by commas.",
            "MEASURE",
            show_default="log_stability, stability, separation, delta_measure, intent_size",
        ),
    ] = None,
    then: Annotated[
        list[str] | None,
        option(
            "Measures that break ties at first, in this order; repeat, or separate by commas.",
            "MEASURE",
            show_default="log_stability, if it is shown",
        ),
    ] = None,
    measure_options: MeasureOptions,
    mining: Mining,
) -> int:
    """Explore the concepts of a table in a browser.

    The page has the short list, a ranked table, details of each concept, plots of measures, and
    line diagrams. If there are more than 3 million concepts, or more than a limit allows, the page
    has the 1,000 best of them. A served page finds more on demand.

    FILE may also be a folder that [bold]conceptrank mine[/] has written or is writing. Only what
    the page needs is read, so the folder may be larger than memory.

    The page is served on this machine only, under a secret link, until Ctrl-C. With --export it
    becomes one file that needs neither this program nor a network.
    """
    from conceptrank import explorer
    from conceptrank.explorer import short_list
    from conceptrank.explorer.best_concepts import FIRST, SECONDS, best_concepts

    file, limits, messages = mining.file, mining.limits, mining.messages
    page = _options.STANDARD_OUTPUT_DEVICE if export == _options.STANDARD_OUTPUT else export
    _output.refuse_unwritable(page, option="--export ")
    if page is None:
        for package in ("starlette", "uvicorn"):
            hint = "--export writes a page that needs no server"
            _command.require("serving the page", package, extra="explore", hint=hint)
    if Path(file).is_dir():
        useless = [*(["--also"] if also else []), *measure_options.given, *limits.given]
        useless += mining.reading.given
        if useless:
            raise WrongUseError(
                f"{', '.join(useless)} can't be used with a folder: it was mined and scored already"
            )
        names = None if then is None else [each for text in then for each in text.split(",")]
        return _explore_folder(Path(file), page, serving, messages, by=by, then=names)
    unlimited = (limits.max_concepts, limits.max_memory, limits.max_seconds) == (None,) * 3
    if unlimited:
        limits.max_concepts = MOST_CONCEPTS
    ranked_by, tie_breakers, extra_columns = _measures.to_rank_by(
        by or "cr", then, explorer.DEFAULT_MEASURES if also is None else also
    )
    pipeline = Pipeline(
        mining,
        measure_options=measure_options,
        measures=[ranked_by, *tie_breakers, *extra_columns],
        after_limit="the page has the best ones",
        # A page of whatever came first would be of no use.
        keeps=False,
        share=_MINING_SHARE,
    )
    bound = None if then is None else pipeline.measures[1 : 1 + len(tie_breakers)]
    context, title = pipeline.loaded.context, Path(file).name
    measures = pipeline.measures
    lattice = None if unlimited and pipeline.too_many() else pipeline.lattice
    left = pipeline.remaining().seconds
    best: dict[str, Any] = {
        "k": FIRST if unlimited else limits.max_concepts or FIRST,
        "seconds": SECONDS if left is None else _BEST_SHARE * left,
        "min_support": limits.min_support,
        "threads": limits.threads,
    }
    if page is not None:
        note, summary = "", None
        if lattice is None or lattice.stopped:
            with messages.working("looking for the best concepts and the short list"):
                found = best_concepts(context, measures[0], **best)
            lattice, note, summary = found.lattice, found.note, found.summary
        elif left is not None and short_list.too_large(context) is None:
            with messages.working("looking for the short list"):
                summary = short_list.summarized(context.repeated(), seconds=left)
        with messages.working("writing the page"):
            explorer.export(
                lattice, page, measures, title=title, then=bound, note=note, summary=summary
            )
        _note_page(page, messages)
        return pipeline.exit_code

    def source() -> Source:
        if lattice is None or lattice.stopped:
            return explorer.best_source(context, measures, title=title, then=bound, **best)
        return explorer.LatticeSource(lattice, measures, title=title, then=bound)

    waiting = "Looking for the best concepts and the short list …"
    if lattice is not None and not lattice.stopped:
        waiting = f"Scoring {len(lattice):,} concepts …"
    serving.serve(source, title, waiting)
    return pipeline.exit_code


def _explore_folder(
    folder: Path,
    page: Path | None,
    serving: Serving,
    messages: Messages,
    *,
    by: str | None,
    then: list[str] | None,
) -> int:
    from conceptrank import explorer
    from conceptrank.runs import open_run

    run = open_run(folder)
    title = folder.resolve().name
    if not run.complete:
        messages.warning(f"the run is {run.state}: the page shows the concepts found so far")
    if page is not None:
        with messages.working("writing the page"):
            explorer.export_run(run, page, by=by, title=title, then=then)
        _note_page(page, messages)
    else:
        # A wrong name is an error before anything is served.
        for name in (by, *(then or ())):
            run.column_of(name)
        serving.serve(
            lambda: explorer.RunSource(run, by=by, title=title, then=then),
            title,
            f"Checking {len(run):,} concepts …",
        )
    return DONE if run.complete else BUDGET_REACHED


def _note_page(page: Path, messages: Messages) -> None:
    if is_plain(page):
        messages.note(f"{page}: {size_text(page.stat().st_size)}; open it in a browser")
