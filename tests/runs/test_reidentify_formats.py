"""Every format and every operator: what reidentify writes is what deid read, byte for byte."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from formats.note_strategies import folder, replacements
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vaults import KEY, clean_anywhere, open_vault

from incognote.formats.fields import Fields
from incognote.runs.plan import plan
from incognote.runs.reidentify import reidentify
from incognote.runs.settings import Settings

OPERATORS = ["tag", "redact", "mask", "hash", "surrogate", "keep"]
FIELDS = Fields(("note", "other"), "key")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

HARD = "\r\n\t \x85\u2028\ufeff[]|<>&;\"',\\/aZ09é😀e\u0301"
texts = st.lists(
    st.text(st.sampled_from(HARD), max_size=25) | st.just("") | replacements,
    min_size=1,
    max_size=6,
)


def text_file(text: str, draw: random.Random) -> bytes:
    return draw.choice([b"", b"\xef\xbb\xbf"]) + text.encode()


def csv_file(notes: list[str], draw: random.Random) -> bytes:
    """With quotes where none are needed, blank lines and either line end."""
    end = draw.choice([b"\n", b"\r\n"])

    def cell(value: str) -> bytes:
        plain = value.encode()
        if not re.search(rb'[",\r\n]', plain) and plain and draw.random() < 0.6:
            return plain
        return b'"' + plain.replace(b'"', b'""') + b'"'

    rows = [b"key,note,x,other"]
    for count, note in enumerate(notes):
        rows.append(b",".join(map(cell, (str(count), note, "kept", note[::-1]))))
        if draw.random() < 0.2:
            rows.append(b"")
    return end.join(rows) + draw.choice([end, b""])


def jsonl_file(notes: list[str], draw: random.Random) -> bytes:
    """With either spelling, spans of its own or none, nulls and blank lines."""
    lines = []
    for count, note in enumerate(notes):
        row: dict[str, object] = {"key": count, "note": note, "n": 1.0, "other": note + note}
        if note and draw.random() < 0.4:
            row["spans"] = [{"start": 0, "end": 1, "type": "PATIENT", "colour": "red"}]
        if draw.random() < 0.2:
            row["other"] = None
        spaced = draw.choice([(",", ":"), (" , ", " : ")])
        lines.append(json.dumps(row, ensure_ascii=draw.random() < 0.5, separators=spaced))
        if draw.random() < 0.2:
            lines.append("  ")
    return "\n".join(lines).encode() + draw.choice([b"\n", b""])


def xml_file(text: str, draw: random.Random) -> bytes:
    text = _NOT_XML.sub("", text).replace("\r", "") or "x"
    if draw.random() < 0.5:
        inside = f"<![CDATA[{text.replace(']]>', '')}]]>"
    else:
        inside = escape(text).replace("é", "&#233;").replace("]]&gt;", "]&#93;&gt;")
    tag = '<NAME id="P9" start="0" end="1" TYPE="PATIENT" comment="c"/>'
    tags = draw.choice(["", "<TAGS></TAGS>", f"<TAGS>\n  {tag}\n</TAGS>"])
    return f'<?xml version="1.0"?>\n<r><!-- c --><TEXT>{inside}</TEXT>{tags}</r>'.encode()


def make(parent: Path, notes: list[str], draw: random.Random) -> None:
    (parent / "ward").mkdir(parents=True)
    (parent / "table.csv").write_bytes(csv_file(notes, draw))
    (parent / "ward" / "table.jsonl").write_bytes(jsonl_file(notes, draw))
    for count, note in enumerate(notes):
        (parent / f"SMITH-{count}.txt").write_bytes(text_file(note, draw))
        (parent / f"SMITH-{count}.xml").write_bytes(xml_file(note, draw))
        (parent / "ward" / f"brat-{count}.txt").write_bytes(text_file(note, draw))
        (parent / "ward" / f"brat-{count}.ann").write_bytes(b"#1\tNote T1\tof SMITH\n")
        marked = f"[[PATIENT|Ada]]{note.replace('[', '(').replace(']', ')')}[[DATE|3/4]]"
        (parent / "ward" / f"inline-{count}.txt").write_bytes(marked.encode())


def contents(parent: Path) -> dict[str, bytes]:
    return {
        path.relative_to(parent).as_posix(): path.read_bytes()
        for path in sorted(parent.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def anything_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Settings, "cleaner", clean_anywhere)


@pytest.mark.usefixtures("anything_is_replaced")
@pytest.mark.parametrize("operator", OPERATORS)
@given(notes=texts, seed=st.integers(0, 1 << 30), names=st.sampled_from(["number", "hash", "keep"]))
@settings(max_examples=5, suppress_health_check=list(HealthCheck))
def test_a_folder_of_everything_comes_back(
    operator: str, notes: list[str], seed: int, names: str
) -> None:
    with folder() as parent:
        make(parent / "notes", notes, random.Random(seed))
        asked = Settings(
            replace=operator,
            key=KEY,
            fields=FIELDS,
            find_by="rules",
            names=names,  # type: ignore[arg-type]
            workers=1,
        )
        with closing(open_vault(parent / "vault")) as vault:
            audit = plan([str(parent / "notes")], parent / "out", asked, vault=vault).run()
        refused = {failure.input for failure in audit.failures}
        assert audit.tally.notes > 2 * audit.tally.failed
        with closing(open_vault(parent / "vault", make=False)) as vault:
            result = reidentify(str(parent / "out"), parent / "back", vault)
        assert result.written
        assert result.exact == result.notes == audit.tally.notes
        before, after = contents(parent / "notes"), contents(parent / "back")
        assert after.items() <= before.items()
        missing = {name.removesuffix(".ann") for name in before.keys() - after.keys()}
        assert len({name.removesuffix(".txt") for name in missing}) <= len(refused)


def deid(source: Path, out: Path, vault_path: Path, **options: object) -> None:
    asked = Settings(find_by="rules", **options)  # type: ignore[arg-type]
    with closing(open_vault(vault_path)) as vault:
        assert not plan([str(source)], out, asked, vault=vault).run().failures


NOTE = "Seen by Dr. Ama Brandt, 3/14/2019."


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("n.txt", f"\ufeff{NOTE}\r\n".encode()),
        ("n.csv", f'id,text\n1,Dr. Brandt\n"2","{NOTE}"\n'.encode()),
        ("n.jsonl", json.dumps({"text": NOTE}).encode()),
        ("n.xml", f"<r><TEXT>{NOTE}&amp;&#10;</TEXT></r>".encode()),
        ("n.txt", b"Seen by Dr. [[DOCTOR|Ama Brandt]] today"),
    ],
)
def test_single_files(tmp_path: Path, name: str, content: bytes) -> None:
    source, out, back = (tmp_path / f"{part}-{name}" for part in ("in", "out", "back"))
    source.write_bytes(content)
    deid(source, out, tmp_path / "vault")
    assert b"Brandt" not in out.read_bytes()
    with closing(open_vault(tmp_path / "vault", make=False)) as vault:
        assert reidentify(str(out), back, vault).exact == (2 if name == "n.csv" else 1)
    assert back.read_bytes() == content


def test_gzip_comes_back_with_the_same_content(tmp_path: Path) -> None:
    source = tmp_path / "notes"
    source.mkdir()
    (source / "a.txt.gz").write_bytes(gzip.compress(NOTE.encode()))
    deid(source, tmp_path / "out", tmp_path / "vault")
    with closing(open_vault(tmp_path / "vault", make=False)) as vault:
        reidentify(str(tmp_path / "out"), tmp_path / "back", vault)
        assert gzip.decompress((tmp_path / "back" / "a.txt.gz").read_bytes()) == NOTE.encode()
        packed = tmp_path / "out" / "note-000001.txt.gz"
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
        reidentify(str(tmp_path / "out"), tmp_path / "plain", vault)
    assert (tmp_path / "plain" / "a.txt").read_text() == NOTE


def test_parquet_comes_back_with_the_same_values(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"id": n, "text": None if n == 3 else f"{n}: {NOTE}", "x": [n]} for n in range(9)]
    table = arrow.Table.from_pylist(rows)
    parquet.write_table(table, tmp_path / "in.parquet")
    deid(tmp_path / "in.parquet", tmp_path / "out.parquet", tmp_path / "vault")
    with closing(open_vault(tmp_path / "vault", make=False)) as vault:
        result = reidentify(str(tmp_path / "out.parquet"), tmp_path / "back.parquet", vault)
    assert (result.notes, result.exact) == (8, 0)
    assert parquet.read_table(tmp_path / "back.parquet").equals(table)


def _resaved(out: Path) -> None:
    """As another program writes it: quotes gone, a column gone, one added."""
    import csv

    with out.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    with out.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, ["text", "score"])
        writer.writeheader()
        writer.writerows({"text": row["text"], "score": 1} for row in reversed(rows))


def _spans_dropped(out: Path) -> None:
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    out.write_text("".join(json.dumps({"text": row["text"]}) + "\n" for row in rows[1:]))


@pytest.mark.parametrize(
    ("ending", "content", "change", "expected"),
    [
        (
            ".csv",
            'id,text\n1,"Dr. Brandt, 3/4/2019"\n2,No Dr. Obi\n',
            _resaved,
            'text,score\r\nNo Dr. Obi,1\r\n"Dr. Brandt, 3/4/2019",1\r\n',
        ),
        (
            ".jsonl",
            '{"id": 1, "text": "Dr. Obi"}\n{"id": 2, "text": "To Dr. Ng on 3/4/2019"}\n',
            _spans_dropped,
            '{"text": "To Dr. Ng on 3/4/2019", "spans": [{"start": 7, "end": 9, "type": "DOCTOR"},'
            ' {"start": 13, "end": 21, "type": "DATE"}]}\n',
        ),
    ],
)
def test_a_table_that_was_edited_gets_its_texts_back(
    tmp_path: Path, ending: str, content: str, change: Callable[[Path], None], expected: str
) -> None:
    source, out, back = (tmp_path / f"{part}{ending}" for part in ("in", "out", "back"))
    source.write_text(content)
    deid(source, out, tmp_path / "vault")
    change(out)
    with closing(open_vault(tmp_path / "vault", make=False)) as vault:
        result = reidentify(str(out), back, vault)
    assert result.exact == 0
    assert back.read_bytes().decode() == expected
