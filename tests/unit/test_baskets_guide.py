"""The blocks of docs/baskets.md run in order; those that need a missing package are left out."""

from __future__ import annotations

import re
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from repository import repository

PAGE = (repository() / "docs" / "baskets.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?:<!-- needs: (.*?) -->\n)?```python\n(.*?)```", PAGE, flags=re.DOTALL)


def missing(needs: str) -> list[str]:
    found = {"java": shutil.which("java") is not None}
    return [name for name in needs.split() if not found.get(name, find_spec(name) is not None)]


def test_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names: dict[str, object] = {}
    left_out = set()
    assert len(BLOCKS) == 12
    for needs, code in BLOCKS:
        if absent := missing(needs):
            left_out.update(absent)
        else:
            exec(compile(code, "baskets.md", "exec"), names)
    assert Path(str(names["folder"])).parent == tmp_path
    if left_out:
        pytest.skip(f"blocks that need {', '.join(sorted(left_out))} were left out")
