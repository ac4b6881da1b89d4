"""Characters that a format cannot hold, and bytes that are not characters, named by position."""

from __future__ import annotations

import os
import re

from incognote.formats.container import FormatError

BOM = b"\xef\xbb\xbf"


def named(character: str, position: int) -> str:
    """How messages call a character: the code point and the place, never its neighbours."""
    return f"U+{ord(character):04X} at position {position}"


def first(pattern: re.Pattern[str], text: str, why: str) -> str | None:
    """The sentence for the first match of `pattern` in a text; None where there is none."""
    match = pattern.search(text)
    return f"{named(text[match.start()], match.start())} {why}" if match else None


def lone_surrogate(text: str) -> str | None:
    """The sentence for half a surrogate pair, which no encoding of text can hold."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"{named(text[error.start], error.start)} is half a surrogate pair, not a character"
    return None


def not_text(text: str) -> str | None:
    """The sentence for a character that no note has: half a surrogate pair, or NUL.

    A NUL between the letters of a name hides it, and is what text of another encoding looks like.
    """
    if (at := text.find("\0")) >= 0:
        return f"{named(chr(0), at)} is not a character of a note"
    return lone_surrogate(text)


def decode(data: bytes, start: int = 0) -> str:
    """Strict UTF-8 without NUL; `start` is where `data` begins in its file."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise FormatError("not valid UTF-8", f"byte {start + error.start}") from None
    if "\0" in text:
        raise FormatError(str(not_text(text)))
    return text


def readable(name: str) -> str:
    r"""The name of a file as text: bytes of it that are not UTF-8 are spelled out, as `\xe9`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def encode(text: str) -> bytes:
    """UTF-8, or a refusal that names the character."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise FormatError(str(lone_surrogate(text))) from None
