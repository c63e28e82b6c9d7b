"""A real browser for the explorer, and pages opened in it that must not fail in silence."""

from __future__ import annotations

import os
import shutil
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from conceptrank import explorer
from conceptrank.explorer import Content, Server
from conceptrank.lattice import Lattice

NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    given = os.environ.get("CONCEPTRANK_CHROMIUM")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = executable()
    if path is None:
        pytest.skip("there is no Chromium here, and scripts/browser.sh could not install one")
    with playwright.sync_playwright() as started:
        # The sandbox needs rights that containers don't give; what is opened is our own.
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        launched = started.chromium.launch(executable_path=path, args=options)
        yield launched
        launched.close()


class Opened:
    """A page with everything that went wrong in it, and every request that it made."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._heard)
        page.on("request", lambda request: self.requests.append(request.url))

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def settled(self, action: Callable[[], Any] | None = None) -> None:
        """Do something, and wait until the page has answered it."""
        before = self.page.evaluate("document.querySelector('.cr-explorer').dataset.settled")
        if action is not None:
            action()
        self.page.wait_for_function(
            "before => document.querySelector('.cr-explorer').dataset.settled !== before",
            arg=before,
        )
        self.page.wait_for_timeout(30)

    @property
    def shown(self) -> list[int]:
        """The numbers of the concepts in sight."""
        ids = "rows => rows.map(row => Number(row.dataset.id))"
        found: list[int] = self.page.eval_on_selector_all(".cr-rows .cr-row", ids)
        return found

    @property
    def status(self) -> str:
        text: str = self.page.text_content(".cr-status")
        return text


@pytest.fixture(scope="session")
def idle(browser: Any) -> Iterator[dict[str, list[Opened]]]:
    """Pages that no test uses at present, by their options: making one takes a while."""
    pages: dict[str, list[Opened]] = defaultdict(list)
    yield pages
    for each in chain.from_iterable(pages.values()):
        each.page.context.close()


@pytest.fixture
def opened(browser: Any, idle: dict[str, list[Opened]]) -> Iterator[Callable[..., Opened]]:
    """Open addresses; at the end nothing must have gone wrong in any of the pages."""
    pages: list[tuple[str, Opened]] = []

    def open_page(url: str, *, width: int = 1280, height: int = 800, **options: Any) -> Opened:
        viewport = {"width": width, "height": height}
        # Nodes that move would be somewhere else when a test looks.
        options.setdefault("reduced_motion", "reduce")
        key = repr((viewport, options))
        if not idle[key]:
            context = browser.new_context(viewport=viewport, accept_downloads=True, **options)
            # A machine that has much else to do may need minutes.
            context.set_default_timeout(600_000)
            idle[key].append(Opened(context.new_page()))
        one = idle[key].pop()
        pages.append((key, one))
        one.problems.clear()
        one.requests.clear()
        one.page.goto(url)
        one.page.wait_for_selector("[data-ready=true]")
        return one

    yield open_page
    problems = [problem for _, each in pages for problem in each.problems]
    for key, each in pages:
        each.page.goto("about:blank")
        idle[key].append(each)
    assert problems == []


@pytest.fixture
def exported(opened: Callable[..., Opened], tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Open the page of a lattice, which must not ask the network for anything."""
    pages: list[Opened] = []

    def open_lattice(
        lattice: Lattice,
        measures: Any = explorer.DEFAULT_MEASURES,
        *,
        link: str = "",
        title: str = "a title",
        **options: Any,
    ) -> Opened:
        path = tmp_path / f"page{len(pages)}.html"
        explorer.export(explorer.of_lattice(lattice, measures, title=title), path)
        pages.append(opened(path.as_uri() + link, **options))
        return pages[-1]

    yield open_lattice
    for each in pages:
        assert [
            url for url in each.requests if not url.startswith(("file:", "data:", "blob:"))
        ] == []


@pytest.fixture
def served() -> Iterator[Callable[..., Server]]:
    """Serve lattices and other content in threads of their own."""
    running: list[tuple[Server, threading.Thread]] = []

    def serve(make: Callable[[int], Content], **options: Any) -> Server:
        server = Server(make, **options)
        ready = threading.Event()
        thread = threading.Thread(target=server.run, args=(ready.set,), daemon=True)
        thread.start()
        running.append((server, thread))
        assert ready.wait(600)
        return server

    yield serve
    for server, thread in running:
        server.stop()
        thread.join(600)
        server.close()
        assert not thread.is_alive()
