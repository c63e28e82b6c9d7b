"""Raw columns as attributes: scales, plans, and files of raw values.

Scales turn a column of numbers, words or dates into attributes: `sex = female`, `age ≤ 30`,
`37.5 ≤ temp < 40`. A `Plan` holds a scale for every column; `infer` finds one.
"""

from conceptrank.io.raw.tables import read_table
from conceptrank.scaling.by_element import Sets
from conceptrank.scaling.by_interval import EqualWidth, Intervals, Quantiles
from conceptrank.scaling.by_order import Biordinal, Interordinal, InverseOrdinal, Ordinal
from conceptrank.scaling.by_value import Boolean, Contranominal, Dichotomic, Nominal
from conceptrank.scaling.inference import infer
from conceptrank.scaling.loading import Loaded, load, open_source
from conceptrank.scaling.options import parse_choice, parse_option
from conceptrank.scaling.plan import ColumnPlan, Plan
from conceptrank.scaling.preview import preview
from conceptrank.scaling.scale import Scale
from conceptrank.scaling.scaled import ColumnReport, Scaled

__all__ = [
    "Biordinal",
    "Boolean",
    "ColumnPlan",
    "ColumnReport",
    "Contranominal",
    "Dichotomic",
    "EqualWidth",
    "Interordinal",
    "Intervals",
    "InverseOrdinal",
    "Loaded",
    "Nominal",
    "Ordinal",
    "Plan",
    "Quantiles",
    "Scale",
    "Scaled",
    "Sets",
    "infer",
    "load",
    "open_source",
    "parse_choice",
    "parse_option",
    "preview",
    "read_table",
]
