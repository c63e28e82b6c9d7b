"""The same page from the server, and in a notebook."""

from __future__ import annotations

import base64

import pytest

import conceptrank as cr
from conceptrank import explorer
from conceptrank.explorer.page import static


@pytest.fixture(scope="module")
def lattice():
    return cr.datasets.load("movies").lattice()


def test_the_served_page(opened, served, lattice):
    server = served(lambda times: explorer.of_lattice(lattice, title="a title", most=8 * times))
    one = opened(server.link)
    page = one.page
    assert one.status.startswith("8 concepts")
    assert "The 8 best of 20 concepts by cr." in page.text_content(".cr-warning")
    page.click("[data-more]")
    page.wait_for_selector(".cr-status:has-text('16 concepts')", state="attached")
    page.wait_for_selector("[data-ready=true]")
    page.click("[data-more]")
    page.wait_for_selector(".cr-status:has-text('20 concepts')", state="attached")
    page.wait_for_selector("[data-ready=true]")
    assert page.locator("[data-more]").count() == 0
    assert one.shown == lattice.rank("cr", then="log_stability").order[: len(one.shown)].tolist()
    assert all(
        url.startswith((f"http://127.0.0.1:{server.port}/", "blob:", "data:"))
        for url in one.requests
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mined") / "movies"
    movies = cr.datasets.load("movies")
    return cr.runs.mine(movies, folder, measures=["cr", "stability"], workers=1, task_concepts=5)


def intents(page):
    """The intents in sight, as the table writes them."""
    return page.eval_on_selector_all(
        ".cr-rows .cr-intent", "cells => cells.map(cell => cell.textContent)"
    )


def written(frame):
    return [" · ".join(each) if each else "∅ (all objects)" for each in frame["intent"].to_list()]


def test_a_folder_of_mined_concepts(opened, run, tmp_path):
    assert run.totals["parts"] > 1
    explorer.export(explorer.of_run(run), tmp_path / "page.html")
    one = opened((tmp_path / "page.html").as_uri())
    page = one.page
    assert intents(page) == written(run.top(20, by="cr"))[: len(one.shown)]
    assert "movies" in page.text_content("h1")
    one.settled(lambda: page.click("[data-sort=stability]"))
    assert intents(page) == written(run.top(20, by="stability"))[: len(one.shown)]
    one.settled(lambda: page.click(".cr-rows .cr-row >> nth=1"))
    assert "does not store the names of objects" in page.text_content(".cr-details")
    covers = page.locator("[data-cover]")
    assert covers.count() > 0
    target = covers.first.get_attribute("data-cover")
    one.settled(covers.first.click)
    assert page.get_attribute(".cr-selected", "data-id") == target
    one.settled(lambda: page.fill(".cr-search", "drama"))
    dramas = run.count(where="'drama' in intent")
    assert f"{dramas} of 20 concepts" in one.status
    one.settled(lambda: page.fill(".cr-search", "object:1"))
    assert "does not store the names of objects" in page.text_content(".cr-panel-table")
    one.settled(lambda: page.fill(".cr-search", ""))
    one.settled(lambda: page.click("[data-tab=plot]"))
    one.settled(lambda: page.click("[data-tab=diagram]"))
    assert page.locator("[data-node]").count() > 2
    page.click("[data-toggle=save]")
    with page.expect_download() as download:
        page.click("[data-csv]")
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == 21


def test_the_widget(opened, lattice, tmp_path):
    """In place of a notebook: a model that has what anywidget's would have."""
    widget = lattice.explore(title="in a notebook", height=600)
    payload = base64.b64encode(widget.payload).decode()
    module = base64.b64encode(static("widget.js").encode()).decode()
    page = tmp_path / "notebook.html"
    page.write_text(
        f"""<!doctype html><meta charset=utf-8><div id=cell></div><script type=module>
        import widget from "data:text/javascript;base64,{module}";
        const bytes = Uint8Array.from(atob("{payload}"), (letter) => letter.charCodeAt(0));
        const known = {{ payload: new DataView(bytes.buffer), height: {widget.height} }};
        const model = {{ get: (name) => known[name] }};
        await widget.render({{ model, el: document.getElementById("cell") }});
        </script>""",
        encoding="utf-8",
    )
    one = opened(page.as_uri())
    assert "in a notebook" in one.page.text_content("h1")
    assert len(one.shown) > 5
    first = one.shown[0]
    one.settled(lambda: one.page.click(".cr-rows .cr-row >> nth=3"))
    one.settled(lambda: one.page.click("button[title=Back]"))
    assert one.page.get_attribute(".cr-selected", "data-id") == str(first)
    assert "#" not in one.page.url
