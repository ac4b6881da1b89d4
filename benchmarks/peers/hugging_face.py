"""The token-classification pipeline of `transformers`, with the same weights.

Word shapes and the CRF have no place there, so what it finds differs. Where a speed has several
networks, each has a pipeline; what the first finds is taken.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.peer import Find, Found, Peer
from incognote.phi import CATEGORY_OF


def peer(folders: Sequence[Path], window: int, overlap: int, batch: int) -> Peer:
    """With notes in batches of so many; `window` counts the special pieces."""
    asked = {
        "folders": [str(folder.resolve()) for folder in folders],
        "window": window,
        "stride": overlap,
        "batch": batch,
    }
    return Peer(
        "transformers",
        "transformers, same weights",
        "hugging_face",
        f"token-classification pipeline, windows of {window} pieces that share {overlap}, batches "
        f"of {batch}; without word shapes and CRF",
        variant=json.dumps(asked),
        categories=CATEGORY_OF,
    )


def load(variant: str) -> Find:
    """Windows are cut by the pipeline itself, which needs the stride for that."""
    import torch
    from transformers import AutoTokenizer, pipeline

    asked = json.loads(variant)
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))

    def opened(folder: str) -> Any:
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, model_max_length=asked["window"]
        )
        return pipeline(
            "token-classification",
            model=folder,
            tokenizer=tokenizer,
            device="cpu",
            stride=asked["stride"],
            aggregation_strategy="simple",
        )

    runs = [opened(folder) for folder in asked["folders"]]

    def find(texts: Sequence[str]) -> list[list[Found]]:
        found: Any
        found, *_ = [run(list(texts), batch_size=asked["batch"]) for run in runs]
        if len(texts) == 1 and found and isinstance(found[0], dict):
            found = [found]
        return [
            [(each["start"], each["end"], each["entity_group"], each["score"]) for each in note]
            for note in found
        ]

    return find
