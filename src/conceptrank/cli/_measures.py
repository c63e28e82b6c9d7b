"""Measures on the command line: `cr`, `stability(method=auto, seed=7)`; `MeasureOptions`."""

from __future__ import annotations

import csv
import inspect
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from operator import itemgetter
from typing import Annotated, Any

from conceptrank._util.lists import NO_NUMBERS, joined
from conceptrank.cli._command import WrongUseError
from conceptrank.cli._options import Options, option, split_at_commas
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError, FormatError, UnknownNameError
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.query import labelled

# A measure with its parameters.
Bound = tuple[str, dict[str, Any]]
# Parts between commas; a comma inside brackets or quotes separates nothing.
_PART = re.compile(r"""(?:[^,()'"]|'[^']*'|"[^"]*"|\((?:[^()'"]|'[^']*'|"[^"]*")*\))+""")
_MEASURE = re.compile(r"\s*([^\s()]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_WORDS: dict[str, object] = {"true": True, "false": False, "none": None}
_EXAMPLES = {"parameter": "alpha=0.9", "option": "header=true"}
# The options that set a required parameter.
_OPTIONS = {"labels": "--label NAME", "weights": "--weights NAME=NUMBER,…"}

# The families of measures in the order of lists; measures of one's own come last.
_FAMILIES = (
    *("relevance", "expected", "stability", "robustness", "separation", "tolerance", "size"),
    *("itemset", "probability", "basic_level", "supervised", "contrast", "weights"),
)

By = Annotated[
    str | None,
    option(
        "MEASURE",
        show_default="cr; wracc with --target; the first measure of a folder",
        help=(
            "The measure to rank by, such as cr or stability(method=auto). "
            "[bold]conceptrank measures[/] lists them."
        ),
    ),
]
Also = Annotated[
    list[str] | None,
    option("MEASURE", help="More measures to show; repeat, or separate by commas."),
]
Then = Annotated[
    list[str] | None,
    option(
        "MEASURE", help="Measures that break ties, in this order; repeat, or separate by commas."
    ),
]
Where = Annotated[
    str | None,
    option(
        "CONDITION",
        help=(
            "Keep only the concepts that meet a condition, such as 'support >= 10 and cr > 0.3' or "
            "'\"drama\" in intent'."
        ),
    ),
]


@dataclass
class MeasureOptions(Options):
    """Parameters of measures: typed, labels from the table, or weights.

    Parameters
    ----------
    param
        A parameter for all measures that have it, such as alpha=0.9; repeat for more.
    label
        The attribute or raw column with each object's label, for supervised measures such as wracc
        or information_gain; COLUMN=VALUE also names the positive label. The column and all its
        attributes leave the table.
    weights
        Weights of attributes or objects, for weighted measures: typed, or in a CSV file of names
        and numbers. Other names weigh 1.
    """

    param: Annotated[list[str] | None, option("NAME=VALUE")] = None
    label: Annotated[
        str | None, option("NAME|COLUMN=VALUE", "--label", "--target", panel="Labels and weights")
    ] = None
    weights: Annotated[str | None, option("NAME=NUMBER,…|FILE", panel="Labels and weights")] = None
    params: dict[str, object] = field(init=False)
    _weights: dict[str, float] | None = field(init=False)

    def __post_init__(self) -> None:
        self.params = params(self.param or ())
        self._weights = None if self.weights is None else weights(self.weights)

    @property
    def usual(self) -> str:
        """The measure to rank by if none is named."""
        return "cr" if self.label is None else "wracc"

    @property
    def pending(self) -> list[str]:
        """The parameters whose values need the table."""
        values = {"labels": self.label, "weights": self._weights}
        return [name for name, value in values.items() if value is not None]

    def pending_values(
        self, context: Context, labels: Sequence[object] | None, measures: Sequence[MeasureLike]
    ) -> dict[str, Any]:
        """Return the values of the pending parameters for a table."""
        values: dict[str, Any] = {}
        if self.label is not None:
            values["labels"] = labels
        if self._weights is not None:
            values["weights"] = _weights_of_all(self._weights, context, measures)
        return values


def value(text: str) -> object:
    """Return the number, truth value or text that was typed; quotes make it a text.

    Examples
    --------
    >>> value("7"), value("0.9"), value("true"), value("none"), value("auto"), value("'7'")
    (7, 0.9, True, None, 'auto', '7')
    """
    text = text.strip() or text
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def params(values: Iterable[str], *, kind: str = "parameter") -> dict[str, object]:
    """Return parameters, or options of a format, that were typed as `NAME=VALUE`.

    Examples
    --------
    >>> params(["alpha=0.9", "method = auto"])
    {'alpha': 0.9, 'method': 'auto'}
    """
    found: dict[str, object] = {}
    for text in values:
        name, sign, typed = text.partition("=")
        # A separator may be a blank or a tab.
        name, value_text = name.strip(), typed.strip() or typed
        if not name.isidentifier() or not sign or not value_text:
            raise WrongUseError(f"{text!r} is no {kind} (hint: write it as {_EXAMPLES[kind]})")
        if name in found:
            raise WrongUseError(f"the {kind} {name} is given twice")
        found[name] = value(value_text)
    return found


def measure(text: str) -> MeasureLike:
    """Return a measure, with its parameters if there are any in brackets.

    Examples
    --------
    >>> measure("cr"), measure("cr(side=extent, activation='logistic:10,0.5')")
    ('cr', ('cr', {'side': 'extent', 'activation': 'logistic:10,0.5'}))
    """
    match = _MEASURE.fullmatch(text)
    if match is None:
        raise WrongUseError(
            f"{text.strip()!r} is no measure (hint: write it as cr or cr(side=extent))"
        )
    name, inside = match.groups()
    return name if inside is None else (name, params(_PART.findall(inside)))


def measures(values: Sequence[str] | None) -> list[MeasureLike]:
    """Return the measures in repeated options, in lists separated by commas, or both; each once.

    Examples
    --------
    >>> measures(["cr, cr(side=extent, beta=log)", "support", "cr"])
    ['cr', ('cr', {'side': 'extent', 'beta': 'log'}), 'support']
    """
    found: list[MeasureLike] = []
    for text in values or ():
        if text.count("(") != text.count(")"):
            raise WrongUseError(f"{text!r}: a bracket is open (hint: write cr(side=extent))")
        for part in _PART.findall(text):
            if part.strip() and (one := measure(part)) not in found:
                found.append(one)
    return found


def to_rank_by(
    by: str, then: Sequence[str] | None, also: Sequence[str] | None
) -> tuple[MeasureLike, list[MeasureLike], list[MeasureLike]]:
    """Return the measure to rank by, the tie-breakers, and the extra columns; each once.

    Examples
    --------
    >>> to_rank_by("cr", ["cr,stability"], ["support,lift,stability"])
    ('cr', ['stability'], ['lift'])
    """
    ranked_by = measure(by)
    tie_breakers = [each for each in measures(then) if each != ranked_by]
    shown_already = (ranked_by, "support", *tie_breakers)
    return ranked_by, tie_breakers, [each for each in measures(also) if each not in shown_already]


def by_family(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the family of each measure, and its name; relevance first, one's own last.

    Examples
    --------
    >>> by_family(["support", "lift", "cr_alpha"])
    [('relevance', 'cr_alpha'), ('size', 'support'), ('itemset', 'lift')]
    """
    found = []
    for name in sorted(names, key=lambda name: name != "conceptual_relevance"):
        measure = registry.get(name)
        module = measure.compute.__module__.rpartition(".")[2]
        known = measure.builtin and module in _FAMILIES
        place = _FAMILIES.index(module) if known else len(_FAMILIES)
        found.append((place, module.replace("_", " ") if known else "others", name))
    return [(family, name) for _, family, name in sorted(found, key=itemgetter(0))]


def bind(
    measures: Sequence[MeasureLike],
    shared: Mapping[str, object],
    *,
    context: Context | None = None,
    pending: Iterable[str] = (),
) -> list[Bound]:
    """Return measures with their parameters, or fail before the work begins.

    Parameters
    ----------
    measures
        The measures.
    shared
        Parameters for all measures that have them.
    context
        The table whose top concept must have a score; an empty one if None.
    pending
        Parameters whose values need the table.
    """
    pending = set(pending)
    names = [registry.split(each)[0] for each in measures]
    for key in sorted(pending.difference(*(registry.get(name).params for name in names))):
        option = _OPTIONS[key].partition(" ")[0]
        raise WrongUseError(f"{option} is for measures with {key}, not for {' and '.join(names)}")
    columns, _ = labelled(measures, {**shared, **dict.fromkeys(pending)})
    context = Context((), (), ()) if context is None else context
    top = Concepts(context, joined([context.core.closure(NO_NUMBERS)]))
    for name, own in columns.values():
        for key, default in registry.get(name).params.items():
            if default is inspect.Parameter.empty and key not in own:
                option = _OPTIONS.get(key, f"--param {key}=…")
                raise WrongUseError(f"{name} needs {key} (hint: give {option}, where possible)")
        if not pending & own.keys():
            _score(name, own, top)
    return [(name, dict(own)) for name, own in columns.values()]


def _score(name: str, own: Mapping[str, Any], concepts: Concepts) -> None:
    """Fail if a measure doesn't take its parameters."""
    try:
        registry.get(name).score(concepts, own)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, ConceptRankError):
            raise
        # The core's words about a wrong type are for programmers.
        typed = ", ".join(f"{key}={each}" for key, each in own.items())
        reason = error if isinstance(error, ValueError) else f"can't take {typed}"
        raise WrongUseError(f"{name}: {reason}") from error


def weights(text: str) -> dict[str, float]:
    """Return weights that are typed as `drama=2,comedy=0.5`, or those in a CSV file.

    Examples
    --------
    >>> weights("drama=2, comedy=0.5")
    {'drama': 2.0, 'comedy': 0.5}
    """
    if not os.path.isfile(text):
        parts = [part.rpartition("=") for part in split_at_commas(text)]
        found = {name.strip(): _weight(typed) for name, _, typed in parts}
        if not parts or None in found.values():
            hint = "write them as drama=2,comedy=0.5"
            raise WrongUseError(f"--weights {text}: neither a file nor weights (hint: {hint})")
        return {name: weight for name, weight in found.items() if weight is not None}
    with open(text, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    weights: dict[str, float] = {}
    for number, row in enumerate(rows, start=1):
        weight = _weight(row[1]) if len(row) == 2 else None
        if weight is not None:
            weights[row[0]] = weight
        # The first line may have titles; empty lines are skipped.
        elif row and number > 1:
            raise FormatError("expected a name and a number", source=text, line=number)
    return weights


def _weight(typed: str) -> float | None:
    try:
        number = float(typed)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _weights_of_all(
    known: Mapping[str, float], context: Context, measures: Sequence[MeasureLike]
) -> list[float]:
    """Return a weight for each attribute or object, whichever the measures weigh."""
    weighted = [registry.get(registry.split(each)[0]) for each in measures]
    sides = {each.side for each in weighted if "weights" in each.params}
    if len(sides) > 1:
        raise WrongUseError("--weights fit attributes or objects: use measures of one side only")
    of_objects = "extent" in sides
    labels = context.objects if of_objects else context.attributes
    existing = set(labels)
    for name in known:
        if name not in existing:
            kind = "object" if of_objects else "attribute"
            raise UnknownNameError(kind, name, labels, where="--weights")
    return [known.get(name, 1.0) for name in labels]
