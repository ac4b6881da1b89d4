"""Splits: nobody in two parts, everybody in one, sizes as asked."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from corpus.corpus_files import inline_folder, jsonl_file, tree
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.corpus.source import CorpusError, RefusedError, Source
from incognote.corpus.split import (
    Group,
    PatientOf,
    Ratio,
    Split,
    assign,
    patient_from_field,
    patient_from_folder,
    patient_from_pattern,
    shares,
    split,
    write_parts,
)
from incognote.document import Document
from incognote.formats import Fields, read, write

RATIO = Ratio.parse("50:10:40")
ratios = st.lists(st.integers(1, 90), min_size=2, max_size=3).map(
    lambda parts: tuple(map(Fraction, parts))
)
group_lists = st.lists(
    st.tuples(
        st.integers(1, 6), st.dictionaries(st.sampled_from("ABCDE"), st.integers(1, 4), max_size=4)
    ),
    min_size=1,
    max_size=40,
).map(lambda groups: [Group(f"g{n}", size, types) for n, (size, types) in enumerate(groups)])


@given(st.integers(0, 500), ratios)
def test_shares_add_up_and_are_within_one_of_the_ratio(
    total: int, ratio: tuple[Fraction, ...]
) -> None:
    whole = shares(total, ratio)
    assert sum(whole) == total
    for got, part in zip(whole, ratio, strict=True):
        assert abs(got - total * part / sum(ratio)) < 1


@settings(deadline=None)
@given(group_lists, ratios, st.integers(0, 5), st.booleans(), st.randoms(use_true_random=False))
def test_parts_are_disjoint_exhaustive_and_in_the_ratio(
    groups: list[Group], ratio: tuple[Fraction, ...], seed: int, stratify: bool, random: Random
) -> None:
    parts = assign(groups, ratio, seed, stratify=stratify)
    assert parts.keys() == {group.key for group in groups}
    sizes: Counter[int] = Counter()
    for group in groups:
        sizes[parts[group.key]] += group.size
    having = Counter(parts.values())
    assert len(having) == min(len(groups), len(ratio))
    largest = max(group.size for group in groups)
    bound = largest if min(having.values()) > 1 else 2 * largest  # one may have been empty
    for part, share in enumerate(shares(sum(sizes.values()), ratio)):
        assert sizes[part] - share < bound
        if not stratify or largest == 1:
            assert abs(sizes[part] - share) < bound
    shuffled = list(groups)
    random.shuffle(shuffled)
    assert assign(shuffled, ratio, seed, stratify=stratify) == parts


def test_stratifying_gives_rare_types_to_every_part() -> None:
    groups = [
        Group(f"n{n:03}", 1, {"DATE": 1 + n % 3, **({"SSN": 1} if n % 10 == 0 else {})})
        for n in range(100)
    ]
    ratio = RATIO.sizes
    for seed in range(5):
        parts = assign(groups, ratio, seed, stratify=True)
        rare = Counter(parts[group.key] for group in groups if "SSN" in group.types)
        assert [rare[part] for part in range(3)] == [5, 1, 4]
        assert [Counter(parts.values())[part] for part in range(3)] == [50, 10, 40]
        dates: Counter[int] = Counter()
        for group in groups:
            dates[parts[group.key]] += group.types["DATE"]
        for part, share in enumerate((0.5, 0.1, 0.4)):
            assert abs(dates[part] / dates.total() - share) < 0.03


def test_another_seed_is_another_split() -> None:
    groups = [Group(f"n{n}", 1, {}) for n in range(40)]
    assert assign(groups, RATIO.sizes, 0) != assign(groups, RATIO.sizes, 1)


def split_corpus(
    path: Path, patient: PatientOf | None = None, fields: Fields | None = None
) -> Split:
    return split(Source(path, None, fields or Fields()), RATIO, patient=patient)


def check_patients(result: Split, expected: int) -> None:
    parts_of: dict[str | None, set[int]] = {}
    for unit, part in zip(result.units, result.part_of, strict=True):
        parts_of.setdefault(unit.patient, set()).add(part)
    assert len(parts_of) == expected
    assert all(len(parts) == 1 for parts in parts_of.values())


def test_no_patient_is_in_two_parts(tmp_path: Path) -> None:
    names = [f"{patient}-{note:02}" for patient in range(100, 120) for note in range(1, 4)]
    inline_folder(tmp_path / "flat", dict.fromkeys(names, "[[DATE|May 2]]"))
    result = split_corpus(tmp_path / "flat", patient_from_pattern(r"(\d+)-\d+"))
    check_patients(result, 20)
    assert [len(result.units_of(part)) for part in range(3)] == [30, 6, 24]

    inline_folder(tmp_path / "deep", {name.replace("-", "/"): "x" for name in names})
    check_patients(split_corpus(tmp_path / "deep", patient_from_folder()), 20)

    rows = [(name, "x") for name in names]
    mrns = [name.split("-")[0] for name in names]
    table = jsonl_file(tmp_path / "rows.jsonl", rows, mrn=mrns)
    check_patients(split_corpus(table, patient_from_field, Fields(patient="mrn")), 20)


def test_files_are_copied_byte_for_byte(tmp_path: Path) -> None:
    notes = {f"ward {n % 2}/n{n}": f"\ufeff note {n}\r\n[[DATE|May 2]]\r" for n in range(10)}
    corpus = inline_folder(tmp_path / "in", notes)
    write_parts(split_corpus(corpus), tmp_path / "out")
    files = tree(tmp_path / "out")
    assert {name.split("/", 1)[1]: data for name, data in files.items()} == tree(corpus)
    assert Counter(name.split("/")[0] for name in files) == {
        "train": 5,
        "validation": 1,
        "test": 4,
    }


def test_pairs_of_files_stay_together(tmp_path: Path) -> None:
    for n in range(10):
        path = tmp_path / "in" / f"n{n}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("May 2")
        path.with_suffix(".ann").write_text("T1\tDATE 0 5\tMay 2\nR1\tx Arg1:T1\n")
    write_parts(split_corpus(tmp_path / "in"), tmp_path / "out")
    assert len(tree(tmp_path / "out")) == 20
    assert len(list(read(tmp_path / "out" / "train", "brat"))) == 5


@pytest.mark.parametrize("name", ["notes.csv", "notes.csv.gz"])
def test_tables_keep_header_and_rows(tmp_path: Path, name: str) -> None:
    rows = [f'{n:03},"a, {n}\n",007,\r\n'.encode() for n in range(10)]
    data = b"id,text,code,empty\r\n" + b"".join(rows)
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    write_parts(split_corpus(path), tmp_path / "out")
    files = tree(tmp_path / "out")
    assert set(files) == {name.replace("notes", p) for p in ("train", "validation", "test")}
    all_rows = []
    for content in files.values():
        plain = gzip.decompress(content) if name.endswith(".gz") else content
        head, *own = plain.split(b"\r\n")
        assert head == b"id,text,code,empty"
        all_rows += [row + b"\r\n" for row in own if row]
    assert sorted(all_rows) == rows


def test_each_part_of_an_xml_of_records_is_sound(tmp_path: Path) -> None:
    notes = [Document(f"{n}", f"note {n}") for n in range(10)]
    write(notes, tmp_path / "all.xml", "i2b2-2006")
    write_parts(split_corpus(tmp_path / "all.xml"), tmp_path / "out")
    parts = [list(read(path)) for path in sorted((tmp_path / "out").iterdir())]
    assert sorted(map(len, parts)) == [1, 4, 5]
    assert sorted(note.id for part in parts for note in part) == [note.id for note in notes]


def test_lines_without_a_note_are_in_no_part(tmp_path: Path) -> None:
    path = jsonl_file(tmp_path / "n.jsonl", [(f"n{n}", "x") for n in range(10)])
    path.write_text(path.read_text() + '\n{"id": "null", "text": null}\n')
    result = split_corpus(path)
    assert result.without_notes == 2
    assert len(result.units) == 10


def test_parquet_rows_go_to_one_part_each(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"id": [f"n{n}" for n in range(20)], "text": ["x"] * 20, "k": list(range(20))})
    pq.write_table(table, tmp_path / "n.parquet")
    write_parts(split_corpus(tmp_path / "n.parquet"), tmp_path / "out")
    parts = [pq.read_table(path) for path in sorted((tmp_path / "out").iterdir())]
    assert sorted(len(part) for part in parts) == [2, 8, 10]
    assert sorted(k for part in parts for k in part["k"].to_pylist()) == list(range(20))


def test_ids_are_listed(tmp_path: Path) -> None:
    corpus = inline_folder(tmp_path, {f"n{n}": "x" for n in range(10)})
    content = json.loads(json.dumps(split_corpus(corpus).to_json()))
    assert content["ratio"] == "50:10:40"
    parts = content["parts"]
    assert sorted(id for ids in parts.values() for id in ids) == sorted(f"n{n}" for n in range(10))


def test_the_split_does_not_depend_on_where_the_corpus_is(tmp_path: Path) -> None:
    notes = {f"p{n % 5}/n{n}": "[[DATE|May 2]]" for n in range(20)}
    first = split_corpus(inline_folder(tmp_path / "a", notes), patient_from_folder())
    second = split_corpus(inline_folder(tmp_path / "b" / "c", notes), patient_from_folder())
    assert first.to_json() == second.to_json()


def test_faults_are_all_listed_and_nothing_split(tmp_path: Path) -> None:
    path = jsonl_file(tmp_path / "n.jsonl", [("a", "x"), ("a", "y"), ("b", "z")])
    path.write_text(path.read_text() + "{bad\n")
    with pytest.raises(RefusedError) as refused:
        split_corpus(path)
    reasons = [f"{failure.place}: {failure.reason}" for failure in refused.value.failures]
    assert reasons == ["line 4, column 2: not valid JSON", "record 2: its id occurred before"]
    with pytest.raises(RefusedError):
        split_corpus(inline_folder(tmp_path / "in", {"x": "y"}), patient_from_pattern(r"\d+"))


@pytest.mark.parametrize("ratio", ["", "50", "50:-1:51", "0:1", "a:b", "1:2:3:4", "1/0:1"])
def test_bad_ratios_are_refused(ratio: str) -> None:
    with pytest.raises(CorpusError, match="--ratio"):
        Ratio.parse(ratio)


def test_too_few_patients_are_refused(tmp_path: Path) -> None:
    corpus = inline_folder(tmp_path, {f"n{n}": "x" for n in range(10)})
    with pytest.raises(CorpusError, match="1 patient cannot be split into 3"):
        split_corpus(corpus, patient_from_folder())


def test_years_below_a_patient_do_not_part_them(tmp_path: Path) -> None:
    notes = [f"p{patient}/{year}/a" for patient in range(20) for year in range(2017, 2020)]
    inline_folder(tmp_path / "years", dict.fromkeys(notes, "x"))
    check_patients(split_corpus(tmp_path / "years", patient_from_folder(1)), 20)
    check_patients(split_corpus(tmp_path / "years", patient_from_folder()), 60)
