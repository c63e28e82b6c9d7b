"""`conceptrank check`: which rows of a table violate which rules."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np

from conceptrank._util.text import counted
from conceptrank.cli._command import DONE, FAILED, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File, flag, option
from conceptrank.cli._output import Output


@define_command(
    examples=[
        "conceptrank rules movies --basis duquenne_guigues --all --out rules.json",
        "conceptrank check movies --rules rules.json",
        "conceptrank check new.csv --rules rules.json --rows --out violations.csv",
        "conceptrank check new.csv --rules rules.json --min-confidence 0.9",
    ]
)
def command(
    *,
    file: File,
    rules: Annotated[Path, option("PATH")],
    min_confidence: Annotated[float, option("SHARE", min=0, max=1)] = 1.0,
    rows: Annotated[bool, flag("--rows")] = False,
    top: Annotated[int | None, option("N", min=0, show_default="20 in a table, else all")] = None,
    reading: Reading,
    output: Output,
    messages: Messages,
) -> int:
    """List the rules that rows of a table violate.

    A row violates a rule if it has the premise and lacks part of the conclusion. Attributes are
    matched by name. Exit code 0 means that no row violates a rule, 1 that some row does.

    Parameters
    ----------
    rules
        The rules: a JSON, JSON lines, CSV or Parquet file of conceptrank rules.
    min_confidence
        Check rules of at least this confidence; 1 checks those without exceptions.
    rows
        List every violation instead of every violated rule.
    top
        Most lines to list.
    """
    from conceptrank.convert import results
    from conceptrank.errors import UnknownNameError
    from conceptrank.rules import rule_file

    known = rule_file.load(rules)
    checked = known.at_least(min_confidence)
    context = reading.load(file, messages).context
    attributes = checked.implications.attributes
    missing = sorted(set(attributes) - set(context.attributes))
    if attributes and len(missing) == len(attributes):
        raise UnknownNameError("attribute", missing[0], context.attributes, where=file)
    if missing:
        some = ", ".join(map(repr, missing[:3])) + (", …" if len(missing) > 3 else "")
        messages.warning(f"no row has {len(missing):,} of the rules' attributes: {some}")
    with messages.working("checking"):
        applied = checked.apply(context, absent="ignore")
        broken = np.flatnonzero(applied.violation_counts)
        order = broken[np.argsort(-applied.violation_counts[broken], kind="stable")]
        frame = applied.violations_to_polars() if rows else applied.to_polars()[order.tolist()]
    for_people = output.format == "table"
    shown = frame if top is None and not for_people else frame.head(20 if top is None else top)
    output.write(lambda: shown, partial(results.save, shown))
    if len(known) > len(checked):
        messages.note(
            f"{len(known) - len(checked):,} of {len(known):,} rules have a confidence below "
            f"{min_confidence:g} and were not checked (--min-confidence)"
        )
    count = int(applied.violation_counts.sum())
    listed = (
        f"; {len(shown):,} of {len(frame):,} listed (--top N)" if len(shown) < len(frame) else ""
    )
    messages.note(
        f"{len(checked):,} rules, {len(context.objects):,} rows: "
        f"{counted(count, 'violation')} of {counted(len(broken), 'rule')}{listed}"
    )
    return FAILED if count else DONE
