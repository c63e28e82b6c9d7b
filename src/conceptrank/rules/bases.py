"""The bases of rules, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from conceptrank.errors import UnknownNameError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Basis:
    """A kind of rules.

    Parameters
    ----------
    name
        Its identifier.
    aliases
        Other names of it.
    premises
        What premises are: `"pseudo-intents"`, `"generators"`, `"proper"` or `"intents"`.
    concludes
        The concepts that a rule leads to: that of the premise itself (`"same"`), its lower
        covers (`"covers"`), all below it (`"below"`), or the same and all below (`"all"`).
    summary
        One line for users.
    reference
        Where it comes from.
    """

    name: str
    aliases: tuple[str, ...] = ()
    premises: Literal["pseudo-intents", "generators", "proper", "intents"] = "generators"
    concludes: Literal["same", "covers", "below", "all"] = "same"
    summary: str
    reference: str

    @property
    def exact(self) -> bool:
        """Whether all its rules always hold."""
        return self.concludes == "same"


_BASTIDE = "Bastide et al., Mining minimal non-redundant association rules (2000)"
_BASES = (
    Basis(
        name="duquenne_guigues",
        aliases=("canonical", "stem", "dg"),
        premises="pseudo-intents",
        summary="always hold: the fewest from which all others follow",
        reference="Guigues, Duquenne, Familles minimales d'implications informatives (1986)",
    ),
    Basis(
        name="generic",
        summary="always hold: shortest premises, longest conclusions",
        reference=_BASTIDE,
    ),
    Basis(
        name="proper_premises",
        aliases=("canonical_direct", "direct"),
        premises="proper",
        summary="always hold: one step gives all that follows",
        reference="Ganter, Wille, Formal concept analysis (1999), section 2.3",
    ),
    Basis(
        name="luxenburger",
        premises="intents",
        concludes="covers",
        summary="may fail: one for each cover, confidences multiply along chains",
        reference="Luxenburger, Implications partielles dans un contexte (1991)",
    ),
    Basis(
        name="informative",
        concludes="below",
        summary="may fail: shortest premises, longest conclusions",
        reference=_BASTIDE,
    ),
    Basis(
        name="reduced_informative",
        concludes="covers",
        summary="may fail: the informative ones that lead to a lower cover",
        reference=_BASTIDE,
    ),
    Basis(
        name="minimal_non_redundant",
        aliases=("mnr",),
        concludes="all",
        summary="both: generic and informative together; every rule follows from one of them",
        reference=_BASTIDE,
    ),
)
_BY_NAME = {name: basis for basis in _BASES for name in (basis.name, *basis.aliases)}


def get(name: str) -> Basis:
    """Return a basis by its name.

    Raises
    ------
    UnknownNameError
        If no basis has this name; the message lists similar names.

    Examples
    --------
    >>> get("mnr").name, get("duquenne-guigues").exact, get("generic_basis").concludes
    ('minimal_non_redundant', True, 'same')
    >>> get("luxemburger")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown basis 'luxemburger'; did you mean 'luxenburger'?
    """
    plain = name.lower().replace("-", "_").removesuffix("_basis").removesuffix("_rules")
    if plain not in _BY_NAME:
        raise UnknownNameError("basis", name, _BY_NAME)
    return _BY_NAME[plain]


def available() -> pl.DataFrame:
    """Return the bases: their names, other names, what they are for, and where they come from.

    Examples
    --------
    >>> available()["name"].to_list()[:3]
    ['duquenne_guigues', 'generic', 'proper_premises']
    """
    import polars as pl

    return pl.DataFrame(
        {
            "name": [basis.name for basis in _BASES],
            "aliases": [list(basis.aliases) for basis in _BASES],
            "rules": [basis.summary for basis in _BASES],
            "reference": [basis.reference for basis in _BASES],
        },
        schema_overrides={"aliases": pl.List(pl.String)},
    )
