"""One JSON object as its raw line and the places of its values, so that one can be replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from incognote.document import Document
from incognote.formats.encoding import Encoding, not_text
from incognote.formats.format_error import FormatError
from incognote.formats.spelling import Spelling, edits, respell

_BEGIN = re.compile(r"[ \t\r\n]*\{[ \t\r\n]*")
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_END = re.compile(r"[ \t\r\n]*\}[ \t\r\n]*")
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\."
)


Edits = list[tuple[int, int, str]]
"""Places in a raw line and what to put there."""


class Number(str):
    """A number as it was spelled: `1.0e5` and a hundred digits stay what they are."""

    __slots__ = ()


_DECODER: Any = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)


def number(value: object) -> int | None:
    """A whole number, or None for all else."""
    if isinstance(value, Number) and len(value) < 20 and value.isdigit():
        return int(value)
    return None


def spell_string(text: str, ascii: bool = False) -> str:
    """A text as a JSON string."""
    return encode_basestring_ascii(text) if ascii else encode_basestring(text)


@dataclass(frozen=True)
class Object:
    """A line and its values; `places` says where in the line the raw value of each key stands, and
    `keys` where the key does.
    """

    raw: str
    values: Mapping[str, Any]
    places: Mapping[str, tuple[int, int]]
    keys: Mapping[str, int]
    twice: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def parse(cls, raw: str) -> Object:
        """The object of a line, which holds nothing else."""
        try:
            return cls._parse(raw)
        except StopIteration as stop:
            raise FormatError("not valid JSON", f"column {stop.value + 1}") from None
        except json.JSONDecodeError as error:
            raise FormatError("not valid JSON", f"column {error.pos + 1}") from None
        except RecursionError:
            raise FormatError("JSON nested too deep") from None

    @classmethod
    def _parse(cls, raw: str) -> Object:
        values: dict[str, Any] = {}
        places: dict[str, tuple[int, int]] = {}
        keys: dict[str, int] = {}
        twice: set[str] = set()
        begin = _BEGIN.match(raw)
        if begin is None:
            raise FormatError("not a JSON object")
        at = begin.end()
        more = raw[at : at + 1] != "}"
        while more:
            if raw[at : at + 1] != '"':
                raise json.JSONDecodeError("", raw, at)
            key_start = at
            key, at = scanstring(raw, at + 1, True)
            start = _after(_COLON, raw, at)
            value, end = _DECODER.scan_once(raw, start)
            if key in values:
                twice.add(key)
            values[key], places[key], keys[key] = value, (start, end), key_start
            comma = _COMMA.match(raw, end)
            more = comma is not None
            at = comma.end() if comma else end
        if _after(_END, raw, at) < len(raw):
            raise json.JSONDecodeError("", raw, _after(_END, raw, at))
        return cls(raw, values, places, keys, frozenset(twice))

    def get(self, key: str) -> Any:
        """The value of a key; one that occurs twice is an error."""
        if key in self.twice:
            raise FormatError(f"the field '{key}' occurs twice")
        return self.values.get(key)

    def text(self, key: str, advice: str = "") -> str | None:
        """The value of a field that holds a note: a string, or None for null."""
        value = self.get(key)
        if key not in self.values:
            raise FormatError(f"there is no field '{key}'{advice}")
        if value is not None and (isinstance(value, Number) or not isinstance(value, str)):
            raise FormatError(f"the field '{key}' is not a string")
        return None if value is None else _sound(key, value)

    def string(self, key: str, required: bool = False) -> str | None:
        """A string, or a number as it is spelled; None for null and, unless required, nothing."""
        value = self.get(key)
        if value is None:
            if required:
                raise FormatError(f"there is no field '{key}'")
            return None
        if not isinstance(value, str):
            raise FormatError(f"the field '{key}' is neither a string nor a number")
        return _sound(key, value)

    def string_edit(self, key: str, old: str, new: Document) -> tuple[int, int, str]:
        """The edit that puts another text at `key`; its unchanged parts stay spelled as they were."""
        start, end = self.places[key]
        raw = self.raw[start:end]
        for ascii in (False, True):
            if spell_string(old, ascii) == raw:
                return start, end, spell_string(new.text, ascii)
        ascii = raw.isascii()
        changes = edits(old, new)
        if changes is None:
            return start, end, spell_string(new.text, ascii)
        body = raw[1:-1]
        spelling = Spelling.of(body, 0, len(body), _ESCAPE)
        text = respell(body, spelling, changes, lambda text: spell_string(text, ascii)[1:-1])
        return start, end, f'"{text}"'

    def value_edit(self, key: str, raw: str, after: str) -> tuple[int, int, str]:
        """The edit that puts another value at `key`; a new key comes behind `after`."""
        if key in self.places:
            return *self.places[key], raw
        end = self.places[after][1]
        return end, end, f", {spell_string(key)}: {raw}"

    def removals(self, dropped: Collection[str]) -> Edits:
        """The edits that take fields out, each with the comma that it no longer needs."""
        edits: Edits = []
        names = list(self.keys)
        has_one_before = False
        for at, name in enumerate(names):
            if name not in dropped:
                has_one_before = True
            elif has_one_before:
                edits.append((self.places[names[at - 1]][1], self.places[name][1], ""))
            elif at + 1 < len(names):
                edits.append((self.keys[name], self.keys[names[at + 1]], ""))
            else:
                edits.append((self.keys[name], self.places[name][1], ""))
        return edits


def splice(raw: str, edits: Edits) -> str:
    """The line with the edits made, all else as it was."""
    pieces: list[str] = []
    last = 0
    for start, end, new in sorted(edits):
        pieces += (raw[last:start], new)
        last = end
    return "".join((*pieces, raw[last:]))


def encode_line(raw: str, encoding: Encoding) -> bytes:
    """A line in an encoding; what this has no bytes for is escaped, which JSON allows."""
    try:
        return raw.encode(encoding.codec)
    except UnicodeEncodeError:
        return b"".join(_encode_character(character, encoding.codec) for character in raw)


def _encode_character(character: str, codec: str) -> bytes:
    try:
        return character.encode(codec)
    except UnicodeEncodeError:
        return spell_string(character, ascii=True)[1:-1].encode(codec)


def _after(pattern: re.Pattern[str], raw: str, at: int) -> int:
    match = pattern.match(raw, at)
    if match is None:
        raise json.JSONDecodeError("", raw, at)
    return match.end()


def _sound(key: str, value: str) -> str:
    if problem := not_text(value):
        raise FormatError(f"the field '{key}' cannot be a text: {problem}")
    return value
