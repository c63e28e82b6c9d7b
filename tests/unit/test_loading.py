"""`load` on anything: one inference for all sources, what is assumed is said, labels leave."""

from __future__ import annotations

import sqlite3
import warnings
from io import BytesIO

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import conceptrank as cr
from conceptrank import io, scaling
from conceptrank.errors import FormatError, InputWarning, UnknownNameError
from conceptrank.scaling import Plan, open_source
from conceptrank.scaling.column import Columns

SURVEY = (
    "name,age,fare,seen,town,member,churn\n"
    "Ann,30,7.5,13/03/2024 22:03,Bath,1,yes\n"
    "Bob,,8.25,01/04/2024 07:30,York,0,no\n"
    "Cid,17,N/A,02/04/2024 09:00,N/A,0,no\n"
    "Dora,41,9,05/04/2024 10:15, ,1,yes\n"
    "Eve,41,7.5,06/04/2024 10:15,Bath,1,no\n"
)


def sources(tmp_path):
    """The same table as text, in binary files, in a database and as frames."""
    (tmp_path / "survey.csv").write_text(SURVEY)
    texts = pl.read_csv(BytesIO(SURVEY.encode()), infer_schema=False)
    texts.write_parquet(tmp_path / "survey.parquet")
    texts.write_ipc(tmp_path / "survey.feather")
    with sqlite3.connect(tmp_path / "survey.db") as connection:
        texts.to_pandas().to_sql("survey", connection, index=False)
    connection.close()
    return {
        "csv": tmp_path / "survey.csv",
        "parquet": tmp_path / "survey.parquet",
        "feather": tmp_path / "survey.feather",
        "sqlite": tmp_path / "survey.db",
        "polars texts": texts,
        "polars": pl.read_csv(BytesIO(SURVEY.encode()), null_values=["N/A", " "]),
        "pandas": pd.read_csv(BytesIO(SURVEY.encode())),
        "pandas objects": pd.read_csv(BytesIO(SURVEY.encode()), dtype=object),
        "mapping": {name: texts[name].to_list() for name in texts.columns},
    }


def test_one_table_has_one_result_whatever_it_comes_from(tmp_path):
    found = {}
    for name, source in sources(tmp_path).items():
        with pytest.warns(InputWarning, match="columns were scaled by type and values"):
            found[name] = cr.load(source)
    first = found["csv"]
    assert first.objects == ("Ann", "Bob", "Cid", "Dora", "Eve")
    assert "age = 41" in first.attributes
    assert "fare = 8.25" in first.attributes
    assert not any("N/A" in name for name in first.attributes)
    assert any(name.startswith("seen = 2024-03-13") for name in first.attributes)
    for name, context in found.items():
        assert context == first, name


TABLES = {
    "crosses": ("a,b,c\nX,,X\n,X,\nX,X,\n,,\n", "a b c", 5),
    "crosses, none in the first column": ("a,b,c\n,,X\n,X,\n", "a b c", 2),
    "crosses, names": ("pet,a,b\ncat,x,\ndog,,x\nemu,,\n", "a b", 2),
    "crosses, numbers of rows": ("id,a,b\n7,X,\n9,,X\n4,,\n", "a b", 2),
    "crosses, one row": ("pet,a,b\ncat,X,\n", "a b", 1),
    "an empty column": ("a,b,c\nX,,X\n,,X\n", "a b c", 3),
    "yes and no": ("a,b\nYes,No\nNo,Yes\n", "a b", 2),
    "yes, no and names": ("who,a,b\nAnn,yes,no\nBob,no,no\n", "a b", 1),
    "yes, no and nothing": ("a,b\nY,N\nN,\n,Y\n", "a b", 2),
    "yes, no and unknown": ("a,b,c\nyes,no,N/A\nno,no,yes\n", "a b c", 2),
    "true and false": ("a,b\nTrue,False\nFalse,False\n", "a b", 1),
    "ones and zeros": ("a,b,c\n1,0,1\n1,0,0\n", "a b c", 3),
    "yes, no and a number": (
        "age,a,b\n31,yes,no\n28,no,no\n44,yes,yes\n",
        "age=28 age=31 age=44 a=no a=yes b=no b=yes",
        9,
    ),
    "letters that are classes": (
        "who,a,b\nAnn,x,1\nBob,y,0\nCid,x,1\nDot,y,1\n",
        "a=x a=y b=0 b=1",
        8,
    ),
    "yes, no and a date": (
        "day,a\n2024-03-01,yes\n2024-04-02,no\n2024-05-03,no\n",
        "day=2024-03-01 day=2024-04-02 day=2024-05-03 a=no a=yes",
        6,
    ),
    "yes, no and other words": (
        "sex,a,b\nf,yes,no\nf,no,no\nm,yes,no\nf,no,yes\nm,no,no\nm,no,no\nf,no,no\n",
        "sex=f sex=m a=no a=yes b=no b=yes",
        21,
    ),
    "two columns": (
        "age,city\n30,Rome\n41,Bath\n30,Rome\n",
        "age=30 age=41 city=Bath city=Rome",
        6,
    ),
    "numbers titled id": (
        "user_id,age,a\n107,30,yes\n99,41,no\n250,30,no\n",
        "age=30 age=41 a=no a=yes",
        6,
    ),
    "values with digits": (
        "share,price\n12%,$3\n40%,$4\n12%,$4\n",
        "share=12% share=40% price=$3 price=$4",
        6,
    ),
    "one row": ("town,age,city\nBath,31,Rome\n", "town=Bath age=31 city=Rome", 3),
    "two columns and names": ("name,city\nAnn,Rome\nBob,Bath\n", "city=Bath city=Rome", 2),
    "pairs": ("object,attribute\nA,tea\nB,\nA,milk\n,ale\nC,tea\n", "tea milk ale", 3),
    "orders": ("order_id,sku\nA1,tea\nA1,milk\nA2,tea\n", "milk tea", 3),
}


@pytest.mark.parametrize("name", TABLES)
def test_marks_and_pairs_are_the_same_in_files_and_frames(name, tmp_path):
    text, attributes, crosses = TABLES[name]
    path = tmp_path / "table.csv"
    path.write_text(text)
    sources = {
        "polars": pl.read_csv(path),
        "polars texts": pl.read_csv(path, infer_schema=False),
        "pandas": pd.read_csv(path),
    }
    pl.read_csv(path).write_parquet(tmp_path / "table.parquet")
    sources["parquet"] = tmp_path / "table.parquet"
    with warnings.catch_warnings(action="ignore"):
        expected = cr.load(path)
        found = {source: cr.load(table) for source, table in sources.items()}
        if name not in ("pairs", "orders"):
            found["auto"] = cr.load(path, scale="auto")
    assert [each.replace(" ", "") for each in expected.attributes] == attributes.split()
    assert expected.crosses == crosses
    for source, context in found.items():
        assert context == expected, source


def test_excel_names_the_separator_in_a_first_line(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("sep=;\nname;height;city\nAnn;1,71;Rome\nBob;1,80;Bath\n")
    with pytest.warns(InputWarning, match="columns were scaled"):
        context = cr.load(path)
    assert context.objects == ("Ann", "Bob")
    assert "height = 1.71" in context.attributes
    path.write_text("sep=;\nname;height;city\nAnn;1,71;Rome\nBob;1,80\n")
    with pytest.raises(FormatError, match="line 4: row has 2 fields, expected 3"):
        cr.load(path)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("name,age,city\nAnn,31,Rome\nBob,44\n", "line 3: row has 2 fields, expected 3", "quotes"),
        ("name,age,city\nAnn,31,Rome\nBob,44,Bath\nCi", "line 4: row has 1 fields", "in quotes"),
        ("name,age\n" + "Ann,31\n" * 50 + "Bob\n", "line 52: row has 1 fields", "quotes"),
        ("People\n\nname,age,city\nAnn,31,Rome\n", "line 1: no separator", "skip=1"),
    ],
)
def test_damage_in_a_table_of_values_is_no_damage_in_a_cross_table(tmp_path, text, message, hint):
    path = tmp_path / "people.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as caught:
        cr.load(path)
    assert hint in (caught.value.hint or "")


def test_folders_of_marks_are_read_as_one_file_is(tmp_path):
    rows = ["Yes,No,X\n", "No,No,\n", "Yes,Yes,\n"]
    for name, row in zip("abc", rows, strict=True):
        (tmp_path / f"{name}.csv").write_text(f"tea,milk,ale\n{row}")
    with warnings.catch_warnings(action="ignore"):
        whole = cr.load(f"tea,milk,ale\n{''.join(rows)}".encode())
        assert cr.load(tmp_path).to_itemsets() == whole.to_itemsets()


def test_one_hot_tables_without_names_are_ranked_and_summarised(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n,X,X\nX,X,\n,,X\n")
    with pytest.warns(InputWarning, match="columns were scaled by type and values: marks: a"):
        assert len(cr.rank(path)) == len(cr.load(path).lattice())
    with pytest.warns(InputWarning, match="marks: a, b, c"):
        assert len(cr.summarize(path)) == 0


def test_two_columns_that_may_be_pairs_are_not_guessed(tmp_path):
    path = tmp_path / "tags.csv"
    path.write_text("user,tag\nAnn,tea\nAnn,milk\nBob,tea\n")
    for source in (path, pl.read_csv(path), pd.read_csv(path)):
        with pytest.raises(FormatError, match="'user' and 'tag' may be pairs") as caught:
            cr.load(source)
        assert caught.value.hint == (
            "for pairs, give transaction_id='user' and item='tag'; for values, give scale='auto'"
        )
        assert cr.load(source, transaction_id="user", item="tag").shape == (2, 2)
        assert cr.load(source, scale="auto").shape == (3, 4)
    path.write_text("1,2\n1,3\n2,3\n")
    with pytest.raises(FormatError, match=r"may be pairs .* give format='pairs'; for values, give"):
        cr.load(path)
    assert cr.load(path, format="pairs").shape == (2, 2)
    assert cr.load(path, scale="auto").shape == (3, 4)


def test_frames_of_crosses_matrices_and_contexts_are_sources():
    frame = pd.DataFrame({"sweet": [True, True], "red": [1, 0]}, index=["cherry", "honey"])
    assert cr.load(frame) == cr.Context.from_pandas(frame)
    matrix = np.array([[1, 0], [1, 1]])
    assert cr.load(matrix) == cr.Context.from_numpy(matrix)
    assert cr.load(sp.csr_array(matrix)) == cr.Context.from_numpy(matrix)
    context = cr.load(matrix)
    assert cr.load(context) is context
    with pytest.raises(FormatError, match="is no file: it has no format"):
        cr.load(frame, format="csv")
    with pytest.raises(FormatError, match=r"files are given by their path, lists by Context"):
        cr.load([("a", "b")])


@pytest.mark.parametrize("label", ["churn", "churn = yes", "churn=yes", "churn =yes"])
def test_a_label_takes_its_column_along(label):
    loaded = open_source(SURVEY.encode(), label=label)
    assert not [name for name in loaded.context.attributes if "churn" in name]
    values = ["yes", "no", "no", "yes", "no"]
    expected = values if label == "churn" else [value == "yes" for value in values]
    assert loaded.labels == expected
    assert str(loaded.plan["churn"]) == "drop"
    without = cr.load(SURVEY.encode(), drop=["churn"])
    assert loaded.context == without


def test_dates_that_can_be_read_in_two_ways_stay_text_and_say_so():
    days = ["03/04/2024", "05/06/2024", "11/12/2024", "01/02/2024"] * 3
    table = scaling.open_source({"day": days, "kind": ["a", "b"] * 6}, scale="auto")
    assert "day = 03/04/2024" in table.context.attributes
    assert "the day and the month can't be told apart, as 03/04/2024" in table.plan["day"].because
    assert "dates that stay text: day" in table.assumptions()
    assert "day=quantiles:4:date_format=%d/%m/%Y" in table.assumptions()
    chosen = "day=quantiles:4:date_format=%d/%m/%Y"
    table = scaling.open_source({"day": days, "kind": ["a", "b"] * 6}, scale=[chosen])
    assert "day < 2024-03-18" in " ".join(table.context.attributes) or any(
        name.startswith("day <") for name in table.context.attributes
    )
    assert "dates" not in table.assumptions()
    # Different dates in every row don't name the objects, as other dates don't.
    many = [f"{day:02}/{month:02}/2024" for day in range(1, 5) for month in range(1, 5)]
    assert scaling.infer({"day": many, "kind": ["a", "b"] * 8}).objects is None
    # One row that shows the order suffices.
    assert scaling.open_source({"day": [*days, "13/01/2024"]}, scale="auto").assumptions() == (
        "columns were scaled by type and values: values: day"
    )


def test_warnings_point_at_the_line_that_called():
    data = b"red,big\n1,1\n0,1\n1,0\n"
    for call in (cr.load, cr.load, cr.summarize, lambda source: cr.rank(source, by="support")):
        with pytest.warns(InputWarning) as caught:
            call(data)
        assert {warning.filename for warning in caught} == {__file__}


def test_a_name_twice_is_named_with_its_columns():
    with pytest.raises(FormatError, match="two columns are named 'red'"):
        cr.load(b"red,red,big\n1,0,1\n0,1,1\n1,1,0\n")


def test_values_of_a_plan_are_compared_without_a_warning(recwarn):
    column = Columns.of({"n": [1, 2, 3]})["n"]
    assert column.limited_to([1, 2]).missing.tolist() == [False, False, True]
    assert not [each for each in recwarn if issubclass(each.category, DeprecationWarning)]


def test_a_label_scaled_by_levels_takes_all_levels_along():
    loaded = open_source(SURVEY.encode(), scale=["age=ordinal"], label="age ≤ 30")
    assert not [name for name in loaded.context.attributes if name.startswith("age")]
    assert loaded.labels == [True, False, True, False, False]


def test_a_label_in_a_scaled_context_takes_its_siblings_along():
    context = cr.load(SURVEY.encode(), scale="auto")
    with pytest.warns(InputWarning, match="'churn = no' left the table with it"):
        loaded = open_source(context, label="churn=yes")
    assert loaded.context == cr.load(SURVEY.encode(), drop=["churn"])
    with pytest.raises(UnknownNameError, match=r"unknown attribute 'chrun = yes'.*'churn = yes'"):
        open_source(context, label="chrun = yes")


def test_names_of_attributes_in_a_file_tell_no_column():
    context = cr.Context(["ann", "bob"], ["churn = no", "churn = yes"], [[1, 0], [0, 1]])
    assert open_source(context, label="churn = yes").context.attributes == ("churn = no",)
    with pytest.warns(InputWarning, match="the labels are in the table: churn = no"):
        context.best(5, by="information_gain", target="churn = yes", min_intent=1)


@pytest.mark.parametrize(
    ("text", "objects", "attributes"),
    [
        ("order_id,sku\nA1,tea\nA2,milk\nA3,tea\n", ("A1", "A2", "A3"), ("tea", "milk")),
        ("basket,thing\n17,tea\n17,milk\n18,tea\n", ("17", "18"), ("tea", "milk")),
    ],
)
def test_a_header_of_pairs_is_not_data(text, objects, attributes):
    with pytest.warns(InputWarning, match="line 1, .* was read as the names of the columns"):
        context = cr.load(text.encode(), format="pairs")
    assert (context.objects, context.attributes) == (objects, attributes)
    with_it = cr.load(text.encode(), format="pairs", header=False)
    assert len(with_it.objects) == len(objects) + 1


def test_pairs_without_a_header(recwarn):
    assert cr.load(b"cat,purrs\ndog,barks\ncat,sleeps\n", format="pairs").shape == (2, 3)
    assert not recwarn.list
    with pytest.warns(InputWarning, match="was read as a pair"):
        assert cr.load(b"cat,purrs\ndog,barks\n", format="pairs").shape == (2, 2)


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("X", ""), ("yes", "no"), ("True", "False")])
@pytest.mark.parametrize("rows", [1, 2, 3, 50])
def test_a_one_hot_table_without_names_numbers_its_objects(yes, no, rows):
    marks = [[g % 2 == 0, True, g % 3 == 0] for g in range(rows)]
    marks[0] = marks[-1] = [True, True, False]
    lines = ["tea,milk,bread", *(",".join(yes if m else no for m in row) for row in marks)]
    text = "".join(f"{line}\n" for line in lines)
    with pytest.warns(InputWarning, match="marks: tea, milk, bread"):
        context = cr.load(text.encode())
    assert context == cr.Context(range(1, rows + 1), ["tea", "milk", "bread"], marks)


@pytest.mark.parametrize("text", ["id,a,b\n0,1,0\n1,0,1\n", ",a,b\n0,1,0\n1,0,1\n"])
def test_a_column_of_numbers_can_name_the_objects(text, recwarn):
    assert cr.load(text.encode()).objects == ("0", "1")
    assert not recwarn.list


CUT_UNNOTICED = ("fimi", "pairs", "cross_table", "baskets", "oal", "spmf")


@pytest.mark.parametrize("cut", CUT_UNNOTICED)
def test_a_last_line_without_an_end_is_a_warning(cut, tmp_path, recwarn):
    from io_samples import SAMPLES

    data = SAMPLES[cut].data
    cr.load(data, format=cut)
    assert not recwarn.list
    with pytest.warns(InputWarning, match="the last line has no line end"):
        cr.load(data.rstrip(b"\n"), format=cut)


@pytest.mark.parametrize(
    ("text", "encoding", "scale"),
    [
        ("order_id,sku\n1,apple\n2,apple\n2,plum\n", "utf-8", None),
        ("age,sex\n30,f\n41,m\n", "utf-8", "auto"),
        ("age,sex\n30,f\n41,m\n", "utf-16", "auto"),
    ],
)
def test_a_table_of_values_without_a_last_line_end_is_a_warning(text, encoding, scale, tmp_path):
    path = tmp_path / "x.csv"
    for content, cut in ((text, False), (text[:-1], True)):
        path.write_bytes(content.encode(encoding))
        with warnings.catch_warnings(record=True, action="always") as noticed:
            cr.load(path, scale=scale)
        assert cut == any("the last line has no line end" in str(w.message) for w in noticed)


def test_formats_that_notice_cuts_say_so_of_themselves():
    from io_samples import SAMPLES

    for sample in SAMPLES.values():
        entry = next(entry for entry in io.formats() if entry.name == sample.format)
        if not entry.notices_cuts:
            continue
        whole = sample.data.rstrip()
        for cut in range(1, len(whole)):
            try:
                found = entry.read(whole[:cut])
            except FormatError:
                continue
            # Only what follows the last cross or name may be missing.
            assert found == sample.context, (sample.format, cut)


def test_unseen_values_of_a_fitted_plan():
    train = {"town": ["Bath", "York"], "size": ["low", "high"], "n": [1, 2]}
    plan = Plan({"town": "nominal", "size": "ordinal:low,high", "n": "contranominal"}).fitted(train)
    test = {"town": ["Hull", "Bath", None], "size": ["high", "huge", "low"], "n": [2, 2, 7]}
    with pytest.raises(FormatError, match="'town': row 1 holds 'Hull', which is not") as caught:
        plan.apply(test)
    assert "unseen='missing'" in (caught.value.hint or "")
    found = plan.apply(test, unseen="missing").to_itemsets()
    assert found == {
        "1": {"size ≤ high", "n ≠ 1"},
        "2": {"town = Bath", "n ≠ 1"},
        "3": {"size ≤ low", "size ≤ high"},
    }
    with pytest.raises(UnknownNameError, match="unseen values 'skip'"):
        plan.apply(test, unseen="skip")


def test_pairs_from_a_frame():
    frame = pd.DataFrame({"order": [1, 1, 2], "item": ["tea", "milk", "tea"]})
    expected = cr.Context.from_pairs([(1, "tea"), (1, "milk"), (2, "tea")])
    assert cr.Context.from_pairs(frame) == expected
    assert cr.Context.from_pairs(pl.from_pandas(frame)) == expected
    with pytest.raises(FormatError, match="the frame has 3 columns, expected two") as caught:
        cr.Context.from_pairs(frame.assign(price=1))
    assert "\n" not in str(caught.value)
    with pytest.raises(FormatError, match="pair 1 is 7"):
        cr.Context.from_pairs([7])


@pytest.mark.parametrize("encoding", ["base64", "rot13", "idna-x", "punycode\0"])
def test_an_encoding_that_is_none(encoding):
    with pytest.raises(FormatError, match="there is no encoding"):
        cr.load(b"B\n\n1\n1\n\na\nb\nX\n", encoding=encoding)


def test_xml_in_another_encoding():
    from io_samples import SAMPLES

    text = SAMPLES["cex"].text.replace("dog", "Bär").replace("UTF-8", "utf-16")
    found = cr.load(text.encode("utf-16"), encoding="utf-16")
    assert "Bär" in found.objects


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (",x,y\n1,3.5,a\n2,1.5,b\n3,2.5,a\n", False),
        (",x,y\n1,35,a\n2,15,b\n3,25,a\n", False),
        ("year,tea,milk\n1990,0,1\n1991,1,1\n1992,1,0\n", False),
        ("X,tea,milk\n1990,0,1\n1991,1,1\n1992,1,0\n", True),
        ("no,tea,milk\n7,0,1\n9,1,1\n8,1,0\n", True),
    ],
)
def test_measurements_and_years_name_no_rows(text, named):
    with warnings.catch_warnings(action="ignore"):
        from_text, from_frame = cr.load(text.encode()), cr.load(pl.read_csv(text.encode()))
    assert from_text.to_itemsets() == from_frame.to_itemsets()
    assert (from_text.objects != ("1", "2", "3")) == named
