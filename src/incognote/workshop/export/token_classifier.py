"""A token-classification folder of Hugging Face's, trained by others, as a checkpoint to export."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch

from incognote.align.errors import AlignError
from incognote.align.reading import Frame, NoteReader
from incognote.runs.inputs import RunError
from incognote.workshop.encoders.checkpoints import CONFIG, load
from incognote.workshop.encoders.errors import CheckpointError, EncoderError
from incognote.workshop.encoders.heads import Classification, MergedClassification
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.text_model import fits
from incognote.workshop.export.label_map import LabelMap, map_labels
from incognote.workshop.finetune.checkpoint import Checkpoint
from incognote.workshop.finetune.start import read_tokenizer, rows_needed
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training.result_files import TRAINING

WINDOW = 512
"""Pieces of a window at most, special ones included, however many the encoder takes."""


def is_of_others(folder: Path) -> bool:
    """Whether a folder has a checkpoint that `incognote train` did not make."""
    return (folder / CONFIG).is_file() and not (folder / TRAINING).is_file()


def read_token_classifier(folder: Path, label_map: Mapping[str, str]) -> Checkpoint:
    """The model with our labels; each word is judged by its first piece, as others train.

    `label_map` says what labels become that are not named as ours are.
    """
    try:
        model = load(folder, heads=("tokens",))
    except CheckpointError as error:
        if "no head 'tokens'" in str(error):
            raise RunError(
                f"{folder}: has no token classifier; fine-tune it first: "
                f"incognote train CORPUS --encoder {folder} -o CHECKPOINT"
            ) from None
        raise
    theirs, mapped = model.labels, map_labels(model.labels, label_map)
    _rename(model, mapped)
    tokenizer = read_tokenizer(folder)
    if not fits(model.config.vocabulary_size, rows_needed(tokenizer)):
        raise CheckpointError(
            f"{folder}: the tokenizer has {rows_needed(tokenizer)} tokens but the encoder "
            f"{model.config.vocabulary_size}: they are not of one model"
        )
    try:
        window = min(model.config.longest, WINDOW) - len(Frame.of(tokenizer))
        reader = NoteReader(tokenizer, window=window, overlap=window // 4)
        tagger = Tagger(model, shape=False, crf=False)
    except AlignError as error:
        raise EncoderError(f"{folder}: {error}") from None
    told = {"label_map": dict(zip(theirs, mapped.ours, strict=True))}
    return Checkpoint(tagger.eval(), reader, told, by_word=True, any_order=True)


@torch.no_grad()
def _rename(model: Model, mapped: LabelMap) -> None:
    """Give the classifier our labels: its rows in another order, or several of them as one."""
    head = model.heads["tokens"]
    assert isinstance(head, Classification)
    if mapped.one_to_one:
        order = torch.tensor(mapped.numbers).argsort()
        for parameter in (head.classifier.weight, head.classifier.bias):
            parameter.copy_(parameter[order].clone())
    else:
        model.heads["tokens"] = MergedClassification(
            head.classifier, mapped.numbers, dropout=head.dropout.p
        ).eval()
    model.labels = mapped.labels
