"""What the paper on Conceptual Relevance reports.

References
----------
Ibrahim, Missaoui, Vaillancourt, Detecting important patterns using Conceptual Relevance
interestingness measure (2021), https://arxiv.org/abs/2110.11262.
"""

from __future__ import annotations

from dataclasses import dataclass

CR = "conceptual_relevance"
INTENSIONAL = "stability_intensional"
EXTENSIONAL = "stability_extensional"
# The paper's two measures, their natural rival, and other common ones.
FOCUS = (
    CR,
    INTENSIONAL,
    EXTENSIONAL,
    "expected_relevance",
    "support",
    "separation",
    "delta_measure",
)


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper's table of data sets.

    Attributes
    ----------
    title
        The paper's name of the data set.
    name
        The name for `conceptrank.datasets.load`.
    objects, attributes, concepts
        As printed.
    shared
        The number of concepts that both halves share, if the paper prints it.
    public
        Whether the data are public.
    """

    title: str
    name: str
    objects: int
    attributes: int
    concepts: int
    shared: int | None = None
    public: bool = True


TABLE = (
    PaperRow("Dirichlet", "dirichlet", 2000, 15, 18_166),
    PaperRow("Coin-Toss", "coin_toss", 793, 10, 913, 645),
    PaperRow("Diagnosis", "diagnosis", 120, 17, 88, 81),
    PaperRow("Dolphins", "dolphins", 62, 62, 282, 16),
    PaperRow("LinkedIn", "linkedin", 1269, 34, 4847, public=False),
    PaperRow("PediaLanguages", "pedia_languages", 316, 169, 188, public=False),
)
# Similar data. A report never calls them the paper's.
SUBSTITUTES = ("linkedin_skills", "official_languages")
