"""Null models by name: the random contexts that `significance` compares concepts with.

A null model keeps some properties of the context and randomises the others. The module
`conceptrank.datasets.random` has the same models as functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from conceptrank import _core
from conceptrank._util.lists import Lists
from conceptrank.context import Context
from conceptrank.datasets import _samplers
from conceptrank.datasets._samplers import HUB_STREAM, ChainSampler, Interrupt, Sampler
from conceptrank.errors import ConceptRankError, UnknownNameError

# A name, a name and parameters, or a function that takes a context and a seed and returns a
# random context.
NullLike: TypeAlias = "str | tuple[str, Mapping[str, object]] | Callable[[Context, int], Context]"


@dataclass(frozen=True)
class Null:
    """A null model.

    Parameters
    ----------
    sampler
        Takes a context, and parameters as keywords; returns a function that draws rows.
    keeps
        The properties of the context that it keeps.
    reference
        Where it comes from.
    """

    sampler: Callable[..., Sampler]
    keeps: str
    reference: str = ""

    @property
    def name(self) -> str:
        """Its name, which is that of its sampler."""
        return self.sampler.__name__

    @property
    def params(self) -> dict[str, Any]:
        """The parameters and their defaults.

        Examples
        --------
        >>> get("swap").params
        {'steps': None}
        """
        declared = inspect.signature(self.sampler).parameters.values()
        return {each.name: each.default for each in declared if each.kind is each.KEYWORD_ONLY}


_MARGINS = "the size of every object and of every attribute"
_SIZES = "the sizes of objects in distribution; attributes are exchangeable"
_CARSTENS = "Strona et al., Nature Communications 5 (2014); Carstens, Phys. Rev. E 91 (2015)"
_FELDE = "Felde, Hanika, Stumme, Information 11 (2020)"
_FISHER = "Fisher, The design of experiments (1935)"
_FREE = "attributes and objects are exchangeable"

_NULLS = {
    null.name: null
    for null in (
        Null(_samplers.swap, _MARGINS, "Gionis et al., ACM TKDD 1 (2007)"),
        Null(_samplers.curveball, _MARGINS, _CARSTENS),
        Null(_samplers.shuffle_columns, "the size of every attribute", _FISHER),
        Null(
            _samplers.resample_rows,
            "everything but the choice of objects",
            "Efron, Annals of Statistics 7 (1979)",
        ),
        Null(_samplers.categorical_rows, _SIZES, _FELDE),
        Null(
            _samplers.dirichlet_rows,
            "the sizes of objects nearly in distribution; attributes are exchangeable",
            "Felde, Hanika, ICCS (2019)",
        ),
        Null(_samplers.coin_toss, f"the density in expectation; {_FREE}", _FELDE),
        Null(_samplers.fixed_density, f"the number of crosses; {_FREE}"),
    )
}


def get(name: str) -> Null:
    """Return the null model of this name.

    Raises
    ------
    UnknownNameError
        If no null model has this name; the message lists similar names.

    Examples
    --------
    >>> get("curveball").keeps
    'the size of every object and of every attribute'
    >>> get("cointoss")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown null model 'cointoss'; did you mean 'coin_toss'?
    """
    if name not in _NULLS:
        raise UnknownNameError("null model", name, _NULLS)
    return _NULLS[name]


def available() -> pl.DataFrame:
    """Return a table of all null models.

    Examples
    --------
    >>> available().filter(name="coin_toss").select("params").item()
    'density=None'
    """
    return pl.DataFrame(
        {
            "name": null.name,
            "keeps": null.keeps,
            "params": ", ".join(f"{key}={value!r}" for key, value in null.params.items()),
            "reference": null.reference,
        }
        for null in _NULLS.values()
    )


class NullSource:
    """The random rows of one test, by number.

    A test is valid for any number of steps of a chain: all random contexts start at a hub, which
    the same chain reaches from the context. The chain is reversible, so the context and the random
    ones are exchangeable (Besag and Clifford, Generalized Monte Carlo significance tests,
    Biometrika 76, 1989).

    Parameters
    ----------
    context
        The context.
    null
        The null model.
    seed
        Of all the random numbers.
    """

    def __init__(self, context: Context, null: NullLike, seed: int) -> None:
        self._seed = _samplers.count("seed", seed, below=2**64)
        context = context.repeated()
        self.distance: float | None = None
        self.label: str
        if isinstance(null, str | tuple):
            name, params = (null, {}) if isinstance(null, str) else null
            self.label = name + shown(params)
            self._sampler = _sampler(context, get(name), params)
        elif callable(null):
            self.label = getattr(null, "__name__", "own null model")
            self._sampler = _own(context, null, self.label)
        else:
            raise UnknownNameError("null model", null, _NULLS)

    def prepare(self, interrupt: Interrupt = None) -> None:
        """Run the chain to the hub, if there is a chain."""
        if isinstance(self._sampler, ChainSampler):
            random = _core.RandomStream(self._seed, HUB_STREAM)
            hub = self._sampler.run(random, interrupt, checkpoints=1)
            self.distance = float(hub.distances[-1]) if len(hub.distances) else None
            self._sampler = self._sampler.starting_at(hub.rows)

    def draw(self, number: int, interrupt: Interrupt = None) -> Lists:
        """Return the random rows with this number."""
        return self._sampler(_samplers.stream(self._seed, number), interrupt)


def _own(context: Context, null: Callable[[Context, int], Context], label: str) -> Sampler:
    """Return a sampler that calls the user's function."""

    def draw(random: _core.RandomStream, _: Interrupt) -> Lists:
        drawn = null(context, int(random.uniform(1)[0] * 2**53))
        if not isinstance(drawn, Context) or drawn.attributes != context.attributes:
            raise ConceptRankError(
                f"the null model {label} returned {drawn!r}, not a context with the same attributes"
            )
        return drawn.repeated().rows()

    return draw


def _sampler(context: Context, null: Null, params: Mapping[str, object]) -> Sampler:
    known = null.params
    for name in params:
        if name not in known:
            takes = ", ".join(known) or "none"
            raise ConceptRankError(f"{null.name} has no parameter {name!r}; it takes {takes}")
    return null.sampler(context, **params)


def shown(params: Mapping[str, object]) -> str:
    """Return parameters as they are written behind a name.

    Examples
    --------
    >>> shown({"steps": 10}), shown({})
    ('(steps=10)', '')
    """
    text = ", ".join(f"{key}={value}" for key, value in params.items())
    return f"({text})" if text else ""
