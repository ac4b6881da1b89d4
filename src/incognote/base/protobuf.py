"""Messages of protocol buffers, read as they are: enough for a field or two of a file.

Why by hand: the runtime checks a network's file, `incognote bench` counts its operations and tokenizers
are built from SentencePiece's files, all of it where `onnx` and `sentencepiece` are not installed: they
are of the extra `train`.
"""

from __future__ import annotations

from collections.abc import Iterator

_LONGEST = 70
"""Bits that a whole number is written with at most, 7 to the byte."""


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Each field's number, and its whole number or its bytes; an IndexError where it is cut short."""
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        if key & 7 == 0:
            value, place = _number(message, place)
            yield key >> 3, value
            continue
        if key & 7 == 2:
            size, place = _number(message, place)
        else:
            size = 8 if key & 7 == 1 else 4
        if place + size > len(message):
            raise IndexError
        yield key >> 3, message[place : place + size]
        place += size


def messages(message: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Of the fields, those that are bytes."""
    for number, value in fields(message):
        if isinstance(value, memoryview):
            yield number, value


def numbers(packed: memoryview) -> list[int]:
    """Whole numbers in a row."""
    found, place = [], 0
    while place < len(packed):
        value, place = _number(packed, place)
        found.append(value)
    return found


def _number(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while shift < _LONGEST:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value & (2**64 - 1), place
    raise IndexError
