"""Hints that name an installation."""

import json
from importlib import metadata

import pytest

from conceptrank.errors import install_command


class Distribution:
    def __init__(self, origin: object) -> None:
        self._origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self._origin is None else json.dumps(self._origin)


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'conceptrank[plot]'"),
        (
            {"url": "https://host/a.whl", "archive_info": {}},
            "pip install 'conceptrank[plot]'",
        ),
        ({"url": "file:///a%20tree", "dir_info": {}}, "pip install '/a tree[plot]'"),
        (
            {"url": "file:///tree", "dir_info": {"editable": True}},
            "pip install --editable '/tree[plot]'",
        ),
    ],
)
def test_the_command_names_where_conceptrank_came_from(monkeypatch, origin, command):
    monkeypatch.setattr(metadata, "distribution", lambda _: Distribution(origin))
    assert install_command("plot") == command
