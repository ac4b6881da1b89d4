"""A token-classification folder of Hugging Face's, trained by others, as a checkpoint to export.

Its labels become ours by their names, or by a file. Their schemes are BIO and IOB1, BIOES and BILOU,
and labels without any prefix. A label that begins a span becomes B, one that continues or ends it I;
of a type that has one label only, I.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from incognote.align.note_reader import NoteReader
from incognote.align.word_tokenizer import frame_of
from incognote.base.errors import AlignError, CheckpointError, EncoderError, RunError
from incognote.base.files import JsonError, read_json
from incognote.phi import OUTSIDE, TYPES, VIEWS
from incognote.workshop.encoders.checkpoints import CONFIG, load
from incognote.workshop.encoders.heads import Classification, MergedClassification
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.text_model import fits
from incognote.workshop.finetune.checkpoint import Checkpoint
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training.run_folder import TRAINING
from incognote.workshop.training.starts import read_tokenizer, rows_needed

_PREFIXED = re.compile(r"([BIESLU])[-_](.+)", re.DOTALL)
_BEGINNING = ("B", "S", "U")
_LISTED = 12


@dataclass(frozen=True)
class LabelMap:
    """Our labels, O first, and for each label of theirs the number of ours that it becomes."""

    labels: tuple[str, ...]
    numbers: tuple[int, ...]

    @property
    def ours(self) -> list[str]:
        """What each label of theirs becomes."""
        return [self.labels[number] for number in self.numbers]

    @property
    def one_to_one(self) -> bool:
        """Whether no two of theirs become one of ours."""
        return len(self.labels) == len(self.numbers)


def read_label_map(source: str) -> dict[str, str]:
    """The map in a JSON file, or of a view that is known by name.

    The file has an object: from a type (`PER`) or a whole label (`B-PER`, `LABEL_3`) of theirs to a
    type or a whole label of ours, or to `O` or null where it is no identifier.
    """
    if source in VIEWS and not Path(source).exists():
        view = VIEWS[source]
        return {**view.types, **dict.fromkeys(view.others, OUTSIDE)}
    path = Path(source)
    try:
        values = read_json(path)
    except FileNotFoundError:
        raise RunError(f"{path}: no such file, nor one of the schemes {', '.join(VIEWS)}") from None
    except JsonError as error:
        raise RunError(f"{path}: {error}") from None
    if not isinstance(values, dict) or not values:
        raise RunError(f'{path}: must be a JSON object, such as {{"PER": "PATIENT", "MISC": null}}')
    return {theirs: _target(path, theirs, ours) for theirs, ours in values.items()}


def _target(path: Path, theirs: str, ours: Any) -> str:
    if ours in (None, OUTSIDE):
        return OUTSIDE
    prefix, type = _split_label(ours) if isinstance(ours, str) else ("", "")
    if type not in TYPES or prefix not in ("", "B", "I"):
        raise RunError(
            f"{path}: {theirs!r} must become one of our types ({', '.join(TYPES)}), or O; "
            "a whole label is B- or I- and the type"
        )
    return f"{prefix}-{type}" if prefix else type


def map_labels(names: Sequence[str], label_map: Mapping[str, str]) -> LabelMap:
    """Each of their labels as ours, by the map or by its own name; refused if by neither."""
    targets, unknown = [], []
    for name in names:
        target = _our_label(name, label_map)
        targets.append(target or (OUTSIDE, ""))
        unknown += [name] if target is None else []
    if unknown:
        raise RunError(_unknown_labels(unknown))
    ours = {target for target in targets if target[0] != OUTSIDE}
    if not ours or (OUTSIDE, "") not in targets:
        raise RunError(
            "a model needs a label for what is no identifier (O), and one that is not it"
        )
    labels = (
        OUTSIDE,
        *(f"{prefix}-{type}" for type in TYPES for prefix in "BI" if (prefix, type) in ours),
    )
    number = {label: place for place, label in enumerate(labels)}
    return LabelMap(
        labels,
        tuple(0 if prefix == OUTSIDE else number[f"{prefix}-{type}"] for prefix, type in targets),
    )


def _our_label(name: str, label_map: Mapping[str, str]) -> tuple[str, str] | None:
    """B, I or O, and our type; None if it is not known."""
    prefix, type = _split_label(name)
    target = label_map.get(name, label_map.get(type))
    if target is not None:
        if target == OUTSIDE:
            return OUTSIDE, ""
        own, ours = _split_label(target)
        return own or _role(prefix), ours
    if name.upper() == OUTSIDE:
        return OUTSIDE, ""
    for mark, word in ((prefix, type), ("", name)):
        if ours := _our_type(word):
            return _role(mark), ours
    return None


def _role(prefix: str) -> str:
    return "B" if prefix in _BEGINNING else "I"


def _our_type(name: str) -> str:
    """A name of theirs as a type of ours, or nothing."""
    spelled = name.upper().replace("_", "-").replace(" ", "-")
    return spelled if spelled in TYPES else ""


def _split_label(label: str) -> tuple[str, str]:
    """The prefix, or nothing, and the type."""
    match = _PREFIXED.fullmatch(label)
    return (match[1], match[2]) if match and label not in TYPES else ("", label)


def _unknown_labels(unknown: Sequence[str]) -> str:
    types = list(dict.fromkeys(_split_label(name)[1] for name in unknown))
    example = json.dumps(dict.fromkeys(types[:_LISTED], None), ensure_ascii=False)
    return (
        f"the model has labels that are not ours: {_listed(types)}; say with --labels FILE what each "
        f"becomes, in a JSON file such as {example} with one of our types in place of null, or null for "
        "what is no identifier"
    )


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")


WINDOW = 512
"""Tokens of a window at most, special ones included, however many the encoder takes."""


def is_of_others(folder: Path) -> bool:
    """Whether a folder has a checkpoint that `incognote train` did not make."""
    return (folder / CONFIG).is_file() and not (folder / TRAINING).is_file()


def read_token_classifier(folder: Path, label_map: Mapping[str, str]) -> Checkpoint:
    """The model with our labels; each word is judged by its first token, as others train.

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
    theirs, mapping = model.labels, map_labels(model.labels, label_map)
    _rename(model, mapping)
    tokenizer = read_tokenizer(folder)
    if not fits(model.config.vocabulary_size, rows_needed(tokenizer)):
        raise CheckpointError(
            f"{folder}: the tokenizer has {rows_needed(tokenizer)} tokens but the encoder "
            f"{model.config.vocabulary_size}: they are not of one model"
        )
    try:
        window = min(model.config.longest, WINDOW) - len(frame_of(tokenizer))
        reader = NoteReader(tokenizer, window=window, overlap=window // 4)
        tagger = Tagger(model, shape=False, crf=False)
    except AlignError as error:
        raise EncoderError(f"{folder}: {error}") from None
    training = {"label_map": dict(zip(theirs, mapping.ours, strict=True))}
    return Checkpoint(tagger.eval(), reader, training, by_word=True, any_order=True)


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
        model.heads["tokens"] = MergedClassification(head, mapped.numbers).eval()
    model.labels = mapped.labels
