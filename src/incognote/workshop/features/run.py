"""Read texts in windows, and put each word's vector together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from incognote.align.pieces import Pieces
from incognote.align.units import Units
from incognote.align.windows import Windows, windows
from incognote.align.words import words
from incognote.workshop.encoders.errors import InputError
from incognote.workshop.encoders.text_encoder import Layers, TextEncoder, open_encoder
from incognote.workshop.features.pooling import Pooling, Vectors, pooled

WINDOW = 512


@dataclass(frozen=True, eq=False)
class WordFeatures:
    """The words of a text (`align.words`) and a vector for each, [words, size].

    With several layers chosen, [words, layers, size]. A word of characters that the tokenizer drops
    (a control character, a zero-width space) is not seen by the encoder: its vector is all NaN.
    """

    words: Units
    vectors: Vectors


def features(
    texts: Iterable[str],
    encoder: TextEncoder | str | Path | None = None,
    *,
    pooling: Pooling = "mean",
    layers: Layers = None,
    window: int | None = None,
    overlap: int | None = None,
) -> Iterator[WordFeatures]:
    """The vectors of each text's words, in order.

    encoder: an open one, or the folder of one; the clinical ALBERT that ships if None.
    layers: which to take, 0 being the embeddings and −1 the last; None, what the model gives by
    itself: the last layer, or ELMo's learned mix. Texts longer than a window (in pieces, or in
    ELMo's words) are read in several that overlap by a quarter, each word from where it has most
    context. Nothing is cut.
    """
    reader = open_encoder(encoder)
    size = _window(reader, window)
    overlap = size // 4 if overlap is None else overlap
    for text in texts:
        spans = Units.of(words(text))
        if reader.tokenizer is None:
            written = [text[start:end] for start, end in zip(spans.starts, spans.ends, strict=True)]
            over = windows(len(written), size, overlap)
            parts = [reader.word_vectors(written[slice(*ends)], layers) for ends in _each(over)]
            yield WordFeatures(spans, _stitched(over, parts, reader, layers))
            continue
        pieces = reader.tokenizer.read(text)
        over = windows(len(pieces.ids), size, overlap)
        parts = [_piece_part(reader, pieces, *ends, layers) for ends in _each(over)]
        vectors = _stitched(over, parts, reader, layers)
        yield WordFeatures(spans, pooled(vectors, pieces.units, spans, pooling))


def _window(encoder: TextEncoder, window: int | None) -> int:
    special = 2 if encoder.tokenizer is None else encoder.tokenizer.special_tokens()
    most = min(encoder.longest, WINDOW if window is None else window + special)
    if window is not None and not 1 <= window <= most - special:
        raise InputError(f"the window must be from 1 to {most - special} tokens, not {window}")
    return int(most - special)


def _each(over: Windows) -> Iterator[tuple[int, int]]:
    return zip(over.starts.tolist(), over.ends.tolist(), strict=True)


def _piece_part(
    encoder: TextEncoder, pieces: Pieces, first: int, last: int, layers: Layers
) -> Vectors:
    """The vectors of the pieces `first` to `last - 1`, read by themselves."""
    units = Units(pieces.units.starts[first:last], pieces.units.ends[first:last])
    encoding = encoder.pieces.join(Pieces(pieces.ids[first:last], units, 0))
    return np.asarray(encoder.vectors(encoding, layers)[encoding.part == 0])


def _stitched(
    over: Windows, parts: Sequence[Vectors], encoder: TextEncoder, layers: Layers
) -> Vectors:
    if parts:
        return np.asarray(over.stitch(parts))
    several = () if layers is None or isinstance(layers, int) else (len(layers),)
    return np.zeros((0, *several, encoder.hidden_size), np.float32)
