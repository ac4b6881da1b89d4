"""The encoders of a comparison: what they are, before anything is trained."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from incognote.align.word_tokenizer import AnyTokenizer, WordTokenizer
from incognote.base.errors import RunError, TrainError
from incognote.document import Document
from incognote.workshop.compare.grid import GridEncoder
from incognote.workshop.compare.results import TRAINING, EncoderFacts, json_or_empty
from incognote.workshop.fine_tuning import checked
from incognote.workshop.finetune.from_notes import begins_from_notes
from incognote.workshop.training.sources import MINILM

if TYPE_CHECKING:
    from torch import nn

    from incognote.workshop.encoders.model import Model
    from incognote.workshop.finetune.options import Options
    from incognote.workshop.tasks.task import Task

# By the names of our objectives, and of families for checkpoints that do not say.
_OBJECTIVES = {
    "mlm": "MLM",
    "mlm+nsp": "MLM/NSP",
    "mlm+sop": "MLM/SOP",
    "bert": "MLM/NSP",
    "roberta": "MLM",
    "albert": "MLM/SOP",
    "distilbert": "MLM, distilled",
    "modernbert": "MLM",
    "deberta-v2": "RTD",
    "electra": "RTD",
    "xlnet": "PLM",
    "elmo": "BiLM",
}


@dataclass(frozen=True)
class Examination:
    """An encoder that can be started from: its facts, and a hash of weights and tokenizer.

    longest: the longest window of notes that it takes, in tokens without the special ones around it;
        for a task the longest sequence, with them.
    """

    facts: EncoderFacts
    fingerprint: str
    longest: int


def examine(
    encoder: GridEncoder,
    labels: tuple[str, ...],
    cells: Sequence[Options] = (),
    notes: Sequence[Document] = (),
) -> Examination:
    """Start once as a cell would, so that what cannot be started is refused before the first.

    `notes` are for what begins with the training notes alone.
    """
    import torch

    from incognote.align.word_tokenizer import frame_of
    from incognote.base.errors import EncoderError
    from incognote.workshop.training.starts import is_preset

    try:
        # Random weights need not be drawn to be described.
        with checked(), torch.device("meta" if is_preset(encoder.start) else "cpu"):
            min_count = cells[0].min_count if cells else None
            start = encoder.origin.start(labels, notes=notes, min_count=min_count)
            for options in cells:
                start.check_options(options)
            frame = frame_of(start.tokenizer)
            _check_tokenizer(start.model, start.tokenizer)
    except (RunError, EncoderError) as error:
        raise RunError(f"{encoder.name}: {error}") from None
    return _examination(
        encoder,
        start.model,
        start.tokenizer,
        random=start.random,
        head="tokens",
        longest=start.model.config.longest - len(frame),
    )


def examine_for_task(encoder: GridEncoder, task: Task) -> Examination:
    """Start once as a cell of a task would; a head that is gone on with counts among its weights."""
    import torch

    from incognote.base.errors import EncoderError
    from incognote.workshop.tasks.start import start, tokenizer_of
    from incognote.workshop.tasks.torch_task import HEADS
    from incognote.workshop.training.starts import is_preset

    try:
        with checked(), torch.device("meta" if is_preset(encoder.start) else "cpu"):
            begun = start(
                encoder.start,
                task,
                tokenizer=encoder.tokenizer,
                sizes=encoder.sizes,
                random=encoder.random,
                encoder_only=encoder.encoder_only,
            )
            tokenizer = tokenizer_of(begun.frame)
            _check_tokenizer(begun.model, tokenizer)
    except (RunError, EncoderError) as error:
        raise RunError(f"{encoder.name}: {error}") from None
    return _examination(
        encoder,
        begun.model,
        tokenizer,
        random=begun.random,
        head=HEADS[task.kind],
        longest=begun.model.config.longest,
        learned=begun.learned,
    )


def _examination(
    encoder: GridEncoder,
    model: Model,
    tokenizer: AnyTokenizer,
    *,
    random: bool,
    head: str,
    longest: int,
    learned: bool = False,
) -> Examination:
    """The facts of a model with its head. `learned`: whether it goes on with that head."""
    from incognote.workshop.encoders.model import size_of

    config: Any = model.config
    size = size_of(config, heads=(head,), labels=len(model.labels))
    return Examination(
        EncoderFacts(
            name=encoder.name,
            family=model.family.name,
            random=random,
            origin=_origin(encoder, random=random),
            layers=config.layers,
            hidden_size=config.hidden_size,
            heads=getattr(config, "heads", None),
            embedding_size=getattr(config, "embedding_size", None),
            vocabulary=getattr(config, "vocabulary_size", None),
            parameters=size.parameters,
            megabytes=round(size.bytes / 1e6, 1),
            feed_forward_size=getattr(config, "feed_forward_size", None),
            dropout=getattr(config, "dropout", None),
            activation=getattr(config, "activation", None),
            shared=_shares(config),
            objective=_objective(encoder, model.family.name, random=random),
        ),
        _fingerprint(model, tokenizer, random=random, learned=learned),
        longest,
    )


def _check_tokenizer(model: Model, tokenizer: AnyTokenizer) -> None:
    """Refuse now a tokenizer that could not be read again as one of its family's checkpoints has it."""
    from incognote.workshop.training.starts import read_tokenizer

    if isinstance(tokenizer, WordTokenizer):
        return
    with TemporaryDirectory() as place:
        settings = json.dumps({"model_type": model.family.name})
        (Path(place) / "config.json").write_text(settings, encoding="utf-8")
        tokenizer.save(str(Path(place) / "tokenizer.json"))
        try:
            read_tokenizer(Path(place))
        except TrainError as error:
            reason = str(error).removeprefix(f"{place}: ")
            raise RunError(f"this tokenizer is not for it: {reason}") from None


def _origin(
    encoder: GridEncoder, *, random: bool
) -> Literal["checkpoint", "preset", "pretrained here", "notes alone"]:
    if begins_from_notes(encoder.start):
        return "notes alone"
    if random:
        return "preset"
    training = json_or_empty(Path(encoder.start) / TRAINING)
    return "pretrained here" if "objective" in training else "checkpoint"


def _shares(config: Any) -> bool:
    """Whether layers have weights in common, as ALBERT's do."""
    return getattr(config, "sharing", "none") != "none" and config.groups < config.layers


def _objective(encoder: GridEncoder, family: str, *, random: bool) -> str:
    """What the encoder was pretrained with: as its folder says, or as its family was published."""
    if random or begins_from_notes(encoder.start):
        return "none"
    if encoder.start == MINILM:
        return "distilled"
    name = json_or_empty(Path(encoder.start) / TRAINING).get("objective")
    known = str(name or family)
    return _OBJECTIVES.get(known, str(name or "unknown"))


def _fingerprint(model: Model, tokenizer: AnyTokenizer, *, random: bool, learned: bool) -> str:
    digest = hashlib.sha256(repr(model.config).encode())
    digest.update(tokenizer.to_str().encode())
    if not random:
        _add_weights(digest, model if learned else model.encoder)
    return digest.hexdigest()[:16]


def examine_teacher(folder: str, labels: tuple[str, ...]) -> str:
    """A hash of what it teaches; one that cannot is refused before the first cell."""
    from incognote.workshop.finetune.checkpoint import load_checkpoint

    with checked():
        checkpoint = load_checkpoint(folder)
    if checkpoint.tagger.labels.names != labels:
        raise RunError(f"{folder}: the teacher has other labels than are learned here")
    digest = hashlib.sha256()
    _add_weights(digest, checkpoint.tagger)
    return digest.hexdigest()[:16]


def _add_weights(digest: hashlib._Hash, module: nn.Module) -> None:
    for name, value in module.state_dict().items():
        digest.update(name.encode())
        digest.update(value.contiguous().numpy().data)
