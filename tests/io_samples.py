"""One small context in every format, as files of the wild have it; tests and fuzzing share them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from conceptrank import io
from conceptrank.context import Context
from conceptrank.errors import FormatError


def named(objects, attributes, bools):
    """A context from rows of booleans, with no rows or no columns too."""
    indptr, indices = [0], []
    for row in bools:
        indices += [m for m, mark in enumerate(row) if mark]
        indptr.append(len(indices))
    return Context.from_csr(
        objects, attributes, np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.uint32)
    )


def read(format, text, **options):  # noqa: A002
    """The context in a text, or in bytes, by the reader of a format."""
    data = text.encode() if isinstance(text, str) else text
    return FORMATS[format].read(data, source="the file", **options)


def refusal(format, text, **options):  # noqa: A002
    """The error that a text gives: in one line, with the name of the file and a hint."""
    with pytest.raises(FormatError) as caught:
        read(format, text, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("the file")
    assert caught.value.hint
    return caught.value


def check_damage(format, text, line, key):  # noqa: A002
    """Check that a text is refused, with the line and a word that says why."""
    error = refusal(format, text)
    assert error.line == line
    assert key in error.reason


FORMATS = {entry.name: entry for entry in io.formats()}
# Names and rows; a context is only made where it is used, and gone afterwards.
PETS = (
    ("cat", "dog", "canary"),
    ("purrs", "barks", "has fur", "flies"),
    ((1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 0, 1)),
)
WORDS = (
    ("cat", "dog", "canary"),
    ("purrs", "furry", "barks", "flies"),
    ((1, 1, 0, 0), (0, 1, 1, 0), (0, 0, 0, 1)),
)
NUMBERS = (("1", "2", "3"), ("2", "7", "10"), ((1, 0, 1), (1, 1, 1), (0, 0, 0)))


class Sample(NamedTuple):
    """A file and the context in it."""

    format: str
    text: str
    parts: tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[int, ...], ...]]

    @property
    def context(self) -> Context:
        return named(*self.parts)

    @property
    def data(self) -> bytes:
        return self.text.encode()


SAMPLES = {
    "burmeister": Sample(
        "burmeister",
        "B\n\n3\n4\n\ncat\ndog\ncanary\npurrs\nbarks\nhas fur\nflies\nX.X.\n.XX.\n...X\n",
        PETS,
    ),
    "anonymous": Sample(
        "burmeister",
        "A\n3\n3\nX.X\nXXX\n...\n",
        (["1", "2", "3"], ["1", "2", "3"], [[1, 0, 1], [1, 1, 1], [0, 0, 0]]),
    ),
    "fimi": Sample("fimi", "2 10\n10 2 7\n\n", NUMBERS),
    "spmf": Sample(
        "spmf",
        "@CONVERTED_FROM_TEXT\n@ITEM=3=has fur\n@ITEM=1=purrs\n@ITEM=2=barks\n# pets\n"
        "@ITEM=4=flies\n1 3\n2 3\n4\n",
        (["1", "2", "3"], PETS[1], [[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]]),
    ),
    "spmf comments": Sample("spmf", "# shops\n2 10\n% late\n10 2 7\n\n", NUMBERS),
    "cross_table": Sample(
        "cross_table",
        'pet;purrs;barks;"has fur";flies\ncat;X;;X;\ndog;;X;X;\ncanary;;;;X\n',
        PETS,
    ),
    "cross_table tabs": Sample(
        "cross_table",
        "\tpurrs\tbarks\thas fur\tflies\ncat\t1\t0\t1\t0\ndog\t0\t1\t1\t0\ncanary\t0\t0\t0\t1\n",
        PETS,
    ),
    "cross_table words": Sample(
        "cross_table",
        "pet,purrs,barks,has fur,flies\n"
        '"cat",True,False,True,False\n"dog",False,True,True,False\n"canary",no,no,no,yes\n',
        PETS,
    ),
    "pairs": Sample(
        "pairs",
        "object,attribute\ncat,purrs\ndog,barks\ncat,has fur\ndog,has fur\ncanary,flies\n",
        PETS,
    ),
    "pairs bare": Sample(
        "pairs",
        "cat|purrs\ndog|barks\ncat|has fur\ndog|has fur\ncanary|flies\n",
        PETS,
    ),
    "baskets": Sample(
        "baskets",
        "purrs,barks\nhas fur\npurrs,flies,barks\n",
        (["1", "2", "3"], PETS[1], [[1, 1, 0, 0], [0, 0, 1, 0], [1, 1, 0, 1]]),
    ),
    "cex": Sample(
        "cex",
        """<?xml version="1.0" encoding="UTF-8"?>
<ConceptualSystem>
  <Version MajorNumber="1" MinorNumber="0" />
  <Contexts>
    <Context Identifier="0" Type="Binary">
      <Attributes>
        <Attribute Identifier="0"><Name>purrs</Name></Attribute>
        <Attribute Identifier="1"><Name>barks</Name></Attribute>
        <Attribute Identifier="2"><Name>has fur</Name></Attribute>
        <Attribute Identifier="3"><Name>flies</Name></Attribute>
      </Attributes>
      <Objects>
        <Object>
          <Name>cat</Name>
          <Intent>
            <HasAttribute AttributeIdentifier="0" /><HasAttribute AttributeIdentifier="2" />
          </Intent>
        </Object>
        <Object>
          <Name>dog</Name>
          <Intent>
            <HasAttribute AttributeIdentifier="2" /><HasAttribute AttributeIdentifier="1" />
          </Intent>
        </Object>
        <Object><Name>canary</Name><Intent><HasAttribute AttributeIdentifier="3"/></Intent></Object>
      </Objects>
    </Context>
  </Contexts>
  <RecalculationPolicy Value="Clear" />
  <Lattices />
</ConceptualSystem>
""",
        PETS,
    ),
    "galicia": Sample(
        "galicia",
        """<?xml version="1.0"?>
<Galicia_Document>
<BinaryContext numberObj="3" numberAtt="4">
<Name>pets</Name>
<Object>cat</Object>
<Object>dog</Object>
<Object>canary</Object>
<Attribute>purrs</Attribute>
<Attribute>barks</Attribute>
<Attribute>has fur</Attribute>
<Attribute>flies</Attribute>
<BinRel idxO="0" idxA="0"></BinRel>
<BinRel idxO="0" idxA="2"></BinRel>
<BinRel idxO="1" idxA="1"></BinRel>
<BinRel idxO="1" idxA="2"></BinRel>
<BinRel idxO="2" idxA="3"></BinRel>
</BinaryContext>
</Galicia_Document>
""",
        PETS,
    ),
    "galicia 3": Sample(
        "galicia",
        """<BIN name="pets.slf" nbObj="3" nbAtt="4" type="BinaryRelation">
<OBJS><OBJ id="0">cat</OBJ><OBJ id="1">dog</OBJ><OBJ id="2">canary</OBJ></OBJS>
<ATTS><ATT id="7">purrs</ATT><ATT id="8">barks</ATT><ATT id="9">has fur</ATT>
<ATT id="10">flies</ATT></ATTS>
<RELS><REL idObj="0" idAtt="7"/><REL idObj="0" idAtt="9"/><REL idObj="1" idAtt="8"/>
<REL idObj="1" idAtt="9"/><REL idObj="2" idAtt="10"/></RELS>
</BIN>
""",
        PETS,
    ),
    "slf": Sample(
        "slf",
        "[Lattice]\n3\n4\n[Objects]\ncat\ndog\ncanary\n[Attributes]\npurrs\nbarks\nhas fur\nflies\n"
        "[relation]\n1 0 1 0 \n0 1 1 0 \n0 0 0 1 \n",
        PETS,
    ),
    "rcf": Sample(
        "rcf",
        "# pets\n\n[Relational Context]\nDefault Name\n[Binary Relation]\nPets\n"
        "cat | dog | canary\npurrs | barks | has fur | flies |\n1 0 1 0\n0 1 1 0\n0 0 0 1\n"
        "[END Relational Context]\n",
        PETS,
    ),
    "oal": Sample(
        "oal",
        "cat:purrs;furry\ndog:furry;barks\ncanary:flies\n",
        WORDS,
    ),
    "colibri": Sample(
        "colibri",
        "# pets\ncat: purrs furry ;\ndog: furry\n  barks ;\ncanary:\tflies;\n",
        WORDS,
    ),
    "markdown": Sample(
        "markdown",
        "|        | purrs | barks | has fur | flies |\n|:-----|-------|-------|---------|-------|\n"
        "| cat    | X |       | X       |       |\n| dog    |       | X     | X       |       |\n"
        "| canary |       |       |         | X     |\n",
        PETS,
    ),
    "markdown bars": Sample(
        "markdown",
        "      |purrs|barks|has fur|flies|\ncat   |  X  |     |   X   |     |\n"
        "dog   |     |  X  |   X   |     |\ncanary|     |     |       |  X  |\n",
        PETS,
    ),
    "json": Sample(
        "json",
        '{"objects": ["cat", "dog", "canary"],\n'
        '"properties": ["purrs", "barks", "has fur", "flies"],\n'
        '"context": [[0, 2], [1, 2], [3]]}\n',
        PETS,
    ),
    "json_conexp": Sample(
        "json_conexp",
        '{"attributes":["purrs","barks","has fur","flies"],\n"objects":["cat","dog","canary"],\n'
        '"incidence":[["dog","barks"],["dog","has fur"],["cat","purrs"],["cat","has fur"],\n'
        '["canary","flies"]]}',
        PETS,
    ),
    "json_conexp old": Sample(
        "json_conexp",
        '{"attributes": ["purrs", "barks", "has fur", "flies"],\n"adjacency-list": [\n'
        '{"object": "cat", "attributes": ["purrs", "has fur"]},\n'
        '{"object": "dog", "attributes": ["barks", "has fur"]},\n'
        '{"object": "canary", "attributes": ["flies"]}]}',
        PETS,
    ),
    "json_fcaps": Sample(
        "json_fcaps",
        '[{"ObjNames": ["cat", "dog", "canary"],\n'
        '"Params": {"AttrNames": ["purrs", "barks", "has fur", "flies"]}},\n'
        '{"Count": 3, "Data": [{"Count": 2, "Inds": [0, 2]}, {"Count": 2, "Inds": [1, 2]},\n'
        '{"Count": 1, "Inds": [3]}]}]\n',
        PETS,
    ),
}
WRITABLE = [entry.name for entry in io.formats() if entry.write]
SUFFIXES = sorted(suffix for entry in io.formats() for suffix in entry.suffixes)
