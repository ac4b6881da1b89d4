"""The corpus commands as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Command
from corpus.corpus_files import inline_folder, jsonl_file, tree

from incognote.base.lock import output_lock

NOTES = {
    f"{patient}-{note:02}": f"{note}. Dr. [[DOCTOR|Okafor]] on [[DATE|3/{note + 1}]]"
    for patient in (110, 111, 112, 113, 114)
    for note in range(2)
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return inline_folder(tmp_path / "notes", NOTES)


@pytest.mark.parametrize("command", ["", "stats", "split", "validate", "convert", "merge", "agree"])
def test_help_is_light(command: str) -> None:
    code = (
        f"import sys; sys.argv = ['incognote', 'corpus', *'{command}'.split(), '--help']\n"
        "from incognote.cli import main\n"
        "try: main()\nexcept SystemExit as exit: assert exit.code == 0\n"
        "heavy = {'numpy', 'lxml', 'pyarrow', 'rapidfuzz', 'matplotlib', 'onnxruntime', 'torch'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert f"incognote corpus {command}".strip() in ran.stdout


def test_stats_in_every_shape(incognote: Command, corpus: Path) -> None:
    shown = incognote("corpus", "stats", corpus)
    assert shown.status == 0
    assert [line.split() for line in shown.out.decode().splitlines()[-2:]] == [
        ["DOCTOR", "10", "50.00"],
        ["DATE", "10", "50.00"],
    ]
    figures = json.loads(incognote("corpus", "stats", corpus, "--json").out)
    assert figures["notes"]["types"]["DATE"]["percent"] == 50.0
    assert figures["notes"]["phi_words"] == 40
    table = incognote("corpus", "stats", corpus, "--csv").out.decode().splitlines()
    assert table[0] == ",notes,notes %"
    assert table[-1] == "DATE,10,50.00"
    assert table[3] == "PHI words,40,44.44"
    marks = incognote("corpus", "stats", corpus, "--markdown").out.decode().splitlines()
    assert marks[1] == "| --- | ---: | ---: |"
    assert incognote("corpus", "stats", corpus, "--csv", "--json").status == 2


def test_what_holds_notes_or_names_is_for_its_owner_only(
    incognote: Command, corpus: Path, tmp_path: Path
) -> None:
    parts, ids, table = tmp_path / "parts", tmp_path / "ids.json", tmp_path / "all.jsonl"
    assert incognote("corpus", "split", corpus, "-o", parts, "--list", ids).status == 0
    assert incognote("corpus", "convert", corpus, "-o", table, "--to", "jsonl").status == 0
    assert (
        incognote("corpus", "convert", corpus, "-o", tmp_path / "xml", "--to", "i2b2").status == 0
    )
    for path in (parts, ids, table, tmp_path / "xml", *parts.rglob("*"), *tmp_path.glob("xml/*")):
        assert path.stat().st_mode & 0o077 == 0, path


def test_one_command_at_a_time_writes_an_output(
    incognote: Command, corpus: Path, tmp_path: Path
) -> None:
    with output_lock(tmp_path / "parts", "incognote", folder=False):
        ran = incognote("corpus", "split", corpus, "-o", tmp_path / "parts")
    assert ran.status == 2
    assert "another run is writing here" in ran.err
    assert not (tmp_path / "parts").exists()


def test_stats_with_a_bad_file(incognote: Command, corpus: Path) -> None:
    (corpus / "bad.xml").write_text("<a>")
    ran = incognote("corpus", "stats", corpus)
    assert ran.status == 1
    assert "bad.xml: line 1: not well-formed XML" in ran.err
    assert b"DATE" in ran.out


def test_split_by_patient(incognote: Command, corpus: Path, tmp_path: Path) -> None:
    out, listed = tmp_path / "parts", tmp_path / "list.json"
    arguments = ("corpus", "split", corpus, "-o", out, "--list", listed, "--ratio", "60:20:20")
    ran = incognote(*arguments, "--patient-pattern", r"(\d+)-\d+")
    assert ran.status == 0
    rows = [line.split() for line in ran.out.decode().splitlines()]
    assert rows[1:] == [
        ["train", "6", "60.0", "12", "3"],
        ["validation", "2", "20.0", "4", "1"],
        ["test", "2", "20.0", "4", "1"],
    ]
    written = tree(out)
    assert {Path(name).name: data for name, data in written.items()} == tree(corpus)
    parts = json.loads(listed.read_text())["parts"]
    assert {f"{part}/{id}.txt" for part, ids in parts.items() for id in ids} == set(written)
    patients = [{id[:3] for id in ids} for ids in parts.values()]
    assert sum(map(len, patients)) == len(set.union(*patients)) == 5

    again = incognote(*arguments, "--patient-pattern", r"(\d+)-\d+")
    assert again.status == 2
    assert "exists; choose another output or use --overwrite" in again.err
    again = incognote(*arguments, "--patient-pattern", r"(\d+)-\d+", "--overwrite")
    assert again.status == 0
    assert tree(out) == written


@pytest.mark.parametrize("other", [("--ratio", "80:20"), ("--seed", "1")])
def test_parts_of_two_splits_are_never_mixed(
    incognote: Command, corpus: Path, tmp_path: Path, other: tuple[str, str]
) -> None:
    out = tmp_path / "parts"
    assert incognote("corpus", "split", corpus, "-o", out, "--ratio", "50:20:30").status == 0
    before = tree(out)
    ran = incognote("corpus", "split", corpus, "-o", out, *other, "--overwrite")
    assert ran.status == 2
    assert "that would not be replaced, such as" in ran.err
    assert "remove the folder or choose another output" in ran.err
    assert ran.err.count("\n") == 1
    assert tree(out) == before
    assert {path.name for path in tmp_path.iterdir()} == {"notes", "parts"}


def test_split_refuses(incognote: Command, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "parts"
    for arguments, reason in (
        ((), "give -o FOLDER"),
        (("-o", out, "--ratio", "5"), "--ratio 5: write two or three numbers"),
        (("-o", corpus / "x"), "lies inside the input folder"),
        (("-o", out, "--patient-pattern", "("), "not a regular expression"),
        (("-o", out, "--patient-folder", "--patient-field", "x"), "choose one of"),
        (("-o", out, "--patient-folder"), "cannot be split into 3 parts"),
    ):
        ran = incognote("corpus", "split", corpus, *arguments)
        assert ran.status == 2
        assert reason in ran.err
        assert ran.err.count("\n") == 1
    ran = incognote("corpus", "split", corpus, "-o", out, "--patient-pattern", "111-(0)")
    assert ran.status == 1
    assert "114-01.txt: the patient cannot be told" in ran.err
    assert "nothing was written" in ran.err
    assert not out.exists()


def test_validate_tells_everything_but_the_text(
    incognote: Command, corpus: Path, tmp_path: Path
) -> None:
    assert incognote("corpus", "validate", corpus, "--consistency").status == 0
    bad = inline_folder(tmp_path / "bad", {"n": "[[PERSON|Okafor]] or OKAFOR,[[DATE| May]]"})
    (bad / "m.txt").write_bytes(b"\xff")
    ran = incognote("corpus", "validate", bad, "--consistency", "--format", "inline")
    assert ran.status == 1
    assert [line.removeprefix(str(bad)) for line in ran.out.decode().splitlines()] == [
        "/m.txt: byte 0: error: not valid UTF-8",
        "/n.txt: 0-6 PERSON (line 1 of the note): error: the type is not one of the scheme",
        "/n.txt: 17-21 DATE (line 1 of the note): warning: "
        "the span begins or ends with white space",
        "/n.txt: 10-16 PERSON (line 1 of the note): warning: "
        "the same words are marked elsewhere in the note",
    ]
    assert "2 files, 1 note, 2 spans: 2 errors, 2 warnings, 0 info" in ran.err
    assert "--types presidio" in ran.err
    assert "OKAFOR" not in ran.err
    ran = incognote(
        "corpus", "validate", bad, "--json", "--show-text", "--level", "error", "--format", "inline"
    )
    found = json.loads(ran.out)
    assert found["counts"] == {"error": 2, "warning": 1, "info": 0}
    assert [problem["kind"] for problem in found["problems"]] == ["unreadable", "unknown-type"]
    assert found["problems"][1]["text"] == "Okafor"


def test_validate_groups_what_repeats_and_helps_first(incognote: Command, tmp_path: Path) -> None:
    many = {f"{n:02}": f"[[FECHAS|{n}]] en [[PAIS|Chile]]" for n in range(40)}
    del many["00"]
    folder = inline_folder(tmp_path / "es", {**many, "00": "[[FECHAS|1]] [[DATE| 2]]"})
    ran = incognote("corpus", "validate", folder, "--format", "inline")
    assert ran.status == 1
    first, *_, last = ran.err.splitlines()
    assert first.startswith("the unknown types are all of meddocan: --types meddocan")
    assert last == "every problem on a line of its own: --all"
    lines = [line.removeprefix(f"{folder}/") for line in ran.out.decode().splitlines()]
    assert len(lines) == 5
    assert lines[3] == (
        "… and 76 more of this kind (error, unknown-type); 79 in all in 40 files: "
        "FECHAS 40, PAIS 39"
    )
    assert lines[4].endswith("warning: the span begins or ends with white space")
    every, as_json = (
        incognote("corpus", "validate", folder, "--format", "inline", option)
        for option in ("--all", "--json")
    )
    assert len(every.out.splitlines()) == 80
    assert "--all" not in every.err
    assert len(json.loads(as_json.out)["problems"]) == 80


def test_validate_says_what_to_do_with_types_of_no_known_scheme(
    incognote: Command, tmp_path: Path
) -> None:
    ran = incognote(
        "corpus", "validate", inline_folder(tmp_path / "own", {"a": "[[DATE|1]] [[OWN|2]]"})
    )
    assert "some types are not of i2b2: for a scheme of its own, --types any" in ran.err


def test_convert_and_back(incognote: Command, corpus: Path, tmp_path: Path) -> None:
    table, back = tmp_path / "notes.jsonl", tmp_path / "back"
    assert incognote("corpus", "convert", corpus, "-o", table, "--to", "jsonl").status == 0
    ran = incognote("corpus", "convert", table, "-o", back, "--to", "inline")
    assert ran.status == 0
    assert "10 notes with 20 spans" in ran.err
    assert tree(back) == tree(corpus)


def test_i2b2_2006_is_read_as_it_is_and_mapped_when_asked(
    incognote: Command, tmp_path: Path
) -> None:
    corpus, ours = tmp_path / "train.xml", tmp_path / "ours.jsonl"
    corpus.write_text(
        '<ROOT><RECORD ID="7"><TEXT>No <PHI TYPE="ID">77</PHI> of '
        '<PHI TYPE="LOCATION">Lynn</PHI></TEXT></RECORD></ROOT>'
    )
    assert incognote("corpus", "validate", corpus, "--types", "i2b2-2006").status == 0
    ran = incognote("corpus", "validate", corpus)
    assert ran.status == 1
    assert "--types i2b2-2006" in ran.err
    ran = incognote("corpus", "convert", corpus, "-o", ours, "--to", "jsonl", "--map", "i2b2-2006")
    assert ran.status == 0
    row = json.loads(ours.read_text())
    assert row["text"] == "No 77 of Lynn"
    assert [span["type"] for span in row["spans"]] == ["IDNUM", "LOCATION-OTHER"]


def test_nursing_notes_go_through_every_command(incognote: Command, tmp_path: Path) -> None:
    corpus = tmp_path / "mimic"
    corpus.mkdir()
    (corpus / "id.text").write_text(
        "START_OF_RECORD=1||||1||||\nPt Ann Lee seen.\n||||END_OF_RECORD\n\n"
        "START_OF_RECORD=2||||1||||\nCall 617-555-0123.\n||||END_OF_RECORD\n"
    )
    (corpus / "id.phi").write_text("Patient 1\tNote 1\n3\t3\t10\n")
    assert incognote("corpus", "validate", corpus, "--types", "physionet").status == 0
    figures = json.loads(incognote("corpus", "stats", corpus, "--json").out)["mimic"]
    assert (figures["notes"], figures["phi_words"]) == (2, 2)
    ran = incognote("deid", corpus, "-o", tmp_path / "out", "--detector", "rules")
    assert ran.status == 0, ran.err
    (written,) = (tmp_path / "out").rglob("*.text")
    assert "Pt [PHI] seen." in written.read_text()
    assert "Call [PHONE]." in written.read_text()
    table, back = tmp_path / "notes.jsonl", tmp_path / "back.text"
    assert incognote("corpus", "convert", corpus, "-o", table, "--to", "jsonl").status == 0
    ran = incognote("corpus", "convert", table, "-o", back, "--to", "physionet")
    assert ran.status == 0, ran.err
    assert (tmp_path / "back-phi.phrase").read_text() == "1 1 3 10 PHI Ann Lee\n"
    back.unlink()
    ran = incognote("corpus", "convert", table, "-o", back, "--to", "physionet")
    assert ran.status == 2
    assert "back-phi.phrase: exists; choose another output or use --overwrite" in ran.err
    assert (
        incognote("corpus", "split", corpus, "-o", tmp_path / "parts", "--ratio", "50:50").status
        == 0
    )
    assert sorted(tree(tmp_path / "parts")) == [
        f"{part}/id{end}" for part in ("test", "train") for end in ("-phi.phrase", ".text")
    ]


def test_a_lost_patient_is_told(incognote: Command, tmp_path: Path) -> None:
    table = jsonl_file(tmp_path / "in.jsonl", [("a", "x")], mrn=["77"])
    arguments = ("corpus", "convert", table, "--patient-field", "mrn")
    ran = incognote(*arguments, "-o", tmp_path / "brat", "--to", "brat")
    assert ran.status == 0
    assert "brat has no place for the patient, which 1 note had" in ran.err
    ran = incognote(*arguments, "-o", tmp_path / "out.jsonl", "--to", "jsonl")
    assert "no place" not in ran.err


def test_convert_refuses(incognote: Command, tmp_path: Path) -> None:
    table = jsonl_file(tmp_path / "in.jsonl", [("a", "x\x02"), ("b", "[[DATE|May]]")])
    out = tmp_path / "out"
    ran = incognote("corpus", "convert", table, "-o", out, "--to", "i2b2")
    assert (ran.status, ran.err) == (
        1,
        "incognote: a: U+0002 at position 1 is not a character of XML\n"
        "incognote: nothing was written\n",
    )
    for arguments, reason in (
        (("--to", "csv"), "ends in .csv"),
        (("--to", "text"), "text cannot hold spans"),
        (("--to", "i2b2", "--map", "nope"), "'nope' is not a known scheme"),
        (("--to", "nope"), "--to"),
    ):
        ran = incognote("corpus", "convert", table, "-o", out, *arguments)
        assert ran.status == 2
        assert reason in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_merge_with_views(incognote: Command, corpus: Path, tmp_path: Path) -> None:
    es = jsonl_file(tmp_path / "es.jsonl", [("1", "[[FECHAS|3/14]] [[SEXO_SUJETO_ASISTENCIA|M]]")])
    out = tmp_path / "all.jsonl"
    plain = incognote("corpus", "merge", corpus, es, "-o", out)
    assert plain.status == 0
    assert "is --map missing?" in plain.err
    ran = incognote(
        "corpus", "merge", f"ours={corpus}", es, "-o", out, "--map", "es=meddocan", "--overwrite"
    )
    assert ran.status == 0
    assert "dropped: 1 span (SEXO_SUJETO_ASISTENCIA 1)" in ran.err
    assert "ours 10, es 1" in ran.err
    last = json.loads(out.read_text().splitlines()[-1])
    assert (last["id"], last["source"], last["spans"][0]["type"]) == ("es/1", "es", "DATE")
    for arguments, reason in (
        ((corpus, corpus), "same name"),
        ((corpus, "--map", "x=meddocan"), "the corpora are notes"),
        ((f"../x={corpus}",), "a name that a folder can have"),
        (("a=/nowhere",), "no such file or folder"),
    ):
        ran = incognote("corpus", "merge", *arguments, "-o", tmp_path / "no.jsonl")
        assert ran.status == 2
        assert reason in ran.err


def test_agree(incognote: Command, corpus: Path, tmp_path: Path) -> None:
    changed = {
        id: text.replace("[[DOCTOR|Okafor]]", "Okafor") if id.endswith("01") else text
        for id, text in NOTES.items()
    }
    other = inline_folder(tmp_path / "other", changed)
    differ = tmp_path / "differ.jsonl"
    ran = incognote("corpus", "agree", corpus, other, "--disagreements", differ)
    assert ran.status == 0
    rows = [line.split() for line in ran.out.decode().splitlines()]
    assert rows[1][:8] == "all types 20 15 15 1.0000 0.7500 0.8571".split()
    assert rows[-2] == "DOCTOR 10 5 5 1.0000 0.5000 0.6667 0.6667 0.6400".split()
    assert b"Okafor" not in differ.read_bytes()
    found = [json.loads(line) for line in differ.read_text().splitlines()]
    assert len(found) == 5
    assert found[0] == {
        "id": "110-01",
        "kind": "only first",
        "first": [{"start": 7, "end": 13, "type": "DOCTOR"}],
        "second": [],
    }
    assert incognote("corpus", "agree", corpus, other, "--disagreements", differ).status == 2
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.md").write_text("kept")
    ran = incognote("corpus", "agree", corpus, other, "--disagreements", folder, "--overwrite")
    assert (ran.status, tree(folder)) == (2, {"mine.md": b"kept"})
    (other / "110-00.txt").unlink()
    ran = incognote("corpus", "agree", corpus, other, "--json")
    assert ran.status == 1
    assert "110-00: only the first annotator has this note" in ran.err
    assert json.loads(ran.out)["notes"] == 9


def test_missing_input_is_one_sentence(incognote: Command, tmp_path: Path) -> None:
    for command in ("stats", "validate"):
        ran = incognote("corpus", command, tmp_path / "none")
        assert ran.status == 2
        assert ran.err == f"incognote: {tmp_path / 'none'}: no such file or folder\n"
