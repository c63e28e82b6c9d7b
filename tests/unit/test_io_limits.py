"""Endless lines, counts out of this world, bombs: nothing hangs, and nothing fills the memory."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from contextlib import closing

import pytest

import conceptrank as cr
from conceptrank import io
from conceptrank.budget import Budget, Watch, watched
from conceptrank.errors import BudgetExceeded, FormatError
from conceptrank.io import compression, text
from conceptrank.scaling import read_table
from io_samples import FORMATS, SAMPLES

# Of processor time, which does not depend on what else the machine does.
SECONDS = 60
TWO_GIGABYTES = 2 << 30
TEXT = sorted(set(FORMATS) - {"cex", "galicia"})


class Endless:
    """A file of two gigabytes that takes no room: a beginning, then the same over and over."""

    def __init__(self, name, start, filling):
        self.name = name
        self._start = start
        self._filling = filling * (1 + (1 << 20) // len(filling))
        self._left = TWO_GIGABYTES

    def read(self, size):
        start, self._start = self._start, b""
        if start:
            return start
        piece = self._filling[: min(size, self._left)]
        self._left -= len(piece)
        return piece


def measured(call):
    """The error that a call gives, and the most memory that it takes."""
    begin = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as caught:
            call()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert time.process_time() - begin < SECONDS
    assert "\n" not in str(caught.value)
    return caught.value, peak


@pytest.mark.parametrize("name", TEXT)
@pytest.mark.parametrize("filling", [b"X", b"1 ", b"1,", b"a:b;"])
def test_a_line_of_two_gigabytes(name, filling):
    # After three good lines, so that the number of the line has to be found.
    source = Endless("huge", b"", filling)
    error, peak = measured(lambda: cr.load(source, format=name))
    assert peak < 400 << 20
    if not name.startswith("json"):
        assert error.line == 1
        assert error.hint


@pytest.mark.parametrize("name", ["fimi", "spmf", "cross_table", "pairs", "baskets"])
def test_the_number_of_the_endless_line(name):
    sample = SAMPLES[name]
    source = Endless("huge", sample.data + sample.data.split(b"\n")[-2], b"0")
    error, peak = measured(lambda: cr.load(source, format=name))
    assert (error.line, error.reason) == (
        sample.data.count(b"\n") + 1,
        "a line of more than 16 MiB",
    )
    assert peak < 100 << 20


@pytest.mark.parametrize("filling", [b"a", b" ", b"<a ", b"<!-- "])
@pytest.mark.parametrize("name", ["cex", "galicia"])
def test_xml_that_never_ends(name, filling):
    source = Endless("huge", SAMPLES[name].data[:-40] + b"<Name>", filling)
    error, peak = measured(lambda: cr.load(source, format=name, max_bytes=1 << 22))
    assert peak < 100 << 20
    assert "more than 4,194,304 bytes" in error.reason


def test_detection_looks_at_the_beginning_only():
    for filling in (b"X", b"\0", b"1 2 3", b"a,b,"):
        source = Endless("huge", b"", filling)
        measured(lambda source=source: cr.load(source))
        assert source._left > TWO_GIGABYTES - (100 << 20)


HUGE = "999999999999"
COUNTS = {
    "burmeister": f"B\n\n{HUGE}\n{HUGE}\n\ncat\npurrs\nX\n",
    "anonymous": f"A\n{HUGE}\n{HUGE}\nX\n",
    "anonymous without rows": f"A\n0\n{HUGE}\n",
    "slf": f"[Lattice]\n{HUGE}\n{HUGE}\n[Objects]\ncat\n[Attributes]\npurrs\n[relation]\n1\n",
    "slf without attributes": f"[Lattice]\n{HUGE}\n0\n[Objects]\n[Attributes]\n[relation]\n",
    "galicia": f'<Galicia_Document><BinaryContext numberObj="{HUGE}" numberAtt="{HUGE}"/>'
    "</Galicia_Document>",
    "json_fcaps": f'[{{"ObjNames": [], "Params": {{"AttrNames": []}}}}, {{"Count": {HUGE}, '
    '"Data": []}]',
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_out_of_this_world_take_no_memory(name):
    chosen = {"anonymous": "burmeister"}.get(name.split()[0], name.split()[0])
    error, peak = measured(lambda: cr.load(COUNTS[name].encode(), format=chosen))
    assert peak < 1 << 20
    assert error.line or name.startswith("json")


LAUGHS = "".join(
    f'<!ENTITY lol{k} "{"&lol" + str(k - 1) + ";" if k else "lol"}'
    + (f"&lol{k - 1};" if k else "lol") * 9
    + '">'
    for k in range(30)
)
ENTITIES = {
    "a billion laughs": f"<!DOCTYPE a [{LAUGHS}]>{{root}}",
    "one long entity, many times": f'<!DOCTYPE a [<!ENTITY x "{"x" * 50_000}">]>{{root}}',
    "a file": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>{root}',
    "a parameter": '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]>{root}',
    "attributes by default": "<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]>{root}",
}


@pytest.mark.parametrize("bomb", ENTITIES)
@pytest.mark.parametrize("name", ["cex", "galicia"])
def test_entities_are_refused_before_they_blow_up(name, bomb):
    sample = SAMPLES[name].text
    root = sample[sample.index("?>") + 2 :]
    content = ENTITIES[bomb].replace("{root}", root)
    for chosen in (None, name):
        error, peak = measured(lambda chosen=chosen: cr.load(content.encode(), format=chosen))
        assert peak < 5 << 20
        if chosen:
            assert error.reason == "declarations inside <!DOCTYPE …>"
            assert error.line == 1


def test_a_document_of_one_line_is_fine_as_long_as_it_is_short_enough(monkeypatch):
    names = ", ".join(f'"{k}"' for k in range(300_000))
    rows = ", ".join("[]" for _ in range(300_000))
    document = f'{{"objects": [{names}], "properties": [], "context": [{rows}]}}'.encode()
    assert cr.load(document).shape == (300_000, 0)
    assert b"\n" not in document
    entry = FORMATS["json"]
    with pytest.raises(FormatError, match="holds more than 1,000 bytes"):
        cr.load(document, max_bytes=1000)
    assert entry.most_bytes == 1 << 28
    monkeypatch.setattr(text, "LONGEST_LINE", 100)
    assert cr.load(document).shape == (300_000, 0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cross_table", b'a,b\n"' + b"x\n" * (1 << 22)),
        ("pairs", b'a,b\n"' + b"x\n" * (1 << 22)),
        ("baskets", b'a,b\n"' + b"x\n" * (1 << 22)),
        ("cross_table", b"\n" * (1 << 22)),
        ("pairs", b"a,b\n" + b"\n" * (1 << 22) + b"c,d\n"),
        ("json", b"[" * (1 << 22)),
        ("json", b'{"a":' * (1 << 20)),
        ("json", b'{"objects": [' + b"1," * (1 << 20)),
        ("oal", b"a:" + b";" * (1 << 22)),
        ("colibri", b"a:" + b" b" * (1 << 20)),
        ("rcf", b"[Relational Context]\n\n[Binary Relation]\n\n" + b"|" * (1 << 20) + b"\n"),
    ],
)
def test_nothing_takes_more_than_its_time(name, content):
    _, peak = measured(lambda: cr.load(content, format=name))
    assert peak < 30 * len(content) + (64 << 20)


@pytest.mark.parametrize("head", [b"\n" * 70_000, b"#\n" * 40_000, b" " * 70_000, b'"' * 70_000])
@pytest.mark.parametrize("extra", [b"", b"graph", b"<!--", b"<?" * 10_000, b"[" * 10_000])
def test_looking_at_a_head_takes_no_time(head, extra):
    begin = time.process_time()
    for entry in io.formats():
        entry.sniff(head + extra)
        entry.sniff(extra + head)
    assert time.process_time() - begin < 60


WITH_NAMES = sorted(
    name for name in SAMPLES if SAMPLES[name].format in TEXT and "dog" in SAMPLES[name].text
)


@pytest.mark.parametrize("name", [*WITH_NAMES, "spmf", "baskets"])
def test_another_encoding_is_named_with_its_line(name):
    sample = SAMPLES[name]
    word = "dog" if "dog" in sample.text else "has fur"
    damaged = sample.text.replace(word, "Bär", 1)
    with pytest.raises(FormatError) as caught:
        cr.load(damaged.encode("latin-1"), format=sample.format)
    line = damaged[: damaged.index("Bär")].count("\n") + 1
    assert caught.value.line == line
    assert "byte 0xe4 in column" in caught.value.reason
    assert caught.value.hint.startswith("save the file as UTF-8, or give its encoding")
    whole = sample.text.replace(word, "Bär")
    found = cr.load(whole.encode("latin-1"), format=sample.format, encoding="latin-1")
    assert found == cr.load(whole.encode(), format=sample.format)


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"cex", "galicia"}))
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_encodings_are_named(name, encoding):
    for chosen in (name, None):
        with pytest.raises(FormatError) as caught:
            cr.load(SAMPLES[name].text.encode(encoding), format=chosen)
        if chosen:
            assert caught.value.reason == f"is {encoding.upper()} text, expected UTF-8"


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_packed_file_that_ends_early_gives_no_context(name, share):
    sample = SAMPLES[name]
    for codec in compression.CODECS:
        packed = codec.compress(sample.data)
        with pytest.raises(FormatError):
            cr.load(packed[: int(len(packed) * share)], format=sample.format)


WITH_AN_END = ["burmeister", "slf", "rcf", "cex", "galicia"]
WITH_AN_END += ["json", "json_conexp", "json_fcaps", "anonymous", "galicia 3", "json_conexp old"]


@pytest.mark.parametrize("name", WITH_AN_END)
def test_a_cut_off_file_never_gives_another_context(name):
    sample = SAMPLES[name]
    for end in range(len(sample.data)):
        try:
            found = cr.load(sample.data[:end], format=sample.format)
        except FormatError:
            continue
        assert found == sample.context
        assert not sample.data[end:].strip()


BOMBS = {
    "csv.gz, commas": b"," * compression.HARMLESS_BYTES,
    "csv.gz, rows of commas": (b"," * 999 + b"\n") * (compression.HARMLESS_BYTES // 1000),
    "cex.gz, empty elements": b"<ConceptualSystem>" + b"<a/>" * (1 << 18),
    "json.gz, empty lists": b'{"a": [' + b"[]," * 500_000 + b"[]]}",
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_unpacks_to_the_allowance_takes_a_bounded_multiple_of_it(name):
    packed = gzip.compress(BOMBS[name], compresslevel=1)
    _, peak = measured(lambda: cr.load(packed, format=name.split(".")[0]))
    assert peak < 64 * len(BOMBS[name])


EMPTY_LINES = """
import gzip, resource, sys, warnings
import conceptrank as cr
def peak(): return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
warnings.simplefilter("ignore")
cr.load(b"1 2\\n2 3\\n3 7 8\\n", format="fimi")
packed, before = gzip.compress(bytes([10]) * 2_000_000), peak()
for name in ("fimi", "spmf"):
    repr(cr.load(packed, format=name))
print((peak() - before) / 2_000_000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_empty_lines_are_objects_of_a_bounded_size():
    """Few bytes of a compressed file are millions of objects, whose names are numbers."""
    run = subprocess.run(
        [sys.executable, "-c", EMPTY_LINES], capture_output=True, text=True, check=True
    )
    assert float(run.stdout) < 64


@pytest.mark.parametrize("read", [cr.load, lambda path: read_table(path, format="csv")])
def test_a_row_of_millions_of_fields_is_not_looked_at(read, tmp_path):
    """A file is looked at in several ways; each column would take 300 bytes in one of them."""
    path = tmp_path / "commas.csv.gz"
    text = b"," * (4 << 20)
    path.write_bytes(gzip.compress(text))
    error, peak = measured(lambda: read(path))
    assert "columns" in error.reason or "fields" in error.reason
    assert peak < 64 * len(text)


def test_what_unpacks_to_more_than_the_allowance_is_refused():
    packed = gzip.compress(bytes(2 * compression.HARMLESS_BYTES))
    error, peak = measured(lambda: cr.load(packed, format="fimi"))
    assert error.reason
    assert peak < 4 * compression.HARMLESS_BYTES


LONG_ROWS = b"order_id,sku\n1,tea\n1,milk\n" + b"2,%b\n" % (b"a" * 60) * 300_000
LOADS = {
    "detected": {},
    "scaled": {"scale": "auto"},
    "pairs": {"format": "pairs"},
    "named columns": {"transaction_id": "order_id", "item": "sku"},
}


@pytest.fixture(scope="module")
def packed_rows(tmp_path_factory):
    """A folder with a CSV file that unpacks to more than 200 times its size."""
    folder = tmp_path_factory.mktemp("packed")
    packed = gzip.compress(LONG_ROWS)
    assert len(LONG_ROWS) > max(compression.HARMLESS_BYTES, compression.MOST_RATIO * len(packed))
    (folder / "rows.csv.gz").write_bytes(packed)
    return folder


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (source, name)
        for source in ("path", "folder", "bytes")
        for name in LOADS
        if (source, name) != ("folder", "pairs")  # Folders have no format.
    ],
)
@pytest.mark.filterwarnings("ignore::conceptrank.errors.InputWarning")
def test_every_way_to_load_a_text_has_the_same_limit(packed_rows, source, name):
    path = packed_rows / "rows.csv.gz"
    table = {"path": path, "folder": packed_rows, "bytes": path.read_bytes()}[source]
    with pytest.raises(compression.UnpackedSizeError, match="more than 200 times its size"):
        cr.load(table, **LOADS[name])
    with pytest.raises(FormatError, match="more than 1,000 bytes"):
        cr.load(table, **LOADS[name], max_bytes=1000)
    assert cr.load(table, **LOADS[name], max_bytes=len(LONG_ROWS)).shape[0] > 1


@pytest.mark.parametrize(
    "read",
    [
        cr.Context.from_transactions,
        cr.runs.pack_transactions,
        lambda path, **limit: read_table(path, format="csv", **limit),
    ],
)
def test_other_readers_of_text_have_the_same_limit(packed_rows, read):
    path = packed_rows / "rows.csv.gz"
    with pytest.raises(compression.UnpackedSizeError, match="more than 200 times its size"):
        read(path)
    with pytest.raises(FormatError, match="more than 1,000 bytes"):
        read(path, max_bytes=1000)
    assert read(path, max_bytes=len(LONG_ROWS)) is not None


@pytest.mark.filterwarnings("ignore::conceptrank.errors.InputWarning")
def test_mining_into_a_folder_takes_the_limit(packed_rows, tmp_path):
    for source in (packed_rows, packed_rows / "rows.csv.gz"):
        with pytest.raises(FormatError, match="more than 1,000 bytes"):
            cr.runs.mine(source, tmp_path / "run", workers=1, max_bytes=1000)


def test_a_key_that_comes_again_and_again_is_found_at_once():
    # Comparing every key with all before it would take hours.
    keys = ", ".join(f'"k{k}": 1' for k in range(300_000))
    error, _ = measured(lambda: cr.load(f'{{"objects": [], {keys}, "k9": 1}}'.encode()))
    assert "the key 'k9' occurs twice" in error.reason


def test_many_columns_of_arff_take_a_bounded_amount_of_memory():
    q = 800
    head = "@relation r\n" + "".join(f"@attribute a{m} string\n" for m in range(q)) + "@data\n"
    rows = (",".join(["'x'"] * q) + "\n") * 200
    tracemalloc.start()
    frame = read_table((head + rows).encode(), format="arff")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert frame.shape == (200, q)
    assert peak < 64 * len(head + rows)


class TestBudgets:
    """A budget ends reading between two pieces of a text, batches of rows, or decoding."""

    @pytest.fixture
    def ends_soon(self, monkeypatch):
        """A budget that ends when it is asked for the third time."""
        asked = []

        def interrupted(self):
            asked.append(True)
            if len(asked) >= 3:
                self.stopped = "cancelled"
            return bool(self.stopped)

        monkeypatch.setattr(Watch, "interrupted", interrupted)

    @pytest.mark.parametrize("name", ["fimi", "baskets", "spmf", "pairs"])
    def test_ends_texts(self, name, ends_soon):
        line = {"pairs": b"cat,purrs\ncat,flies\n", "spmf": b"1 2 3\n"}.get(name, b"4 5 6\n")
        content = line * (5_000_000 // len(line))
        with pytest.raises(BudgetExceeded), watched(Budget()):
            cr.load(content, format=name)

    def test_ends_databases(self, tmp_path, ends_soon):
        path = tmp_path / "many.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("create table pets (pet text)")
            connection.executemany("insert into pets values (?)", [("cat",)] * 50_000)
        with pytest.raises(BudgetExceeded), watched(Budget()):
            read_table(path)
