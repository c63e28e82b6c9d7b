"""The diagram: its layouts, movement, dragged nodes, fingers, keys; forced colours, print, zoom."""

from __future__ import annotations

import re

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.plot.suborder import SubOrder

PLACES = """() => Object.fromEntries([...document.querySelectorAll(".cr-canvas [data-node]")].map(
  (node) => {
    const { x, y, width, height } = [...node.querySelectorAll("circle")].at(-1)
      .getBoundingClientRect();
    return [node.dataset.node, [x + width / 2, y + height / 2]];
  }))"""
FOCUSED = "document.activeElement.dataset.node"
TRANSFORM = "document.querySelector('.cr-canvas > g').getAttribute('transform')"


@pytest.fixture(scope="module")
def lattice():
    return cr.datasets.load("movies").lattice()


def choose(opened, name, value):
    opened.settled(lambda: opened.page.select_option(f"[aria-label='{name}']", value))


def same(places, others):
    return all(at == pytest.approx(others[name]) for name, at in places.items())


def test_layouts(exported, lattice):
    """Each is that of the figures, up to how far it is stretched."""
    opened = exported(lattice)
    for kind in ("additive", "support", "layered"):
        choose(opened, "layout", kind)
        places = opened.page.evaluate(PLACES)
        found = cr.plot.diagram(SubOrder.whole(lattice), layout=kind).layout
        for axis, wanted in ((0, found.x), (1, found.layer)):
            values = [places[str(i)][axis] for i in range(len(lattice))]
            low, wide = min(values), max(values) - min(values)
            least, span = min(wanted), max(wanted) - min(wanted)
            shares = [(value - low) / wide for value in values]
            assert shares == pytest.approx([(v - least) / span for v in wanted], abs=0.01)
    assert "layout=layered" in opened.page.url


def test_dragged_nodes_stay_in_the_link(exported, lattice):
    opened = exported(lattice)
    page = opened.page
    start = page.evaluate(PLACES)
    x, y = start["5"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 3, steps=4)
    opened.settled(page.mouse.up)
    moved = page.evaluate(PLACES)
    assert moved["5"][0] == pytest.approx(x + 40, abs=2)
    again = exported(lattice, link=page.url[page.url.index("#") :])
    places = again.page.evaluate(PLACES)
    wide = {name: abs(at[0] - places["0"][0]) for name, at in places.items()}
    scale = (moved["5"][0] - moved["0"][0]) / (places["5"][0] - places["0"][0])
    for name, at in moved.items():
        assert abs(at[0] - moved["0"][0]) == pytest.approx(wide[name] * scale, abs=2)
    opened.settled(lambda: page.click("text=↺"))
    assert same(page.evaluate(PLACES), start)
    assert "moved" not in page.url
    opened.settled(page.go_back)
    assert "moved" in page.url
    # Another part of the lattice has places of its own.
    choose(opened, "what to draw", "iceberg")
    assert "moved" not in page.url


def test_two_fingers_zoom(exported, lattice):
    page = exported(lattice).page
    box = page.locator(".cr-canvas").bounding_box()
    before = page.evaluate(PLACES)
    page.evaluate(
        """([x, y]) => {
          const svg = document.querySelector(".cr-canvas");
          svg.setPointerCapture = () => {};
          const send = (kind, pointerId, dx) => svg.dispatchEvent(new PointerEvent(kind, {
            pointerId, pointerType: "touch", clientX: x + dx, clientY: y, button: 0, bubbles: true,
          }));
          send("pointerdown", 1, -20); send("pointerdown", 2, 20);
          send("pointermove", 1, -40); send("pointermove", 2, 40);
          send("pointerup", 1, -40); send("pointerup", 2, 40);
        }""",
        [box["x"] + 100, box["y"] + 60],
    )
    after = page.evaluate(PLACES)
    wide = [
        max(at[0] for at in each.values()) - min(at[0] for at in each.values())
        for each in (before, after)
    ]
    assert wide[1] == pytest.approx(2 * wide[0], rel=0.01)
    # The point between the fingers stays where it is.
    name = "3"
    for axis, start in ((0, box["x"] + 100), (1, box["y"] + 60)):
        assert after[name][axis] - start == pytest.approx(2 * (before[name][axis] - start), abs=1)


def test_every_function_by_keyboard(exported, lattice):
    """No step uses the mouse."""
    opened = exported(lattice, link="#list=table&panel=diagram")
    page = opened.page
    press = page.keyboard.press
    reached = set()
    for _ in range(60):
        press("Tab")
        reached.add(
            page.evaluate(
                "(({ title, ariaLabel, dataset }) => dataset.node ? 'node' : ariaLabel || title)"
                "(document.activeElement)"
            )
        )
        if page.evaluate(FOCUSED) is not None:
            break
    assert {"what to draw", "layout", "labels", "colour by", "size by", "node"} <= reached
    # Arrows walk along the lines and along the layers.
    edges = {(upper, lower) for lower, upper in SubOrder.whole(lattice).covers.tolist()}
    while (node := int(page.evaluate(FOCUSED))) != 0:
        press("ArrowUp")
        assert (int(page.evaluate(FOCUSED)), node) in edges
    press("ArrowDown")
    lower = int(page.evaluate(FOCUSED))
    assert (0, lower) in edges
    press("ArrowRight")
    assert int(page.evaluate(FOCUSED)) != lower
    press("ArrowLeft")
    # Zoom and fit.
    press("0")
    fitted = page.evaluate(TRANSFORM)
    press("+")
    assert page.evaluate(TRANSFORM) != fitted
    press("0")
    assert page.evaluate(TRANSFORM) == fitted
    # Pick, move, draw the neighbours; the focus stays.
    node = page.evaluate(FOCUSED)
    opened.settled(lambda: press("Enter"))
    assert f"concept={node}" in page.url
    assert page.evaluate(FOCUSED) == node
    before = page.evaluate(PLACES)[node]
    opened.settled(lambda: press("Shift+ArrowRight"))
    assert page.evaluate(PLACES)[node][0] == pytest.approx(before[0] + 12, abs=1)
    assert page.evaluate(FOCUSED) == node
    opened.settled(lambda: press("Shift+Enter"))
    assert "view=near" in page.url
    # The buttons come next.
    reached = set()
    page.focus(".cr-canvas [tabindex='0']")
    for _ in range(7):
        press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent"))
    assert {"+", "−", "fit", "⤢", "SVG", "PNG"} <= reached
    page.focus("text=SVG")
    with page.expect_download():
        press("Enter")


def luminance(colour: str) -> float:
    numbers = re.findall(r"\d+", colour)[:3]
    parts = [int(each) / 255 for each in numbers]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    "look",
    [
        {"color_scheme": "light"},
        {"color_scheme": "dark"},
        {"forced_colors": "active"},
        {"forced_colors": "active", "color_scheme": "dark"},
    ],
    ids=lambda look: "-".join(look.values()),
)
def test_lines_and_outlines_stand_out(exported, lattice, look):
    page = exported(lattice, link="#view=near", **look).page
    ground, *others = page.evaluate(
        """() => {
          const style = (selector) => getComputedStyle(document.querySelector(selector));
          return [style(".cr-panel-diagram").backgroundColor, style("[data-edge]").stroke,
            style("[data-node] circle:last-child").stroke, style(".cr-canvas text").fill];
        }"""
    )
    for colour in others:
        low, high = sorted((luminance(ground), luminance(colour)))
        assert (high + 0.05) / (low + 0.05) >= 3, (ground, colour)


def test_print(exported, lattice):
    page = exported(lattice, link="#view=near&theme=dark").page
    page.emulate_media(media="print")
    page.wait_for_selector(".cr-canvas[viewBox]", state="attached")
    assert not page.is_visible(".cr-search")
    assert not page.is_visible(".cr-tools")
    assert page.is_visible(".cr-canvas")
    ground = page.evaluate(
        "getComputedStyle(document.querySelector('.cr-panel-diagram')).backgroundColor"
    )
    assert luminance(ground) == pytest.approx(1) or ground.endswith(", 0)")
    colour = page.evaluate("getComputedStyle(document.querySelector('.cr-canvas text')).fill")
    assert luminance(colour) < 0.2
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="screen")


@pytest.mark.parametrize(("width", "ratio"), [(1280, 1), (768, 1), (640, 2), (390, 1)])
def test_no_function_is_lost_on_small_screens(exported, lattice, width, ratio):
    """A screen of 1280 pixels at 200 % has 640 of them."""
    link = "#list=table&panel=diagram"
    opened = exported(lattice, link=link, width=width, height=700, device_scale_factor=ratio)
    page = opened.page
    for name in ("what to draw", "layout", "labels", "colour by", "size by"):
        box = page.locator(f"[aria-label='{name}']").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    for name in ("Zoom in", "Fit the diagram into the panel", "Save the diagram as SVG"):
        assert page.is_visible(f"[aria-label='{name}']")
    box = page.locator(".cr-canvas").bounding_box()
    assert min(box["width"], box["height"]) >= 150
    for x, y in page.evaluate(PLACES).values():
        assert box["x"] <= x <= box["x"] + box["width"]
        assert box["y"] <= y <= box["y"] + box["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_names_of_every_script(exported):
    names = ["שלום עולם", "مرحبا (a)", "👩‍👩‍👧 family", "long " * 40, "mixed אבג abc"]
    lattice = cr.Context.from_numpy(~np.eye(5, dtype=bool), attributes=names).lattice()
    page = exported(lattice, link="#list=table&concept=0").page
    texts = page.eval_on_selector_all(
        ".cr-canvas text",
        "all => all.map((t) => [t.textContent, t.getAttribute('direction'),"
        " t.getAttribute('unicode-bidi')])",
    )
    shown = {text: direction for text, direction, _ in texts}
    assert {isolation for *_, isolation in texts} == {"plaintext"}
    assert shown["שלום עולם"] == "rtl"
    assert "👩‍👩‍👧 family" in shown
    assert shown["mixed אבג abc"] is None
    assert all(len(text) < 40 for text in shown)
