"""Gold and predictions out of files, views, and what must not go unseen."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from incognote.base.errors import RunError
from incognote.corpus.predictions import read_predicted
from incognote.corpus.scoring import Scores, apply_view, score_files
from incognote.document import Document, Span
from incognote.evaluate import Mark, Marks, Resampling
from incognote.formats import Fields, FormatError, write
from incognote.phi import TYPES, VIEWS

QUICK = Resampling(resamples=0)
SECRET = "Zabrowski"
TEXT = f"Seen {SECRET} on 3/14."
MARKS = ((5, 14, "PATIENT"), (18, 22, "DATE"))


def document(id: str, *marks: tuple[int, int, str], source: str = "gold") -> Document:
    return Document(id, TEXT, tuple(Span.of(TEXT, *mark, source=source) for mark in marks))


GOLD = [document("a", *MARKS), document("b", *MARKS)]


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def span(start: int, end: int, type: str, **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "type": type, **more}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    write(GOLD, tmp_path / "gold.jsonl", "jsonl")
    return tmp_path / "gold.jsonl"


@pytest.mark.parametrize("format", ["i2b2", "brat", "inline", "jsonl"])
def test_every_format_that_holds_spans_scores_the_same(
    tmp_path: Path, gold: Path, format: str
) -> None:
    path = tmp_path / ("predicted.jsonl" if format == "jsonl" else "predicted")
    write([document("a", MARKS[0]), document("b", *MARKS)], path, format)
    (system,) = score_files(str(gold), [str(path)], resampling=QUICK).systems
    assert system.name == "predicted"
    assert system.report.value("i2b2", "all", "strict", "micro", "recall") == 3 / 4
    assert set(system.report.under("release", "by_detector")) == {
        ("predicted", part) for part in ("precision", "alone", "only", "over_redaction")
    }


@pytest.mark.parametrize("name", ["spans.jsonl", "spans.jsonl.gz"])
def test_spans_without_text_are_read_as_find_writes_them(tmp_path: Path, name: str) -> None:
    rows = (
        {"id": "a", "spans": [span(5, 14, "PATIENT", score=0.9, source="rules.names")]},
        {"id": 7, "spans": []},
    )
    path = jsonl(tmp_path / "plain.jsonl", *rows)
    content = b"\xef\xbb\xbf" + path.read_bytes() + b"\n"
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert read_predicted(tmp_path / name, None, Fields()) == [
        Marks("a", (Mark(5, 14, "PATIENT", 0.9, "rules.names"),)),
        Marks("7"),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "b", "spans": "x"}, "line 2: the spans are not a list"),
        ({"spans": []}, "line 2: there is no field 'id'"),
        ({"id": "b", "spans": [7]}, "line 2: span 1 is not an object"),
        ({"id": "b", "spans": [span(5, 14, "")]}, "prediction 1 does not fit gold note 1"),
        ({"id": "b", "spans": [{"start": 1, "type": "AGE"}]}, "lacks a start, an end or a type"),
        ({"id": "b", "spans": [span(1, 2, "AGE", score="x")]}, "score is not a number"),
        ({"id": "b", "spans": [span(5, 999, "AGE")]}, "prediction 1 does not fit gold note 1"),
        ({"id": "a", "spans": []}, "prediction 1 has the same id as prediction 0"),
    ],
)
def test_bad_spans_are_refused_with_file_and_line_and_without_phi(
    tmp_path: Path, gold: Path, row: dict[str, Any], message: str
) -> None:
    path = jsonl(tmp_path / "spans.jsonl", {"id": "a", "spans": []}, row)
    with pytest.raises((FormatError, RunError)) as caught:
        score_files(str(gold), [str(path)], resampling=QUICK)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_file_of_a_folder_is_named_by_its_number(tmp_path: Path, gold: Path) -> None:
    folder = tmp_path / "predicted"
    write([document("a", *MARKS)], folder, "i2b2")
    (folder / f"{SECRET}.xml").write_text("<deIdi2b2><TEXT>", encoding="utf-8")
    with pytest.raises(FormatError, match=r"predicted, file 1.*: ") as caught:
        score_files(str(gold), [str(folder)], resampling=QUICK)
    assert SECRET not in str(caught.value)


def test_other_notes_are_refused(tmp_path: Path, gold: Path) -> None:
    write([document("x"), document("y")], tmp_path / "p.jsonl", "jsonl")
    with pytest.raises(RunError, match="none of its 2 notes has the id of a note in"):
        score_files(str(gold), [str(tmp_path / "p.jsonl")], resampling=QUICK)


def test_nothing_to_score_is_refused(tmp_path: Path, gold: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match="empty: no notes here"):
        score_files(str(tmp_path / "empty"), [str(gold)], resampling=QUICK)
    with pytest.raises(FormatError, match="nowhere: cannot be read"):
        score_files(str(gold), [str(tmp_path / "nowhere")], resampling=QUICK)


def warnings(scores: Scores, tmp_path: Path) -> list[str]:
    return [warning.replace(f"{tmp_path}/", "") for warning in scores.warnings()]


def test_missing_and_extra_notes_are_told_by_index(tmp_path: Path, gold: Path) -> None:
    path = jsonl(
        tmp_path / "p.jsonl", {"id": "x", "spans": []}, {"id": "b", "spans": [span(5, 14, "CITY")]}
    )
    scores = score_files(str(gold), [str(path)], resampling=QUICK)
    assert warnings(scores, tmp_path) == [
        "p.jsonl: 1 of 2 gold notes have no prediction and count as all missed (index 0)",
        "p.jsonl: 1 predictions have no gold note and are not scored (index 0)",
    ]
    assert scores.systems[0].report.value("release", "covered_recall") == 1 / 4


def test_a_side_without_spans_is_told(tmp_path: Path, gold: Path) -> None:
    write([document("a"), document("b")], tmp_path / "none", "text")
    one = score_files(str(gold), [str(tmp_path / "none")], resampling=QUICK)
    assert warnings(one, tmp_path) == ["none: no span is predicted in any note"]
    other = score_files(
        str(tmp_path / "none"), [str(gold)], resampling=QUICK, without_identifiers=True
    )
    assert warnings(other, tmp_path) == ["none: no note has an annotated span"]


SPANISH = (
    (5, 14, "NOMBRE_SUJETO_ASISTENCIA"),
    (18, 22, "FECHAS"),
    (0, 4, "SEXO_SUJETO_ASISTENCIA"),
)


def test_a_view_maps_the_side_that_needs_it_and_says_what_it_drops(tmp_path: Path) -> None:
    write([document("a", *SPANISH)], tmp_path / "gold", "i2b2")
    predictions = jsonl(tmp_path / "p.jsonl", {"id": "a", "spans": [span(*mark) for mark in MARKS]})
    scores = score_files(
        str(tmp_path / "gold"), [str(predictions)], view="meddocan", resampling=QUICK
    )
    assert scores.systems[0].report.value("i2b2", "all", "strict", "micro", "f1") == 1.0
    assert warnings(scores, tmp_path) == [
        "gold: --map meddocan dropped 1 span (SEXO_SUJETO_ASISTENCIA 1)"
    ]
    assert scores.as_dict()["gold"]["dropped"] == {"SEXO_SUJETO_ASISTENCIA": 1}


def test_a_view_maps_spans_without_text() -> None:
    marks = Marks("a", (Mark(0, 4, "PERSON", 0.5, "spacy"), Mark(5, 9, "NRP")))
    mapped, dropped = apply_view(VIEWS["presidio"], [marks])
    assert mapped == [Marks("a", (Mark(0, 4, "PATIENT", 0.5, "spacy"),))]
    assert dropped == {"NRP": 1}


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_no_view_renames_a_type_of_ours(view: Any) -> None:
    """Else leaving alone a side that has only our types would depend on what it has found."""
    assert {type: view.types[type] for type in TYPES if type in view.types}.items() <= {
        type: type for type in TYPES
    }.items()
    same, dropped = apply_view(view, GOLD)
    assert same == GOLD
    assert dropped == Counter()


def test_an_unknown_view_is_refused(gold: Path) -> None:
    with pytest.raises(
        RunError,
        match="'klingon' is not a known scheme: choose one of i2b2-2006, physionet, meddocan",
    ):
        score_files(str(gold), [str(gold)], view="klingon")


def test_meddocan_figures_come_with_its_labels_or_when_asked(tmp_path: Path, gold: Path) -> None:
    def blocks(path: Path, **how: Any) -> set[str]:
        scores = score_files(str(path), [str(path)], resampling=QUICK, **how)
        return {path[0] for path in scores.systems[0].report.figures}

    ours = {"release", "i2b2", "study"}
    write([document("a", *SPANISH)], tmp_path / "spanish", "i2b2")
    assert blocks(gold) == ours
    assert blocks(gold, meddocan=True) == ours | {"meddocan"}
    assert blocks(tmp_path / "spanish") == ours | {"meddocan"}
    assert blocks(tmp_path / "spanish", view="meddocan") == ours


def test_several_predictions_are_compared_with_the_first(tmp_path: Path, gold: Path) -> None:
    worse = [document("a", MARKS[0]), document("b")]
    write(worse, tmp_path / "worse.jsonl", "jsonl")
    paths = [str(tmp_path / "worse.jsonl"), str(gold), str(gold)]
    scores = score_files(str(gold), paths, resampling=Resampling(resamples=20))
    assert [system.name for system in scores.systems] == paths  # two have the same short name
    plain = json.loads(json.dumps(scores.as_dict(), allow_nan=False))
    assert len(plain["systems"]) == 3
    assert len(plain["comparisons"]) == 2
    recall = plain["comparisons"][1]["figures"]["release"]["covered_recall"]
    assert (recall["first"], recall["second"], recall["difference"]) == (1 / 4, 1.0, 3 / 4)
    assert 0 < recall["p"] <= 1
