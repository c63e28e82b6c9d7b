"""Measures and their parameters as users type them: `cr`, `stability(method=auto, seed=7)`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conceptrank.cli._guard import WrongUseError
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking.recipe import labelled

# Parts between commas; those inside of brackets or quotes separate nothing.
_PART = re.compile(r"""(?:[^,()'"]|'[^']*'|"[^"]*"|\((?:[^()'"]|'[^']*'|"[^"]*")*\))+""")
_MEASURE = re.compile(r"\s*([^\s()]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_WORDS: dict[str, object] = {"true": True, "false": False, "none": None}
_EXAMPLES = {"parameter": "alpha=0.9", "option": "header=true"}
# The options that give what a measure can't do without.
_OPTIONS = {"labels": "--label NAME", "weights": "--weights NAME=NUMBER,…"}


def value(text: str) -> object:
    """Return the number, truth value or text that was typed; quotes keep a text what it is.

    Examples
    --------
    >>> value("7"), value("0.9"), value("true"), value("none"), value("auto"), value("'7'")
    (7, 0.9, True, None, 'auto', '7')
    """
    text = text.strip()
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
    """Return parameters, or what else is given as `NAME=VALUE`.

    Examples
    --------
    >>> params(["alpha=0.9", "method = auto"])
    {'alpha': 0.9, 'method': 'auto'}
    """
    found: dict[str, object] = {}
    for text in values:
        name, sign, given = text.partition("=")
        if not name.strip().isidentifier() or not sign or not given.strip():
            raise WrongUseError(f"{text!r} is no {kind} (hint: write it as {_EXAMPLES[kind]})")
        if name.strip() in found:
            raise WrongUseError(f"the {kind} {name.strip()} is given twice")
        found[name.strip()] = value(given)
    return found


def measure(text: str) -> MeasureLike:
    """Return a measure, with parameters if there are any in brackets behind it.

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
    """Return what was given by repeating an option, by commas, or both; each once.

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


def checked(
    wanted: Sequence[MeasureLike], shared: Mapping[str, object], *, later: Iterable[str] = ()
) -> list[tuple[str, dict[str, Any]]]:
    """Return measures, each with the parameters that it knows, or fail before the work begins.

    Parameters
    ----------
    wanted
        The measures.
    shared
        Parameters for all that know them.
    later
        Parameters that are known only when the table has been read.
    """
    later = set(later)
    known, _ = labelled(wanted, {**shared, **dict.fromkeys(later)})
    found = [(name, dict(own)) for name, own in known.values()]
    for name, own in found:
        one = registry.get(name)
        for key, default in one.params.items():
            if default is inspect.Parameter.empty and key not in own:
                raise WrongUseError(f"{name} needs {key} (hint: {_option_for(key)})")
        if not later & own.keys():
            # What is wrong with a parameter is wrong in the smallest of contexts, too.
            try:
                one.score(Context((), (), ()).lattice(), own)
            except (TypeError, ValueError, OverflowError) as error:
                if isinstance(error, ConceptRankError):
                    raise
                # What the core says of a wrong type is for programmers.
                given = ", ".join(f"{key}={each}" for key, each in own.items())
                reason = error if isinstance(error, ValueError) else f"can't take {given}"
                raise WrongUseError(f"{name}: {reason}") from error
    return found


def completed(
    measures: Iterable[tuple[str, dict[str, Any]]], later: Mapping[str, object]
) -> list[MeasureLike]:
    """Return measures with the parameters that were to be known later.

    Examples
    --------
    >>> completed([("precision", {"labels": None}), ("cr", {})], {"labels": [0, 1]})
    [('precision', {'labels': [0, 1]}), ('cr', {})]
    """
    return [
        (name, own | {key: given for key, given in later.items() if key in own})
        for name, own in measures
    ]


def _option_for(parameter: str) -> str:
    return f"give {_OPTIONS.get(parameter, f'--param {parameter}=…')}"
