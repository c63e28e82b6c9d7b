"""The site: every page is in its menu, every public name in its reference, every command exists.

`make docs` builds the site itself.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
import typer.main

from conceptrank.cli import app
from repository import repository

ROOT = repository()
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
CHECK = run_path(str(ROOT / "scripts" / "check_site.py"))


def blocks(page: Path, kind: str) -> list[str]:
    """The fenced blocks of a kind, without their options."""
    text = page.read_text("utf-8")
    found = re.findall(rf"^```{re.escape(kind)}[^\n]*\n(.*?)^```$", text, re.M | re.S)
    return [re.sub(r"^:.*\n", "", block, flags=re.M) for block in found]


def commands(page: Path) -> Iterator[list[str]]:
    """The calls of the program in the console blocks of a page."""
    for block in blocks(page, "console"):
        for line in block.splitlines():
            if line.startswith("$ conceptrank "):
                yield shlex.split(line.removeprefix("$ "), comments=True)[1:]


class TestMenu:
    def test_every_page_is_in_the_menu_once(self) -> None:
        listed = [
            (page.parent / f"{name}.md").resolve()
            for page in PAGES
            for block in blocks(page, "{toctree}")
            for name in block.split()
        ]
        assert sorted([*listed, DOCS / "index.md"]) == PAGES

    def test_pages_from_the_root_exist(self) -> None:
        """`conf.py` shows these files of the repository in place of pages that stand for them."""
        text = (DOCS / "conf.py").read_text("utf-8")
        mapping = re.search(r"^ROOT_PAGES = (\{.*?^\})", text, re.M | re.S)
        assert mapping
        for name, file in eval(mapping[1]).items():
            assert (DOCS / f"{name}.md") in PAGES
            assert (ROOT / file).exists()

    def test_notebooks_name_their_kernel(self) -> None:
        for page in (DOCS / "notebooks").glob("*.md"):
            if page.stem != "index":
                assert page.read_text("utf-8").startswith("---\nfile_format: mystnb\nkernelspec:")


class TestReference:
    def test_every_public_name_is_in_the_reference(self) -> None:
        shown: list[object] = []
        for page in (DOCS / "api").glob("*.md"):
            for block in blocks(page, "{eval-rst}"):
                _, kind, name = block.splitlines()[0].split()
                if kind == "autoclass::":
                    module, _, member = name.rpartition(".")
                    shown.append(getattr(import_module(module), member))
                    continue
                module = import_module(name)
                left_out = re.findall(r":exclude-members: (.*)", block)
                left_out = left_out[0].split(", ") if left_out else []
                members = set(CHECK["public_members"](module)) - set(left_out)
                shown += [getattr(module, member) for member in members]
        ids = {id(one) for one in shown}
        missing = [name for name in CHECK["public_names"]() if id(CHECK["_found"](name)) not in ids]
        assert missing == []

    def test_the_check_sees_dead_links_and_missing_names(self, tmp_path: Path) -> None:
        (tmp_path / "api").mkdir()
        (tmp_path / "a.html").write_text('<a href="b.html#x">x</a><a href="c.html">c</a>')
        (tmp_path / "b.html").write_text('<p id="y"><img src="gone.png"><a href="#y">y</a></p>')
        (tmp_path / "api" / "x.html").write_text('<dt id="conceptrank.load"></dt>')
        dead = list(CHECK["dead_links"](tmp_path))
        assert dead == ["a.html: b.html#x", "a.html: c.html", "b.html: gone.png"]
        missing = list(CHECK["undocumented"](tmp_path))
        assert "conceptrank.Context" in missing
        assert "conceptrank.scaling.load" not in missing


class TestCommands:
    @pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
    def test_commands_and_options_exist(self, page: Path) -> None:
        program: Any = typer.main.get_command(app)
        for name, *arguments in commands(page):
            if name.startswith("-"):
                continue
            options = {
                option
                for parameter in program.commands[name].params
                for option in (*parameter.opts, *parameter.secondary_opts)
            }
            used = {each.partition("=")[0] for each in arguments if re.match("--?[a-z]", each)}
            assert used <= options | {"--help", "-h"}, name

    def test_the_first_page_shows_what_the_program_prints(self, program: Any) -> None:
        for block in blocks(DOCS / "start.md", "console"):
            for command in re.findall(r"^\$ python -c \"(.*)\"$", block, flags=re.M):
                subprocess.run([sys.executable, "-c", command], check=True)
            for part in re.split(r"^\$ conceptrank ", block, flags=re.M)[1:]:
                line, _, expected = part.partition("\n")
                result = program(*shlex.split(line))
                assert result.returncode == 0, result.stderr
                assert result.stdout.strip() == expected.strip()
