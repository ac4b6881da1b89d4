"""Read texts in windows, and put each word's vector together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from incognote.align.pieces import Pieces
from incognote.align.units import Units
from incognote.align.windows import Windows, windows
from incognote.align.words import words
from incognote.encoders.errors import InputError
from incognote.encoders.text_model import TextModel
from incognote.tokenization.characters import character_ids
from incognote.workflows.features.pooling import Pooling, Vectors, pooled

WINDOW = 512
Layers = int | Sequence[int] | None


@dataclass(frozen=True, eq=False)
class WordFeatures:
    """The words of a text (`align.words`) and a vector for each, [words, size].

    With several layers chosen, [words, layers, size].
    """

    words: Units
    vectors: Vectors


def features(
    texts: Iterable[str],
    encoder: TextModel,
    *,
    pooling: Pooling = "mean",
    layers: Layers = None,
    window: int | None = None,
    overlap: int | None = None,
) -> Iterator[WordFeatures]:
    """The vectors of each text's words, in order.

    layers: which to take, 0 being the embeddings and −1 the last; None, what the model gives by
    itself: the last layer, or ELMo's learned mix. Texts longer than a window (in pieces, or in
    ELMo's words) are read in several that overlap by a quarter, each word from where it has most
    context. Nothing is cut.
    """
    size = _window(encoder, window)
    overlap = size // 4 if overlap is None else overlap
    for text in texts:
        spans = Units.of(words(text))
        if encoder.tokenizer is None:
            written = [text[start:end] for start, end in zip(spans.starts, spans.ends, strict=True)]
            over = windows(len(written), size, overlap)
            parts = [_character_part(encoder, written, *ends, layers) for ends in _each(over)]
            yield WordFeatures(spans, _stitched(over, parts, encoder, layers))
            continue
        pieces = encoder.tokenizer.read(text)
        over = windows(len(pieces.ids), size, overlap)
        parts = [_piece_part(encoder, pieces, *ends, layers) for ends in _each(over)]
        vectors = _stitched(over, parts, encoder, layers)
        yield WordFeatures(spans, pooled(vectors, pieces.units, spans, pooling))


def _window(encoder: TextModel, window: int | None) -> int:
    special = 2 if encoder.tokenizer is None else encoder.tokenizer.special_tokens()
    most = min(encoder.model.config.longest, WINDOW if window is None else window + special)
    if window is not None and not 1 <= window <= most - special:
        raise InputError(f"the window must be from 1 to {most - special} pieces, not {window}")
    return int(most - special)


def _each(over: Windows) -> Iterator[tuple[int, int]]:
    return zip(over.starts.tolist(), over.ends.tolist(), strict=True)


@torch.no_grad()
def _piece_part(
    encoder: TextModel, pieces: Pieces, first: int, last: int, layers: Layers
) -> Vectors:
    """The vectors of the pieces `first` to `last - 1`, read by themselves."""
    units = Units(pieces.units.starts[first:last], pieces.units.ends[first:last])
    encoding = encoder.pieces.join(Pieces(pieces.ids[first:last], units, 0))
    encoded = encoder.model.encoder(**encoder.inputs(encoding), states=layers is not None)
    vectors = _chosen(encoded.hidden[0], [state[0] for state in encoded.states], layers)
    return np.asarray(vectors[encoding.part == 0])


@torch.no_grad()
def _character_part(
    encoder: TextModel, written: Sequence[str], first: int, last: int, layers: Layers
) -> Vectors:
    ids = torch.from_numpy(character_ids(written[first:last]))[None]
    encoded = encoder.model.encoder(ids, states=layers is not None)
    return _chosen(encoded.hidden[0], [state[0] for state in encoded.states], layers)[1:-1]


def _chosen(hidden: Tensor, states: Sequence[Tensor], layers: Layers) -> Vectors:
    """[pieces, size], or [pieces, layers, size] of several."""
    if layers is None:
        return np.asarray(hidden.float().numpy())
    wanted = [layers] if isinstance(layers, int) else list(layers)
    for layer in wanted:
        if not -len(states) <= layer < len(states):
            raise InputError(f"there is no layer {layer}: the encoder has 0 to {len(states) - 1}")
    chosen = [states[layer].float().numpy() for layer in wanted]
    return chosen[0] if isinstance(layers, int) else np.stack(chosen, axis=1)


def _stitched(
    over: Windows, parts: Sequence[Vectors], encoder: TextModel, layers: Layers
) -> Vectors:
    if parts:
        return np.asarray(over.stitch(parts))
    several = () if layers is None or isinstance(layers, int) else (len(layers),)
    return np.zeros((0, *several, encoder.model.config.hidden_size), np.float32)
