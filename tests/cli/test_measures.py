import json

from conceptrank.measures import registry


def test_every_measure_is_listed_with_what_people_ask_first(run):
    result = run("measures")
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith("  ")]
    names = registry.available().get_column("name")
    assert {name for name, *_ in rows} == set(names)
    assert len(rows) == len(names)
    assert rows[0][0] == "conceptual_relevance"
    for name, better, *meaning in rows:
        known = registry.get(name)
        assert (better, " ".join(meaning)) == (known.direction, known.summary)


def test_the_list_can_be_narrowed(run):
    def names(*arguments: str) -> set[str]:
        result = run("measures", *arguments, "--format", "json")
        return {measure["name"] for measure in json.loads(result.stdout)}

    assert names("--search", "GENERATORS") >= {"cr_beta"}
    assert names("--search", "Kuznetsov") >= {"stability_intensional"}


def test_one_measure_by_name_or_alias(run):
    result = run("measures", "cr")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == run("measures", "conceptual_relevance").stdout
    first, *lines = result.stdout.splitlines()
    assert first.startswith("conceptual_relevance (cr): ")
    facts = {line.split("  ")[1].strip(): line for line in lines}
    assert {"side", "better", "range", "parameters", "needs", "cost", "reference"} <= set(facts)
    assert "activation = arithmetic" in facts["parameters"]
    assert "beta = paper" in facts["parameters"]


def test_one_measure_for_programs(run):
    known = json.loads(run("measures", "delta_measure", "--format", "json").stdout)
    assert known["name"] == "delta_measure"
    assert known["params"] == {"side": "extent", "bottom": "extent"}
    assert isinstance(known["aliases"], list)


def test_an_unknown_name_gives_the_three_nearest(run):
    assert run("measures", "stabilty").stderr.count("'") == 2 + 3 * 2


def test_the_list_is_readable_in_eighty_columns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = run("measures")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "conceptrank measures NAME" in result.stderr
