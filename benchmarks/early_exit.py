"""What an early exit of tokens saves, and what it costs: the same weights, with and without it.

    python benchmarks/early_exit.py checkpoint/ notes/ [--notes 40]

Reads annotated notes with a checkpoint of `incognote train --settle`: once as it was trained, once
with every token computed by all layers. Prints how many tokens are computed further, the identifiers that each
way covers, the characters that it hides besides, and the time of the exported 8-bit network.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from incognote.corpus.predictions import read_gold
from incognote.document import Document
from incognote.formats import Fields
from incognote.onnx.sessions import Network
from incognote.workshop.export.graph import Int8
from incognote.workshop.export.network import network_of
from incognote.workshop.finetune.checkpoint import Checkpoint, load_checkpoint
from incognote.workshop.finetune.predict import note_scores, predict

ROUNDS = 3


def covered(gold: Sequence[Document], found: Sequence[Document]) -> tuple[int, int, int]:
    """Identifiers whose letters and digits are all hidden, all identifiers, other characters hidden."""
    hit = total = besides = 0
    for note, guess in zip(gold, found, strict=True):
        hidden, marked = (
            {at for span in each.spans for at in range(span.start, span.end)}
            for each in (guess, note)
        )
        total += len(note.spans)
        besides += len(hidden - marked)
        hit += sum(
            all(at in hidden for at in range(span.start, span.end) if note.text[at].isalnum())
            for span in note.spans
        )
    return hit, total, besides


def read_on(checkpoint: Checkpoint, notes: Sequence[Document]) -> float:
    """The share of tokens that all layers compute."""
    readings = checkpoint.reader.read_all([note.text for note in notes])
    outside = checkpoint.tagger.labels.outside
    scores = np.concatenate(note_scores(checkpoint.tagger, readings))
    return float(np.delete(scores, outside, axis=1).any(axis=1).mean())


def seconds(checkpoint: Checkpoint, settles: bool, notes: Sequence[Document]) -> tuple[float, int]:
    """Of one thread for all windows, the best of some rounds; and their tokens."""
    tagger, reader = checkpoint.tagger, checkpoint.reader
    made = network_of(
        tagger.model,
        Int8(),
        shapes=None if tagger.shape is None else tagger.shape.rows.weight,
        early_exit=tagger.settling if settles else None,
        longest=reader.window + len(reader.frame),
    )
    windows = [
        window
        for reading in reader.read_all([note.text for note in notes])
        for window in reading.inputs()
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(made.SerializeToString())
        network = Network(path)
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        for window in windows:
            inputs: dict[str, Any] = {"ids": window.ids[None]}
            if window.shapes is not None:
                inputs["shapes"] = window.shapes[None]
            network.run(**inputs)
        best = min(best, time.process_time() - began)
    return best, sum(len(window.ids) for window in windows)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("corpus", type=Path, help="annotated notes, unseen by the checkpoint")
    parser.add_argument("--notes", type=int, default=40)
    given = parser.parse_args()
    torch.set_num_threads(1)
    checkpoint = load_checkpoint(given.checkpoint)
    if checkpoint.tagger.settling is None:
        parser.error("the checkpoint has no early exit; train it with --settle")
    notes = read_gold(given.corpus, None, Fields())[: given.notes]
    print(f"tokens computed by all layers: {100 * read_on(checkpoint, notes):.1f} %")
    for settles in (True, False):
        best, tokens = seconds(checkpoint, settles, notes)
        if not settles:
            torch.nn.init.constant_(checkpoint.tagger.settling.outer.bias, 1e4)  # all in doubt
        found = predict(checkpoint.tagger, checkpoint.reader, notes)
        hit, total, besides = covered(notes, found)
        print(
            f"{'early exit' if settles else 'all layers'}: {hit:,} of {total:,} covered, {besides:,} "
            f"other characters hidden, {1e6 * best / tokens:.0f} µs a token"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
