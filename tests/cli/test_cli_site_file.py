"""`--site`: what a hospital says of itself, in every command that finds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import Command
from tiny_checkpoints import unsure_model
from toy_corpus import toy

from incognote.base.errors import UserError
from incognote.runs.settings import Settings

FILE = r"""
[types.STUDYID]
category = "ID"

[types.WARD]
category = "LOCATION"
operator = "redact"

[[lists]]
name = "staff"
type = "DOCTOR"
file = "staff.csv"
column = "name"
mode = "name"

[[lists]]
name = "wards"
type = "WARD"
words = ["Rosewood"]

[[patterns]]
name = "study"
type = "STUDYID"
pattern = 'ODL-\d{4}'

[[never]]
name = "trials"
words = ["Mercy Hospital Trial"]
"""
NOTE = "Okafor, Ngozi in Rosewood: ODL-1234, in the Mercy Hospital Trial.\n"
RULES = ("--detector", "rules")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    path = tmp_path / "site" / "site.toml"
    path.write_text(FILE)
    (path.parent / "staff.csv").write_text("id,name\n17,Ngozi Okafor\n")
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(NOTE.replace("1234", f"123{number}"))
    return folder


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text("0123456789abcdef" * 2)
    path.chmod(0o600)
    return path


def lines(out: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.decode().splitlines()]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_replaces_and_counts_what_the_site_says(
    incognote: Command, tmp_path: Path, site: Path, notes: Path, workers: int
) -> None:
    out = tmp_path / "clean"
    ran = incognote("deid", notes, "-o", out, "--site", site, *RULES, "--workers", workers)
    assert ran.status == 0, ran.err
    texts = {path.read_text() for path in out.rglob("*.txt")}
    assert texts == {"[DOCTOR] in : [STUDYID], in the Mercy Hospital Trial.\n"}
    audit = json.loads((tmp_path / "clean.audit.json").read_text())
    assert audit["findings"]["by_type"] == {"DOCTOR": 3, "STUDYID": 3, "WARD": 3}
    assert audit["findings"]["by_detector"]["site.study"] == {"STUDYID": 3}
    assert audit["replacements"] == {"never": {"HOSPITAL": 3}}
    assert len(audit["settings"]["site"]) == 16
    assert "Okafor" not in json.dumps(audit)


@pytest.mark.parametrize(
    ("replace", "expected"),
    [
        ("tag", "[DOCTOR] in : [STUDYID]"),
        ("mask", "Xxxxxx, Xxxxx in : XXX-0000"),
        ("tag,WARD=mask,STUDYID=keep", "[DOCTOR] in Xxxxxxxx: ODL-1234"),
        ("tag,LOCATION=mask,ID=redact", "[DOCTOR] in Xxxxxxxx: "),
    ],
)
def test_an_own_type_has_its_operator_unless_the_user_names_it(
    incognote: Command, tmp_path: Path, site: Path, replace: str, expected: str
) -> None:
    ran = incognote("deid", "--site", site, *RULES, "--replace", replace, stdin=NOTE.encode())
    assert ran.status == 0, ran.err
    assert ran.out.decode().startswith(f"{expected}, in the Mercy")


def test_own_types_have_codes_and_surrogates_of_the_same_shape(
    incognote: Command, site: Path, key: Path
) -> None:
    asked = ("deid", "--site", site, *RULES, "--key-file", key)
    hashed = incognote(*asked, "--replace", "tag,STUDYID=hash", stdin=NOTE.encode()).out.decode()
    assert "[STUDYID-" in hashed
    fakes = [
        incognote(*asked, "--replace", "tag,STUDYID=surrogate", stdin=text.encode()).out.decode()
        for text in (NOTE, NOTE, f"{NOTE}See odl 1234? No: ODL-1234.\n")
    ]
    assert fakes[0] == fakes[1]
    fake = re.search(r"[A-Z]{3}-\d{4}", fakes[0])
    assert fake
    assert fake[0] != "ODL-1234"
    assert "ODL-1234" not in fakes[2]


def test_find_gives_rows_as_sources(incognote: Command, site: Path) -> None:
    ran = incognote("find", "--site", site, *RULES, stdin=NOTE.encode())
    (line,) = lines(ran.out)
    assert [(span["type"], span["source"]) for span in line["spans"]] == [
        ("DOCTOR", "site.staff"),
        ("WARD", "site.wards"),
        ("STUDYID", "site.study"),
    ]


def test_an_operator_of_the_site_that_needs_a_key_is_not_asked_for_by_find(
    incognote: Command, site: Path
) -> None:
    site.write_text(FILE.replace('"redact"', '"hash"'))
    assert incognote("find", "--site", site, *RULES, stdin=NOTE.encode()).status == 0
    ran = incognote("deid", "--site", site, *RULES, stdin=NOTE.encode())
    assert ran.status == 2
    assert "which the site file asks for WARD, needs a key" in ran.err
    site.write_text(FILE.replace('"redact"', '"blur"'))
    ran = incognote("deid", "--site", site, *RULES, stdin=NOTE.encode())
    assert ran.status == 2
    assert "site.toml:7: types.WARD.operator: 'blur' is not a way to replace" in ran.err


@pytest.mark.parametrize(
    ("format", "name", "expected"),
    [
        ("inline", "0.txt", "[[STUDYID|ODL-1230]]"),
        ("brat", "0.ann", "STUDYID 27 35\tODL-1230"),
        ("i2b2", "0.xml", '<ID id="P2" start="27" end="35" text="ODL-1230" TYPE="STUDYID"'),
    ],
)
def test_marks_of_own_types_in_every_format_and_their_score(
    incognote: Command,
    tmp_path: Path,
    site: Path,
    notes: Path,
    format: str,
    name: str,
    expected: str,
) -> None:
    marked, spans = tmp_path / "marked", tmp_path / "spans.jsonl"
    ran = incognote("find", notes, "--as", format, "-o", marked, "--site", site, *RULES)
    assert ran.status == 0, ran.err
    assert expected in (marked / name).read_text()
    assert incognote("find", notes, "-o", spans, "--site", site, *RULES).status == 0
    ran = incognote(
        "score", marked, spans, "--format", format, "--site", site, "--json", "--resamples", 0
    )
    assert ran.status == 0, ran.err
    assert ran.err == ""
    figures = json.loads(ran.out)["systems"][0]
    assert figures["release"]["overlap_by_type"]["STUDYID"]["f1"]["value"] == 1
    assert figures["i2b2"]["all"]["strict"]["micro"]["f1"]["value"] == 1
    assert figures["study"]["by_type"]["WARD"]["f1"]["value"] == 1
    ran = incognote("corpus", "validate", marked, "--format", format)
    assert ran.status == 1
    ran = incognote("corpus", "validate", marked, "--format", format, "--site", site)
    assert ran.status == 0, ran.out


def test_score_tells_of_types_that_nobody_knows(
    incognote: Command, tmp_path: Path, site: Path, notes: Path
) -> None:
    spans = tmp_path / "spans.jsonl"
    assert incognote("find", notes, "-o", spans, "--site", site, *RULES).status == 0
    marked = tmp_path / "marked"
    assert (
        incognote("find", notes, "--as", "brat", "-o", marked, "--site", site, *RULES).status == 0
    )
    site.write_text(FILE.replace("STUDYID", "TRIALID"))
    ran = incognote("score", marked, spans, "--site", site, "--resamples", 0)
    assert "neither incognote nor the site file has the types STUDYID" in ran.err


def test_spans_of_own_types_are_written_and_read(
    incognote: Command, tmp_path: Path, site: Path
) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text(json.dumps({"id": "a", "text": NOTE}) + "\n")
    out = tmp_path / "clean.jsonl"
    ran = incognote("deid", source, "-o", out, "--site", site, *RULES, "--with-spans")
    assert ran.status == 0, ran.err
    (line,) = lines(out.read_bytes())
    assert "STUDYID" in {span["type"] for span in line["spans"]}
    marked = b"Given: [[STUDYID|17]] and [[NOTOURS|18]]\n"
    asked = ("deid", "--format", "inline", *RULES)
    assert incognote(*asked, stdin=marked).out == b"Given: [PHI] and [PHI]\n"
    assert incognote(*asked, "--site", site, stdin=marked).out == b"Given: [STUDYID] and [PHI]\n"


def test_a_table_may_tell_values_of_own_types(
    incognote: Command, tmp_path: Path, site: Path
) -> None:
    source = tmp_path / "notes.csv"
    source.write_text("study,text\n77-18-2,Enrolled as 77 18 2.\n")
    out = tmp_path / "clean.csv"
    asked = ("deid", source, "-o", out, "--text-field", "text", "--known", "study=STUDYID", *RULES)
    ran = incognote(*asked)
    assert ran.status == 2
    assert "--known study=STUDYID: write FIELD=TYPE" in ran.err
    ran = incognote(*asked, "--site", site)
    assert ran.status == 0, ran.err
    assert "Enrolled as [STUDYID]." in out.read_text()


def test_a_run_is_resumed_with_the_same_site_only(
    incognote: Command, tmp_path: Path, site: Path, notes: Path
) -> None:
    (notes / "3.txt").write_bytes(b"\xff\xfe\xff")
    out = tmp_path / "clean"
    asked = ("deid", notes, "-o", out, "--site", site, *RULES)
    assert incognote(*asked).status == 1
    assert incognote(*asked, "--resume").status == 1
    (site.parent / "staff.csv").write_text("id,name\n17,Ione Rask\n")
    ran = incognote(*asked, "--resume")
    assert ran.status == 2
    assert "other settings" in ran.err
    ran = incognote("deid", notes, "-o", out, *RULES, "--resume")
    assert "other settings" in ran.err


def test_a_site_that_changes_while_its_run_goes_on_is_refused(site: Path) -> None:
    settings = Settings(site=site, find_by="rules")
    loaded = settings.load_site()
    assert loaded is not None
    (site.parent / "staff.csv").write_text("id,name\n17,Ione Rask\n")
    assert settings.load_site() is loaded  # this process has it already
    from incognote.detect.site import site_file

    site_file._sites.clear()
    with pytest.raises(UserError, match="has changed since the work began"):
        settings.deidentifier()


def test_a_calibration_holds_for_its_site_only(
    incognote: Command, tmp_path: Path, site: Path, notes: Path
) -> None:
    model = unsure_model(tmp_path / "model")
    corpus = tmp_path / "gold.jsonl"
    with corpus.open("w") as stream:
        for note in toy(60, sentences=1):
            spans = [{"start": s.start, "end": s.end, "type": s.type} for s in note.spans]
            stream.write(json.dumps({"id": note.id, "text": note.text, "spans": spans}) + "\n")
    by_model = ("--model", model, "--detector", "model")
    for name, asked in (("with", ("--site", site)), ("without", ())):
        ran = incognote(
            "calibrate", corpus, "-o", tmp_path / name, *by_model, "--risk", 0.06, *asked
        )
        assert ran.status == 0, ran.err
    recall = ("find", notes, *by_model, "--min-recall", 0.94, "--calibration")
    assert incognote(*recall, tmp_path / "with", "--site", site).status == 0
    assert incognote(*recall, tmp_path / "without").status == 0
    for name, asked in (("without", ("--site", site)), ("with", ())):
        ran = incognote(*recall, tmp_path / name, *asked)
        assert ran.status == 2
        assert "the calibration was made with other site files" in ran.err
        assert "or run `incognote calibrate` again" in ran.err


@pytest.mark.parametrize("command", ["deid", "find"])
def test_a_bad_site_file_ends_the_command_before_anything_is_written(
    incognote: Command, tmp_path: Path, site: Path, notes: Path, command: str
) -> None:
    site.write_text(FILE + "\n[[lists]]\nname = 'x'\ntype = 'DOCTOR'\nfile = 'staff.csv'\n")
    out = tmp_path / "out"
    ran = incognote(command, notes, "-o", out, "--site", site, *RULES)
    assert ran.status == 2
    assert "site.toml:33: lists.file: " in ran.err
    assert "Okafor" not in ran.err
    assert not out.exists()


def test_a_column_of_dates_is_refused_beside_moved_dates_of_an_own_type(
    incognote: Command, tmp_path: Path
) -> None:
    (tmp_path / "site.toml").write_text('[types.VISIT]\ncategory = "DATE"\n')
    (tmp_path / "key").write_bytes(b"k" * 32)
    (tmp_path / "key").chmod(0o600)
    table = tmp_path / "notes.csv"
    rows = [f"2019-03-{day:02},Seen on 3/{day}/2019." for day in range(1, 29)]
    table.write_text("\n".join(["visit_date,note", *rows]) + "\n")
    words = (
        "--site",
        tmp_path / "site.toml",
        "--text-field",
        "note",
        "--key-file",
        tmp_path / "key",
    )
    ran = incognote("deid", table, *words, "--replace", "tag,VISIT=shift", *RULES)
    assert ran.status == 2
    assert "the column 'visit_date'" in ran.err
