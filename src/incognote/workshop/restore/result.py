"""What a run of `incognote train-restore` leaves: checkpoint, vocabulary, networks, figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.onnx.sequence_folder import TOKENIZER
from incognote.workshop.export.sequence_to_sequence import export_networks
from incognote.workshop.restore.restorer import TASK, Restorer
from incognote.workshop.restore.score import compared
from incognote.workshop.restore.vocabulary import Vocabulary
from incognote.workshop.sequence_to_sequence import marian
from incognote.workshop.sequence_to_sequence.transformer import Transformer
from incognote.workshop.training.run_folder import write_training


def write_result(
    folder: Path,
    model: Transformer,
    vocabulary: Vocabulary,
    learned: Sequence[str],
    held_out: Mapping[str, Sequence[str]],
    training: Mapping[str, Any],
    *,
    int8: bool,
    say: Callable[[str], None],
) -> None:
    """The folder, training.json last; the same again if it was killed on the way."""
    model.to("cpu").eval()
    marian.save(model, folder)
    vocabulary.save(folder / TOKENIZER)
    card = {name: training[name] for name in ("documents", "words", "steps", "seconds")}
    export_networks(model, folder, TASK, int8=int8, card=card, tell=say)
    figures: dict[str, Any] = {}
    began = time.perf_counter()
    if held_out:
        say("restoring the held-out notes")
        figures = compared(held_out, learned, Restorer(folder).restore)
    scoring = round(time.perf_counter() - began, 1)
    write_training(folder, {**training, "held_out": figures, "scoring_seconds": scoring})
