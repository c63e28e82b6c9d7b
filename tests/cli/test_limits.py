"""Limits and Ctrl-C while concepts are scored: rows that have a score are printed."""

from __future__ import annotations

import os
import signal

import pytest

from conceptrank.budget import Budget
from conceptrank.cli import _pipeline
from conceptrank.cli._messages import Messages

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals")


def test_two_signals_at_once_are_one_press(monkeypatch):
    def press(times: int, apart: float) -> Budget:
        clock = iter(apart * number for number in range(1, times + 1))
        monkeypatch.setattr(_pipeline.time, "monotonic", lambda: next(clock))
        budget = Budget()
        with _pipeline.stopped_by_interrupt(budget, lambda: None):
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
        return budget

    assert press(2, apart=0.01).cancelled
    with pytest.raises(KeyboardInterrupt):
        press(2, apart=10)


def test_a_second_press_gives_up(capsys):
    def press_twice() -> None:
        with _pipeline.watched(Budget(), Messages()):
            signal.raise_signal(signal.SIGINT)
            _pipeline.time.sleep(_pipeline._SAME_PRESS + 0.05)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        press_twice()
    assert "another Ctrl-C gives up" in capsys.readouterr().err
