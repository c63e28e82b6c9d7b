"""The directive `command-reference`: every command with its options, read from the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer.main
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from conceptrank.cli import app


class CommandReference(SphinxDirective):
    """Insert the reference of all commands, one section per command."""

    def run(self) -> list[nodes.Node]:
        """Parse the generated Markdown in place."""
        container = nodes.section()
        container.document = self.state.document
        lines = StringList(list(reference()), source="the command line")
        self.state.nested_parse(lines, self.content_offset, container, match_titles=True)
        return list(container.children)


def reference() -> Iterator[str]:
    """Yield the lines of the reference in Markdown."""
    program: Any = typer.main.get_command(app)
    parent = program.make_context("conceptrank", ["rank"], resilient_parsing=True)
    panel = None
    for name, command in program.commands.items():
        if command.hidden:
            continue
        if command.rich_help_panel != panel:
            panel = command.rich_help_panel
            yield from (f"## {panel}", "")
        yield from _command(name, command, parent)


def _command(name: str, command: Any, parent: Any) -> Iterator[str]:
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    yield from (f"### `{name}`", "", _text(command.help), "")
    usage = command.get_usage(context).removeprefix("Usage: ")
    yield from ("```text", " ".join(usage.split()), "```", "")
    if command.epilog:
        examples = re.sub(r"\[bold\].*?\[/\]\n", "", command.epilog)
        yield from ("```console", *(line.strip() for line in examples.splitlines()), "```", "")
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or getattr(parameter, "hidden", False):
            continue
        title = "Arguments" if parameter.param_type_name == "argument" else "Options"
        panels.setdefault(parameter.rich_help_panel or title, []).append(record)
    for title, records in panels.items():
        yield from (f"| {title} | |", "|---|---|")
        for option, text in records:
            name = re.sub(r" <(str|int|float|path)>", "", option)
            shown = _text(text)
            if choices := re.search(r" <([\w-]+(?:\|[\w-]+)+)>", name):
                name = name.replace(choices[0], "")
                shown += " One of " + ", ".join(f"`{each}`" for each in choices[1].split("|")) + "."
            yield f"| `{_cell(name)}` | {_cell(shown)} |"
        yield ""


def _text(markup: str) -> str:
    """Return a help text as Markdown."""
    text = re.sub(r"\[bold\](.*?)\[/(?:bold)?\]", r"`\1`", markup)
    text = re.sub(r"(?<![`\w-])(--[a-z][a-z-]*)", r"`\1`", text)
    facts = r" *\[(default: [^\[\]]*|required|x[<>]=?[^\[\]]*|[^\[\]]*<=x[^\[\]]*)\]$"
    text = re.sub(facts, r" *(\1)*", text)
    return text.replace("<", "&lt;") if "`" not in text else text


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
