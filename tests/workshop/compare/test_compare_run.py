"""A comparison from its first cell to its choice: what is run, what stays, what is refused."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file
from toy_corpus import toy
from workshop.compare.comparing import (
    ALBERT,
    BERT,
    DATA,
    DEFAULTS,
    NOTES,
    TWO_RATES,
    Seen,
    compared,
)

from incognote.base.errors import RunError
from incognote.base.lock import InUseError
from incognote.corpus.predictions import read_predicted
from incognote.document import Document, Span
from incognote.evaluate import Resampling, score
from incognote.formats import Fields
from incognote.pipeline import Deidentifier
from incognote.workshop.compare import cell
from incognote.workshop.compare.data import Data
from incognote.workshop.compare.estimate import Budget
from incognote.workshop.compare.results import Comparison, best_cells, load_comparison
from incognote.workshop.export.run import export
from incognote.workshop.fine_tuning import Parts
from incognote.workshop.finetune.checkpoint import load_checkpoint

pytestmark = pytest.mark.usefixtures("here")


class Killed(BaseException):
    """As sudden as a kill, for the code that runs."""


def figures(comparison: Comparison) -> dict[str, Any]:
    return {
        cell.id: (
            cell.state,
            cell.validation_score,
            [row["loss"] for row in cell.curve],
            *(cell.predictions(part).read_text() for part in ("validation", "test")),
        )
        for cell in comparison.cells
    }


def test_the_best_of_each_encoder_is_chosen_and_only_its_weights_stay(tmp_path: Path) -> None:
    view = Seen()
    out = tmp_path / "out"
    made = compared(out, DEFAULTS + TWO_RATES, BERT, ALBERT, view=view)
    assert [cell.state for cell in made.cells] == ["done"] * 4
    assert [cell.encoder for cell in made.cells] == ["bert", "bert", "albert", "albert"]
    assert [id.split("-")[0] for id in view.run] == ["bert", "albert", "bert", "albert"]
    best = best_cells(made)
    assert list(best) == ["bert", "albert"]
    for name, each in best.items():
        assert each.validation_score == max(rival.validation_score or 0 for rival in made.of(name))
        assert dict(each.varied).keys() == {"lr"}
        assert load_checkpoint(out / "best" / name).training["options"]["lr"] == each.varied["lr"]
        assert len(each.predictions("train").read_text().splitlines()) == len(DATA.parts.train)
    kept = {each.id for each in best.values()}
    for each in made.cells:
        assert (each.folder / "model.safetensors").exists() == (each.id in kept)
        assert len(each.predictions("test").read_text().splitlines()) == len(DATA.parts.test)
    facts = {each.name: each for each in made.encoders}
    assert (facts["albert"].random, facts["albert"].origin) == (True, "preset")
    assert (facts["albert"].embedding_size, facts["bert"].embedding_size) == (128, 32)
    assert made.parts["test"]["notes"] == 4
    assert made.parts["test"]["types"] == {"PATIENT": 12, "CITY": 12, "DATE": 12}


def by_words(comparison: Comparison) -> list[float | None]:
    """Word F1 on validation, from what the cells found there."""
    return [
        score(
            DATA.parts.validation,
            read_predicted(cell.predictions("validation"), "jsonl", Fields()),
            blocks=["study"],
            resampling=Resampling(resamples=0),
        ).value("study", "overall", "f1")
        for cell in comparison.cells
    ]


def test_the_choice_can_be_by_words(tmp_path: Path) -> None:
    grid = (DEFAULTS + "lr = [1e-2, 3e-3, 1e-3]", BERT)
    strict = compared(tmp_path / "out", *grid, keep_weights=True)
    words = compared(tmp_path / "out", 'select = "words"', *grid, keep_weights=True)
    assert (strict.select, words.select) == ("strict", "words")
    assert [cell.validation_score for cell in strict.cells] == [
        c.training["validation"]["f1"] for c in words.cells
    ]
    figures = by_words(words)
    assert [cell.validation_score for cell in words.cells] == figures
    best = max(range(3), key=lambda place: figures[place] or 0.0)
    assert best_cells(words)["bert"].id == words.cells[best].id


def test_what_was_asked_for_goes_before_the_grid(tmp_path: Path) -> None:
    made = compared(tmp_path / "out", 'select = "words"', DEFAULTS, BERT, select="strict")
    assert made.select == "strict"


def test_another_choice_needs_the_weights_it_would_take(tmp_path: Path) -> None:
    grid = (DEFAULTS + TWO_RATES, BERT)
    out = tmp_path / "out"
    made = compared(out, *grid)
    best, other = sorted(made.cells, key=lambda cell: -(cell.validation_score or 0.0))
    figures = {"precision": 1.0, "recall": 1.0, "accuracy": 1.0}
    for each, f1 in ((best, 0.1), (other, 0.2)):
        (each.folder / "validation.json").write_text(json.dumps({"words": {**figures, "f1": f1}}))
    with pytest.raises(RunError, match="best cell of bert by word F1 has no weights any more"):
        compared(out, *grid, select="words")
    assert load_comparison(out).select == "strict"


def test_a_cell_of_an_earlier_version_gets_its_word_figures(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = compared(out, DEFAULTS, BERT)
    (made.cells[0].folder / "validation.json").unlink()
    assert [
        cell.validation_score for cell in compared(out, DEFAULTS, BERT, select="words").cells
    ] == by_words(made)


def test_predictions_hold_no_text(tmp_path: Path) -> None:
    made = compared(tmp_path / "out", DEFAULTS, BERT)
    line = json.loads(made.cells[0].predictions("test").read_text().splitlines()[0])
    assert line.keys() == {"id", "spans"}
    assert all(span.keys() == {"start", "end", "type", "score"} for span in line["spans"])


def test_a_finished_cell_is_never_run_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = compared(out, DEFAULTS, BERT)
    again = Seen()
    second = compared(out, DEFAULTS, BERT, view=again)
    assert again.run == []
    assert figures(second) == figures(first)


def test_a_changed_grid_adds_cells_and_keeps_the_old(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = compared(out, DEFAULTS, BERT)
    view = Seen()
    second = compared(out, DEFAULTS + "lr = 3e-3", BERT, view=view)
    assert [cell.id for cell in second.cells][:1] == [cell.id for cell in first.cells]
    assert view.run == [second.cells[1].id]
    assert [cell.varied for cell in second.cells] == [{"lr": 5e-5}, {"lr": 3e-3}]


def test_killed_and_continued_it_ends_the_same(tmp_path: Path) -> None:
    grid = (DEFAULTS.replace("1e9", "0") + TWO_RATES, BERT)
    whole = compared(tmp_path / "whole" / "out", *grid)
    out = tmp_path / "broken" / "out"
    for moment in (3, 7):

        def kill(tick: Any, moment: int = moment) -> None:
            if tick.progress.steps == moment:
                raise Killed

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cell, "_pausing", lambda *_, kill=kill: nullcontext(kill))
            with pytest.raises(Killed):
                compared(out, *grid)
    view = Seen()
    broken = compared(out, *grid, view=view)
    assert figures(broken) == figures(whole)
    assert best_cells(broken)["bert"].id == best_cells(whole)["bert"].id
    weights = [load_file(each / "best/bert/model.safetensors") for each in (out, whole.folder)]
    assert all(weights[0][name].equal(weights[1][name]) for name in weights[1])


def test_a_cell_that_diverges_does_not_stop_the_others(tmp_path: Path) -> None:
    out = tmp_path / "out"
    grid = (DEFAULTS + "lr = [1e9, 3e-3]\nwarmup = 0.0", BERT)
    made = compared(out, *grid)
    assert [cell.state for cell in made.cells] == ["failed", "done"]
    assert "try a lower learning rate" in (made.cells[0].reason or "")
    assert best_cells(made)["bert"].id == made.cells[1].id
    again, retried = Seen(), Seen()
    compared(out, *grid, view=again)
    compared(out, *grid, view=retried, retry_failed=True)
    assert (again.run, retried.run) == ([], [made.cells[0].id])


def test_other_notes_or_labels_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    compared(out, DEFAULTS, BERT)
    written = (out / "comparison.json").read_bytes()
    fewer = Data(Parts(train=NOTES[:7], validation=NOTES[8:10], test=NOTES[10:]))
    with pytest.raises(RunError, match="begun on other notes"):
        compared(out, DEFAULTS, BERT, data=fewer)
    with pytest.raises(RunError, match="begun on other labels"):
        compared(out, DEFAULTS, BERT, labels="full")
    with pytest.raises(RunError, match="bert has had other weights, sizes"):
        compared(out, DEFAULTS, BERT.replace("layers=2", "layers=1"))
    assert (out / "comparison.json").read_bytes() == written


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(RunError, match="is not empty, and holds no comparison"):
        compared(tmp_path / "out", DEFAULTS, BERT)
    with pytest.raises(RunError, match=r"no comparison\.json here"):
        load_comparison(tmp_path / "out")


def test_what_cannot_be_begun_is_refused_before_the_first_cell(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(RunError, match="bert: window must be at most 62"):
        compared(out, DEFAULTS, BERT + "window = 63")
    with pytest.raises(RunError, match=r"bert: .*give a tokenizer"):
        compared(out, DEFAULTS, BERT.replace('tokenizer = "tokenizer"', ""))
    with pytest.raises(RunError, match="nothing: nothing: no such folder"):
        compared(out, DEFAULTS, BERT, encoders=["nothing"])
    assert not out.exists()


def test_a_teacher_beside_the_grid_decides_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seed in (("large", 0), ("other", 1)):
        compared(tmp_path / name, DEFAULTS, BERT, seed=seed)
    student = '[encoders.small]\nstart = "large/best/bert"\nkeep_layers = [2]\nteacher = "TAUGHT"\n'
    ids: list[str] = []
    for taught in ("large/best/bert", str(tmp_path / "large/best/bert"), "other/best/bert"):
        monkeypatch.chdir(tmp_path if ids else tmp_path.parent)
        made = compared(tmp_path / "out", DEFAULTS, student.replace("TAUGHT", taught))
        ids.append(made.cells[-1].id)
        assert [cell.state for cell in made.cells] == ["done"] * len(set(ids))
    assert ids[0] == ids[1] != ids[2]
    assert made.encoders[0].layers == 1
    for wrong, said in (("nowhere", "nowhere"), ("tokenizer", "tokenizer")):
        with pytest.raises(RunError, match=said):
            compared(tmp_path / "wrong", DEFAULTS, student.replace("TAUGHT", wrong))
    with pytest.raises(RunError, match="layers to keep must be some of 1 to 2"):
        compared(tmp_path / "wrong", DEFAULTS, student.replace("[2]", "[3]"))
    with pytest.raises(RunError, match="write keep_layers as numbers"):
        compared(tmp_path / "wrong", DEFAULTS, student.replace("[2]", '"2"'))
    assert not (tmp_path / "wrong").exists()


def test_a_type_only_in_test_is_said_and_missed(tmp_path: Path) -> None:
    note = toy(25)[24]
    span = Span.of(note.text, 0, 7, "HOSPITAL")
    odd = Document("odd", note.text, (span, *note.spans))
    view = Seen()
    data = Data(Parts(train=NOTES[:8], validation=NOTES[8:10], test=[odd]))
    made = compared(tmp_path / "out", DEFAULTS + "lr = 3e-3", BERT, data=data, view=view)
    assert "HOSPITAL: in test but not in training, so counted as missed" in view.lines
    assert "B-HOSPITAL" not in made.labels
    tested = json.loads((made.cells[0].folder / "test.json").read_text())
    assert tested["strict"]["recall"] <= 9 / 10


def test_one_note_in_each_part_is_enough(tmp_path: Path) -> None:
    data = Data(Parts(train=NOTES[:1], validation=NOTES[1:2], test=NOTES[2:3]))
    made = compared(tmp_path / "out", DEFAULTS, BERT, data=data)
    assert [cell.state for cell in made.cells] == ["done"]


def test_a_budget_of_cells_leaves_the_rest_for_later(tmp_path: Path) -> None:
    out = tmp_path / "out"
    grid = (DEFAULTS + TWO_RATES, BERT, ALBERT)
    first, second = Seen(), Seen()
    made = compared(out, *grid, view=first, budget=Budget.parse("2"))
    assert [cell.encoder.name for cell in first.estimates[0].fits] == ["bert", "albert"]
    assert [cell.encoder.name for cell in first.estimates[0].later] == ["bert", "albert"]
    assert all((seconds or 0) > 0 for seconds in first.estimates[0].seconds.values())
    assert [cell.state for cell in made.cells] == ["done", "unfinished"] * 2
    compared(out, *grid, view=second)
    assert second.run == [cell.id for cell in made.cells if cell.state == "unfinished"]
    assert [["timing" in line for line in view.lines].count(True) for view in (first, second)] == [
        1,
        0,
    ]


def test_chosen_cells_are_tested_with_the_rules_as_deid_uses_them(tmp_path: Path) -> None:
    out = tmp_path / "out"
    compared(out, DEFAULTS + TWO_RATES, BERT)
    assert not list(out.glob("**/*rules*"))
    made = compared(out, DEFAULTS + TWO_RATES, BERT, with_rules=True)
    best = best_cells(made)["bert"]
    export([out / "best" / "bert"], tmp_path / "model")
    for path, deidentifier in (
        (best.predictions_with_rules, Deidentifier(detector="both", model=tmp_path / "model")),
        (made.predictions_by_rules, Deidentifier(detector="rules")),
    ):
        read = map(json.loads, path.read_text().splitlines())
        for note, line in zip(DATA.parts.test, read, strict=True):
            spans = deidentifier(note.text).spans
            found = [(span["start"], span["end"], span["type"]) for span in line["spans"]]
            assert line["id"] == note.id
            assert found == [(span.start, span.end, span.type) for span in spans]
    assert any(deidentifier(note.text).spans for note in DATA.parts.test)
    others = [cell for cell in made.cells if cell.id != best.id]
    assert not any(cell.predictions_with_rules.exists() for cell in others)


def test_all_weights_stay_if_asked(tmp_path: Path) -> None:
    made = compared(tmp_path / "out", DEFAULTS + TWO_RATES, BERT, keep_weights=True)
    assert all((cell.folder / "model.safetensors").exists() for cell in made.cells)


def test_two_comparisons_in_one_folder_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"

    class Impatient(Seen):
        def say(self, line: str) -> None:
            with pytest.raises(InUseError, match=r"another run is writing here \(compare, process"):
                compared(out, DEFAULTS, BERT)
            raise Killed

    with pytest.raises(Killed):
        compared(out, DEFAULTS, BERT, view=Impatient())
