"""Compare `ConceptClassifier` with others by 5 × 2 cross-validation.

    python benchmarks/learn.py [TABLE …] [--methods NAME …] [--repeats 5] [--out learn.json]
    python benchmarks/learn.py --report learn.json

The tables are looked for in $CONCEPTRANK_DATA, then in ../shared/data. Rule learners of other
packages take part if they are installed: imodels, wittgenstein and pyarc. Every method is fitted to
the same half of the rows; methods that need numbers get words one-hot. Each fit is written to the
file when it ends, and a second run continues there. A fit that exceeds the limit of time counts as
failed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
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
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from conceptrank.learn import ConceptClassifier
from conceptrank.scaling import read_table

# Processor seconds that a fit and its predictions may take.
LIMIT = 120.0
# Larger tables are sampled, because some of the rule learners need minutes for more rows.
MOST_ROWS = 6000
# Learners written in pure Python see so many of the training rows.
FEW_ROWS = 2000
MAIN = ("anneal", "australian-credit", "german-credit", "heart-cleveland", "hepatitis")
MORE = (
    *("audiology", "hypothyroid", "kr-vs-kp", "lymph", "primary-tumor", "soybean", "splice-1"),
    "zoo-1",
)
CP4IM = (*MAIN, *MORE)
TABLES = (*MAIN, "adult", "mushroom", "house-votes", "nursery", "tic-tac-toe", *MORE)


def data() -> Path:
    given = os.environ.get("CONCEPTRANK_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns of a table and the number of the class of each row."""
    bench = data() / "bench"
    if name in CP4IM:
        with gzip.open(bench / "cp4im" / f"{name}.txt.gz") as file:
            cells = np.loadtxt(file, dtype=int)
        frame = pd.DataFrame(cells[:, 1:], columns=[f"a{j}" for j in range(cells.shape[1] - 1)])
        return frame, np.unique(cells[:, 0], return_inverse=True)[1]
    if name == "adult":
        frame = pd.read_csv(bench / "adult.data.gz", header=None, skipinitialspace=True)
        frame.columns = [f"c{j}" for j in range(frame.shape[1])]
        label = "c14"
    elif name == "mushroom":
        frame = pd.read_csv(bench / "agaricus-lepiota.data", header=None)
        frame.columns = [f"c{j}" for j in range(frame.shape[1])]
        label = "c0"
    elif name == "house-votes":
        frame = pd.read_csv(bench / "house-votes-84.data")
        label = next(c for c in frame.columns if "republican" in set(frame[c].astype(str)))
    else:
        frame = pd.DataFrame(read_table(bench / f"{name}.arff").to_dict(as_series=False))
        label = frame.columns[-1]
    y = np.unique(frame[label].astype(str), return_inverse=True)[1]
    frame = frame.drop(columns=label)
    if len(y) > MOST_ROWS:
        rows = np.random.default_rng(0).choice(len(y), MOST_ROWS, replace=False)
        frame, y = frame.iloc[rows].reset_index(drop=True), y[rows]
        # A class of one row can't be in both halves.
        frame, y = frame[np.bincount(y)[y] > 1].reset_index(drop=True), y[np.bincount(y)[y] > 1]
        y = np.unique(y, return_inverse=True)[1]
    for column in frame.columns:
        if frame[column].dtype.kind not in "biuf":
            frame[column] = frame[column].astype(object).where(frame[column].notna(), "?")
    return frame, y


class Own:
    """`ConceptClassifier`."""

    def __init__(self) -> None:
        self.learner = ConceptClassifier()

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> Own:
        self.learner.fit(frame, y)
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return self.learner.predict_proba(frame)

    @property
    def lengths(self) -> list[int]:
        return [len(each.attributes) for each in self.learner.patterns_]


class OneHot:
    """A learner on the one-hot table, and the lengths of its rules."""

    def __init__(
        self, learner: Any, lengths: Callable[[Any], list[int] | None], *, scale: bool = False
    ) -> None:
        self.learner, self.count, self.scale = learner, lengths, scale

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> OneHot:
        words = make_column_selector(dtype_exclude=np.number)
        self.encoder: Any = ColumnTransformer(
            [("words", OneHotEncoder(handle_unknown="ignore", sparse_output=False), words)],
            remainder="passthrough",
        )
        if self.scale:
            self.encoder = make_pipeline(self.encoder, StandardScaler())
        self.learner.fit(np.asarray(self.encoder.fit_transform(frame), dtype=float), y)
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return self.learner.predict_proba(np.asarray(self.encoder.transform(frame), dtype=float))

    @property
    def lengths(self) -> list[int] | None:
        return self.count(self.learner)


class OneAgainstRest:
    """A learner of two classes, fitted to each class against the others if there are more."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> OneAgainstRest:
        positive = [1] if y.max() == 1 else range(y.max() + 1)
        self.models = [self.make().fit(frame, (y == each).astype(int)) for each in positive]
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        chances = [np.nan_to_num(each.predict_proba(frame)[:, 1]) for each in self.models]
        if len(chances) == 1:
            return np.column_stack([1 - chances[0], chances[0]])
        total = np.column_stack(chances) + 1e-12
        return total / total.sum(axis=1, keepdims=True)

    @property
    def lengths(self) -> list[int]:
        return [length for each in self.models for length in each.lengths]


class Ripper:
    """RIPPER of wittgenstein; the probability is that of its rules."""

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> Ripper:
        import wittgenstein

        self.learner = wittgenstein.RIPPER(random_state=0)
        self.learner.fit(frame.assign(label=y), class_feat="label", pos_class=1)
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.learner.predict_proba(frame))

    @property
    def lengths(self) -> list[int]:
        return [len(rule.conds) for rule in self.learner.ruleset_.rules]


class Associations:
    """CBA of pyarc: numbers in eight quantiles, rules of at most two conditions.

    The probability of the predicted class is the confidence of the rule; the other classes share
    the rest by their frequency.
    """

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> Associations:
        from pyarc import CBA

        self.numbers = [c for c in frame.columns if frame[c].nunique() > 8 and is_number(frame[c])]
        self.bins = KBinsDiscretizer(8, encode="ordinal", strategy="quantile")
        if self.numbers:
            self.bins.fit(frame[self.numbers])
        self.shares = np.bincount(y) / len(y)
        self.learner = CBA(support=0.05, confidence=0.5, maxlen=3)
        self.learner.fit(self.transactions(frame, y))
        return self

    def transactions(self, frame: pd.DataFrame, y: np.ndarray) -> Any:
        from pyarc import TransactionDB

        words = frame.copy()
        if self.numbers:
            words[self.numbers] = self.bins.transform(frame[self.numbers]).astype(int)
        return TransactionDB.from_DataFrame(words.astype(str).assign(label=y.astype(str)))

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        rows = self.transactions(frame, np.zeros(len(frame), dtype=int))
        labels = np.array(self.learner.predict(rows)).astype(int)
        chance = np.array(self.learner.predict_probability(rows), dtype=float)
        rest = self.shares[None, :] * np.ones((len(frame), 1))
        rest[np.arange(len(frame)), labels] = 0
        result = rest / rest.sum(axis=1, keepdims=True) * (1 - chance)[:, None]
        result[np.arange(len(frame)), labels] = chance
        return result

    @property
    def lengths(self) -> list[int]:
        return [len(rule.antecedent) for rule in self.learner.clf.rules]


def is_number(column: pd.Series) -> bool:
    return column.dtype.kind in "iuf"


class FewRows:
    """A learner that sees at most `FEW_ROWS` of the training rows."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> FewRows:
        chosen = np.arange(len(y))
        if len(y) > FEW_ROWS:
            chosen = np.sort(np.random.default_rng(0).permutation(len(y))[:FEW_ROWS])
            first = np.unique(y, return_index=True)[1]
            chosen = np.union1d(chosen, first)
        self.learner.fit(frame.iloc[chosen].reset_index(drop=True), y[chosen])
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return self.learner.predict_proba(frame.reset_index(drop=True))

    @property
    def lengths(self) -> list[int]:
        return self.learner.lengths


def leaf_depths(tree: Any) -> list[int]:
    """Return the number of conditions on the way to each leaf."""
    nodes, depths, waiting = tree.tree_, [], [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        if nodes.children_left[node] < 0:
            depths.append(depth)
        else:
            waiting += [(nodes.children_left[node], depth + 1)]
            waiting += [(nodes.children_right[node], depth + 1)]
    return depths


def rulefit_lengths(model: Any) -> list[int]:
    """Return the number of conditions of each term with a weight; a column has one."""
    linear = len(model.coef) - len(model.rules_)
    columns = [1 for weight in model.coef[:linear] if weight != 0]
    weighted = zip(model.rules_, model.coef[linear:], strict=True)
    return columns + [str(rule).count(" and ") + 1 for rule, weight in weighted if weight != 0]


def methods() -> dict[str, Callable[[np.ndarray], Any]]:
    found: dict[str, Callable[[np.ndarray], Any]] = {
        "ConceptClassifier": lambda y: Own(),
        "decision tree": lambda y: OneHot(
            DecisionTreeClassifier(min_samples_leaf=max(2, len(y) // 100), random_state=0),
            leaf_depths,
        ),
        "logistic regression": lambda y: OneHot(
            LogisticRegression(max_iter=2000),
            lambda model: [1] * int((model.coef_ != 0).any(axis=0).sum()),
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
        found["RuleFit (imodels)"] = lambda y: OneAgainstRest(
            lambda: OneHot(imodels.RuleFitClassifier(max_rules=50, random_state=0), rulefit_lengths)
        )
        found["boosted rules (imodels)"] = lambda y: OneAgainstRest(
            lambda: OneHot(
                imodels.BoostedRulesClassifier(n_estimators=50, random_state=0),
                lambda model: [1] * len(model.estimators_),
            )
        )
    try:
        import wittgenstein  # noqa: F401
    except ImportError:
        pass
    else:
        found["RIPPER (wittgenstein)"] = lambda y: FewRows(OneAgainstRest(Ripper))
    try:
        import pyarc  # noqa: F401
    except ImportError:
        pass
    else:
        found["CBA (pyarc)"] = lambda y: FewRows(Associations())
    return found


def evaluate(model: Any, frame: pd.DataFrame, y: np.ndarray, train: Any, test: Any) -> dict:
    """Return the quality of a model on the test rows; or the error of a peer."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {LIMIT:.0f} processor seconds")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    begin = time.process_time()
    try:
        model.fit(frame.iloc[train].reset_index(drop=True), y[train])
        seconds = time.process_time() - begin
        chances = model.predict_proba(frame.iloc[test].reset_index(drop=True))
    except Exception as error:  # a peer may fail on a table
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    chances = np.nan_to_num(chances)
    if chances.shape[1] == 2:
        auc = roc_auc_score(y[test], chances[:, 1])
    else:
        aucs = [roc_auc_score(y[test] == j, chances[:, j]) for j in range(chances.shape[1])]
        auc = np.average(aucs, weights=np.bincount(y[test], minlength=chances.shape[1]))
    lengths = model.lengths
    return {
        "auc": float(auc),
        "accuracy": float((chances.argmax(axis=1) == y[test]).mean()),
        "patterns": None if lengths is None else len(lengths),
        "length": float(np.mean(lengths)) if lengths else None,
        "seconds": seconds,
    }


def run(tables: list[str], repeats: int, out: Path, chosen: list[str]) -> None:
    results: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {}
    loaded = {table: load(table) for table in tables}
    for repeat in range(repeats):
        for table in tables:
            frame, y = loaded[table]
            splits = StratifiedKFold(2, shuffle=True, random_state=repeat).split(frame, y)
            for half, (train, test) in enumerate(splits):
                for name, make in methods().items():
                    done = results.setdefault(table, {}).setdefault(name, {})
                    place = f"{repeat}.{half}"
                    failed = any("error" in each for each in done.values())
                    if (chosen and name not in chosen) or place in done or failed:
                        continue
                    done[place] = evaluate(make(y[train]), frame, y, train, test)
                    print(table, place, name, done[place], flush=True)
                    out.with_suffix(".part").write_text(json.dumps(results, indent=1))
                    out.with_suffix(".part").replace(out)


def mean(folds: dict[str, dict[str, Any]], key: str) -> float | None:
    """Return the mean over the folds; None if a fold failed or has no such number."""
    values = [each.get(key) for each in folds.values()]
    known = [each for each in values if each is not None]
    if not known or any("error" in each for each in folds.values()):
        return None
    return float(np.mean(known))


def report(results: dict[str, Any]) -> str:
    """Return tables in Markdown: AUC and accuracy by table and method; means of each method."""
    tables = [table for table in TABLES if table in results]
    names = list(dict.fromkeys(n for t in tables for n in results[t] if results[t][n]))
    lines = []
    for key in ("auc", "accuracy"):
        lines += [f"| {key} | " + " | ".join(names) + " |", "|---|" + "--:|" * len(names)]
        for table in tables:
            values = [mean(results[table].get(name, {}), key) for name in names]
            best = max(each for each in values if each is not None)
            cells = [
                "–" if each is None else f"**{each:.3f}**" if each > best - 5e-4 else f"{each:.3f}"
                for each in values
            ]
            lines.append(f"| {table} | " + " | ".join(cells) + " |")
        lines.append("")
    whole = [t for t in tables if all(mean(results[t].get(n, {}), "auc") for n in names)]
    lines += [
        f"| method | AUC, {len(tables)} tables | AUC, {len(whole)} tables that all finish | "
        "accuracy of these | patterns | length | seconds |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name in names:
        folds = [results[table].get(name, {}) for table in tables]
        cells = [name]
        finished = [mean(each, "auc") for each in folds]
        cells.append("–" if None in finished else f"{np.mean(finished):.4f}")
        cells.append(f"{np.mean([mean(results[t][name], 'auc') for t in whole]):.4f}")
        for key, digits in (("accuracy", 3), ("patterns", 1), ("length", 1), ("seconds", 2)):
            means = [mean(results[table][name], key) for table in whole]
            known = [each for each in means if each is not None]
            cells.append(f"{np.mean(known):.{digits}f}" if known else "–")
        lines.append("| " + " | ".join(cells) + " |")
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
    run(given.tables or list(TABLES), given.repeats, given.out, given.methods)


if __name__ == "__main__":
    main()
