"""`conceptrank explore`: concepts in a browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conceptrank._util.files import is_plain
from conceptrank.cli import _command, _measures, _options, _output, _run_folder
from conceptrank.cli._command import BUDGET_REACHED, DONE, define_command
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options, flag, option
from conceptrank.cli._pipeline import Limits, Mining, Pipeline, size_text

if TYPE_CHECKING:
    from conceptrank.context import Context
    from conceptrank.explorer import Content
    from conceptrank.lattice import Lattice


# The limit on mining if none is given.
MOST_CONCEPTS = 3_000_000
# The shares of --max-seconds that mining, and then the search for the best concepts, may take. The
# short list may take twice as long as that search.
_MINING_SHARE = 0.5
_BEST_SHARE = 1 / 3


@dataclass
class Serving(Options):
    """Where the page goes: to a file, or to a browser through a server.

    Parameters
    ----------
    export
        Write the page to this file instead of serving it.
    port
        Port to serve on; 0 means any free one.
    token
        Secret of the link, 16 letters or more: with --port, a link survives a restart.
    browser
        Whether to open a browser.
    """

    export: Annotated[Path | None, option("PATH")] = None
    port: Annotated[int, option("N", min=0, max=65535)] = 0
    token: Annotated[
        str | None, option("TEXT", envvar="CONCEPTRANK_TOKEN", show_default="a new one")
    ] = None
    browser: Annotated[bool, flag("--browser/--no-browser")] = True

    def __post_init__(self) -> None:
        if self.export == _options.STANDARD_OUTPUT:
            self.export = _options.STANDARD_OUTPUT_DEVICE
        _output.refuse_unwritable(self.export, option="--export ")
        if self.export is None:
            for package in ("starlette", "uvicorn"):
                hint = "--export writes a page that needs no server"
                _command.require("serving the page", package, extra="explore", hint=hint)

    def show(
        self, make: Callable[[int], Content], title: str, task: str, messages: Messages
    ) -> None:
        """Write the page, or serve it until Ctrl-C.

        Parameters
        ----------
        make
            As for `explorer.Server`.
        title
            The title of the page.
        task
            What it takes to make the content.
        messages
            Where to report the file.
        """
        from conceptrank import explorer

        if self.export is not None:
            with messages.working(task):
                explorer.export(make(1), self.export)
            if is_plain(self.export):
                size = size_text(self.export.stat().st_size)
                messages.note(f"{self.export}: {size}; open it in a browser")
            return
        waiting = f"{task[0].upper()}{task[1:]} …"
        with explorer.Server(
            make, title=title, waiting=waiting, port=self.port, token=self.token
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
    serving: Serving,
    by: Annotated[
        str | None, option("MEASURE", show_default="cr; the first measure of a folder")
    ] = None,
    also: Annotated[
        list[str] | None,
        option(
            "MEASURE",
            show_default="log_stability, stability, separation, delta_measure, intent_size",
        ),
    ] = None,
    then: Annotated[
        list[str] | None, option("MEASURE", show_default="log_stability, if it is shown")
    ] = None,
    measure_options: MeasureOptions,
    mining: Mining,
) -> int:
    """Explore the concepts of a table in a browser.

    The page has the short list, a ranked table, details of each concept, plots of measures, and
    line diagrams. Of more than 300,000 concepts, it has the best. If there are more than 3 million,
    or more than a limit allows, it has the 1,000 best of them. A served page finds more on demand.

    FILE may also be a folder that [bold]conceptrank mine[/] has written or is writing.

    The page is served on this machine only, under a secret link, until Ctrl-C. With --export it
    becomes one file that needs neither this program nor a network.

    Parameters
    ----------
    by
        The measure to sort by at first, such as cr or stability(method=auto). [bold]conceptrank
        measures[/] lists them.
    also
        More measures to show; repeat, or separate by commas.
    then
        Measures that break ties at first, in this order; repeat, or separate by commas.
    """
    from conceptrank import explorer

    file, limits, messages = mining.file, mining.limits, mining.messages
    if _run_folder.is_run(file):
        given = (*measure_options.given, *limits.given, *mining.reading.given)
        _run_folder.refuse(["--also", *given] if also else given)
        return _explore_folder(Path(file), serving, messages, by, then)
    ranked_by, tie_breakers, extra_columns = _measures.to_rank_by(
        by or "cr", then, explorer.DEFAULT_MEASURES if also is None else also
    )
    wanted = [ranked_by, *tie_breakers, *extra_columns]
    pipeline = Pipeline(mining, measure_options=measure_options, measures=wanted)
    context, measures = pipeline.loaded.context, pipeline.measures
    page: dict[str, Any] = {
        "measures": measures,
        "title": Path(file).name,
        "then": None if then is None else measures[1 : 1 + len(tie_breakers)],
    }
    lattice = _mined(context, pipeline, limits, messages)
    left = pipeline.remaining().seconds
    if lattice is not None and lattice.complete:

        def mined(times: int) -> Content:
            most = times * explorer.MOST_CONCEPTS
            return explorer.of_lattice(lattice, most=most, seconds=left, **page)

        serving.show(mined, page["title"], f"scoring {len(lattice):,} concepts", messages)
        return DONE

    def best(times: int) -> Content:
        return explorer.of_best(
            context,
            k=times * (limits.max_concepts or explorer.BEST_CONCEPTS),
            seconds=times * (explorer.BEST_SECONDS if left is None else _BEST_SHARE * left),
            min_support=limits.min_support,
            threads=limits.threads,
            **page,
        )

    messages.warning("there are too many concepts for the limits: the page has the best ones")
    serving.show(best, page["title"], "looking for the best concepts and the short list", messages)
    return BUDGET_REACHED


def _mined(
    context: Context, pipeline: Pipeline, limits: Limits, messages: Messages
) -> Lattice | None:
    """Return the lattice; None if it has far more concepts than a page without limits mines."""
    budget = pipeline.remaining(_MINING_SHARE)
    if (limits.max_concepts, limits.max_memory, limits.max_seconds) == (None,) * 3:
        with messages.working("estimating the number of concepts"):
            estimate = context.estimate_concepts(min_support=limits.min_support, runs=5)
        if estimate.low > MOST_CONCEPTS:
            return None
        budget.concepts = MOST_CONCEPTS
    # Ctrl-C ends the command: a page of whatever came first would be of no use.
    with messages.bar("mining") as bar:
        return context.lattice(
            min_support=limits.min_support,
            threads=limits.threads,
            budget=budget,
            progress=bar.count("concepts"),
            measures=pipeline.measures,
        )


def _explore_folder(
    folder: Path, serving: Serving, messages: Messages, by: str | None, then: Sequence[str] | None
) -> int:
    from conceptrank import explorer
    from conceptrank.runs import open_run

    run, title = open_run(folder), folder.resolve().name
    names = None if then is None else _options.names(then)
    # A wrong name is an error before anything is served.
    for name in (by, *(names or ())):
        run.column_of(name)
    if not run.complete:
        messages.warning(f"the run is {run.state}: the page shows the concepts found so far")

    def content(times: int) -> Content:
        most = times * explorer.MOST_CONCEPTS
        return explorer.of_run(run, by=by, title=title, then=names, most=most)

    serving.show(content, title, f"checking {len(run):,} concepts", messages)
    return DONE if run.complete else BUDGET_REACHED
