"""Take pictures of every view of the explorer at four widths, light and dark, for docs/images.

Needs playwright, Chromium (scripts/browser.sh) and Pillow.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import conceptrank as cr
from conceptrank import explorer

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
# Widths and heights of windows, and how large their pictures are in the sheet.
WINDOWS = [(1920, 1080), (1280, 800), (768, 1024), (390, 844)]
HEIGHT, BETWEEN, GROUND = 520, 10, "#b8bec8"
VIEWS = {
    "short-list": "#list=summary&concept=0",
    "table": "#list=table",
    "concept": "#list=table&panel=concept",
    "diagram": "#list=table&panel=diagram",
    "plot": "#list=table&panel=plot&x=support&y=log_stability",
    "compare": "#list=table&panel=compare&pin=0&pin=1%09a%20name&pin=2",
    "rules": "#list=rules",
}


def main() -> None:
    """Write one sheet per view: a row in light colours above a row in dark ones."""
    table = cr.datasets.random.planted(150, 12, patterns=2, supports=(0.1, 0.2), seed=1)
    lattices = {
        "patterns": table.context.lattice(),
        "movies": cr.datasets.load("movies").lattice(),
    }
    chromium = os.environ.get("CONCEPTRANK_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = {name: Path(folder) / f"{name}.html" for name in lattices}
        for name, lattice in lattices.items():
            explorer.export(lattice, pages[name], title=name)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for view, link in VIEWS.items():
            rows = []
            url = pages["movies" if view == "diagram" else "patterns"].as_uri() + link
            for scheme in ("light", "dark"):
                row = []
                for width, height in WINDOWS:
                    page = browser.new_page(
                        viewport={"width": width, "height": height},
                        color_scheme=scheme,  # type: ignore[arg-type]
                        reduced_motion="reduce",
                    )
                    page.goto(url)
                    page.wait_for_selector("[data-ready=true]")
                    page.wait_for_timeout(300)
                    shot = Image.open(BytesIO(page.screenshot())).convert("RGB")
                    row.append(
                        shot.resize((width * HEIGHT // height, HEIGHT), Image.Resampling.LANCZOS)
                    )
                    page.close()
                rows.append(row)
            sheet(rows).save(IMAGES / f"view-{view}.webp", quality=60, method=6)
        browser.close()


def sheet(rows: list[list[Image.Image]]) -> Image.Image:
    """Return pictures side by side, one row below the other."""
    width = max(sum(each.width + BETWEEN for each in row) for row in rows) + BETWEEN
    whole = Image.new("RGB", (width, len(rows) * (HEIGHT + BETWEEN) + BETWEEN), GROUND)
    for i, row in enumerate(rows):
        left = BETWEEN
        for each in row:
            whole.paste(each, (left, BETWEEN + i * (HEIGHT + BETWEEN)))
            left += each.width + BETWEEN
    return whole


if __name__ == "__main__":
    main()
