"""What a cell found in a part, as `incognote find` writes it: places and types, no text.

And what that is worth by words, which the choice of a cell may go by.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.base.files import write_private
from incognote.document import Document
from incognote.evaluate import Marks, Resampling, score
from incognote.workshop.compare.results import VALIDATION

if TYPE_CHECKING:
    from incognote.workshop.finetune.checkpoint import Checkpoint


def write_predictions(path: Path, documents: Sequence[Document]) -> None:
    """One line per note, in the order of the part."""
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
    folder: Path, gold: Sequence[Document], found: Sequence[Document | Marks]
) -> None:
    """The word figures of the validation part: precision, recall, F1 and accuracy."""
    report = score(gold, found, blocks=["study"], resampling=Resampling(resamples=0))
    overall = {
        name: report.value("study", "overall", name) for name in ("precision", "recall", "f1")
    }
    # Nothing to find and nothing found is no mistake, as in the strict figures.
    told = {name: 1.0 if value is None else value for name, value in overall.items()}
    told["accuracy"] = report.value("study", "accuracy") or 0.0
    write_private(folder / VALIDATION, (json.dumps({"words": told}, indent=2) + "\n").encode())


def timed_predictions(
    checkpoint: Checkpoint, documents: Sequence[Document]
) -> tuple[list[Document], dict[str, Any]]:
    """The notes with what is found in them, and how fast: a step is a batch, a sample a window."""
    from incognote.workshop.finetune.predict import predict

    counted = {"windows": 0, "batches": 0}

    def count(module: Any, args: Any, kwargs: dict[str, Any]) -> None:
        counted["windows"] += len(kwargs["lengths"])
        counted["batches"] += 1

    hook = checkpoint.tagger.register_forward_pre_hook(count, with_kwargs=True)
    began = time.perf_counter()
    try:
        found = predict(checkpoint.tagger, checkpoint.reader, documents)
    finally:
        hook.remove()
    seconds = time.perf_counter() - began
    return found, {
        "seconds": round(seconds, 3),
        "samples_per_second": round(counted["windows"] / seconds, 3),
        "steps_per_second": round(counted["batches"] / seconds, 3),
        "notes_per_second": round(len(documents) / seconds, 3),
    }
