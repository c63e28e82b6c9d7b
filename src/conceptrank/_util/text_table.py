"""Text tables: `TextColumn`, `lines` and `rows` of a table, `table` for a table without wrapping.

Columns align in any script and wrap at a given width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

GAP = "  "


@dataclass(frozen=True)
class TextColumn:
    """A column of a table.

    Parameters
    ----------
    title
        The first line.
    cells
        One text per row, or the parts of one; a line may end after a part.
    right
        Whether the column is aligned to the right.
    wraps
        Whether its cells may take several lines; right-aligned cells never do.
    """

    title: str
    cells: Sequence[str | Sequence[str]]
    right: bool = False
    wraps: bool = True


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Return rows under a header, all columns but the last `left` ones aligned to the right.

    Examples
    --------
    >>> print(table(["rank", "intent"], [["1", "{drama}"], ["12", "{}"]]))
    rank  intent
       1  {drama}
      12  {}
    """
    columns = [
        TextColumn(title, [row[place] for row in rows], right=place < len(header) - left)
        for place, title in enumerate(header)
    ]
    return "\n".join(lines(columns, width=None))


def titled(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, total: int, noun: str = ""
) -> str:
    """Return a title, a table, and a line that counts the rows which are left out.

    Examples
    --------
    >>> print(titled("Two of three", ["n"], [["1"], ["2"]], total=3))
    Two of three
    n
    1
    2
    … 1 more
    """
    rest = [f"… {total - len(rows):,} more {noun}".rstrip()] if total > len(rows) else []
    return "\n".join([title, table(header, rows), *rest])


def lines(columns: Sequence[TextColumn], *, width: int | None, indent: str = "") -> Iterator[str]:
    r"""Return the lines of a table, the titles first.

    Examples
    --------
    >>> intents = TextColumn("intent", [["comedy,", "drama"], "action"])
    >>> table = [TextColumn("rank", ["1", "12"], right=True), intents]
    >>> print(*lines(table, width=None), sep="\n")
    rank  intent
       1  comedy, drama
      12  action
    >>> print(*lines(table, width=14), sep="\n")
    rank  intent
       1  comedy,
          drama
      12  action
    """
    for row in _rows(columns, width=width, indent=indent):
        yield from row


def rows(
    columns: Sequence[TextColumn], *, width: int | None, indent: str = ""
) -> Iterator[list[str]]:
    r"""Return the lines of each row of a table without its titles.

    Examples
    --------
    >>> intents = TextColumn("intent", [["comedy,", "drama"], "action"])
    >>> list(rows([intents], width=10))
    [['comedy,', 'drama'], ['action']]
    """
    return islice(_rows(columns, width=width, indent=indent), 1, None)


def _rows(columns: Sequence[TextColumn], *, width: int | None, indent: str) -> Iterator[list[str]]:
    widths = _widths(columns, width and width - len(indent))
    body = zip(*(column.cells for column in columns), strict=True)
    for row in ([column.title for column in columns], *body):
        cells = [
            wrapped([cell] if isinstance(cell, str) else cell, limit)
            for cell, limit in zip(row, widths, strict=True)
        ]
        lines = []
        for number in range(max(map(len, cells))):
            texts = (cell[number] if number < len(cell) else "" for cell in cells)
            padded = (
                _padded(text, limit, right=column.right)
                for text, limit, column in zip(texts, widths, columns, strict=True)
            )
            lines.append((indent + GAP.join(padded)).rstrip())
        yield lines


def wrapped(parts: Sequence[str], limit: int) -> list[str]:
    """Return lines with as many of the parts as fit into `limit` cells.

    A part that is too long is broken at its blanks. A word is never broken: its line is too long.

    Examples
    --------
    >>> wrapped(["action,", "adventure,", "drama"], 18)
    ['action, adventure,', 'drama']
    >>> wrapped(["incomprehensible words"], 8)
    ['incomprehensible', 'words']
    """
    result: list[str] = []
    current = ""
    for part in parts:
        for word in [part] if _cells(part) <= limit else part.split(" "):
            if current and _cells(current) + 1 + _cells(word) > limit:
                result.append(current)
                current = word
            else:
                current = f"{current} {word}" if current else word
    return [*result, current]


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _cells(text))
    return space + text if right else text + space


def _widths(columns: Sequence[TextColumn], limit: int | None) -> list[int]:
    """Return a width per column; columns that wrap shrink to meet the limit."""
    texts = [
        [
            cell if isinstance(cell, str) else " ".join(cell)
            for cell in (column.title, *column.cells)
        ]
        for column in columns
    ]
    sizes = [[_cells(text) for text in each] for each in texts]
    widths = [max(each) for each in sizes]
    if limit is None:
        return widths
    free = [place for place, column in enumerate(columns) if column.wraps and not column.right]
    room = limit - len(GAP) * (len(columns) - 1)
    room -= sum(width for place, width in enumerate(widths) if place not in free)
    words = {place: " ".join(texts[place]).split(" ") for place in free}
    least = {place: max(map(_cells, words[place])) for place in free}
    # Narrow columns get the width they need. The others share the rest in proportion to their
    # average cell, and are at least as wide as their longest word.
    usual = {place: sum(sizes[place]) / len(sizes[place]) for place in free}
    for place in sorted(free, key=lambda place: widths[place]):
        share = int(room * usual[place] / sum(usual.values()))
        widths[place] = min(widths[place], max(share, least[place]))
        room -= widths[place]
        del usual[place]
    return widths


def _cells(text: str) -> int:
    """Return how many cells of a terminal a text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
