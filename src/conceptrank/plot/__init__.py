"""Figures for papers and notebooks, drawn with matplotlib (`pip install 'conceptrank[plot]'`).

`diagram` draws a lattice or a part of it, and writes it for Graphviz and LaTeX. `scatter`,
`agreement` and `curves` show the scores of a ranking. All of them read in black and white, and a
saved figure has the same bytes every time.
"""

from conceptrank.plot.heatmap import agreement
from conceptrank.plot.line_diagram import Diagram, TooManyConceptsError
from conceptrank.plot.parts import diagram
from conceptrank.plot.ranking_curves import curves
from conceptrank.plot.scatter_plot import scatter
from conceptrank.plot.style import save
from conceptrank.plot.summary_plot import summary

__all__ = [
    "Diagram",
    "TooManyConceptsError",
    "agreement",
    "curves",
    "diagram",
    "save",
    "scatter",
    "summary",
]
