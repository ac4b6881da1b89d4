"""Just enough of SentencePiece's protobuf files to build a tokenizer from one."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

UNKNOWN_PIECE = 2


class SentencePieceFile(NamedTuple):
    """The pieces with their scores, which of them is the unknown one, and the character map."""

    pieces: tuple[tuple[str, float], ...]
    unknown: int
    character_map: bytes


def read_sentencepiece(content: bytes) -> SentencePieceFile:
    """Read a `.model` file."""
    pieces: list[tuple[str, float]] = []
    unknown, character_map = 0, b""
    for number, value in _fields(content):
        if number == 1:
            piece = dict(_fields(value))
            if int.from_bytes(piece.get(3, b"\x01"), "little") == UNKNOWN_PIECE:
                unknown = len(pieces)
            (score,) = struct.unpack("<f", piece.get(2, bytes(4)))
            pieces.append((piece[1].decode(), score))
        elif number == 3:
            character_map = dict(_fields(value)).get(2, b"")
    return SentencePieceFile(tuple(pieces), unknown, character_map)


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
        yield key >> 3, message[place : place + size]
        place += size


def _number(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
