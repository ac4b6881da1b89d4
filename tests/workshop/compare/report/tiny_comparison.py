"""A comparison's folder made without training: gold notes, and predictions that are damaged gold."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.document import Document, Span
from incognote.workshop.compare.data import Data
from incognote.workshop.compare.results import (
    Comparison,
    load_comparison,
    write_predictions,
    write_validation,
)
from incognote.workshop.fine_tuning import Parts
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.predict import strict_figures

SIZES = {
    "layers": 4,
    "hidden_size": 256,
    "heads": 4,
    "embedding_size": 128,
    "vocabulary": 8000,
    "parameters": 4_212_000,
    "megabytes": 16.8,
    "feed_forward_size": 1024,
    "dropout": 0.1,
    "activation": "gelu",
    "shared": False,
    "objective": "MLM/NSP",
}
MACHINE = {
    "cores": 2,
    "threads": 1,
    "torch": "2.9.0",
    "python": "3.11.2",
    "kernel": "AVX2",
    "machine": "x86_64",
}


@dataclass(frozen=True)
class Encoder:
    """An encoder whose cell number n gets wrong about `wrong[n]` of the spans; a word instead of
    a number is why it failed, None that it was never begun.
    """

    name: str
    wrong: Sequence[float | str | None]
    random: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


def make_comparison(
    folder: Path, data: Data, encoders: Sequence[Encoder], *, trained: bool = True, **told: Any
) -> Comparison:
    """The folder as `incognote compare` leaves it; `told` changes comparison.json."""
    cells: list[dict[str, Any]] = []
    for fold in (None, *data.folds):
        for encoder in encoders:
            for place, wrong in enumerate(encoder.wrong):
                id = f"{encoder.name}-{fold or 'all'}-{place}"
                options = Options(**{"lr": 1e-5 * (place + 1), **encoder.options}).to_json()
                cells.append(
                    {
                        "id": id,
                        "encoder": encoder.name,
                        "options": options,
                        "varied": {"lr": options["lr"]},
                        "fold": fold,
                    }
                )
                harder = 1.0 if fold is None else 1.6
                make_cell(folder / "cells" / id, data.fold(fold), wrong, harder, trained, encoder)
    plan = {
        "schema": 1,
        "command": ["incognote", "compare", "my notes", "-o", "out", "--grid", "grid.toml"],
        "incognote": "0.1.0",
        "data": data.fingerprint(),
        "labels": ["O", "B-CITY", "I-CITY"],
        "label_set": "own",
        "grid": {"name": "grid", "assumptions": ["No warm-up is assumed."]},
        "seed": 3,
        "threads": 1,
        "sources": data.sources,
        "folds": list(data.folds),
        "parts": data.counts(),
        "encoders": [
            {
                "name": encoder.name,
                "family": "bert",
                "random": encoder.random,
                "origin": "preset" if encoder.random else "checkpoint",
                **SIZES,
            }
            for encoder in encoders
        ],
        "begun_from": {encoder.name: "0123456789abcdef" for encoder in encoders},
        "cells": cells,
        **told,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "comparison.json").write_text(json.dumps(plan))
    return load_comparison(folder)


def make_cell(
    folder: Path,
    parts: Parts,
    wrong: float | str | None,
    harder: float,
    trained: bool,
    encoder: Encoder,
) -> None:
    """One cell's files."""
    if wrong is None:
        return
    folder.mkdir(parents=True)
    if isinstance(wrong, str):
        (folder / "failed.json").write_text(json.dumps({"reason": wrong}))
        return
    shares = {"train": wrong / 2, "validation": wrong, "test": wrong * harder}
    for part, share in shares.items():
        if part != "train" or trained:
            found = damaged(getattr(parts, part), share, seed=f"{folder.name} {part}")
            write_predictions(folder / "predictions" / f"{part}.jsonl", found)
    found = damaged(parts.validation, wrong, seed=f"{folder.name} validation")
    figures = strict_figures(parts.validation, found)
    write_validation(folder, parts.validation, found)
    rates = {"seconds": 90.0, "samples_per_second": 12.5, "steps_per_second": 1.5}
    curve = [
        {
            "epoch": epoch,
            "steps": 10 * epoch,
            "loss": 2.0 / (epoch + wrong),
            "lr": 1e-5,
            **{name: value * (1 - 0.5**epoch) for name, value in figures.items()},
            "seconds": 30.0 * epoch,
        }
        for epoch in (1, 2, 3)
    ]
    (folder / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in curve))
    training = {
        "schema": 1,
        "encoder": {"name": encoder.name, "random": encoder.random},
        "seed": 0,
        "epoch": 3,
        "epochs": 3,
        "validation": figures,
        "data": {"fingerprint": "feedbeef"},
        "speed": {**rates, "tokens_per_second": 800.0},
        "versions": {"python": "3.11.2", "incognote": "0.1.0", "torch": "2.9.0"},
    }
    (folder / "training.json").write_text(json.dumps(training))
    machine = {
        **MACHINE,
        "training": {**rates, "tokens_per_second": 800.0},
        "prediction": {**rates, "notes_per_second": 4.25},
    }
    (folder / "machine.json").write_text(json.dumps(machine))


def damaged(notes: Sequence[Document], wrong: float, *, seed: str) -> list[Document]:
    """About that share of the spans missed, cut short or mistyped, and some found for nothing."""
    chance = random.Random(seed)
    types = sorted({span.type for note in notes for span in note.spans})
    result = []
    for note in notes:
        spans = []
        for span in note.spans:
            draw = chance.random()
            start, end, type = span.start, span.end, span.type
            if draw < wrong / 3:
                continue
            if draw < 2 * wrong / 3 and len(span) > 1:
                end -= 1
            elif draw < wrong:
                type = chance.choice(types)
            spans.append(Span.of(note.text, start, end, type, source="model"))
        if chance.random() < wrong and note.text[:1].isalnum():
            spans.append(Span.of(note.text, 0, 1, types[0], source="model"))
        result.append(note.with_spans(spans))
    return result
