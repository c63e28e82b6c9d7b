"""The same page from the server, and in a notebook."""

from __future__ import annotations

import base64

import pytest

import conceptrank as cr
from conceptrank.explorer.page import static


@pytest.fixture(scope="module")
def lattice():
    return cr.datasets.load("movies").lattice()


def test_the_served_page(opened, served, lattice):
    server = served(lattice)
    one = opened(server.link)
    page = one.page
    assert one.shown == lattice.rank("cr").order[: len(one.shown)].tolist()
    one.settled(lambda: page.fill(".cr-search", "drama"))
    assert "of 20 concepts" in one.status
    one.settled(lambda: page.click("[data-cover] >> nth=0"))
    one.settled(lambda: page.click("[data-sort=support]"))
    one.settled(lambda: page.click("[data-tab=plot]"))
    one.settled(lambda: page.click("[data-tab=diagram]"))
    assert page.locator("[data-node]").count() > 2
    with page.expect_download() as download:
        page.click("[data-csv]")
    assert download.value.path().read_text().startswith("rank,cr,stability,support,intent")
    assert all(
        url.startswith((f"http://127.0.0.1:{server.port}/", "blob:", "data:"))
        for url in one.requests
    )


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
