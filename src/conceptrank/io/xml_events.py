"""XML as a stream of elements, shared by CEX and Galicia.

No entity is declared, no file is fetched, nesting is limited and no document is kept in
memory; every error has its line.
"""

from __future__ import annotations

import re
from typing import NoReturn
from xml.parsers import expat

from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit
from conceptrank.io.text import LONGEST_LINE, Data, shown, text_head

_DEEPEST = 100
# One piece of what may precede the root element.
_PROLOG = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*>", re.DOTALL)
_ROOT = re.compile(r"<([^\s<>/!?=]+)")
# Characters that XML can't hold even by reference.
UNWRITABLE = "[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]"
_TO_ESCAPE = re.compile('[&<>"\n\r\t]')
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def escaped(text: str) -> str:
    r"""Return a text escaped for XML; line breaks become character references.

    Examples
    --------
    >>> escaped('a < "b"\n')
    'a &lt; &quot;b&quot;&#10;'
    """
    return _TO_ESCAPE.sub(lambda found: _NAMED.get(found[0]) or f"&#{ord(found[0])};", text)


def root_fits(head: bytes, *names: str) -> Fit:
    """Return whether the root element of a document has one of these names.

    Examples
    --------
    >>> root_fits(b'<?xml version="1.0"?><!-- pets --><BIN>', "BIN").name
    'CERTAIN'
    >>> root_fits(b"<svg>", "BIN").name
    'NO'
    """
    text = text_head(head)
    start = 0
    while piece := _PROLOG.match(text, start):
        start = piece.end()
    match = _ROOT.match(text, start)
    return Fit.CERTAIN if match and match[1].rpartition(":")[2] in names else Fit.NO


class Events:
    """Reads a document; the subclass of a format handles its elements."""

    texts: frozenset[str] = frozenset()
    """The elements whose text is wanted."""
    kind = "XML"
    """What the document is, for messages."""
    roots: tuple[str, ...] = ()
    """The names that the root element may have."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self._text: list[str] = []
        self._length = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._entity
        self._parser.SkippedEntityHandler = self._skipped
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element; `path` already ends with it."""

    def end(self, name: str, text: str) -> None:
        """Handle the end of an element, with its text if it is among `texts`."""

    def required(self, attributes: dict[str, str], key: str) -> str:
        """Return an attribute of the element that begins; refuse the element without it."""
        if key not in attributes:
            self.refuse(f"{self.path[-1]} without {key}")
        return attributes[key]

    @property
    def line(self) -> int:
        """The number of the line that is being read."""
        return self._parser.CurrentLineNumber

    def refuse(self, reason: str, *, hint: str | None = None, line: int | None = None) -> NoReturn:
        """Raise an error at this line, or at another one."""
        raise FormatError(
            reason,
            line=self.line if line is None else line,
            hint=hint or f"is it a whole {self.kind} file?",
        )

    def run(self, data: Data) -> None:
        """Read a document, in one piece or in several."""
        fed = 0
        try:
            for piece in (data,) if isinstance(data, bytes) else data:
                # In small steps, to notice an endless token.
                for start in range(0, len(piece), LONGEST_LINE):
                    part = piece[start : start + LONGEST_LINE]
                    self._parser.Parse(part, False)
                    fed += len(part)
                    if fed - self._parser.CurrentByteIndex > 2 * LONGEST_LINE:
                        self.refuse(f"nothing ends within {LONGEST_LINE >> 20} MiB")
            self._parser.Parse(b"", True)
        except FormatError:
            raise
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, str(error))
            empty = error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
            ended = "the file ends too early" if fed else "the file is empty"
            raise FormatError(
                ended if empty else f"not XML: {reason}",
                line=error.lineno,
                hint=f"is it a whole {self.kind} file?",
            ) from None
        except (LookupError, ValueError) as error:
            # From the codecs: the declared encoding isn't known, or isn't the real one.
            raise FormatError(
                f"can't be decoded: {error}", line=self.line, hint="save the file as UTF-8"
            ) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        self.path.append(name)
        if len(self.path) > _DEEPEST:
            self.refuse(f"elements inside each other, more than {_DEEPEST} deep")
        if self.path[0] not in self.roots:
            self.refuse(f"the root element is {shown(name)}, expected {self.roots[0]!r}")
        self._text.clear()
        self._length = 0
        self.start(name, attributes)

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        self.end(name, "".join(self._text) if name in self.texts else "")
        self._text.clear()
        self._length = 0
        self.path.pop()

    def _characters(self, text: str) -> None:
        if self.path and self.path[-1] in self.texts:
            self._text.append(text)
            self._length += len(text)
            if self._length > LONGEST_LINE:
                self.refuse(f"a text of more than {LONGEST_LINE >> 20} MiB")

    def _doctype(self, *declaration: object) -> None:
        *_, has_declarations_inside = declaration
        if has_declarations_inside:
            self.refuse(
                "declarations inside <!DOCTYPE …>",
                hint="entities are not read, since they can blow up a file; remove them",
            )

    def _entity(self, *_: object) -> None:
        self.refuse("an entity is declared", hint="remove the declaration")

    def _skipped(self, name: str, _is_parameter: int) -> None:
        self.refuse(f"unknown entity &{name};", hint="write the character itself")
