import json
from pathlib import Path

import pytest

from conceptrank.errors import BudgetExceeded
from conceptrank.measures import registry


def shown(run, *arguments: str) -> dict[str, object]:
    result = run("show", *arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_example_of_the_paper(run):
    facts = shown(run, "movies", "--intent", "criminal,drama")
    assert facts["intent"] == ["adventure", "criminal", "drama"]
    assert facts["added"] == ["adventure"]
    assert facts["extent"] == ["2", "5", "6"]
    assert facts["support"] == 3
    assert facts["relevant_attributes"] == ["drama"]
    assert facts["minimal_generators"] == [["adventure", "drama"], ["criminal", "drama"]]
    assert facts["upper_covers"] == [
        {"without": ["drama"], "intent": ["adventure", "criminal"], "support": 7},
        {"without": ["adventure", "criminal"], "intent": ["drama"], "support": 5},
    ]
    assert facts["lower_covers"] == [
        {
            "with": ["action"],
            "intent": ["action", "adventure", "criminal", "drama"],
            "support": 1,
        }
    ]
    assert facts["scores"]["cr_alpha"] == pytest.approx(1 / 3, abs=1e-12)
    assert facts["scores"]["conceptual_relevance"] == pytest.approx(1 / 3, abs=1e-12)
    assert facts["scores"]["stability_intensional"] == 6 / 8
    assert facts["scores"]["stability_extensional"] == 3 / 8
    assert not {"conceptual_relevance", "stability_intensional"} & set(facts["inexact"])


def test_it_reads_well(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = run("show", "movies", "--intent", "criminal,drama")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.partition("\nscores")[0] == (
        "movies: a concept of 3 objects and 3 attributes\n"
        "  given criminal, drama; every object with these also has adventure\n"
        "\n"
        "intent\n"
        "  adventure, criminal, *drama\n"
        "  * relevant: without it, more objects would qualify\n"
        "\n"
        "extent\n"
        "  2, 5, 6\n"
        "\n"
        "upper covers (2)\n"
        "  7 objects without drama\n"
        "  5 objects without adventure, criminal\n"
        "\n"
        "lower covers (1)\n"
        "  1 object with action\n"
        "\n"
        "minimal generators (2)\n"
        "  adventure, drama\n"
        "  criminal, drama\n"
    )
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--intent", "criminal", "--intent", "drama"],
        ["--intent", " criminal , drama "],
        ["--objects", "2,5,6"],
        ["--objects", "2", "--objects", "6"],
    ],
)
def test_many_ways_lead_to_a_concept(run, arguments):
    assert shown(run, "movies", *arguments)["intent"] == ["adventure", "criminal", "drama"]


def test_objects_that_are_not_all_say_what_is_added(run):
    assert shown(run, "movies", "--objects", "2,5")["added"] == ["6"]
    assert "is also shared by 6" in run("show", "movies", "--objects", "2,5").stdout


@pytest.mark.parametrize(
    ("arguments", "support", "attributes"),
    [
        (["--intent", ""], 11, 0),
        (["--objects", ""], 0, 7),
        (["--intent", "action,adventure,comedy,criminal,drama,fantasy,thriller"], 0, 7),
    ],
    ids=["top", "bottom by objects", "bottom by attributes"],
)
def test_the_ends_of_the_lattice(run, arguments, support, attributes):
    facts = shown(run, "movies", *arguments)
    assert (facts["support"], len(facts["intent"])) == (support, attributes)
    assert run("show", "movies", *arguments).exit_code == 0


def test_names_with_commas(run):
    Path("names.csv").write_text(',"a,b",c\ng,X,\nh,X,X\n')
    for options in (["--intent", "a,b"], ["--intent", '"a,b"']):
        assert shown(run, "names.csv", *options)["intent"] == ["a,b"]
    for options in (["--intent", "a,b", "--intent", "c"], ["--intent", '"a,b", c']):
        assert shown(run, "names.csv", *options)["intent"] == ["a,b", "c"]
    drawn = run("plot", "names.csv", "--ideal", "a,b", "--format", "dot")
    assert drawn.exit_code == 0, drawn.stderr


def test_long_extents_are_cut_in_the_text(run):
    names = [f"object {i}" for i in range(60)]
    rows = ["XX"] + ["X."] * 59
    Path("long.cxt").write_text("\n".join(["B", "", "60", "2", "", *names, "m", "n", *rows, ""]))
    cut = run("show", "long.cxt", "--intent", "m").stdout
    assert "… and 40 more" in cut
    assert "object 59" not in cut
    assert len(shown(run, "long.cxt", "--intent", "m")["extent"]) == 60


def test_too_many_generators_are_no_obstacle(run):
    """Disjoint pairs as faces: 2^20 minimal generators."""
    pairs = 20
    rows = ["".join(".." if other == i else "XX" for other in range(pairs)) for i in range(pairs)]
    names = [f"g{i}" for i in range(pairs)] + [f"m{i}" for i in range(2 * pairs)]
    Path("pairs.cxt").write_text(
        "\n".join(["B", "", f"{pairs}", f"{2 * pairs}", "", *names, *rows, ""])
    )
    facts = shown(run, "pairs.cxt", "--objects", "")
    assert facts["minimal_generators"] is None
    assert facts["scores"]["cr_beta"] == pytest.approx(2**20 / (2**40 - 2), rel=1e-12)
    assert "too many to list" in run("show", "pairs.cxt", "--objects", "").stdout


def test_measures_that_need_more_than_there_is_are_left_out(run, monkeypatch):
    def too_much(concepts):
        raise BudgetExceeded("there are too many")

    def of_labels(concepts, *, labels):
        raise AssertionError

    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    monkeypatch.setattr(registry, "_NAMES", dict(registry._NAMES))
    for name, compute in (("too_much", too_much), ("of_labels", of_labels)):
        registry.register(registry.Measure(name=name, summary="", compute=compute))
    registry.register(
        registry.Measure(name="of_all", summary="", compute=of_labels, depends=("lattice",))
    )
    scores = shown(run, "movies", "--intent", "drama")["scores"]
    assert "support" in scores
    assert not {"too_much", "of_labels", "of_all"} & set(scores)


def test_five_scores_or_all_by_family(run):
    shown = run("show", "movies", "--intent", "criminal,drama").stdout
    scores = shown.partition("\nscores\n")[2].splitlines()
    assert scores[0].split()[:2] == ["conceptual_relevance", "0.3333"]
    assert len(scores) == 6
    assert "--all" in scores[-1]
    shown = run("show", "movies", "--intent", "criminal,drama", "--all").stdout
    titles = [line for line in shown.splitlines() if line.startswith("scores: ")]
    assert titles[:3] == ["scores: relevance", "scores: expected", "scores: stability"]
    assert len(titles) == len(set(titles)) > 5
    stability = shown.partition("\nscores: stability\n")[2].partition("\n\n")[0]
    assert all("stability" in line.split()[0] for line in stability.splitlines())
