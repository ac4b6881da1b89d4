"""Where a fine-tuning run begins, by the name that a user gives, and what it does by default.

A folder of a checkpoint; `default`, a network of the model that ships (`default:fast`, another of
them), or the folder of any exported model; `clinical-albert`, `minilm`; with `random`, a preset's
sizes; `crf` and `bilstm-crf`, which begin with the training notes alone. A model that was trained keeps its labels and structure. `fetched` gets a checkpoint from the
Hugging Face Hub, where the user says so and only there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from incognote.base.errors import RunError
from incognote.base.options import Option, named_values
from incognote.document import Document
from incognote.models import shipped_model
from incognote.onnx.model_folder import FILE
from incognote.workshop.finetune.from_notes import USUAL, begins_from_notes

if TYPE_CHECKING:
    from incognote.align.word_tokenizer import AnyTokenizer
    from incognote.workshop.export.reopen import Reopened
    from incognote.workshop.finetune.options import Options
    from incognote.workshop.finetune.start import Start, Structure

DEFAULT = "default"
KEPT = ("shape", "crf", "join", "settle", "window", "overlap")
"""Options that a model which is gone on with decides, where they are not given."""

DESCRIBING = (
    "config.json",
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
)
WEIGHTS = ("model*.safetensors", "model.safetensors.index.json")
OLDER_WEIGHTS = ("pytorch_model*.bin", "pytorch_model.bin.index.json")
"""Files of a checkpoint on the Hub; older weights are fetched only where there are no others."""

_CHARACTERS_A_TOKEN = 3.5
_STEPS_AN_EPOCH = 80
_BATCHES = (512, 4096)
"""The smallest and the largest batch by default, in tokens."""
_WINDOW = 254
ENOUGH_STEPS = 500
_EPOCHS = (4, 20)
"""How many steps a run has at least by default, as far as its epochs are within these."""
_WIDE = ((512, 1e-4), (768, 5e-5))
_WIDEST = 2e-5
_GOING_ON = 1e-4
_HEAD = 10
"""How much faster a classifier learns by default than the encoder below it."""


_model = partial(Option, panel="Model")


def parse_layers(text: str) -> list[int]:
    """The numbers of layers to keep."""
    if not all(word.isdecimal() for word in text.split(",")):
        raise ValueError("write numbers, such as 1,3,5")
    return [int(word) for word in text.split(",")]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What a user says of the start; `name` is what it is called, if not as `encoder`."""

    encoder: str
    name: str | None = None
    random: Annotated[
        bool,
        _model(
            "Start from random weights, with the sizes of a preset (see `incognote encoders`). Needs "
            "--tokenizer, but for ELMo, which reads words by their characters."
        ),
    ] = False
    encoder_only: Annotated[
        bool,
        _model(
            "Take only the encoder of a trained model; labels, word shapes, CRF and the rest are "
            "learned from scratch."
        ),
    ] = False
    tokenizer: Annotated[
        Path | None,
        _model("Folder of the tokenizer, if it is not in the encoder's folder.", metavar="DIR"),
    ] = None
    sizes: Annotated[
        Mapping[str, Any] | None,
        _model(
            "Change a size of the preset: --size layers=4 --size hidden_size=256",
            flags=("--size",),
            metavar="NAME=VALUE",
            parse=named_values,
            repeated=True,
        ),
    ] = None
    vectors: Annotated[
        Path | None,
        _model(
            "Word vectors that the words of bilstm-crf begin with: a text file as GloVe and word2vec "
            "write it.",
            flags=("--word-vectors",),
            metavar="FILE",
        ),
    ] = None
    layers: Annotated[
        Sequence[int] | None,
        _model(
            "Start with only these layers of the checkpoint.",
            flags=("--keep-layers",),
            metavar="1,3,5",
            parse=parse_layers,
        ),
    ] = None

    @cached_property
    def structure(self) -> Structure | None:
        """What the run keeps; None where classifier and all begin anew."""
        from incognote.workshop.finetune.start import Structure, structure_of
        from incognote.workshop.training.starts import check_weights, named_folder

        if begins_from_notes(self.encoder):
            return None
        if check_weights(self.encoder, random=self.random) or self.encoder_only:
            return None
        if _exported(self.encoder):
            return Structure.of(self._network.training)
        return structure_of(named_folder(self.encoder))

    def start(
        self,
        labels: tuple[str, ...],
        seed: int = 0,
        *,
        notes: Sequence[Document] = (),
        min_count: int | None = None,
    ) -> Start:
        """Weights and tokenizer; `notes` and `min_count` are for what begins with notes alone."""
        import torch

        if begins_from_notes(self.encoder):
            return self._from_notes(labels, seed, notes, min_count)
        if self.vectors is not None:
            raise RunError("--word-vectors is for --encoder bilstm-crf: leave it out")
        from incognote.workshop.finetune.start import begin_anew, check_labels, continue_from, start

        if _exported(self.encoder):
            if self.tokenizer or self.sizes:
                raise RunError(f"{self.encoder} has its own: leave out --tokenizer and --size")
            network = self._network
            del self.__dict__["_network"]  # its weights are the run's now
            torch.manual_seed(seed)
            named = (self.encoder, network.tagger, network.tokenizer)
            if self.structure is None:
                return begin_anew(*named, labels, self.layers)
            check_labels(self.encoder, self.structure.labels, labels)
            return continue_from(*named, self.structure, self.layers)
        begun = start(
            self.encoder,
            labels,
            tokenizer=self.tokenizer,
            sizes=self.sizes,
            layers=self.layers,
            seed=seed,
            random=self.random,
            encoder_only=self.encoder_only,
        )
        return replace(begun, name=self.name or self.encoder)

    def _from_notes(
        self,
        labels: tuple[str, ...],
        seed: int,
        notes: Sequence[Document],
        min_count: int | None,
    ) -> Start:
        from incognote.workshop.finetune.baselines import begin

        for given, flag in (
            (self.tokenizer, "--tokenizer"),
            (self.layers, "--keep-layers"),
            (self.encoder_only, "--encoder-only"),
        ):
            if given:
                raise RunError(
                    f"{self.encoder} begins with the training notes alone: leave out {flag}"
                )
        return begin(
            self.encoder,
            labels,
            notes,
            sizes=self.sizes,
            min_count=min_count,
            vectors=self.vectors,
            seed=seed,
        )

    @cached_property
    def _network(self) -> Reopened:
        """That of an exported model."""
        from incognote.workshop.export.reopen import reopen

        found = _exported(self.encoder)
        assert found is not None
        return reopen(*found)

    def width(self) -> int:
        """The hidden size."""
        from incognote.workshop.encoders.families import PRESETS
        from incognote.workshop.encoders.tensor_files import read_json
        from incognote.workshop.training.starts import elmo_in, is_preset, named_folder

        if is_preset(self.encoder):
            config: Any = PRESETS[self.encoder].config
            return int((self.sizes or {}).get("hidden_size", getattr(config, "hidden_size", 0)))
        if _exported(self.encoder):
            return int(self._network.tagger.model.config.hidden_size)
        folder = named_folder(self.encoder)
        if (elmo := elmo_in(folder)) is not None:
            return elmo.hidden_size
        found = read_json(folder / "config.json").get("hidden_size")
        return found if isinstance(found, int) else 0

    def drops_capitals(self) -> bool:
        """Whether its tokenizer reads capitals as small letters."""
        from incognote.align.word_tokenizer import WordTokenizer
        from incognote.workshop.training.starts import is_preset, named_folder, read_tokenizer

        if self.tokenizer is None and is_preset(self.encoder):
            return False  # ELMo, or the run will be refused
        read: AnyTokenizer
        if _exported(self.encoder):
            read = self._network.tokenizer
        else:
            read = read_tokenizer(self.tokenizer or named_folder(self.encoder))
        if isinstance(read, WordTokenizer):
            return False
        return bool(read.encode("Ada").ids == read.encode("ada").ids)


def _exported(encoder: str) -> tuple[Path, str | None] | None:
    """The model folder that is meant, and which of its networks."""
    name, _, member = encoder.partition(":")
    if name == DEFAULT and not Path(encoder).is_dir():
        folder = shipped_model()
        if folder is None:
            raise RunError("no model came with this package: name the folder of a checkpoint")
        return folder, member or None
    folder = Path(encoder)
    return (folder, None) if (folder / FILE).is_file() else None


def learning_options(
    chosen: Mapping[str, Any], origin: Origin, notes: Sequence[Document]
) -> Options:
    """The options of a run: those that were chosen, and for the others what suits start and notes.

    Few notes are read in small batches and more often: what begins anew learns by steps.
    """
    from incognote.workshop.finetune.options import Options

    values = {name: value for name, value in chosen.items() if value is not None}
    if begins_from_notes(origin.encoder):
        return _options_from_notes(values, origin.encoder)
    structure = origin.structure
    if structure is not None:
        for name in KEPT:
            values.setdefault(name, getattr(structure, name))
    elif "shape" not in values:
        values["shape"] = origin.drops_capitals()
    if "batch_tokens" not in values and "batch_size" not in values:
        tokens = sum(len(note.text) for note in notes) / _CHARACTERS_A_TOKEN
        least, most = _BATCHES
        values["batch_tokens"] = int(min(most, max(least, tokens / _STEPS_AN_EPOCH)))
    elif "batch_size" in values:
        values.setdefault("batch_tokens", None)
    values.setdefault("epochs", _EPOCHS[0] if structure else _epochs(values, notes))
    values.setdefault("lr", _rate(origin, structure))
    values.setdefault("head_lr", _HEAD * values["lr"])
    values.setdefault("attention_dropout", 0.0)
    return Options(**values)


def _options_from_notes(values: Mapping[str, Any], encoder: str) -> Options:
    from incognote.workshop.finetune.options import Options

    usual = dict(USUAL[encoder])
    if "batch_size" in values:
        usual["batch_tokens"] = None
    if "lr" in values:
        usual["head_lr"] = values["lr"]
    return Options(**{**usual, **values})


def _epochs(values: Mapping[str, Any], notes: Sequence[Document]) -> int:
    corpus_tokens = sum(len(note.text) for note in notes) / _CHARACTERS_A_TOKEN
    least, most = _EPOCHS
    tokens, size = values.get("batch_tokens"), values.get("batch_size")
    if isinstance(size, int):
        tokens = size * values.get("window", _WINDOW)
    if not tokens:  # as many as memory holds
        return least
    steps = max(1.0, corpus_tokens / (tokens * values.get("accumulate", 1)))
    return int(min(most, max(least, -(-ENOUGH_STEPS // steps))))


def _rate(origin: Origin, structure: Structure | None) -> float:
    """Wide encoders learn by smaller steps, and so does what has learned already."""
    if structure is not None:
        return _GOING_ON
    width = origin.width()
    return next((rate for size, rate in _WIDE if width <= size), _WIDEST)


def fetched(name: str) -> Path:
    """The folder of a checkpoint of the Hugging Face Hub, fetched unless its cache has it."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import (
            GatedRepoError,
            HFValidationError,
            RepositoryNotFoundError,
        )
    except ModuleNotFoundError:
        raise RunError(
            "--from-hub needs huggingface_hub, which is not installed: pip install 'incognote[hub]'"
        ) from None
    try:
        folder = Path(snapshot_download(name, allow_patterns=[*DESCRIBING, *WEIGHTS]))
        if not any(folder.glob("model*.safetensors")):
            snapshot_download(name, allow_patterns=list(OLDER_WEIGHTS))
    except GatedRepoError:
        raise RunError(
            f"--from-hub {name}: its owners ask for a login; fetch it by hand and name the folder"
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise RunError(f"--from-hub {name}: the Hub has no such model") from None
    except Exception as error:  # whatever its client makes of a missing network
        raise RunError(
            f"--from-hub {name}: the Hub could not be asked ({type(error).__name__}); fetch the "
            "model's folder where there is a network, copy it here and give it to --encoder"
        ) from None
    return folder
