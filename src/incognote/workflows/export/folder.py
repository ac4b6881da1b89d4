"""A model folder from checkpoints and their networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.align.shapes import VERSION
from incognote.finetune.checkpoint import Checkpoint
from incognote.finetune.start import read_tokenizer
from incognote.finetune.tagger import Tagger
from incognote.onnx.model_folder import Crf, Member, Model, Variant, digest, write_model

MOST_OVERLAP = 16
"""Pieces that neighbouring windows share at most, whatever they shared in training: more was not
better on annotated notes, and is read twice (docs/performance.md).
"""


def write_folder(
    folder: Path,
    checkpoints: Mapping[Path, Checkpoint],
    networks: Sequence[Any],
    card: Mapping[str, Any],
) -> None:
    """Networks in the order of the checkpoints; a tokenizer that several share is written once."""
    folder.mkdir(parents=True)
    tokenizers: dict[str, str] = {}
    members: dict[str, Member] = {}
    files: dict[str, str] = {}
    for count, (source, checkpoint) in enumerate(checkpoints.items(), 1):
        number = f"-{count}" if len(checkpoints) > 1 else ""
        network = f"model{number}.onnx"
        (folder / network).write_bytes(networks[count - 1].SerializeToString())
        written = read_tokenizer(source).to_str()
        tokenizer = tokenizers.setdefault(written, f"tokenizer{number}.json")
        (folder / tokenizer).write_text(written, encoding="utf-8")
        files |= {name: digest(folder / name) for name in (network, tokenizer)}
        members[f"{checkpoint.tagger.model.family.name}{number}"] = Member(
            network=network,
            tokenizer=tokenizer,
            shapes=VERSION if checkpoint.reader.shape else None,
            window=checkpoint.reader.window,
            overlap=min(checkpoint.reader.overlap, MOST_OVERLAP),
            crf=_crf(checkpoint.tagger),
            alone=checkpoint.tagger.settling is not None,
        )
    labels = next(iter(checkpoints.values())).tagger.labels.names
    careful = Variant(members=tuple(members))
    model = Model(
        labels=labels, members=members, variants={"careful": careful}, files=files, card=card
    )
    write_model(model, folder)


def _crf(tagger: Tagger) -> Crf | None:
    if tagger.crf is None:
        return None
    return Crf(
        between=tuple(map(tuple, tagger.crf.between.tolist())),
        start=tuple(tagger.crf.start.tolist()),
        end=tuple(tagger.crf.end.tolist()),
    )
