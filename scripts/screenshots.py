"""Take pictures of every view of the explorer at four widths, light and dark, for docs/images.

    python scripts/screenshots.py [TABLE [MANY]]

TABLE, such as zoo.arff, is shown with its short list and its table; MANY, a file of many concepts
such as mushroom, as a plot. Needs playwright, Chromium (scripts/browser.sh) and Pillow.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import conceptrank as cr
from conceptrank import explorer

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
# Widths and heights of windows, and how large their pictures are in the sheet.
WINDOWS = [(1920, 1080), (1280, 800), (768, 1024), (390, 844)]
HEIGHT, BETWEEN, GROUND = 520, 10, "#b8bec8"
VIEWS = {
    "short-list": "#list=summary",
    "table": "#list=table",
    "concept": "#list=table&panel=concept",
    "diagram": "#list=table&panel=diagram",
    "plot": "#list=table&panel=plot&x=support&y=log_stability",
    "compare": "#list=table&panel=compare&pin=0&pin=1%09a%20name&pin=2",
    "rules": "#list=rules",
}


NARROW = {"light": "patterns.html#list=summary", "dark": "movies.html#list=table&panel=diagram"}
# Pictures of the files: their names, links and colour schemes.
FILES = [
    [("light", "#list=summary", "light"), ("table", "#list=table", "dark")],
    [("dark", "#list=table&panel=plot&x=separation&y=stability", "dark")],
]


def main() -> None:
    """Write one sheet per view: a row in light colours above a row in dark ones."""
    table = cr.datasets.random.planted(150, 12, patterns=2, supports=(0.1, 0.2), seed=1)
    lattices = {
        "patterns": table.context.lattice(),
        "movies": cr.datasets.load("movies").lattice(),
    }
    files = [Path(name) for name in sys.argv[1:]]
    lattices |= {path.name: cr.load(path).lattice() for path in files}
    chromium = os.environ.get("CONCEPTRANK_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = {name: Path(folder) / f"{name}.html" for name in lattices}
        for name, lattice in lattices.items():
            explorer.export(explorer.of_lattice(lattice, title=name), pages[name])
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for view, link in VIEWS.items():
            url = pages["movies" if view == "diagram" else "patterns"].as_uri() + link
            rows = [
                [
                    shot.resize((width * HEIGHT // height, HEIGHT), Image.Resampling.LANCZOS)
                    for width, height in WINDOWS
                    if (shot := picture(browser, url, width, height, scheme))
                ]
                for scheme in ("light", "dark")
            ]
            sheet(rows).save(IMAGES / f"view-{view}.webp", quality=60, method=6)
        address = Path(folder).as_uri() + "/"
        narrow = [
            picture(browser, address + link, 390, HEIGHT * 3 // 2, scheme)
            for scheme, link in NARROW.items()
        ]
        sheet([narrow]).save(IMAGES / "explorer-narrow.png")
        for path, pictures in zip(files, FILES, strict=False):
            for name, link, scheme in pictures:
                shot = picture(browser, pages[path.name].as_uri() + link, 1280, 800, scheme)
                shot.save(IMAGES / f"explorer-{name}.png")
        browser.close()


def picture(browser: Any, url: str, width: int, height: int, scheme: str) -> Image.Image:
    """Return what a window of this size shows."""
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page.goto(url)
    page.wait_for_selector("[data-ready=true]")
    page.wait_for_timeout(300)
    shot = Image.open(BytesIO(page.screenshot())).convert("RGB")
    page.close()
    return shot


def sheet(rows: list[list[Image.Image]]) -> Image.Image:
    """Return pictures side by side, one row below the other."""
    width = max(sum(each.width + BETWEEN for each in row) for row in rows) + BETWEEN
    height = max(each.height for row in rows for each in row) + BETWEEN
    whole = Image.new("RGB", (width, len(rows) * height + BETWEEN), GROUND)
    for i, row in enumerate(rows):
        left = BETWEEN
        for each in row:
            whole.paste(each, (left, BETWEEN + i * height))
            left += each.width + BETWEEN
    return whole


if __name__ == "__main__":
    main()
