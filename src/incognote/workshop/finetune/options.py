"""All that can be chosen for a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from incognote.base.errors import TrainError
from incognote.workshop.training.chosen import Chosen, below_one, positive

ClassWeights = Literal["none", "root", "balanced"]
Keep = Literal["best", "last"]
Precision = Literal["fp32", "bf16", "fp16"]
AUTO: Literal["auto"] = "auto"


@dataclass(frozen=True, kw_only=True)
class Options(Chosen):
    """Options of a run.

    batch_tokens: pieces in a batch, or `batch_size` windows, with "auto" as many as the device's
    memory holds; `accumulate` batches make a step.
    lr: of the encoder; head_lr: of what begins afresh (classifier, shapes, CRF, settling), lr if None.
    layer_decay: each layer down learns by this factor less. warmup: share of all steps.
    class_weights: by inverse frequency, its root, or none. dropout: the checkpoint's own if None;
    that of attention weights apart: without it attention takes a third of the time on a CPU.
    patience: epochs without a better F1 after which to stop; None, never.
    average: decay per step of a running mean of the weights, which is then judged and kept.
    keep: the epoch with the best F1 on validation, or the last.
    teacher: the checkpoint of a trained model; `teacher_share` of the loss is the distance to what it
    says of each piece, both softened by `temperature`.
    settle: after so many layers, pieces that are surely no identifiers are read no further.
    join: a word's pieces, and the punctuation that closes it, are one unit, and read as one.
    units: of each feed-forward layer only so many units are taken, those that weigh most; None, all.
    fix_words: the words' embeddings stay as they are, so that models can share them.
    window, overlap: in units, without the special ones; an exported model reads by the same. More
    overlap than 16 was not better on annotated notes, and is read twice (docs/performance.md).
    """

    epochs: int = 4
    lr: float = 5e-5
    head_lr: float | None = None
    batch_tokens: int | None = 4096
    batch_size: int | Literal["auto"] | None = None
    accumulate: int = 1
    warmup: float = 0.1
    weight_decay: float = 0.01
    layer_decay: float = 1.0
    clip: float = 1.0
    dropout: float | None = None
    attention_dropout: float | None = None
    label_smoothing: float = 0.0
    class_weights: ClassWeights = "none"
    crf: bool = False
    shape: bool = False
    settle: int | None = None
    join: bool = False
    units: int | None = None
    fix_words: bool = False
    window: int = 254
    overlap: int = 16
    patience: int | None = None
    average: float | None = None
    teacher: str | None = None
    teacher_share: float = 0.7
    temperature: float = 2.0
    keep: Keep = "best"
    seed: int = 0
    precision: Precision = "fp32"
    save_seconds: float = 300.0

    free = frozenset({"save_seconds"})

    def __post_init__(self) -> None:
        self.must("1 or more", lambda count: count >= 1, "epochs", "accumulate")
        self.must("above 0", positive, "lr", "head_lr", "batch_tokens", "clip")
        self.must("above 0", positive, "temperature")
        if self.batch_size != AUTO:
            self.must("above 0", positive, "batch_size")
        self.must("from 0 up to but not 1", below_one, "warmup", "weight_decay", "label_smoothing")
        self.must("from 0 up to but not 1", below_one, "dropout", "attention_dropout")
        self.must("above 0 and at most 1", lambda factor: 0 < factor <= 1, "layer_decay")
        self.must("between 0 and 1", lambda decay: not decay or 0 < decay < 1, "average")
        self.must("from 0 to 1", lambda share: 0 <= share <= 1, "teacher_share")
        self.must("8 or more", lambda pieces: pieces >= 8, "window")
        self.must("less than the window", lambda pieces: 0 <= pieces < self.window, "overlap")
        self.must("1 or more", positive, "patience", "settle", "units")
        self.must("0 or more", lambda seconds: seconds >= 0, "save_seconds")
        self.must("from 0 up to but not 2**63", lambda seed: 0 <= seed < 2**63, "seed")
        self.must_be_of(class_weights=ClassWeights, keep=Keep, precision=Precision)
        if (self.batch_tokens is None) == (self.batch_size is None):
            raise TrainError("give batch_tokens or batch_size, one of them")
        if self.crf and (self.label_smoothing or self.class_weights != "none"):
            raise TrainError("a CRF takes neither label smoothing nor class weights")
