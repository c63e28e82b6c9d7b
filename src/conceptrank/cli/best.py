"""`conceptrank best`: the best concepts by a measure, without listing the others."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from conceptrank._util import text as _text
from conceptrank.best import Best, best
from conceptrank.best.search import TieRule
from conceptrank.cli import _measures
from conceptrank.cli._command import BUDGET_REACHED, DONE, define_command
from conceptrank.cli._constraints import ConstraintGroup
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._messages import Bar, Messages
from conceptrank.cli._options import option
from conceptrank.cli._output import Extents, Output
from conceptrank.cli._pipeline import Limits, Mining, Pipeline, limit_text, stopped_by_interrupt
from conceptrank.query import Query


@define_command(
    examples=[
        "conceptrank best movies -k 5 --by delta_measure",
        "conceptrank best movies --by stability --contains drama --max-intent 2",
        "conceptrank best movies --target drama --also precision,recall",
        "conceptrank best movies --where 'support >= 2 and cr > 0.3' --then stability",
        "conceptrank best movies -k 100 --by log_stability --min-intent 2 --max-seconds 60",
    ]
)
def command(
    *,
    k: Annotated[int, option("K", "-k", "--top", min=0)] = 20,
    by: _measures.By = None,
    also: _measures.Also = None,
    then: _measures.Then = None,
    where: _measures.Where = None,
    ties: TieRule = "first",
    extents: Extents = False,
    constraints: ConstraintGroup,
    measure_options: MeasureOptions,
    mining: Mining,
    output: Output,
) -> int:
    """Find the best concepts of a table by a measure, without listing the others.

    If the measure has a bound (see 'conceptrank measures'), the search leaves out most concepts.
    Exit code 3 means that a limit was reached or Ctrl-C pressed; a note then says which concepts
    are certain and what others can score at most.

    Parameters
    ----------
    k
        Number of concepts to find.
    ties
        If more concepts tie with the last one: show the first, or all.
    """
    limits, messages = mining.limits, mining.messages
    ranked_by, tie_breakers, extra_columns = _measures.to_rank_by(
        by or measure_options.usual, then, also
    )
    pipeline = Pipeline(
        mining,
        measure_options=measure_options,
        measures=[ranked_by, *tie_breakers, *extra_columns],
        where=where,
    )
    context = pipeline.loaded.context
    chosen = constraints.options(context)
    chosen["where"] = pipeline.condition
    with messages.bar("searching") as bar, stopped_by_interrupt(limits.budget, bar.stop):
        query = Query.of(
            context,
            ranked_by,
            also=extra_columns,
            then=tie_breakers,
            min_support=limits.min_support,
            **chosen,
            threads=limits.threads,
            budget=pipeline.remaining(),
            params=pipeline.params,
        )
        found = best(query, k, ties=ties, progress=partial(_show, bar))
    output.write_ranking(found, extents=extents)
    _note(found, k, limits, messages)
    return DONE if found.complete else BUDGET_REACHED


def _show(bar: Bar, visited: int, score: float, bound: float) -> None:
    share = score / bound if 0 < score <= bound else 0.0
    reached = f"{_text.number(score)} of at most {_text.number(bound)}"
    bar.show(share, counted=f"{visited:,} concepts, {reached}")


def _note(found: Best, k: int, limits: Limits, messages: Messages) -> None:
    if found.complete:
        missing = "" if len(found) >= k else "; there are no others"
        messages.note(f"{_text.counted(len(found), 'concept')}, {found.visited:,} visited{missing}")
        return
    bound = "" if found.bound is None else f"; others score up to {_text.number(found.bound)}"
    messages.warning(
        f"{limit_text(found.stopped, limits.budget)}: {found.proven:,} of these {len(found):,} "
        f"concepts are certain to be among the best{bound}"
    )
