"""Diagrams for other programs hold what the diagram shows, whatever the names are."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import conceptrank as cr
from conceptrank.plot import Diagram, diagram
from conceptrank.plot.tikz import _SPECIAL
from plot_cases import HOSTILE, hostile_lattice

DIAGRAMS = {
    "movies": lambda: diagram(cr.datasets.load("movies").lattice(), colour="cr", size="stability"),
    "hostile": lambda: diagram(hostile_lattice(), labels="full", colour="cr"),
    "part": lambda: diagram(cr.datasets.load("movies").lattice(), ideal="drama", labels="counts"),
}


@pytest.fixture(params=DIAGRAMS)
def shown(request: pytest.FixtureRequest) -> Diagram:
    return DIAGRAMS[request.param]()


def texts(shown: Diagram) -> list[list[str]]:
    return [[*label.above, *label.below] for label in shown.labels]


def dot_fields(line: str) -> dict[str, str]:
    """The attributes of a node, as Graphviz would read them."""
    quoted = r'"((?:[^"\\]|\\.)*)"'
    inside = re.fullmatch(rf"\s*c\d+ \[((?:\w+|{quoted})={quoted}(?:, )?)+\];", line)
    assert inside, line
    found = re.findall(rf"(\w+|{quoted})={quoted}", line)
    unescaped = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}
    return {
        key.strip('"'): re.sub(r"\\.", lambda match: unescaped[match[0]], value)
        for key, _, value in found
    }


def test_dot_has_a_line_a_node_and_a_line_a_cover(shown: Diagram) -> None:
    first, *lines, last = shown.to_dot().splitlines()
    assert (first, last) == ("graph lattice {", "}")
    nodes = [line for line in lines if re.match(r"\s*c\d+ \[", line)]
    edges = [re.fullmatch(r"\s*c(\d+) -- c(\d+);", line) for line in lines]
    found = [(int(match[2]), int(match[1])) for match in edges if match]
    assert found == [tuple(pair) for pair in shown.part.covers.tolist()]
    legend = [line for line in lines if line.startswith("  label=")]
    assert len(legend) == (shown.colour is not None)
    assert len(nodes) + len(found) + len(legend) + 4 == len(lines)
    for line, text, scores in zip(nodes, texts(shown), shown.nodes, strict=True):
        fields = dot_fields(line)
        assert fields["xlabel"] == "\n".join(text)
        assert {name: float(fields[name]) for name in scores} == pytest.approx(scores)


def test_tikz_says_every_name_as_it_is(shown: Diagram) -> None:
    text = shown.to_tikz()
    assert text.count(r"\draw[cover]") == len(shown.part.covers)
    assert text.count(r"\node[concept") == len(shown.part)
    back = {escape: letter for letter, escape in _SPECIAL.items()}
    pattern = "|".join(map(re.escape, sorted(back, key=len, reverse=True)))
    written = re.findall(r"\\node\[label text\] at \([-\d., ]+\) \{(.*)\};", text)
    wanted = [side for label in shown.labels for side in (label.above, label.below) if side]
    assert len(written) == len(wanted)
    for tex, lines in zip(written, wanted, strict=True):
        rows = tex.split(r"\\")
        assert [re.sub(pattern, lambda match: back[match[0]], row) for row in rows] == list(lines)
        # What is left without the escapes means nothing to LaTeX, also behind a line break.
        assert not any(re.search(r"[\\{}$&#%_^~]", re.sub(pattern, "", row)) for row in rows)
        assert not any(row.startswith(("[", "*")) for row in rows)
    plain = re.sub(r"\\\\|\\[{}]", "", text)
    assert plain.count("{") == plain.count("}")


def test_tikz_compiles_to_a_column(tmp_path: Path) -> None:
    latex = shutil.which("pdflatex")
    if latex is None:
        pytest.skip("needs pdflatex with TikZ")
    shown = diagram(
        cr.datasets.load("movies").lattice(), colour="cr", size="support", width=241, font=7
    )
    shown.save(tmp_path / "movies.tikz")
    text = (
        r"\documentclass{article}\usepackage{tikz}\pagestyle{empty}\begin{document}\noindent"
        r"\setbox0\hbox{\input{movies.tikz}}\typeout{width \the\wd0}\box0"
    )
    (tmp_path / "page.tex").write_text(text + r"\end{document}", encoding="utf-8")
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 5000
    (width,) = re.findall(r"width ([\d.]+)pt", done.stdout)
    assert float(width) <= 242


def test_hostile_names_are_really_there() -> None:
    labels = "\n".join("\n".join(lines) for lines in texts(DIAGRAMS["hostile"]()))
    for beginning in ("</script>", 'quote "', "$x^2$", r"two\nlines", "אבג", "xxx", "-->"):
        assert beginning in labels
    assert len(HOSTILE) == 12


def test_bends_are_written() -> None:
    shown = DIAGRAMS["movies"]()
    shown.layout.bends[0].append((12.5, 0.5))
    assert shown.to_tikz().count(" -- (") == 1 + len(shown.part.covers)
    size = shown.scene.positions[1, 1] / -(shown.layout.layer[1] * shown.gap)
    assert shown.scene.paths[0].tolist()[1] == pytest.approx([12.5 * size, -0.5 * shown.gap * size])
