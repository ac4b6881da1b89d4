"""Changes to texts and bytes that real files never have, and some that they do."""

from __future__ import annotations

import random
from collections.abc import Sequence

PIECES = (
    "Dr. ", "Mrs ", "MRN: ", "DOB ", "SSN ", "Tel ", "Fax: ", "@", "http://", "3/14/2019", "12/25", "Christmas",
    "O'Brien-Łukasz", "van der Berg", "St. Mary's Hospital", "Apt 4B", "02115", "+1 (617) 555-0199", "2001:db8:::1",
    "419-471-8026", "936-71-4408", "97 y/o", "Jr.", "III", "[[PATIENT|", "]]", "[**", "**]", "<TEXT>", "&amp;", "&#x1F600;",
    "\r\n", "\n", "\t", "\x0b", "\x0c", "\x00", "\x1b[2J", "\x85", "\xa0", "\u2028", "\u200b", "\u202e", "\ufeff", "\u0301",
    "\U0001f468\u200d\U0001f469", "ß", "ı", "İ", "ﬁ", "Ⅻ", "٣/٤/٢٠١٩", "１２３", "e\u0301" * 5, "999999999999999999999999",
)  # fmt: skip
BYTES = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"PAR1", b'"', b'""', b",", b"\n", b"\r\n",
    b"\\", b"\\u", b"\\ud800", b"{", b"}", b"[", b"]]>", b"<![CDATA[", b"</TEXT>", b"&#x", b"&#99999999999;", b"<!DOCTYPE",
    b"||||END_OF_RECORD", b"T1\t", b"\xc3", b"\xe2\x80", b"9" * 40,
)  # fmt: skip


def odd_character(rng: random.Random) -> str:
    """Any code point but half a pair, the rarer kinds as often as the usual ones."""
    top = rng.choice((0x7F, 0xFF, 0x2FF, 0x2FFF, 0xD7FF, 0x10FFFF))
    code = rng.randrange(top)
    return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"


def mutated_text(rng: random.Random, seeds: Sequence[str], longest: int) -> str:
    """A part of a note with a few changes."""
    note = rng.choice(seeds)
    start = rng.randrange(max(1, len(note)))
    text = note[start : start + rng.randrange(1, longest)]
    for _ in range(rng.randrange(6)):
        place = rng.randrange(len(text) + 1)
        match rng.randrange(8):
            case 0:
                text = text[:place] + rng.choice(PIECES) + text[place:]
            case 1:
                text = text[:place] + odd_character(rng) + text[place:]
            case 2:
                text = text[:place] + text[place + rng.randrange(12) :]
            case 3:
                other = rng.choice(seeds)
                begin = rng.randrange(max(1, len(other)))
                text = text[:place] + other[begin : begin + rng.randrange(60)] + text[place:]
            case 4:
                text = rng.choice((text.upper, text.lower, text.title, text.swapcase))()
            case 5:
                text = text.replace(rng.choice((" ", "\n", ". ", "-")), rng.choice((" ", "", "\t")))
            case 6:
                part = text[place : place + rng.randrange(1, 20)]
                text = text[:place] + part * rng.randrange(1, 30) + text[place:]
            case _:
                text = text[place:] + text[:place]
    return text[: 4 * longest]


def mutated_bytes(rng: random.Random, content: bytes) -> bytes:
    """A file with a few changes."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        place = rng.randrange(len(changed) + 1)
        match rng.randrange(7):
            case 0 if changed:
                changed[place % len(changed)] ^= 1 << rng.randrange(8)
            case 1:
                changed[place:place] = rng.choice(BYTES)
            case 2:
                del changed[place : place + rng.randrange(1, 20)]
            case 3:
                del changed[place:]
            case 4:
                begin = rng.randrange(len(changed) + 1)
                changed[place:place] = changed[begin : begin + rng.randrange(1, 60)]
            case 5:
                changed[place : place + 4] = rng.randbytes(rng.randrange(5))
            case _:
                changed[place:place] = rng.choice(PIECES).encode("utf-8")
    return bytes(changed)
