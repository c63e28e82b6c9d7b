"""Hostile names, next to nothing, all alike: a page that makes sense."""

from __future__ import annotations

import pytest

import conceptrank as cr

HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\"quoted\" 'twice' & <b>bold</b>",
    "שלום עולם",  # right to left
    "\u202eright to left by force",
    "javascript:window.hacked=1",
    "=HYPERLINK(1)",
    "very long " * 500,
    "nul\x00and\x1bescape",
    "]]>--><!--",
    "${window.hacked = 1}",
    "half a letter \udce9",
]


def test_hostile_names_are_text(exported):
    n = len(HOSTILE)
    rows = [[i != j and (i + j) % 3 != 0 for j in range(n)] for i in range(n)]
    lattice = cr.Context(HOSTILE, [f"{name} " for name in HOSTILE], rows).lattice()
    for link, width in (("", 1280), ("#view=iceberg&most=30&labels=full", 1280), ("", 390)):
        opened = exported(lattice, link=link, width=width, title=HOSTILE[0])
        page = opened.page
        for concept in range(0, len(lattice), 4):
            opened.settled(
                lambda c=concept, page=page: page.evaluate(f"location.hash = '#concept={c}'")
            )
        opened.settled(lambda page=page: page.fill(".cr-search", "<img"))
        assert page.evaluate("window.hacked") is None
        assert page.locator("#conceptrank img, #conceptrank script, #conceptrank b").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        inside = page.evaluate(
            "[...document.querySelectorAll('.cr-panel')].every(p => p.scrollWidth <= p.clientWidth)"
        )
        assert inside
        assert HOSTILE[0] in page.text_content("h1")
        assert page.title() == HOSTILE[0]


def test_a_name_cannot_turn_its_neighbours_round(exported):
    lattice = cr.Context("g", ["\u202eabc", "def"], [[1, 1]]).lattice()
    text = exported(lattice, link="#labels=full").page.text_content("#conceptrank")
    assert "\ufffdabc" in text
    assert "\u202e" not in text


@pytest.mark.parametrize("measures", [["cr"], cr.explorer.DEFAULT_MEASURES])
@pytest.mark.parametrize(
    ("rows", "concepts"),
    [([], 0), ([[1, 1]], 1), ([[1, 0]], 2), ([[1, 0], [0, 1]], 4)],
    ids=["none", "one", "two", "all alike"],
)
def test_next_to_nothing(exported, rows, concepts, measures):
    context = cr.Context(range(len(rows)), "ab", rows)
    lattice = context.lattice(min_support=0 if rows else 1)
    assert len(lattice) == concepts
    opened = exported(lattice, measures)
    assert len(opened.shown) == concepts
    assert opened.page.locator("[data-node]").count() == concepts
    opened.settled(lambda: opened.page.click("[data-tab=plot]"))
    text = opened.page.text_content("#conceptrank")
    for nonsense in ("NaN", "undefined", "Infinity"):
        assert nonsense not in text
    assert ("There are no concepts" in text) == (concepts == 0)


def test_scores_that_are_no_numbers(exported):
    @cr.measure("odd")
    def odd(concept):
        return {0: float("nan"), 1: float("inf"), 2: -1.5}.get(len(concept.intent), 2.0)

    lattice = cr.datasets.load("movies").lattice()
    opened = exported(lattice, ["odd"], link="#panel=plot")
    scores = lattice.score("odd")
    shown = opened.shown
    assert scores[shown[0]] == float("inf")
    opened.page.focus(".cr-body")
    opened.settled(lambda: opened.page.keyboard.press("End"))
    last = int(opened.page.get_attribute(".cr-selected", "data-id"))
    assert scores[last] != scores[last]
    assert "NaN" not in opened.page.text_content("#conceptrank")


def test_mining_that_ended_early_is_said(exported):
    lattice = cr.datasets.load("movies").lattice(budget=cr.Budget(concepts=7))
    opened = exported(lattice)
    assert not lattice.complete
    assert "ended at a limit" in opened.page.text_content(".cr-warning")
