"""The figures of a comparison, its tables, and the command from notes to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_checkpoints import unsure_model

from benchmarks import quality
from benchmarks.peers.measuring import Cost
from benchmarks.peers.peer import Peer
from benchmarks.peers.quality_figures import Quality, read_spans
from benchmarks.peers.quality_figures import quality as figures_of
from benchmarks.peers.tables import Comparison, Result, as_json, markdown
from incognote import Document, Span
from incognote.evaluate import Figure, Mark, Marks, Resampling
from incognote.formats import FormatError

NO_INTERVALS = Resampling(resamples=0)
TEXT = "Ana Ruiz seen by Dr. Voss on 3/4/2019 in Troy"
GOLD = [
    Document(
        "a",
        TEXT,
        tuple(
            Span.of(TEXT, start, start + len(value), type)
            for value, type in (
                ("Ana Ruiz", "PATIENT"),
                ("Voss", "DOCTOR"),
                ("3/4/2019", "DATE"),
                ("Troy", "CITY"),
            )
            for start in [TEXT.index(value)]
        ),
    )
]
CATEGORIES = {"PERSON": "NAME", "WHEN": "DATE"}


def _marks(*found: tuple[str, str]) -> list[Marks]:
    places = [(TEXT.index(value), len(value), label) for value, label in found]
    return [Marks("a", tuple(Mark(start, start + size, label) for start, size, label in places))]


def _quality(found: list[Marks], categories: dict[str, str] | None) -> Quality:
    return figures_of(GOLD, found, categories, own_types=False, resampling=NO_INTERVALS)


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def test_people_are_judged_apart_and_whatever_they_are_called() -> None:
    found = _quality(_marks(("Ana Ruiz", "PERSON"), ("3/4/2019", "PERSON")), None)
    assert _value(found.covered) == 0.5
    assert _value(found.covered_people) == 0.5
    assert _value(found.leaked) == 1
    assert _value(found.over_redaction) == 0
    assert _value(found.covered_by_type["PATIENT"]) == 1
    assert (found.category_f1, found.type_f1) == (None, None)


def test_labels_are_compared_by_category_and_unknown_ones_are_wrong() -> None:
    right = _marks(("Ana Ruiz", "PERSON"), ("Voss", "PERSON"), ("3/4/2019", "WHEN"))
    found = _quality(right, CATEGORIES)
    assert _value(found.category_f1) == pytest.approx(2 * 1 * 0.75 / 1.75)
    assert _value(found.category_f1_by_category["NAME"]) == 1
    wrong = _quality(_marks(("Ana Ruiz", "PERSON"), ("Troy", "NRP")), CATEGORIES)
    assert _value(wrong.category_f1) == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert _value(wrong.covered) == 0.5


def test_spans_of_a_peer_are_read_with_its_own_labels(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    span = {"start": 0, "end": 8, "type": "PERSON", "score": 0.85}
    path.write_text(json.dumps({"id": "a", "spans": [span]}) + "\n")
    [note] = read_spans(path)
    assert note.marks == (Mark(0, 8, "PERSON", 0.85),)


def test_spans_outside_a_note_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_text('{"id": "a", "spans": [{"start": "0", "end": 8, "type": "PERSON"}]}\n')
    with pytest.raises(FormatError, match="start"):
        read_spans(path)
    with pytest.raises(ValueError, match="does not fit"):
        _quality([Marks("a", (Mark(0, 1000, "PERSON"),))], None)


def test_tables_tell_who_did_not_run_and_no_word_of_a_note() -> None:
    ran = Result(
        Peer("x", "X", "x", "its defaults"),
        {"x": "1.2"},
        quality=_quality(_marks(("Voss", "PERSON")), CATEGORIES),
        cost=Cost(2.0, 1.0, 4.0, 2.0, 120.0),
        same_every_round=False,
    )
    lame = Result(Peer("y", "Y", "y", "all on"), {}, failed="did not install: no | such thing")
    comparison = Comparison(["D"], 8, 100, 4, 1, 2, "2 cores", [ran, lame])
    text = markdown(comparison)
    assert "| Y | not run: did not install: no \\| such thing |" in text
    assert "| X | 2.0 | 25 | 4.0 | 50 | 120 | 2.0 | 1.0 |" in text
    assert "- X: its defaults; x 1.2; its findings differed between rounds." in text
    assert "8 notes (D), 100 words, 4 identifiers; 2 threads, best of 1 round; 2 cores." in text
    stored = json.dumps(as_json(comparison))
    assert json.loads(stored)["results"][0]["quality"]["covered"]["value"] == 0.25
    for word in ("Voss", "Ana", "3/4/2019"):
        assert word not in text + stored


@pytest.mark.parametrize("name", ["E", "H", "I", "corpus", ".", "corpus/E/a.txt", "corpus/D/../E"])
def test_the_sealed_set_stays_closed(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for part in "DEHI":
        (tmp_path / "corpus" / part).mkdir(parents=True)
        (tmp_path / "corpus" / part / "a.txt").write_text("[[PATIENT|Ana]]\n")
    monkeypatch.setattr(quality, "CORPUS", tmp_path.resolve() / "corpus")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="sealed"):
        quality.read_sets([name], "inline", sealed=False)
    assert [note.id for note in quality.read_sets(["D"], None, sealed=False)] == ["D/a"]
    assert [note.id for note in quality.read_sets(["E"], None, sealed=True)] == ["E/a"]


def test_systems_are_chosen_by_name() -> None:
    every = [peer.name for peer in quality.chosen(None, None)]
    assert every[0] == "rules"
    assert {"presidio", "philter", "scrubadub", "pydeid"} <= set(every)
    assert [peer.name for peer in quality.chosen(["philter", "rules"], None)] == [
        "rules",
        "philter",
    ]
    with pytest.raises(ValueError, match="no such system here: both"):
        quality.chosen(["both"], None)


def test_from_notes_to_tables_with_the_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text("Seen by Dr. [[DOCTOR|Vossberg]] on [[DATE|3/14/2019]].\n")
    output = tmp_path / "report"
    arguments = [str(notes), "--format", "inline", "--only", "rules", "--rounds", "2"]
    assert quality.main([*arguments, "-o", str(output)]) == 0
    shown = capsys.readouterr()
    assert "| incognote, rules only | 100.0 %" in shown.out
    assert "no model takes part" in shown.err
    assert (output / "quality.md").read_text() == shown.out
    [system] = json.loads((output / "quality.json").read_text())["results"]
    assert system["same_every_round"]
    assert system["quality"]["covered"]["whole"] == 2
    assert "Vossberg" not in shown.out + shown.err + (output / "quality.json").read_text()


def test_a_model_takes_part_alone_and_with_the_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = unsure_model(tmp_path, epochs=1)
    (tmp_path / "a.txt").write_text("Seen by Dr. [[DOCTOR|Vossberg]] on [[DATE|3/14/2019]].\n")
    arguments = [str(tmp_path / "a.txt"), "--format", "inline", "--only", "model,both"]
    assert quality.main([*arguments, "--model", str(model)]) == 0
    shown = capsys.readouterr().out
    assert "| incognote, model only |" in shown
    assert "| incognote, rules and model | 100.0 %" in shown
    assert "- incognote, rules and model: its defaults; model " in shown
    assert quality.main([*arguments, "--model", str(tmp_path)]) == 2
    assert "no model here" in capsys.readouterr().err


def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert quality.main([str(tmp_path / "nothing")]) == 2
    assert capsys.readouterr().err.startswith("quality: ")
