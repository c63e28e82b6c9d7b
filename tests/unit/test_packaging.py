"""The conda recipe needs what the package needs; what `make test` says of missing programs."""

from __future__ import annotations

import re
import tomllib
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
