"""Runs hold what lattices hold, whatever the budget; they resume; they are read back."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import FormatError, MeasureError, UnknownNameError
from conceptrank.runs import (
    IncompleteRunWarning,
    RunError,
    RunProgress,
    job,
    mine,
    open_run,
    packed,
    parts,
)
from conceptrank.runs import task as task_module
from conceptrank.runs.tree import FIRST_TASK, Prefix, following
from constraint_cases import keywords, some_constraints, some_context
from runs import assert_holds, rows_of
from strategies import context_of, random_context, random_contexts

MEASURES = ("cr", "stability", "stability_extensional", "separation", "delta_measure")


@pytest.fixture(scope="module")
def context() -> cr.Context:
    return random_context(60, 14, density=0.6, seed=5)


@pytest.fixture(scope="module")
def lattice(context: cr.Context) -> cr.Lattice:
    return context.lattice()


@pytest.mark.parametrize("budget", [2, 7, 1000])
def test_small_contexts(tmp_path: Path, budget: int) -> None:
    for number, table in enumerate(random_contexts(50, seed=budget)):
        context, least = context_of(table), number % 3
        run = mine(
            context,
            tmp_path / str(number),
            measures=MEASURES,
            min_support=least,
            task_concepts=budget,
            workers=1,
        )
        assert_holds(run, context.lattice(min_support=least), MEASURES)


@pytest.mark.parametrize("budget", [50, 1000, 200_000])
def test_any_budget_and_executor_gives_the_lattice(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice, budget: int
) -> None:
    one = mine(context, tmp_path / "one", measures=MEASURES, task_concepts=budget, workers=1)
    assert_holds(one, lattice, MEASURES)
    with ThreadPoolExecutor(3) as executor:
        other = mine(
            context, tmp_path / "other", measures=MEASURES, task_concepts=budget, executor=executor
        )
    assert_holds(other, lattice, MEASURES)
    # The same files, byte for byte, in whichever order tasks ran.
    content = [{path.name: path.read_bytes() for path in parts_of(run)} for run in (one, other)]
    assert content[0] == content[1]


def test_where_the_engine_brings_equal_rows_together(tmp_path: Path) -> None:
    """With a large least support, and in tables below the root whose rare columns are gone."""
    chance = np.random.default_rng(3)
    shares = np.concatenate([np.linspace(0.5, 0.9, 12), np.full(20, 0.15)])
    different = chance.random((750, len(shares))) < shares
    rows = different[chance.integers(0, len(different), 1500)]
    context = cr.Context(range(len(rows)), [f"m{i}" for i in range(len(shares))], rows)
    assert context.n_distinct_rows < len(rows) / 2
    lattice = context.lattice(min_support=300)
    assert len(lattice) > 500
    for budget in (30, 200_000):
        folder = tmp_path / str(budget)
        run = mine(
            context, folder, measures=MEASURES, min_support=300, task_concepts=budget, workers=1
        )
        assert_holds(run, lattice, MEASURES)


def test_intent_faces_among_many_rows(tmp_path: Path) -> None:
    """Rows that lack several attributes of an intent are few and scattered, or many."""
    chance = np.random.default_rng(6)
    # One value out of some for each property, as in tables of words.
    values = chance.integers(0, 4, (900, 7)) * chance.integers(0, 2, (900, 7))
    crosses = np.concatenate([values == value for value in range(4)], axis=1)
    context = cr.Context(range(900), [f"m{i}" for i in range(28)], crosses)
    lattice = context.lattice()
    assert len(lattice) > 5000
    run = mine(context, tmp_path, measures=["cr"], task_concepts=4000, workers=1)
    assert_holds(run, lattice, ["cr"])


def parts_of(run: cr.runs.Run) -> list[Path]:
    return sorted(run.folder.glob("part-*.parquet"))


def test_no_task_is_larger_than_its_budget(tmp_path: Path, context: cr.Context) -> None:
    run = mine(context, tmp_path, task_concepts=100, workers=1)
    sizes = [len(pl.read_parquet(path)) for path in parts_of(run)]
    assert max(sizes) <= 100
    assert run.manifest["largest_task"] == max(sizes)
    assert run.manifest["totals"]["concepts"] == sum(sizes)


def test_what_a_task_leaves_is_shared_out_completely() -> None:
    left = [
        Prefix((1, 2), 2),
        Prefix((1,), 1, (5, 6)),
        Prefix((3,), 3, tuple(range(4, 11))),
        Prefix((), -1, tuple(range(3, 40))),
    ]

    def atoms(prefixes: tuple[Prefix, ...]) -> list[tuple[object, ...]]:
        return [
            (prefix.intent, prefix.last, child)
            for prefix in prefixes
            for child in ((None,) if prefix.children is None else prefix.children)
        ]

    dealt = [atom for task in following(FIRST_TASK, left) for atom in atoms(task.prefixes)]
    assert len(dealt) == len(set(dealt))
    assert set(dealt) == set(atoms(tuple(left)))


def after(tasks: int) -> dict[str, Any]:
    """Arguments of `mine` that stop a run after some tasks."""
    budget = cr.Budget()

    def progress(made: RunProgress) -> None:
        if made.tasks_done >= tasks:
            budget.cancel()

    return {"budget": budget, "progress": progress}


def test_a_stopped_run_goes_on(tmp_path: Path, context: cr.Context, lattice: cr.Lattice) -> None:
    run = mine(context, tmp_path, measures=MEASURES, task_concepts=50, workers=1, **after(6))
    assert not run.complete
    assert run.state == "incomplete"
    assert 0 < len(run) < len(lattice)
    before = {path.name for path in parts_of(run)}
    assert before
    # Without the file, from what is in the folder.
    run = mine(None, tmp_path, measures=MEASURES, task_concepts=80, workers=1, resume=True)
    assert before <= {path.name for path in parts_of(run)}
    assert_holds(run, lattice, MEASURES)


def test_a_task_that_saw_the_stop_stays_stopped(tmp_path: Path) -> None:
    """Its thread may be left behind, and the file is removed at the end of the run."""
    run, task = job.StopFile(tmp_path / "stop"), job.StopFile(tmp_path / "stop")
    run.cancel()
    assert task.cancelled
    run.reset()
    assert (task.cancelled, run.cancelled) == (True, False)


def test_a_stop_that_comes_too_late_leaves_nothing(tmp_path: Path) -> None:
    movies = cr.datasets.load("movies")
    run = mine(movies, tmp_path, workers=1, **after(1))
    assert run.complete
    assert run.manifest["state"] == "complete"


def test_a_damaged_context_is_written_again(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice
) -> None:
    mine(context, tmp_path, task_concepts=50, workers=1, **after(6))
    cut_short(tmp_path / "context.packed")
    with pytest.raises(FormatError, match=r"context\.packed"):
        mine(None, tmp_path, task_concepts=50, workers=1, resume=True)
    run = mine(context, tmp_path, task_concepts=50, workers=1, resume=True)
    assert_holds(run, lattice, ["cr"])


def test_what_kills_left_behind_is_swept(tmp_path: Path, context: cr.Context) -> None:
    mine(context, tmp_path, workers=1)
    content = sorted(tmp_path.iterdir())
    for name in (".part-0123456789abcdef-9.parquet.x", ".manifest.json.x", ".context.packed.x"):
        (tmp_path / name).touch()
    assert mine(context, tmp_path, workers=1, resume=True).complete
    assert sorted(tmp_path.iterdir()) == content


def test_resume_refuses_another_run(tmp_path: Path, context: cr.Context) -> None:
    mine(context, tmp_path, min_support=3, workers=1)
    with pytest.raises(RunError, match="already"):
        mine(context, tmp_path, min_support=3, workers=1)
    with pytest.raises(RunError, match="another min_support: 3, not 4"):
        mine(context, tmp_path, min_support=4, workers=1, resume=True)
    with pytest.raises(RunError, match="another measures: cr, not stability"):
        mine(context, tmp_path, measures=["stability"], min_support=3, workers=1, resume=True)
    with pytest.raises(RunError, match="another context"):
        mine(cr.datasets.load("movies"), tmp_path, min_support=3, workers=1, resume=True)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def one_bit(path: Path) -> None:
    """Another score in a file that is otherwise in order."""
    frame, metadata = pl.read_parquet(path), pl.read_parquet_metadata(path)
    scores = frame["cr"].to_numpy().copy()
    scores[0] += 2.0**-40
    metadata.pop("ARROW:schema")
    frame.with_columns(cr=pl.Series(scores)).write_parquet(path, metadata=metadata)


def another_name(path: Path) -> None:
    path.rename(path.with_name("part-0123456789abcdef-1000.parquet"))


@pytest.mark.parametrize("damage", [cut_short, empty, one_bit, another_name, os.unlink])
@pytest.mark.parametrize("which", [0, -1])
def test_a_damaged_part_is_noticed_and_made_again(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice, damage: object, which: int
) -> None:
    run = mine(context, tmp_path, measures=["cr"], task_concepts=60, workers=1)
    content = {path.name: path.read_bytes() for path in parts_of(run)}
    # In the order of the search, so that some have others below them.
    path = list(run.parts)[which]
    damage(path)  # type: ignore[operator]
    there = open_run(tmp_path)
    assert not there.complete
    if damage in (cut_short, empty, one_bit):
        assert there.state == "damaged"
        assert path.name in there.damaged[0]
        with pytest.raises(FormatError, match=path.name):
            there.verify()
    else:
        assert there.state == "incomplete"
    run = mine(context, tmp_path, measures=["cr"], task_concepts=60, workers=1, resume=True)
    assert_holds(run, lattice, ["cr"])
    assert content == {path.name: path.read_bytes() for path in parts_of(run)}


def test_a_part_that_cant_be_read_now_is_not_thrown_away(
    tmp_path: Path, context: cr.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = mine(context, tmp_path, task_concepts=60, workers=1)
    before = parts_of(run)
    read_bytes = Path.read_bytes

    def failing_on_parts(path: Path) -> bytes:
        if path.name.startswith("part-"):
            raise OSError(errno.EIO, "broken cable")
        return read_bytes(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", failing_on_parts)
        with pytest.raises(OSError, match="broken cable"):
            mine(context, tmp_path, task_concepts=60, workers=1, resume=True)
    assert parts_of(run) == before


def test_a_full_disk_is_a_clear_error(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, replace = iter(range(1000)), Path.replace

    def fail(self: Path, target: Path) -> Path:
        if target.suffix == ".parquet" and next(written) == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(
        RunError, match="No space left on device; what the run has written stays valid"
    ):
        mine(context, tmp_path, measures=["cr"], task_concepts=60, workers=1)
    assert not list(tmp_path.glob(".part-*"))
    run = mine(context, tmp_path, measures=["cr"], task_concepts=60, workers=1, resume=True)
    assert_holds(run, lattice, ["cr"])


def test_a_disk_that_is_full_from_the_beginning(
    tmp_path: Path, context: cr.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", Mock(side_effect=full))
        with pytest.raises(
            RunError, match="No space left on device; what the run has written stays valid"
        ):
            mine(context, tmp_path, workers=1)
    assert mine(context, tmp_path, workers=1).complete


@contextmanager
def without_rights(folder: Path) -> Iterator[Callable[[], None]]:
    """Give a function that takes away the right to write to a folder, until the end."""

    def take() -> None:
        if root:
            os.seteuid(65534)  # the folders of pytest are for their owner alone
        else:
            folder.chmod(0o500)

    root = os.geteuid() == 0
    if root:
        try:
            os.seteuid(65534)
            os.seteuid(0)
        except OSError:
            pytest.skip("root may write anywhere, and can't become another user here")
    try:
        yield take
    finally:
        if root:
            os.seteuid(0)
        else:
            folder.chmod(0o700)


def test_no_right_to_write_is_a_clear_error(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice
) -> None:
    mine(context, tmp_path / "before", workers=1)  # what is imported on the way is there then
    with without_rights(tmp_path) as take_rights:
        take_rights()
        with pytest.raises(RunError, match=f"{tmp_path / 'run'}: Permission denied"):
            mine(context, tmp_path / "run", workers=1)
    # The same in the middle of a run.
    folder = tmp_path / "run"
    with without_rights(folder) as take_rights:

        def progress(made: RunProgress) -> None:
            if made.tasks_done == 5:
                take_rights()

        with pytest.raises(RunError, match="Permission denied; what the run has written stays"):
            mine(context, folder, task_concepts=60, workers=1, progress=progress)
    assert len(parts_of(open_run(folder))) == 5
    run = mine(context, folder, task_concepts=60, workers=1, resume=True)
    assert_holds(run, lattice, ["cr"])


def test_a_folder_that_cant_be_one_is_a_clear_error(tmp_path: Path, context: cr.Context) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="file: File exists"):
        mine(context, tmp_path / "file", workers=1)
    with pytest.raises(RunError, match="Not a directory"):
        mine(context, tmp_path / "file" / "run", workers=1)


def test_a_task_may_fail_once(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, frame_of = iter(range(10**6)), task_module.frame_of

    def often(*given: Any) -> pl.DataFrame:
        if next(calls) % 2 == 0:
            raise MemoryError("too much")
        return frame_of(*given)

    monkeypatch.setattr(task_module, "frame_of", often)
    run = mine(context, tmp_path / "once", measures=["cr"], task_concepts=60, workers=1)
    assert_holds(run, lattice, ["cr"])
    monkeypatch.setattr(task_module, "frame_of", lambda *_: 1 / 0)
    with pytest.raises(RunError, match=r"twice \(ZeroDivisionError.*--resume"):
        mine(context, tmp_path / "never", measures=["cr"], workers=1)
    monkeypatch.undo()
    run = mine(context, tmp_path / "never", measures=["cr"], workers=1, resume=True)
    assert_holds(run, lattice, ["cr"])


def test_only_one_driver_at_a_time(tmp_path: Path, context: cr.Context) -> None:
    def second(_: RunProgress) -> None:
        with pytest.raises(RunError, match="another process is mining here"):
            mine(context, tmp_path, resume=True, workers=1)

    assert mine(context, tmp_path, workers=1, progress=second).complete


def test_the_missing_lock_package_is_named(
    tmp_path: Path, context: cr.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "filelock", None)
    with pytest.raises(RunError, match=r"needs filelock: pip install .*\[mine\]"):
        mine(context, tmp_path / "run", workers=1)
    assert not (tmp_path / "run").exists()


def test_reading_back(tmp_path: Path, context: cr.Context, lattice: cr.Lattice) -> None:
    run = mine(context, tmp_path / "run", measures=["cr", "stability"], task_concepts=70, workers=1)
    run = open_run(tmp_path / "run")
    assert (len(run), run.measures, run.state) == (len(lattice), ("cr", "stability"), "complete")
    names = [list(concept.intent) for concept in lattice]
    for by, label in (("cr", "cr"), ("conceptual_relevance", "cr"), ("stability", "stability")):
        scores = lattice.score(by)
        order = sorted(range(len(lattice)), key=lambda i: (-scores[i], i))
        top = run.top(25, by=by)
        assert top["intent"].to_list() == [names[i] for i in order[:25]]
        assert top[label].to_list() == scores[order[:25]].tolist()
    strong = "stability > 0.9"
    attribute = context.attributes[4]
    expected = [
        i
        for i in range(len(lattice))
        if lattice.score("stability")[i] > 0.9 and attribute in names[i]
    ]
    assert run.count(where=f"{strong} and {attribute!r} in intent") == len(expected) > 0
    frame = run.scan().filter(pl.col("intent").list.contains(attribute)).collect()
    assert frame.filter(pl.col("stability") > 0.9).height == len(expected)
    with pytest.raises(UnknownNameError, match="separation"):
        run.top(by="separation")
    assert run.top(0, by="cr").height == 0
    with pytest.raises(RunError, match="no run here"):
        open_run(tmp_path)


def test_measures_that_a_run_cant_have(tmp_path: Path) -> None:
    movies = cr.datasets.load("movies")
    for name, reason in (("precision", "labels"), ("no_such", "no_such")):
        with pytest.raises((MeasureError, UnknownNameError), match=reason):
            mine(movies, tmp_path / name, measures=[name], workers=1)


def test_all_other_measures_are_those_of_the_lattice(tmp_path: Path) -> None:
    context = random_context(14, 9, density=0.5, seed=8)
    lattice = context.lattice()
    names = []
    for row in cr.measures.available().iter_rows(named=True):
        measure = cr.measures.get(row["name"])
        required = any(not isinstance(v, str | float | int | None) for v in measure.params.values())
        if required or measure.needs in ("lattice", "labels", "weights") or not measure.builtin:
            continue
        names.append(measure.name)
    assert len(names) > 40
    run = mine(context, tmp_path, measures=names, workers=1, task_concepts=30)
    rows = rows_of(run)
    for name in names:
        found = rows[name].to_numpy().astype(np.float64)
        assert np.allclose(found, lattice.score(name), rtol=1e-12, atol=1e-12, equal_nan=True), name


def test_packed_contexts(tmp_path: Path) -> None:
    for number, table in enumerate(random_contexts(40, seed=11)):
        context = context_of(table)
        content = packed.pack(context)
        path = tmp_path / f"{number}.packed"
        content.save(path)
        again = packed.read(path)
        assert again.digest == content.digest == packed.pack(context).digest
        assert again.context.attributes == context.attributes
        assert again.context.shape == context.shape
        rows = sorted(np.split(context.rows()[1], context.rows()[0][1:-1]), key=list)
        single = again.context.repeated().rows()
        others = sorted(np.split(single[1], single[0][1:-1]), key=list)
        assert [row.tolist() for row in rows] == [row.tolist() for row in others]
    data = path.read_bytes()
    for damaged in (
        b"",
        b"{}\n",
        data[: len(data) // 2],
        data[:-64] + bytes([data[-64] ^ 1]) + data[-63:],
    ):
        path.write_bytes(damaged)
        with pytest.raises(FormatError):
            packed.read(path)
    path.write_bytes(data)
    with pytest.raises(FormatError, match="another context"):
        packed.read(path, digest="0" * 64)


def test_answers_of_an_incomplete_run_say_so(
    tmp_path: Path, context: cr.Context, recwarn: pytest.WarningsRecorder
) -> None:
    run = mine(context, tmp_path / "run", task_concepts=50, workers=1, **after(3))
    for answer in (run.top, run.count, run.scan):
        with pytest.warns(IncompleteRunWarning, match="incomplete"):
            answer()
    run = mine(context, tmp_path / "run", task_concepts=50, workers=1, resume=True)
    recwarn.clear()
    for answer in (run.top, run.count, run.scan):
        answer()
    assert not recwarn.list


def test_a_stop_in_the_middle_of_a_task(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task writes what it has found, as the part of a task with that smaller budget."""
    measures = ["stability", "separation"]  # One is scored while mining, the other afterwards.
    looks = iter(range(10**6))
    monkeypatch.setattr(job.StopFile, "cancelled", property(lambda _: next(looks) > 0))
    run = mine(context, tmp_path, measures=measures, workers=1, **after(1))
    monkeypatch.undo()
    assert run.manifest["state"] == "incomplete"
    (path,) = parts_of(run)
    visited = run.totals["visited"]
    assert 2 <= visited < len(lattice)
    assert path.name == parts.name_of(FIRST_TASK, visited)
    run = mine(context, tmp_path, measures=measures, workers=1, resume=True)
    assert_holds(run, lattice, measures)


def test_constraints(tmp_path: Path) -> None:
    random = Random(3)
    for number in range(12):
        context = some_context(random)
        if not context.attributes:
            continue
        wanted = keywords(some_constraints(random, context))
        where = random.choice(({}, {"where": "support >= 1 and cr > 0.1"}))
        run = mine(
            context,
            tmp_path / str(number),
            measures=["cr"],
            workers=1,
            task_concepts=random.choice((5, 1000)),
            **wanted,
            **where,
        )
        assert run.complete
        expected = [c.intent for _, c, _ in context.lattice(**wanted, **where).rank("cr")]
        assert [tuple(intent) for intent in run.top(10**6, by="cr")["intent"]] == expected


def test_constraints_that_tasks_do_not_know(tmp_path: Path, context: cr.Context) -> None:
    with pytest.raises(MeasureError, match="without objects or functions"):
        mine(context, tmp_path, where=lambda concept: True)
    with pytest.raises(MeasureError, match="needs a context"):
        mine(packed.pack(context), tmp_path, objects=[context.objects[0]])
    mine(context, tmp_path, workers=1, contains=context.attributes[0])
    with pytest.raises(RunError, match="another constraints"):
        mine(context, tmp_path, workers=1, resume=True)
