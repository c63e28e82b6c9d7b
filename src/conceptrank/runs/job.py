"""`Job`, which all tasks of a run share, and the manifest that stores it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conceptrank._util.files import write_whole
from conceptrank._util.sealed import UNSEALED, is_intact, reading, refuse_other, seal
from conceptrank.budget import Budget
from conceptrank.errors import ConceptRankError, FormatError, MeasureError
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params
from conceptrank.query import labelled

FORMAT = "conceptrank run"
# It must also grow whenever the search visits the concepts of a table in another order, because
# prefixes that are left over mean other concepts then.
VERSION = 1
MANIFEST = "manifest.json"
CONTEXT = "context.packed"
ATTRIBUTES = "attributes.parquet"
STOP = ".stop"


class RunError(ConceptRankError):
    """A run can't be started, resumed or read."""


class StopFile(Budget):
    """A budget that is cancelled by a file, for tasks in other processes and on other machines."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._seen = False

    def cancel(self) -> None:
        """Make the file."""
        with suppress(OSError):  # A full disk must not hide the reason of the stop.
            self._path.touch()

    @property
    def cancelled(self) -> bool:
        """Whether the file is there, or was there when this was asked before."""
        self._seen = self._seen or self._path.exists()
        return self._seen

    def reset(self) -> None:
        """Remove the file."""
        self._seen = False
        self._path.unlink(missing_ok=True)


@dataclass(frozen=True, kw_only=True)
class Job:
    """The settings that all tasks of a run share.

    Parameters
    ----------
    folder
        The folder of the parts and of the packed context.
    digest
        The digest of the packed context.
    measures
        The measures: the label of the column, the name, and the parameters.
    min_support
        The least number of objects of a concept.
    constraints
        Which concepts to mine, as keywords of `Context.lattice` with JSON values.
    key
        The text that parts of this run have in common with no other run; computed if empty.
    """

    folder: str
    digest: str
    measures: tuple[tuple[str, str, Params], ...]
    min_support: int = 0
    constraints: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", self._key())

    def _key(self) -> str:
        content = json.dumps([VERSION, self.digest, self.parameters], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns of scores."""
        return tuple(label for label, _, _ in self.measures)

    @property
    def folder_path(self) -> Path:
        """The folder."""
        return Path(self.folder)

    @property
    def context(self) -> Path:
        """The file of the packed context."""
        return self.folder_path / CONTEXT

    @property
    def stop(self) -> StopFile:
        """The budget that ends the tasks in flight."""
        return StopFile(self.folder_path / STOP)

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings as JSON values."""
        measures = {
            label: {"measure": registry.get(name).name, "parameters": dict(params)}
            for label, name, params in self.measures
        }
        constraints = {"constraints": dict(self.constraints)} if self.constraints else {}
        return {
            "min_support": self.min_support,
            "measures": measures,
            **constraints,
        }

    def measure(self, label: str) -> tuple[registry.Measure, Params]:
        """Return the measure of a column, and its parameters."""
        if label == "support":
            return registry.get(label), {}
        for own, name, params in self.measures:
            if own == label:
                return registry.get(name), params
        raise KeyError(label)

    @classmethod
    def of(cls, folder: Path, manifest: Mapping[str, Any]) -> Job:
        """Return the job that a manifest describes."""
        parameters = manifest["parameters"]
        return cls(
            folder=str(folder),
            digest=manifest["context"]["digest"],
            measures=tuple(
                (label, each["measure"], each["parameters"])
                for label, each in parameters["measures"].items()
            ),
            min_support=parameters["min_support"],
            constraints=parameters.get("constraints", {}),
            key=manifest["key"],
        )


def chosen(measures: Sequence[MeasureLike]) -> tuple[tuple[str, str, Params], ...]:
    """Return the measures of a job; refuse measures that a task can't compute.

    Examples
    --------
    >>> chosen(["cr", ("cr", {"side": "extent"})])
    (('cr', 'cr', {}), ('cr(side=extent)', 'cr', {'side': 'extent'}))
    >>> chosen(["precision"])
    Traceback (most recent call last):
    conceptrank.errors.MeasureError: precision needs labels, which a run doesn't have
    """
    columns, _ = labelled(measures)
    found = []
    for label, (name, params) in columns.items():
        measure = registry.get(name)
        if not measure.builtin:
            raise MeasureError(f"{name} is not built in, so the workers of a run don't know it")
        if measure.needs in ("lattice", "labels", "weights"):
            raise MeasureError(f"{name} needs {measure.needs}, which a run doesn't have")
        if label in ("support", "exact"):
            # Every part has these columns.
            continue
        measure.bind(params)
        try:
            json.dumps(dict(params))
        except (TypeError, ValueError):
            raise MeasureError(
                f"the parameters of {name} must be numbers and texts, got {dict(params)!r}"
            ) from None
        found.append((label, name, dict(params)))
    return tuple(found)


def save_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest, as a whole or not at all."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        **manifest,
        "seal": UNSEALED,
    }
    sealed = seal((json.dumps(content, indent=1) + "\n").encode())
    write_whole(folder / MANIFEST, lambda file: file.write(sealed))


def load_manifest(folder: Path) -> tuple[dict[str, Any], Job]:
    """Return the manifest of a run, and the job that it describes.

    Raises
    ------
    RunError
        If there is none.
    FormatError
        If it is damaged.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(
            f"{folder}: there is no run here (hint: 'conceptrank mine FILE --out {folder}')"
        ) from None
    if not is_intact(content):
        raise FormatError("is damaged: its content is not what was written", source=str(path))
    with reading(str(path)):
        manifest: dict[str, Any] = json.loads(content)
        writer = manifest["versions"]["conceptrank"]
        refuse_other(manifest, FORMAT, VERSION, source=str(path), writer=writer)
        return manifest, Job.of(folder, manifest)
