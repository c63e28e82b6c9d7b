"""The page can be used by everybody: rules of axe at four widths, on every panel."""

from __future__ import annotations

from pathlib import Path

import pytest

import conceptrank as cr

AXE = (
    Path(__file__).resolve().parents[2] / "explorer-ui" / "node_modules" / "axe-core" / "axe.min.js"
)
PAGES = {
    "short list": "#list=summary",
    "table": "#list=table",
    "diagram": "#list=table&panel=diagram",
    "plot": "#list=table&panel=plot",
    "concept": "#list=table&panel=concept",
    "compare": "#list=table&panel=compare&pin=0&pin=1%09a%20name&pin=2",
    "rules": "#list=rules&basis=luxenburger",
}


@pytest.fixture(scope="module")
def lattice():
    table = cr.datasets.random.planted(150, 12, patterns=2, supports=(0.1, 0.2), seed=1)
    return table.context.lattice()


@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_is_broken(exported, lattice, width, scheme):
    if not AXE.is_file():
        pytest.skip("needs axe-core: `npm ci` in explorer-ui")
    opened = exported(lattice, width=width, height=900, color_scheme=scheme)
    page = opened.page
    # The page's own policy lets no other script run, so it is given as an expression.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for name, link in PAGES.items():
        page.evaluate("link => { location.hash = link; }", link)
        page.wait_for_timeout(150)
        found = page.evaluate(
            """async () => (await axe.run("#conceptrank")).violations.map(
              ({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 99))])"""
        )
        assert found == [], (name, width, scheme)
