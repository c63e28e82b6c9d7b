"""Rules, pins and cards, by pointer and by keyboard."""

from __future__ import annotations

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.explorer import rule_list


@pytest.fixture(scope="module")
def lattice():
    return cr.datasets.load("movies").lattice()


def entries(page) -> list[tuple[list[str], list[str]]]:
    """The premises and conclusions in sight."""
    return page.eval_on_selector_all(
        "[data-rule]",
        """rules => rules.map(rule => [...rule.querySelectorAll(".cr-names")].map(
          side => [...side.querySelectorAll("bdi")].map(name => name.textContent)))""",
    )


@pytest.mark.parametrize("basis", rule_list.BASES)
def test_rules_lead_to_concepts(exported, lattice, basis):
    opened = exported(lattice, link=f"#list=rules&basis={basis}")
    page = opened.page
    confidence = 0 if basis == "duquenne_guigues" else 0.5
    rules = lattice.rules(basis, min_support=1, min_confidence=confidence)
    expected = {(rule.premise, rule.conclusion): rule for rule in rules}
    found = [tuple(map(tuple, pair)) for pair in entries(page)]
    assert set(found) == set(expected)
    assert len(found) == len(expected)
    opened.settled(lambda: page.click("[data-rule='2']"))
    premise, conclusion = found[2]
    concept = lattice.context.concept(*premise, *conclusion)
    assert f"Concept of {concept.support} object" in page.text_content(".cr-title h2")
    assert page.locator("tr[data-chosen]").count() >= 1
    opened.settled(lambda: page.click("[data-rule-sort=support]"))
    supports = [expected[tuple(map(tuple, pair))].support for pair in entries(page)]
    assert supports == sorted(supports, reverse=True)
    opened.settled(lambda: page.fill(".cr-rule-panel input", "drama -comedy"))
    named = [set(one) | set(other) for one, other in expected]
    assert len(entries(page)) == sum("drama" in n and "comedy" not in n for n in named)
    # Typing on is one step back.
    opened.settled(lambda: page.fill(".cr-rule-panel input", "drama"))
    opened.settled(page.go_back)
    assert page.input_value(".cr-rule-panel input") == ""
    assert len(entries(page)) == len(expected)


def test_pins_and_bounds(exported, lattice):
    opened = exported(lattice, link="#list=table")
    page = opened.page
    pinned = opened.shown[1:4]
    for number in pinned:
        opened.settled(lambda number=number: page.click(f"[data-id='{number}']"))
        opened.settled(lambda: page.click("[data-pin]"))
    opened.settled(lambda: page.click("[data-tab=compare]"))
    intents = [set(lattice[i].intent) for i in pinned]
    for kind, wanted in (
        ("join", lattice.context.concept(*set.intersection(*intents))),
        ("meet", lattice.context.concept(*set.union(*intents))),
    ):
        opened.settled(lambda kind=kind: page.click(f"[data-bound={kind}]"))
        title = page.text_content(".cr-title h2")
        assert title.startswith(f"Concept of {wanted.support} object")
        assert f"{len(wanted.intent)} attribute" in title
    # The link means the same concepts on a page that has others.
    iceberg = lattice.context.lattice(min_support=2)
    again = exported(iceberg, link=page.url[page.url.index("#") :])
    heads = ".cr-compare thead .cr-pinned button:first-child"
    texts = page.locator(heads).all_text_contents()
    assert again.page.locator(heads).all_text_contents() == texts


def test_cards_and_places(exported, lattice):
    opened = exported(lattice, link="#list=table&concept=5")
    page = opened.page
    row = page.locator(".cr-scores tr", has=page.locator("[title='separation']"))
    row.locator("summary").click()
    text = row.text_content()
    assert "Values:" in text
    assert "is better" in text
    assert "|A| |B| over the number of crosses" in text
    place = lattice.rank("cr", then=["log_stability"]).order.tolist().index(5) + 1
    assert f"Place {place} of 20 by cr" in page.text_content(".cr-standing")


def test_the_bottom_says_what_it_is(exported):
    table = cr.Context("ab", "xyz", np.array([[1, 1, 0], [0, 1, 1]], dtype=bool))
    opened = exported(table.lattice(), ["stability"], link="#list=table")
    page = opened.page
    bottom = len(table.lattice()) - 1
    assert opened.shown[0] == bottom
    assert page.locator(".cr-row .cr-bottom").count() == 1
    assert "bottom" in opened.status
    opened.settled(lambda: page.click(f"[data-id='{bottom}']"))
    assert "its scores are conventions" in page.text_content(".cr-standing")


def test_everything_by_keyboard(exported, lattice):
    """Tab reaches every function of the lists; Enter, Space and arrows do what a pointer does."""
    opened = exported(lattice, link="#list=table")
    page = opened.page
    keyboard = page.keyboard

    def focused(selector: str) -> bool:
        return page.evaluate("s => document.activeElement?.matches(s) ?? false", selector)

    def tab_to(selector: str, most: int = 90) -> None:
        for _ in range(most):
            if focused(selector):
                return
            keyboard.press("Tab")
        raise AssertionError(f"Tab never reaches {selector}")

    def press(selector: str, key: str = "Enter") -> None:
        tab_to(selector)
        opened.settled(lambda: keyboard.press(key))
        assert focused(selector), f"{selector} lost the focus"

    press("[data-sort=support]")
    assert opened.shown[0] == 0
    opened.settled(lambda: keyboard.press("Shift+Enter"))
    press("[data-sort=cr]", "Shift+Enter")
    tab_to("[data-toggle=columns]")
    keyboard.press("Enter")
    page.wait_for_selector("input[value=intent_size]")
    assert focused("[data-toggle=columns]")
    press("input[value=intent_size]", "Space")
    tab_to("[data-toggle=save]")
    keyboard.press("Enter")
    tab_to("[data-csv]")
    with page.expect_download():
        keyboard.press("Enter")
    assert page.locator("[data-sort=intent_size]").count() == 1
    tab_to(".cr-body")
    opened.settled(lambda: keyboard.press("ArrowDown"))
    press("[data-pin]")
    tab_to(".cr-scores summary")
    keyboard.press("Enter")
    press("[data-tab=compare]")
    tab_to("[data-unpin='0']")
    opened.settled(lambda: keyboard.press("Enter"))
    assert page.locator("[data-unpin]").count() == 0
    press("[data-list-tab=rules]")
    tab_to(".cr-rule-panel select")
    opened.settled(lambda: keyboard.press("ArrowDown"))
    press("[data-rule-sort=lift]")
    tab_to("[data-rule='0']")
    keyboard.press("ArrowDown")
    assert focused("[data-rule='1']")
    before = page.text_content(".cr-title h2")
    opened.settled(lambda: keyboard.press("Enter"))
    assert focused("[data-rule='1']")
    assert page.text_content(".cr-title h2") != before


def test_a_plot_of_many_concepts(exported):
    random = np.random.default_rng(5)
    many = cr.Context(range(90), range(18), random.random((90, 18)) < 0.5).lattice()
    assert len(many) > 4_000
    opened = exported(many, ["stability"], link="#list=table&panel=plot&x=support&y=stability")
    page = opened.page
    assert f"{len(many):,} concepts: each dot is one" in page.text_content(".cr-scatter .cr-note")
    box = page.locator(".cr-plot canvas").bounding_box()
    # The top concept: all objects, at the right edge.
    share = many.score("stability")[0]
    low, high = many.score("stability").min(), many.score("stability").max()
    down = 12 + (1 - (share - low) / (high - low)) * (box["height"] - 52)
    page.mouse.move(box["x"] + box["width"] - 15, box["y"] + down)
    page.wait_for_selector(".cr-scatter .cr-note:has-text('90 objects')")
    with page.expect_download() as download:
        page.click("[data-plot-png]")
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    page.focus("[aria-label=across]")
    opened.settled(lambda: page.keyboard.press("ArrowUp"))
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "across"
