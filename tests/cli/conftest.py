"""Two ways to call the command line: in this process, and as the program that users start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from conceptrank.cli import app

Run = Callable[..., Result]
Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run in an empty directory, with nothing in the environment that changes the look."""
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run() -> Run:
    def run(*arguments: object, **options: Any) -> Result:
        return CliRunner().invoke(app, [str(each) for each in arguments], **options)

    return run


@pytest.fixture
def program() -> Program:
    def program(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        options.setdefault("env", os.environ)
        return subprocess.run(
            [sys.executable, "-m", "conceptrank", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=600,
            **options,
        )

    return program


@pytest.fixture
def contranominal(tmp_path: Path) -> Path:
    """A context with 2^60 concepts: every set of attributes is closed."""
    n = 60
    names = [f"g{i}" for i in range(n)] + [f"m{i}" for i in range(n)]
    rows = ["".join("." if i == j else "X" for j in range(n)) for i in range(n)]
    path = tmp_path / "contranominal.cxt"
    path.write_text("\n".join(["B", "", f"{n}", f"{n}", "", *names, *rows, ""]))
    return path
