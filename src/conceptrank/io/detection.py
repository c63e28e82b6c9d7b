"""`detect` finds the format of a file, `read_context` reads it.

The content decides first, then the suffix. A signature, such as the `B` of a Burmeister file,
is sufficient. Otherwise exactly one format must fit content and suffix; if none or several fit, the
error lists the candidates.
"""

from __future__ import annotations

from conceptrank.context import Context
from conceptrank.errors import FormatError, naming
from conceptrank.io.delimited import BASKETS_HINT, lists_words
from conceptrank.io.registry import Fit, Format, find_format, formats, listed, table_formats
from conceptrank.io.sources import Content, suffix_of
from conceptrank.io.text import RAW_HINT, notice, text_head, wide_encoding


def read_context(
    content: Content,
    *,
    format: str | None = None,  # noqa: A002
    **options: object,
) -> Context | None:
    """Read the context in an opened source.

    Parameters
    ----------
    content
        The source.
    format, **options
        As for `conceptrank.load`.

    Returns
    -------
    Context or None
        The context; None if the source holds a table of raw values, and nothing of it is lost.
    """
    chosen, others = (_named(format, content), None) if format is not None else detect(content)
    if chosen.values:
        return None
    if others is None:
        if format is None and chosen.last_resort:
            notice(f"read as {chosen.description}", content.name)
        context: Context = chosen.content_of(content, **options)
        if not chosen.notices_cuts:
            content.notice_cut()
        return context
    # Only the suffix suggests this format. Its reader gives the best error.
    further = f"if it is another format, name it: {listed(others, 'or')}" if others else ""
    try:
        chosen.content_of(content, **options)
    except FormatError as error:
        error.hint = "; ".join(filter(None, (error.hint, further)))
        raise
    raise FormatError(
        f"the content doesn't look like {chosen.name}, though it can be read so",
        source=content.name,
        hint=f"name the format if it is {listed([chosen.name, *others], 'or')}",
    )


def detect(content: Content) -> tuple[Format, list[str] | None]:
    """Return the format of a content.

    Returns
    -------
    tuple
        The format, and None. If only the suffix suggests the format, the names of other possible
        formats instead of None.

    Raises
    ------
    FormatError
        If content and suffix leave no format, or several.
    """
    head, suffix = content.head(), suffix_of(content.name)
    fits = {entry: entry.sniff(head) for entry in (*formats(), *table_formats())}
    certain = [entry for entry, fit in fits.items() if fit is Fit.CERTAIN]
    if len(certain) == 1:
        return certain[0], None
    likely = [entry for entry, fit in fits.items() if fit >= Fit.LIKELY]
    likely = [entry for entry in likely if not entry.last_resort] or likely
    possible = [entry.name for entry in formats() if fits[entry] is Fit.POSSIBLE]
    claiming = _claiming(fits, suffix, sure=bool(likely), table=set(possible) <= {"pairs"})
    with naming(content.name):
        _refuse_words(head, fits, likely)
        best = max(claiming, key=fits.__getitem__, default=None)
        if best is not None and (fits[best] or not likely):
            return best, None if fits[best] else possible
        if len(likely) == 1 and (not claiming or likely[0].last_resort):
            return likely[0], None
        raise _doubt(head, likely, claiming, possible, suffix)


def _claiming(fits: dict[Format, Fit], suffix: str, *, sure: bool, table: bool) -> list[Format]:
    """Return the formats of a suffix.

    A suffix that several formats share, such as `.csv`, claims raw values only if they are likely,
    or if nothing is. Standard input, bytes and files without a suffix are read as a `.csv` file is
    if they may be a `table`.
    """
    named = [entry for entry in fits if suffix in entry.suffixes]
    if not named and not sure and table:
        return [entry for entry in table_formats() if ".csv" in entry.suffixes and fits[entry]]
    least = Fit.LIKELY if sure else Fit.POSSIBLE
    return [entry for entry in named if fits[entry] >= least or not entry.values]


def _refuse_words(head: bytes, fits: dict[Format, Fit], likely: list[Format]) -> None:
    """Refuse lists of words, and text in a wide encoding that is no table of values."""
    if not any(fits.values()) and lists_words(text_head(head)):
        raise FormatError(
            "the lines may be baskets of words, or values of one column",
            hint=f"{BASKETS_HINT}; if it is one column of values: scale='auto' and header=True, "
            "or header=False without a title",
        )
    encoding = wide_encoding(head)
    if encoding and not any(entry.values for entry in likely):
        raise FormatError(
            f"is {encoding} text, expected UTF-8",
            hint=f"give encoding='{encoding.lower()}', or save it as UTF-8; {RAW_HINT}",
        )


def _doubt(
    head: bytes, likely: list[Format], claiming: list[Format], possible: list[str], suffix: str
) -> FormatError:
    """Return the error for a content of no format, or of several."""
    if not head.strip() or not (likely or possible):
        reason = "the content fits no known format" if head.strip() else "the file is empty"
        names = listed([entry.name for entry in formats()])
        return FormatError(reason, hint=f"known formats are {names}")
    if not likely:
        names = listed(possible, "or")
        reason = f"the content may be {names}, but nothing proves it"
        return FormatError(reason, hint=f"name the format: {names}; {RAW_HINT}")
    names = listed(sorted({entry.name for entry in (*likely, *claiming)}), "or")
    other = f"the suffix {suffix} another format" if claiming else "and the suffix fits neither"
    fitting = listed([entry.name for entry in likely], "and")
    return FormatError(f"the content fits {fitting}, {other}", hint=f"name the format: {names}")


def detect_table(content: Content) -> Format:
    """Return the format of a content that holds raw values; text is comma-separated.

    Raises
    ------
    FormatError
        If the content is binary data of no known kind.
    """
    head = content.head()
    if not head:
        raise FormatError("the file is empty", source=content.name)
    best = max(table_formats(), key=lambda entry: entry.sniff(head))
    if best.sniff(head):
        return best
    if b"\0" not in head or wide_encoding(head):
        return find_format("csv", values=True)
    suffix = suffix_of(content.name)
    claimed = next((entry.name for entry in table_formats() if suffix in entry.suffixes), None)
    raise FormatError(
        "is binary data of no known kind" + (f", not {claimed}" if claimed else ""),
        source=content.name,
        hint=f"tables are read from {listed([e.name for e in table_formats()], 'and')} files",
    )


def _named(name: str, content: Content) -> Format:
    """Return the format of a name; comma-separated text holds crosses or values."""
    found = [
        entry
        for entry in (*formats(), *table_formats())
        if name.lower() == entry.name or "." + name.lower().removeprefix(".") in entry.suffixes
    ]
    values = [entry for entry in found if entry.values]
    if values and (len(values) == len(found) or values[0].sniff(content.head())):
        return values[0]
    return find_format(name)
