"""What a layout promises, and that the outcomes in tests/layout are those of explorer-ui."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from layout_promises import TIDY_LIMIT, check_promises

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = sorted((ROOT / "tests" / "layout").glob("*.json"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_layout_keeps_its_promises(path: Path) -> None:
    fixture = json.loads(path.read_text(encoding="utf-8"))
    check_promises(fixture["input"], fixture["output"])


def test_there_are_fixtures() -> None:
    sizes = [json.loads(path.read_text(encoding="utf-8"))["input"]["n"] for path in FIXTURES]
    assert min(sizes) == 0
    assert any(60 <= size <= TIDY_LIMIT for size in sizes)


def test_the_outcomes_are_those_of_the_page() -> None:
    node = shutil.which("node")
    if node is None or not (ROOT / "explorer-ui" / "node_modules").is_dir():
        pytest.skip("needs Node and `npm ci` in explorer-ui")
    command = [node, "fixtures.mjs", "--check"]
    done = subprocess.run(command, cwd=ROOT / "explorer-ui", capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
