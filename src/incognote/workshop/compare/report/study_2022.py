"""The 2022 study's figures as printed, from `study_2022.toml`, and ours beside them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from incognote.workshop.compare.grid import STUDY, STUDY_BEST
from incognote.workshop.compare.report.content import (
    COUNT,
    MODEL,
    NUMBER,
    PERCENT,
    SIZE,
    TEXT,
    Block,
    Column,
    ColumnSpec,
    Model,
    Prose,
    Table,
)
from incognote.workshop.compare.report.hyper_parameters import STUDIED, text_of
from incognote.workshop.compare.report.material import BestCell, NotesMaterial
from incognote.workshop.compare.report.models_and_data import NON_PHI, gibibytes
from incognote.workshop.compare.report.scores import WORD_FIGURES
from incognote.workshop.compare.results import PARTS, EncoderFacts, Part


@dataclass(frozen=True, kw_only=True)
class PrintedModel:
    """A model of the study: its row in tables 1, 4, 5 and 6.

    names: the encoders that are the same here. gigabytes: of Hugging Face's file. train, validation,
    test: precision, recall, F1 and accuracy.
    """

    name: str
    names: Sequence[str]
    gigabytes: float
    parameters: int
    layers: int
    vocabulary: int
    embedding: int
    attention: int
    feed_forward: int
    dropout: float
    activation: str
    shared: bool
    objective: str
    batch_size: int
    epochs: int
    lr: float
    weight_decay: float
    train: Sequence[float]
    validation: Sequence[float]
    test: Sequence[float]
    samples_per_second: float
    steps_per_second: float

    def scores(self, part: Part) -> Sequence[float]:
        """Its row of table 5, for one part."""
        row: Sequence[float] = getattr(self, part)
        return row


@dataclass(frozen=True)
class PrintedPart:
    """A part of i2b2/UTHealth 2014 as the study split it; `types` has the words of each, Non-PHI first."""

    notes: int
    words: int
    types: Mapping[str, int]


@cache
def printed_models() -> tuple[PrintedModel, ...]:
    """In the order of the study's tables 4 to 6."""
    return tuple(PrintedModel(**model) for model in _content()["models"])


@cache
def printed_parts() -> Mapping[str, PrintedPart]:
    """The study's table 3."""
    return {name: PrintedPart(**part) for name, part in _content()["parts"].items()}


def _content() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "study_2022.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class StudyRow:
    """A model of the study and, where it was compared here, ours."""

    printed: PrintedModel
    model: Model | None
    facts: EncoderFacts | None
    best: BestCell | None


def beside_the_study(material: NotesMaterial) -> Iterator[Block]:
    """All models of the study where its grid was run, else those that were compared here."""
    rows = _rows(material)
    if not rows:
        return
    notes = {name: part.notes for name, part in printed_parts().items()}
    yield Prose(
        "The study's figures are those it printed, on i2b2/UTHealth 2014: "
        f"{notes['train']} notes for training, {notes['validation']} for validation and "
        f"{notes['test']} for test. Ours are on the notes of this comparison. Only where these are "
        "that corpus do the two say the same thing, and even then words, split and seed differ. "
        "Models are in the study's order. Its figure 3 has no printed numbers."
    )
    yield _models(rows)
    yield _words(material)
    yield _chosen(rows)
    yield _scores(rows)
    yield _speed(rows)


def _rows(material: NotesMaterial) -> list[StudyRow]:
    facts = {each.name: each for each in material.comparison.encoders}
    best = {each.model.name: each for each in material.best}
    rows = []
    for printed in printed_models():
        name = next((name for name in facts if name.lower() in printed.names), None)
        if name is not None:
            rows.append(StudyRow(printed, material.models[name], facts[name], best.get(name)))
        elif material.comparison.grid in (STUDY, STUDY_BEST):
            rows.append(StudyRow(printed, None, None, None))
    return rows if any(row.model for row in rows) else []


WHO: Sequence[ColumnSpec] = (
    ("study's model", TEXT, lambda row: row.printed.name),
    ("model", MODEL, lambda row: row.model),
)


def _models(rows: Sequence[StudyRow]) -> Table:
    def ours(field: str) -> Any:
        return lambda row: None if row.facts is None else getattr(row.facts, field)

    return Table.of(
        "study-models",
        "Table 1 beside the study's; its size is that of Hugging Face's file",
        rows,
        (
            *WHO,
            ("parameters", COUNT, ours("parameters")),
            ("study's parameters", COUNT, lambda row: row.printed.parameters),
            ("size, GiB", SIZE, lambda row: row.facts and gibibytes(row.facts.parameters)),
            ("study's size, Gb", SIZE, lambda row: row.printed.gigabytes),
            ("layers", COUNT, ours("layers")),
            ("study's layers", COUNT, lambda row: row.printed.layers),
            ("attention", COUNT, ours("hidden_size")),
            ("study's attention", COUNT, lambda row: row.printed.attention),
            ("vocabulary", COUNT, ours("vocabulary")),
            ("study's vocabulary", COUNT, lambda row: row.printed.vocabulary),
        ),
    )


def _words(material: NotesMaterial) -> Table:
    """Of each part and type the per cent of words; the study's types first, in its order."""
    printed, parts = printed_parts(), material.comparison.parts
    own: dict[str, Mapping[str, int]] = {}
    for part in PARTS:
        types = parts.get(part, {}).get("words_by_type", {})
        words = parts.get(part, {}).get("words", 0)
        own[part] = {NON_PHI: words - sum(types.values()), **types}
    names = dict.fromkeys(
        [*printed["train"].types, *(type for part in own.values() for type in part)]
    )

    def share(counts: Mapping[str, int], type: str) -> float | None:
        whole = sum(counts.values())
        return counts.get(type, 0) / whole if whole else None

    rows = [
        (
            type,
            *(share(counts, type) for part in PARTS for counts in (own[part], printed[part].types)),
        )
        for type in names
    ]
    heads = [Column("", TEXT)]
    for part in PARTS:
        heads += [Column(f"{part} %", PERCENT), Column(f"study's {part} %", PERCENT)]
    title = "Table 3 beside the study's: per cent of words"
    return Table("study-words-by-type", title, heads, rows)


def _chosen(rows: Sequence[StudyRow]) -> Table:
    def ours(value_of: Any) -> Any:
        return lambda row: None if row.best is None else value_of(row.best.cell.options)

    def studied(field: str) -> Any:
        return lambda row: text_of(getattr(row.printed, field))

    fields = ("batch_size", "epochs", "lr", "weight_decay")
    columns: list[ColumnSpec] = [*WHO]
    for (name, value_of), field in zip(STUDIED.items(), fields, strict=True):
        columns += [(name, TEXT, ours(value_of)), (f"study's {name}", TEXT, studied(field))]
    return Table.of("study-chosen", "Table 4 beside the study's: what was best", rows, columns)


def _scores(rows: Sequence[StudyRow]) -> Table:
    def ours(place: int) -> Any:
        def value_of(row_and_part: tuple[StudyRow, Any]) -> float | None:
            row, part = row_and_part
            figure = row.best and row.best.figure(part, *WORD_FIGURES[place])
            return figure.value if figure else None

        return value_of

    def studied(place: int) -> Any:
        return lambda row_and_part: row_and_part[0].printed.scores(row_and_part[1])[place]

    columns: list[ColumnSpec] = [
        ("study's model", TEXT, lambda row_and_part: row_and_part[0].printed.name),
        ("model", MODEL, lambda row_and_part: row_and_part[0].model),
        ("part", TEXT, lambda row_and_part: row_and_part[1]),
    ]
    for place, name in enumerate(("precision", "recall", "F1", "accuracy")):
        columns += [
            (f"{name} %", PERCENT, ours(place)),
            (f"study's {name} %", PERCENT, studied(place)),
        ]
    return Table.of(
        "study-scores",
        "Table 5 beside the study's: over words",
        [(row, part) for part in reversed(PARTS) for row in rows],
        columns,
    )


def _speed(rows: Sequence[StudyRow]) -> Table:
    def ours(work: str, rate: str) -> Any:
        return lambda row: row.best and row.best.cell.machine.get(work, {}).get(rate)

    return Table.of(
        "study-speed",
        "Table 6 beside the study's, which had one V100 GPU, and whose samples are notes",
        rows,
        (
            *WHO,
            ("training samples/s", NUMBER, ours("training", "samples_per_second")),
            ("prediction samples/s", NUMBER, ours("prediction", "samples_per_second")),
            ("study's samples/s", NUMBER, lambda row: row.printed.samples_per_second),
            ("training steps/s", NUMBER, ours("training", "steps_per_second")),
            ("prediction steps/s", NUMBER, ours("prediction", "steps_per_second")),
            ("study's steps/s", NUMBER, lambda row: row.printed.steps_per_second),
        ),
    )
