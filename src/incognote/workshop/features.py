"""Vectors for the words of texts, however long: read in windows, pooled by word, and written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Integers, TokenOffsets, Tokens
from incognote.align.windows import Windows, windows
from incognote.align.words import words
from incognote.base.errors import InputError, RunError
from incognote.workshop.encoders.text_encoder import Layers, TextEncoder, open_encoder

Vectors = npt.NDArray[np.float32]
Pooling = Literal["first", "mean", "last"]


def pooled(
    vectors: Vectors, pieces: TokenOffsets, words: TokenOffsets, pooling: Pooling
) -> Vectors:
    """[pieces, …] to [words, …]; a word that no piece shares a character with is all NaN.

    Such a word is of characters that the tokenizer drops: the model never saw it.
    """
    if pooling not in get_args(Pooling):
        raise InputError(f"pooling must be one of {', '.join(get_args(Pooling))}")
    solid = pieces.solid
    starts, ends = pieces.starts[solid], pieces.ends[solid]
    first = np.searchsorted(ends, words.starts, "right")
    last = np.searchsorted(starts, words.ends, "left")
    found = np.full((len(words), *vectors.shape[1:]), np.nan, np.float32)
    seen = first < last
    if pooling == "mean":
        for word in np.flatnonzero(seen):
            found[word] = vectors[solid[first[word] : last[word]]].mean(0)
    else:
        place: Integers = first[seen] if pooling == "first" else last[seen] - 1
        found[seen] = vectors[solid[place]]
    return found


WINDOW = 512


@dataclass(frozen=True, eq=False)
class WordFeatures:
    """The words of a text (`align.words`) and a vector for each, [words, size].

    With several layers chosen, [words, layers, size]. A word of characters that the tokenizer drops
    (a control character, a zero-width space) is not seen by the encoder: its vector is all NaN.
    """

    words: TokenOffsets
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
        spans = TokenOffsets.of(words(text))
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
        yield WordFeatures(spans, pooled(vectors, pieces.offsets, spans, pooling))


def _window(encoder: TextEncoder, window: int | None) -> int:
    special = 2 if encoder.tokenizer is None else encoder.tokenizer.special_tokens()
    most = min(encoder.longest, WINDOW if window is None else window + special)
    if window is not None and not 1 <= window <= most - special:
        raise InputError(f"the window must be from 1 to {most - special} tokens, not {window}")
    return int(most - special)


def _each(over: Windows) -> Iterator[tuple[int, int]]:
    return zip(over.starts.tolist(), over.ends.tolist(), strict=True)


def _piece_part(
    encoder: TextEncoder, pieces: Tokens, first: int, last: int, layers: Layers
) -> Vectors:
    """The vectors of the pieces `first` to `last - 1`, read by themselves."""
    offsets = TokenOffsets(pieces.offsets.starts[first:last], pieces.offsets.ends[first:last])
    encoding = encoder.pieces.join(Tokens(pieces.ids[first:last], offsets, 0))
    return np.asarray(encoder.vectors(encoding, layers)[encoding.part == 0])


def _stitched(
    over: Windows, parts: Sequence[Vectors], encoder: TextEncoder, layers: Layers
) -> Vectors:
    if parts:
        return np.asarray(over.stitch(parts))
    several = () if layers is None or isinstance(layers, int) else (len(layers),)
    return np.zeros((0, *several, encoder.hidden_size), np.float32)


def read_text(path: Path) -> str:
    """A file's text, line ends as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise RunError(f"{path}: not UTF-8 (byte {error.start})") from None


def write_lines(
    paths: Sequence[Path], found: Iterable[WordFeatures], write: Callable[[str], object]
) -> None:
    """A JSON line per text; the vector of a word that the encoder does not see is null."""
    for path, text in zip(paths, found, strict=True):
        rows = [
            {"start": start, "end": end, "vector": vector}
            for start, end, vector in zip(
                text.words.starts.tolist(),
                text.words.ends.tolist(),
                _numbers(text.vectors),
                strict=True,
            )
        ]
        try:
            line = json.dumps({"id": path.stem, "words": rows}, allow_nan=False)
        except ValueError:
            raise RunError(f"{path}: the encoder gives vectors that are not finite") from None
        write(line)


def _numbers(vectors: Vectors) -> list[Any]:
    """A list for each word, or None for one that the encoder does not see."""
    unseen = np.all(np.isnan(vectors), axis=tuple(range(1, vectors.ndim))).tolist()
    rows = vectors.astype(float).round(6).tolist()
    return [None if blank else row for blank, row in zip(unseen, rows, strict=True)]


def write_npz(found: Iterable[WordFeatures], output: Path) -> None:
    """One file: `vectors`, and for each its `text` (counted from 0), `start` and `end`.

    A word that the encoder does not see has a vector of NaN, as in `WordFeatures`.
    """
    texts = list(found)
    part = output.with_name(f".{output.name}.partial")
    try:
        with part.open("wb") as stream:
            np.savez_compressed(
                stream,
                vectors=np.concatenate([text.vectors for text in texts]),
                text=np.repeat(np.arange(len(texts)), [len(text.words) for text in texts]),
                start=np.concatenate([text.words.starts for text in texts]),
                end=np.concatenate([text.words.ends for text in texts]),
            )
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
