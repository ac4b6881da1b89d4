"""The tasks' data as they are published: GLUE's and SNLI's tables here, SQuAD's and RACE's beside it.

| task | file |
|---|---|
| GLUE's nine | the TSV files of gluebenchmark.com; those of the test part have no labels |
| SNLI, also MNLI | `.jsonl` or `.txt` of the original release; a pair without a gold label (`-`) is left out |
| SQuAD | `.json` (`squad_files.py`) |
| RACE | a folder, or JSON lines (`race_files.py`) |
| one's own | CSV, TSV or JSON lines (`columns.py`) |

Everything may be compressed. A file that is not what it should be is refused with the place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from incognote.base.errors import RunError
from incognote.workshop.tasks.columns import Columns, read_columns
from incognote.workshop.tasks.metrics import MATCHED, MISMATCHED
from incognote.workshop.tasks.race_files import read_race
from incognote.workshop.tasks.rows import (
    DataError,
    Place,
    Row,
    TaskPart,
    checked_label,
    first_line,
    jsonl_rows,
    tsv_rows,
)
from incognote.workshop.tasks.squad_files import read_squad
from incognote.workshop.tasks.task import (
    GLUE,
    ChoiceExample,
    Example,
    QuestionExample,
    SentenceExample,
    Task,
)

NO_GOLD = "-"
UNLABELLED = "pairs without a gold label, left out"
CUT_ROWS = "rows with another number of fields, left out as the published file has some"

OWN = ("sentence", "pair", "choice", "span")


def read_part(
    task: Task, path: Path, columns: Columns | None = None, *, labelled: bool = False
) -> TaskPart:
    """The examples of a file, or of RACE's folder.

    columns: of a user's own data. labelled: examples whose answer is not known are refused.
    """
    if not path.exists():
        raise DataError(f"{path}: no such file")
    if task.name in OWN:
        part = read_columns(task, path, columns or Columns())
    elif columns is not None:
        raise RunError(f"{task.title} is read as published: columns are for your own data")
    elif task.kind == "choice":
        part = read_race(path)
    elif task.kind == "span":
        part = read_squad(task, path)
    else:
        part = _read_pairs(task, path)
    if not part.examples:
        raise DataError(f"{path}: has no examples")
    if labelled:
        _check_labelled(path, part)
    return part


def _check_labelled(path: Path, part: TaskPart) -> None:
    for example in part.examples:
        if not _is_known(example):
            raise DataError(
                f"{path}, example {example.id}: its answer or label is not known, so that nothing "
                "can be learned or scored with it"
            )


def _is_known(example: Example) -> bool:
    if isinstance(example, QuestionExample):
        return example.known
    if isinstance(example, ChoiceExample):
        return example.answer is not None
    return example.label is not None


@dataclass(frozen=True)
class _Layout:
    """The columns of a published table."""

    first: str
    second: str | None = None
    label: str = "label"
    id: str = "index"


_LAYOUTS = {
    "cola": _Layout("sentence"),
    "sst-2": _Layout("sentence"),
    "mrpc": _Layout("#1 String", "#2 String", "Quality"),
    "sts-b": _Layout("sentence1", "sentence2", "score"),
    "qqp": _Layout("question1", "question2", "is_duplicate", "id"),
    "mnli": _Layout("sentence1", "sentence2", "gold_label"),
    "qnli": _Layout("question", "sentence"),
    "rte": _Layout("sentence1", "sentence2"),
    "wnli": _Layout("sentence1", "sentence2"),
    "snli": _Layout("sentence1", "sentence2", "gold_label", "pairID"),
}

_COLA = ("source", "label", "judgement", "sentence")
"""CoLA's files have no header, but for the test part's."""
_BARE = ("sentence1", "sentence2", "gold_label")
"""SNLI in three columns without a header, as it is passed on; its labels are numbers."""
_CUT = ("qqp",)
"""Tables some of whose published rows lack fields."""


def _read_pairs(task: Task, path: Path) -> TaskPart:
    layout, notices = _LAYOUTS[task.name], Counter[str]()
    rows, numbered = _rows(task, path, layout)
    examples = []
    for number, row in enumerate(rows):
        if isinstance(row, Place):
            if task.name not in _CUT:
                row.refuse("has another number of fields than the header or the format")
            notices[CUT_ROWS] += 1
            continue
        if row.optional(layout.label) == NO_GOLD:
            notices[UNLABELLED] += 1
            continue
        examples.append(_example(task, row, layout, number, numbered=numbered))
    return TaskPart(list(examples), notices)


def _rows(task: Task, path: Path, layout: _Layout) -> tuple[Iterator[Row | Place], bool]:
    """The rows, and whether their labels are numbers that stand for the task's."""
    first = first_line(path)
    if layout.label == "gold_label" and first.startswith("{"):
        return iter(jsonl_rows(path)), False
    fields = first.split("\t")
    needed = [name for name in (layout.first, layout.second) if name is not None]
    if task.name == "cola" and len(fields) == len(_COLA):
        return tsv_rows(path, _COLA), False
    if task.name == "snli" and len(fields) == len(_BARE) and fields[2].isdecimal():
        return tsv_rows(path, _BARE), True
    return tsv_rows(path, needed=needed), False


def _example(
    task: Task, row: Row, layout: _Layout, number: int, *, numbered: bool
) -> SentenceExample:
    label = row.optional(layout.label)
    if label is not None and numbered:
        known = label.isdecimal() and int(label) < len(task.labels)
        label = task.labels[int(label)] if known else label
    return SentenceExample(
        row.optional(layout.id) or str(number),
        row.text(layout.first),
        None if layout.second is None else row.text(layout.second),
        None if label is None else checked_label(task, row.place, label),
    )


# The published parts of a folder

_PARTS: dict[str, dict[str, Sequence[str]]] = {
    "squad": {"train": ("train-v1.1.json",), "dev": ("dev-v1.1.json",)},
    "squad2": {"train": ("train-v2.0.json",), "dev": ("dev-v2.0.json",)},
    "race": {"train": ("train",), "dev": ("dev",), "test": ("test",)},
    "snli": {
        part: (f"snli_1.0_{part}.jsonl", f"snli_1.0_{part}.txt")
        for part in ("train", "dev", "test")
    },
    "mnli": {
        "train": ("train.tsv",),
        **{
            f"{part}_{half}": (f"{part}_{half}.tsv",)
            for part in ("dev", "test")
            for half in (MATCHED, MISMATCHED)
        },
    },
}
_GLUE_PARTS: dict[str, Sequence[str]] = {
    part: (f"{part}.tsv",) for part in ("train", "dev", "test")
}


def published_parts(task: Task, folder: Path) -> dict[str, Path]:
    """The parts that a folder has under their published names: train, dev and test.

    MNLI's are `dev_matched`, `dev_mismatched` and so on.
    """
    wanted = _PARTS.get(task.name) or (_GLUE_PARTS if task.name in GLUE else {})
    found = {}
    for part, names in wanted.items():
        paths = [folder / (name + ending) for name in names for ending in ("", ".gz", ".xz")]
        path = next((each for each in paths if each.exists()), None)
        if path is not None:
            found[part] = path
    return found
