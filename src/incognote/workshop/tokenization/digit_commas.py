"""ALBERT's and XLNet's own step after SentencePiece: "2019," becomes "2019" and ",".

Without it, a number before a comma would be another word than the number elsewhere. The step is
in the papers' code, and in no `tokenizer.json`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import tokenizers

from incognote.align.pieces import Pieces
from incognote.align.units import Integers, in_reading_order
from incognote.workshop.tokenization.unigram import SPACE


def digit_commas(tokenizer: tokenizers.Tokenizer, unknown: int) -> dict[int, tuple[int, ...]]:
    """For each piece that ends in a digit and a comma, the pieces that take its place."""
    found = {}
    comma = tokenizer.token_to_id(",")
    for piece, number in tokenizer.get_vocab(with_added_tokens=False).items():
        if comma is None or len(piece) < 2 or piece[-1] != "," or not piece[-2].isdigit():
            continue
        stem = tokenizer.encode(piece[:-1].replace(SPACE, ""), add_special_tokens=False)
        ids, tokens = stem.ids, stem.tokens
        if piece[0] != SPACE and tokens[0] == SPACE:
            ids = ids[1:]
        elif piece[0] != SPACE and tokens[0][0] == SPACE:
            bare = tokenizer.token_to_id(tokens[0][1:])
            ids = [unknown if bare is None else bare, *ids[1:]]
        found[number] = (*ids, comma)
    return found


def parted_ids(ids: list[int], table: Mapping[int, tuple[int, ...]]) -> list[int]:
    """The ids with each such piece replaced."""
    return [part for number in ids for part in table.get(number, (number,))]


def parted(
    pieces: Pieces, table: Mapping[int, tuple[int, ...]], tokens: Mapping[int, str]
) -> Pieces:
    """The pieces with each such one replaced, and where the new ones stand.

    `tokens` has the text of every piece in the table. The comma is the last character. Where the
    other characters are not one for one (½ is written with three) the pieces share them.
    """
    if not table or not np.isin(pieces.ids, list(table)).any():
        return pieces
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    units = pieces.units
    for number, start, end in zip(
        pieces.ids.tolist(), units.starts.tolist(), units.ends.tolist(), strict=True
    ):
        parts = table.get(number, (number,))
        ids += parts
        if len(parts) == 1:
            starts.append(start)
            ends.append(end)
            continue
        before = max(start, end - 1) if end - start > 1 else end
        sizes = [len(tokens[part].replace(SPACE, "")) for part in parts[:-1]]
        if sum(sizes) == before - start:
            edges = np.cumsum([start, *sizes]).tolist()
            starts += edges[:-1]
            ends += edges[1:]
        else:
            starts += [start] * len(sizes)
            ends += [before] * len(sizes)
        starts.append(min(before, end - 1) if end > start else start)
        ends.append(end)
    return Pieces(_array(ids), in_reading_order(_array(starts), _array(ends)), pieces.dropped)


def _array(values: list[int]) -> Integers:
    return np.array(values, dtype=np.int64)
