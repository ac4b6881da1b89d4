"""Vectors of words in context and of whole texts, however long: read in windows, pooled, and written.

`features` gives a vector for every word, `text_features` one for a text, `similarities` how near the
vectors of a word in several texts are, or those of the texts.
"""

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
from incognote.workshop.tokenization import Encoding, Tokenizer
from incognote.workshop.tokenization.tokenizer import SPECIAL

Vectors = npt.NDArray[np.float32]
Pooling = Literal["first", "mean", "last"]
"""How the vectors of a word's tokens become one."""
Pool = Literal["cls", "mean", "max"]
"""How the vectors of a text's tokens become one."""


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


def text_features(
    texts: Iterable[str],
    encoder: TextEncoder | str | Path | None = None,
    *,
    pool: Pool = "mean",
    layers: Layers = None,
) -> Iterator[Vectors]:
    """The vector of each text in order, [size], or [layers, size] of several layers.

    `mean` and `max` are over all tokens with the special ones around them, as embedding models count
    them; `cls` is the state of [CLS]. A longer text is read in windows as by `features`: a token
    counts in the one where it has most context, and for `cls` the windows' mean is taken. A text of
    which the encoder sees nothing has a vector of NaN.
    """
    if pool not in get_args(Pool):
        raise InputError(f"pool must be one of {', '.join(get_args(Pool))}")
    reader = open_encoder(encoder)
    if pool == "cls" and reader.tokenizer is None:
        raise InputError("this encoder reads words and has no [CLS]: pool by mean or max")
    size = _window(reader, None)
    several = () if layers is None or isinstance(layers, int) else (len(layers),)
    for text in texts:
        parts = list(_counted(reader, text, size, pool, layers))
        if not parts:
            yield np.full((*several, reader.hidden_size), np.nan, np.float32)
        elif pool == "max":
            yield np.asarray(np.max([part.max(0) for part in parts], axis=0))
        else:
            yield np.concatenate(parts).mean(0)


def _counted(
    reader: TextEncoder, text: str, size: int, pool: Pool, layers: Layers
) -> Iterator[Vectors]:
    """Of each window of a text the vectors that count, [tokens, …]."""
    if reader.tokenizer is None:
        written = [text[start:end] for start, end in words(text)]
        over = windows(len(written), size, size // 4)
        for number, (first, last) in enumerate(_each(over)):
            begin, end = over.owned[number] - first, over.owned[number + 1] - first
            yield reader.word_vectors(written[first:last], layers)[begin:end]
        return
    tokens = reader.tokenizer.read(text)
    over = windows(len(tokens.ids), size, size // 4)
    for number, (first, last) in enumerate(_each(over)):
        encoding = _encoded(reader.tokenizer, tokens, first, last)
        vectors = reader.vectors(encoding, layers)
        special = encoding.part == SPECIAL
        if pool == "cls":
            yield vectors[special & (encoding.ids == reader.tokenizer.cls_id)]
            continue
        counts = special.copy()
        counts[~special] = over.owner[first:last] == number
        yield vectors[counts]


def similarities(
    texts: Sequence[str],
    encoder: TextEncoder | str | Path | None = None,
    *,
    word: str | None = None,
    pool: Pool = "mean",
    layers: int | None = None,
) -> npt.NDArray[np.float64]:
    """The cosine between the texts' vectors, [texts, texts]; with `word`, between those of that word in them.

    The word is looked for whatever its case, and may be of several words ("New York"): then it has
    their mean. Of several places in a text the first counts.
    """
    reader = open_encoder(encoder)
    if word is None:
        rows = list(text_features(texts, reader, pool=pool, layers=layers))
    else:
        found = features(texts, reader, layers=layers)
        rows = [_of_word(text, word, each) for text, each in zip(texts, found, strict=True)]
    vectors = np.stack(rows).astype(np.float64)
    if np.isnan(vectors).any():
        raise InputError(
            "the encoder sees nothing of a text: all of it is dropped by the tokenizer"
        )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors @ vectors.T)


def _of_word(text: str, word: str, found: WordFeatures) -> Vectors:
    """The vector of a word, or of some words in a row, in a text."""
    wanted = [word[start:end].casefold() for start, end in words(word)]
    starts, ends = found.words.starts.tolist(), found.words.ends.tolist()
    written = [text[start:end].casefold() for start, end in zip(starts, ends, strict=True)]
    for place in range(len(written) - len(wanted) + 1):
        if wanted and written[place : place + len(wanted)] == wanted:
            return np.asarray(found.vectors[place : place + len(wanted)].mean(0))
    raise InputError(f"the word {word!r} is not in every text")


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
    encoding = _encoded(encoder.pieces, pieces, first, last)
    return np.asarray(encoder.vectors(encoding, layers)[encoding.part == 0])


def _encoded(tokenizer: Tokenizer, tokens: Tokens, first: int, last: int) -> Encoding:
    """The tokens `first` to `last - 1` as a sequence."""
    offsets = TokenOffsets(tokens.offsets.starts[first:last], tokens.offsets.ends[first:last])
    return tokenizer.join(Tokens(tokens.ids[first:last], offsets, 0))


def _stitched(
    over: Windows, parts: Sequence[Vectors], encoder: TextEncoder, layers: Layers
) -> Vectors:
    if parts:
        return np.asarray(over.stitch(parts))
    several = () if layers is None or isinstance(layers, int) else (len(layers),)
    return np.zeros((0, *several, encoder.hidden_size), np.float32)


def read_texts(paths: Sequence[Path], *, lines: bool = False) -> Iterator[tuple[str, str]]:
    """Each file's text and its name; with `lines`, each of its lines, by name and number from 1."""
    for path in paths:
        text = read_text(path)
        if not lines:
            yield path.stem, text
            continue
        for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
            yield f"{path.stem}:{number}", line.removesuffix("\r")


def read_text(path: Path) -> str:
    """A file's text, line ends as they are."""
    return decoded(path.read_bytes(), str(path))


def decoded(data: bytes, name: str) -> str:
    """Bytes as text; `name` is what they are from."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RunError(f"{name}: not UTF-8 (byte {error.start})") from None


def write_lines(
    names: Sequence[str], found: Iterable[WordFeatures | Vectors], write: Callable[[str], object]
) -> None:
    """A JSON line per text: of its words, or of the text as one; null is what the encoder does not see."""
    for name, text in zip(names, found, strict=True):
        content: dict[str, Any] = {"id": name}
        if isinstance(text, WordFeatures):
            starts, ends = text.words.starts.tolist(), text.words.ends.tolist()
            rows = zip(starts, ends, _numbers(text.vectors), strict=True)
            content["words"] = [{"start": a, "end": b, "vector": vector} for a, b, vector in rows]
        else:
            (content["vector"],) = _numbers(text[None])
        try:
            line = json.dumps(content, allow_nan=False)
        except ValueError:
            raise RunError(f"{name}: the encoder gives vectors that are not finite") from None
        write(line)


def _numbers(vectors: Vectors) -> list[Any]:
    """A list for each vector, or None for one of NaN."""
    unseen = np.all(np.isnan(vectors), axis=tuple(range(1, vectors.ndim))).tolist()
    rows = vectors.astype(float).round(6).tolist()
    return [None if blank else row for blank, row in zip(unseen, rows, strict=True)]


def write_npz(found: Iterable[WordFeatures], output: Path) -> None:
    """One file: `vectors`, and for each its `text` (counted from 0), `start` and `end`.

    A word that the encoder does not see has a vector of NaN, as in `WordFeatures`.
    """
    texts = list(found)
    _save(
        output,
        vectors=np.concatenate([text.vectors for text in texts]),
        text=np.repeat(np.arange(len(texts)), [len(text.words) for text in texts]),
        start=np.concatenate([text.words.starts for text in texts]),
        end=np.concatenate([text.words.ends for text in texts]),
    )


def write_text_npz(names: Sequence[str], found: Iterable[Vectors], output: Path) -> None:
    """One file: `vectors`, and the `id` of each text."""
    _save(output, vectors=np.stack(list(found)), id=np.array(names))


def _save(output: Path, **arrays: npt.NDArray[Any]) -> None:
    part = output.with_name(f".{output.name}.partial")
    try:
        with part.open("wb") as stream:
            np.savez_compressed(stream, allow_pickle=False, **arrays)
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
