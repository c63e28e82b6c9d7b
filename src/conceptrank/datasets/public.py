"""The catalogue of public data sets: where each is found, and how it becomes a context."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from conceptrank._util.lazy import pl
from conceptrank.context import Context
from conceptrank.datasets import fetching
from conceptrank.datasets.fetching import DataUnavailableError

# Data of the paper that are not public; users with a copy give a file.
NOT_PUBLIC = {
    "linkedin": "the LinkedIn data of the paper (1269 × 34)",
    "pedia_languages": "the PediaLanguages data of the paper (316 × 169)",
}
# Ranks of the skills, by the number of users, that the substitute for LinkedIn keeps.
_SKILLS = slice(22, 56)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A public data set.

    Attributes
    ----------
    name, title, license
        Its name, a description, and the licence that its source names.
    file, sha256
        Its path inside of a data directory, and its checksum there.
    url, fetched
        Where it can be downloaded, and the checksum of that file if it is another one.
    reader, options
        How it is read.
    objects, attributes, concepts
        The known counts; None if a count is unknown.
    """

    name: str
    title: str
    file: str
    sha256: str
    url: str
    license: str
    reader: str
    fetched: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    objects: int | None = None
    attributes: int | None = None
    concepts: int | None = None

    def path(self, *, download: bool = True) -> Path:
        """Return where its file is, downloaded if it has to be.

        Raises
        ------
        DataUnavailableError
            If the file is missing and can't be downloaded, or has a wrong checksum.
        """
        checksums = {self.sha256, self.fetched or self.sha256}
        names = dict.fromkeys((self.file, self._kept_as, self.url.rpartition("/")[2]))
        for name in names:
            if found := fetching.find(name, checksums=checksums):
                return found
        if not download:
            raise DataUnavailableError(
                f"{self.name} is not on this machine (hint: allow the download, or put "
                f"{Path(self.file).name} into the directory that ${fetching.DATA} names)"
            )
        try:
            return fetching.fetch(self.url, sha256=self.fetched or self.sha256, name=self._kept_as)
        except DataUnavailableError as error:
            raise DataUnavailableError(
                f"{self.name} is not on this machine, and {error}"
            ) from error

    def read(self, path: Path) -> Context:
        """Return the context in a file of this data set."""
        return _READERS[self.reader](path, **self.options)

    @property
    def _kept_as(self) -> str:
        """The name in the cache: files of two data sets may have the same one."""
        return f"{self.name}-{self.url.rpartition('/')[2]}"


@cache
def catalogue() -> Mapping[str, Entry]:
    """Return all public data sets by name.

    Examples
    --------
    >>> catalogue()["diagnosis"].concepts, catalogue()["mushroom"].objects
    (88, 8124)
    """
    text = files("conceptrank.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: Entry(name=name, **entry) for name, entry in tomllib.loads(text).items()}


def _scaled(
    path: Path, *, scale: str = "nominal", missing: str = "no_cross", **how: Any
) -> Context:
    """Read a table of values: all columns scaled alike, except for a class behind numbers."""
    from conceptrank.scaling import Plan, read_table

    table = read_table(path, **how)
    scales = dict.fromkeys(table.columns, scale)
    if scale != "nominal":
        scales[table.columns[-1]] = "nominal"
    return Plan(scales, missing=missing).apply(table)


def _ones(path: Path, **how: Any) -> Context:
    """Read a table of zeros and ones, in which a one is a cross."""
    from conceptrank.scaling import read_table

    table = read_table(path, **how)
    ones = table.select(pl.all().cast(pl.String) == "1")
    return Context.from_numpy(ones.to_numpy(), attributes=ones.columns)


def _zero_one(path: Path) -> Context:
    """Read lines of zeros and ones, the first of which is a class."""
    return Context.from_numpy(np.loadtxt(path, dtype=np.uint8)[:, 1:])


def _graph(path: Path) -> Context:
    """Read a graph as its adjacency."""
    from conceptrank.convert.shared import imported

    return Context.from_networkx(imported("networkx").read_gml(path))


def _skills(path: Path) -> Context:
    """Read lines of user, skill and position: the 34 skills of middling frequency."""
    having: dict[str, dict[str, None]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = line.split("\t")
        # One line of the file is incomplete: it has no position.
        if len(parts) == 3:
            having.setdefault(f"u{parts[0]}", {})[parts[1]] = None
    frequency = Counter(skill for skills in having.values() for skill in skills)
    ranked = sorted(frequency, key=lambda skill: (-frequency[skill], skill))
    chosen = sorted(ranked[_SKILLS])
    rows = {user: [skill in skills for skill in chosen] for user, skills in having.items()}
    rows = {user: row for user, row in rows.items() if any(row)}
    return Context(list(rows), chosen, list(rows.values()))


def _languages(path: Path) -> Context:
    """Read a table of official languages: countries have the codes of theirs."""
    from conceptrank.scaling import read_table

    table = read_table(path, format="csv", header=True)
    pairs = table.select("country", "glottocode").drop_nulls().rows()
    context = Context.from_pairs(sorted(set(pairs)))
    return context.select(attributes=sorted(context.attributes))


def _context(path: Path, **how: Any) -> Context:
    from conceptrank.scaling.loading import load

    return load(path, **how)


_READERS: dict[str, Callable[..., Context]] = {
    "context": _context,
    "scaled": _scaled,
    "ones": _ones,
    "zero_one": _zero_one,
    "graph": _graph,
    "skills": _skills,
    "languages": _languages,
}
