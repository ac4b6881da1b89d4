"""Just as much of SentencePiece's protobuf files as a tokenizer is built from."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from incognote.tokenization.errors import TokenizerError

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
        for number, value in _fields(path.read_bytes()):
            if number == 1:
                piece = dict(_fields(value))
                role = int.from_bytes(piece.get(3, b"\x01"), "little")
                if role == UNKNOWN:
                    unknown = len(pieces)
                if role in (UNKNOWN, CONTROL):
                    controls.add(len(pieces))
                (score,) = struct.unpack("<f", piece.get(2, bytes(4)))
                pieces.append((piece[1].decode(), score))
            elif number == 2:
                kind = int.from_bytes(dict(_fields(value)).get(3, b"\x01"), "little")
            elif number == 3:
                character_map = dict(_fields(value)).get(2, b"")
    except (IndexError, KeyError, UnicodeDecodeError, struct.error):
        raise TokenizerError(f"{path}: not a SentencePiece file, or cut short") from None
    if unknown is None:
        raise TokenizerError(f"{path}: not a SentencePiece file, or without an unknown piece")
    if kind != 1:
        raise TokenizerError(f"{path}: only SentencePiece's unigram kind is read")
    return SentencePieceFile(tuple(pieces), unknown, frozenset(controls), character_map)


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Each field of a protobuf message: its number and its bytes."""
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        kind = key & 7
        if kind == 0:
            value, place = _number(message, place)
            yield key >> 3, value.to_bytes(8, "little")
            continue
        size, place = (
            (8, place) if kind == 1 else (4, place) if kind == 5 else _number(message, place)
        )
        if place + size > len(message):
            raise IndexError
        yield key >> 3, message[place : place + size]
        place += size


def _number(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value & (2**64 - 1), place
