"""Predictions scored, and written as the tasks' own servers take them.

| task | file | content |
|---|---|---|
| GLUE's | `CoLA.tsv`, `MNLI-m.tsv` … | `index` and `prediction`, as gluebenchmark.com takes them |
| SQuAD | `predictions.json`; in 2.0 also `null_odds.json` | answers and null odds by question |
| others | `predictions.jsonl` | an object for each example |
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.base.errors import TrainError
from incognote.base.files import write_whole
from incognote.evaluate.resampling import Resampling
from incognote.workshop.tasks.answers import Answered
from incognote.workshop.tasks.metrics import (
    MISMATCHED,
    Prediction,
    intervals,
    score,
    task_score,
)
from incognote.workshop.tasks.predict import Predicted, TaskModel, predictions, value_of
from incognote.workshop.tasks.task import GLUE, Example, Figures, Task

SERVER_NAMES = {
    "cola": "CoLA",
    "sst-2": "SST-2",
    "mrpc": "MRPC",
    "sts-b": "STS-B",
    "qqp": "QQP",
    "mnli": "MNLI-m",
    "qnli": "QNLI",
    "rte": "RTE",
    "wnli": "WNLI",
}
"""The names of GLUE's files, without .tsv; MNLI's mismatched part is MNLI-mm."""

MOST_SIMILAR = 5.0
"""STS-B's scores are from 0 to this; the server takes no others."""


@dataclass(frozen=True)
class Evaluation:
    """Figures by name, their intervals, and one number for the task."""

    figures: Figures
    intervals: Mapping[str, tuple[float, float]]
    score: float


def evaluate(
    model: TaskModel, examples: Sequence[Example], resampling: Resampling | None = None
) -> Evaluation:
    """Score a model on examples whose answers are known; no intervals without `resampling`."""
    values = [value_of(prediction) for prediction in predictions(model, examples)]
    return evaluation(model.task, examples, values, resampling)


def evaluation(
    task: Task,
    examples: Sequence[Example],
    values: Sequence[Prediction],
    resampling: Resampling | None = None,
) -> Evaluation:
    """Score predictions that were made."""
    figures = score(task, examples, values)
    drawn = intervals(task, examples, values, resampling) if resampling else {}
    return Evaluation(figures, drawn, task_score(task, figures))


def write_predictions(
    task: Task, found: Iterable[Predicted | Answered], folder: Path, *, part: str = ""
) -> list[Path]:
    """Write predictions into a folder, each file whole or not at all; gives the files.

    part: `matched` or `mismatched` for MNLI.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if task.name in GLUE:
        name = "MNLI-mm" if part == MISMATCHED else SERVER_NAMES[task.name]
        lines = ["index\tprediction", *_server_lines(task, found)]
        return [_write(folder / f"{name}.tsv", "".join(f"{line}\n" for line in lines))]
    if task.name in ("squad", "squad2"):
        answered = [each for each in found if isinstance(each, Answered)]
        texts = {each.id: each.text for each in answered}
        paths = [_write(folder / "predictions.json", _json(texts))]
        if task.nullable:
            odds = {each.id: each.null_odds for each in answered}
            paths.append(_write(folder / "null_odds.json", _json(odds)))
        return paths
    rows = (json.dumps(as_json(task, each), ensure_ascii=False) + "\n" for each in found)
    return [_write(folder / "predictions.jsonl", "".join(rows))]


def _server_lines(task: Task, found: Iterable[Predicted | Answered]) -> Iterator[str]:
    for each in found:
        value = value_of(each)
        if task.regression:
            value = f"{min(max(float(value), 0.0), MOST_SIMILAR):.3f}"
        if "\t" in each.id or "\n" in each.id:
            raise TrainError("an index has a tab or a line end, which GLUE's files cannot hold")
        yield f"{each.id}\t{value}"


def as_json(task: Task, prediction: Predicted | Answered, *, top: int = 1) -> dict[str, Any]:
    """A prediction as an object; of answers the best `top`."""
    if isinstance(prediction, Answered):
        return {
            "id": prediction.id,
            "answer": prediction.text or None,
            "answers": [
                {
                    "text": each.text,
                    "start": each.start,
                    "end": each.end,
                    "probability": round(each.probability, 6),
                }
                for each in prediction.distinct(top)
            ],
            **({"null_odds": round(prediction.null_odds, 6)} if task.nullable else {}),
        }
    content: dict[str, Any] = {"id": prediction.id}
    shares = [round(share, 6) for share in prediction.probabilities]
    if task.kind == "choice":
        return {**content, "option": prediction.value, "probabilities": shares}
    if task.regression:
        return {**content, "value": prediction.value}
    labelled = dict(zip(task.labels, shares, strict=True))
    return {**content, "label": prediction.value, "probabilities": labelled}


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _write(path: Path, text: str) -> Path:
    # Half of a character, as JSON can have it, is spelled out as JSON does it.
    write_whole(path, text.encode("utf-8", "backslashreplace"))
    return path
