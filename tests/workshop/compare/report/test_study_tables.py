"""The report in the study's form: its tables and their order, and its printed figures beside ours."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_corpus import toy
from workshop.compare.report.tiny_comparison import Encoder, make_comparison

from incognote.align.tags import Labels
from incognote.corpus.predictions import read_predicted
from incognote.evaluate import Resampling, score
from incognote.evaluate.pairing import Pair
from incognote.evaluate.study import word_types
from incognote.formats import Fields
from incognote.phi import bio_labels
from incognote.workshop.compare.data import Data
from incognote.workshop.compare.grid import read_grid
from incognote.workshop.compare.report import write_report
from incognote.workshop.compare.report.content import Table
from incognote.workshop.compare.report.hyper_parameters import effects
from incognote.workshop.compare.report.material import gather
from incognote.workshop.compare.report.study_2022 import printed_models, printed_parts
from incognote.workshop.compare.results import CellResult, Comparison, best_cells, write_predictions
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.model import size_of
from incognote.workshop.fine_tuning import Parts
from incognote.workshop.finetune.options import Options

NONE = Resampling(resamples=0)
ROWS = dict[str, str]
FIGURES = ("precision", "recall", "F1", "accuracy")
# As the study's abstract, tables 1 and 4 to 6 have them; the order is that of tables 4 to 6.
STUDIED = [
    "Roberta-Large",
    "Albert-XXLarge",
    "Roberta-Base",
    "Bert-Large",
    "Albert-Base",
    "Bert-Base",
]


def parts() -> Parts:
    notes = toy(16)
    return Parts(train=notes[:6], validation=notes[6:10], test=notes[10:])


def rows(folder: Path, name: str) -> list[ROWS]:
    with (folder / "tables" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Two encoders of the study and another, the worst first in the plan, chosen by words."""
    folder = tmp_path_factory.mktemp("studied")
    encoders = [
        Encoder("bert-base-uncased", [0.9, 0.7], random=True),
        Encoder("mine", [0.4]),
        Encoder("roberta-large", [0.3, 0.02]),
    ]
    grid = {"name": "study", "assumptions": []}
    comparison = make_comparison(folder, Data(parts()), encoders, grid=grid, select="words")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("incognote.workshop.compare.report.plots.can_draw", lambda: False)
        write_report(folder, comparison, parts(), resampling=NONE)
    return comparison


def test_table_1_has_all_columns_of_the_study(studied: Comparison) -> None:
    first = rows(studied.folder, "models")[0]
    assert list(first)[:13] == [
        "model",
        "model weights",
        "size, GiB",
        "parameters",
        "layers",
        "vocabulary",
        "embedding",
        "attention",
        "feed-forward",
        "dropout",
        "activation",
        "shared layers",
        "objective",
    ]
    assert (first["feed-forward"], first["dropout"]) == ("1024", "0.1")
    assert (first["activation"], first["shared layers"]) == ("GELU", "no")


def test_table_3_has_words_and_per_cent_of_each_part(studied: Comparison) -> None:
    read = rows(studied.folder, "words-by-type")
    assert read[0][""] == "Non-PHI"
    training = [int(row["train"]) for row in read[1:]]
    assert training == sorted(training, reverse=True)
    for part, notes in (("train", parts().train), ("test", parts().test)):
        labels = Labels(bio_labels(sorted({span.type for note in notes for span in note.spans})))
        counted: Counter[str] = Counter()
        for note in notes:
            types, _ = word_types(Pair(note, note), labels)
            counted.update(labels.types[type - 1] for type in types if type)
        whole = sum(int(row[part]) for row in read)
        assert whole == studied.parts[part]["words"]
        assert {row[""]: int(row[part]) for row in read[1:]} == counted
        assert float(read[1][f"{part} %"]) == pytest.approx(
            100 * int(read[1][part]) / whole, abs=1e-4
        )
    shares = {row["part"]: row for row in rows(studied.folder, "parts")}
    total = shares["total"]
    assert int(total["PHI words"]) == sum(int(row["total"]) for row in read[1:])
    assert float(total["words a note"]) == pytest.approx(int(total["words"]) / 16, abs=0.01)


def test_tables_4_to_6_and_figure_3_are_in_the_order_of_validation(studied: Comparison) -> None:
    order = ["roberta-large", "mine", "bert-base-uncased"]
    for table in ("chosen", "performance", "speed", "glance"):
        assert [row["model"] for row in rows(studied.folder, table)] == order, table
    heads = [head for head in rows(studied.folder, "f1-by-type")[0] if head.endswith("%")]
    assert heads == ["roberta-large %", "mine %", "bert-base-uncased (random weights) %"]
    assert [row["model"] for row in rows(studied.folder, "models")] == order[::-1]
    assert list(rows(studied.folder, "chosen")[0])[2:6] == [
        "batch size",
        "epochs",
        "learning rate",
        "weight decay",
    ]


def test_table_5_has_the_word_figures_of_each_part_in_a_row(studied: Comparison) -> None:
    read = {row["model"]: row for row in rows(studied.folder, "performance")}
    heads = [f"{part} {name} %" for part in ("train", "validation", "test") for name in FIGURES]
    assert list(read["mine"])[2:] == heads
    cell = best_cells(studied)["mine"]
    found = read_predicted(cell.predictions("validation"), None, Fields())
    report = score(parts().validation, found, blocks=["study"], resampling=NONE)
    f1, accuracy = report.value("study", "overall", "f1"), report.value("study", "accuracy")
    assert read["mine"]["validation F1 %"] == f"{100 * (f1 or 0):.4f}"
    assert read["mine"]["validation accuracy %"] == f"{100 * (accuracy or 0):.4f}"
    assert cell.validation_score == f1


def test_the_study_stands_beside_ours_and_is_said_to_be_on_i2b2(studied: Comparison) -> None:
    text = (studied.folder / "report.md").read_text(encoding="utf-8")
    section = text.split("## Beside the 2022 study")[1].split("\n## ")[0]
    assert "on i2b2/UTHealth 2014: 600 notes for training, 137 for validation and 486" in section
    scores = [row for row in rows(studied.folder, "study-scores") if row["part"] == "test"]
    assert [row["study's model"] for row in scores] == STUDIED
    assert [row["model"] for row in scores] == ["roberta-large", *[""] * 4, "bert-base-uncased"]
    first, ours = scores[0], rows(studied.folder, "performance")[0]
    assert [first[f"study's {name} %"] for name in FIGURES] == [
        "96.6900",
        "96.8100",
        "96.7500",
        "99.6700",
    ]
    assert [first[f"{name} %"] for name in FIGURES] == [ours[f"test {name} %"] for name in FIGURES]
    assert scores[1]["F1 %"] == ""
    best = rows(studied.folder, "study-chosen")[0]
    told = [best[f"study's {name}"] for name in ("batch size", "epochs", "learning rate")]
    assert told == ["12", "75", "1e-05"]
    speed = rows(studied.folder, "study-speed")[0]
    assert (speed["study's samples/s"], speed["study's steps/s"]) == ("21.073", "1.846")
    assert speed["training samples/s"] == "12.5"
    words = {row[""]: row for row in rows(studied.folder, "study-words-by-type")}
    assert words["DATE"]["study's train %"] == "1.6440"
    assert words["Non-PHI"]["study's test %"] == "95.3594"


def test_models_stand_beside_themselves_with_rules(tmp_path: Path) -> None:
    comparison = make_comparison(tmp_path, Data(parts()), [Encoder("mine", [0.6])])
    write_report(tmp_path, comparison, parts(), resampling=NONE)
    assert not (tmp_path / "tables" / "with-rules.csv").exists()
    cell = best_cells(comparison)["mine"]
    write_predictions(cell.predictions_with_rules, parts().test)
    write_predictions(
        comparison.predictions_by_rules, [note.with_spans(()) for note in parts().test]
    )
    write_report(tmp_path, comparison, parts(), resampling=NONE)
    alone, joined, rules = rows(tmp_path, "with-rules")
    assert [row["found by"] for row in (alone, joined, rules)] == [
        "model",
        "model and rules",
        "rules",
    ]
    assert alone["words F1 %"] == rows(tmp_path, "performance")[0]["test F1 %"]
    assert (joined["words F1 %"], joined["leaked notes %"]) == ("100.0000", "0.0000")
    assert (rules["model"], rules["words R %"], rules["leaked notes %"]) == (
        "",
        "0.0000",
        "100.0000",
    )


def test_without_an_encoder_of_the_study_it_is_left_out(tmp_path: Path) -> None:
    comparison = make_comparison(tmp_path, Data(parts()), [Encoder("mine", [0.2])])
    write_report(tmp_path, comparison, parts(), resampling=NONE)
    assert "Beside the 2022 study" not in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert not (tmp_path / "tables" / "study-scores.csv").exists()


def test_what_is_printed_agrees_with_itself() -> None:
    whole = printed_parts()
    assert sum(part.notes for part in whole.values()) == 1223
    assert sum(part.words for part in whole.values()) == 765_517
    for part in whole.values():
        assert sum(part.types.values()) == part.words
    assert [model.name for model in printed_models()] == STUDIED
    f1 = [model.validation[2] for model in printed_models()]
    assert f1 == sorted(f1, reverse=True)
    for model in printed_models():
        for precision, recall, harmonic, _ in (model.validation, model.test):
            assert 2 * precision * recall / (precision + recall) == pytest.approx(
                harmonic, abs=1e-4
            )
        # 137 notes of validation, in batches of the study's size
        steps = -(-137 // model.batch_size)
        rate = model.samples_per_second / model.steps_per_second
        assert rate == pytest.approx(137 / steps, rel=1e-3)


@pytest.mark.parametrize("printed", printed_models(), ids=lambda printed: printed.name)
def test_our_encoders_are_those_of_its_table_1(printed: Any) -> None:
    config = PRESETS[printed.names[0]].config
    size = size_of(config, heads=("tokens",), labels=41)
    assert size.parameters == printed.parameters
    assert (config.layers, config.vocabulary_size) == (printed.layers, printed.vocabulary)
    assert (config.embedding_size, config.hidden_size) == (printed.embedding, printed.attention)
    assert (config.feed_forward_size, config.dropout) == (printed.feed_forward, printed.dropout)
    assert (config.activation[:4].upper(), printed.shared) == (
        printed.activation,
        hasattr(config, "sharing"),
    )
    best = read_grid("study-best").cells[printed.names[0]][0]
    assert (best.batch_size, best.epochs) == (printed.batch_size, printed.epochs)
    assert (best.lr, best.weight_decay) == (printed.lr, printed.weight_decay)


def of_cells(tmp_path: Path, scores: dict[tuple[int, float], float | None]) -> list[Table]:
    """The tables of the effects of epochs and learning rate, by cells with such F1."""
    comparison = make_comparison(tmp_path, Data(parts()), [Encoder("mine", [None])])
    cells = [
        CellResult(
            id=f"mine-{place}",
            encoder="mine",
            options=Options(epochs=epochs, lr=lr).to_json(),
            varied={},
            fold=None,
            folder=tmp_path,
            state="unfinished" if f1 is None else "done",
            training={} if f1 is None else {"validation": {"f1": f1}},
        )
        for place, ((epochs, lr), f1) in enumerate(scores.items())
    ]
    material = gather(replace(comparison, cells=cells), parts(), NONE, has_plots=False)
    return [block for block in effects(material) if isinstance(block, Table)]


def test_the_effect_of_a_hyper_parameter_is_between_cells_that_are_alike_otherwise(
    tmp_path: Path,
) -> None:
    spread, table = of_cells(
        tmp_path,
        {(10, 1e-4): 0.80, (10, 1e-5): 0.60, (20, 1e-4): 0.90, (20, 1e-5): None, (5, 1e-4): 0.70},
    )
    read = {(row[1], row[2]): row for row in table.rows}
    assert list(read) == [
        ("epochs", "5"),
        ("epochs", "10"),
        ("epochs", "20"),
        ("learning rate", "1e-05"),
        ("learning rate", "0.0001"),
    ]
    cells, mean, lowest, highest, change = read["learning rate", "0.0001"][3:]
    assert (cells, mean, lowest, highest) == (3, pytest.approx(0.8), 0.7, 0.9)
    # Only with 10 epochs both rates were tried: 80 and 60.
    assert change.value == pytest.approx(0.1)
    # Only with a rate of 1e-4 all epochs were: 70, 80, 90.
    assert [read["epochs", value][7].value for value in ("5", "10", "20")] == pytest.approx(
        [-0.1, 0.0, 0.1]
    )
    assert spread.rows[0][1:] == pytest.approx((20, 20))


def test_a_hyper_parameter_with_one_value_has_no_effect(tmp_path: Path) -> None:
    assert of_cells(tmp_path, {(10, 1e-4): 0.8}) == []
