"""Figures for papers and notebooks, drawn with matplotlib (`pip install 'conceptrank[plot]'`).

`distributions`, `scatter`, `agreement` and `curves` show the scores of a ranking. All read in
black and white, and a saved figure has the same bytes every time.
"""

from conceptrank.plot.curves import curves
from conceptrank.plot.distributions import distributions
from conceptrank.plot.heatmap import agreement
from conceptrank.plot.scatter import scatter
from conceptrank.plot.style import save

__all__ = ["agreement", "curves", "distributions", "save", "scatter"]
