"""The conda recipe needs what the package needs."""

from __future__ import annotations

import re
import tomllib

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
