"""Where the repository is, for the tests that compare the package with its other files."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent


def repository() -> Path:
    """The root of the repository; what asks for it is skipped where only the tests were copied."""
    root = TESTS.parent
    if not (root / "CMakeLists.txt").exists():
        pytest.skip("reads other files of the repository", allow_module_level=True)
    return root
