"""`conceptrank rank`: concepts in the order of a measure."""

from __future__ import annotations

from typing import Annotated

from conceptrank._util import text as _text
from conceptrank.cli import _measures, _options, _run_folder
from conceptrank.cli._command import WrongUseError, define_command
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import flag, option
from conceptrank.cli._output import Extents, Output
from conceptrank.cli._pipeline import Mining, Pipeline
from conceptrank.ranking import Ranking
from conceptrank.ranking.diversity import Overlap
from conceptrank.ranking.order import TieMode


@define_command(
    examples=[
        "conceptrank rank movies",
        "conceptrank rank movies --by stability --also cr,delta_measure --top 5",
        "conceptrank rank movies --then stability --where 'support >= 2 and cr > 0.3'",
        "conceptrank rank movies --diverse 5 --overlap cells",
        "conceptrank rank movies --by stability --param method=karp_luby --param seed=7",
        "conceptrank rank movies --also 'cr(side=extent),cr(activation=max)'",
        "conceptrank rank movies --by 'cr(activation=weighted:0.7)' --min-support 0.25",
        "conceptrank rank movies --all --extents --out scores.jsonl",
        "conceptrank mine movies --out run --measures cr,stability --workers 1",
        "conceptrank rank run --by stability --where 'intent_size >= 2' --top 5",
    ]
)
def command(
    *,
    by: _measures.By = None,
    also: _measures.Also = None,
    then: _measures.Then = None,
    where: _measures.Where = None,
    top: Annotated[int, option("N", min=0)] = 20,
    all_concepts: Annotated[bool, flag("--all")] = False,
    diverse: Annotated[int | None, option("N", min=1)] = None,
    overlap: Overlap = "extent",
    ties: TieMode = "dense",
    descending: Annotated[
        bool | None,
        option(None, "--descending/--ascending", show_default="the measure's direction"),
    ] = None,
    extents: Extents = False,
    measure_options: MeasureOptions,
    mining: Mining,
    output: Output,
) -> int:
    """Rank the concepts of a table by Conceptual Relevance or another measure.

    Concepts with equal scores share a rank; larger support comes first. Exit code 3 means that
    a limit was reached or Ctrl-C pressed; the ranking then covers the concepts found until then.
    FILE may be a folder of [bold]conceptrank mine[/], finished or not: its best concepts are shown.

    Parameters
    ----------
    top
        Number of concepts to show.
    all_concepts
        Show all concepts.
    diverse
        Instead of the top, show N concepts with high scores and little overlap.
    overlap
        What --diverse compares: objects or crosses.
    ties
        How to rank ties: dense, min, max or average.
    descending
        Whether large or small scores come first.
    """
    messages = mining.messages
    if diverse is not None and all_concepts:
        raise WrongUseError("--diverse shows some concepts and --all shows all: give one of them")
    if _run_folder.is_run(mining.file):
        others = {"--also": also, "--diverse": diverse, "--extents": extents}
        given = [name for name, value in others.items() if value]
        _run_folder.refuse([*given, *measure_options.given, *mining.reading.given])
        most = None if all_concepts else top
        names = _options.names(then)
        return _run_folder.write_best(mining, output, by=by, then=names, where=where, top=most)
    ranked_by, tie_breakers, extra_columns = _measures.to_rank_by(
        by or measure_options.usual, then, also
    )
    pipeline = Pipeline(
        mining,
        measure_options=measure_options,
        measures=[ranked_by, *tie_breakers, *extra_columns],
        where=where,
    )
    ranking = pipeline.rank(
        ranked_by, then=tie_breakers, also=extra_columns, descending=descending, ties=ties
    )
    if diverse is not None:
        with messages.working("picking diverse concepts"):
            shown = ranking.diverse(diverse, overlap=overlap)
    else:
        shown = ranking if all_concepts else ranking.top(top)
    with messages.working("writing"):
        output.write_ranking(shown, extents=extents)
    _note_size(ranking, shown, messages)
    for name, doubt in ranking.doubts.items():
        count = int((~doubt.exact[ranking.order]).sum())
        messages.note(
            f"{count:,} of {len(ranking):,} scores by {name} are estimates or bounds; tables mark "
            "them with ~, and with ± how far the truth can be"
        )
    return pipeline.exit_code


def _note_size(ranking: Ranking, shown: Ranking, messages: Messages) -> None:
    """Report how many concepts there are, meet the condition, are shown, and are tied."""
    total = len(ranking.lattice)
    if not total:
        if ranking.lattice.complete:
            messages.note(f"no concept has {ranking.lattice.min_support:,} objects or more")
        return
    if ranking.recipe.where is not None:
        messages.note(f"{len(ranking):,} of {total:,} concepts meet --where")
    if shown.selection is not None or len(shown) < len(ranking):
        how = "shown (--top N or --all shows more)"
        if shown.selection is not None:
            how = f"picked by --diverse, {shown.selection}"
        messages.note(f"{len(shown):,} of {len(ranking):,} concepts {how}")
    ties = ranking.ties.unbroken or ranking.ties
    if len(ranking) and ties.first > 1:
        then, left = " and ".join(ranking.recipe.by[1:]), ranking.ties.first
        broken = f"leaves {left:,} of them tied" if left > 1 else "breaks the tie"
        messages.note(
            f"{ties.first:,} of {ties.concepts:,} concepts share the top score "
            f"{_text.number(ranking.score(ranking.by)[0])}; there are {ties.distinct:,} different "
            "scores" + (f"; {then} {broken}" if then else "")
        )
