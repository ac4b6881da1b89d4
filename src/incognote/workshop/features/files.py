"""Texts in, vectors out. No word is written: offsets say which it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from incognote.runs.inputs import RunError
from incognote.workshop.features.pooling import Vectors
from incognote.workshop.features.run import WordFeatures


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
