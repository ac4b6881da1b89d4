"""A model folder from checkpoints and their networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.align import joining, shapes
from incognote.onnx.model_folder import (
    SPEEDS,
    Crf,
    Member,
    Model,
    Variant,
    digest,
    write_model,
)
from incognote.workshop.export.shared import SHARED, write_shared
from incognote.workshop.finetune.checkpoint import Checkpoint
from incognote.workshop.finetune.start import read_tokenizer
from incognote.workshop.finetune.tagger import Tagger


def write_folder(
    folder: Path,
    checkpoints: Mapping[Path, Checkpoint],
    variants: Mapping[str, Sequence[Path]],
    networks: Mapping[Path, Any],
    card: Mapping[str, Any],
    weights: Sequence[float] = (),
) -> dict[Path, str]:
    """Write all files; gives the name of each checkpoint's network.

    `variants` has the checkpoints of each; `weights` are those of the first variant's. What several
    share is written once: a tokenizer, and large tables of the networks.
    """
    folder.mkdir(parents=True)
    networks = write_shared(folder / SHARED, networks)
    tokenizers: dict[str, str] = {}
    members: dict[str, Member] = {}
    names: dict[Path, str] = {}
    files = {SHARED: digest(folder / SHARED)} if (folder / SHARED).exists() else {}
    for source, mark in _marks(variants).items():
        checkpoint, network = checkpoints[source], f"model{mark}.onnx"
        (folder / network).write_bytes(networks[source].SerializeToString())
        written = read_tokenizer(source).to_str()
        tokenizer = tokenizers.setdefault(written, f"tokenizer{mark}.json")
        (folder / tokenizer).write_text(written, encoding="utf-8")
        files |= {name: digest(folder / name) for name in (network, tokenizer)}
        names[source] = f"{checkpoint.tagger.model.family.name}{mark}"
        members[names[source]] = Member(
            network=network,
            tokenizer=tokenizer,
            shapes=shapes.VERSION if checkpoint.reader.shape else None,
            window=checkpoint.reader.window,
            overlap=checkpoint.reader.overlap,
            crf=_crf(checkpoint.tagger),
            alone=checkpoint.tagger.settling is not None,
            join=joining.VERSION if checkpoint.reader.join else None,
            by_word=checkpoint.by_word,
            any_order=checkpoint.any_order,
        )
    model = Model(
        labels=next(iter(checkpoints.values())).tagger.labels.names,
        members=members,
        variants={
            speed: Variant(
                members=tuple(names[source] for source in sources),
                weights=tuple(weights) if speed == SPEEDS[0] else (),
            )
            for speed, sources in variants.items()
        },
        files=files,
        card=card,
    )
    write_model(model, folder)
    return {source: members[name].network for source, name in names.items()}


def _marks(variants: Mapping[str, Sequence[Path]]) -> dict[Path, str]:
    """What tells the files of each checkpoint from the others'."""
    marks: dict[Path, str] = {}
    for speed, sources in variants.items():
        variant = "" if speed == SPEEDS[0] else f"-{speed}"
        for count, source in enumerate(sources, 1):
            marks[source] = f"{variant}-{count}" if len(sources) > 1 else variant
    return marks


def _crf(tagger: Tagger) -> Crf | None:
    if tagger.crf is None:
        return None
    return Crf(
        between=tuple(map(tuple, tagger.crf.between.tolist())),
        start=tuple(tagger.crf.start.tolist()),
        end=tuple(tagger.crf.end.tolist()),
    )
