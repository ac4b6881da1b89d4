"""Columns of values in tables: each is a document of its own, and the rest keeps its bytes."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.formats import FORMATS, BadRecord, Fields, FormatError, Record
from incognote.formats.column_plan import parse_rules
from incognote.formats.container import Table
from incognote.formats.json_object import Object, splice

ALL = frozenset({"DATE", "MEDICALRECORD", "AGE"})


def rewritten(path: Path, fields: Fields, new: dict[str, str], format: str) -> Path:
    """The table with each value for which there is another one replaced."""
    kind = FORMATS[format]
    assert isinstance(kind, Table)
    target = path.with_name(f"out{path.suffix}")
    with closing(kind.open(path, fields)) as source:
        sink = kind.sink(target, source)
        for record in source.records():
            if isinstance(record, BadRecord):
                raise record.error
            after = tuple(
                replace(each, text=new.get(each.text, each.text)) for each in record.documents
            )
            sink.write(record, kind.written(record, after))
        sink.close()
    return target


def read(path: Path, fields: Fields, format: str) -> list[Record]:
    with closing(FORMATS[format].open(path, fields)) as source:
        return [record for record in source.records() if isinstance(record, Record)]


# CSV

cells = st.text(st.sampled_from('ab,"\n é;0 '), max_size=6)
rows = st.lists(st.tuples(cells, cells, cells, cells), min_size=1, max_size=6)


def table(lines: list[tuple[str, ...]], delimiter: str, end: str, quoted: bool) -> str:
    buffer = io.StringIO()
    writer = csv.writer(
        buffer,
        delimiter=delimiter,
        lineterminator=end,
        quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL,
    )
    writer.writerow(["note", "ssn", "name", "rest"])
    writer.writerows(lines)
    return buffer.getvalue()


@settings(deadline=None, max_examples=60)
@given(
    rows,
    st.sampled_from(",;\t"),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_every_value_is_replaced_and_dropped_columns_are_gone(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[tuple[str, ...]],
    delimiter: str,
    end: str,
    quoted: bool,
    encoding: str,
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    path = folder / "in.csv"
    path.write_bytes(table(lines, delimiter, end, quoted).encode(encoding))
    fields = Fields(("note",), column=parse_rules(["name=PATIENT", "ssn=drop"]), encoding=encoding)
    records = read(path, fields, "csv")
    values = {d.text for record in records for d in record.documents if d.value_type}
    out = rewritten(path, fields, dict.fromkeys(values, "[X]"), "csv")
    data = out.read_bytes()
    assert data.startswith(path.read_bytes()[:2]) or encoding != "utf-16"
    parsed = list(csv.reader(io.StringIO(data.decode(encoding), ""), delimiter=delimiter))
    old = list(csv.reader(io.StringIO(path.read_bytes().decode(encoding), ""), delimiter=delimiter))
    assert parsed[0] == ["note", "name", "rest"]
    for before, after in zip(old[1:], parsed[1:], strict=True):
        name = "[X]" if before[2].strip() else before[2]
        note = "[X]" if before[0] in values else before[0]
        assert after == [note, name, before[3]]


def test_what_is_not_planned_keeps_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(b'\xef\xbb\xbfnote,"ssn",name,x\r\n"a ""b""",1,Ann,"q"\r\n\r\n,"2",  ,\n')
    fields = Fields(("note",), column=parse_rules(["name=PATIENT", "ssn=drop"]))
    out = rewritten(path, fields, {"Ann": 'B,"'}, "csv").read_bytes()
    assert out == b'\xef\xbb\xbfnote,name,x\r\n"a ""b""","B,""","q"\r\n\r\n,  ,\n'


def test_a_row_whose_only_field_is_empty_is_no_blank_line(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(b"a,b\n1,\n2,x\n")
    out = rewritten(path, Fields(drop=("a",), no_text=True), {}, "csv")
    assert out.read_bytes() == b'b\n""\nx\n'


def test_a_row_is_known_to_its_notes_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text('id,note,last,first,mrn\n7,seen, OKAFOR ,Ngozi,"44120.0"\n')
    rules = parse_rules(["last=PATIENT", "first=PATIENT", "mrn=MEDICALRECORD"])
    (_, record) = read(path, Fields(("note",), column=rules), "csv")
    note, *values = record.documents
    assert note.known[0] == ("PATIENT", "Ngozi OKAFOR")
    assert ("MEDICALRECORD", "44120") in note.known
    assert [(value.id, value.text, value.value_type) for value in values] == [
        ("7/last", " OKAFOR ", "PATIENT"),
        ("7/first", "Ngozi", "PATIENT"),
        ("7/mrn", "44120.0", "MEDICALRECORD"),
    ]
    assert record.notes == (note,)
    assert {value.row for value in values} == {note.row}


@pytest.mark.parametrize("rule", ["nmae=PATIENT", "nmae=keep", "nmae=drop"])
def test_a_column_that_is_not_there_is_an_error(tmp_path: Path, rule: str) -> None:
    path = tmp_path / "in.csv"
    path.write_text("note,name\nx,Ann\n")
    with pytest.raises(FormatError, match="there is no column 'nmae'"):
        read(path, Fields(("note",), column=parse_rules([rule])), "csv")


@pytest.mark.parametrize(
    ("name", "table"),
    [("csv", "mrn,name\n1,Ann\n"), ("jsonl", '{"mrn": 1, "name": "Ann"}\n')],
)
def test_a_table_without_notes_is_one_only_where_that_is_said(
    tmp_path: Path, name: str, table: str
) -> None:
    path = tmp_path / f"in.{name}"
    path.write_text(table)
    rules = parse_rules(["name=PATIENT"])
    records = read(path, Fields(column=rules, no_text=True), name)
    assert [each.text for each in records[-1].documents] == ["Ann"]
    for fields in (Fields(column=rules), Fields(drop=("mrn",))):
        with (
            pytest.raises(FormatError, match=r"no .* 'text'.*say --no-text"),
            closing(FORMATS[name].open(path, fields)) as source,
        ):
            raise next(each.error for each in source.records() if isinstance(each, BadRecord))


def test_a_field_of_text_is_searched_wherever_nothing_else_is_planned_for_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "in.csv"
    path.write_text("mrn,name,text\n1,Ann,seen\n")
    for no_text in (False, True):
        fields = Fields(column=parse_rules(["name=PATIENT"]), no_text=no_text)
        (_, record) = read(path, fields, "csv")
        assert [each.text for each in record.documents] == ["seen", "Ann"]


# JSON lines

scalars = st.one_of(
    st.none(), st.integers(0, 10**9), st.text(st.sampled_from('ab" \\é0'), max_size=6)
)
spaces = st.sampled_from(["", " "])


@settings(deadline=None, max_examples=80)
@given(
    st.permutations(["note", "name", "mrn", "ssn", "x", "y"]),
    st.dictionaries(st.sampled_from(["name", "mrn", "ssn", "x", "y"]), scalars),
    spaces,
    spaces,
    st.booleans(),
)
def test_a_line_keeps_all_but_what_is_planned(
    tmp_path_factory: pytest.TempPathFactory,
    order: list[str],
    values: dict[str, Any],
    before: str,
    after: str,
    ascii: bool,
) -> None:
    own: dict[str, Any] = {"note": "n", **values}
    pairs = [(key, own[key]) for key in order if key in own]
    spell = [f'"{key}"{before}:{after}{json.dumps(v, ensure_ascii=ascii)}' for key, v in pairs]
    path = tmp_path_factory.mktemp("jsonl") / "in.jsonl"
    path.write_text(f"{{{after}{f'{before},{after}'.join(spell)}{before}}}\n", encoding="utf-8")
    rules = parse_rules(["name=PATIENT", "mrn=MEDICALRECORD", "ssn=drop"])
    fields = Fields(("note",), column=rules, typed=ALL)
    (record,) = read(path, fields, "jsonl")
    planned = {each.text for each in record.documents if each.value_type}
    out = rewritten(path, fields, dict.fromkeys(planned, "77"), "jsonl").read_text("utf-8")
    result = json.loads(out)
    assert list(result) == [key for key, _ in pairs if key != "ssn"]
    for key, value in pairs:
        if key in ("x", "y", "note"):
            assert result[key] == value
            assert spell[[k for k, _ in pairs].index(key)] in out
        elif key != "ssn":
            blank = value is None or not str(value).strip()
            number = key == "mrn" and isinstance(value, int)
            assert result[key] == (value if blank else 77 if number else "77")


def test_each_field_of_a_line_is_looked_at_once() -> None:
    class Asked(frozenset[str]):
        times = 0

        def __contains__(self, name: object) -> bool:
            Asked.times += 1
            return super().__contains__(name)

    names = [f"f{number}" for number in range(500)]
    line = Object.parse(json.dumps(dict.fromkeys(names, 1)))
    edits = line.removals(Asked(names))
    assert splice(line.raw, edits) == "{}"
    assert Asked.times == len(names)


def test_a_number_stays_one_where_fakes_are(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"age": 95, "mrn": 5}\n')
    rules = parse_rules(["age=AGE", "mrn=MEDICALRECORD"])
    new = {"95": "90+", "5": "[MEDICALRECORD]"}
    typed = rewritten(path, Fields(column=rules, no_text=True, typed=ALL), new, "jsonl")
    assert typed.read_text() == '{"age": 90, "mrn": null}\n'
    plain = rewritten(path, Fields(column=rules, no_text=True), new, "jsonl")
    assert plain.read_text() == '{"age": "90+", "mrn": "[MEDICALRECORD]"}\n'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"name": {"first": "Ann"}}', "neither a string nor a number"),
        ('{"name": "a", "name": "b"}', "occurs twice"),
        ('{"ssn": "a", "ssn": "b"}', "occurs twice"),
    ],
)
def test_what_cannot_be_planned_is_no_record(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(line + "\n")
    fields = Fields(column=parse_rules(["name=PATIENT", "ssn=drop"]), no_text=True)
    with closing(FORMATS["jsonl"].open(path, fields)) as source:
        (bad,) = source.records()
    assert isinstance(bad, BadRecord)
    assert words in bad.error.reason


def test_the_marks_of_a_note_are_no_column(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "a"}\n')
    with pytest.raises(FormatError, match="holds the marks of a note"):
        FORMATS["jsonl"].open(path, Fields(("text",), drop=("spans",)))


# Parquet

TABLE = pa.table(
    {
        "mrn": pa.array([412345, None], pa.int32()),
        "float": pa.array([412345.0, float("nan")]),
        "dob": pa.array([dt.date(1958, 3, 14), None]),
        "day": pa.array([dt.date(1958, 3, 14), None], pa.date64()),
        "seen": pa.array([1552559400123456789, None], pa.timestamp("ns", "UTC")),
        "age": pa.array([95, None], pa.int8()),
        "name": pa.array(["Ann", None]).dictionary_encode(),
        "ssn": ["1", "2"],
        "x": pa.array([[1], None]),
    }
)
RULES = [
    "mrn=MEDICALRECORD",
    "float=MEDICALRECORD",
    "dob=DATE",
    "day=DATE",
    "seen=DATE",
    "age=AGE",
    "name=PATIENT",
    "ssn=drop",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pq.write_table(TABLE, tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


def test_columns_keep_their_types_where_fakes_are_of_the_kind(path: Path) -> None:
    new = {
        "412345": "4294967295",
        "1958-03-14": "1958-03-24",
        "2019-03-14": "2019-03-04",
        "95": "90+",
        "Ann": "Eve",
    }
    fields = Fields(column=parse_rules(RULES), no_text=True, typed=ALL)
    out = pq.read_table(rewritten(path, fields, new, "parquet"))
    assert out.schema.names == [name for name in TABLE.schema.names if name != "ssn"]
    types = {name: out.schema.field(name).type for name in out.schema.names}
    expected = {name: TABLE.schema.field(name).type for name in types}
    assert types == {**expected, "mrn": pa.int64(), "name": pa.string(), "day": pa.date32()}
    first = {name: out.column(name)[0] for name in types}
    assert first["mrn"].as_py() == first["float"].as_py() == 4294967295
    assert first["dob"].as_py() == first["day"].as_py() == dt.date(1958, 3, 24)
    assert first["seen"].value == 1552559400123456789 - 10 * 86_400 * 10**9
    assert (first["age"].as_py(), first["name"].as_py(), first["x"].as_py()) == (90, "Eve", [1])
    assert all(out.column(name)[1].as_py() is None for name in types if name != "float")


def test_else_they_become_texts_whatever_their_values(path: Path) -> None:
    fields = Fields(column=parse_rules(RULES), no_text=True)
    out = pq.read_table(rewritten(path, fields, {"1958-03-14": "[DATE]"}, "parquet"))
    assert {str(out.schema.field(name).type) for name in ("mrn", "dob", "seen", "age")} == {
        "string"
    }
    row = out.to_pylist()[0]
    assert (row["mrn"], row["float"], row["dob"], row["age"]) == (
        "412345",
        "412345",
        "[DATE]",
        "95",
    )


def test_what_a_typed_column_cannot_hold_is_null(path: Path) -> None:
    fields = Fields(column=parse_rules(RULES), no_text=True, typed=ALL)
    new = {"1958-03-14": "[DATE]", "412345": "9" * 30, "95": "[AGE]"}
    out = pq.read_table(rewritten(path, fields, new, "parquet"))
    row = out.drop_columns("seen").to_pylist()[0]
    assert row["dob"] is row["mrn"] is row["age"] is None


def test_a_run_that_stopped_goes_on_with_the_same_types(path: Path) -> None:
    fields = Fields(column=parse_rules(RULES), no_text=True, typed=ALL)
    parquet, target = FORMATS["parquet"], path.with_name("out.parquet")
    with closing(parquet.open(path, fields)) as source:
        first, second = (each for each in source.records() if isinstance(each, Record))
        sink = parquet.sink(target, source)
        sink.write(first, first.documents)
        state = sink.checkpoint()
        sink.release()
        sink = parquet.sink(target, source, state)
        sink.write(second, second.documents)
        sink.close()
    out = pq.read_table(target)
    assert out.num_rows == 2
    assert out.column("dob").to_pylist() == TABLE.column("dob").to_pylist()


def test_string_views_are_read_as_strings(tmp_path: Path) -> None:
    views = pa.array(["seen", "Ann"], pa.string_view())
    pq.write_table(pa.table({"note": views, "name": views, "x": views}), tmp_path / "in.parquet")
    fields = Fields(("note",), column=parse_rules(["name=PATIENT"]), typed=ALL)
    out = pq.read_table(rewritten(tmp_path / "in.parquet", fields, {"Ann": "Eve"}, "parquet"))
    assert out.to_pylist() == [
        {"note": "seen", "name": "seen", "x": "seen"},
        {"note": "Eve", "name": "Eve", "x": "Ann"},
    ]
    nested = pa.table({"note": views, "x": pa.array([["a"], []], pa.list_(pa.string_view()))})
    pq.write_table(nested, tmp_path / "nested.parquet")
    with pytest.raises(FormatError, match="string views within list"):
        FORMATS["parquet"].open(tmp_path / "nested.parquet", Fields(("note",)))


def test_a_whole_decimal_is_read_without_its_fraction(tmp_path: Path) -> None:
    ages = pa.array([Decimal("101.00"), Decimal("62.50")], pa.decimal128(6, 2))
    pq.write_table(pa.table({"age": ages}), tmp_path / "in.parquet")
    fields = Fields(column=parse_rules(["age=AGE"]), typed=ALL, no_text=True)
    first, second = read(tmp_path / "in.parquet", fields, "parquet")
    assert [each.documents[0].text for each in (first, second)] == ["101", "62.50"]
    out = pq.read_table(rewritten(tmp_path / "in.parquet", fields, {"101": "90+"}, "parquet"))
    assert out.column("age").to_pylist() == [Decimal("90.00"), Decimal("62.50")]


def test_a_nested_column_is_refused(path: Path) -> None:
    with pytest.raises(FormatError, match="not single values"):
        FORMATS["parquet"].open(path, Fields(column=parse_rules(["x=PATIENT"]), no_text=True))
