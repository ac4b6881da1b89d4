"""`incognote calibrate`, and `deid` and `find` with what it wrote."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import Command
from tiny_checkpoints import unsure_model
from toy_corpus import toy

from incognote.document import Document


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unsure_model(tmp_path_factory.mktemp("calibrated"))


def write(path: Path, notes: list[Document]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as stream:
        for note in notes:
            spans = [{"start": s.start, "end": s.end, "type": s.type} for s in note.spans]
            stream.write(json.dumps({"id": note.id, "text": note.text, "spans": spans}) + "\n")
    return path


def lines(out: bytes | str) -> list[dict[str, Any]]:
    text = out if isinstance(out, str) else out.decode()
    return [json.loads(line) for line in text.splitlines()]


def test_from_calibration_to_clean_notes(incognote: Command, tmp_path: Path, model: Path) -> None:
    corpus = write(tmp_path / "gold.jsonl", toy(60, sentences=1))
    site = tmp_path / "site.json"
    by_model = ("--model", model, "--detector", "model")
    promise = ("--risk", 0.06)
    ran = incognote("calibrate", corpus, "-o", site, *by_model, *promise)
    assert ran.status == 0, ran.err
    said = ran.out.decode()
    assert "notes: 60 with 180 identifiers, and 0 without any" in said
    assert "with confidence 0.95, at most 0.06 of a note's identifiers leak" in said
    threshold = float(re.search(r"threshold: (0\.\d+)", said)[1])  # type: ignore[index]
    leaks = re.search(r"leaks on these notes: ([\d.]+)% by default, 0\.00% at", said)
    costs = re.search(r"over-redaction on these notes: ([\d.]+)% by default, ([\d.]+)% at", said)
    assert leaks
    assert costs
    assert float(leaks[1]) > 10
    assert float(costs[2]) > float(costs[1])
    content = site.read_text()
    assert not any(word in content for word in ("Ana", "Oslo", "note-", "gold.jsonl"))

    asked = (*by_model, "--calibration", site, "--min-recall", 0.94)
    plain = lines(incognote("find", corpus, *by_model).out)
    found = lines(incognote("find", corpus, *asked).out)
    leaked = 0
    for gold, before, after in zip(lines(corpus.read_text()), plain, found, strict=True):
        covered = [set(range(s["start"], s["end"])) for s in after["spans"]]
        hidden = set().union(*covered)
        assert all(set(range(s["start"], s["end"])) <= hidden for s in before["spans"])
        for span in gold["spans"]:
            places = range(span["start"], span["end"])
            leaked += any(gold["text"][p].isalnum() and p not in hidden for p in places)
    assert leaked == 0
    added = [s for row in found for s in row["spans"] if s["source"] == "threshold"]
    assert added
    assert min(s["score"] for s in added) >= threshold - 1e-4

    clean = tmp_path / "clean.jsonl"
    assert incognote("deid", corpus, "-o", clean, *asked).status == 0
    assert "Ruiz" not in clean.read_text()
    audit = json.loads((tmp_path / "clean.jsonl.audit.json").read_text())
    assert audit["settings"]["min_recall"] == 0.94
    assert len(audit["settings"]["calibration"]) == 16
    assert "threshold" in audit["findings"]["by_detector"]

    other = incognote("find", corpus, "--model", model, *asked[4:])
    assert other.status == 2
    assert "made with other detectors" in other.err
    more = incognote("find", corpus, *asked[:-1], 0.999)
    assert more.status == 2
    assert "do not support a recall of 0.999: at most 0.9" in more.err
    again = incognote("calibrate", corpus, "-o", site, *by_model, *promise)
    assert again.status == 2
    assert "--overwrite" in again.err


def test_rules_alone_are_certified_or_refused(incognote: Command, tmp_path: Path) -> None:
    text = "Seen by Dr. Okafor on 3/14/2019."
    row = {
        "text": text,
        "spans": [
            {"start": 12, "end": 18, "type": "DOCTOR"},
            {"start": 22, "end": 31, "type": "DATE"},
        ],
    }
    corpus = tmp_path / "gold.jsonl"
    corpus.write_text("".join(json.dumps({"id": n, **row}) + "\n" for n in map(str, range(320))))
    site = tmp_path / "site.json"
    rules = ("--detector", "rules")
    ran = incognote("calibrate", corpus, "-o", site, *rules)
    assert ran.status == 0, ran.err
    assert "threshold: none needed beyond the default" in ran.out.decode()
    asked = (*rules, "--calibration", site, "--min-recall", 0.99)
    (note,) = lines(incognote("find", *asked, stdin=text.encode()).out)
    assert len(note["spans"]) == 2

    corpus.write_text("".join(json.dumps({"id": n, **row}) + "\n" for n in map(str, range(60))))
    few = incognote("calibrate", corpus, "-o", tmp_path / "few.json", *rules)
    assert few.status == 2
    assert "takes about 317 notes like these, 257 more" in few.err
    assert not (tmp_path / "few.json").exists()
    crc = incognote(
        "calibrate", corpus, "-o", tmp_path / "crc.json", "--method", "crc", "--risk", 0.02, *rules
    )
    assert crc.status == 0
    assert "guarantee: in expectation, at most 0.02" in crc.out.decode()
    assert json.loads((tmp_path / "crc.json").read_text())["bound"] == "conformal"

    types = incognote(
        "calibrate", corpus, "-o", tmp_path / "types.json", "--per-type", "--risk", 0.06, *rules
    )
    assert types.status == 0
    said = types.out.decode()
    assert "threshold of DATE: none needed beyond the default, by 60 notes" in said
    assert re.search(r"no guarantee for DOCTOR: it takes about 6\d notes", said)


def test_a_recall_without_notes_is_explained(incognote: Command, tmp_path: Path) -> None:
    for command in ("deid", "find"):
        ran = incognote(command, "--min-recall", 0.99, stdin=b"x")
        assert ran.status == 2
        assert "--min-recall needs --calibration" in ran.err
        assert "incognote calibrate" in ran.err
    ran = incognote("find", "--calibration", tmp_path / "site.json", stdin=b"x")
    assert "needs --min-recall" in ran.err
    ran = incognote("find", "--calibration", tmp_path / "no.json", "--min-recall", 0.9, stdin=b"x")
    assert ran.status == 2


def test_notes_that_cannot_be_read_stop_the_calibration(incognote: Command, tmp_path: Path) -> None:
    corpus = tmp_path / "gold.jsonl"
    corpus.write_text('{"id": "1", "text": "a", "spans": []}\n{"id": "2", "text": \n')
    ran = incognote("calibrate", corpus, "-o", tmp_path / "site.json")
    assert ran.status == 2
    assert "input 1, line 2" in ran.err
    corpus.write_text('{"id": "1", "text": "a", "spans": []}\n')
    ran = incognote("calibrate", corpus, "-o", tmp_path / "site.json")
    assert "no note has an annotated identifier" in ran.err


def test_the_calibration_never_replaces_the_notes(incognote: Command, tmp_path: Path) -> None:
    corpus = write(tmp_path / "gold" / "notes.jsonl", toy(2))
    before = corpus.read_bytes()
    for given, output, reason in (
        (corpus, corpus, "is also the input"),
        (f"{tmp_path}/go*/*.jsonl", corpus, "is also the input"),
        (corpus.parent, corpus, "lies inside the input folder"),
        (corpus, corpus.parent, "holds the input"),
        (corpus.parent, tmp_path, "holds the input"),
    ):
        ran = incognote("calibrate", given, "-o", output, "--overwrite", "--detector", "rules")
        assert ran.status == 2
        assert reason in ran.err
        assert ran.err.count("\n") == 1
    assert corpus.read_bytes() == before


def test_notes_to_review(incognote: Command, tmp_path: Path, model: Path) -> None:
    notes = [*toy(4, sentences=1), *toy(1, sentences=6), Document("empty", "")]
    notes = [Document(f"n{place}", note.text, note.spans) for place, note in enumerate(notes)]
    corpus = write(tmp_path / "notes.jsonl", notes)
    review = ("find", corpus, "--model", model, "--sample-review", 3)
    chosen = lines(incognote(*review).out)
    assert chosen == lines(incognote(*review, "-j", 2).out)
    assert [row["rank"] for row in chosen] == [1, 2, 3]
    assert chosen[0]["id"] == "n4"
    expected = [row["expected_missed"] for row in chosen]
    assert expected == sorted(expected, reverse=True)
    assert set(chosen[0]) == {
        "rank",
        "id",
        "expected_missed",
        "places",
        "highest",
        "type",
        "doubtful",
    }
    assert len(lines(incognote(*review[:-1], 99).out)) == 6
    without = incognote("find", corpus, "--detector", "rules", "--sample-review", 3)
    assert without.status == 2
    assert "needs a model" in without.err


def test_a_note_to_review_says_where_its_doubtful_places_are(
    incognote: Command, tmp_path: Path, model: Path
) -> None:
    note = Document("n", "\U0001f600 " + toy(1, sentences=6)[0].text)
    corpus = write(tmp_path / "notes.jsonl", [note])
    for offsets, encoding, width in (("codepoints", "utf-32-le", 4), ("utf16", "utf-16-le", 2)):
        ran = incognote(
            "find", corpus, "--model", model, "--sample-review", 1, "--offsets", offsets
        )
        (row,) = lines(ran.out)
        places = row["doubtful"]
        assert 0 < len(places) == min(20, row["places"])
        assert max(place["score"] for place in places) == row["highest"]
        assert [place["start"] for place in places] == sorted(place["start"] for place in places)
        content = note.text.encode(encoding)
        for place in places:
            words = content[width * place["start"] : width * place["end"]].decode(encoding)
            assert words == words.strip() != ""
            assert words in note.text


def test_notes_of_one_patient_and_known_fields(incognote: Command, tmp_path: Path) -> None:
    row = {"text": "zorba left", "spans": [{"start": 0, "end": 5, "type": "PATIENT"}]}
    corpus = tmp_path / "gold.jsonl"
    corpus.write_text(
        "".join(
            json.dumps({"id": str(n), "mrn": n // 2, "who": "Zorba", **row}) + "\n"
            for n in range(70)
        )
    )
    site = tmp_path / "site.json"
    rules = ("--detector", "rules")
    known = ("--known", "who=PATIENT")
    how = ("--risk", 0.05, "--patient-field", "mrn", *rules)
    assert "no number of notes" in incognote("calibrate", corpus, "-o", site, *how).err
    ran = incognote("calibrate", corpus, "-o", site, *how, *known)
    assert ran.status == 0, ran.err
    assert "caution: 35 notes of patients who already have one here" in ran.out.decode()
    asked = ("--calibration", site, "--min-recall", 0.95, *rules)
    assert incognote("find", corpus, *asked, *known).status == 0
    without = incognote("find", corpus, *asked)
    assert without.status == 2
    assert "other --known types" in without.err
