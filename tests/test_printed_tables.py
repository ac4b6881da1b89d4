"""Encoders, grids, label sets and printed figures are those of the papers' own tables."""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

import pytest
from printed import printed

from incognote.cli import main
from incognote.phi import LABEL_SETS
from incognote.workshop.compare.grid import STUDY, STUDY_BEST, read_grid
from incognote.workshop.compare.report.study_2022 import printed_models, printed_parts
from incognote.workshop.encoders.families import PRESETS, family_of
from incognote.workshop.encoders.model import Model, size_of
from incognote.workshop.encoders.naming import pairs

STUDIED = {
    "bert-base": "bert-base-uncased",
    "roberta-base": "roberta-base",
    "albert-base": "albert-base-v2",
    "bert-large": "bert-large-uncased",
    "roberta-large": "roberta-large",
    "albert-xxlarge": "albert-xxlarge-v2",
}
"""The study's models, and the encoders that they are here."""

STUDY_1 = printed("study_table_1")
MILLION = 1_000_000


def numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


def in_millions(text: str) -> float:
    return float(text.removesuffix("M"))


@pytest.fixture(scope="module")
def listed() -> dict[str, dict[str, str]]:
    """What `incognote encoders --labels 41` prints, by encoder and column."""
    output = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
        patch.setattr(sys, "argv", ["incognote", "encoders", "--labels", "41"])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 0
    head, *lines = output.getvalue().splitlines()
    columns = head.split()
    rows = [dict(zip(columns, line.split(), strict=True)) for line in lines if line.strip()]
    return {row["encoder"]: row for row in rows}


def test_encoders_are_listed_with_the_sizes_of_the_study(
    listed: dict[str, dict[str, str]],
) -> None:
    for row in STUDY_1:
        found = listed[STUDIED[row["model"].lower()]]
        assert found["parameters"].replace(",", "") == row["parameters"]
        columns = ("layers", "vocabulary", "embedding", "hidden", "feed_forward")
        assert [found[name] for name in ("layers", "vocab", "E", "H", "FFN")] == [
            row[name] for name in columns
        ]


def test_elmo_electra_and_xlnet_are_listed_as_released(listed: dict[str, dict[str, str]]) -> None:
    names = ("elmo-small", "elmo-medium", "elmo-original", "elmo-original-5.5b")
    for name, row in zip(names, printed("elmo_releases"), strict=True):
        found = listed[name]
        for column in ("cell", "output", "highways"):
            assert found[column] == row[column]
        parameters = size_of(PRESETS[name].config).parameters
        assert round(parameters / MILLION, 1) == in_millions(row["parameters"])
    for row in printed("electra_releases"):
        found = listed[f"electra-{row['model'].lower()}-discriminator"]
        assert (found["layers"], found["H"]) == (row["layers"], row["hidden"])
        count = int(found["parameters"].replace(",", "")) / MILLION
        assert count == pytest.approx(in_millions(row["parameters"]), rel=0.04)  # they round up
    for row in printed("xlnet_releases"):
        found = listed[f"xlnet-{row['model'].lower().replace(', ', '-')}"]
        assert (found["layers"], found["H"], found["heads"]) == (
            row["layers"],
            row["hidden"],
            row["heads"],
        )


@pytest.mark.parametrize("row", STUDY_1, ids=lambda row: row["model"])
def test_dropout_activation_and_sharing_are_those_of_the_study(row: dict[str, str]) -> None:
    config: Any = PRESETS[STUDIED[row["model"].lower()]].config
    assert config.dropout == float(row["dropout"])
    assert row["activation"].lower() in config.activation
    shares = getattr(config, "sharing", "none") != "none"
    assert str(shares) == row["sharing"]


@pytest.mark.parametrize("model", STUDIED)
def test_every_tensor_is_one_that_the_study_prints(model: str) -> None:
    rows = [row for row in printed("study_tables_7_to_12") if row["model"].lower() == model]
    config = PRESETS[STUDIED[model]].config
    import torch

    with torch.device("meta"):
        tagger = Model(config, heads=("tokens",), labels=41, pooler=False)
    state = tagger.state_dict()
    found = {
        re.sub("_", ".", theirs): state[ours].numel()
        for ours, theirs in pairs(tagger, family_of(config), config, ("tokens",))
    }
    assert found == {row["module"]: int(row["parameters"]) for row in rows}


def test_the_study_grid_is_its_table_2() -> None:
    grid = read_grid(STUDY)
    assert [each.name for each in grid.encoders] == [
        STUDIED[row["model"].lower()] for row in printed("study_table_2")
    ]
    for row in printed("study_table_2"):
        cells = grid.cells[STUDIED[row["model"].lower()]]
        expected = {
            (int(row["batch_size"]), int(epochs), lr, decay)
            for epochs in numbers(row["epochs"])
            for lr in numbers(row["lr"])
            for decay in numbers(row["weight_decay"])
        }
        found = {(each.batch_size, each.epochs, each.lr, each.weight_decay) for each in cells}
        assert found == expected
        assert len(cells) == len(expected)


def test_the_best_cells_are_its_table_4() -> None:
    grid = read_grid(STUDY_BEST)
    rows = printed("study_table_4")
    assert set(grid.cells) == {STUDIED[row["model"].lower()] for row in rows}
    for row in rows:
        (cell,) = grid.cells[STUDIED[row["model"].lower()]]
        assert (cell.batch_size, cell.epochs, cell.lr, cell.weight_decay) == (
            int(row["batch_size"]),
            int(row["epochs"]),
            float(row["lr"]),
            float(row["weight_decay"]),
        )


def test_the_41_labels_are_those_of_its_appendix() -> None:
    labels = [row["label"].replace("Outside/Non-PHI", "O") for row in printed("study_appendix_a")]
    assert Counter(LABEL_SETS["study41"]) == Counter(labels)
    types = {row["type"] for row in printed("study_table_3")} - {"Non-PHI"}
    assert {label[2:] for label in LABEL_SETS["study41"] if label != "O"} == types
    assert types < {label[2:] for label in LABEL_SETS["full"] if label != "O"}


def test_the_figures_beside_ours_are_as_printed() -> None:
    models = {each.name: each for each in printed_models()}
    facts = {row["model"]: row for row in STUDY_1}
    for row in printed("study_table_5"):
        model = models[row["model"]]
        for part in ("train", "validation", "test"):
            figures = [row[f"{part}_{name}"] for name in ("precision", "recall", "f1", "accuracy")]
            assert list(getattr(model, part)) == list(map(float, figures))
        own = facts[row["model"]]
        assert (model.gigabytes, model.parameters) == (
            float(own["gigabytes"]),
            int(own["parameters"]),
        )
        assert (model.objective, str(model.shared)) == (own["objective"], own["sharing"])
    for row in printed("study_table_6"):
        model = models[row["model"]]
        assert model.samples_per_second == float(row["samples_per_second"])
        assert model.steps_per_second == float(row["steps_per_second"])
    for part, column in (("train", "training"), ("validation", "validation"), ("test", "test")):
        types = {row["type"]: int(row[column]) for row in printed("study_table_3")}
        assert dict(printed_parts()[part].types) == types


SHARING = {
    "all-shared": "all",
    "shared-attention": "attention",
    "shared-FFN": "ffn",
    "not-shared": "none",
}


@pytest.mark.parametrize("table", ["albert_table_3", "albert_table_4"])
def test_alberts_of_every_width_and_sharing_have_the_printed_parameters(table: str) -> None:
    base: Any = PRESETS["albert-base-v1"].config
    for row in printed(table):
        embedding = int(row["embedding"])
        config = replace(base, embedding_size=embedding, sharing=SHARING[row["sharing"]])
        # Counted without a pooler, and where E = H without a projection.
        parameters = size_of(config, pooler=False).parameters / MILLION
        assert parameters == pytest.approx(in_millions(row["parameters"]), abs=1), row


def test_the_printed_averages_are_those_of_their_rows() -> None:
    """The tables were copied right: F1 and exact match of a SQuAD count as their mean."""
    for name in ("albert_table_3", "albert_table_4", "albert_table_5"):
        for row in printed(name):
            squads = [map(float, row[task].split("/")) for task in ("squad_1_1", "squad_2_0")]
            tasks = [sum(pair) / 2 for pair in squads]
            tasks += [float(row[task]) for task in ("mnli", "sst_2", "race")]
            assert sum(tasks) / 5 == pytest.approx(float(row["average"]), abs=0.11), row
