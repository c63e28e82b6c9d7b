"""What the comparisons share: where the data are, the other packages, and processes that use them.

Every other package lives in a virtual environment of its own, which is made in `build/peers` when
it is first needed. A process with that package answers questions of the comparison, one line of
JSON for each, so that several of them can be timed in turns.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    # It fails on its first call with newer versions of what it builds on.
    "caspailleur": ("caspailleur==0.2.2", "scikit-learn<1.6", "pandas<3"),
    "concepts": ("concepts==0.9.2",),
    "efficient_apriori": ("efficient-apriori==2.0.6",),
    "fcapy": ("fcapy==0.1.4.5", "pandas"),
    "mlxtend": ("mlxtend==0.25.0",),
    "odis": ("odis-python==2026.9.1",),
    "pandas": ("pandas",),
    "pyfim": ("pyfim==6.28",),
    "pysubgroup": ("pysubgroup==0.9.0",),
    # It needs Java.
    "pyspark": ("pyspark>=4", "numpy"),
    # It fails with newer versions of what it builds on.
    "skmine": ("scikit-mine==1.0.0", "scikit-learn<1.6"),
}


class PeerError(Exception):
    """A package could not be installed, or failed."""


def data_file(name: str) -> Path:
    """Return the path of a file of the data directory, whether it is there or not."""
    folder = os.environ.get("CONCEPTRANK_DATA")
    return (Path(folder) if folder else ROOT.parent / "shared" / "data") / name


def existing_data_file(name: str) -> Path:
    """Return the path of a file of the data directory; end the program if it is not there."""
    path = data_file(name)
    if not path.exists():
        sys.exit(f"{path} is not there: set CONCEPTRANK_DATA to the data directory")
    return path


def python_of(name: str) -> Path:
    """Return the interpreter that has a package, in an environment made for it if need be."""
    if name == "conceptrank":
        return Path(sys.executable)
    folder = ROOT / "build" / "peers" / name
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists():
        print(f"installing {name}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        command = [str(python), "-m", "pip", "install", "--quiet", *PACKAGES[name]]
        done = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise PeerError(f"{name} can't be installed: {done.stderr.strip()[-300:]}")
        ready.touch()
    return python


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long something took, and what came out."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


class Worker:
    """A process of a package that answers the questions of a comparison."""

    def __init__(self, script: str, name: str) -> None:
        self._process = subprocess.Popen(
            [str(python_of(name)), script, "--work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.alive = True

    def ask(self, question: object, *, limit: float | None = None) -> Any:
        """Return the answer; None if it takes more than `limit` seconds, which ends the process."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(limit):
                self._process.kill()
                self.close()
                return None
        line = self._process.stdout.readline()
        if not line:
            self.close()
            raise PeerError("the process died")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer["answer"]

    def close(self) -> None:
        """End the process."""
        self.alive = False
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def serve(answer: Callable[[Any], Any]) -> None:
    """Answer the questions on standard input until there are no more: the worker's side."""
    channel, sys.stdout = sys.stdout, sys.stderr  # what a package prints is no answer
    for line in sys.stdin:
        try:
            reply = {"answer": answer(json.loads(line))}
        except MemoryError:
            reply = {"error": "out of memory"}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(reply), file=channel, flush=True)
