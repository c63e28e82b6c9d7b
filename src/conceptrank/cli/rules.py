"""`conceptrank rules`: what follows from how little, and how surely."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conceptrank.budget import Budget
from conceptrank.cli import _input, _measures, _mining, _options, _output, _table
from conceptrank.cli._guard import BUDGET_REACHED, DONE, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._table import Column
from conceptrank.cli._voice import Voice
from conceptrank.measures.registry import MeasureLike

if TYPE_CHECKING:
    from conceptrank.rules import Rules

HELP = (
    "List rules: whoever has these attributes has those as well, always or mostly.\n\n"
    "Bases without redundancy: mnr (minimal non-redundant: every rule follows from one of these), "
    "generic, duquenne_guigues and proper_premises (rules without exception), luxenburger, "
    "informative and reduced_informative (rules with exceptions). Exit code 3 says that a limit "
    "was reached, or Ctrl-C pressed, and the rules are those found until then."
)
EXAMPLES = examples(
    "conceptrank rules movies",
    "conceptrank rules movies --min-support 0.1 --min-confidence 0.8 --by lift --top 30",
    "conceptrank rules movies --basis duquenne_guigues --by support --all",
    "conceptrank rules movies --by cr --also confidence,premise.stability",
    "conceptrank rules movies --by fisher --max-premise 2 --out rules.csv",
)
# Always shown: nobody judges a rule without them.
USUAL = ("support", "confidence")
# Seconds to count the rules that thresholds leave out; they are only told about.
PATIENCE = 5.0


@guarded
def command(
    file: _options.File,
    *,
    basis: Annotated[
        str, typer.Option(metavar="NAME", help="Which rules: mnr, generic, luxenburger, …")
    ] = "mnr",
    min_support: _options.MinSupport = 0,
    min_confidence: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            metavar="SHARE",
            help="Least share of the objects with the premise that have the conclusion.",
        ),
    ] = 0.0,
    max_premise: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Most attributes of a premise.",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="MEASURE",
            help="The measure that decides: of rules (lift, confidence, leverage, conviction, "
            "cosine, jaccard, kulczynski, certainty, zhang, fisher, fisher_adjusted, support), or "
            "of the concept that a rule leads to, as cr; premise.cr is that of its premise.",
        ),
    ] = "lift",
    also: _options.Also = None,
    top: Annotated[int, typer.Option(min=0, metavar="N", help="How many rules to show.")] = 20,
    all_rules: Annotated[bool, typer.Option("--all", help="Show them all.")] = False,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    threads: _options.Threads = 0,
    max_rules: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Stop after so many rules.",
            rich_help_panel="Limits",
            show_default=False,
        ),
    ] = None,
    max_concepts: _options.MaxConcepts = None,
    max_memory: _options.MaxMemory = None,
    max_seconds: _options.MaxSeconds = None,
    output_format: _output.FormatOption = None,
    out: _options.Out = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """List rules."""
    from conceptrank.rules import bases, measures

    voice = Voice(quiet=quiet)
    begin = time.monotonic()
    _output.refuse_unwritable(out)
    chosen = _output.chosen_format(output_format, out)
    name = bases.get(basis).name
    decides = _measures.measure(by)
    columns: dict[str, MeasureLike] = {}
    for each in (decides, *USUAL, *_measures.measures(also)):
        columns.setdefault(measures.wanted(each).label, each)

    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    context = _input.load(file, format=input_format, voice=voice, scaling=raw).context
    lattice = _mining.mine(
        context,
        min_support=min_support,
        threads=threads,
        budget=_mining.budget_of(max_concepts, max_memory, max_seconds),
        measures=_of_concepts(list(columns.values())),
        voice=voice,
    )
    left = None if max_seconds is None else max(max_seconds - (time.monotonic() - begin), 0.0)
    memory = _mining.default_memory() if max_memory is None else max_memory
    budget = Budget(rules=max_rules, bytes=memory, seconds=left)
    with _mining.watched(budget, voice, unit="rules") as progress:
        rules = lattice.rules(
            name,
            min_confidence=min_confidence,
            max_premise=max_premise,
            by=decides,
            top=None if all_rules else top,
            budget=budget,
            progress=progress,
        )
    with voice.working("writing"):
        _write(rules, columns, format=chosen, out=out)
    _say(
        rules,
        min_confidence=min_confidence,
        max_premise=max_premise,
        shown=not all_rules,
        voice=voice,
    )
    if not rules.complete:
        given = Budget(rules=max_rules, bytes=memory, seconds=max_seconds)
        reason = _mining.limit_text(rules.stopped, given)
        voice.warning(f"{reason}: these are the best of {rules.among:,} rules, there are more")
        return BUDGET_REACHED
    return DONE


def _of_concepts(measures: list[MeasureLike]) -> list[MeasureLike]:
    """Return the measures of concepts among some, for mining to prepare."""
    from conceptrank.rules.measures import wanted

    return [one.concept for one in map(wanted, measures) if one.rule is None]


def _write(
    rules: Rules,
    columns: dict[str, MeasureLike],
    *,
    format: _output.Format,  # noqa: A002
    out: Path | None,
) -> None:
    """Write rules to a file, or to standard output if there is none."""
    shown = list(columns.values())
    if format is not _output.Format.table:
        if out is not None:
            rules.save(out, format=format.value, measures=shown)
            return
        sys.stdout.flush()
        rules.save(sys.stdout.buffer, format=format.value, measures=shown)
        if format is _output.Format.json:
            sys.stdout.buffer.write(b"\n")
        return
    table = [
        Column(label, _table.numbers(rules.score(each)), right=True)
        for label, each in columns.items()
    ]
    table.append(Column("count", [f"{count:,}" for count in rules.counts.tolist()], right=True))
    most = _output.MOST_NAMES
    table.append(Column("premise", [_table.names(rule.premise, most=most) for rule in rules]))
    table.append(Column("", ["→"] * len(rules), wraps=False))
    table.append(Column("conclusion", [_table.names(rule.conclusion, most=most) for rule in rules]))
    _output.write_table(table, out)


def _say(
    rules: Rules, *, min_confidence: float, max_premise: int | None, shown: bool, voice: Voice
) -> None:
    """Say how many rules there are before and after each threshold."""
    if voice.quiet or not rules.complete:
        return
    from conceptrank.rules.generation import Thresholds
    from conceptrank.rules.tally import tally
    from conceptrank.rules.watch import Watch

    least = rules.min_support
    parts = []
    if min_confidence > 0 or max_premise is not None:
        thresholds = Thresholds(least, min_confidence, max_premise)
        with voice.working("counting rules"):
            watch = Watch(Budget(seconds=PATIENCE), None)
            counts = tally(rules.lattice, rules.basis, thresholds, watch)
        if counts is not None:
            parts.append(f"{counts.support:,} rules{_with(least)}")
            if min_confidence > 0:
                parts.append(f"{counts.confidence:,} with confidence {min_confidence:g} or more")
            if max_premise is not None:
                longest = f"{max_premise} attribute{'' if max_premise == 1 else 's'}"
                parts.append(f"{counts.premise:,} with premises of at most {longest}")
    if not parts:
        parts.append(f"{rules.among:,} rules{_with(least)}")
    if len(rules) < rules.among:
        hint = " (--top N or --all shows more)" if shown else ""
        parts.append(f"{len(rules):,} shown{hint}")
    voice.note("; ".join(parts))
    if rules.unsupported:
        voice.note(
            f"{rules.unsupported:,} of these rules hold because no object has their premise "
            "(--min-support 1 leaves them out)"
        )


def _with(least: int) -> str:
    return f" with {least:,} object{'' if least == 1 else 's'} or more" if least else ""
