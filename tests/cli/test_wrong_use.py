"""Wrong use is one line on standard error and exit code 2, before any work."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

HUGE = "9" * 26
# What is typed, and a word of the answer.
WRONG = {
    "rank movies --by stabilty": "did you mean 'stability'",
    "rank movies --also cr,nonsense_at_all": "nonsense_at_all",
    "rank movies --by 'cr(activation=harmonc)'": "'harmonic'",
    "rank movies --param activation=weighted:2": "weight",
    "rank movies --by stability --param activation=max": "no parameter 'activation'",
    "rank movies --param alpha": "alpha=0.9",
    "rank movies --param side=up --param side=down": "twice",
    "rank movies --also 'cr(side=extent'": "bracket",
    "rank movies --by 'stability(method=monte_carlo,seed=x)'": "seed=x",
    f"rank movies --by 'stability(method=monte_carlo,seed={HUGE})'": HUGE,
    "rank movies --by 'stability(method=monte_carlo,eps=9)'": "between 0 and 1",
    "rank movies --where 'suport > 3'": "did you mean 'support'",
    "rank movies --diverse 3 --all": "one of them",
    "rank movies --by wracc": "--label",
    "rank movies --by wracc --label dramma": "'dramma'",
    "rank movies --by cr --label drama": "--label is for measures",
    "rank movies --by weighted_intent": "--weights",
    "rank movies --by weighted_intent --weights drama=much": "neither a file nor weights",
    "rank movies --by weighted_intent --weights dramma=2": "'dramma'",
    "rank movies --by weighted_intent --also weighted_extent --weights drama=2": "one side",
    "rank movies --format parquet": "--out",
    "rank movies --out scores.xyz": "--format",
    "rank movies --out nowhere/scores.csv": "no directory nowhere",
    "rank movies --out .": "is a directory",
    "rank movies --input-format burmeister": "data set",
    "rank people.csv --input-format burmeistr": "did you mean 'burmeister'",
    f"rank people.csv --scale age=quantiles:{HUGE}": "10,000",
    f"rank movies --min-support {HUGE}": "too large",
    f"rank movies --max-memory {HUGE}T": "too large",
    "show movies --intent criminal,dramma": "did you mean 'drama'",
    "show movies --objects 2,77": "'77'",
    "show movies": "--intent",
    "show movies --intent drama --objects 2": "--intent",
    "measures stabilty": "did you mean 'stability'",
    "measures support --search x": "NAME",
    "measures --search 'no such word'": "no such word",
    "plot movies": "no output",
    "plot movies --out a.txt": ".svg",
    "plot movies --format png": "--out figure.png",
    "plot movies --figure curves --out a.dot": "dot is for diagrams",
    "plot movies --ideal drama --top 3 --out a.svg": "different parts",
    "plot movies --figure curves --ideal drama --out a.svg": "diagrams only",
    "plot movies --ideal dramma --out a.svg": "did you mean 'drama'",
    "plot movies --colour suport --out a.svg": "did you mean 'support'",
    "plot movies --figure scatter --out a.svg": "two measures",
    "plot movies --width wide --out a.svg": "85mm",
    "convert movies m.xyz": "--output-format",
    "convert movies m": "has no suffix",
    "convert movies m.cxt --output-format burmeistr": "did you mean 'burmeister'",
    "convert movies nowhere/m.cxt": "no directory nowhere",
    "convert movies m.cxt --scale age=nominal": "nothing to scale",
    "explore movies --export nowhere/page.html": "no directory",
    "explore movies --export page.html --by suport": "did you mean",
    "explore movies --export page.html --also precision": "--label",
}


@pytest.mark.parametrize("command", WRONG)
def test_wrong_use_is_a_line(run, command):
    Path("people.csv").write_text("name,age\nAnn,30\nBob,41\n")
    result = run(*shlex.split(command))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert WRONG[command] in result.stderr


@pytest.mark.parametrize(
    "option",
    [
        "--top -1",
        "--min-support 1.5",
        "--min-support many",
        "--max-memory lots",
        "--threads 100000",
    ],
)
def test_values_that_make_no_sense(run, option):
    result = run("rank", "movies", *option.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert option.split()[0] in result.stderr
