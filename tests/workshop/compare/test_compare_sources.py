"""Parts, sources, and a source left out."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from toy_corpus import toy
from workshop.compare.comparing import BERT, DEFAULTS, compared

from incognote.base.errors import RunError
from incognote.corpus.source import RefusedError, Source
from incognote.formats import Fields, write
from incognote.workshop.compare.data import Data, read_data
from incognote.workshop.compare.results import best_cells


def sites(folder: Path, *sizes: int) -> list[Source]:
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for number, size in enumerate(sizes):
        place = folder / f"site-{number}"
        place.mkdir()
        write(toy(size), place / "notes.jsonl", "jsonl")
        found.append(Source(place))
    return found


def sizes(data: Data, fold: str | None = None) -> list[int]:
    parts = data.fold(fold)
    return [len(parts.train), len(parts.validation), len(parts.test)]


def test_corpora_are_split_each_in_the_ratio(tmp_path: Path) -> None:
    data = read_data(sites(tmp_path, 10, 20))
    assert sizes(data) == [15, 3, 12]
    assert data.sources == ["site-0", "site-1"]
    assert data.folds == ()
    counts = data.counts()["test"]["sources"]
    assert [counts[source]["notes"] for source in data.sources] == [4, 8]


def test_a_source_left_out_is_nowhere_but_in_test(tmp_path: Path) -> None:
    data = read_data(sites(tmp_path, 10, 20), leave_out=True)
    assert data.folds == ("site-0", "site-1")
    assert sizes(data, "site-0") == [10, 2, 10]
    assert sizes(data, "site-1") == [5, 1, 20]
    seen = {note.id for note in data.parts.train}
    assert {note.id for note in data.fold("site-0").train} <= seen


def test_the_subfolders_of_a_folder_are_sources(tmp_path: Path) -> None:
    apart = read_data(sites(tmp_path, 10, 20), leave_out=True)
    together = read_data([Source(tmp_path)], leave_out=True)
    assert together.fingerprint() == apart.fingerprint()


def test_a_field_names_the_source(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    lines = [
        {
            "id": note.id,
            "text": note.text,
            "spans": [{"start": s.start, "end": s.end, "type": s.type} for s in note.spans],
            "hospital": f"H{number % 2}",
        }
        for number, note in enumerate(toy(12))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    data = read_data([Source(path)], leave_out=True, source_field="hospital")
    assert data.folds == ("H0", "H1")
    assert sizes(data, "H0") == [3, 1, 6]
    with pytest.raises(RunError):
        read_data([Source(path, fields=Fields())], leave_out=True, source_field="ward")


def visits(path: Path, seen: list[tuple[str, str | None]], *texts: str) -> Source:
    """A line for each pair of site and patient."""
    lines = []
    for number, (site, patient) in enumerate(seen):
        line = {"id": f"r{number}", "site": site, **dict.fromkeys(texts, "Seen today.")}
        lines.append(line | ({} if patient is None else {"mrn": patient}))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Source(path, fields=Fields(texts, patient="mrn"))


BOTH = [f"both-{number}" for number in range(8)]
TWO_SITES: list[tuple[str, str | None]] = [
    *(("A", patient) for patient in BOTH for _ in range(2)),
    *(("B", patient) for patient in BOTH),
    *(("A", f"a-{number}") for number in range(14)),
    *(("B", f"b-{number}") for number in range(32)),
]


def in_parts(data: Data, of: str) -> dict[str, set[str]]:
    """The parts that each patient, or each row, is in."""
    found: dict[str, set[str]] = {}
    for name in ("train", "validation", "test"):
        for note in getattr(data.parts, name):
            key = note.patient if of == "patient" else note.id.rpartition("/")[0]
            found.setdefault(key, set()).add(name)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_patient_of_two_sources_is_in_one_part(tmp_path: Path, seed: int) -> None:
    source = visits(tmp_path / "visits.jsonl", TWO_SITES, "text")
    data = read_data([source], source_field="site", seed=seed)
    assert all(len(parts) == 1 for parts in in_parts(data, "patient").values())
    assert sizes(data) == [35, 7, 28]
    for site, total in Counter(site for site, _ in TWO_SITES).items():
        for name, share in (("train", 0.5), ("validation", 0.1), ("test", 0.4)):
            count = data.counts()[name]["sources"][site]["notes"]
            assert abs(count - share * total) <= 2


def test_the_patients_of_a_source_left_out_are_not_learned_from(tmp_path: Path) -> None:
    source = visits(tmp_path / "visits.jsonl", TWO_SITES, "text")
    data = read_data([source], source_field="site", leave_out=True)
    for site in data.folds:
        fold = data.fold(site)
        assert len(fold.test) == sum(own == site for own, _ in TWO_SITES)
        tested = {note.patient for note in fold.test}
        assert tested >= set(BOTH)
        for name in ("train", "validation"):
            kept, whole = getattr(fold, name), getattr(data.parts, name)
            assert kept == [
                note
                for note in whole
                if data.source_of[note.id] != site and note.patient not in tested
            ]
            assert kept


def test_patients_of_two_corpora_are_in_one_part(tmp_path: Path) -> None:
    corpora = []
    for site in ("A", "B"):
        rows = [(own, patient) for own, patient in TWO_SITES if own == site]
        corpora.append(visits(tmp_path / f"{site}.jsonl", rows, "text"))
    data = read_data(corpora)
    assert all(len(parts) == 1 for parts in in_parts(data, "patient").values())


def test_sources_that_share_no_patient_are_split_each_by_itself(tmp_path: Path) -> None:
    seen: list[tuple[str, str | None]] = [
        (site, f"{site}{number // 2}") for site in ("A", "B") for number in range(20)
    ]
    both = read_data([visits(tmp_path / "both.jsonl", seen, "text")], source_field="site")
    first = read_data([visits(tmp_path / "first.jsonl", seen[:20], "text")])
    for name in ("train", "validation", "test"):
        ids = {note.id for note in getattr(both.parts, name) if both.source_of[note.id] == "A"}
        assert ids == {note.id for note in getattr(first.parts, name)}


def test_the_texts_of_a_row_are_in_one_part(tmp_path: Path) -> None:
    seen: list[tuple[str, str | None]] = [("AB"[number % 2], None) for number in range(20)]
    source = visits(tmp_path / "visits.jsonl", seen, "hx", "plan")
    alone = replace(source, fields=Fields(("hx", "plan")))
    for field in (None, "site"):
        data = read_data([alone], source_field=field)
        assert all(len(parts) == 1 for parts in in_parts(data, "row").values())
        assert sizes(data) == [20, 4, 16]


def test_a_patient_who_cannot_be_told_is_refused(tmp_path: Path) -> None:
    source = visits(tmp_path / "visits.jsonl", [*TWO_SITES, ("A", None)], "text")
    for field in (None, "site"):
        with pytest.raises(RefusedError) as refused:
            read_data([source], source_field=field)
        assert [f.reason for f in refused.value.failures] == ["the patient cannot be told"]
    assert len(read_data([source], validation=source, test=source).parts.train) == 71


def test_another_patient_is_another_fold(tmp_path: Path) -> None:
    source = visits(tmp_path / "visits.jsonl", TWO_SITES, "text")
    data = read_data([source], source_field="site", leave_out=True)
    first, *rest = data.parts.train
    parts = replace(data.parts, train=[replace(first, patient="another"), *rest])
    assert replace(data, parts=parts).fingerprint() != data.fingerprint()


def test_what_gives_no_three_parts_is_refused(tmp_path: Path) -> None:
    one, many = sites(tmp_path / "a", 1, 12)
    few = sites(tmp_path / "b", 12, 2)
    for corpora, says, how in (
        ([one], "no note is left for validation", {}),
        ([many], "needs three parts", {"split": "80:20"}),
        ([many], "a corpus for validation and one for test", {"test": one}),
        ([many], "--split makes the parts", {"test": one, "validation": one, "split": "5:1:4"}),
        ([many], "needs two subfolders or more", {"leave_out": True}),
        (few, "without the source site-0 no note is left", {"leave_out": True}),
    ):
        with pytest.raises(RunError, match=says):
            read_data(corpora, **how)
    parts = read_data([one], validation=many, test=many).parts
    assert [len(parts.train), len(parts.validation), len(parts.test)] == [1, 12, 12]


def test_notes_of_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    write([replace(note, id="same") for note in toy(9)], path, "jsonl")
    with pytest.raises(RunError, match="notes with the id of another"):
        read_data([Source(path)])


def test_a_change_of_a_span_is_a_change_of_the_data(tmp_path: Path) -> None:
    data = read_data(sites(tmp_path, 12))
    first, *rest = data.parts.test
    changed = replace(data.parts, test=[first.with_spans(first.spans[1:]), *rest])
    assert Data(changed).fingerprint() != data.fingerprint()


@pytest.mark.usefixtures("here")
def test_every_fold_has_its_cells_and_its_choice(tmp_path: Path) -> None:
    data = read_data(sites(tmp_path, 8, 8), leave_out=True, split="2:1:1")
    made = compared(tmp_path / "out", DEFAULTS + "lr = 3e-3", BERT, data=data)
    assert [cell.fold for cell in made.cells] == [None, "site-0", "site-1"]
    assert [cell.state for cell in made.cells] == ["done"] * 3
    for fold in made.folds:
        found = best_cells(made, fold)["bert"].predictions("test").read_text().splitlines()
        assert sorted(json.loads(line)["id"] for line in found) == sorted(
            id for id, source in data.source_of.items() if source == fold
        )
    assert [(cell.folder / "model.safetensors").exists() for cell in made.cells] == [
        True,
        False,
        False,
    ]
