"""Which of the encodings before Unicode a text is in, or that this cannot be told.

chardet ranks them by how well they read, in the languages that it knows. It always has an answer;
whether to believe it is decided here. A reading must be sound: no control characters, no sign
between two letters, no capital behind a small letter. Encodings that give the same reading are one
answer; two sound readings that differ, and of which chardet finds neither clearly better, are
doubt.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

CANDIDATES = (
    *("cp1252", "mac-roman", "cp1250", "iso8859-15", "iso8859-2", "cp850", "cp437", "cp852"),
    *("cp1254", "cp1257", "mac-latin2", "cp1251", "koi8-r", "koi8-u", "iso8859-5"),
    *("cp866", "mac-cyrillic", "cp1253", "iso8859-7", "cp1255", "iso8859-8", "cp1256", "cp874"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1140", "cp037", "cp500", "cp273"),
)
"""Of those with the same reading the first is meant."""

ENOUGH = 0.5
"""The confidence from which on a guess is taken."""

_SHARPNESS = 50
"""chardet's figures for two readings differ by two in a hundred where the evidence is plain."""

_BEARABLE = 0.2
"""The share of odd characters up to which a reading is a rival: people write oddly too."""

_NEAR = 0.7
"""How near to the best an encoding must be for chardet, which knows nothing of what is odd."""

_FIRST = {"cp1252": 1.005}
"""Of two that are alike it is rather this."""

_USUAL = frozenset({"cp1252", "mac-roman", "cp1250", "cp1251", "cp1253"})
_CLEARLY = 0.97
"""Other encodings must be better than any usual one by more than this."""

_ENOUGH_OF_A_SCRIPT = 0.3
"""The share of letters from which on a text is in another script than Latin."""

_ALPHABETS = tuple(
    map(
        frozenset,
        (
            "áéíóúüñïçàèòêôâîëùûœæÿ",  # Spanish, Catalan, French
            "áéíóúâêôãõçàüè",  # Portuguese, Italian
            "äöüßéèáàóëïç",  # German, Dutch
            "åäöéüø æ".replace(" ", ""),  # the North
            "áéíóúýðþæö",
            "ąćęłńóśźżéáöüä",
            "áčďéěíňóřšťúůýžäôľĺŕöü",
            "áéíóöőúüűä",
            "čćđšžáéöüä",
            "ăâîșțşţáéöü",
            "çğıöşüâîû",
            "āčēģīķļņšūžąęėįųõäöü",
        ),
    )
)
"""The letters beyond ASCII that stand together in words, and those of neighbours' names."""

_DOS = frozenset({"cp850", "cp437", "cp852", "cp866"})
_ODD = re.compile("[^\t\n\r\x0c\x20-\x7e\xa0\xad]")
_BETWEEN_LETTERS = frozenset("’‘´·")
_APART = frozenset("–—“”„«»‹›‚…•●■▪°±×÷≤≥≈§©®™€£¥¢†‡¿¡½¼¾‰")
_BEHIND = frozenset("²³¹ªº")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]*[\u00c0-\u024f][A-Za-z\u00c0-\u024f]*")


@dataclass
class _Reading:
    """A text that some encodings make of the bytes."""

    codec: str
    text: str
    weight: float


def guess(sample: bytes) -> tuple[str | None, float]:
    """The likeliest codec of lines that have bytes above 127, and from 0 to 1 how sure it is.

    0: another is as likely. No codec: nothing reads well, as where UTF-8 is damaged.
    """
    all_readings = _readings(sample)
    likeliest = max((reading.weight for reading in all_readings), default=0.0)
    for reading in all_readings:
        odd = _odd_share(reading)
        reading.weight *= 1 - odd if odd <= _BEARABLE else 0
    sound = (reading for reading in all_readings if reading.weight > _NEAR * likeliest)
    readings = sorted(sound, key=lambda reading: -reading.weight)
    if not readings:
        return None, 0.0
    best, *others = readings
    if not others:
        return best.codec, 1.0
    lead = best.weight * (1.0 if best.codec in _USUAL else _CLEARLY)
    return best.codec, max(0.0, 1.0 - (others[0].weight / lead) ** _SHARPNESS)


def _readings(sample: bytes) -> list[_Reading]:
    weights = _weights(sample)
    readings: dict[str, _Reading] = {}
    for codec in CANDIDATES:
        if codec in _DOS and b"\xff" in sample:
            continue  # a blank there, which no text ends up with, but every damaged file does
        try:
            text = codecs.getincrementaldecoder(codec)().decode(sample)
        except UnicodeDecodeError:
            continue
        reading = readings.setdefault(text, _Reading(codec, text, 0.0))
        reading.weight = max(reading.weight, weights[codec] * _FIRST.get(codec, 1.0))
    return list(readings.values())


def _weights(sample: bytes) -> dict[str, float]:
    import chardet

    weights = dict.fromkeys(CANDIDATES, 0.0)
    for each in chardet.detect_all(sample, ignore_threshold=True, compat_names=False):
        if (name := each["encoding"]) is not None:
            weights[codecs.lookup(name).name] = each["confidence"]
    return weights


def _odd_share(reading: _Reading) -> float:
    """The share of the characters above ASCII that stand where they cannot."""
    text = reading.text
    ends = "\x85" if reading.codec in ("cp1140", "cp037", "cp500", "cp273") else ""
    total = odd = 0
    for match in _ODD.finditer(text):
        at = match.start()
        total += 1
        if text[at] not in ends:
            odd += not _fits(text[at], text[at - 1 : at], text[at + 1 : at + 2])
    if 0 < _other_letters(text) < _ENOUGH_OF_A_SCRIPT * sum(map(str.isalpha, text)):
        return 1.0
    odd += sum(map(_is_of_no_language, _WORD.findall(text)))
    return odd / max(1, total)


def _other_letters(text: str) -> int:
    return sum(letter.isalpha() and _script(letter) != "LATIN" for letter in _ODD.findall(text))


def _is_of_no_language(word: str) -> bool:
    letters = {letter for letter in word.lower() if letter > "\x7f"}
    return not any(letters <= alphabet for alphabet in _ALPHABETS)


def _fits(character: str, before: str, after: str) -> bool:
    """Whether a character above ASCII may stand between these two."""
    if character in _BETWEEN_LETTERS:
        return True
    if character in _APART:
        return not (before.isalpha() and after.isalpha())
    if character in _BEHIND:
        return not (before.isalpha() and after.islower())
    if character == "\xb5":
        return not before.isalpha()
    if character == "\xff":
        return before.isalpha() and after.isalpha()
    if not character.isalpha():
        return False
    if _script(character) != "LATIN":
        return not _is_latin(before) and not _is_latin(after)
    if after.isdigit():
        return False
    if character.isupper():
        return not (before.islower() or (before.isupper() and after.islower()))
    return not after.isupper()


def _is_latin(character: str) -> bool:
    return character.isalpha() and _script(character) == "LATIN"


def _script(letter: str) -> str:
    """Its script, as Unicode's name for it begins; the ordinals and the micro sign go with ours."""
    return "LATIN" if letter in "ªºµ" else unicodedata.name(letter, "").partition(" ")[0]
