from io import StringIO

import pytest
from rich.console import Console

from conceptrank.cli import _voice
from conceptrank.cli._voice import Bar, Voice


def terminal() -> Console:
    return Console(file=StringIO(), force_terminal=True, width=80, no_color=True)


def written(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_bar_appears_after_a_while_only(monkeypatch):
    console = terminal()
    bar = Bar(console, "mining")
    bar.show(1234, 0.25)
    assert written(console) == ""
    monkeypatch.setattr(_voice, "PATIENCE", 0.0)
    bar.show(1234, 0.25)
    assert "mining" in written(console)
    assert "25 %" in written(console)
    assert "1,234 concepts" in written(console)
    bar.stop()


def test_a_bar_that_was_stopped_stays_away(monkeypatch):
    monkeypatch.setattr(_voice, "PATIENCE", 0.0)
    console = terminal()
    bar = Bar(console, "mining")
    bar.show(1, 0.0)
    bar.stop()
    before = written(console)
    bar.show(2, 0.5)
    assert written(console) == before


@pytest.mark.parametrize("quiet", [True, False])
def test_progress_needs_a_terminal(capsys, quiet):
    voice = Voice(quiet=quiet)
    assert not voice.animated
    with voice.working("thinking"):
        pass
    assert capsys.readouterr().err == ""


def test_slow_work_is_named_on_a_terminal(monkeypatch):
    monkeypatch.setattr(_voice, "PATIENCE", 0.0)
    voice = Voice()
    voice._console = terminal()
    with voice.working("reading a [strange] file"):
        while "strange" not in written(voice.console):
            pass
    assert "reading a [strange] file" in written(voice.console)


def test_quick_work_leaves_no_trace(monkeypatch):
    monkeypatch.setattr(_voice, "PATIENCE", 60.0)
    voice = Voice()
    voice._console = terminal()
    with voice.working("reading"):
        pass
    assert written(voice.console) == ""


def test_a_message_is_one_line_even_if_it_is_long(capsys):
    Voice().warning("many words " * 50 + "[bold]and a\nname")
    shown = capsys.readouterr().err
    assert shown.startswith("warning: many words many")
    assert shown.endswith("[bold]and a\\nname\n")
    assert shown.count("\n") == 1


def test_errors_are_said_even_quietly(capsys):
    voice = Voice(quiet=True)
    voice.note("a")
    voice.warning("b")
    voice.error("c")
    assert capsys.readouterr().err == "error: c\n"
