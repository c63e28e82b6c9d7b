"""Rules beside `caspailleur`, `odis-python` and `mlxtend`: speed, and the same answers.

- The Duquenne–Guigues bases of Bob Ross, zoo and the small context of living beings and water,
  in turns in one run, and whether they agree.
- All rules that mlxtend derives from the frequent itemsets of groceries, rebuilt from the minimal
  non-redundant ones with their supports and confidences.
- Minimal non-redundant rules of mushroom next to all valid ones; none may follow from another.
- Generic and Luxenburger bases of all concepts of mushroom, against the time of the lattice.
- 300,000 rules of retail on 20,000 of its rows: which fire and which are violated where. Some of
  them are compared with a literal subset test.

Each of the others lives in a virtual environment of its own; reading files and importing don't
count. What counts is the ratio within one run.

    python benchmarks/rules.py [--repeats N]
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import peers
from peers import existing_data_file, timed

SUPPORT, CONFIDENCE = 0.01, 0.2
FILES = {"zoo": "zoo.ctx", "Bob Ross": "bob-ross.cxt", "water": "Living-Beings-and-Water.ctx"}
# Seconds after which nobody waits for an answer; what takes a tenth of that is asked once.
LIMIT = 30.0

Implications = set[tuple[frozenset[str], frozenset[str]]]


# What each of them does, timed without reading the file ------------------------------------------


def marks(path: str) -> tuple[list[str], list[str], list[str]]:
    """Return the objects, attributes and rows of crosses of a Burmeister file."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    n, q = (int(line) for line in lines[2:4])
    names = lines[5 : 5 + n + q]
    return names[:n], names[n:], lines[5 + n + q : 5 + 2 * n + q]


def caspailleur_basis(path: str) -> tuple[float, Any]:
    import caspailleur
    import pandas as pd

    objects, attributes, rows = marks(path)
    cells = [[mark in "xX" for mark in row] for row in rows]
    frame = pd.DataFrame(cells, index=range(len(objects)), columns=attributes)
    seconds, found = timed(
        lambda: caspailleur.mine_implications(
            frame, basis_name="Duquenne-Guigues", to_compute=["premise", "conclusion"]
        )
    )
    pairs = zip(found["premise"], found["conclusion"], strict=True)
    return seconds, [[sorted(p), sorted(set(p) | set(c))] for p, c in pairs]


def odis_basis(path: str) -> tuple[float, Any]:
    import odis

    context = odis.FormalContext.from_file(path)
    seconds, found = timed(context.canonical_basis_optimised)
    return seconds, [[sorted(p), sorted(set(p) | set(c))] for p, c in found.to_python()]


def mlxtend_rules(path: str) -> tuple[float, Any]:
    import pandas as pd
    from mlxtend.frequent_patterns import association_rules, fpgrowth
    from mlxtend.preprocessing import TransactionEncoder

    lines = Path(path).read_text(encoding="utf-8").splitlines()
    baskets = [line.split(",") for line in lines if line]
    encoder = TransactionEncoder()
    frame = pd.DataFrame(encoder.fit_transform(baskets), columns=encoder.columns_)

    def work() -> Any:
        itemsets = fpgrowth(frame, min_support=SUPPORT, use_colnames=True)
        return association_rules(
            itemsets, num_itemsets=len(frame), metric="confidence", min_threshold=CONFIDENCE
        )

    seconds, rules = timed(work)
    columns = ("antecedents", "consequents", "support", "confidence")
    rows = zip(*(rules[name] for name in columns), strict=True)
    return seconds, [[sorted(x), sorted(y), s, c] for x, y, s, c in rows]


JOBS = {job.__name__: job for job in (caspailleur_basis, odis_basis, mlxtend_rules)}


# The others' processes ---------------------------------------------------------------------------


def ask(peer: str, job: str, path: Path) -> tuple[float, Any]:
    """Return how long a job of another package took, and its answer; None if it took too long."""
    worker = peers.Worker(__file__, peer)
    found = worker.ask([f"{peer}_{job}", str(path)], limit=LIMIT)
    if found is None:
        return LIMIT, None
    worker.close()
    return found[0], found[1]


def verdict(found: object, expected: object) -> str:
    return "the same" if found == expected else "DIFFERENT"


# The comparisons ---------------------------------------------------------------------------------


def compare_bases(repeats: int) -> None:
    import conceptrank as cr

    print("Duquenne–Guigues bases, median seconds")
    for title, name in FILES.items():
        path = existing_data_file(f"bench/classic/{name}")
        context = cr.load(path)
        times: dict[str, list[float]] = {}
        answers: dict[str, Implications] = {}
        for _ in range(repeats):
            for peer in ("caspailleur", "odis"):
                if max(times.get(peer, [0.0])) > LIMIT / 10:
                    continue
                seconds, answer = ask(peer, "basis", path)
                times.setdefault(peer, []).append(seconds)
                if answer is not None:
                    answers[peer] = {(frozenset(p), frozenset(c)) for p, c in answer}
            seconds, basis = timed(lambda: cr.rules.Implications.of(context))  # noqa: B023
            times.setdefault("conceptrank", []).append(seconds)
            seconds, rules = timed(lambda: context.lattice().rules("dg"))  # noqa: B023
            times.setdefault("conceptrank, with the lattice", []).append(seconds)
        ours = {(frozenset(p), frozenset(p + c)) for p, c in basis}
        assert len(ours) == len(rules)
        median = {name: statistics.median(values) for name, values in times.items()}
        for who, seconds in median.items():
            known = ", no answer by then" if seconds == LIMIT else ""
            if who == "caspailleur" and who in answers:
                # It leaves out those whose premise no object has.
                some = {pair for pair in ours if context.extension(pair[0])}
                known = f", {verdict(answers[who], some)} implications that objects bear out"
            elif who in answers:
                known = f", {verdict(answers[who], ours)} implications"
            ratio = seconds / median["conceptrank"]
            print(f"  {title:9} {who:30} {seconds:10.5f}  {ratio:8.1f} ×{known}")
        print(f"  {title:9} {len(ours):,} implications")


def compare_rules() -> None:
    import conceptrank as cr

    path = existing_data_file("bench/groceries.csv")
    theirs, answer = ask("mlxtend", "rules", path)
    context = cr.load(path, format="baskets")

    def basis() -> cr.rules.Rules:
        lattice = context.lattice(min_support=SUPPORT)
        return lattice.rules("mnr", min_confidence=CONFIDENCE)

    ours, rules = timed(basis)
    expected = {(tuple(x), tuple(y)): (s, c) for x, y, s, c in answer}
    derived = {
        (tuple(sorted(rule.premise)), tuple(sorted(rule.conclusion))): rule
        for rule in rules.derived()
    }
    differences = [
        max(abs(derived[pair].support - s), abs(derived[pair].confidence - c))
        for pair, (s, c) in expected.items()
        if pair in derived
    ]
    print(f"\ngroceries, support {SUPPORT}, confidence {CONFIDENCE}")
    print(f"  mlxtend      {len(expected):6,} rules  {theirs:8.3f} s")
    print(
        f"  conceptrank  {len(rules):6,} rules  {ours:8.3f} s, from which follow {len(derived):,}"
    )
    print(f"  rules rebuilt: {verdict(derived.keys(), expected.keys())}")
    print(f"  largest difference of support or confidence: {max(differences):.1e}")


def count_redundant(rules: Any) -> int:
    """Return how many rules follow from another one with the same support and confidence."""
    facts: dict[tuple[float, float], list[tuple[frozenset[str], frozenset[str]]]] = {}
    for premise, conclusion, support, confidence in rules:
        whole = frozenset(premise + conclusion)
        facts.setdefault((support, confidence), []).append((frozenset(premise), whole))
    return sum(
        any(other != rule and other[0] <= rule[0] and rule[1] <= other[1] for other in group)
        for group in facts.values()
        for rule in group
    )


def count_rules() -> None:
    import conceptrank as cr

    lattice = cr.load(existing_data_file("bench/mushroom.dat.gz")).lattice(min_support=0.4)
    print(f"\nmushroom, support 0.4: {len(lattice):,} concepts")
    for confidence in (0.0, 0.5, 0.9, 1.0):
        rules = lattice.rules("mnr", min_confidence=confidence)
        print(
            f"  confidence {confidence:.1f}: {len(rules):6,} minimal non-redundant rules, "
            f"{count_redundant(rules)} redundant; {len(rules.derived()):8,} valid rules"
        )


def compare_with_the_lattice(repeats: int) -> None:
    import conceptrank as cr

    context = cr.load(existing_data_file("bench/mushroom.dat.gz"))
    times: dict[str, list[float]] = {"lattice": [], "generic": [], "luxenburger": []}
    sizes: dict[str, int] = {}
    for _ in range(repeats):
        seconds, lattice = timed(context.lattice)
        times["lattice"].append(seconds)
        sizes["lattice"] = len(lattice)
        for basis in ("generic", "luxenburger"):
            seconds, rules = timed(lambda: lattice.rules(basis))  # noqa: B023
            times[basis].append(seconds)
            sizes[basis] = len(rules)
    median = {name: statistics.median(values) for name, values in times.items()}
    print("\nall concepts of mushroom, median seconds")
    for name, seconds in median.items():
        unit = "concepts" if name == "lattice" else "rules"
        print(f"  {name:12} {seconds:8.3f}  {sizes[name]:9,} {unit}")
    ratio = (median["generic"] + median["luxenburger"]) / median["lattice"]
    print(f"  both bases take {ratio:.2f} times the time of the lattice")


def apply_rules() -> None:
    import conceptrank as cr

    context = cr.load(existing_data_file("bench/retail.dat.gz"))
    rules = context.lattice(min_support=12).rules("mnr", min_confidence=0.1)
    rows = context.select(objects=context.objects[:20_000])

    def apply() -> tuple[Any, Any]:
        applied = rules.apply(rows)
        return applied.fires, applied.violations

    processor = time.process_time()
    seconds, (fires, violations) = timed(apply)
    processor = time.process_time() - processor
    print(f"\nretail: {len(rules):,} rules on {len(rows.objects):,} rows")
    print(f"  {seconds:.2f} s elapsed, {processor:.2f} s of the processor")
    print(f"  {fires.nnz:,} times a rule fires, {violations.nnz:,} times it is violated")
    by_rule, broken = fires.tocsc(), violations.tocsc()
    baskets = [frozenset(items) for items in rows.to_itemsets().values()]
    for place in range(0, len(rules), len(rules) // 200):
        premise, conclusion = map(frozenset, (rules[place].premise, rules[place].conclusion))
        having = [row for row, basket in enumerate(baskets) if premise <= basket]
        lacking = [row for row in having if not conclusion <= baskets[row]]
        assert sorted(by_rule[:, [place]].indices) == having
        assert sorted(broken[:, [place]].indices) == lacking
    print("  200 of the rules agree with a literal subset test")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        peers.serve(lambda question: JOBS[question[0]](question[1]))
        return
    compare_bases(options.repeats)
    compare_rules()
    count_rules()
    compare_with_the_lattice(options.repeats)
    apply_rules()


if __name__ == "__main__":
    main()
