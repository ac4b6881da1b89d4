"""All that can be chosen for a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

from incognote.training.errors import TrainError

ClassWeights = Literal["none", "root", "balanced"]
Keep = Literal["best", "last"]
Precision = Literal["fp32", "bf16", "fp16"]

# What may differ between a run and its continuation: it changes no weight.
FREE = frozenset({"save_seconds"})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a run.

    batch_tokens: pieces in a batch, or `batch_size` windows; `accumulate` batches make a step.
    lr: of the encoder; head_lr: of what begins afresh (classifier, shapes, CRF), lr if None.
    layer_decay: each layer down learns by this factor less. warmup: share of all steps.
    class_weights: by inverse frequency, its root, or none. dropout: the checkpoint's own if None;
    that of attention weights apart: without it attention takes a third of the time on a CPU.
    patience: epochs without a better F1 after which to stop; None, never.
    average: decay per step of a running mean of the weights, which is then judged and kept.
    keep: the epoch with the best F1 on validation, or the last.
    teacher: the checkpoint of a trained model; `teacher_share` of the loss is the distance to what it
    says of each piece, both softened by `temperature`.
    window, overlap: in pieces, without the special ones.
    """

    epochs: int = 4
    lr: float = 5e-5
    head_lr: float | None = None
    batch_tokens: int | None = 4096
    batch_size: int | None = None
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
    window: int = 254
    overlap: int = 48
    patience: int | None = None
    average: float | None = None
    teacher: str | None = None
    teacher_share: float = 0.7
    temperature: float = 2.0
    keep: Keep = "best"
    seed: int = 0
    precision: Precision = "fp32"
    save_seconds: float = 300.0

    def __post_init__(self) -> None:
        for name, holds, must in self._rules():
            if not holds:
                raise TrainError(f"{name} must be {must}, not {getattr(self, name)!r}")
        if (self.batch_tokens is None) == (self.batch_size is None):
            raise TrainError("give batch_tokens or batch_size, one of them")
        if self.crf and (self.label_smoothing or self.class_weights != "none"):
            raise TrainError("a CRF takes neither label smoothing nor class weights")

    def _rules(self) -> list[tuple[str, bool, str]]:
        def positive(value: float | None) -> bool:
            return value is None or 0 < value < float("inf")

        return [
            ("epochs", self.epochs >= 1, "1 or more"),
            ("lr", positive(self.lr), "above 0"),
            ("head_lr", positive(self.head_lr), "above 0"),
            ("batch_tokens", positive(self.batch_tokens), "above 0"),
            ("batch_size", positive(self.batch_size), "above 0"),
            ("accumulate", self.accumulate >= 1, "1 or more"),
            ("warmup", 0 <= self.warmup < 1, "from 0 up to but not 1"),
            ("weight_decay", 0 <= self.weight_decay < 1, "from 0 up to but not 1"),
            ("layer_decay", 0 < self.layer_decay <= 1, "above 0 and at most 1"),
            ("clip", positive(self.clip), "above 0"),
            ("dropout", 0 <= (self.dropout or 0) < 1, "from 0 up to but not 1"),
            ("attention_dropout", 0 <= (self.attention_dropout or 0) < 1, "from 0 up to but not 1"),
            ("label_smoothing", 0 <= self.label_smoothing < 1, "from 0 up to but not 1"),
            ("average", 0 < (self.average or 0.5) < 1, "between 0 and 1"),
            ("teacher_share", 0 <= self.teacher_share <= 1, "from 0 to 1"),
            ("temperature", positive(self.temperature), "above 0"),
            ("window", self.window >= 8, "8 or more"),
            ("overlap", 0 <= self.overlap < self.window, "less than the window"),
            ("patience", positive(self.patience), "1 or more"),
            ("save_seconds", self.save_seconds >= 0, "0 or more"),
            *(
                (name, getattr(self, name) in get_args(kind), f"one of {', '.join(get_args(kind))}")
                for name, kind in (
                    ("class_weights", ClassWeights),
                    ("keep", Keep),
                    ("precision", Precision),
                )
            ),
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """From what `to_json` gave; a later version's options are an error."""
        unknown = set(values) - {field.name for field in fields(cls)}
        if unknown:
            raise TrainError(f"options that this version does not know: {', '.join(unknown)}")
        return cls(**values)

    def differences(self, other: Options) -> list[str]:
        """The options by which a continued run would end elsewhere."""
        mine, theirs = self.to_json(), other.to_json()
        return [name for name in mine if name not in FREE and mine[name] != theirs[name]]
