"""Baskets: one object a line, its attributes as names with separators between them.

Objects are named by their numbers, attributes stand in the order of their first appearance.
Lines may be of any length; empty fields hold nothing, so that padded tables read as well.
"""

from __future__ import annotations

import numpy as np

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.delimited import SEPARATORS, first_records, quoted, record_blocks, records
from conceptrank.io.fimi import dropped_objects
from conceptrank.io.registry import Fit, Format, register
from conceptrank.io.tables import (
    Growing,
    Numbering,
    dropped_order,
    offsets,
    refuse_unused,
    row_lists,
    sorted_rows,
)
from conceptrank.io.text import BLANKS, Data, blocks, decode_block, refuse_names, text_head

__all__ = ["FORMAT", "drops", "read", "sniff", "write"]
