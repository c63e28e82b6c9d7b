"""`conceptrank convert`: a table in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conceptrank import io
from conceptrank._whole_file import is_plain
from conceptrank.cli import _input, _options, _output
from conceptrank.cli._guard import DONE, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice
from conceptrank.context import Context
from conceptrank.io.sources import suffix_of

HELP = (
    "Write a table in another format, which the name of the new file tells.\n\n"
    "Names that end in .gz, .bz2, .xz or .zst are compressed. What the new format can't hold is "
    "said on standard error. Raw values are scaled before."
)
EXAMPLES = examples(
    "conceptrank convert movies movies.cxt",
    "conceptrank convert movies movies.csv.gz",
    "conceptrank convert movies movies.spmf",
    "conceptrank convert movies movies.json --output-format json_fcaps",
)


@guarded
def command(
    file: _options.File,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="The file to write, or - for standard output.", show_default=False
        ),
    ],
    *,
    output_format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Format of the new file "
            f"({', '.join(each.name for each in io.formats() if each.write is not None)}).",
            show_default="by the suffix of OUT",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Overwrite the new file if there is one.")
    ] = False,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Write a table in another format."""
    voice = Voice(quiet=quiet)
    named, out = out, _options.THROUGH if out == _options.STANDARD_OUTPUT else out
    _output.refuse_unwritable(out, option="")
    if out.exists() and is_plain(out) and not force:
        raise WrongUseError(f"{out} is there already (hint: --force overwrites it)")
    target = target_format(named, output_format)
    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    context = _input.load(file, format=input_format, voice=voice, scaling=raw).context
    with voice.working(f"writing {out}"):
        io.save(context, out, format=target)
        lost = io.losses(context, target)
    n, q = context.shape
    voice.note(f"{n:,} objects, {q:,} attributes and {context.crosses:,} crosses as {target}")
    if lost:
        voice.warning(f"{out} doesn't hold {'; '.join(lost)}")
    return DONE


def target_format(out: Path, name: str | None, *, option: str | None = "--output-format") -> str:
    """Return the format to write, or fail before the work begins."""
    writable = [each for each in io.formats() if each.write is not None]
    suffix = suffix_of(out.name)
    if name is not None:
        # Only to see whether there is such a format.
        io.losses(Context((), (), ()), name)
        return name
    fitting = [each.name for each in writable if suffix in each.suffixes]
    if len(fitting) != 1:
        known = [ending for each in writable for ending in each.suffixes]
        raise WrongUseError(
            f"{out}: "
            + (f"the suffix {suffix} doesn't tell" if suffix else "no suffix tells")
            + f" the format (hint: {f'add {option}, or ' if option else ''}use one of "
            f"{', '.join(known)})"
        )
    return fitting[0]
