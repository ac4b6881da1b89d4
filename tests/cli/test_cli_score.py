"""`incognote score` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Command

from incognote.document import Document, Span
from incognote.formats import write

SECRET = "Zabrowski"
TEXT = f"Seen {SECRET} by Dr. Okafor on 3/14/2019."
MARKS = ((5, 14, "PATIENT"), (22, 28, "DOCTOR"), (32, 41, "DATE"))


def document(id: str, *marks: tuple[int, int, str], source: str = "gold") -> Document:
    return Document(id, TEXT, tuple(Span.of(TEXT, *mark, source=source) for mark in marks))


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    write([document(f"n{n}", *MARKS) for n in range(4)], tmp_path / "gold.jsonl", "jsonl")
    return tmp_path / "gold.jsonl"


@pytest.fixture
def found(tmp_path: Path) -> Path:
    notes = [
        document(
            f"n{n}",
            (22, 28, "DOCTOR"),
            (32, 41 - n % 2, "DATE"),
            source=f"rules.{'dates' if n else 'names'}",
        )
        for n in range(4)
    ]
    write(notes, tmp_path / "found.jsonl", "jsonl")
    return tmp_path / "found.jsonl"


def test_tables_with_the_release_first(incognote: Command, gold: Path, found: Path) -> None:
    ran = incognote("score", gold, found, "--resamples", 50)
    assert ran.status == 0
    assert ran.err == ""
    out = ran.out.decode()
    heads = ["Release", "Release by type", "By detector", "i2b2 2014 track 1, all types", "study"]
    assert [out.index(head) for head in heads] == sorted(out.index(head) for head in heads)
    lines = {line.split("  ")[0]: " ".join(line.split()) for line in out.splitlines()[::-1]}
    # 12 spans: 4 doctors and 2 dates are whole, 2 dates lack their last digit, 4 patients show
    assert lines["covered recall"].startswith("covered recall 50.00 ")
    assert lines["covered recall"].endswith("6 of 12")
    assert lines["leaked notes"].startswith("leaked notes 100.00 100.00–100.00 4 of 4")
    assert lines["over-redaction"].startswith("over-redaction 0.00")
    assert lines["strict, micro"].startswith("strict, micro 75.00 50.00 60.00")
    assert lines["rules.names"].startswith("rules.names 2 100.00")
    assert "MEDDOCAN" not in out
    assert SECRET not in out


def test_figures_as_json(incognote: Command, gold: Path, found: Path) -> None:
    ran = incognote("score", gold, found, "--json", "--resamples", 0)
    figures = json.loads(ran.out)
    (system,) = figures["systems"]
    assert system["name"] == "found"
    assert system["release"]["covered_recall"]["value"] == 0.5
    assert system["i2b2"]["all"]["strict"]["micro"]["f1"]["value"] == pytest.approx(0.6)
    assert figures["comparisons"] == []


def test_what_find_writes_can_be_scored(incognote: Command, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    write([document("n1", *MARKS), document("n2", *MARKS)], notes, "i2b2")
    assert incognote("find", notes, "-o", tmp_path / "spans.jsonl").status == 0
    ran = incognote("score", notes, tmp_path / "spans.jsonl", "--json", "--resamples", 0)
    assert ran.status == 0
    (system,) = json.loads(ran.out)["systems"]
    assert system["missing"] == []
    assert system["release"]["covered_recall_by_type"]["DATE"]["value"] == 1.0


def test_a_missing_prediction_is_loud(incognote: Command, gold: Path, tmp_path: Path) -> None:
    write([document("n1", *MARKS)], tmp_path / "few.jsonl", "jsonl")
    for more in ((), ("--json",)):
        ran = incognote("score", gold, tmp_path / "few.jsonl", "--resamples", 0, *more)
        assert ran.status == 1
        assert (
            "3 of 4 gold notes have no prediction and count as all missed (index 0, 2, 3)"
            in ran.err
        )


def test_several_predictions_side_by_side(incognote: Command, gold: Path, found: Path) -> None:
    ran = incognote("score", gold, found, gold, "--resamples", 50)
    assert ran.status == 0
    lines = [" ".join(line.split()) for line in ran.out.decode().splitlines()]
    assert "found interval gold interval" in lines
    assert any(line.startswith("covered recall 50.00 ") and "100.00" in line for line in lines)
    assert "gold against found, paired" in lines
    assert any(line.startswith("covered recall +50.00 ") for line in lines)
    assert "difference interval p" in lines


def test_the_page_of_errors_is_private(
    incognote: Command, gold: Path, found: Path, tmp_path: Path
) -> None:
    page = tmp_path / "new" / "errors.html"
    ran = incognote("score", gold, found, "--errors", page, "--resamples", 20)
    assert ran.status == 0
    assert page.stat().st_mode & 0o777 == 0o600
    text = page.read_text(encoding="utf-8")
    assert text.index("This page shows identifiers of patients") < text.index("<main>")
    assert SECRET in text
    assert SECRET not in ran.out.decode() + ran.err
    assert "PHI" in ran.err
    again = incognote("score", gold, found, "--errors", page)
    assert again.status == 2
    assert "--overwrite" in again.err
    assert incognote("score", gold, gold, "--errors", page, "--overwrite").status == 0
    assert SECRET not in page.read_text(encoding="utf-8")


def test_no_output_replaces_what_is_scored(
    incognote: Command, gold: Path, found: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    write([document("n1", *MARKS)], folder, "i2b2")
    before = [path.read_bytes() for path in (gold, found, folder / "n1.xml")]
    for inputs, option, output in (
        ((gold, found), "--errors", gold),
        ((gold, found), "--errors", found),
        ((folder, found), "--errors", folder / "n1.xml"),
        ((folder, found), "--plot", folder),
    ):
        ran = incognote("score", *inputs, option, output, "--overwrite", "--resamples", 0)
        assert ran.status == 2
        assert "choose another output" in ran.err
        assert ran.out == b""
    assert [path.read_bytes() for path in (gold, found, folder / "n1.xml")] == before
    assert [path.name for path in folder.iterdir()] == ["n1.xml"]


def test_plots(incognote: Command, gold: Path, found: Path, tmp_path: Path) -> None:
    ran = incognote("score", gold, found, gold, "--plot", tmp_path / "plots", "--resamples", 20)
    assert ran.status == 0
    names = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert names == ["f1-by-type.png", "f1-by-type.svg"]


def test_without_matplotlib_the_extra_is_named_before_the_work(
    incognote: Command, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = incognote("score", gold, gold, "--plot", tmp_path / "plots")
    assert ran.status == 2
    assert "pip install 'incognote[report]'" in ran.err
    assert ran.out == b""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["score"], "GOLD"),
        (["score", "{gold}"], "PREDICTED"),
        (["score", "nowhere", "{gold}"], "nowhere: cannot be read"),
        (["score", "{gold}", "nowhere"], "nowhere: cannot be read"),
        (["score", "{gold}", "{gold}", "--map", "klingon"], "meddocan, presidio"),
        (["score", "{gold}", "{gold}", "{gold}", "--errors", "x.html"], "one prediction"),
        (["score", "{gold}", "{gold}", "--errors", "{folder}"], "is a folder"),
        (["score", "{gold}", "{gold}", "--plot", "{gold}"], "is not a folder"),
        (["score", "{gold}", "{gold}", "--resamples", "-1"], "resamples"),
        (["score", "{gold}", "{other}"], "differs from that of gold note 0"),
        (["score", "{gold}", "{broken}"], "broken.jsonl, line 1"),
        (["score", "{gold}", "{gold}", "--format", "i2b2"], "gold.jsonl"),
    ],
)
def test_mistakes_end_in_one_sentence(
    incognote: Command, gold: Path, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    other, broken = tmp_path / "other.jsonl", tmp_path / "broken.jsonl"
    write([Document("n0", f"{TEXT} More.")], other, "jsonl")
    broken.write_text(f"{SECRET}\n", encoding="utf-8")
    names = {"gold": gold, "folder": tmp_path, "other": other, "broken": broken}
    ran = incognote(*(word.format(**names) for word in arguments))
    assert ran.status == 2
    assert len(ran.err.strip().splitlines()) == 1
    assert expected in ran.err
    assert SECRET not in ran.err
    assert ran.out == b""


def test_help_is_light() -> None:
    code = (
        "import sys; sys.argv = ['incognote', 'score', '--help']\n"
        "from incognote.cli import main\n"
        "try: main()\nexcept SystemExit as exit: assert exit.code == 0\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "matplotlib", "lxml", "torch", "pyarrow"} & set(ran.stderr.split())


def test_gold_without_a_single_mark_is_no_gold(incognote: Command, tmp_path: Path) -> None:
    gold, found = tmp_path / "gold", tmp_path / "found.jsonl"
    gold.mkdir()
    (gold / "a.txt").write_text("Seen by Dr. Okafor.")
    assert incognote("find", gold, "-o", found, "--detector", "rules").status == 0
    ran = incognote("score", gold, found)
    assert ran.status == 2
    assert "none of its 1 note has an annotated identifier" in ran.err
    assert ran.out == b""
    insisted = incognote("score", gold, found, "--without-identifiers")
    assert insisted.status == 0
    assert b"over-redaction" in insisted.out
