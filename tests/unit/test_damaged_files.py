"""Damaged files of runs, lattices and explorations: only our errors, and nothing is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import conceptrank as cr
from conceptrank.errors import ConceptRankError, FormatError
from conceptrank.runs import RunError, mine, open_run
from faults import mutations
from runs import assert_holds
from strategies import random_context

MEASURES = ("cr", "stability")


@pytest.fixture(scope="module")
def context() -> cr.Context:
    return random_context(30, 10, density=0.5, seed=4)


@pytest.fixture
def folder(tmp_path: Path, context: cr.Context) -> Path:
    mine(context, tmp_path / "run", measures=MEASURES, task_concepts=40, workers=1)
    return tmp_path / "run"


def test_a_changed_part_is_never_accepted(folder: Path) -> None:
    path = sorted(folder.glob("part-*"))[0]
    content = path.read_bytes()
    for damaged in mutations(content, 500, seed=1):
        if damaged == content:
            continue
        path.write_bytes(damaged)
        run = open_run(folder)
        assert not run.complete
        assert run.state == "damaged"
        assert path.name in run.damaged[0]


def test_changed_metadata_are_not_accepted(folder: Path, context: cr.Context) -> None:
    """Other numbers in the metadata, in a file whose rows are as they were written."""
    lattice = context.lattice()
    for key in ("left", "visited", "inexact"):
        for path in sorted(folder.glob("part-*")):
            content = path.read_bytes()
            place = content.index(f'"{key}": '.encode()) + len(key) + 4
            digit = next(i for i in range(place, len(content)) if content[i : i + 1].isdigit())
            other = b"1" if content[digit : digit + 1] == b"0" else b"0"
            path.write_bytes(content[:digit] + other + content[digit + 1 :])
        assert open_run(folder).state == "damaged"
        run = mine(context, folder, measures=MEASURES, task_concepts=40, workers=1, resume=True)
        assert_holds(run, lattice, MEASURES)


@pytest.mark.parametrize("name", ["manifest.json", "context.packed"])
def test_a_changed_manifest_or_context_is_never_accepted(folder: Path, name: str) -> None:
    path = folder / name
    content = path.read_bytes()
    for damaged in mutations(content, 500, seed=2):
        if damaged == content:
            continue
        path.write_bytes(damaged)
        with pytest.raises((FormatError, RunError)) as caught:
            open_run(folder).context  # noqa: B018
        assert "\n" not in str(caught.value)


def values_in(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a JSON document with each of its keys or places."""
    keys = document.keys() if isinstance(document, dict) else range(len(document))
    for key in list(keys):
        yield document, key
        if isinstance(document[key], dict | list):
            yield from values_in(document[key])


ODD_VALUES = (None, -1, 1e400, 10**30, "x", [], {}, [[1]], True, "\ud800")


def odd_documents(text: str) -> Iterator[str]:
    """A JSON document with each of its values replaced by each odd value, removed or renamed."""
    for place, _ in enumerate(list(values_in(json.loads(text)))):
        for odd in (*ODD_VALUES, "remove", "rename"):
            document = json.loads(text)
            container, key = list(values_in(document))[place]
            if odd == "remove":
                del container[key]
            elif odd == "rename" and isinstance(container, dict):
                # Half a surrogate pair is no character.
                container[f"{key}\ud800"] = container.pop(key)
            else:
                container[key] = odd
            yield json.dumps(document)
    yield "[" * 100_000
    yield '{"format": ' * 50_000
    yield ""
    yield "\x00"


def only_our_errors(action: Callable[[], object]) -> None:
    with suppress(ConceptRankError, FileNotFoundError):
        action()


def test_a_changed_lattice_file_is_never_accepted(tmp_path: Path, context: cr.Context) -> None:
    path = tmp_path / "lattice.parquet"
    context.lattice().save(path)
    content = path.read_bytes()
    for damaged in mutations(content, 1000, seed=4):
        if damaged == content:
            continue
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match=r"lattice\.parquet") as caught:
            cr.Lattice.load(path)
        assert "\n" not in str(caught.value)


def test_a_part_that_names_no_run(folder: Path) -> None:
    part = sorted(folder.glob("part-*"))[0]
    content = part.read_bytes()
    assert content.count(b'"run"') == 1
    part.write_bytes(content.replace(b'"run"', b'"rum"'))
    for verify in (True, False):
        only_our_errors(lambda verify=verify: open_run(folder, verify=verify).totals)
