"""Just as much of SentencePiece's protobuf files as a tokenizer is built from."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

from incognote.base.protobuf import fields, messages
from incognote.workshop.tokenization.errors import TokenizerError

UNKNOWN, CONTROL = 2, 3


class SentencePieceFile(NamedTuple):
    """The pieces with their scores, the unknown one, those never read from text, and a map.

    The map is the compiled one of characters to their normal forms.
    """

    pieces: tuple[tuple[str, float], ...]
    unknown: int
    controls: frozenset[int]
    character_map: bytes


def read_sentencepiece(path: Path) -> SentencePieceFile:
    """Read a `.model` file of the unigram kind."""
    pieces: list[tuple[str, float]] = []
    controls: set[int] = set()
    unknown, character_map, kind = None, b"", 1
    try:
        for number, value in messages(memoryview(path.read_bytes())):
            if number == 1:
                role, piece = _role(value), dict(messages(value))
                if role == UNKNOWN:
                    unknown = len(pieces)
                if role in (UNKNOWN, CONTROL):
                    controls.add(len(pieces))
                (score,) = struct.unpack("<f", piece.get(2, bytes(4)))
                pieces.append((bytes(piece[1]).decode(), score))
            elif number == 2:
                kind = _role(value)
            elif number == 3:
                character_map = bytes(dict(messages(value)).get(2, b""))
    except (IndexError, KeyError, UnicodeDecodeError, struct.error):
        raise TokenizerError(f"{path}: not a SentencePiece file, or cut short") from None
    if unknown is None:
        raise TokenizerError(f"{path}: not a SentencePiece file, or without an unknown token")
    if kind != 1:
        raise TokenizerError(f"{path}: only SentencePiece's unigram kind is read")
    return SentencePieceFile(tuple(pieces), unknown, frozenset(controls), character_map)


def _role(message: memoryview) -> int:
    """The third field, which says of what kind a piece or a trainer is; 1 where it is not said."""
    said = dict(fields(message)).get(3)
    return said if isinstance(said, int) else 1
