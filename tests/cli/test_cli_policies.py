"""`--policy` in `deid`, and the command that lists and shows policies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

from incognote.phi import TYPES
from incognote.replace.policy import POLICIES

NOTE = (
    "Ms. Ngozi Okafor, 93 y/o, DOB 2/3/1926, MRN: 307-74-18. Seen 3/14/2019 by Dr. Brandt,\r\n"
    "Bangor, ME 04401. Daughter (age 63) in Barton, VT 05901.\n"
)
SAFE = (
    "Ms. [PATIENT], 90+ y/o, DOB [DATE], MRN: [MEDICALRECORD]. Seen 2019 by Dr. [DOCTOR],\r\n"
    "[CITY], ME 044. Daughter (age 63) in [CITY], VT 000.\n"
)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_bytes(NOTE.encode())
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_bytes(b"k" * 32)
    path.chmod(0o600)
    return path


def test_safe_harbor_and_its_audit(incognote: Command, note: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    ran = incognote("deid", note, "-o", out, "--policy", "safe-harbor", "--detector", "rules")
    assert ran.status == 0
    assert out.read_bytes().decode() == SAFE
    audit = json.loads((tmp_path / "out.txt.audit.json").read_text())
    policy = audit["settings"]["policy"]
    assert (policy["name"], policy["zip_census"]) == ("safe-harbor", "2000, 2010, 2020")
    assert len(policy["digest"]) == 16
    assert policy["replaced_otherwise"] == []
    assert audit["settings"]["key"] is None
    assert audit["replacements"] == {
        "capped": {"AGE": 1, "DATE": 1},
        "kept": {"AGE": 1, "STATE": 2},
        "sparse": {"ZIP": 1},
    }


@pytest.mark.parametrize("more", [(), ("--number",)])
def test_the_default_policy_writes_what_no_policy_writes(
    incognote: Command, note: Path, more: tuple[str, ...]
) -> None:
    plain = incognote("deid", note, "--detector", "rules", *more)
    policy = incognote("deid", note, "--policy", "i2b2", "--detector", "rules", *more)
    assert plain.out == policy.out
    assert b"[PATIENT" in plain.out


def test_replace_goes_before_the_policy_and_it_is_said(incognote: Command, note: Path) -> None:
    ran = incognote(
        "deid", note, "--policy", "safe-harbor", "--replace", "DATE=month", "--detector", "rules"
    )
    assert ran.out.decode() == SAFE.replace("2019", "2019-03")
    assert "replaced otherwise than the policy safe-harbor says: DATE by month" in ran.err
    refused = incognote("deid", note, "--policy", "safe-harbor", "--replace", "tag")
    assert refused.status == 2
    assert "'tag' without a type would replace all" in refused.err
    assert refused.out == b""


def test_a_sites_own_type_replaced_otherwise_is_said_and_listed(
    incognote: Command, tmp_path: Path
) -> None:
    site, note, out = tmp_path / "site.toml", tmp_path / "n.txt", tmp_path / "out.txt"
    site.write_text(
        '[types.BADGE]\ncategory = "ID"\n'
        '[[patterns]]\nname = "badge"\ntype = "BADGE"\npattern = \'BD-\\d{4}\'\n'
    )
    note.write_text("Badge BD-1234.\n")
    words = ("deid", note, "-o", out, "--site", site, "--policy", "safe-harbor")
    ran = incognote(*words, "--replace", "BADGE=keep", "--detector", "rules")
    assert out.read_text() == "Badge BD-1234.\n"
    assert "replaced otherwise than the policy safe-harbor says: BADGE by keep" in ran.err
    audit = json.loads((tmp_path / "out.txt.audit.json").read_text())
    assert audit["settings"]["policy"]["replaced_otherwise"] == ["BADGE"]


def test_what_is_replaced_otherwise_is_said_of_standard_input_too(incognote: Command) -> None:
    words = ("deid", "--format", "jsonl", "--policy", "safe-harbor", "--replace", "DATE=month")
    ran = incognote(*words, "--detector", "rules", "--quiet", stdin=b'{"text": "Seen 3/14/2019"}\n')
    assert json.loads(ran.out) == {"text": "Seen 2019-03"}
    assert "replaced otherwise than the policy safe-harbor says: DATE by month" in ran.err


def test_a_key_is_asked_for_before_a_note_is_read(
    incognote: Command, note: Path, key: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.txt"
    ran = incognote("deid", note, "-o", out, "--policy", "expert")
    assert ran.status == 2
    assert "'surrogate' in the policy expert needs a key: give one with --key-file" in ran.err
    assert not out.exists()
    ran = incognote("deid", note, "-o", out, "--policy", "expert", "--key-file", key)
    assert ran.status == 0
    assert "Okafor" not in out.read_text()


def test_the_date_order_is_heeded_without_surrogates(incognote: Command, tmp_path: Path) -> None:
    note = tmp_path / "n.txt"
    note.write_text("Seen on 3/4/2019.\n")
    words = ("deid", note, "--replace", "tag,DATE=month", "--detector", "rules")
    assert incognote(*words).out == b"Seen on 2019-03.\n"
    ran = incognote(*words, "--date-order", "dmy", "--force-date-order")
    assert ran.out == b"Seen on 2019-04.\n"


@pytest.mark.parametrize("replace", ["tag,DATE=shift", "shift"])
def test_a_column_of_dates_beside_shifted_dates_is_refused(
    incognote: Command, tmp_path: Path, key: Path, replace: str
) -> None:
    table = tmp_path / "notes.csv"
    rows = [f"2019-03-{day:02},Seen on 3/{day}/2019." for day in range(1, 29)]
    table.write_text("\n".join(["visit_date,note", *rows]) + "\n")
    words = (
        "deid",
        table,
        "-o",
        tmp_path / "out.csv",
        "--text-field",
        "note",
        "--replace",
        replace,
    )
    ran = incognote(*words, "--key-file", key, "--detector", "rules")
    assert ran.status == 2
    assert "the column 'visit_date'" in ran.err
    assert not (tmp_path / "out.csv").exists()
    by_policy = tmp_path / "shifted.toml"
    by_policy.write_text('name = "shifted"\nextends = "safe-harbor"\n[types]\nDATE = "shift"\n')
    ran = incognote(*words[:-2], "--policy", by_policy, "--key-file", key, "--detector", "rules")
    assert ran.status == 2
    assert "the column 'visit_date'" in ran.err


def test_a_file_of_ones_own_in_a_run_of_several_processes(
    incognote: Command, tmp_path: Path
) -> None:
    policy = tmp_path / "release.toml"
    policy.write_text('name = "odile"\nextends = "safe-harbor"\n[types]\nCITY = "keep"\n')
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(4):
        (notes / f"{number}.txt").write_bytes(NOTE.encode())
    out = tmp_path / "out"
    ran = incognote(
        "deid", notes, "-o", out, "--policy", policy, "--workers", "2", "--detector", "rules"
    )
    assert ran.status == 0
    expected = SAFE.replace("[CITY], ME", "Bangor, ME").replace("[CITY], VT", "Barton, VT")
    assert {path.read_bytes().decode() for path in out.rglob("*.txt")} == {expected}
    audit = (tmp_path / "out.audit.json").read_text()
    assert json.loads(audit)["settings"]["policy"]["extends"] == "safe-harbor"
    assert "release" not in audit


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            'name = "a"\nextends = "i2b2"\n[types]\nDATE = "never"\n',
            ":4: types.DATE: 'never' is not",
        ),
        (
            'name = "a"\nextends = "i2b2"\n[types]\nSTUDYID = "tag"\n',
            "names STUDYID, which is no type",
        ),
        ('name = "a"\nextends = ', ":2: invalid value"),
    ],
)
def test_nothing_is_written_by_a_policy_that_is_wrong(
    incognote: Command, note: Path, tmp_path: Path, content: str, message: str
) -> None:
    policy = tmp_path / "p.toml"
    policy.write_text(content)
    ran = incognote("deid", note, "-o", tmp_path / "out.txt", "--policy", policy)
    assert ran.status == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not list(tmp_path.glob("out*"))


def test_reidentify_gives_a_note_back_after_a_policy(
    incognote: Command, note: Path, tmp_path: Path
) -> None:
    out, vault = tmp_path / "out.txt", tmp_path / "notes.vault"
    words = ("--vault", vault, "--vault-key-file", tmp_path / "vault.key")
    ran = incognote(
        "deid", note, "-o", out, *words, "--make-key", "--policy", "gdpr", "--detector", "rules"
    )
    assert ran.status == 0, ran.err
    assert "60-64" in out.read_text()
    assert incognote("reidentify", out, "-o", tmp_path / "back.txt", *words).status == 0
    assert (tmp_path / "back.txt").read_bytes().decode() == NOTE


def test_with_spans_marks_what_a_policy_wrote(incognote: Command, tmp_path: Path) -> None:
    source = tmp_path / "n.jsonl"
    source.write_text(json.dumps({"id": "1", "text": NOTE}) + "\n")
    ran = incognote(
        "deid", source, "--policy", "safe-harbor", "--with-spans", "--detector", "rules"
    )
    row = json.loads(ran.out)
    assert row["text"] == SAFE
    shown = {(span["type"], SAFE[span["start"] : span["end"]]) for span in row["spans"]}
    assert {("AGE", "90+"), ("DATE", "2019"), ("ZIP", "000"), ("STATE", "ME")} <= shown


def test_the_list_and_each_policy(incognote: Command, tmp_path: Path) -> None:
    ran = incognote("policies")
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.decode().splitlines()[1:]] == list(POLICIES)
    assert incognote("policies", "list").out == ran.out
    for name in POLICIES:
        shown = incognote("policies", "show", name).out.decode()
        first_words = [line.split()[0] for line in shown.splitlines() if line.strip()]
        assert set(TYPES) <= set(first_words)
        assert "It cannot claim:" in shown
    shown = " ".join(incognote("policies", "show", "safe-harbor").out.decode().split())
    assert "ZIP generalise (three digits, or 000) 164.514(b)(2)(i)(B)" in shown
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\nextends = "i2b2"\n[types]\nSTUDYID = "redact"\n')
    assert "STUDYID               redact" in incognote("policies", "show", own).out.decode()
    ran = incognote("policies", "show", "safe")
    assert ran.status == 2
    assert "'safe' is not a policy" in ran.err
