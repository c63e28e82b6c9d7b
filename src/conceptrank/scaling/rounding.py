"""Round numbers and dates between values.

A limit may be anywhere between two values: the roundest number reads best and divides the column in
the same way.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal


def round_number(low: float, high: float, near: float | None = None) -> float:
    """Return the roundest number above `low` and not above `high`.

    Tens are rounder than fives, and these are rounder than ones, at any place of the number.
    Of equally round ones it is the one nearest to `near` (the largest if None), or nearly so.

    Examples
    --------
    >>> round_number(28, 37), round_number(36, 37), round_number(2.31, 2.48)
    (30, 37, 2.4)
    >>> round_number(21, 28), round_number(0.21, 0.28)
    (25, 0.25)
    >>> round_number(0.1234, 0.1235), round_number(-3, 0.5), round_number(23, 27, near=25)
    (0.1235, 0, 25)
    """
    if low < 0 <= high:
        return 0
    if not math.isfinite(high) or (isinstance(high, int) and abs(high) > 2**53):
        return high
    exact, target = Decimal(repr(high)), Decimal(repr(high if near is None else near))
    first = exact.adjusted()
    for place in range(first, first - 20, -1):
        for unit in (Decimal(5).scaleb(place), Decimal(1).scaleb(place)):
            for wanted, rounding in ((target, ROUND_HALF_EVEN), (exact, ROUND_FLOOR)):
                number = float((wanted / unit).to_integral_value(rounding) * unit)
                if low < number <= high:
                    return int(number) if number.is_integer() and abs(number) < 2**53 else number
    return high


def round_date(low: dt.date, high: dt.date) -> dt.date:
    """Return the roundest date or moment after `low` and not after `high`.

    The first of a year is rounder than the first of a month, and so on down to the second.

    Examples
    --------
    >>> import datetime as dt
    >>> print(round_date(dt.date(2019, 11, 3), dt.date(2020, 2, 7)))
    2020-01-01
    >>> print(round_date(dt.datetime(2020, 2, 7, 8, 10), dt.datetime(2020, 2, 7, 9, 25)))
    2020-02-07 09:00:00
    """
    candidates: list[dt.date] = [high.replace(month=1, day=1), high.replace(day=1), high]
    if isinstance(high, dt.datetime):
        midnight = high.replace(hour=0, minute=0, second=0, microsecond=0)
        candidates = [
            midnight.replace(month=1, day=1),
            midnight.replace(day=1),
            midnight,
            high.replace(minute=0, second=0, microsecond=0),
            high.replace(second=0, microsecond=0),
            high.replace(microsecond=0),
            high,
        ]
    return next((date for date in candidates if low < date <= high), high)
