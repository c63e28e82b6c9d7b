"""Text: blocks of lines, decoding, names, shared by the text formats."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.names import first_repeat
from conceptrank.budget import poll
from conceptrank.errors import FormatError, notify

BLANKS = " \t"
BLOCK_BYTES = 1 << 18
# No table has lines as long as this, but a file of another kind may be one endless line.
LONGEST_LINE = 1 << 24
# The hint for a file of numbers, words or dates instead of crosses.
RAW_HINT = "raw values need scale=, such as scale='auto'"

Data: TypeAlias = "bytes | Iterable[bytes]"

_LINE_FEED = ord("\n")
_LONGEST_DECLARATION = 200
_SURROGATE = re.compile("[\ud800-\udfff]")
_XML_ENCODING = re.compile(r"""\A(<\?xml[^>]*?)\s+encoding\s*=\s*(?:"[^"]*"|'[^']*')""")
_FOREIGN_BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def line_at(data: bytes, position: int) -> int:
    """Return the number of the line, from 1, that holds the byte at a position.

    Examples
    --------
    >>> line_at(b"one" + bytes([10]) + b"two", 4)
    2
    """
    return data.count(b"\n", 0, position) + 1


class Block(NamedTuple):
    """Some whole lines of a text, and the number of the first."""

    line: int
    data: bytes


def blocks(data: Data) -> Iterator[Block]:
    r"""Yield a text in blocks of whole lines, cleaned as `clean_bytes` does.

    Every block ends with a line end; the last one gets it if it has none.

    Parameters
    ----------
    data
        The bytes, in one piece or in several.

    Raises
    ------
    FormatError
        As `clean_bytes`, and for a line that is far too long.

    Examples
    --------
    >>> list(blocks([b"1 2\r\n3", b" 4\n", b"5"]))
    [Block(line=1, data=b'1 2\n'), Block(line=2, data=b'3 4\n'), Block(line=3, data=b'5\n')]
    """
    pending = bytearray()
    line = 1
    for piece in _pieces(data):
        poll()
        cut = piece.rfind(b"\n") + 1
        if cut:
            block = clean_bytes(bytes(pending) + piece[:cut], line=line)
            yield Block(line, block)
            # Much faster than bytes.count if lines are short.
            line += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == _LINE_FEED))
            pending.clear()
        pending += piece[cut:]
        if len(pending) > LONGEST_LINE:
            raise overlong_line(line)
    if pending and (line > 1 or pending != codecs.BOM_UTF8):
        yield Block(line, clean_bytes(bytes(pending) + b"\n", line=line))


def overlong_line(line: int) -> FormatError:
    """Return the error for a line that is too long for a table.

    Examples
    --------
    >>> print(overlong_line(3))
    line 3: a line of more than 16 MiB (hint: is it another kind of file?)
    """
    return FormatError(
        f"a line of more than {LONGEST_LINE >> 20} MiB",
        line=line,
        hint="is it another kind of file?",
    )


def _pieces(data: Data) -> Iterator[bytes]:
    for piece in (data,) if isinstance(data, bytes) else data:
        for start in range(0, len(piece), BLOCK_BYTES):
            yield piece[start : start + BLOCK_BYTES]


def text_head(head: bytes) -> str:
    r"""Return the first bytes of a file as text; what is not text is replaced.

    Examples
    --------
    >>> text_head(b"\xef\xbb\xbfB\r\n"), text_head(b"\xff\x00")
    ('B\n', '�\x00')
    """
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if head.startswith(mark):
            return head.decode(encoding, errors="replace").replace("\r\n", "\n")
    return head.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def clean_bytes(data: bytes, *, line: int = 1) -> bytes:
    r"""Return the bytes of a text without byte order mark and with `\n` as line end.

    Parameters
    ----------
    data
        The bytes.
    line
        The number of the first line, if these are not the first bytes of the text.

    Raises
    ------
    FormatError
        For UTF-16 and UTF-32, for binary data, and for a carriage return that ends no line.

    Examples
    --------
    >>> clean_bytes(b"\xef\xbb\xbf1 2\r\n")
    b'1 2\n'
    """
    if line == 1:
        if encoding := wide_encoding(data):
            raise FormatError(
                f"is {encoding} text, expected UTF-8",
                hint=f"save the file as UTF-8, or give encoding='{encoding.lower()}'",
            )
        data = data.removeprefix(codecs.BOM_UTF8)
    if (position := data.find(b"\0")) >= 0:
        raise FormatError(
            "holds a NUL byte: binary data, not text",
            line=line + line_at(data, position) - 1,
            hint="is it another kind of file?",
        )
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if (position := data.find(b"\r")) >= 0:
            raise FormatError(
                "a carriage return without a line feed",
                line=line + line_at(data, position) - 1,
                hint=r"end the lines with \n or \r\n",
            )
    return data


def wide_encoding(head: bytes) -> str | None:
    """Return UTF-16 or UTF-32 if a byte order mark announces it, else None.

    Examples
    --------
    >>> wide_encoding("cheese".encode("utf-16")), wide_encoding(b"cheese")
    ('UTF-16', None)
    """
    return next((name for mark, name in _FOREIGN_BOMS if head.startswith(mark)), None)


def transcoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield a text of another encoding as UTF-8, without its byte order mark.

    The declaration of an XML document loses its encoding, which is no longer true.

    Examples
    --------
    >>> b"".join(transcoded(["Käse".encode("utf-16")], "utf-16")).decode()
    'Käse'
    """
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        # Refuses codecs that are no encodings of text, such as base64.
        "a".encode(encoding)
    except (LookupError, TypeError, ValueError):
        raise FormatError(
            f"there is no encoding {encoding!r}", hint="such as utf-8, utf-16, latin-1 or cp1252"
        ) from None
    line = 1
    head: str | None = ""
    try:
        for piece in chain(pieces, [None]):
            text = decoder.decode(piece or b"", final=piece is None)
            if head is not None:
                head += text
                if piece is not None and len(head) < _LONGEST_DECLARATION:
                    continue
                text, head = _XML_ENCODING.sub(r"\1", head.removeprefix("\ufeff"), count=1), None
            yield text.encode()
            line += text.count("\n")
    except UnicodeError as error:
        raise FormatError(
            f"is not {encoding} text: {getattr(error, 'reason', error)}", line=line
        ) from error


def decode(data: bytes) -> str:
    r"""Return the bytes as text, cleaned as `clean_bytes` does.

    Raises
    ------
    FormatError
        If the bytes are not UTF-8 text; it names the first offending byte and its line.

    Examples
    --------
    >>> decode("Käse\r\n".encode())
    'Käse\n'
    >>> decode("Brot\nKäse".encode("latin-1"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: line 2: byte 0xe4 in column 2 is not UTF-8 (hint: ...)
    """
    return decode_block(Block(1, clean_bytes(data)))


def decode_block(block: Block) -> str:
    """Return the text of a block; errors as for `decode`.

    Examples
    --------
    >>> decode_block(Block(7, b"cheese"))
    'cheese'
    """
    try:
        return block.data.decode()
    except UnicodeDecodeError as error:
        start = error.start
        column = start - block.data.rfind(b"\n", 0, start)
        raise FormatError(
            f"byte 0x{block.data[start]:02x} in column {column} is not UTF-8",
            line=block.line + line_at(block.data, start) - 1,
            hint="save the file as UTF-8, or give its encoding, such as encoding='latin-1'",
        ) from None


def refuse_surrogates(value: object, what: str) -> None:
    r"""Refuse text with half a surrogate pair, which is no character, also in a list.

    Examples
    --------
    >>> refuse_surrogates("Käse", "a name"), refuse_surrogates(["a", 7], "names")
    (None, None)
    >>> refuse_surrogates("\ud800", "separator")
    Traceback (most recent call last):
    conceptrank.errors.FormatError: separator: '\ud800' is no text
    """
    for word in value if isinstance(value, list | tuple) else [value]:
        if isinstance(word, str) and not word.isascii() and _SURROGATE.search(word):
            raise FormatError(f"{what}: {shown(word)} is no text")


def notice(message: str, source: str | None) -> None:
    """Issue a warning about an assumption of a reader, or about content that looks wrong."""
    notify(f"{source or 'the input'}: {message}")


def shown(value: str, limit: int = 40) -> str:
    """Return a value in quotes, on one line, cut to a readable length.

    Examples
    --------
    >>> shown("drama"), shown("a" * 50, limit=5)
    ("'drama'", "'aaaaa…'")
    """
    return repr(value if len(value) <= limit else f"{value[:limit]}…")


def refuse_repeats(
    names: Sequence[str], lines: Sequence[int] | NDArray[np.integer], side: str
) -> None:
    """Refuse two equal names on one side; the message names both lines.

    Examples
    --------
    >>> refuse_repeats(["a", "b", "a"], [6, 7, 8], "object")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: line 8: object name 'a' stands on line 6 already...
    """
    if repeat := first_repeat(names):
        first, second = repeat
        raise FormatError(
            f"{side} name {shown(names[first])} stands on line {lines[first]} already",
            line=int(lines[second]),
            hint="make the names differ",
        )
