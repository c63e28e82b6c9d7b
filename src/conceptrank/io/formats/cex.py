"""ConExp files, `.cex`: XML with one context or several.

`ConceptualSystem/Contexts/Context` holds `Attributes/Attribute@Identifier/Name` and
`Objects/Object/{Name, Intent/HasAttribute@AttributeIdentifier}`.
"""

from __future__ import annotations

from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import choose_context, from_lists
from conceptrank.io.text import notice, refuse_repeats, shown
from conceptrank.io.writing import refuse_names
from conceptrank.io.xml import UNWRITABLE, Element, escaped, parsed, root_fits


def sniff(head: bytes) -> Fit:
    """Return whether the root element is `ConceptualSystem`.

    Examples
    --------
    >>> sniff(b'<?xml version="1.0"?><ConceptualSystem>').name
    'CERTAIN'
    """
    return root_fits(head, "ConceptualSystem")


def read(data: bytes, *, source: str | None = None, context: str | int | None = None) -> Context:
    r"""Read a context from a ConExp file.

    Parameters
    ----------
    data
        The content of a file.
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
    root = parsed(data, "ConceptualSystem")
    others = dict.fromkeys(each.name for each in root.children)
    others = {name: None for name in others if name not in ("Version", "Contexts")}
    if others:
        notice(f"left out: {', '.join(others)}, which are no contexts", source)
    found = []
    for number, each in enumerate(root.every("Contexts", "Context")):
        kind = each.attributes.get("Type", "Binary")
        if kind != "Binary":
            each.refuse(f"a context of type {shown(kind)}", "only binary contexts are read")
        found.append((each.attributes.get("Identifier", str(number)), each.line, each))
    return _context(choose_context(found, context))


def _context(found: Element) -> Context:
    identifiers: dict[str, int] = {}
    names: dict[str, list[Element]] = {"attribute": [], "object": []}
    rows: list[list[int]] = []
    for attribute in found.every("Attributes", "Attribute"):
        identifier = attribute.required("Identifier")
        if identifier in identifiers:
            attribute.refuse(f"a second attribute with Identifier {shown(identifier)}")
        identifiers[identifier] = len(identifiers)
        names["attribute"].append(_name(attribute))
    for each in found.every("Objects", "Object"):
        names["object"].append(_name(each))
        rows.append([])
        for cross in each.every("Intent", "HasAttribute"):
            identifier = cross.required("AttributeIdentifier")
            if identifier not in identifiers:
                hint = "every AttributeIdentifier is the Identifier of an Attribute"
                cross.refuse(f"attribute {shown(identifier)}, which does not exist", hint)
            rows[-1].append(identifiers[identifier])
    for side, elements in names.items():
        refuse_repeats([one.text for one in elements], [one.line for one in elements], side)
    objects, attributes = ([one.text for one in names[side]] for side in ("object", "attribute"))
    return from_lists(objects, attributes, rows)


def _name(element: Element) -> Element:
    names = list(element.every("Name"))
    if not names:
        element.refuse(f"{element.name} without Name")
    if len(names) > 1:
        names[1].refuse("a second Name")
    return names[0]


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
    lines=False,
    notices_cuts=True,
)
