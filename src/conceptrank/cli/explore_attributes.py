"""`conceptrank explore-attributes`: questions and answers until every implication is known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conceptrank import io
from conceptrank._util.text import printable
from conceptrank.cli import _options, _output
from conceptrank.cli._command import DONE, WrongUseError, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import TableOrJson, flag, option
from conceptrank.cli.convert import target_format
from conceptrank.errors import ConceptRankError

if TYPE_CHECKING:
    from conceptrank.rules import AttributeExploration, Implication

_YES, _NO, _QUIT = ("y", "yes"), ("n", "no"), ("q", "quit")
_HELP = (
    "y    every object there is fulfils it\n"
    "n    some object doesn't; the next questions ask for that object and its attributes\n"
    "q    stop and list the implications confirmed so far; --save keeps the dialogue\n"
)


@define_command(
    examples=[
        "conceptrank explore-attributes movies",
        "conceptrank explore-attributes movies --no-examples --save dialogue.json",
        "conceptrank explore-attributes --resume dialogue.json --format json",
    ]
)
def command(
    *,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="A file or a data set: the attributes, and the objects as first examples.",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        Path | None, option("Save the dialogue to a JSON file after every answer.", "PATH")
    ] = None,
    resume: Annotated[
        Path | None,
        option("Continue a saved dialogue; --save is the same file unless given.", "PATH"),
    ] = None,
    no_examples: Annotated[bool, flag("Start with the attributes only.", "--no-examples")] = False,
    out: Annotated[
        Path | None,
        option(
            "Write the objects, counter-examples included, as a context.", "PATH", panel="Output"
        ),
    ] = None,
    output_format: TableOrJson = "table",
    reading: Reading,
    messages: Messages,
) -> int:
    """Find all implications among attributes by asking an expert.

    Each question is an implication that all examples so far fulfil. Answer y if it always holds.
    Otherwise answer n, then name an object that violates it and all its attributes. At the end,
    every valid implication follows from those listed. Answers can come from a file or a pipe, one
    per line.
    """
    from conceptrank.rules import AttributeExploration

    if (file is None) == (resume is None):
        raise WrongUseError("name a FILE to start with, or a dialogue to --resume")
    for path, name in ((save, "--save "), (out, "--out ")):
        _output.refuse_unwritable(path, option=name)
    target = None if out is None else target_format(out, None, option=None)
    if resume is not None:
        exploration = AttributeExploration.load(resume)
    else:
        context = reading.load(str(file), messages).context
        exploration = AttributeExploration(context.select(objects=[]) if no_examples else context)
    dialogue = save or resume
    _converse(exploration, dialogue, messages)
    if dialogue is not None:
        exploration.save(dialogue)
    if out is not None:
        io.save(exploration.context, out, format=target)
    _write(exploration, output_format)
    if not exploration.done:
        command_line = f"'conceptrank explore-attributes --resume {dialogue}' continues"
        hint = f" ({command_line})" if dialogue else ""
        messages.note(f"questions are open: more implications may hold than are listed{hint}")
    return DONE


def _converse(exploration: AttributeExploration, dialogue: Path | None, messages: Messages) -> None:
    """Ask until no question is open, or no answer comes."""
    while (question := exploration.question) is not None:
        answer = _asked(_text(question) + " [y/n/q/?] ")
        if answer is None or answer.lower() in _QUIT:
            return
        if answer.lower() in _YES:
            exploration.confirm()
        elif answer.lower() in _NO:
            if not _reject(exploration, messages):
                return
        else:
            sys.stderr.write(_HELP)
            continue
        if dialogue is not None:
            exploration.save(dialogue)


def _reject(exploration: AttributeExploration, messages: Messages) -> bool:
    """Ask for a counter-example; return False at the end of the input."""
    name = _asked("  an object that violates it: ")
    if not name:
        return name is not None
    attributes = _asked("  all its attributes, separated by commas: ")
    if attributes is None:
        return False
    try:
        known = exploration.context.attributes
        exploration.reject(name, _options.names([attributes], known))
    except ConceptRankError as error:
        messages.error(str(error))
    return True


def _asked(prompt: str) -> str | None:
    """Return the next line of the input; None at its end."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        # A terminal shows what is typed; answers from a pipe have to be echoed.
        sys.stderr.write(f"{line.strip()}\n")
    return line.strip() if line else None


def _text(question: Implication) -> str:
    premise, conclusion = (printable(", ".join(side)) for side in question)
    if not premise:
        return f"Does every object have {conclusion}?"
    return f"Does every object with {premise} have {conclusion}?"


def _write(exploration: AttributeExploration, output_format: TableOrJson) -> None:
    """Write the confirmed implications to standard output."""
    implications = list(exploration.implications)
    if output_format == "json":
        _output.print_json(
            {
                "complete": exploration.done,
                "implications": [
                    {"premise": list(premise), "conclusion": list(conclusion)}
                    for premise, conclusion in implications
                ],
                "counter_examples": list(exploration.counter_examples),
            }
        )
        return
    for premise, conclusion in implications:
        left, right = (printable(", ".join(side)) for side in (premise, conclusion))
        _output.print_text(f"{left or '{}'} → {right}")
