"""`conceptrank rules`: implications and association rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from conceptrank._util.text import counted
from conceptrank.cli import _measures, _options
from conceptrank.cli._command import BUDGET_REACHED, define_command
from conceptrank.cli._constraints import ConstraintGroup
from conceptrank.cli._options import flag, option
from conceptrank.cli._output import Output
from conceptrank.cli._pipeline import Mining, Pipeline, limit_text, watched
from conceptrank.measures.registry import MeasureLike

if TYPE_CHECKING:
    from conceptrank.rules import Rules

# The measures of rules, for the help. Importing them would delay the start of every command.
MEASURES = (
    "support, count, confidence, premise_support, conclusion_support, lift, leverage, conviction, "
    "cosine, jaccard, kulczynski, imbalance_ratio, mutual_information, certainty, "
    "certainty_factor, zhang, phi, chi_squared, odds_ratio, yule_q, yule_y, kappa, added_value, "
    "laplace, gini, j_measure, hyper_lift, hyper_confidence, fisher, fisher_adjusted"
)
# Columns of every table of rules.
USUAL = ("support", "confidence")


@define_command(
    examples=[
        "conceptrank rules movies",
        "conceptrank rules movies --min-support 0.1 --min-confidence 0.8 --by lift --top 30",
        "conceptrank rules movies --basis duquenne_guigues --by support --all",
        "conceptrank rules movies --by cr --also confidence,premise.stability",
        "conceptrank rules movies --by fisher --max-premise 2 --out rules.csv",
        "conceptrank rules movies --conclusion drama --min-support 2 --by confidence",
    ]
)
def command(
    *,
    basis: Annotated[str, option("NAME")] = "mnr",
    min_confidence: Annotated[float, option("SHARE", min=0, max=1)] = 0.0,
    max_premise: Annotated[int | None, option("N", min=0)] = None,
    by: Annotated[
        str,
        option(
            "MEASURE",
            help=(
                f"The measure to rank by: of rules ({MEASURES}), of the concept of the whole rule "
                "(cr), or of the concept of its premise (premise.cr)."
            ),
        ),
    ] = "lift",
    also: _measures.Also = None,
    top: Annotated[int, option("N", min=0)] = 20,
    all_rules: Annotated[bool, flag("--all")] = False,
    premise: Annotated[list[str] | None, option("NAME")] = None,
    conclusion: Annotated[list[str] | None, option("NAME")] = None,
    where: _measures.Where = None,
    max_rules: Annotated[int | None, option("N", min=0, panel="Limits")] = None,
    constraints: ConstraintGroup,
    mining: Mining,
    output: Output,
) -> int:
    """List implications and association rules without redundancy.

    The bases: mnr (minimal non-redundant: every rule follows from one of these); generic,
    duquenne_guigues and proper_premises (rules without exceptions); luxenburger, informative and
    reduced_informative (rules with exceptions). Exit code 3 means that a limit was reached or
    Ctrl-C pressed; the rules are those found until then.

    Parameters
    ----------
    basis
        The basis to list: mnr, generic, luxenburger, …
    min_confidence
        Least share of the objects with the premise that also have the conclusion.
    max_premise
        Most attributes of a premise.
    top
        Number of rules to show.
    all_rules
        Show all rules.
    premise
        Attributes that every premise has; repeat, or separate by commas.
    conclusion
        Attributes that every conclusion has: what leads to them?
    max_rules
        Stop after this number of rules.
    """
    from conceptrank.rules import bases
    from conceptrank.rules import measures as rule_measures

    limits, messages = mining.limits, mining.messages
    basis_name = bases.get(basis).name
    ranked_by = _measures.measure(by)
    columns: dict[str, MeasureLike] = {}
    for each in (ranked_by, *USUAL, *_measures.measures(also)):
        columns.setdefault(rule_measures.wanted(each).label, each)
    wanted = map(rule_measures.wanted, columns.values())
    of_concepts = [one.concept for one in wanted if one.rule is None]
    pipeline = Pipeline(mining, measures=of_concepts)
    context = pipeline.loaded.context
    sides: dict[str, Any] = {
        "premise": _options.names(premise, context.attributes),
        "conclusion": _options.names(conclusion, context.attributes),
        **constraints.options(context, where),
    }
    mine: Callable[..., Rules] = partial(
        context.rules, min_support=limits.min_support, threads=limits.threads, **sides
    )
    if not any(sides.values()):
        mine = pipeline.lattice.rules
    limits.budget.rules = max_rules
    budget = pipeline.remaining()
    budget.concepts = None
    with watched(budget, messages, unit="rules") as progress:
        rules = mine(
            basis_name,
            min_confidence=min_confidence,
            max_premise=max_premise,
            by=ranked_by,
            top=None if all_rules else top,
            budget=budget,
            progress=progress,
        )
    with messages.working("writing"):
        shown = list(columns.values())
        output.write(partial(rules.to_polars, shown), partial(rules.save, measures=shown))
    if not rules.complete:
        limit = limit_text(rules.stopped, limits.budget)
        messages.warning(f"{limit}: these are the best of {rules.among:,} rules, there are more")
        return BUDGET_REACHED
    messages.note(
        f"{len(rules):,} of {counted(rules.among, 'rule')}"
        + (f" with {counted(rules.min_support, 'object')} or more" if rules.min_support else "")
        + (" (--top N or --all shows more)" if len(rules) < rules.among else "")
    )
    if rules.unsupported:
        messages.note(
            f"{rules.unsupported:,} of these rules hold because no object has their premise "
            "(--min-support 1 leaves them out)"
        )
    return pipeline.exit_code
