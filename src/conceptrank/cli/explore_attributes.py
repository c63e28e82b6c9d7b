"""`conceptrank explore-attributes`: questions and answers until every implication is known."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conceptrank import io
from conceptrank._text import printable
from conceptrank.cli import _input, _options, _output
from conceptrank.cli._guard import DONE, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice
from conceptrank.cli.convert import target_format
from conceptrank.errors import ConceptRankError

if TYPE_CHECKING:
    from conceptrank.rules import AttributeExploration, Implication

HELP = (
    "Find out what follows from what by asking somebody who knows.\n\n"
    "Each question is an implication that holds for all examples so far. Answer y if it always "
    "holds, or n and then an object that shows the contrary, with all its attributes. At the end "
    "every implication is known to hold or to fail, and those that hold follow from the ones "
    "listed. Questions and answers can come from a file or a pipe: one answer a line."
)
EXAMPLES = examples(
    "conceptrank explore-attributes movies",
    "conceptrank explore-attributes movies --no-examples --save dialogue.json",
    "conceptrank explore-attributes --resume dialogue.json --format json",
)
_YES, _NO, _QUIT = ("y", "yes"), ("n", "no"), ("q", "quit")
_HELP = (
    "y    it holds for all objects there are\n"
    "n    it doesn't: an object is asked for that has all of the first but not all of the others\n"
    "q    stop here; what is known so far is listed, and --save keeps the dialogue\n"
)


@guarded
def command(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="A file or a data set: its attributes, and its objects as first examples.",
            show_default=False,
        ),
    ] = None,
    *,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Keep the dialogue in a JSON file, after every answer.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Go on with a dialogue that was saved, and save it there unless --save says "
            "otherwise.",
            show_default=False,
        ),
    ] = None,
    no_examples: Annotated[
        bool, typer.Option("--no-examples", help="Begin with the attributes alone.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Write the examples, counter-examples among them, as a context.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    output_format: Annotated[
        _options.OneFormat, typer.Option("--format", metavar="NAME", help="table or json.")
    ] = _options.OneFormat.table,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Ask what follows from what."""
    from conceptrank.rules import AttributeExploration

    voice = Voice(quiet=quiet)
    if (file is None) == (resume is None):
        raise WrongUseError("name a FILE to begin with, or a dialogue to --resume")
    for path, option in ((save, "--save "), (out, "--out ")):
        _output.refuse_unwritable(path, option=option)
    target = None if out is None else target_format(out, None, option=None)
    if resume is not None:
        exploration = AttributeExploration.load(resume)
    else:
        raw = _input.Scaling.of(scale, drop, object_names, missing, read)
        context = _input.load(str(file), format=input_format, voice=voice, scaling=raw).context
        chosen = context.select(objects=[]) if no_examples else context
        exploration = AttributeExploration(chosen)
    kept = save or resume
    _converse(exploration, kept, voice)
    if kept is not None:
        exploration.save(kept)
    if out is not None:
        io.save(exploration.context, out, format=target)
    _write(exploration, output_format)
    if not exploration.done:
        where = f" 'conceptrank explore-attributes --resume {kept}' goes on" if kept else ""
        voice.note(f"questions are open: more may follow than is listed.{where}")
    return DONE


def _converse(exploration: AttributeExploration, kept: Path | None, voice: Voice) -> None:
    """Ask until nothing is open, or nobody answers."""
    while (question := exploration.question) is not None:
        answer = _asked(_text(question) + " [y/n/q/?] ")
        if answer is None or answer.lower() in _QUIT:
            return
        if answer.lower() in _YES:
            exploration.confirm()
        elif answer.lower() in _NO:
            if not _reject(exploration, voice):
                return
        else:
            sys.stderr.write(_HELP)
            continue
        if kept is not None:
            exploration.save(kept)


def _reject(exploration: AttributeExploration, voice: Voice) -> bool:
    """Take a counter-example; say whether somebody is still there."""
    name = _asked("  an object that shows the contrary: ")
    if not name:
        return name is not None
    attributes = _asked("  all its attributes, separated by commas: ")
    if attributes is None:
        return False
    try:
        exploration.reject(name, _options.names([attributes]))
    except ConceptRankError as error:
        voice.error(str(error))
    return True


def _asked(prompt: str) -> str | None:
    """Return a line that was typed; None if there are no more."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        # What comes out of a pipe is not seen otherwise.
        sys.stderr.write(f"{line.strip()}\n")
    return line.strip() if line else None


def _text(question: Implication) -> str:
    premise, conclusion = (printable(", ".join(side)) for side in question)
    if not premise:
        return f"Does every object have {conclusion}?"
    return f"Does every object with {premise} have {conclusion}?"


def _write(exploration: AttributeExploration, output_format: _options.OneFormat) -> None:
    """Write the implications that are known to hold to standard output."""
    known = list(exploration.implications)
    if output_format is _options.OneFormat.json:
        content = {
            "complete": exploration.done,
            "implications": [
                {"premise": list(premise), "conclusion": list(conclusion)}
                for premise, conclusion in known
            ],
            "counter_examples": list(exploration.counter_examples),
        }
        json.dump(content, sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
        return
    for premise, conclusion in known:
        left, right = (printable(", ".join(side)) for side in (premise, conclusion))
        sys.stdout.write(f"{left or '{}'} → {right}\n")
