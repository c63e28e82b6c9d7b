"""`conceptrank show`: one concept, as a person wants to read it."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from conceptrank.cli import _concept_text, _input, _options
from conceptrank.cli._concept_facts import facts_of
from conceptrank.cli._guard import DONE, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice
from conceptrank.context import Context
from conceptrank.errors import UnknownNameError

HELP = (
    "Show one concept: the one that some attributes or objects generate.\n\n"
    "Its intent with the relevant attributes marked, its extent, its neighbours, its minimal "
    "generators, and all its scores. No lattice is built, so that large tables are no obstacle."
)
EXAMPLES = examples(
    "conceptrank show movies --intent criminal,drama",
    "conceptrank show movies --attribute criminal --attribute drama",
    "conceptrank show movies --objects 2,5 --format json",
)


@guarded
def command(
    file: _options.File,
    *,
    intent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Attributes, separated by commas; '' is the concept of all objects.",
            show_default=False,
        ),
    ] = None,
    attribute: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="One attribute, also with commas in its name; repeat for more.",
            show_default=False,
        ),
    ] = None,
    objects: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Objects instead of attributes, separated by commas.",
            show_default=False,
        ),
    ] = None,
    all_objects: Annotated[
        bool, typer.Option("--all-objects", help="List the whole extent, however long.")
    ] = False,
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
    """Show one concept."""
    voice = Voice(quiet=quiet)
    by_attributes = intent is not None or attribute is not None
    if by_attributes == (objects is not None):
        raise WrongUseError(
            "say which concept: by --intent (or --attribute), or by --objects"
            " (hint: --intent '' is the concept of all objects)"
        )
    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    context = _input.load(file, format=input_format, voice=voice, scaling=raw).context
    with voice.working("looking at the concept"):
        try:
            if by_attributes:
                given = list(dict.fromkeys([*_options.names(intent), *(attribute or ())]))
                concept = context.concept(*given)
            else:
                given = _options.names(objects)
                concept = context.concept(*context.intension(given))
        except UnknownNameError as error:
            raise _with_hint(error, file, context, intent or []) from error
        facts = facts_of(concept, given=given, by="attributes" if by_attributes else "objects")
    if output_format is _options.OneFormat.json:
        json.dump(facts.as_dict(), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
        sys.stdout.write("\n")
    else:
        _concept_text.write(facts, title=file, all_objects=all_objects)
    return DONE


def _with_hint(
    error: UnknownNameError, file: str, context: Context, intent: list[str]
) -> WrongUseError:
    message = f"{file}: {error}"
    whole = next((text for text in intent if "," in text and text in context.attributes), None)
    if whole is not None:
        return WrongUseError(f"{message} (hint: --attribute {whole!r} takes it as one name)")
    if "did you mean" in message:
        return WrongUseError(message)
    some = (context.attributes if error.kind == "attribute" else context.objects)[:5]
    return WrongUseError(f"{message} (hint: there are {', '.join(some)}, …)")
