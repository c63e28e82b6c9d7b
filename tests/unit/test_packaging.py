"""The conda recipe needs what the package needs; what `make test` says of missing programs."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from repository import repository

ROOT = repository()
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("section", "others", "needed"),
    [
        ("run", {"python"}, PYPROJECT["project"]["dependencies"]),
        ("host", {"python", "pip"}, PYPROJECT["build-system"]["requires"]),
    ],
)
def test_requirements_of_the_recipe(section: str, others: set[str], needed: list[str]) -> None:
    recipe = (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")
    found = re.search(rf"^  {section}:\n((?:    - .*\n)+)", recipe, re.MULTILINE)
    assert found
    listed = {line.removeprefix("    - ").replace(" ", "") for line in found[1].splitlines()}
    assert listed == {*others, *needed}


@pytest.mark.skipif(os.name != "posix", reason="a script for POSIX shells")
@pytest.mark.parametrize(("user", "allowed"), [("0", "yes"), ("0", "no"), ("1000", "yes")])
def test_the_browser_script_says_what_it_installs(tmp_path: Path, user: str, allowed: str) -> None:
    calls = tmp_path / "calls"
    for name, line in {"id": f"echo {user}", "apt-get": f'echo "$@" >> {calls}'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    run = subprocess.run(
        ["/bin/bash", ROOT / "scripts" / "browser.sh"],
        env={"PATH": str(tmp_path), "CONCEPTRANK_BROWSER": allowed},
        capture_output=True,
        text=True,
        check=False,
    )
    installs = (user, allowed) == ("0", "yes")
    assert (run.returncode, run.stdout, calls.exists()) == (0, "", installs)
    first = "installing the Debian package chromium for the tests in a browser"
    assert (first in run.stderr) == installs
    assert run.stderr.endswith("will be skipped (hint: install chromium)\n")


def test_the_summary_names_what_skipped_tests_need() -> None:
    """Tests that need Node say so in one line, also when pytest is quiet."""
    skip = "needs Node and `npm ci` in explorer-ui"
    layout = (ROOT / "tests" / "unit" / "test_layout.py").read_text(encoding="utf-8")
    assert f'pytest.skip("{skip}")' in layout
    reports = [SimpleNamespace(longrepr=("test.py", 3, f"Skipped: {skip}"))] * 2
    lines: list[str] = []
    reporter = SimpleNamespace(
        stats={"skipped": reports}, write_line=lambda line, **_: lines.append(line)
    )
    run_path(str(ROOT / "tests" / "conftest.py"))["pytest_terminal_summary"](reporter)
    assert lines == [f"skipped tests: 2 ({skip})"]
