"""Take the pictures of the explorer in docs/images.

    python scripts/screenshots.py TABLE MANY

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
BETWEEN, GROUND = 10, "#b8bec8"
# Pictures of the files: their names, links and colour schemes.
FILES = [
    [("light", "#list=summary", "light"), ("table", "#list=table", "dark")],
    [("dark", "#list=table&panel=plot&x=separation&y=stability", "dark")],
]


def main() -> None:
    """Write the pictures of both files, and one of two narrow windows side by side."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = os.environ.get("CONCEPTRANK_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for path, pictures in zip(map(Path, sys.argv[1:]), FILES, strict=True):
            url = exported(cr.load(path), path.stem, folder)
            for name, link, scheme in pictures:
                shot = picture(browser, url + link, 1280, 800, scheme)
                shot.save(IMAGES / f"explorer-{name}.png")
        table = cr.datasets.random.planted(150, 12, patterns=2, supports=(0.1, 0.2), seed=1)
        narrow = [
            (exported(table.context, "patterns", folder) + "#list=summary", "light"),
            (exported(cr.datasets.load("movies"), "movies", folder) + "#panel=diagram", "dark"),
        ]
        shots = [picture(browser, url, 390, 780, scheme) for url, scheme in narrow]
        whole = Image.new("RGB", (2 * (390 + BETWEEN) + BETWEEN, 780 + 2 * BETWEEN), GROUND)
        for place, shot in enumerate(shots):
            whole.paste(shot, (BETWEEN + place * (390 + BETWEEN), BETWEEN))
        whole.save(IMAGES / "explorer-narrow.png")
        browser.close()


def exported(context: cr.Context, name: str, folder: str) -> str:
    """Write the page of a context, and return its address."""
    page = Path(folder) / f"{name}.html"
    explorer.export(explorer.of_lattice(context.lattice(), title=name), page)
    return page.as_uri()


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


if __name__ == "__main__":
    main()
