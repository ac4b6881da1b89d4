"""The report of a comparison that was made without training."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html
from toy_corpus import toy
from workshop.compare.report.tiny_comparison import Encoder, make_comparison

from incognote.base.errors import RunError
from incognote.corpus.predictions import read_predicted
from incognote.document import Document, Span
from incognote.evaluate import Figure, Report, Resampling, compare, score
from incognote.formats import Fields
from incognote.workshop.compare.data import Data
from incognote.workshop.compare.report import write_report
from incognote.workshop.compare.report.material import gather
from incognote.workshop.compare.results import Comparison, best_cells, load_comparison
from incognote.workshop.fine_tuning import Parts

HOW = Resampling(resamples=60)
NAN = "the loss became NaN at step 12 (epoch 1): try a lower learning rate"
ENCODERS = (
    Encoder("good", [0.1, 0.02]),
    Encoder("fair", [0.3, NAN], random=True, options={"crf": True}),
    Encoder("poor", [0.8, 0.5]),
)
ROWS = dict[str, str]


def parts(notes: list[Document]) -> Parts:
    return Parts(train=notes[:8], validation=notes[8:14], test=notes[14:])


def one_source() -> Data:
    return Data(parts(toy(26)))


def three_sources() -> Data:
    notes = toy(26)
    names = ("north", "south", "east")
    return Data(parts(notes), {n.id: names[i % 3] for i, n in enumerate(notes)}, names)


@pytest.fixture
def plotless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Three sources left out in turn, one cell failed; with plots."""
    folder, data = tmp_path_factory.mktemp("finished"), three_sources()
    comparison = make_comparison(folder, data, ENCODERS)
    write_report(folder, comparison, data.parts, resampling=HOW)
    return comparison


def rows(folder: Path, name: str) -> list[ROWS]:
    with (folder / "tables" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def reports(comparison: Comparison, data: Data, part: str) -> dict[str, Report]:
    """What evaluate says of the chosen cells, by encoder."""
    return {
        name: score(
            getattr(data.parts, part),
            read_predicted(cell.folder / "predictions" / f"{part}.jsonl", None, Fields()),
            resampling=HOW,
        )
        for name, cell in best_cells(comparison).items()
    }


def assert_figure(row: ROWS, name: str, figure: Figure) -> None:
    for head, value in ((name, figure.value), (f"{name} low", figure.low)):
        assert row[head] == ("" if value is None else f"{100 * value:.4f}")
    assert row[f"{name} high"] == ("" if figure.high is None else f"{100 * figure.high:.4f}")


COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
    "scores": {
        "strict P %": ("i2b2", "all", "strict", "micro", "precision"),
        "strict R %": ("i2b2", "all", "strict", "micro", "recall"),
        "strict F1 %": ("i2b2", "all", "strict", "micro", "f1"),
        "words P %": ("study", "overall", "precision"),
        "words R %": ("study", "overall", "recall"),
        "words F1 %": ("study", "overall", "f1"),
        "words accuracy %": ("study", "accuracy"),
    },
    "release": {
        "covered recall %": ("release", "covered_recall"),
        "leaked notes %": ("release", "leaked_notes"),
        "over-redaction %": ("release", "over_redaction"),
    },
}


@pytest.mark.parametrize("table", COLUMNS)
@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_scores_are_those_of_evaluate(finished: Comparison, table: str, part: str) -> None:
    figures = reports(finished, three_sources(), part)
    read = {row["model"]: row for row in rows(finished.folder, table) if row["part"] == part}
    assert set(read) == {"good", "fair", "poor"}
    for name, report in figures.items():
        for head, path in COLUMNS[table].items():
            assert_figure(read[name], head, report.figures[path])


def test_f1_of_each_type_is_that_of_evaluate_with_its_support(finished: Comparison) -> None:
    figures = reports(finished, three_sources(), "test")
    read = {row["type"]: row for row in rows(finished.folder, "f1-by-type")}
    assert set(read) == {"all types", "CITY", "DATE", "PATIENT"}
    for type in ("CITY", "DATE", "PATIENT"):
        assert read[type]["spans"] == "36"
        for name, head in (("good", "good %"), ("fair", "fair (random weights) %")):
            assert_figure(read[type], head, figures[name].figures["study", "by_type", type, "f1"])
    words = figures["good"].figures["study", "by_type", "PATIENT", "recall"].whole
    assert read["PATIENT"]["words"] == f"{words:.0f}"
    assert read["all types"]["spans"] == "108"


def test_the_best_cell_on_validation_is_chosen(finished: Comparison) -> None:
    read = rows(finished.folder, "chosen")
    assert [(row["model"], row["learning rate"]) for row in read] == [
        ("good", "2e-05"),
        ("fair", "1e-05"),
        ("poor", "2e-05"),
    ]
    assert [row["cells done"] for row in read] == ["2 of 2", "1 of 2", "2 of 2"]
    best = best_cells(finished)["good"]
    assert read[0]["validation strict F1 %"] == f"{100 * (best.validation_score or 0):.4f}"
    glance = rows(finished.folder, "glance")
    assert [row["model"] for row in glance] == ["good", "fair", "poor"]


def test_the_grid_tells_what_was_tried_and_what_was_fixed(finished: Comparison) -> None:
    read = {row["model"]: row for row in rows(finished.folder, "grid")}
    assert read["good"]["learning rate"] == "1e-05, 2e-05"
    studied = [read["good"][name] for name in ("batch size", "epochs", "weight decay", "cells")]
    assert studied == ["4096 tokens", "4", "0.01", "2"]
    assert (read["good"]["crf"], read["fair"]["crf"]) == ("no", "yes")
    fixed = {row["option"]: row["value"] for row in rows(finished.folder, "fixed-options")}
    assert fixed["warmup"] == "0.1"
    assert not {"epochs", "lr", "crf", "save_seconds"} & set(fixed)


def test_data_are_counted_by_part_and_source(finished: Comparison) -> None:
    read = {row[""]: row for row in rows(finished.folder, "data")}
    assert [read["notes"][part] for part in ("train", "validation", "test", "total")] == [
        "8",
        "6",
        "12",
        "26",
    ]
    assert read["CITY"]["test"] == "36"
    sources = rows(finished.folder, "sources")
    assert sum(int(row["notes"]) for row in sources) == 26
    assert {row["source"] for row in sources} == {"north", "south", "east"}


def test_pairs_are_those_of_evaluate_but_wider(finished: Comparison) -> None:
    data = three_sources()
    best = best_cells(finished)
    good, poor = (
        read_predicted(best[name].predictions("test"), None, Fields()) for name in ("good", "poor")
    )
    path = ("meddocan", "ner", "f1")
    once = compare(data.parts.test, poor, good, blocks=["meddocan"], resampling=HOW)[path]
    read = {
        (row["model"], row["against"]): row
        for row in rows(finished.folder, "significance")
        if row["figure"] == "strict F1"
    }
    row = read["good", "poor"]
    assert len(read) == 3
    assert once.difference is not None
    assert once.low is not None
    assert row["difference, points"] == f"{100 * once.difference:.4f}"
    assert float(row["difference, points low"]) <= 100 * once.low + 0.5
    assert row["they differ"] == "yes"
    assert float(row["p, corrected"]) < 0.05
    matrix = {row["model"]: row for row in rows(finished.folder, "significance-matrix")}
    assert matrix["good"]["minus poor"] == row["difference, points"]
    assert float(matrix["poor"]["minus good"]) == -float(row["difference, points"])
    assert matrix["good"]["minus good"] == ""


def test_unseen_sources_are_compared_on_the_same_notes(finished: Comparison) -> None:
    data = three_sources()
    read = {(row["model"], row["source"]): row for row in rows(finished.folder, "unseen-sources")}
    assert len(read) == 9
    gold = [note for note in data.parts.test if data.source_of[note.id] == "south"]
    ids = {note.id for note in gold}
    figures = {}
    for word, fold in (("seen", None), ("unseen", "south")):
        cell = best_cells(finished, fold)["fair"]
        found = read_predicted(cell.predictions("test"), None, Fields())
        own = [note for note in found if note.id in ids]
        figures[word] = score(gold, own, resampling=HOW).figures
    row = read["fair", "south"]
    assert row["model weights"] == "random"
    assert row["notes"] == str(len(gold))
    for word, side in figures.items():
        assert_figure(row, f"strict F1 %, {word}", side["i2b2", "all", "strict", "micro", "f1"])
        assert_figure(row, f"covered recall %, {word}", side["release", "covered_recall"])
    drop = float(row["strict F1 %, seen"]) - float(row["strict F1 %, unseen"])
    assert float(row["drop, points"]) == pytest.approx(drop, abs=2e-4)


def test_cells_are_sorted_and_the_failed_named(finished: Comparison) -> None:
    read = [row for row in rows(finished.folder, "cells") if not row["left out"]]
    f1 = [float(row["F1 %"]) for row in read if row["F1 %"]]
    assert f1 == sorted(f1, reverse=True)
    assert [row["state"] for row in read].count("chosen") == 3
    assert read[-1]["state"] == "failed"
    assert read[-1]["cell"] == "fair-all-1"
    page = (finished.folder / "report.html").read_text(encoding="utf-8")
    assert f"fair-all-1: {NAN}" in page
    assert "4 of 24 cells failed" in page


def test_speed_and_curves(finished: Comparison) -> None:
    speed = rows(finished.folder, "speed")
    assert speed[1]["model weights"] == "random"
    assert (speed[0]["training samples/s"], speed[0]["prediction notes/s"]) == ("12.5", "4.25")
    assert "AVX2" in (finished.folder / "report.md").read_text(encoding="utf-8")
    epochs = rows(finished.folder, "learning-curves")
    assert len(epochs) == 20 * 3
    assert {row["epoch"] for row in epochs} == {"1", "2", "3"}


def test_random_weights_are_marked_in_every_row(finished: Comparison) -> None:
    root: Any = html.document_fromstring((finished.folder / "report.html").read_bytes())
    named = [
        cell
        for cell in root.xpath("//table//*[self::td or self::th]")
        if re.match(r"(minus )?fair\b(?!-)", cell.text_content().strip())
    ]
    assert len(named) > 20
    assert all("random weights" in cell.text_content() for cell in named)
    assert "good (random weights)" not in root.text_content()
    for file in (finished.folder / "tables").glob("*.csv"):
        for row in rows(finished.folder, file.stem):
            for head in ("model", "against"):
                if row.get(head) == "fair":
                    assert row[f"{head} weights"] == "random", file.stem


def test_markdown_and_page_say_the_same(finished: Comparison) -> None:
    text = (finished.folder / "report.md").read_text(encoding="utf-8")
    root: Any = html.document_fromstring((finished.folder / "report.html").read_bytes())
    shown = [
        [" ".join(cell.text_content().split()) for cell in row] for row in root.xpath("//tbody/tr")
    ]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    read = [[cell.strip().replace("\\", "") for cell in line.split("|")[1:-1]] for line in lines]
    rules = [place for place, row in enumerate(read) if set("".join(row)) <= set("-: ")]
    heads = {place - 1 for place in rules}
    assert [r for place, r in enumerate(read) if place not in {*heads, *rules}] == shown
    titles = [" ".join(title.text_content().split()) for title in root.xpath("//h2")]
    assert titles == re.findall("^## (.*)$", text, re.M)
    for title in ("How to repeat it", "Read this with care", "Unseen sources", "Significance"):
        assert title in titles


def test_the_page_stands_alone(finished: Comparison) -> None:
    source = (finished.folder / "report.html").read_text(encoding="utf-8")
    assert "http" not in source.replace('http-equiv="Content-Security-Policy"', "")
    assert not re.search(r"<(script|link|img|iframe|object|embed)\b|@import|url\((?!#)", source)
    root: Any = html.document_fromstring(source)
    ids = root.xpath("//@id")
    assert len(ids) == len(set(ids))
    for link in root.xpath("//@href"):
        if link.startswith("#"):
            assert link[1:] in ids
        else:
            assert (finished.folder / link).is_file()
    used = set(re.findall(r"url\(#([^)]+)\)", source))
    assert used <= set(ids)
    assert len(root.xpath("//figure//*[local-name()='svg']")) == 5


def test_plots_are_there_as_files(finished: Comparison) -> None:
    folder = finished.folder / "plots"
    names = {"f1-by-type", "scores", "learning-curves", "unseen-sources", "hyper-parameters"}
    assert {file.name for file in folder.iterdir()} == {
        f"{name}.{format}" for name in names for format in ("png", "svg")
    }
    for name in names:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        etree.fromstring((folder / f"{name}.svg").read_bytes())


def test_it_can_be_repeated(finished: Comparison) -> None:
    text = (finished.folder / "report.md").read_text(encoding="utf-8")
    assert "\nincognote compare 'my notes' -o out --grid grid.toml\n" in text
    assert "Seeds: 3 for the split, 0 for the cells, 2014 for the resampling" in text
    assert "incognote 0.1.0, python 3.11.2, torch 2.9.0" in text
    read = rows(finished.folder, "fingerprints")[0]
    assert read["notes and parts"] == three_sources().fingerprint()
    assert read["training windows"] == "feedbeef"
    assert "- Assumed by the grid: No warm-up is assumed." in text
    assert "fair began from random weights" in text


MARKER = "Zzyzxqvist"


def test_no_text_and_no_id_of_a_note_enters(tmp_path: Path, plotless: None) -> None:
    def marked(note: Document) -> Document:
        text = note.text + f"{MARKER} seen. "
        spans = (*note.spans, Span.of(text, len(note.text), len(note.text) + 10, "PATIENT"))
        return replace(
            note, id=f"{MARKER}-{note.id}", text=text, spans=spans, patient=f"{MARKER}'s"
        )

    data = Data(parts([marked(note) for note in toy(26)]))
    comparison = make_comparison(tmp_path, data, ENCODERS)
    write_report(tmp_path, comparison, data.parts, resampling=HOW)
    written = [tmp_path / "report.html", tmp_path / "report.md", *tmp_path.glob("tables/*")]
    values = {span.text for note in data.parts.test for span in note.spans}
    assert len(written) > 12
    for file in written:
        content = file.read_text(encoding="utf-8")
        for secret in (MARKER, "note-", *values):
            assert secret not in content, file.name


def written(
    folder: Path, encoders: list[Encoder], change: Callable[[Data], Data] = lambda data: data
) -> tuple[str, Comparison]:
    data = change(one_source())
    comparison = make_comparison(folder, data, encoders, trained=False)
    write_report(folder, comparison, data.parts, resampling=HOW)
    return (folder / "report.md").read_text(encoding="utf-8"), comparison


def test_an_unfinished_comparison_says_what_is_missing(tmp_path: Path, plotless: None) -> None:
    encoders = [Encoder("good", [0.1, None]), Encoder("late", [None], random=True)]
    text, _ = written(tmp_path, encoders)
    assert "not finished: 1 of 3 cells are done, 2 are not" in text
    assert "No cell is done yet of late (random weights)" in text
    assert "No predictions on the train part yet by good." in text
    assert "There are no plots: they need matplotlib" in text
    assert not (tmp_path / "plots").exists()
    assert "It takes two models" in text
    assert "Unseen sources" not in text
    assert [row["part"] for row in rows(tmp_path, "scores")] == ["validation", "test"]
    assert [row["state"] for row in rows(tmp_path, "cells")] == ["chosen", "not done", "not done"]


def test_a_comparison_of_which_nothing_is_done(tmp_path: Path) -> None:
    text, _ = written(tmp_path, [Encoder("a", [None]), Encoder("b", [NAN])])
    assert "this page shows the plan" in text
    assert "Nothing yet." in text
    assert rows(tmp_path, "models")[0]["parameters"] == "4212000"
    assert html.document_fromstring((tmp_path / "report.html").read_bytes()).xpath("//h1")


def test_an_unfinished_cell_shows_its_epochs(tmp_path: Path, plotless: None) -> None:
    _, comparison = written(tmp_path, [Encoder("good", [0.1, 0.2])])
    (comparison.cells[1].folder / "machine.json").unlink()
    write_report(tmp_path, load_comparison(tmp_path), one_source().parts, resampling=HOW)
    states = {row["cell"]: row for row in rows(tmp_path, "cells")}
    assert states["good-all-1"]["state"] == "begun, not done"
    assert states["good-all-1"]["epochs run"] == "3"


def test_folds_of_an_earlier_command_are_still_told(tmp_path: Path, plotless: None) -> None:
    data = three_sources()
    comparison = make_comparison(tmp_path, data, [Encoder("a", [0.2])], folds=[])
    assert not comparison.folds
    write_report(tmp_path, comparison, data.parts, resampling=HOW)
    assert [row["source"] for row in rows(tmp_path, "unseen-sources")] == ["north", "south", "east"]
    assert [row["left out"] for row in rows(tmp_path, "cells")] == ["", "north", "south", "east"]


def test_an_empty_part_is_said(tmp_path: Path, plotless: None) -> None:
    text, _ = written(
        tmp_path, [Encoder("a", [0.1])], lambda data: Data(replace(data.parts, test=()))
    )
    assert "There is no test part" in text


def test_a_type_that_is_only_in_test_is_said(tmp_path: Path, plotless: None) -> None:
    def without_towns(data: Data) -> Data:
        train = [
            note.with_spans(span for span in note.spans if span.type != "CITY")
            for note in data.parts.train
        ]
        return Data(replace(data.parts, train=train))

    text, _ = written(tmp_path, [Encoder("a", [0.1])], without_towns)
    assert "- CITY: in the test part but not in training" in text


def test_other_notes_are_refused(tmp_path: Path, plotless: None) -> None:
    data = one_source()
    comparison = make_comparison(tmp_path, data, [Encoder("a", [0.1])])
    others = replace(data.parts, test=toy(30)[26:])
    with pytest.raises(RunError, match="other notes than those of the test part") as refused:
        write_report(tmp_path, comparison, others, resampling=HOW)
    assert "note-" not in str(refused.value)
    assert not (tmp_path / "report.html").exists()


def test_the_same_comparison_gives_the_same_report(tmp_path: Path, plotless: None) -> None:
    text, comparison = written(tmp_path, [Encoder("a", [0.1]), Encoder("b", [0.2])])
    page = (tmp_path / "report.html").read_bytes()
    write_report(tmp_path, comparison, one_source().parts, resampling=HOW)
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == text
    assert (tmp_path / "report.html").read_bytes() == page


def test_more_models_than_a_plot_has_room_for(tmp_path: Path, plotless: None) -> None:
    data = one_source()
    encoders = [Encoder(f"e{place}", [0.5 - place / 40]) for place in range(12)]
    comparison = make_comparison(tmp_path, data, encoders)
    material = gather(comparison, data.parts, Resampling(resamples=0), has_plots=False)
    best = sorted(best_cells(comparison).values(), key=lambda cell: -(cell.validation_score or 0.0))
    assert [each.model.name for each in material.best] == [cell.encoder for cell in best]
    assert [each.model.name for each in material.for_plots()] == [
        cell.encoder for cell in best[:10]
    ]
    assert "the 10 best" in material.plot_limit()
