from io import StringIO

import pytest
from rich.console import Console

from conceptrank.cli import _messages
from conceptrank.cli._messages import Bar, Messages


def terminal() -> Console:
    return Console(file=StringIO(), force_terminal=True, width=80, no_color=True)


def written(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_bar_appears_after_a_while_only(monkeypatch):
    console = terminal()
    bar = Bar(console, "mining")
    bar.show(0.25, counted="1,234 concepts")
    assert written(console) == ""
    monkeypatch.setattr(_messages, "PATIENCE", 0.0)
    bar.show(0.25, counted="1,234 concepts")
    assert "mining" in written(console)
    assert "25 %" in written(console)
    assert "1,234 concepts" in written(console)
    bar.stop()


def test_a_bar_that_was_stopped_stays_away(monkeypatch):
    monkeypatch.setattr(_messages, "PATIENCE", 0.0)
    console = terminal()
    bar = Bar(console, "mining")
    bar.show(0.0)
    bar.stop()
    before = written(console)
    bar.show(0.5)
    assert written(console) == before


@pytest.mark.parametrize("quiet", [True, False])
def test_progress_needs_a_terminal(capsys, quiet):
    messages = Messages(quiet=quiet)
    assert not messages.animated
    with messages.working("thinking"):
        pass
    assert capsys.readouterr().err == ""


def test_slow_work_is_named_on_a_terminal(monkeypatch):
    monkeypatch.setattr(_messages, "PATIENCE", 0.0)
    messages = Messages()
    messages.console = terminal()
    with messages.working("reading a [strange] file"):
        while "strange" not in written(messages.console):
            pass
    assert "reading a [strange] file" in written(messages.console)


def test_quick_work_leaves_no_trace(monkeypatch):
    monkeypatch.setattr(_messages, "PATIENCE", 60.0)
    messages = Messages()
    messages.console = terminal()
    with messages.working("reading"):
        pass
    assert written(messages.console) == ""


def test_a_message_is_one_line_even_if_it_is_long(capsys):
    Messages().warning("many words " * 50 + "[bold]and a\nname")
    shown = capsys.readouterr().err
    assert shown.startswith("warning: many words many")
    assert shown.endswith("[bold]and a\\nname\n")
    assert shown.count("\n") == 1


def test_errors_are_said_even_quietly(capsys):
    messages = Messages(quiet=True)
    messages.note("a")
    messages.warning("b")
    messages.error("c")
    assert capsys.readouterr().err == "error: c\n"
