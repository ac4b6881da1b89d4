"""An encoder that was exported, run without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from incognote.align.units import Integers
from incognote.onnx.encoder_folder import (
    CHOSEN,
    IDS,
    MLM,
    NETWORK,
    SEGMENTS,
    SOP,
    EncoderFolder,
    read_encoder_folder,
    state_name,
)
from incognote.onnx.network_file import check_network
from incognote.onnx.sessions import Network
from incognote.workshop.encoders.errors import InputError
from incognote.workshop.encoders.text_encoder import (
    Floats,
    Layers,
    chosen_layers,
    finite,
    wanted_layers,
)
from incognote.workshop.tokenization import Encoding, Tokenizer
from incognote.workshop.tokenization import load as load_tokenizer

NOWHERE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class OnnxTextModel:
    """A network and its tokenizer.

    >>> encoder = OnnxTextModel.load("clinical-albert/")  # doctest: +SKIP
    >>> fill_mask("The patient denies chest [MASK].", encoder)  # doctest: +SKIP
    """

    folder: EncoderFolder
    network: Network
    tokenizer: Tokenizer

    @classmethod
    def load(cls, folder: str | Path, *, threads: int = 1) -> OnnxTextModel:
        """From a folder that has `encoder.json`."""
        folder = Path(folder)
        described = read_encoder_folder(folder)
        check_network(folder / NETWORK, described.files)
        tokenizer = load_tokenizer(folder, family=described.family)
        return cls(described, Network(folder / NETWORK, threads=threads), tokenizer)

    @property
    def pieces(self) -> Tokenizer:
        """The tokenizer."""
        return self.tokenizer

    @property
    def vocabulary_size(self) -> int:
        """How many pieces can be guessed."""
        return self.folder.vocabulary_size

    @property
    def hidden_size(self) -> int:
        """The width of a vector."""
        return self.folder.hidden_size

    @property
    def longest(self) -> int:
        """The most pieces of one sequence."""
        return self.folder.longest

    def mask_logits(self, encoding: Encoding, places: Integers) -> Floats:
        """[places, vocabulary], computed there only."""
        if MLM not in self.folder.heads:
            raise InputError("this encoder has no head that fills masks")
        return self._run([MLM], encoding, places)[0]

    def order_logits(self, encoding: Encoding) -> Floats:
        """In order, and swapped: [2]."""
        if SOP not in self.folder.heads:
            raise InputError("this encoder has no sentence-order head (ALBERT's has)")
        (logits,) = self._run([SOP], encoding)
        return np.asarray(logits[0])

    def vectors(self, encoding: Encoding, layers: Layers) -> Floats:
        """[pieces, size], or [pieces, layers, size] of several layers."""
        names = [state_name(layer) for layer in wanted_layers(layers, self.folder.layers)]
        return chosen_layers([state[0] for state in self._run(names, encoding)], layers)

    def word_vectors(self, words: Sequence[str], layers: Layers) -> Floats:
        """No exported encoder reads characters."""
        raise InputError("this encoder reads tokens, not characters")

    def _run(
        self, outputs: Sequence[str], encoding: Encoding, places: Integers = NOWHERE
    ) -> list[Floats]:
        """A batch of one."""
        if len(encoding) > self.longest:
            raise InputError(
                f"a sequence has {len(encoding)} tokens but the encoder has positions for "
                f"{self.longest}: split it into windows"
            )
        given = {IDS: encoding.ids[None], SEGMENTS: encoding.segments[None], CHOSEN: places}
        inputs = {name: value for name, value in given.items() if name in self.network.inputs}
        return [finite(output) for output in self.network.named(outputs, **inputs)]
