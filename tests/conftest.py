"""What all tests share: the seeded contexts, and hypothesis without chance or deadline."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from cases import Case

pytest.register_assert_rewrite("cases")

# Programs that tests start hold back what they print, as they do for a user.
os.environ.pop("PYTHONUNBUFFERED", None)

# What a shell starts in the background ignores Ctrl-C, and so would the tests that press it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "conceptrank",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("conceptrank")


def pytest_unconfigure() -> None:
    """Hide what duckdb prints when a worker ends: it takes its own types for leaks."""
    if "duckdb" in sys.modules and "PYTEST_XDIST_WORKER" in os.environ:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line what skipped tests would have needed."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    if reasons:
        parts = [f"{count} ({reason})" for reason, count in reasons.most_common()]
        terminalreporter.write_line(f"skipped tests: {', '.join(parts)}", yellow=True)


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    """Contexts of every kind that is small enough for the oracle, the same in every run."""
    from cases import Case
    from strategies import random_contexts

    return [Case(table) for table in random_contexts(2400, seed=41)]


@pytest.fixture(autouse=True)
def measures_of_a_test_end_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the measures that a test registers: others list all that there are."""
    from conceptrank.measures import registry

    for table in ("_MEASURES", "_NAMES"):
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
