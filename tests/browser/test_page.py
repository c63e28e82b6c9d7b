"""What a person can do on the page, done by a real browser."""

from __future__ import annotations

import csv
import io
from functools import partial

import numpy as np
import pytest

import conceptrank as cr

RANK = "#conceptrank .cr-rows .cr-row"


@pytest.fixture(scope="module")
def lattice():
    return cr.datasets.load("movies").lattice()


@pytest.fixture(scope="module")
def planted():
    """A lattice whose table has patterns that chance does not explain."""
    table = cr.datasets.random.planted(150, 12, patterns=2, supports=(0.1, 0.2), seed=1)
    return table.context.lattice()


@pytest.fixture(scope="module")
def large():
    """A lattice with more rows than fit, and parts of more than 80 concepts."""
    return cr.datasets.random.coin_toss(objects=60, attributes=14, density=0.4, seed=3).lattice()


def ranked(lattice, by: str, where: str | None = None) -> list[int]:
    """The order of the page: ties of the first measure are broken by log-stability."""
    then = "log_stability" if by == "cr" else ()
    return lattice.rank(by=by, then=then, where=where).order.tolist()


def test_the_table_is_the_ranking(exported, lattice):
    opened = exported(lattice)
    expected = ranked(lattice, "cr")
    assert opened.shown == expected[: len(opened.shown)]
    assert len(opened.shown) > 10
    ranks = [int(text) for text in first_numbers(opened)]
    assert ranks == lattice.rank("cr", then="log_stability").ranks.tolist()[: len(ranks)]
    opened.settled(lambda: opened.page.click("[data-sort=cr]"))
    opened.settled(lambda: opened.page.click("[data-sort=cr]"))
    assert opened.shown == expected[: len(opened.shown)]


def first_numbers(opened) -> list[str]:
    texts = opened.page.locator(".cr-rows .cr-rank").all_text_contents()
    return [text.split("=")[0].replace(",", "") for text in texts]


def test_several_sort_keys(exported, large):
    opened = exported(large, link="#list=table")
    opened.settled(lambda: opened.page.click("[data-sort=support]"))
    opened.settled(lambda: opened.page.click("[data-sort=cr]", modifiers=["Shift"]))
    opened.settled(lambda: opened.page.click("[data-sort=log_stability]", modifiers=["Shift"]))
    expected = large.rank("support", then=["cr", "log_stability"])
    assert opened.shown == expected.order.tolist()[: len(opened.shown)]
    assert [int(text) for text in first_numbers(opened)] == expected.ranks.tolist()[
        : len(opened.shown)
    ]
    again = exported(large, link=opened.page.url[opened.page.url.index("#") :])
    assert again.shown == opened.shown


@pytest.mark.parametrize(
    ("search", "where"),
    [
        ("support >= 3 and cr <= 0.4", "support >= 3 and cr <= 0.4"),
        ("support>2 cr<0.5", "support > 2 and cr < 0.5"),
        ("cr = 0.5", "cr == 0.5"),
        ("log_stability > 1 and log_stability < 3", "log_stability > 1 and log_stability < 3"),
    ],
)
def test_conditions_in_the_search_box(exported, lattice, search, where):
    opened = exported(lattice)
    opened.settled(lambda: opened.page.fill(".cr-search", search))
    assert opened.shown == ranked(lattice, "cr", where)
    opened.settled(lambda: opened.page.fill(".cr-search", f"{search} drama"))
    expected = [i for i in ranked(lattice, "cr", where) if "drama" in lattice[i].intent]
    assert opened.shown == expected


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ("krr > 3", "Unknown measure “krr”"),
        ("cr >", "expected a number"),
        ("cr > 0.1 or support > 3", "joins comparisons by “and” only"),
    ],
)
def test_a_wrong_condition_is_explained_in_place(exported, lattice, search, said):
    opened = exported(lattice)
    opened.settled(lambda: opened.page.fill(".cr-search", search))
    assert said in opened.page.text_content(".cr-problem")
    assert opened.page.get_attribute(".cr-search", "aria-invalid") == "true"
    opened.settled(lambda: opened.page.fill(".cr-search", ""))
    assert opened.page.text_content(".cr-problem") == ""


def test_the_page_opens_with_the_short_list(exported, planted):
    opened = exported(planted)
    page = opened.page
    summary = planted.context.summarize()
    cards = page.locator(".cr-pattern")
    assert cards.count() == len(summary) > 0
    assert not page.is_visible(".cr-table")
    for i, pattern in enumerate(summary):
        names = cards.nth(i).locator(".cr-names bdi").all_text_contents()
        assert tuple(names) == pattern.intent
        text = cards.nth(i).text_content()
        assert f"{pattern.support} objects" in text
        opened.settled(cards.nth(i).click)
        assert f"Concept of {pattern.support} objects" in page.text_content(".cr-title h2")
    opened.settled(lambda: page.click("[data-list-tab=table]"))
    assert page.is_visible(".cr-table")
    assert not page.is_visible(".cr-short-list")


def test_a_histogram_is_a_filter(exported, lattice):
    opened = exported(lattice)
    page = opened.page
    box = page.locator("[data-histogram=support]").bounding_box()

    def drag():
        page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 5)
        page.mouse.move(box["x"] + box["width"] - 0.5, box["y"] + 5)
        page.mouse.up()

    opened.settled(drag)
    assert set(opened.shown) == {i for i, c in enumerate(lattice) if c.support > 5.5}
    opened.settled(page.go_back)
    assert opened.status.startswith("20 concepts")


@pytest.mark.parametrize(
    ("search", "meant"),
    [
        ("drama", lambda c: "drama" in c.intent),
        ("drama -comedy", lambda c: "drama" in c.intent and "comedy" not in c.intent),
        ("DRAM comed", lambda c: {"drama", "comedy"} <= set(c.intent)),
        ("object:10", lambda c: "10" in c.extent),
        ('attribute:"drama" object:9', lambda c: "drama" in c.intent and "9" in c.extent),
    ],
)
def test_searching(exported, lattice, search, meant):
    opened = exported(lattice)
    opened.settled(lambda: opened.page.fill(".cr-search", search))
    expected = [i for i in ranked(lattice, "cr") if meant(lattice[i])]
    assert opened.shown == expected
    opened.settled(lambda: opened.page.click(".cr-filter button"))
    assert opened.status.startswith("20 concepts")


def test_limits_and_columns(exported, lattice):
    opened = exported(lattice, link="#list=table&min=3:support&max=0.4:cr")
    assert opened.shown == ranked(lattice, "cr", "support >= 3 and cr <= 0.4")
    assert opened.page.locator(".cr-filter").count() == 2
    opened.page.click("[data-toggle=columns]")
    opened.settled(lambda: opened.page.check("input[value=delta_measure]"))
    assert "delta_measure" in opened.page.text_content(".cr-head")


def test_csv_is_what_the_table_shows(exported, lattice):
    opened = exported(lattice)
    opened.settled(lambda: opened.page.fill(".cr-search", "drama"))
    opened.page.click("[data-toggle=save]")
    with opened.page.expect_download() as download:
        opened.page.click("[data-csv]")
    text = download.value.path().read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    expected = [i for i in ranked(lattice, "cr") if "drama" in lattice[i].intent]
    assert rows[0] == ["rank", "cr", "log_stability", "support", "intent"]
    assert [row[4].split("; ") for row in rows[1:]] == [list(lattice[i].intent) for i in expected]
    # Every digit of a double is there.
    assert [float(row[2]) for row in rows[1:]] == lattice.score("log_stability")[expected].tolist()
    opened.page.check("[data-extents]")
    with opened.page.expect_download() as download:
        opened.page.click("[data-csv]")
    rows = list(csv.reader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    assert [row[5] for row in rows[1:]] == ["; ".join(lattice[i].extent) for i in expected]


def test_a_concept_in_detail_and_a_walk_over_covers(exported, lattice):
    opened = exported(lattice)
    page = opened.page
    start = next(
        i for i, c in enumerate(lattice) if set(c.intent) == {"adventure", "criminal", "drama"}
    )
    opened.settled(lambda: page.click(f"[data-id='{start}']"))
    concept = lattice[start]
    chips = page.locator(".cr-details .cr-chip:not(.cr-object)").all_text_contents()
    assert [chip.replace("●", "") for chip in chips] == list(concept.intent)
    relevant = page.locator(".cr-relevant").all_text_contents()
    assert [chip.replace("●", "") for chip in relevant] == list(concept.relevant_attributes)
    assert page.locator(".cr-object").all_text_contents() == list(concept.extent)
    generators = [", ".join(each) for each in concept.minimal_generators]
    assert page.locator(".cr-generators li").all_text_contents() == generators
    text = page.text_content(".cr-details")
    assert "1 of 3 attributes is relevant (drama)" in text
    assert "2 minimal generators of 6" in text
    assert "Its Conceptual Relevance is 0.3333" in text
    supports = []
    for side in ("upper_covers", "lower_covers", "upper_covers", "upper_covers"):
        cover = getattr(concept, side)[0]
        place = next(i for i, c in enumerate(lattice) if c == cover)
        opened.settled(lambda place=place: page.click(f"[data-cover='{place}']"))
        concept = cover
        supports.append(concept.support)
        assert f"Concept of {concept.support} object" in page.text_content(".cr-title h2")
    # The way back is the browser's.
    opened.settled(page.go_back)
    opened.settled(page.go_back)
    assert f"Concept of {supports[1]} object" in page.text_content(".cr-title h2")
    opened.settled(lambda: page.click(".cr-nav button[title=Forward]"))
    assert f"Concept of {supports[2]} object" in page.text_content(".cr-title h2")
    assert len(set(supports[1:])) == 3


def test_brushing_filters_table_and_diagram(exported, lattice):
    opened = exported(lattice, link="#x=stability")
    page = opened.page
    opened.settled(lambda: page.click("[data-tab=plot]"))
    box = page.locator(".cr-plot canvas").bounding_box()

    def brush():
        # The right half of the plot: stability in the upper half of its range.
        page.mouse.move(box["x"] + 58 + (box["width"] - 72) * 0.5, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 100)
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 5)
        page.mouse.up()

    opened.settled(brush)
    scores = lattice.score("stability")
    middle = (scores.min() + scores.max()) / 2
    expected = {i for i in range(len(lattice)) if scores[i] > middle}
    assert 0 < len(expected) < len(lattice)
    assert set(opened.shown) == expected
    opened.settled(lambda: page.click("[data-tab=diagram]"))
    assert page.locator("[data-node]").count() == len(expected)


def test_a_dot_of_the_plot_can_be_picked(exported, lattice):
    opened = exported(lattice, ["cr", "support"], link="#panel=plot&x=support&y=cr")
    box = opened.page.locator(".cr-plot canvas").bounding_box()
    # The top: all objects, relevance 0, in the lower right corner.
    at = (box["x"] + box["width"] - 14, box["y"] + box["height"] - 40)
    opened.page.mouse.move(*at)
    opened.page.wait_for_function(
        "() => document.querySelector('.cr-panel-plot .cr-note').textContent.includes('11 obj')"
    )
    opened.settled(lambda: opened.page.mouse.click(*at))
    assert "Concept of 11 objects" in opened.page.text_content(".cr-title h2")


GEOMETRY = """() => {
  const svg = document.querySelector(".cr-canvas > g");
  const nodes = [...svg.querySelectorAll("[data-node]")].map((node) => {
    const circle = [...node.querySelectorAll("circle")].at(-1);
    const [x, y, r] = ["cx", "cy", "r"].map((name) => Number(circle.getAttribute(name)));
    return { x, y, r };
  });
  const edges = [...svg.querySelectorAll("[data-edge]")].map((edge) => ({
    ends: edge.dataset.edge.split(",").map(Number),
    points: edge.getAttribute("points").split(" ").map((point) => point.split(",").map(Number)),
  }));
  const labels = [...svg.querySelectorAll("text")].map((text) => {
      // Browsers round the height of small type, so it comes from the size of the font.
      const { x, width } = text.getBBox();
      const y = Number(text.getAttribute("y")) - 10;
      return { node: Number(text.dataset.of), kind: text.dataset.label, x, y, width, height: 12.5 };
    });
  return { nodes, edges, labels };
}"""


def distance(point, a, b):
    a, b, point = np.array(a), np.array(b), np.array(point)
    t = np.clip(np.dot(point - a, b - a) / np.dot(b - a, b - a), 0, 1)
    return float(np.linalg.norm(point - a - t * (b - a)))


def check_readable(found):
    nodes = found["nodes"]
    for edge in found["edges"]:
        upper, lower = edge["ends"]
        assert nodes[upper]["y"] < nodes[lower]["y"]
        for a, b in zip(edge["points"], edge["points"][1:], strict=False):
            for i, node in enumerate(nodes):
                if i not in edge["ends"]:
                    assert distance((node["x"], node["y"]), a, b) > node["r"]
    labels = found["labels"]
    for edge in found["edges"]:
        for a, b in zip(edge["points"], edge["points"][1:], strict=False):
            along = np.linspace(0, 1, 300)[:, None]
            x, y = (np.array(a) + along * (np.array(b) - np.array(a))).T
            for one in labels:
                # A line of text is a little higher than its letters.
                inside = (x > one["x"] + 1) & (x < one["x"] + one["width"] - 1)
                low, high = one["y"] + 2, one["y"] + one["height"] - 2
                assert not (inside & (y > low) & (y < high)).any(), (edge, one)
    for i, one in enumerate(labels):
        for other in labels[:i]:
            if one["node"] == other["node"] and one["kind"] == other["kind"]:
                continue  # Lines of one label.
            apart = (
                one["x"] + one["width"] <= other["x"] + 0.5
                or other["x"] + other["width"] <= one["x"] + 0.5
                or one["y"] + one["height"] <= other["y"] + 3
                or other["y"] + other["height"] <= one["y"] + 3
            )
            assert apart, (one, other)


def covers_among(lattice, ids):
    """By the definition: nothing among them lies between."""
    sets = [frozenset(lattice[i].intent) for i in ids]
    pairs = {(a, b) for a in range(len(ids)) for b in range(len(ids)) if sets[a] < sets[b]}
    return {
        (a, b)
        for a, b in pairs
        if not any((a, c) in pairs and (c, b) in pairs for c in range(len(ids)))
    }


@pytest.mark.parametrize(
    "part", ["view=top&most=80", "view=iceberg&most=60", "view=above&concept=240&most=80"]
)
def test_diagrams_can_be_read(exported, large, part):
    opened = exported(large, link=f"#{part}&labels=none")
    for labels in ("reduced", "full", "counts"):
        choose = partial(opened.page.select_option, "[aria-label=labels]", labels)
        opened.settled(choose)
        found = opened.page.evaluate(GEOMETRY)
        assert 3 < len(found["nodes"]) <= 80
        assert found["labels"]
        check_readable(found)


def test_views_of_a_concept(exported, large):
    opened = exported(large, link="#concept=100")
    concept, page = large[100], opened.page
    buttons = page.locator(".cr-actions button")
    opened.settled(lambda: buttons.nth(0).click())
    near = 1 + min(12, len(concept.upper_covers)) + min(12, len(concept.lower_covers))
    assert page.locator("[data-node]").count() == near
    opened.settled(lambda: buttons.nth(1).click())
    above = sum(set(each.intent) <= set(concept.intent) for each in large)
    assert page.locator("[data-node]").count() == min(above, 20)
    opened.settled(lambda: buttons.nth(2).click())
    below = sum(set(each.intent) >= set(concept.intent) for each in large)
    assert page.locator("[data-node]").count() == min(below, 20)


def test_drag_zoom_and_fit(exported, lattice):
    opened = exported(lattice)
    page = opened.page
    before = page.evaluate(GEOMETRY)["nodes"][5]
    box = page.locator("[data-node='5'] circle").last.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 30, middle[1], steps=4)
    page.mouse.up()
    after = page.evaluate(GEOMETRY)["nodes"][5]
    assert after["x"] > before["x"] + 10
    place = "document.querySelector('.cr-canvas > g').getAttribute('transform')"
    page.click("button[title='Fit the diagram into the panel']")
    fitted = page.evaluate(place)
    page.click("button[title='Zoom in']")
    assert page.evaluate(place) != fitted
    page.click("button[title='Fit the diagram into the panel']")
    assert page.evaluate(place) == fitted


def test_pictures_to_take_away(exported, lattice):
    opened = exported(lattice)
    with opened.page.expect_download() as download:
        opened.page.click("text=SVG")
    svg = download.value.path().read_text(encoding="utf-8")
    assert svg.count("<circle") >= 20
    assert "adventure" in svg
    assert "class=" not in svg
    with opened.page.expect_download() as download:
        opened.page.click("text=PNG")
    png = download.value.path().read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") > 300


def test_a_link_restores_everything(exported, lattice):
    opened = exported(lattice)
    page = opened.page
    opened.settled(lambda: page.click("[data-sort=support]"))
    opened.settled(lambda: page.fill(".cr-search", "adventure"))
    opened.settled(lambda: page.click(f"{RANK} >> nth=2"))
    opened.settled(lambda: page.select_option("[aria-label='what to draw']", "near"))
    opened.settled(lambda: page.click("[data-theme-button]"))
    address = page.url
    again = exported(lattice, link=address[address.index("#") :])
    assert again.shown == opened.shown
    for selector in (".cr-title h2", ".cr-status", ".cr-panel-diagram .cr-note"):
        assert again.page.text_content(selector) == page.text_content(selector)
    assert again.page.get_attribute("#conceptrank", "data-theme") == "dark"
    assert again.page.input_value(".cr-search") == "adventure"


def test_the_theme_follows_the_system(exported, lattice):
    opened = exported(lattice, color_scheme="dark")
    assert opened.page.get_attribute("#conceptrank", "data-theme") == "dark"
    opened.settled(lambda: opened.page.click("[data-theme-button]"))
    assert opened.page.get_attribute("#conceptrank", "data-theme") == "light"


def test_many_rows_scroll(exported, large):
    opened = exported(large)
    order = ranked(large, "cr")
    opened.page.evaluate("document.querySelector('.cr-body').scrollTop = 1e9")
    opened.page.wait_for_function(
        "last => [...document.querySelectorAll('.cr-rows .cr-row')].at(-1).dataset.id === last",
        arg=str(order[-1]),
    )
    assert opened.shown == order[-len(opened.shown) :]
    assert opened.page.locator(RANK).count() < 60
