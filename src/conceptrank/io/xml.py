"""XML as a small tree with line numbers, shared by CEX and Galicia.

No entity is declared, no file is fetched, and nesting is limited; every error has its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit
from conceptrank.io.text import shown, text_head

_DEEPEST = 100
_LONGEST_TEXT = 1 << 24
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
    >>> escaped("salt & pepper\n")
    'salt &amp; pepper&#10;'
    """
    return _TO_ESCAPE.sub(lambda found: _NAMED.get(found[0]) or f"&#{ord(found[0])};", text)


def root_fits(head: bytes, *names: str) -> Fit:
    """Return whether the root element of a document has one of these names."""
    text = text_head(head)
    start = 0
    while piece := _PROLOG.match(text, start):
        start = piece.end()
    match = _ROOT.match(text, start)
    return Fit.CERTAIN if match and match[1].rpartition(":")[2] in names else Fit.NO


@dataclass(slots=True)
class Element:
    """An element with the line on which it begins. Its name has no prefix."""

    name: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def every(self, *path: str) -> Iterator[Element]:
        """Yield the descendants whose path from here has these names."""
        if not path:
            yield self
        for child in self.children if path else ():
            if child.name == path[0]:
                yield from child.every(*path[1:])

    def required(self, key: str) -> str:
        """Return the value of an attribute that has to be there."""
        if key not in self.attributes:
            self.refuse(f"{self.name} without {key}")
        return self.attributes[key]

    def refuse(self, reason: str, hint: str = "is it a whole file?") -> NoReturn:
        """Raise an error at this element."""
        raise FormatError(reason, line=self.line, hint=hint)


class _Builder:
    """The handlers of a parser, and the elements that are open."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        self.open = [Element("", {}, 1)]
        self._roots = roots
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.buffer_size = 1 << 18
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = lambda _: self.open.pop()
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = lambda *_: self._refuse("an entity is declared")
        self.parser.SkippedEntityHandler = lambda name, _: self._refuse(f"unknown entity &{name};")
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(name.rpartition(":")[2], attributes, self.parser.CurrentLineNumber)
        if len(self.open) > _DEEPEST:
            element.refuse(f"elements inside each other, more than {_DEEPEST} deep")
        if len(self.open) == 1 and element.name not in self._roots:
            element.refuse(f"the root element is {shown(name)}, expected {self._roots[0]!r}")
        self.open[-1].children.append(element)
        self.open.append(element)

    def _characters(self, text: str) -> None:
        self.open[-1].text += text
        if len(self.open[-1].text) > _LONGEST_TEXT:
            self._refuse(f"a text of more than {_LONGEST_TEXT >> 20} MiB")

    def _doctype(self, *declaration: object) -> None:
        *_, has_declarations_inside = declaration
        if has_declarations_inside:
            self._refuse("declarations inside <!DOCTYPE …>")

    def _refuse(self, reason: str) -> NoReturn:
        hint = "entities are not read, since they can blow up a file; remove them"
        raise FormatError(reason, line=self.parser.CurrentLineNumber, hint=hint)


def parsed(data: bytes, *roots: str) -> Element:
    """Return the root element of a document.

    Parameters
    ----------
    data
        The document.
    roots
        The names that the root element may have.

    Raises
    ------
    FormatError
        If the document is not XML, has another root, or declares an entity.
    """
    builder = _Builder(roots)
    try:
        builder.parser.Parse(data, True)
    except FormatError:
        raise
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, str(error))
        empty = error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
        ended = "the file ends too early" if data else "the file is empty"
        raise FormatError(
            ended if empty else f"not XML: {reason}", line=error.lineno, hint="is it a whole file?"
        ) from None
    except (LookupError, ValueError) as error:
        # From the codecs: the declared encoding isn't known, or isn't the real one.
        raise FormatError(
            f"can't be decoded: {error}",
            line=builder.parser.CurrentLineNumber,
            hint="save the file as UTF-8",
        ) from None
    return builder.open[0].children[0]
