"""Names that break careless writers, and a lattice that has them all."""

from __future__ import annotations

import numpy as np

import conceptrank as cr

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    'quote " and \\backslash\\N',
    "$x^2$ {brace} 50% #1 a_b ~ & ^",
    "two\nlines\tand a tab",
    "אבג עברית",
    "مرحبا",
    "\u202eturned",
    "漢字かな",
    "x" * 5000,
    "-->]]><!--",
    "",
    "\x07bell",
]


def hostile_lattice() -> cr.Lattice:
    n = len(HOSTILE)
    matrix = np.tril(np.ones((n, n), dtype=bool)) ^ np.eye(n, k=-2, dtype=bool)
    objects = [f"{name}!" for name in HOSTILE]
    return cr.Context(objects, HOSTILE, matrix).lattice()
