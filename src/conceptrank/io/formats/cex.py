"""ConExp files, `.cex`: XML with one context or several.

`ConceptualSystem/Contexts/Context` holds `Attributes/Attribute@Identifier/Name` and
`Objects/Object/{Name, Intent/HasAttribute@AttributeIdentifier}`.
"""

from __future__ import annotations

from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.losses import refuse_names
from conceptrank.io.multiple import choose_context
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import NamedLists
from conceptrank.io.text import Data, notice, refuse_repeats, shown
from conceptrank.io.xml_events import UNWRITABLE, Events, escaped, root_fits

_CONTEXT = ["ConceptualSystem", "Contexts", "Context"]
_ATTRIBUTE = [*_CONTEXT, "Attributes", "Attribute"]
_OBJECT = [*_CONTEXT, "Objects", "Object"]
_CROSS = [*_OBJECT, "Intent", "HasAttribute"]


def sniff(head: bytes) -> Fit:
    """Return whether the root element is `ConceptualSystem`.

    Examples
    --------
    >>> sniff(b'<?xml version="1.0"?><ConceptualSystem>').name
    'CERTAIN'
    """
    return root_fits(head, "ConceptualSystem")


def read(data: Data, *, source: str | None = None, context: str | int | None = None) -> Context:
    r"""Read a context from a ConExp file.

    Parameters
    ----------
    data
        The content of a file, in one piece or in several.
    context
        The identifier of the context to read, if there are several.

    Raises
    ------
    FormatError
        If the file is damaged, or holds several contexts and none is chosen.

    Examples
    --------
    >>> read(write(Context(["cat"], ["purrs", "barks"], [[True, False]]))).attributes
    ('purrs', 'barks')
    """
    document = _Document()
    document.run(data)
    if document.others:
        notice(f"left out: {', '.join(document.others)}, which are no contexts", source)
    return choose_context(document.contexts, context).context()


class _Part:
    """One of the contexts in a file, while it is read."""

    def __init__(self, label: str, line: int) -> None:
        self.label = label
        self.line = line
        # Attributes may come after the objects that have them, so objects have identifiers.
        self.objects = NamedLists()
        self.attributes: list[str] = []
        self.attribute_lines: list[int] = []
        self.identifiers: dict[str, int] = {}
        self.used: dict[str, int] = {}
        """The identifiers that objects have, and the line of the first use."""

    def context(self) -> Context:
        refuse_repeats(self.attributes, self.attribute_lines, "attribute")
        for identifier, line in self.used.items():
            if identifier not in self.identifiers:
                raise FormatError(
                    f"attribute {shown(identifier)}, which does not exist",
                    line=line,
                    hint="every AttributeIdentifier is the Identifier of an Attribute",
                )
        return self.objects.context(self.attributes, self.identifiers)


class _Document(Events):
    kind = "ConExp"
    roots = ("ConceptualSystem",)
    texts = frozenset({"Name"})

    def __init__(self) -> None:
        super().__init__()
        self.contexts: list[_Part] = []
        self.others: dict[str, None] = {}
        self._name: str | None = None
        self._name_line = 0
        self._identifier = ""
        self._intent: list[str] = []
        self._begin = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.path) == 2 and name not in ("Version", "Contexts"):
            self.others[name] = None
        elif self.path == _CONTEXT:
            kind = attributes.get("Type", "Binary")
            if kind != "Binary":
                self.refuse(
                    f"a context of type {shown(kind)}", hint="only binary contexts are read"
                )
            label = attributes.get("Identifier", str(len(self.contexts)))
            self.contexts.append(_Part(label, self.line))
        elif self.path == _ATTRIBUTE:
            self._identifier = self.required(attributes, "Identifier")
            if self._identifier in self.contexts[-1].identifiers:
                self.refuse(f"a second attribute with Identifier {shown(self._identifier)}")
            self._name, self._begin = None, self.line
        elif self.path == _OBJECT:
            self._name, self._begin, self._intent = None, self.line, []
        elif self.path == _CROSS:
            identifier = self.required(attributes, "AttributeIdentifier")
            self.contexts[-1].used.setdefault(identifier, self.line)
            self._intent.append(identifier)

    def end(self, name: str, text: str) -> None:
        if name == "Name" and self.path[:-1] in (_ATTRIBUTE, _OBJECT):
            if self._name is not None:
                self.refuse("a second Name")
            self._name, self._name_line = text, self.line
        elif self.path in (_ATTRIBUTE, _OBJECT):
            if self._name is None:
                self.refuse(f"{name} without Name", line=self._begin)
            part = self.contexts[-1]
            if name == "Object":
                part.objects.add(self._name, self._intent, self._name_line)
            else:
                part.identifiers[self._identifier] = len(part.attributes)
                part.attributes.append(self._name)
                part.attribute_lines.append(self._name_line)


def write(context: Context) -> bytes:
    """Return a context as a ConExp file.

    Raises
    ------
    FormatError
        If a name has a control character, which XML can't hold.

    Examples
    --------
    >>> write(Context(["cat"], ["purrs"], [[True]])).decode().splitlines()[6]
    '        <Attribute Identifier="0"><Name>purrs</Name></Attribute>'
    """
    refuse_names(context, unwritable=UNWRITABLE)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<ConceptualSystem>",
        '  <Version MajorNumber="1" MinorNumber="0"/>',
        "  <Contexts>",
        '    <Context Identifier="0" Type="Binary">',
        "      <Attributes>",
    ]
    for m, name in enumerate(context.attributes):
        lines.append(
            f'        <Attribute Identifier="{m}"><Name>{escaped(name)}</Name></Attribute>'
        )
    lines += ["      </Attributes>", "      <Objects>"]
    for name, row in zip(context.objects, lists(context.rows()), strict=True):
        lines += ["        <Object>", f"          <Name>{escaped(name)}</Name>"]
        lines.append("          <Intent>")
        lines += [f'            <HasAttribute AttributeIdentifier="{m}"/>' for m in row]
        lines += ["          </Intent>", "        </Object>"]
    lines += ["      </Objects>", "    </Context>", "  </Contexts>", "</ConceptualSystem>", ""]
    return "\n".join(lines).encode()


FORMAT = Format(
    name="cex",
    suffixes=(".cex",),
    description="ConExp: XML, one context or several",
    sniff=sniff,
    read=read,
    write=write,
    streams=True,
    notices_cuts=True,
)
