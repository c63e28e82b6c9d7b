"""`conceptrank agree`: how far measures agree on the concepts of a table."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path
from typing import IO, Annotated, Any, Literal

from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _measures, _output, _table
from conceptrank.cli._command import WrongUseError, define_command
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._options import option
from conceptrank.cli._output import Output
from conceptrank.cli._pipeline import Mining, Pipeline
from conceptrank.ranking import Agreement
from conceptrank.ranking.agreement import shown
from conceptrank.ranking.coefficients import COEFFICIENTS

PLOTS = (".png", ".svg", ".pdf")


@define_command(
    examples=[
        "conceptrank agree movies --measures cr,stability,support",
        "conceptrank agree movies --measures 'cr,cr(side=extent),delta_measure' "
        "--coefficient kendall",
        "conceptrank agree movies --measures cr,stability --top-k 5 --where 'support >= 2'",
        "conceptrank agree movies --measures cr,stability,support --out agreement.csv",
    ]
)
def command(
    *,
    measures: Annotated[
        list[str],
        option(
            "Two measures or more; repeat, or separate by commas. "
            "[bold]conceptrank measures[/] lists them.",
            "MEASURES",
        ),
    ],
    coefficient: Annotated[
        Literal["all", "pearson", "spearman", "kendall", "lin", "overlap", "rbo"],
        option("all: every coefficient per pair. One: a matrix of all measures."),
    ] = "all",
    top_k: Annotated[int, option("Number of top concepts that overlap compares.", "K", min=1)] = 10,
    persistence: Annotated[
        float, option("Persistence of rbo, between 0 and 1: small values favour the top.", "P")
    ] = 0.9,
    where: _measures.Where = None,
    plot: Annotated[
        Path | None,
        option(
            "Also draw a heat map of the coefficient (of spearman for all): .png, .svg or .pdf.",
            "PATH",
            panel="Output",
        ),
    ] = None,
    measure_options: MeasureOptions,
    mining: Mining,
    output: Output,
) -> int:
    """Compare how measures rank the concepts of a table, pair by pair.

    1 means the same order, 0 no relation, -1 the reverse order. Measures whose lower scores are
    better are reversed first. Lin's concordance compares the scores themselves.
    """
    messages = mining.messages
    if plot is not None:
        _output.refuse_unwritable(plot, option="--plot ")
        if plot.suffix.lower() not in PLOTS:
            raise WrongUseError(f"--plot {plot}: a heat map is a file in {', '.join(PLOTS)}")
        _output.require_matplotlib("--plot")
    if not 0 < persistence < 1:
        raise WrongUseError(f"--persistence must be between 0 and 1, got {persistence:g}")
    compared = _measures.measures(measures)
    if len(compared) < 2:
        raise WrongUseError("agreement takes two measures or more (hint: --measures cr,stability)")
    pipeline = Pipeline(
        mining,
        measure_options=measure_options,
        measures=compared,
        where=where,
        needs=(
            "scipy.stats",
            *output.needs,
            *(() if plot is None else _output.needs_of_figure(plot.suffix.lower())),
        ),
    )
    ranking = pipeline.rank(compared[0], also=compared[1:])
    with (
        messages.working(f"comparing measures on {len(ranking):,} concepts"),
        pipeline.finishing("the measures were compared"),
    ):
        agreement = ranking.agreement(k=top_k, p=persistence)
        name = (
            None
            if coefficient == "all"
            else {"overlap": "top_overlap"}.get(coefficient, coefficient)
        )
        output.write(
            columns=lambda: _pairs(agreement) if name is None else _matrix(agreement, name),
            save=partial(_save, agreement, name),
        )
        if plot is not None:
            from conceptrank.plot import save

            save(agreement.heatmap(name or "spearman"), plot, close=True)
    messages.note(f"{agreement.concepts:,} of {len(ranking.lattice):,} concepts are compared")
    for note in agreement.notes:
        messages.note(note)
    return pipeline.exit_code


def _save(agreement: Agreement, name: str | None, target: Path | IO[bytes], **options: Any) -> None:
    from conceptrank.convert import results

    frame = agreement.to_polars(name)
    results.save(frame, target, provenance=agreement.provenance, **options)


def _pairs(agreement: Agreement) -> list[TextColumn]:
    pairs = list(combinations(range(len(agreement.measures)), 2))
    columns = []
    for name, title in zip(COEFFICIENTS, agreement.headings, strict=True):
        matrix = agreement.matrix(name)
        cells = [shown(float(matrix[pair])) for pair in pairs]
        columns.append(TextColumn(title, cells, right=True))
    names = [_table.names([agreement.measures[place] for place in pair]) for pair in pairs]
    return [*columns, TextColumn("measures", names)]


def _matrix(agreement: Agreement, name: str) -> list[TextColumn]:
    measures = agreement.measures
    columns = zip(measures, agreement.matrix(name).tolist(), strict=True)
    return [
        TextColumn("", measures, wraps=False),
        *(
            TextColumn(title, [shown(value) for value in column], right=True)
            for title, column in columns
        ),
    ]
