"""The folder that a model lives in: `incognote.json`, and the networks and tokenizers it names.

    model/
      incognote.json     what is described below
      tokenizer.json     a tokenizer of each member; words.json of one that reads words
      model.onnx         a network of each member
      shared.bin         tables that several networks have in common, if there are any

The schema has a version; a folder of another version is refused, never guessed at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, cast

from incognote.base.errors import ModelError
from incognote.base.files import JsonError, read_json
from incognote.onnx.described import MAY_LACK, read, read_described, write_described
from incognote.onnx.described import digest as digest
from incognote.onnx.encoder_folder import FILE as ENCODER_FILE

# Who has the say, rules or model, type by type; without it all that either of the two finds counts

HYBRID_VERSION = 1
DECISIONS = ("union", "rules", "model", "both agree")
"""Whose spans of a type count: of either, of one, or where a span of the other lies too."""

NAMERS = ("rules", "model")


@dataclass(frozen=True, kw_only=True)
class Hybrid:
    """By type: whose spans count, and who names the place where a rule sees this type and the
    model another one. Types that are not listed: either's spans count, and the longer one names.

    `words` is the probability from which words are redacted that neither marked; None: none are.
    """

    decisions: Mapping[str, str] = field(default_factory=dict, metadata=MAY_LACK)
    names: Mapping[str, str] = field(default_factory=dict, metadata=MAY_LACK)
    words: float | None = field(default=None, metadata=MAY_LACK)
    version: int = HYBRID_VERSION

    def __post_init__(self) -> None:
        if self.version != HYBRID_VERSION:
            raise ModelError(
                f"has decisions of version {self.version!r}, and this incognote reads {HYBRID_VERSION}; "
                "use the incognote that the model was made for"
            )
        check_words(self.words)
        _one_of(self.decisions, DECISIONS, "decision")
        _one_of(self.names, NAMERS, "name")

    def decision(self, type: str) -> str:
        """Whose spans of the type count."""
        return self.decisions.get(type, DECISIONS[0])

    @property
    def needs_agreement(self) -> bool:
        """Whether spans of any type count only where both have one."""
        return "both agree" in self.decisions.values()


def read_hybrid(value: Any) -> Hybrid | None:
    """From the file; None where it has none."""
    return None if value is None else cast(Hybrid, read(Hybrid, value, "hybrid"))


def check_words(level: float | None) -> None:
    """Refuse what is no probability to redact words from."""
    if level is not None and not 0 < level <= 1:
        raise ModelError(f"words must be above 0 and at most 1, not {level}")


def _one_of(choices: Mapping[str, str], allowed: tuple[str, ...], what: str) -> None:
    for type, value in choices.items():
        if value not in allowed:
            raise ModelError(f"the {what} of {type} must be one of {', '.join(allowed)}")


# The folder

SCHEMA = 1
FILE = "incognote.json"
CONFIG = "config.json"
SPEEDS = ("careful", "balanced", "fast")


@dataclass(frozen=True, kw_only=True)
class Crf:
    """What a CRF adds to the scores of labels, in the order of the label set.

    What BIO forbids is not said here: it is forbidden with any CRF, and without one.
    """

    between: tuple[tuple[float, ...], ...]
    """From each label (row) to each."""
    start: tuple[float, ...]
    end: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Member:
    """One network, and how a note is read for it.

    `window` and `overlap` count tokens without the special ones around a window. `shapes` is the
    version of the word-shape features that the network takes beside the ids, None if it takes none;
    `join` that of joined tokens, None if tokens are not joined. `alone`: it takes one window at a time.

    `word_rows` is the version of the rows of numbers that stand for words where the network reads these
    (`align.word_tokenizer`), None if it reads tokens.

    `by_word`: a word is what its first token is, as others train. `any_order`: a span may begin with
    an I, where nobody said how the labels were put in training.
    """

    network: str
    tokenizer: str
    shapes: int | None
    window: int
    overlap: int
    crf: Crf | None
    alone: bool = field(default=False, metadata=MAY_LACK)
    join: int | None = field(default=None, metadata=MAY_LACK)
    word_rows: int | None = field(default=None, metadata=MAY_LACK)
    by_word: bool = field(default=False, metadata=MAY_LACK)
    any_order: bool = field(default=False, metadata=MAY_LACK)

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.window:
            raise ModelError(f"windows of {self.window} tokens cannot overlap by {self.overlap}")
        if self.any_order and self.crf is not None:
            raise ModelError("a CRF is of labels in BIO order, not in any")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A choice between care and speed: whose probabilities are averaged, the score below which
    a type's spans are left out, and by which slope and offset a type's log-odds are corrected.

    `weights` say how much each member counts in the mean; all alike if there are none. `words`
    stands for the probability of that name in `Hybrid`, where a variant has its own.
    """

    members: tuple[str, ...]
    thresholds: Mapping[str, float] = field(default_factory=dict)
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict, metadata=MAY_LACK)
    words: float | None = field(default=None, metadata=MAY_LACK)
    weights: tuple[float, ...] = field(default=(), metadata=MAY_LACK)

    def __post_init__(self) -> None:
        check_words(self.words)
        if self.weights and len(self.weights) != len(self.members):
            raise ModelError(f"{len(self.members)} members need as many weights, if any")
        if not all(0 < weight < inf for weight in self.weights):
            raise ModelError("the weights of members must be numbers above 0")
        if not self.members or len(set(self.members)) < len(self.members):
            raise ModelError("a variant needs members, and each once")
        for type, threshold in self.thresholds.items():
            if not 0 <= threshold <= 1:
                raise ModelError(f"the threshold of {type} must be from 0 to 1, not {threshold}")
        for type, scale in self.scales.items():
            if len(scale) != 2:
                raise ModelError("scales need a slope and an offset each")
            if scale[0] <= 0:
                raise ModelError(f"the scale of {type} needs a slope above 0, not {scale[0]}")


@dataclass(frozen=True, kw_only=True)
class Model:
    """What a model folder holds. `files` has the SHA-256 of each file beside `incognote.json`;
    `card` says how the model was made and how good it is, `hybrid` how it works with rules.
    """

    labels: tuple[str, ...]
    members: Mapping[str, Member]
    variants: Mapping[str, Variant]
    files: Mapping[str, str]
    card: Mapping[str, Any] = field(default_factory=dict)
    hybrid: Hybrid | None = field(default=None, metadata=MAY_LACK)

    def __post_init__(self) -> None:
        if len(set(self.labels)) < max(len(self.labels), 2):
            raise ModelError("a model needs two labels or more, and each once")
        if SPEEDS[0] not in self.variants or not set(self.variants) <= set(SPEEDS):
            raise ModelError(f"the variants must be {SPEEDS[0]}, and none but {', '.join(SPEEDS)}")
        for name in (name for variant in self.variants.values() for name in variant.members):
            if name not in self.members:
                raise ModelError(f"a variant names the member {name!r}, which is not described")
        for name, member in self.members.items():
            if not {member.network, member.tokenizer} <= self.files.keys():
                raise ModelError(f"the member {name!r} names a file that is not listed")
            if member.crf is not None and not _fits(member.crf, len(self.labels)):
                raise ModelError(f"the CRF of the member {name!r} does not fit the labels")

    def variant(self, name: str | None = None) -> Variant:
        """A variant by name; the most careful one without."""
        speed = name or SPEEDS[0]
        if speed not in self.variants:
            raise ModelError(f"the model has no variant {speed!r}, but {', '.join(self.variants)}")
        return self.variants[speed]


def _fits(crf: Crf, size: int) -> bool:
    rows = (*crf.between, crf.start, crf.end)
    return len(rows) == size + 2 and all(len(row) == size for row in rows)


def write_model(model: Model, folder: Path) -> None:
    """Write `incognote.json`, whole or not at all."""
    write_described(model, folder / FILE, SCHEMA)


def read_model(folder: Path) -> Model:
    """Read and check `incognote.json`, and that the files beside it are those it was made with."""
    if not (folder / FILE).is_file():
        raise ModelError(f"{folder}: {_instead_of_a_model(folder)}")
    return read_described(folder / FILE, SCHEMA, "model", Model)


def _instead_of_a_model(folder: Path) -> str:
    """What is at a path that has no model, and how to get one."""
    if not folder.exists():
        return "no such folder; give a model folder, as `incognote export` writes it"
    if not folder.is_dir():
        if (folder.parent / FILE).is_file():
            return f"a file of a model; give its folder: {folder.parent}"
        return "a file; give a model folder, as `incognote export` writes it"
    training = f"incognote train NOTES --encoder {folder} -o CHECKPOINT"
    exporting = "incognote export CHECKPOINT -o MODEL"
    if (folder / CONFIG).is_file():
        if _classifies_tokens(folder / CONFIG):
            return f"a checkpoint; export it first: incognote export {folder} -o MODEL"
        return f"an encoder that has not learned to find identifiers; train it first: {training}, then {exporting}"
    if (folder / ENCODER_FILE).is_file():
        return (
            "an exported encoder, which finds no identifiers; train the checkpoint that it was made "
            f"of: incognote train NOTES --encoder FOLDER -o CHECKPOINT, then {exporting}"
        )
    inside = sorted(path.parent for path in folder.glob(f"*/{FILE}"))
    if inside:
        return f"no model here, but in {inside[0]}; give that folder"
    return "no model here; give a model folder, as `incognote export` writes it"


def _classifies_tokens(config: Path) -> bool:
    """Whether a checkpoint has a classifier, as far as its configuration tells."""
    try:
        names = read_json(config).get("architectures")
    except (OSError, JsonError, AttributeError):
        return True  # and `incognote export` says what is wrong with it
    has_names = isinstance(names, list) and names
    return not has_names or any(str(name).endswith("ForTokenClassification") for name in names)
