"""Compare the classifiers of conceptrank.learn with others by 5 × 2 cross-validation.

    python benchmarks/learn.py [TABLE …] [--repeats 5] [--out learn.json] [--report learn.json]

The tables are looked for in $CONCEPTRANK_DATA, then in ../shared/data. Rule learners of other
packages take part if they are installed: imodels and wittgenstein. Every method is fitted to the
same half of the rows; methods that need numbers get words one-hot.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from conceptrank.learn import ConceptClassifier, RuleListClassifier
from conceptrank.scaling import read_table

# Rule learners of other packages take minutes for more rows.
MOST_ROWS = 2000
CP4IM = (
    *("anneal", "australian-credit", "german-credit", "heart-cleveland", "hepatitis"),
    *("kr-vs-kp", "primary-tumor"),
)
TABLES = (*CP4IM, "adult", "mushroom", "house-votes", "nursery", "tic-tac-toe")


def data() -> Path:
    given = os.environ.get("CONCEPTRANK_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns of a table and the class, 0 or 1."""
    bench = data() / "bench"
    if name in CP4IM:
        with gzip.open(bench / "cp4im" / f"{name}.txt.gz") as file:
            cells = np.loadtxt(file, dtype=int)
        frame = pd.DataFrame(cells[:, 1:], columns=[f"a{j}" for j in range(cells.shape[1] - 1)])
        return frame, cells[:, 0]
    if name == "adult":
        frame = pd.read_csv(bench / "adult.data.gz", header=None, skipinitialspace=True)
        frame.columns = [f"c{j}" for j in range(frame.shape[1])]
        label, positive = "c14", ">50K"
    elif name == "mushroom":
        frame = pd.read_csv(bench / "agaricus-lepiota.data", header=None)
        frame.columns = [f"c{j}" for j in range(frame.shape[1])]
        label, positive = "c0", "p"
    elif name == "house-votes":
        frame = pd.read_csv(bench / "house-votes-84.data")
        label = next(c for c in frame.columns if "republican" in set(frame[c].astype(str)))
        positive = "republican"
    else:
        frame = read_table(bench / f"{name}.arff").to_pandas()
        label = frame.columns[-1]
        positive = {"nursery": "spec_prior", "tic-tac-toe": "positive"}[name]
    y = (frame[label].astype(str) == positive).to_numpy().astype(int)
    frame = frame.drop(columns=label)
    if len(frame) > MOST_ROWS:
        rows = np.random.default_rng(0).choice(len(frame), MOST_ROWS, replace=False)
        frame, y = frame.iloc[rows].reset_index(drop=True), y[rows]
    for column in frame.columns:
        if frame[column].dtype.kind not in "biuf":
            frame[column] = frame[column].astype(object).where(frame[column].notna(), "?")
    return frame, y


def numeric(frame: pd.DataFrame) -> ColumnTransformer:
    words = make_column_selector(dtype_exclude=np.number)
    return ColumnTransformer(
        [("words", OneHotEncoder(handle_unknown="ignore", sparse_output=False), words)],
        remainder="passthrough",
    )


class OneHot:
    """A learner on the one-hot table, with a count of its rules."""

    def __init__(self, learner: Any, size: Callable[[Any], int | None], *, scale: bool = False):
        self.learner, self.size, self.scale = learner, size, scale

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> OneHot:
        self.encoder = numeric(frame)
        if self.scale:
            self.encoder = make_pipeline(self.encoder, StandardScaler())
        self.learner.fit(np.asarray(self.encoder.fit_transform(frame), dtype=float), y)
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return self.learner.predict_proba(np.asarray(self.encoder.transform(frame), dtype=float))

    @property
    def patterns(self) -> int | None:
        return self.size(self.learner)


class Wittgenstein:
    """RIPPER of wittgenstein; the probability is that of its rules."""

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> Wittgenstein:
        import wittgenstein

        self.encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        self.learner = wittgenstein.RIPPER(random_state=0)
        self.learner.fit(frame.assign(label=y), class_feat="label", pos_class=1)
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.learner.predict_proba(frame))

    @property
    def patterns(self) -> int:
        return len(self.learner.ruleset_.rules)


class Own:
    """A classifier of conceptrank."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> Own:
        self.learner.fit(frame, y)
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return self.learner.predict_proba(frame)

    @property
    def patterns(self) -> int:
        model = self.learner
        return len(getattr(model, "patterns_", None) or model.rules_[:-1])

    @property
    def length(self) -> float:
        model = self.learner
        listed = getattr(model, "patterns_", None) or model.rules_[:-1]
        return float(np.mean([len(each.attributes) for each in listed])) if listed else 0.0


def pruned_tree(y: np.ndarray) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(min_samples_leaf=max(2, len(y) // 100), random_state=0)


def methods() -> dict[str, Callable[[np.ndarray], Any]]:
    found: dict[str, Callable[[np.ndarray], Any]] = {
        "ConceptClassifier": lambda y: Own(ConceptClassifier()),
        "RuleListClassifier": lambda y: Own(RuleListClassifier()),
        "decision tree": lambda y: OneHot(pruned_tree(y), lambda tree: int(tree.get_n_leaves())),
        "logistic regression": lambda y: OneHot(
            LogisticRegression(max_iter=2000),
            lambda model: int((model.coef_ != 0).sum()),
            scale=True,
        ),
        "gradient boosting": lambda y: OneHot(
            HistGradientBoostingClassifier(random_state=0), lambda _: None
        ),
    }
    try:
        import imodels
    except ImportError:
        pass
    else:
        found["RuleFit (imodels)"] = lambda y: OneHot(
            imodels.RuleFitClassifier(max_rules=50, random_state=0), lambda m: len(m.rules_)
        )
        found["SkopeRules (imodels)"] = lambda y: OneHot(
            imodels.SkopeRulesClassifier(random_state=0), lambda m: len(m.rules_)
        )
        found["boosted rules (imodels)"] = lambda y: OneHot(
            imodels.BoostedRulesClassifier(n_estimators=50, random_state=0),
            lambda m: len(m.estimators_),
        )
    try:
        import wittgenstein  # noqa: F401
    except ImportError:
        pass
    else:
        found["RIPPER (wittgenstein)"] = lambda y: Wittgenstein()
    return found


def run(tables: list[str], repeats: int, out: Path, chosen: list[str]) -> None:
    results: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {}
    for table in tables:
        frame, y = load(table)
        for name, make in methods().items():
            if (chosen and name not in chosen) or name in results.get(table, {}):
                continue
            rows = []
            for repeat in range(repeats):
                folds = StratifiedKFold(2, shuffle=True, random_state=repeat).split(frame, y)
                for train, test in folds:
                    begin = time.process_time()
                    try:
                        model = make(y[train]).fit(frame.iloc[train], y[train])
                        chance = np.nan_to_num(model.predict_proba(frame.iloc[test])[:, 1])
                    except Exception as error:  # a peer may fail on a table
                        rows.append({"error": f"{type(error).__name__}: {error}"[:200]})
                        break
                    rows.append(
                        {
                            "auc": roc_auc_score(y[test], chance),
                            "accuracy": accuracy_score(y[test], chance > 0.5),
                            "patterns": model.patterns,
                            "length": getattr(model, "length", None),
                            "seconds": time.process_time() - begin,
                        }
                    )
                if "error" in rows[-1]:
                    break
            results.setdefault(table, {})[name] = rows
            print(table, name, summary(rows), flush=True)
            out.write_text(json.dumps(results))


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    if not rows or any("error" in row for row in rows):
        return {"error": next(row["error"] for row in rows if "error" in row)}
    return {
        key: None if rows[0][key] is None else round(float(np.mean([row[key] for row in rows])), 4)
        for key in rows[0]
    }


def report(results: dict[str, Any]) -> str:
    """Return two tables in Markdown: the AUC by table and method, and the means of a method."""
    tables = list(results)
    names = list(dict.fromkeys(name for table in tables for name in results[table]))
    lines = ["| table | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    means = {t: {n: summary(results[t][n]) for n in names if n in results[t]} for t in tables}
    for table in tables:
        values = {n: m["auc"] for n, m in means[table].items() if "auc" in m}
        best = max(values.values())
        cells = [
            f"**{values[n]:.3f}**"
            if n in values and values[n] > best - 0.0005
            else f"{values[n]:.3f}"
            if n in values
            else "–"
            for n in names
        ]
        lines.append(f"| {table} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "| method | AUC | accuracy | patterns | seconds | tables |",
        "|---|---|---|---|---|---|",
    ]
    for name in names:
        rows = [means[t][name] for t in tables if "auc" in means[t].get(name, {})]
        if not rows:
            continue
        cells = [f"{np.mean([r[k] for r in rows]):.3f}" for k in ("auc", "accuracy")]
        counts = [r["patterns"] for r in rows if r["patterns"] is not None]
        cells.append(f"{np.mean(counts):.1f}" if counts else "–")
        cells.append(f"{np.mean([r['seconds'] for r in rows]):.2f}")
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {len(rows)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--methods", nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("learn.json"))
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    if given.report is not None:
        print(report(json.loads(given.report.read_text())))
        return
    warnings.simplefilter("ignore")
    run(given.tables, given.repeats, given.out, given.methods)


if __name__ == "__main__":
    main()
