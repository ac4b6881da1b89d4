"""The work of `incognote export`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote import __version__
from incognote.document import Document
from incognote.finetune.checkpoint import Checkpoint, load_checkpoint
from incognote.workflows.corpus.output import staged
from incognote.workflows.export.folder import write_folder
from incognote.workflows.export.network import network_of
from incognote.workflows.export.precision import FULL, Int8, Precision
from incognote.workflows.export.proof import distance, f1_of
from incognote.workflows.run.inputs import RunError

HUGGING_FACE = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")

Tell = Callable[[str], None]
"""Told a sentence at each stage."""


@dataclass(frozen=True)
class Proof:
    """Annotated notes that 8 bits are judged by, and the most F1 that they may cost."""

    notes: Sequence[Document]
    max_loss: float

    def __post_init__(self) -> None:
        if not any(note.spans for note in self.notes):
            raise RunError("the validation notes have no annotated span to judge by")


def export(
    sources: Sequence[Path],
    output: Path,
    *,
    int8: bool = False,
    proof: Proof | None = None,
    overwrite: bool = False,
    tell: Tell = lambda sentence: None,
) -> None:
    """A model folder from one checkpoint, or from several as an ensemble."""
    if int8 and proof is None:
        raise RunError("8 bits are judged by annotated notes: give --validation CORPUS")
    checkpoints = _loaded(sources)
    with staged(output, sources, overwrite=overwrite) as folder:
        full = folder.with_name(f"{folder.name}.fp32")
        networks = _networks(checkpoints, FULL)
        card = {"incognote": __version__, "members": [_told(each) for each in checkpoints.values()]}
        write_folder(full, checkpoints, networks, {**card, "precision": "fp32"})
        paths = sorted(full.glob("*.onnx"))
        apart = max(map(distance, checkpoints.values(), paths))
        tell(f"fp32: {_megabytes(full)}; logits within {apart:.1e} of torch's")
        figures: dict[str, float] = {}
        if proof is not None:
            figures["f1_fp32"] = f1_of(full, proof.notes, threads=os.cpu_count() or 1)
            tell(f"fp32: F1 {figures['f1_fp32']:.4f} on {len(proof.notes):,} notes")
        if not int8 or proof is None:
            shutil.rmtree(full)
            write_folder(folder, checkpoints, networks, {**card, "precision": "fp32", **figures})
            return
        small = _networks(checkpoints, Int8())
        trial = folder.with_name(f"{folder.name}.int8")
        write_folder(trial, checkpoints, small, card)
        figures["f1_int8"] = f1_of(trial, proof.notes, threads=os.cpu_count() or 1)
        tell(f"int8: {_megabytes(trial)}; F1 {figures['f1_int8']:.4f}")
        loss = figures["f1_fp32"] - figures["f1_int8"]
        if loss > proof.max_loss:
            raise RunError(
                f"8 bits lose {loss:.4f} of F1 on the validation notes, and --max-f1-loss is "
                f"{proof.max_loss}; export without --int8, or allow more"
            )
        write_folder(folder, checkpoints, small, {**card, "precision": "int8", **figures})


def export_huggingface(
    source: Path, output: Path, *, overwrite: bool = False, tell: Tell = lambda sentence: None
) -> None:
    """A folder that the pipelines of `transformers` load; what they cannot compute is told."""
    checkpoint = load_checkpoint(source)
    with staged(output, [source], overwrite=overwrite) as folder:
        folder.mkdir()
        for name in HUGGING_FACE:
            shutil.copyfile(source / name, folder / name)
    left = [
        what
        for what, there in (
            ("the word-shape input", checkpoint.reader.shape),
            ("the CRF", checkpoint.tagger.crf is not None),
            ("the settling of pieces", checkpoint.tagger.settling is not None),
        )
        if there
    ]
    if left:
        tell(
            f"left out, because transformers has no place for it: {' and '.join(left)}; "
            "what it loads will find other spans than this checkpoint"
        )


def _loaded(sources: Sequence[Path]) -> dict[Path, Checkpoint]:
    checkpoints = {source: load_checkpoint(source) for source in sources}
    if len(checkpoints) < len(sources):
        raise RunError("a checkpoint is named twice; an ensemble has each once")
    labels = [each.tagger.labels.names for each in checkpoints.values()]
    for source, own in zip(sources, labels, strict=True):
        if own != labels[0]:
            raise RunError(f"{source}: has other labels than {sources[0]}; members share theirs")
    return checkpoints


def _networks(checkpoints: Mapping[Path, Checkpoint], precision: Precision) -> list[Any]:
    return [
        network_of(
            each.tagger.model,
            precision,
            shapes=None if each.tagger.shape is None else each.tagger.shape.rows.weight,
            settling=each.tagger.settling,
            longest=each.reader.window + len(each.reader.frame),
        )
        for each in checkpoints.values()
    ]


def _told(checkpoint: Checkpoint) -> dict[str, Any]:
    """What the card says of a member; never where its files were."""
    model, settling = checkpoint.tagger.model, checkpoint.tagger.settling
    return {
        "family": model.family.name,
        "layers": model.config.layers,
        "hidden_size": model.config.hidden_size,
        "parameters": sum(parameter.numel() for parameter in checkpoint.tagger.parameters()),
        "word_shapes": checkpoint.reader.shape,
        "crf": checkpoint.tagger.crf is not None,
        "settles_after": settling.after if settling is not None else None,
    }


def _megabytes(folder: Path) -> str:
    return f"{sum(path.stat().st_size for path in folder.glob('*.onnx')) / 1e6:.1f} MB"
