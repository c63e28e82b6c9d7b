"""`conceptrank rank`: concepts in the order of a measure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import text as _text
from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _measures, _run_folder, _table
from conceptrank.cli._command import WrongUseError, define_command
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import flag, option
from conceptrank.cli._output import Extents, Output
from conceptrank.cli._pipeline import Mining, Pipeline
from conceptrank.ranking import Ranking
from conceptrank.ranking.diversity import Overlap
from conceptrank.ranking.order import TieMode

# Tables of contexts with at most this many objects show the extents without --extents.
FEW_OBJECTS = 20
# The defaults of the measures. Only other values are passed on.
DEFAULTS = {"activation": "arithmetic", "beta": "paper", "side": "intent"}


@define_command(
    examples=[
        "conceptrank rank movies",
        "conceptrank rank movies --by stability --also cr,delta_measure --top 5",
        "conceptrank rank movies --then stability --where 'support >= 2 and cr > 0.3'",
        "conceptrank rank movies --diverse 5 --overlap cells",
        "conceptrank rank movies --by stability --param method=karp_luby --param seed=7",
        "conceptrank rank movies --also 'cr(side=extent),cr(activation=max)'",
        "conceptrank rank movies --activation weighted:0.7 --min-support 0.25",
        "conceptrank rank movies --all --extents --out scores.jsonl",
        "conceptrank mine movies --out run --measures cr,stability --workers 1",
        "conceptrank rank run --by stability --where 'intent_size >= 2' --top 5",
    ]
)
def command(
    *,
    by: Annotated[
        str | None,
        option(
            "The measure to rank by, such as cr or stability(method=auto). "
            "[bold]conceptrank measures[/] lists them.",
            "MEASURE",
            show_default="cr; the first measure of a folder",
        ),
    ] = None,
    also: _measures.Also = None,
    then: _measures.Then = None,
    where: _measures.Where = None,
    top: Annotated[int, option("Number of concepts to show.", "N", min=0)] = 20,
    all_concepts: Annotated[bool, flag("Show all concepts.", "--all")] = False,
    diverse: Annotated[
        int | None,
        option(
            "Instead of the top, show N concepts with high scores and little overlap.", "N", min=1
        ),
    ] = None,
    overlap: Annotated[Overlap, option("What --diverse compares: objects or crosses.")] = "extent",
    ties: Annotated[TieMode, option("How to rank ties: dense, min, max or average.")] = "dense",
    descending: Annotated[
        bool | None,
        option(
            "Whether large or small scores come first.",
            None,
            "--descending/--ascending",
            show_default="the measure's direction",
        ),
    ] = None,
    activation: Annotated[
        str,
        option(
            "How cr combines α and β: arithmetic, weighted:0.7, max, quadratic, noisy_or, "
            "product, geometric, harmonic, min or logistic:10,0.5.",
            "NAME",
            panel="Conceptual Relevance",
        ),
    ] = DEFAULTS["activation"],
    beta: Annotated[
        str,
        option(
            "How β counts generators: paper, sperner, sperner_free or log.",
            "NAME",
            panel="Conceptual Relevance",
        ),
    ] = DEFAULTS["beta"],
    side: Annotated[
        Literal["intent", "extent"],
        option("Score intents, as the paper does, or extents.", panel="Conceptual Relevance"),
    ] = "intent",
    extents: Extents = False,
    measure_options: MeasureOptions,
    mining: Mining,
    output: Output,
) -> int:
    """Rank the concepts of a table by Conceptual Relevance or another measure.

    Concepts with equal scores share a rank; larger support comes first. Exit code 3 means that
    a limit was reached or Ctrl-C pressed; the ranking then covers the concepts found until then.
    FILE may be a folder of [bold]conceptrank mine[/], finished or not: its best concepts are shown.
    """
    messages = mining.messages
    if diverse is not None and all_concepts:
        raise WrongUseError("--diverse shows some concepts and --all shows all: give one of them")
    cr_params = {"activation": activation, "beta": beta, "side": side}
    if _run_folder.is_run(mining.file):
        others = {"--also": also, "--diverse": diverse, "--extents": extents}
        _run_folder.refuse(
            [
                *(name for name, value in others.items() if value),
                *(f"--{name}" for name, value in cr_params.items() if value != DEFAULTS[name]),
                *measure_options.given,
                *mining.reading.given,
            ]
        )
        return _run_folder.write_best(
            Path(mining.file),
            by=by,
            then=[each for text in then or () for each in text.split(",")],
            where=where,
            min_support=mining.limits.min_support,
            top=None if all_concepts else top,
            output=output,
            messages=messages,
        )
    ranked_by, tie_breakers, extra_columns = _measures.to_rank_by(by or "cr", then, also)
    pipeline = Pipeline(
        mining,
        measure_options=measure_options,
        measures=[ranked_by, *tie_breakers, *extra_columns],
        where=where,
        params={name: value for name, value in cr_params.items() if value != DEFAULTS[name]},
    )
    ranking = pipeline.rank(
        ranked_by,
        then=tie_breakers,
        also=extra_columns,
        descending=descending,
        ties=ties,
    )
    with messages.working(f"checking {len(ranking.lattice):,} scores"):
        margins = score_margins(ranking)
    if diverse is not None:
        with messages.working("picking diverse concepts"):
            shown = ranking.diverse(diverse, overlap=overlap)
    else:
        shown = ranking if all_concepts else ranking.top(top)

    with messages.working("writing"):
        output.write(
            columns=lambda: ranking_columns(ranking, shown, margins, extents=extents),
            save=partial(shown.save, extents=extents),
        )
    _note_size(ranking, shown, messages)
    _note_inexact(ranking, margins, messages)
    return pipeline.exit_code


def score_margins(ranking: Ranking) -> dict[str, NDArray[np.float64]]:
    """Return, per column with intervals, how far the truth can be from each score."""
    margins = {}
    for label, doubt in ranking.doubts.items():
        if doubt.low is not None and doubt.high is not None:
            scores = ranking.lattice_scores(label)
            margin = np.maximum(doubt.high - scores, scores - doubt.low)
            margin = np.where(doubt.exact | ~np.isfinite(margin), 0.0, margin)
            if margin.any():
                margins[label] = margin
    return margins


def ranking_columns(
    ranking: Ranking,
    shown: Ranking,
    margins: Mapping[str, NDArray[np.float64]],
    *,
    extents: bool,
) -> list[TextColumn]:
    """Return the rows that are shown as columns of text."""
    ranks = [f"{rank:,}".removesuffix(".0") for rank in shown.ranks.tolist()]
    columns = [TextColumn("rank", ranks, right=True)]
    for name in shown.measures:
        if name != "support":
            doubt = ranking.doubts.get(name)
            exact = None if doubt is None else doubt.exact[shown.order]
            columns.append(_table.score_column(name, shown.score(name), exact=exact))
        if name in margins:
            widths = margins[name][shown.order].tolist()
            texts = [f"±{width:.2g}" if width else "" for width in widths]
            columns.append(TextColumn("", texts, right=True))
    concepts = [row.concept for row in shown]
    columns.append(_table.count_column("support", [each.support for each in concepts]))
    columns.append(_table.name_column("intent", [each.intent for each in concepts]))
    if extents or len(shown.lattice.context.objects) <= FEW_OBJECTS:
        columns.append(_table.name_column("extent", [each.extent for each in concepts]))
    return columns


def _note_size(ranking: Ranking, shown: Ranking, messages: Messages) -> None:
    """Report how many concepts there are, meet the condition, are shown, and are tied."""
    total = len(ranking.lattice)
    if not total:
        if ranking.lattice.complete:
            messages.note(f"no concept has {ranking.lattice.min_support:,} objects or more")
        return
    if ranking.recipe.where is not None:
        messages.note(f"{len(ranking):,} of {total:,} concepts meet --where")
    if shown.selection is not None:
        messages.note(
            f"{len(shown):,} of {len(ranking):,} concepts picked by --diverse, {shown.selection}"
        )
    elif len(shown) < len(ranking):
        messages.note(
            f"{len(shown):,} of {len(ranking):,} concepts shown (--top N or --all shows more)"
        )
    ties = ranking.ties.unbroken or ranking.ties
    if not len(ranking) or ties.first < 2:
        return
    best = _text.number(ranking.score(ranking.by)[0])
    broken = ""
    if ranking.ties.unbroken is not None:
        left, then = ranking.ties.first, " and ".join(ranking.recipe.by[1:])
        broken = (
            f"; {then} leaves {left:,} of them tied" if left > 1 else f"; {then} breaks the tie"
        )
    messages.note(
        f"{ties.first:,} of {ties.concepts:,} concepts share the top score {best}; "
        f"there are {ties.distinct:,} different scores{broken}"
    )


def _note_inexact(
    ranking: Ranking, margins: Mapping[str, NDArray[np.float64]], messages: Messages
) -> None:
    """Report how many scores are estimates or bounds."""
    if not len(ranking.lattice):
        return
    for name, doubt in ranking.doubts.items():
        count = int((~doubt.exact[ranking.order]).sum())
        margin = ", with ± how far the truth can be" if name in margins else ""
        messages.note(
            f"{count:,} of {len(ranking):,} scores by {name} are estimates or bounds; "
            f"tables mark them with ~{margin}"
        )
