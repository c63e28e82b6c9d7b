"""The README and the verdicts: these follow from their intervals, the table has every extra."""

from __future__ import annotations

import re
import tomllib

import conceptrank as cr
from repository import repository

ROOT = repository()
README = (ROOT / "README.md").read_text(encoding="utf-8")
EVALUATION = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
PAGES = [README, *(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))]
NOT_FOR_USERS = {"docs", "lint", "test"}


class TestVerdicts:
    """A difference is stated only where its interval excludes 0."""

    # Data, then the intervals of CR - stability and of extensional stability - CR.
    INTERVAL = r"\**(−?[\d.]+) \[(−?[\d.]+), (−?[\d.]+)\]\**"
    ROWS = re.findall(rf"^\| ([\w-]+) \|.*\| ({INTERVAL}) \| ({INTERVAL}) \|$", EVALUATION, re.M)

    @staticmethod
    def is_clear(low: str, high: str) -> bool:
        low, high = (text.replace("−", "-") for text in (low, high))
        return float(low) > 0 or float(high) < 0

    def test_what_is_bold_is_clear_of_chance(self) -> None:
        assert len(self.ROWS) == 4
        for _, first, _, low, high, second, _, low2, high2 in self.ROWS:
            assert ("**" in first) == self.is_clear(low, high)
            assert ("**" in second) == self.is_clear(low2, high2)

    def test_a_mean_over_some_runs_says_so(self) -> None:
        assert "0.621 in 6 of 30 halves" in EVALUATION


class TestExtras:
    PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    EXTRAS = PROJECT["optional-dependencies"]

    def test_the_table_has_every_extra_and_what_it_installs(self) -> None:
        table = README.split("| extra | needed for | installs |")[1].split("\n\n")[0]
        rows = re.findall(r"^\| `(\w+)` \|[^|]+\| ?([^|]*?) ?\|$", table, re.M)
        assert dict(rows).keys() == self.EXTRAS.keys() - NOT_FOR_USERS
        for extra, installed in rows:
            if extra == "all":
                continue
            needed = self.EXTRAS[extra]
            packages = {re.split(r"[>=; ]", each)[0] for each in needed if "[" not in each}
            assert packages <= set(installed.split(", ")), extra

    def test_all_is_all_of_them(self) -> None:
        (own,) = self.EXTRAS["all"]
        listed = own.removeprefix("conceptrank[").removesuffix("]").split(",")
        assert {*listed} == self.EXTRAS.keys() - NOT_FOR_USERS - {"all"}


def test_the_first_ranking_in_python_is_one_call() -> None:
    code = "\n".join(re.findall(r"^>>> (.*)", README, re.M))
    first = re.search(r"[\w.]*\brank\(", code)
    assert first
    assert first[0] == "cr.rank("


def test_constructors_and_options_are_documented() -> None:
    everything = "\n".join(PAGES)
    # These two are for other libraries that have the arrays already.
    internal = {"from_csr", "from_distinct_rows"}
    constructors = {name for name in dir(cr.Context) if name.startswith("from_")} - internal
    assert "from_pandas" in constructors
    for name in constructors:
        assert f"{name}" in README, name
    for option in ("--scale auto", "--label", "--max-seconds"):
        assert option in README, option
        assert option in everything.replace(README, ""), option
    assert "docs/measures.md" in README


def test_benchmarks_show_both_ways_to_rank() -> None:
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+), [\d,]+ \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.M)
    assert {"mushroom", "chess"} <= {row[0] for row in rows}
    for table, two_steps, one_call, ratio in rows:
        assert abs(float(two_steps) / float(one_call) - float(ratio)) < 0.06, table
