"""Files that are there as a whole or not at all, whatever goes wrong while they are written."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from errno import EFBIG, ENOSPC
from functools import partial
from pathlib import Path
from typing import IO

import pytest

import conceptrank as cr
from conceptrank._util.files import is_plain, write_whole, write_whole_text
from conceptrank.errors import WriteError

OLD = "what was there before"
NOBODY = 65534


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "file.txt"
    path.parent.mkdir()
    path.write_text(OLD)
    return path


def alone(path: Path) -> bool:
    return os.listdir(path.parent) == [path.name]


def failing(error: BaseException) -> Callable[[IO[bytes]], None]:
    def write_to(file: IO[bytes]) -> None:
        file.write(b"x" * 100_000)
        raise error

    return write_to


@pytest.mark.parametrize(
    "error", [OSError(ENOSPC, os.strerror(ENOSPC)), KeyboardInterrupt(), ValueError("a mistake")]
)
@pytest.mark.parametrize("there", [True, False])
def test_what_ends_midway_changes_nothing(target: Path, error: BaseException, there: bool) -> None:
    if not there:
        target.unlink()
    with pytest.raises(WriteError if isinstance(error, OSError) else type(error)):
        write_whole(target, failing(error))
    assert (target.read_text() == OLD and alone(target)) if there else not target.exists()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing/a.txt", "there is no directory missing"),
        (".", "Is a directory"),
        ("a\0b", "no name of a file has a null character"),
        ("a" * 300, "File name too long"),
        ("file.txt/a.txt", "Not a directory"),
    ],
)
def test_where_there_can_be_no_file(
    target: Path, path: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(target.parent)
    with pytest.raises(WriteError, match=reason):
        write_whole_text(path, "new")
    assert alone(target)


def test_rights(target: Path) -> None:
    target.chmod(0o640)
    write_whole_text(target, "new")
    assert target.stat().st_mode & 0o777 == 0o640
    before = os.umask(0o027)
    try:
        write_whole_text(target.with_name("other.txt"), "new")
    finally:
        os.umask(before)
    assert target.with_name("other.txt").stat().st_mode & 0o777 == 0o640


def test_links_stay_links(target: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(Path("folder", "file.txt"))
    write_whole_text(link, "new")
    assert (link.is_symlink(), target.read_text(), alone(target)) == (True, "new", True)
    target.unlink()
    write_whole_text(link, "made")
    assert (link.is_symlink(), target.read_text()) == (True, "made")


def test_a_pipe_is_written_in_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole_text(pipe, "through")
    reader.join(600)
    assert (read, pipe.is_fifo()) == ([b"through"], True)


def test_what_is_plain(tmp_path: Path, target: Path) -> None:
    (tmp_path / "output").symlink_to("/dev/stdout")
    (tmp_path / "loop").symlink_to("loop")
    assert is_plain(target)
    for path in (tmp_path, tmp_path / "output", "/dev/null", "/dev/fd/1", "/proc/self/fd/1"):
        assert not is_plain(path)
    assert is_plain("/dev/shm/scores.csv")
    assert is_plain(tmp_path / "loop")


def test_standard_output_in_a_file_is_not_replaced(tmp_path: Path) -> None:
    script = (
        "from conceptrank._util.files import write_whole_text\n"
        "write_whole_text('/dev/stdout', 'data')\n"
        "print('seen', file=open('/dev/stderr', 'a'))\n"
    )
    path = tmp_path / "out"
    with path.open("w") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, stderr=out, check=True)
        assert os.fstat(out.fileno()).st_ino == path.stat().st_ino
    assert path.read_text() == "dataseen\n"


def in_a_process(*lines: str) -> "subprocess.CompletedProcess[str]":
    script = "\n".join(["import os, signal", "from conceptrank._util.files import *", *lines])
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


def test_a_kill_midway_leaves_what_was_there(target: Path) -> None:
    ended = in_a_process(
        "def write_to(file):",
        "    file.write(b'x' * 100_000)",
        "    os.kill(os.getpid(), signal.SIGKILL)",
        f"write_whole({str(target)!r}, write_to)",
    )
    assert (ended.returncode, target.read_text()) == (-signal.SIGKILL, OLD)
    write_whole_text(target, "new")
    assert target.read_text() == "new"


def test_a_program_that_ends_leaves_no_file_of_its_threads(target: Path) -> None:
    ended = in_a_process(
        "import threading",
        "from conceptrank._util.files import give_up",
        "begun = threading.Event()",
        "def write_to(file):",
        "    file.write(b'x' * 100_000)",
        "    begun.set()",
        "    threading.Event().wait()",
        f"path = {str(target)!r}",
        "def start(): threading.Thread(target=write_whole, args=(path, write_to)).start()",
        "start()",
        "begun.wait()",
        "give_up()",
        "begun.clear()",
        "start()",
        "os._exit(3 if begun.wait(0.2) else 0)",
    )
    assert (ended.returncode, target.read_text(), alone(target)) == (0, OLD, True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_without_the_right_to_write(target: Path) -> None:
    def as_nobody() -> str:
        write = f"write_whole_text({str(target)!r}, 'new')"
        return in_a_process(f"os.setuid({NOBODY})", write).stderr

    for above in target.parents[1:]:
        if above == Path(tempfile.gettempdir()):
            break
        above.chmod(0o755)
    target.parent.chmod(0o777)
    target.chmod(0o444)
    assert as_nobody().endswith(f"{target}: can't be written: Permission denied\n")
    assert (target.read_text(), alone(target)) == (OLD, True)
    # The directory takes no other file, but this one may be written.
    target.parent.chmod(0o555)
    target.chmod(0o666)
    assert (as_nobody(), target.read_text(), alone(target)) == ("", "new", True)


def lattice() -> cr.Lattice:
    return cr.datasets.load("movies").lattice()


def run_of(path: Path) -> cr.runs.Run:
    return cr.runs.mine(lattice().context, path.parent.parent / "run", workers=1)


# Everything that writes a file, and what comes before the writing.
WRITERS: dict[str, Callable[[Path], Callable[[], object]]] = {
    **{
        f"ranking.{name}": lambda path: partial(lattice().rank("cr").save, path)
        for name in ("csv", "json", "jsonl", "parquet")
    },
    "context.cxt": lambda path: partial(cr.io.save, lattice().context, path),
    "context.csv.gz": lambda path: partial(cr.io.save, lattice().context, path),
    "lattice.parquet": lambda path: partial(lattice().save, path),
    "packed": lambda path: partial(cr.runs.pack(lattice().context).save, path),
    "page.html": lambda path: partial(
        cr.explorer.export, cr.explorer.of_lattice(lattice(), ["cr"]), path
    ),
    "diagram.dot": lambda path: partial(cr.plot.diagram(lattice()).save, path),
    "diagram.png": lambda path: partial(cr.plot.diagram(lattice()).save, path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_on_a_full_disk(target: Path, name: str) -> None:
    if name == "diagram.png":
        pytest.importorskip("matplotlib")
    path = target.with_name(name)
    write = WRITERS[name](path)
    write()
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The same way through the system as a full disk, with another reason.
    resource.setrlimit(resource.RLIMIT_FSIZE, (30, usual[1]))
    try:
        with pytest.raises(WriteError) as caught:
            write()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert str(caught.value) == f"{path}: can't be written: File too large"
    assert caught.value.errno == EFBIG
    assert before == {each.name: each.read_bytes() for each in path.parent.iterdir()}
