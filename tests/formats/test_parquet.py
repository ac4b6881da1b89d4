"""Parquet: the text columns change, the rest of the table does not."""

from __future__ import annotations

import builtins
import datetime
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from formats.note_strategies import good, pass_through, records

from incognote.document import Document
from incognote.formats import FORMATS, BadRecord, Fields, FormatError, Record

PARQUET = FORMATS["parquet"]
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("note", pa.large_string(), metadata={"unit": "x"}),
        pa.field("other", pa.string()),
        pa.field("when", pa.timestamp("ns", "UTC")),
        pa.field("tags", pa.list_(pa.struct([("a", pa.decimal128(8, 2))]))),
        pa.field("kind", pa.dictionary(pa.int8(), pa.string())),
    ],
    metadata={"pandas": "{}", "made": "by hand"},
)


def put(path: Path, rows: int = 10) -> None:
    when = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    table = pa.Table.from_pydict(
        {
            "id": list(range(rows)),
            "note": [None if row % 5 == 3 else f"Ann {row}" for row in range(rows)],
            "other": ["é"] * rows,
            "when": [when] * rows,
            "tags": [[{"a": 1}], None] * (rows // 2),
            "kind": ["k", None] * (rows // 2),
        },
        SCHEMA,
    )
    pq.write_table(table, path, row_group_size=4, compression="zstd")


def test_only_the_texts_change(tmp_path: Path) -> None:
    path, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    put(path)
    table = pq.read_table(path)
    fields = Fields(("note",), known={"other": "IDNUM"}, patient="kind")
    found = good(PARQUET, path, fields)
    assert [len(record.documents) for record in found] == [1, 1, 1, 0, 1] * 2
    (first,) = found[0].documents
    assert (first.id, first.text, first.patient) == ("0", "Ann 0", "k")
    assert first.known == (("IDNUM", "é"),)
    change = {str(row): Document(str(row), f"[P] {row}") for row in range(0, 10, 2)}
    pass_through(PARQUET, path, out, change, fields)
    back = pq.read_table(out)
    assert back.schema.equals(table.schema, check_metadata=True)
    assert back.drop_columns("note").equals(table.drop_columns("note"))
    notes = [
        None if row % 5 == 3 else f"[P] {row}" if row % 2 == 0 else f"Ann {row}"
        for row in range(10)
    ]
    assert back.column("note").to_pylist() == notes
    assert pq.ParquetFile(out).metadata.row_group(0).column(0).compression == "ZSTD"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]


@pytest.mark.parametrize("stop", range(11))
def test_continues_where_it_stopped(stop: int, tmp_path: Path) -> None:
    path, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    put(path)
    fields = Fields(("note",))
    with closing(PARQUET.open(path, fields)) as source:
        sink = PARQUET.sink(out, source)
        state = sink.checkpoint()
        for count, record in enumerate(source.records()):
            assert isinstance(record, Record)
            if count == stop:
                state = sink.checkpoint()
            sink.write(record, record.documents)
        if stop == 10:
            state = sink.checkpoint()
    with closing(PARQUET.open(path, fields)) as source:
        sink = PARQUET.sink(out, source, state)
        for record in source.records(stop):
            assert isinstance(record, Record)
            sink.write(record, record.documents)
        sink.close()
    assert pq.read_table(out).equals(pq.read_table(path))


def test_an_empty_table_and_an_abort(tmp_path: Path) -> None:
    path, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    put(path, 0)
    pass_through(PARQUET, path, out, fields=Fields(("note",)))
    assert pq.read_table(out).schema.equals(pq.read_schema(path), check_metadata=True)
    with closing(PARQUET.open(path, Fields(("note",)))) as source:
        PARQUET.sink(tmp_path / "x.parquet", source).abort()
    assert not list(tmp_path.glob("x*"))


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    array = pa.array([b"a", b"\xff", b"c"]).view(pa.string())
    pq.write_table(pa.table({"text": array}), tmp_path / "in.parquet")
    one, bad, three = records(PARQUET, tmp_path / "in.parquet")
    assert isinstance(bad, BadRecord)
    assert str(bad.error) == "row 2, column 'text': not valid UTF-8"
    assert isinstance(one, Record)
    assert isinstance(three, Record)
    assert [one.documents[0].text, three.documents[0].id] == ["a", "3"]


def test_bad_files_get_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    put(path)
    with pytest.raises(FormatError, match="no column 'text'; the columns are id, note"):
        PARQUET.open(path, Fields())
    with pytest.raises(FormatError, match="the column 'id' holds int64, not strings"):
        PARQUET.open(path, Fields(("id",)))
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(FormatError, match="not a Parquet file, or a damaged one"):
        PARQUET.open(path, Fields())
    with pytest.raises(FormatError, match="cannot be read"):
        PARQUET.open(tmp_path / "absent.parquet", Fields())


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return original(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FormatError, match=r"incognote\[tables\]"):
        PARQUET.open(tmp_path / "in.parquet", Fields())


def test_times_that_python_does_not_have_are_read_or_refused_without_their_value(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.parquet"
    days = pa.array([0, 3_000_000, -(2**31), None], pa.int32())
    nanoseconds = pa.array([0, 1, 326_592_000_000_000_000, None], pa.int64())
    seconds = pa.array([0, 2**45, -(2**45), None], pa.int64())
    table = pa.table(
        {
            "text": ["a"] * 4,
            "day": days.cast(pa.date32()),
            "born": nanoseconds.cast(pa.timestamp("ns")),
            "seen": seconds.cast(pa.timestamp("s")),
            "zone": nanoseconds.cast(pa.timestamp("ns", "UTC")),
        }
    )
    pq.write_table(table, path)
    for column in ("day", "born", "seen", "zone"):
        for fields in (
            Fields(known={column: "DATE"}),
            Fields(patient=column),
            Fields(id=column),
        ):
            first, *_, last = records(PARQUET, path, fields)
            assert isinstance(first, Record)
            assert isinstance(last, Record)
            assert last.documents[0].known == ()
    found = good(PARQUET, path, Fields(known={"born": "DATE"}))
    assert [record.documents[0].known for record in found] == [
        (("DATE", "1970-01-01 00:00:00"),),
        (("DATE", "1970-01-01 00:00:00.000000001"),),
        (("DATE", "1980-05-08 00:00:00"),),
        (),
    ]


def test_the_names_of_a_structs_fields_are_not_told(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    nested = pa.array([{"Okafor": 1}], pa.struct([("Okafor", pa.int64())]))
    pq.write_table(pa.table({"text": nested, "note": ["a"]}), path)
    for fields in (Fields(), Fields(("note",), known={"text": "DATE"}), Fields(("note",), "text")):
        with pytest.raises(FormatError, match="the column 'text' holds struct, not") as refused:
            PARQUET.open(path, fields)
        assert "Okafor" not in str(refused.value)


def test_a_name_that_is_not_utf8_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t\udce9.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(FormatError, match="the name of the file is not UTF-8"):
        PARQUET.open(path, Fields())
