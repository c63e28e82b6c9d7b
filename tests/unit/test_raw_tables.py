"""Tables of raw values out of files: what is found out, what is refused, and where."""

from __future__ import annotations

import datetime as dt
import gzip
import sqlite3
import zipfile
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io import delimited
from conceptrank.io.detection import detect
from conceptrank.io.raw import binary as raw_binary
from conceptrank.io.raw import types as raw_types
from conceptrank.io.raw.tables import open_table, read_table
from conceptrank.io.raw.types import ambiguous_date, typed
from conceptrank.io.sources import Content

PETS = b"name,legs,weight,tame\ncat,4,3.5,true\nemu,2,?,false\nant,6,,false\n"


def rows(data: bytes, **options: Any) -> list[tuple[Any, ...]]:
    return read_table(data, format="csv", **options).rows()


def test_a_plain_table() -> None:
    table = open_table(PETS)
    assert table.frame.columns == ["name", "legs", "weight", "tame"]
    assert table.frame.rows() == [
        ("cat", 4, 3.5, True),
        ("emu", 2, None, False),
        ("ant", 6, None, False),
    ]
    assert table.options == {"separator": ",", "encoding": "utf-8", "header": True}
    assert read_table(PETS, **table.options).equals(table.frame)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_encodings_and_line_ends(separator: str, encoding: str, end: str) -> None:
    text = end.join(["größe,n", "klein,1", "groß,2", "groß,3", ""]).replace(",", separator)
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    table = open_table(mark + text.encode(encoding))
    assert table.frame.columns == ["größe", "n"]
    assert table.frame.rows() == [("klein", 1), ("groß", 2), ("groß", 3)]


def test_other_encodings_are_said_not_guessed() -> None:
    data = "größe,n\nklein,1\n".encode("latin-1")
    with pytest.raises(FormatError, match=r"line 1: byte 0xf6 .* is not UTF-8"):
        read_table(data)
    assert read_table(data, encoding="latin-1").columns == ["größe", "n"]
    with pytest.raises(FormatError, match="no encoding 'latin1000'"):
        read_table(data, encoding="latin1000")
    with pytest.raises(FormatError, match="is not ascii text"):
        read_table(data, encoding="ascii")
    with pytest.raises(FormatError, match="is not utf-16 text"):
        read_table("a,b\n".encode("utf-16")[:-1])


@pytest.mark.parametrize(
    ("lines", "header"),
    [
        (["sex,age", "m,3", "f,4"], True),
        (["m,3", "f,4", "m,5"], False),
        (["a,b", "x,y"] + ["x,y"] * 3, True),
        (["x,y"] * 4, False),
        ([",b", "x,2"], True),
        (["a,?", "x,2"], False),
        (["born,n", "2020-01-01,x", "2020-02-01,y"], True),
        (["2020-01-01,x", "2020-02-01,x"], False),
        (["1.5,2", "2.5,3"], False),
    ],
)
def test_headers(lines: list[str], header: bool) -> None:
    table = open_table("\n".join(lines).encode())
    assert table.options["header"] is header
    assert table.frame.height == len(lines) - header


def test_a_header_with_a_name_twice_is_no_row() -> None:
    data = b"colour,colour,size\nred,blue,4\ngreen,red,5\nred,red,7\n"
    with pytest.raises(FormatError, match="line 1: two columns are named 'colour'"):
        read_table(data)
    assert read_table(data, header=False).height == 4
    assert read_table(b"red,red\nblue,red\nred,blue\n").height == 3


@pytest.mark.parametrize("lines", [["Ann,Paris", "Bob,Rome"], ["Ann,x", "Bob,y"]])
def test_headers_that_nothing_tells(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    with pytest.raises(FormatError, match=r"line 1: .* \(hint: say so: header=True or"):
        read_table(data)
    assert read_table(data, header=False).columns == ["c1", "c2"]
    assert read_table(data, header=True).columns == lines[0].split(",")


def test_names_and_lines_to_skip() -> None:
    data = b"|made by hand\n\n3,a\n4,b\n5,a\n"
    frame = read_table(data, skip=2, names=["n", "word"])
    assert frame.columns == ["n", "word"]
    assert frame.height == 3
    with pytest.raises(FormatError, match="3 names are given for 2 columns"):
        read_table(data, skip=2, names="abc")
    with pytest.raises(FormatError, match="line 5: row has 1 fields, expected 2"):
        read_table(data[:-3] + b"\n", skip=2)
    with pytest.raises(FormatError, match="two columns are named 'n'"):
        read_table(data, skip=2, names=["n", "n"])
    with pytest.raises(FormatError, match="two columns are named 'a'"):
        read_table(b"a,a\n1,2\n", header=True)
    assert read_table(b"a,\n1,2\n", header=True).columns == ["a", "c2"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["12", " 7 ", None], [12, 7, None]),
        (["1.5", "2", ".28", "1e3"], [1.5, 2.0, 0.28, 1000.0]),
        (["-3", "+4"], [-3, 4]),
        (["007", "012"], ["007", "012"]),
        (["0", "0.5"], [0.0, 0.5]),
        (["1", "x"], ["1", "x"]),
        (["1", "NA", "nan"], [1, None, None]),
        (["1.5", "n/a"], [1.5, None]),
        (["NA", "DE"], ["NA", "DE"]),
        (["NA"], ["NA"]),
        (["12345678901234567890"], [12345678901234567890.0]),
        (["35,5", "36"], [35.5, 36.0]),
        (["1,500", "2"], ["1,500", "2"]),
        (["1,500", "2,5"], [1.5, 2.5]),
        (["True", "false", "?"], [True, False, None]),
        (["true", "maybe"], ["true", "maybe"]),
        (["2020-02-29", "2021-01-01"], [dt.date(2020, 2, 29), dt.date(2021, 1, 1)]),
        (["2021-02-29"], ["2021-02-29"]),
        (["2020-01-01T08:30", "2020-01-01 08:30:15.5"],
         [dt.datetime(2020, 1, 1, 8, 30), dt.datetime(2020, 1, 1, 8, 30, 15, 500000)]),
        (["2020-01-01 25:00"], ["2020-01-01 25:00"]),
        (["31.12.2020", "1.2.2020"], [dt.date(2020, 12, 31), dt.date(2020, 2, 1)]),
        (["03.04.2020"], [dt.date(2020, 4, 3)]),
        (["13/03/2024 22:03", "N/A", "1/4/2024 7:30"],
         [dt.datetime(2024, 3, 13, 22, 3), None, dt.datetime(2024, 4, 1, 7, 30)]),
        (["03/13/2024", "-"], [dt.date(2024, 3, 13), None]),
        (["03/04/2024", "05/06/2024"], ["03/04/2024", "05/06/2024"]),
        (["13/03/2024", "03/13/2024"], ["13/03/2024", "03/13/2024"]),
        (["31/02/2024"], ["31/02/2024"]),
        (["N/A", "red", " "], [None, "red", None]),
        (["?", ""], [None, None]),
    ],
)  # fmt: skip
def test_types(values: list[str | None], expected: list[Any]) -> None:
    assert typed(pl.Series(values, dtype=pl.String)).column.to_list() == expected


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["03/04/2024", None, "11/12/2024"], "03/04/2024"),
        (["-", "3-4-2024 10:30"], "3-4-2024 10:30"),
        (["03/04/2024", "13/04/2024"], None),
        (["03/04/2024", "04/13/2024"], None),
        (["03/13/2024", "13/04/2024"], None),
        (["03.04.2024"], None),
        (["03/04/2024", "03-04-2024"], None),
        (["03/04/2024", "soon"], None),
        ([None], None),
    ],
)
def test_dates_whose_day_and_month_cannot_be_told_apart(
    values: list[str | None], shown: str | None
) -> None:
    assert ambiguous_date(pl.Series(values, dtype=pl.String)) == shown


def test_types_by_request() -> None:
    assert typed(pl.Series(["1,500"]), decimal_comma=True).column.to_list() == [1.5]
    assert typed(pl.Series(["1,5"]), decimal_comma=False).column.to_list() == ["1,5"]
    assert typed(pl.Series(["?", "-9"]), missing=["-9"]).column.to_list() == ["?", None]


def test_quotes() -> None:
    assert rows(b'a,b\n"x, y",1\n"say ""hi""",2\n"two\nlines",3\n') == [
        ("x, y", 1),
        ('say "hi"', 2),
        ("two\nlines", 3),
    ]
    assert rows(b'a,b\n5" pipe,2\n3" pipe,7\n') == [('5" pipe', 2), ('3" pipe', 7)]
    # A blank before a quote is not for polars.
    assert rows(b'a,b\n "x, y",1\n') == [("x, y", 1)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"abc\ndef\n", "line 1: nothing shows whether this is a header"),
        (b"abc\nd,e\nf,g\n", "line 1: no separator in the first line, but in others"),
        (b"name,age\n", "line 1: the table has columns but no rows"),
        (b"a,b;c\nd,e;f\n", "can be split at ';' or at ','"),
        (b"a,b\n1,2\n1\n", "line 3: row has 1 fields, expected 2"),
        (b"a,b\n1,2\n1,2,3\n", "line 3: row has 3 fields, expected 2"),
        (b"a,b\n1,2\n\n1,2\n", "line 3: an empty line inside the table"),
        (b'a,b\n"x,2\n', "a quote is opened and never closed"),
        (b'a,b\n"x"y,2\n', "after a closing quote"),
        (b"a,b\n1,\xff\n", "line 2: byte 0xff"),
        (b"a,b\r1,2\r", "a carriage return without a line feed"),
        (b"PK\x03\x04", "is damaged or not a file of Excel"),
        (b"PAR1", "is damaged or not a file of Parquet"),
        (b"ARROW1\0\0", "is damaged or not a file of Feather"),
        (b"FEA1", "Feather file of version 1"),
        (b"\x89PNG\0\0\0", "is binary data of no known kind"),
        (b"SQLite format 3\0", "read from a path only"),
        (b"\x1f\x8b\x08\x00", "ends early|damaged|cut off"),
    ],
)
def test_damage(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_table(data)


def test_options_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="unknown option 'seperator' in format csv"):
        read_table(PETS, seperator=",")
    with pytest.raises(UnknownNameError, match="did you mean 'csv'"):
        read_table(PETS, format="cvs")
    with pytest.raises(FormatError, match="can't separate fields"):
        read_table(PETS, separator="::")
    with pytest.raises(FormatError, match="no such file"):
        read_table("nothing-of-the-kind.csv")


def test_blocks_with_and_without_quotes_fit_together() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_FRAME_BYTES", 1)
        frame = delimited.frame_of(b'1,2\n "x",\n"",y\n', ",", 2)
    assert frame.rows() == [("1", "2"), ("x", None), ("", "y")]
    assert delimited.frame_of(b"", ",", 2).shape == (0, 2)


def test_compressed_tables(tmp_path: Path) -> None:
    path = tmp_path / "pets.csv.gz"
    path.write_bytes(gzip.compress(PETS))
    assert read_table(path).equals(read_table(PETS))
    with pytest.raises(FormatError, match="more than 10 bytes"):
        read_table(path, max_bytes=10)


def frame() -> pl.DataFrame:
    return pl.DataFrame({"name": ["cat", "emu"], "legs": [4, None], "tame": [True, False]})


def test_parquet_and_feather(tmp_path: Path) -> None:
    frame().write_parquet(tmp_path / "pets.parquet")
    frame().write_ipc(tmp_path / "pets.feather")
    frame().write_ipc_stream(tmp_path / "pets.arrows")
    for name in ("pets.parquet", "pets.feather", "pets.arrows"):
        assert read_table(tmp_path / name).equals(frame())
        data = (tmp_path / name).read_bytes()
        assert read_table(data).equals(frame())
        for cut in (9, len(data) // 2):
            with pytest.raises(FormatError, match="is damaged or not"):
                read_table(data[:cut])


def workbook(*sheets: str) -> bytes:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    file = BytesIO()
    with xlsxwriter.Workbook(file) as book:
        for sheet in sheets:
            frame().write_excel(book, worksheet=sheet)
    return file.getvalue()


def test_excel() -> None:
    assert read_table(workbook("pets")).rows() == frame().rows()
    two = workbook("pets", "more pets")
    with pytest.raises(FormatError, match="has 2 sheets: 'pets', 'more pets'"):
        read_table(two)
    assert read_table(two, sheet="more pets").rows() == frame().rows()
    with pytest.raises(UnknownNameError, match="unknown sheet 'pet'; did you mean 'pets'"):
        read_table(two, sheet="pet")
    with pytest.raises(FormatError, match="is damaged or not a file of Excel"):
        read_table(two[: len(two) // 2])


def small_workbook(sheet: str) -> bytes:
    """A workbook of one sheet, as small as Excel's format allows."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
        '<sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData>'
        "</worksheet>",
    }
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_a_workbook_that_explodes() -> None:
    cells = '<row r="1"><c r="A1" t="str"><v>n</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>'
    assert read_table(small_workbook(cells), format="excel").rows() == [(1.0,)]
    far = cells + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    with pytest.raises(FormatError, match=r"damaged|hold a table of more than"):
        read_table(small_workbook(far), format="excel")
    assert read_table(small_workbook(cells), format="excel").rows() == [(1.0,)]


@pytest.mark.parametrize("name", ["parquet", "feather"])
def test_a_table_beyond_its_limit_is_refused(name: str) -> None:
    file = BytesIO()
    frame = pl.DataFrame({"a": pl.repeat(1, 100_000, eager=True)})
    frame.write_parquet(file) if name == "parquet" else frame.write_ipc(file)
    assert read_table(file.getvalue(), format=name).shape == (100_000, 1)
    with pytest.raises(FormatError, match="hold a table of more than 790,000 bytes"):
        raw_binary.read_parquet(file.getvalue(), max_bytes=790_000) if (
            name == "parquet"
        ) else raw_binary.read_feather(file.getvalue(), max_bytes=790_000)


@pytest.mark.parametrize("name", ["parquet", "feather", "feather stream"])
def test_no_length_in_a_binary_file_ends_the_process(name: str) -> None:
    file = BytesIO()
    frame = pl.DataFrame({"age": [30, 41, None], "sex": ["f", "m", "m"]})
    if name == "parquet":
        frame.write_parquet(file, compression="uncompressed")
    else:
        frame.write_ipc(file) if name == "feather" else frame.write_ipc_stream(file)
    data = file.getvalue()
    kind = name.split(maxsplit=1)[0]
    for place in range(8, len(data) - 8, 8):
        for huge in (1 << 40, (1 << 62) + 1):
            changed = data[:place] + huge.to_bytes(8, "little") + data[place + 8 :]
            with suppress(FormatError):
                assert isinstance(read_table(changed, format=kind), pl.DataFrame)


def test_a_view_is_read_only_if_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table people (name text, age integer)")
        connection.execute("insert into people values ('Ann', 30), ('Bob', null)")
        connection.execute(f"create view endless as {endless}")
        connection.execute("create view old as select * from people where age > 20")
        connection.commit()
    assert read_table(path).rows() == [("Ann", 30), ("Bob", None)]
    assert read_table(path, table="old").rows() == [("Ann", 30)]
    with pytest.raises(FormatError, match="the table takes more than 100,000 bytes"):
        read_table(path, table="endless", max_bytes=100_000)


def test_defaults_and_long_values_in_a_database_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "bomb.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table t (a integer)")
        connection.executemany("insert into t values (?)", [(1,)] * 3000)
        connection.execute(f"alter table t add column b text default '{'x' * 10_000}'")
        connection.commit()
    with pytest.raises(FormatError, match="the table takes more than 1,000,000 bytes"):
        read_table(path, max_bytes=1_000_000)


def test_a_table_of_too_many_columns_is_refused() -> None:
    for data in (b"," * 200_000 + b"\n" + b"1" + b",1" * 200_000 + b"\n", b"," * (1 << 21)):
        with pytest.raises(FormatError, match=r"at most 100,000|more than 1,048,576 fields"):
            read_table(data, header=True, separator=",")


def test_excel_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fastexcel", None)
    with pytest.raises(FormatError, match=r"need the package fastexcel .*\[excel\]"):
        read_table(b"PK\x03\x04", format="xlsx")


def test_a_damaged_sqlite_schema_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "damaged.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table cats (name text)")
        connection.commit()
    content = path.read_bytes().replace(b"cats (name", b"cats ,name")
    path.write_bytes(content.replace(b"tablecatscats", b"tablec\xe0tsc\xe0ts"))
    with pytest.raises(FormatError, match="is damaged or not an SQLite file"):
        read_table(path)


def test_a_message_about_a_damaged_schema_has_one_line(tmp_path):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table numbers (a)")
        connection.commit()
    content = path.read_bytes()
    # The name of the table in the schema, and the word that SQLite stumbles over.
    path.write_bytes(
        content.replace(b"numbersnumbers", b"nu\nbersnumbers").replace(b"CREATE", b"CREWTE")
    )
    with pytest.raises(FormatError, match="is damaged or not an SQLite file") as caught:
        read_table(path, format="sqlite")
    assert "\n" not in str(caught.value)


def test_sqlite_without_tables(tmp_path: Path) -> None:
    path = tmp_path / "views.db"
    for create, message in (
        ("", "has no table "),
        ("create view v as select 1", "only views: 'v'"),
    ):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("create table x (y)")
            connection.execute("drop table x")
            connection.execute(create)
        with pytest.raises(FormatError, match=message):
            read_table(path)


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    with sqlite3.connect(path) as connection:
        connection.execute('create table "all pets" (name text, legs integer)')
        connection.executemany('insert into "all pets" values (?, ?)', [("cat", 4), ("emu", None)])
    connection.close()
    expected = [("cat", 4), ("emu", None)]
    assert read_table(path).rows() == expected
    assert read_table(path, table="all pets").rows() == expected
    with pytest.raises(UnknownNameError, match="unknown table 'pets'"):
        read_table(path, table="pets")
    with sqlite3.connect(path) as connection:
        connection.execute("create table more (x)")
    connection.close()
    with pytest.raises(FormatError, match="has 2 tables: 'all pets', 'more'"):
        read_table(path)
    path.write_bytes(path.read_bytes()[:120])
    with pytest.raises(FormatError, match=r"SQLite|query failed"):
        read_table(path)


def test_kinds() -> None:
    class Named(BytesIO):
        name = "file"

    def kind_of(data: bytes, name: str = "file") -> str:
        file = Named(data)
        file.name = name
        with Content(file) as content:
            return detect(content)[0].name

    assert kind_of(b"PK\x03\x04", "a.xlsx") == "excel"
    assert kind_of(b"% comment\n\n@Relation x\n") == "arff"
    assert kind_of(b"SQLite format 3\0...") == "sqlite"
    assert kind_of(b"PAR1...") == "parquet"
    assert kind_of(b"ARROW1...", "a.csv") == "feather"
    for data in (b"PK\x03\x04", b"% only a comment\n"):
        with pytest.raises(FormatError):
            kind_of(data, "a.zip")


def test_the_type_of_a_column_is_that_of_its_different_values() -> None:
    random = np.random.default_rng(5)
    words = ["1", "2", "3.5", "NA", "nan", "n/a", "-", "true", "False", "yes", "a", "b c", "x,1"]
    words += ["1,5", "2020-01-01", "?", "", " a", "007", "inf", "t", "null", "é", "N", "None"]
    for _ in range(1000):
        few = random.choice(words, size=random.integers(1, 4))
        column = pl.Series(random.choice(few, size=12).tolist(), dtype=pl.String)
        # A column in which nothing comes again is looked at value by value.
        long_way = raw_types._typed(column, raw_types.MISSING, None).column
        short_way = raw_types.typed(column).column
        assert short_way.dtype == long_way.dtype
        assert short_way.to_list() == long_way.to_list()
