"""What all tasks of a run share, and the manifest that keeps it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conceptrank.errors import ConceptRankError, FormatError, MeasureError
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params
from conceptrank.ranking.recipe import labelled

__all__ = ["Job", "RunError", "chosen", "load_manifest", "save_manifest"]

FORMAT = "conceptrank run"
VERSION = 1
MANIFEST = "manifest.json"
CONTEXT = "context.packed"


class RunError(ConceptRankError):
    """A run can't begin, go on, or be read as it was asked for."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What all tasks of a run share.

    Parameters
    ----------
    folder
        Where parts go; the packed context is there as well.
    digest
        Of the packed context.
    measures
        The measures: the label of the column, the name, and the parameters.
    min_support
        The least number of objects of a concept.
    top
        How many of the best concepts to keep, or None for all.
    by
        The label of the measure that says which are the best.
    """

    folder: str
    digest: str
    measures: tuple[tuple[str, str, Params], ...]
    min_support: int = 0
    top: int | None = None
    by: str | None = None

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

    @cached_property
    def key(self) -> str:
        """What tells the parts of this run from those of all others.

        Versions are part of it: another one may walk the tree in another order.
        """
        from conceptrank import __version__

        content = json.dumps([VERSION, __version__, self.digest, self.parameters], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def parameters(self) -> dict[str, Any]:
        """What was asked for, as JSON can have it."""
        measures = {
            label: {"measure": registry.get(name).name, "parameters": dict(params)}
            for label, name, params in self.measures
        }
        return {
            "min_support": self.min_support,
            "measures": measures,
            "top": self.top,
            "by": self.by,
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
        """Return the job that a manifest tells of."""
        parameters = manifest["parameters"]
        return cls(
            folder=str(folder),
            digest=manifest["context"]["digest"],
            measures=tuple(
                (label, each["measure"], each["parameters"])
                for label, each in parameters["measures"].items()
            ),
            min_support=parameters["min_support"],
            top=parameters["top"],
            by=parameters["by"],
        )


def chosen(measures: Sequence[MeasureLike]) -> tuple[tuple[str, str, Params], ...]:
    """Return measures as a job has them; those that a task can't compute are refused.

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
            raise MeasureError(f"{name} is not built in: workers of a run don't know it")
        if measure.needs in ("lattice", "labels", "weights"):
            raise MeasureError(f"{name} needs {measure.needs}, which a run doesn't have")
        if label in ("support", "exact"):
            # Every part has these.
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


def refuse_name(folder: Path) -> None:
    """Fail if the name of a folder is no text, as polars can't read there."""
    try:
        str(folder.absolute()).encode()
    except UnicodeEncodeError:
        raise RunError(
            f"{folder}: a run needs a folder whose path is UTF-8 (hint: rename it)"
        ) from None


def save_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest, as a whole or not at all."""
    from conceptrank._whole_file import write_whole_text

    text = json.dumps({"format": FORMAT, "version": VERSION, **manifest}, indent=1) + "\n"
    write_whole_text(folder / MANIFEST, text)


def load_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a run.

    Raises
    ------
    RunError
        If there is none.
    FormatError
        If it is damaged.
    """
    refuse_name(folder)
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(
            f"{folder}: there is no run here (hint: 'conceptrank mine FILE --out {folder}')"
        ) from None
    try:
        manifest = json.loads(text)
        ok = manifest["format"] == FORMAT
        Job.of(folder, manifest)
    except (ValueError, KeyError, TypeError, AttributeError):
        ok = False
    if not ok:
        raise FormatError("is damaged, or no manifest of a run", source=str(path))
    if manifest["version"] != VERSION:
        raise FormatError(f"is in version {manifest['version']} of the format", source=str(path))
    loaded: dict[str, Any] = manifest
    return loaded
