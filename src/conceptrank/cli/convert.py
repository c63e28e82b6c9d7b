"""`conceptrank convert`: a table in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conceptrank import io
from conceptrank._util.files import is_plain
from conceptrank.cli import _options, _output
from conceptrank.cli._command import DONE, WrongUseError, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File, flag, option
from conceptrank.errors import FormatError


@define_command(
    examples=[
        "conceptrank convert movies movies.cxt",
        "conceptrank convert movies movies.csv.gz",
        "conceptrank convert movies movies.spmf",
        "conceptrank convert movies movies.json --output-format json_fcaps",
        r"printf 'name,age,town\nAnn,30,Bath\nBob,41,York\nCid,17,York\n' > people.csv",
        "conceptrank convert people.csv plan.toml --scale age=ordinal:18,40 --drop town",
        "conceptrank rank people.csv --scale plan.toml",
    ]
)
def command(
    *,
    file: File,
    out: Annotated[Path, typer.Argument(metavar="OUT", show_default=False)],
    output_format: Annotated[
        str | None,
        option(
            "NAME",
            show_default="by the suffix of OUT",
            help=(
                "Format of OUT: "
                f"{', '.join(each.name for each in io.formats() if each.write is not None)}."
            ),
        ),
    ] = None,
    force: Annotated[bool, flag("--force", "-f")] = False,
    reading: Reading,
    messages: Messages,
) -> int:
    """Convert a table to another format.

    The suffix of OUT names the format. Suffixes .gz, .bz2, .xz and .zst compress. Raw values are
    scaled first. A warning names everything that the new format can't hold. A plan.toml gets the
    scales of the columns, to edit and to use by --scale.

    Parameters
    ----------
    out
        The file to write, or - for standard output.
    force
        Overwrite OUT.
    """
    path = _options.STANDARD_OUTPUT_DEVICE if out == _options.STANDARD_OUTPUT else out
    _output.refuse_unwritable(path, option="")
    if path.exists() and is_plain(path) and not force:
        raise WrongUseError(f"{path} exists already (hint: --force overwrites it)")
    if out.suffix == ".toml":
        reading.load_table(file, messages).save_plan(path)
        messages.note(f"the plan is in {out}; 'conceptrank rank {file} --scale {out}' uses it")
        return DONE
    try:
        target = io.writing_format(str(out), output_format).name
    except FormatError as error:
        raise WrongUseError(f"{error} (--output-format names it)") from error
    context = reading.load(file, messages).context
    with messages.working(f"writing {path}"):
        io.save(context, path, format=target)
        losses = io.losses(context, target)
    n, q = context.shape
    messages.note(f"{n:,} objects, {q:,} attributes and {context.crosses:,} crosses as {target}")
    if losses:
        messages.warning(f"{path} doesn't hold {'; '.join(losses)}")
    return DONE
