"""Check a built site: every internal link leads somewhere, and every public name is documented.

Usage: check_site.py FOLDER
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import conceptrank


class _Page(HTMLParser):
    """The targets and the links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append(value)


def public_names() -> Iterator[str]:
    """Yield the public names: those of the package and of the modules that it makes public."""
    others = ("conceptrank.best", "conceptrank.ranking")
    modules = [conceptrank, *map(importlib.import_module, others)]
    seen = set()
    while modules:
        module = modules.pop(0)
        if module.__name__ in seen:
            continue
        seen.add(module.__name__)
        for name in public_members(module):
            member = getattr(module, name)
            if not isinstance(member, ModuleType):
                yield f"{module.__name__}.{name}"
            elif module.__name__ != "conceptrank.measures":  # docs/measures.md has these
                modules.append(member)


def public_members(module: ModuleType) -> list[str]:
    """Return `__all__`, or the classes and functions that a module without it defines."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if name != "__version__"]
    return [
        name
        for name, member in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(member) or inspect.isfunction(member))
        and member.__module__ == module.__name__
    ]


def dead_links(folder: Path) -> Iterator[str]:
    """Yield the links within the site that lead nowhere."""
    # Pages of the explorer are programs with addresses of their own; the theme has templates.
    pages = {
        path: _Page(path.read_text("utf-8"))
        for path in sorted(folder.rglob("*.html"))
        if path.parent.name not in ("live", "_static")
    }
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            missing = not target.exists()
            if not missing and parts.fragment and target in pages:
                missing = unquote(parts.fragment) not in pages[target].anchors
            if missing and link != "#":
                yield f"{path.relative_to(folder)}: {link}"


def undocumented(folder: Path) -> Iterator[str]:
    """Yield the public names that no page of the reference defines, under any of their paths."""
    defined = {
        anchor
        for path in (folder / "api").glob("*.html")
        for anchor in _Page(path.read_text("utf-8")).anchors
    }
    shown = {id(_found(anchor)) for anchor in defined if anchor.startswith("conceptrank")}
    for name in public_names():
        if name not in defined and id(_found(name)) not in shown:
            yield name


def _found(path: str) -> object:
    """Return what a dotted name stands for; the name itself if it is nothing."""
    parts = path.split(".")
    found: object = conceptrank
    for part in parts[1:]:
        try:
            found = getattr(found, part)
        except AttributeError:
            return path
    return found


if __name__ == "__main__":
    site = Path(sys.argv[1]).resolve()
    faults = [f"dead link: {link}" for link in dead_links(site)]
    faults += [f"not in the reference: {name}" for name in undocumented(site)]
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))
