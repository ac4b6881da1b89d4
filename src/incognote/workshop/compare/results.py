"""The folder of a comparison: what cells leave there, and all of it read back with the choice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, get_args

from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.document import Document
from incognote.evaluate import Marks, Resampling, score

SCHEMA = 1
COMPARISON = "comparison.json"
CELLS = "cells"
BEST = "best"
TRAINING = "training.json"
CURVE = "curve.jsonl"
MACHINE = "machine.json"
FAILED = "failed.json"
VALIDATION = "validation.json"
PREDICTIONS = "predictions"
WITH_RULES = "test-with-rules.jsonl"
RULES = "rules-test.jsonl"
WEIGHTS = "model.safetensors"

State = Literal["done", "failed", "unfinished"]
Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = get_args(Part)
Select = Literal["strict", "words"]
"""Which F1 on validation chooses: of entities, with type, start and end right; or of words, as the
2022 study counts."""
SELECTS: tuple[Select, ...] = get_args(Select)
SELECTED: Mapping[Select, str] = {"strict": "strict F1", "words": "word F1"}
METRICS: Mapping[str, str] = {
    "accuracy": "accuracy",
    "f1": "F1",
    "exact_match": "exact match",
    "matthews": "Matthews",
    "pearson": "Pearson",
    "spearman": "Spearman",
}
"""What the figures of downstream tasks are called."""
_NO_FIGURES = ("threshold",)
"""What else tasks measure on validation."""


@dataclass(frozen=True, kw_only=True)
class EncoderFacts:
    """An encoder as the study's table 1 describes it; parameters with the classifier.

    random: begun from random weights, which every table says. origin: where the weights are from.
    shared: whether layers share their weights. objective: what it was pretrained with. The last
    five are None in a comparison of an earlier version; heads, embedding, vocabulary, feed-forward size
    and dropout where an encoder has none, as ELMo.
    """

    name: str
    family: str
    random: bool
    origin: Literal["checkpoint", "preset", "pretrained here", "notes alone"]
    layers: int
    hidden_size: int
    heads: int | None
    embedding_size: int | None
    vocabulary: int | None
    parameters: int
    megabytes: float
    feed_forward_size: int | None = None
    dropout: float | None = None
    activation: str | None = None
    shared: bool | None = None
    objective: str | None = None


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """One run of the grid: what was planned, and what became of it.

    options: all of them; varied: those by which the cells of its encoder differ. fold: the source
    that was left out of training and is the test part, None where all sources are in all parts.
    select: which F1 on validation counts; metric: the figure of a task that does. training, curve, machine, words: what the files of that
    name hold, and the word figures of validation.json; empty while there are none.
    """

    id: str
    encoder: str
    options: Mapping[str, Any]
    varied: Mapping[str, Any]
    fold: str | None
    folder: Path
    state: State
    reason: str | None = None
    training: Mapping[str, Any] = field(default_factory=dict)
    curve: Sequence[Mapping[str, float]] = ()
    machine: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)
    select: Select = "strict"
    metric: str = "f1"

    @property
    def validation(self) -> Mapping[str, float]:
        """The figures on validation of which one chooses; empty while there are none."""
        if self.select == "words":
            return self.words
        return self.training.get("validation") or {}

    @property
    def validation_score(self) -> float | None:
        """What cells are chosen by."""
        return self.validation.get(self.metric)

    def predictions(self, part: Part) -> Path:
        """The file of spans found in a part; `train` has one for chosen cells only."""
        return self.folder / PREDICTIONS / f"{part}.jsonl"

    @property
    def predictions_with_rules(self) -> Path:
        """The file of spans found in the test part together with the rules, for chosen cells."""
        return self.folder / PREDICTIONS / WITH_RULES


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison, finished or not.

    parts: notes, words, spans and spans of each type of train, validation and test, and the same
    of each source where there are several (`sources`). folds: the sources left out in turn.
    task: the downstream task, None where it is to find identifiers; metric: the figure that chooses.
    data, begun_from: fingerprints of the notes, and of each encoder's weights and tokenizer.
    """

    folder: Path
    command: Sequence[str]
    version: str
    labels: Sequence[str]
    label_set: str
    grid: str
    assumptions: Sequence[str]
    seed: int
    threads: int
    parts: Mapping[str, Mapping[str, Any]]
    encoders: Sequence[EncoderFacts]
    cells: Sequence[CellResult]
    sources: Sequence[str] = ()
    folds: Sequence[str] = ()
    data: str | None = None
    begun_from: Mapping[str, str] = field(default_factory=dict)
    select: Select = "strict"
    task: str | None = None
    metric: str = "f1"

    @property
    def chosen_by(self) -> str:
        """The figure on validation that chooses, in words."""
        return SELECTED[self.select] if self.task is None else figure_title(self.metric)

    @property
    def figures(self) -> list[str]:
        """Of a task the figures that cells have on validation, the one that chooses first."""
        names = dict.fromkeys(name for cell in self.cells for name in cell.validation)
        return sorted(
            (name for name in names if name not in _NO_FIGURES),
            key=lambda name: name != self.metric,
        )

    @property
    def predictions_by_rules(self) -> Path:
        """The file of spans that the rules alone found in the test part, if they were wanted."""
        return self.folder / RULES

    def of(self, encoder: str, fold: str | None = None) -> list[CellResult]:
        """An encoder's cells in the order of the grid."""
        return [cell for cell in self.cells if (cell.encoder, cell.fold) == (encoder, fold)]


def figure_title(name: str) -> str:
    """What a task's figure is called, also that of a part of it: `answerable F1`, `middle`."""
    for metric, title in METRICS.items():
        if name.endswith(metric):
            return f"{name.removesuffix(metric).replace('_', ' ')}{title}"
    return name.replace("_", " ")


def read_plan(path: Path) -> dict[str, Any]:
    """The comparison.json of a folder, of the schema that is known here."""
    plan = json_or_empty(path)
    if plan.get("schema") != SCHEMA:
        raise RunError(f"{path}: schema {plan.get('schema')} is not {SCHEMA}")
    return plan


def load_comparison(folder: Path) -> Comparison:
    """What `incognote compare` has left in its folder so far."""
    path = folder / COMPARISON
    if not path.is_file():
        raise RunError(f"{folder}: no {COMPARISON} here; it is made by `incognote compare`")
    plan = read_plan(path)
    select: Select = plan.get("select", "strict")
    metric = plan.get("metric", "f1")
    return Comparison(
        folder=folder,
        command=plan["command"],
        version=plan["incognote"],
        labels=plan["labels"],
        label_set=plan.get("label_set", "own"),
        grid=plan["grid"]["name"],
        assumptions=plan["grid"]["assumptions"],
        seed=plan["seed"],
        threads=plan["threads"],
        parts=plan["parts"],
        data=plan.get("data"),
        begun_from=plan.get("begun_from", {}),
        encoders=[EncoderFacts(**facts) for facts in plan["encoders"]],
        cells=[read_cell(folder, cell, select, metric) for cell in plan["cells"]],
        select=select,
        task=plan.get("task"),
        metric=metric,
        sources=plan["sources"],
        folds=plan["folds"],
    )


def read_cell(
    folder: Path, planned: Mapping[str, Any], select: Select = "strict", metric: str = "f1"
) -> CellResult:
    """One cell as its folder has it now; done when its predictions are there too."""
    own = folder / CELLS / planned["id"]
    fields = {name: planned[name] for name in ("id", "encoder", "options", "varied", "fold")}
    curve = own / CURVE
    rows = curve.read_text(encoding="utf-8").splitlines() if curve.is_file() else []
    failed = json_or_empty(own / FAILED)
    machine = json_or_empty(own / MACHINE)
    state: State = "failed" if failed else "done" if machine else "unfinished"
    return CellResult(
        **fields,
        folder=own,
        state=state,
        reason=failed.get("reason"),
        training=json_or_empty(own / TRAINING) if state == "done" else {},
        curve=[json.loads(row) for row in rows],
        machine=machine,
        words=json_or_empty(own / VALIDATION).get("words", {}) if state == "done" else {},
        select=select,
        metric=metric,
    )


def best_cells(comparison: Comparison, fold: str | None = None) -> dict[str, CellResult]:
    """Each encoder's cell with the best figure on validation; of equals, the earlier.

    Of a task it is the best seed of the chosen setting. An encoder of which no cell is done yet is not
    among them.
    """
    chosen = {
        facts.name: chosen_seeds(comparison, facts.name, fold) for facts in comparison.encoders
    }
    return {name: best_of(cells) for name, cells in chosen.items() if cells}


def chosen_seeds(
    comparison: Comparison, encoder: str, fold: str | None = None
) -> Sequence[CellResult]:
    """The cells of an encoder's best setting: of those with the most seeds done, the best by its mean.

    A setting with a seed that failed is so not chosen before one whose seeds all came through.
    """

    def rank(cells: Sequence[CellResult]) -> tuple[int, float]:
        return len(cells), fmean(cell.validation_score or 0.0 for cell in cells)

    return max(settings_of(comparison, encoder, fold), key=rank, default=())


def settings_of(
    comparison: Comparison, encoder: str, fold: str | None = None
) -> list[list[CellResult]]:
    """An encoder's cells that are done, of a task those together that differ by their seed only."""
    settings: dict[str, list[CellResult]] = {}
    for cell in comparison.of(encoder, fold):
        if cell.validation_score is not None:
            options = {k: v for k, v in cell.options.items() if k not in ("seed", "save_seconds")}
            key = cell.id if comparison.task is None else json.dumps(options, sort_keys=True)
            settings.setdefault(key, []).append(cell)
    return list(settings.values())


def best_of(cells: Sequence[CellResult]) -> CellResult:
    """The cell with the best figure on validation; of equals, the earlier."""
    return max(cells, key=lambda cell: cell.validation_score or 0.0)


def json_or_empty(path: Path) -> dict[str, Any]:
    """What a JSON file holds; nothing, if it is not there."""
    if not path.is_file():
        return {}
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise RunError(f"{path}: not readable as JSON") from None
    return content


def write_predictions(path: Path, documents: Sequence[Document]) -> None:
    """The spans of a part as `incognote find` writes them, a line per note: places and types, no text."""
    lines = [
        json.dumps(
            {
                "id": document.id,
                "spans": [
                    {
                        "start": span.start,
                        "end": span.end,
                        "type": span.type,
                        "score": round(span.score, 4),
                    }
                    for span in document.spans
                ],
            },
            ensure_ascii=False,
        )
        for document in documents
    ]
    write_private(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))


def write_validation(
    folder: Path, gold: Sequence[Document], predicted: Sequence[Document | Marks]
) -> None:
    """The word figures of the validation part, which the choice of a cell may go by."""
    report = score(gold, predicted, blocks=["study"], resampling=Resampling(resamples=0))
    overall = {
        name: report.value("study", "overall", name) for name in ("precision", "recall", "f1")
    }
    # Nothing to find and nothing found is no mistake, as in the strict figures.
    words = {name: 1.0 if value is None else value for name, value in overall.items()}
    words["accuracy"] = report.value("study", "accuracy") or 0.0
    write_private(folder / VALIDATION, (json.dumps({"words": words}, indent=2) + "\n").encode())
