"""Telephone numbers in ranges that regulators keep for fiction, so that nobody answers.

North America: 555-01xx, with any area code. Britain, Ireland, Australia, France and Germany have
ranges of their own. Elsewhere a subscriber's number begins with 00, which no plan has. Pagers and
extensions are within a house and get other digits.
"""

from __future__ import annotations

import re
from functools import partial

from incognote.replace.surrogate.kernel import Keyed
from incognote.replace.surrogate.number_shapes import NumberMention, Value, compact, pour, reshaped

_EXTENSION = re.compile(
    r"(?P<main>.*\d.*?)(?P<word>\s*[,;(]?\s*(?:extension|extn?\.?|xtn|x|poste|opt(?:ion)?\.?|#)\s*#?\s*)"
    r"(?P<digits>\d[\d-]{0,7})(?P<end>\D{0,2})",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 120
"""Nobody dials more; a longer text is a number like others."""
_LED = re.compile(r"(?i)(?:x|xtn|ext(?:ension|n)?\.?|poste)\s?(?=\d)")
_KEYPAD = str.maketrans("abcdefghijklmnopqrstuvwxyz", "22233344455566677778889999")
_NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_NUMERAL = re.compile(rf"(?i)\b(?:{'|'.join(_NUMERALS)}|oh)\b")
_EXCHANGE = re.compile(r"[A-Z]{2}[a-z]{4,9}(\s\d[‐-―-])(\d{4})")
_PAIRS = re.compile(r"0\d(?:[\s.-]\d\d){4}")
_TWO_FOUR_FOUR = re.compile(r"\(?0[2378]\)?[\s-]?\d{4}[\s-]?\d{4}")
_LOCAL = re.compile(r"[2-9]\d{2}\s?[\s.‐-―-]?\s?\d{4}", re.DOTALL)
_TWO_DIGIT_CODES = frozenset(
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 "
    "81 82 84 86 90 91 92 93 94 95 98".split()
)
_SPECIAL = frozenset("555 800 822 833 844 855 866 877 888 900".split())
_AREAS = tuple(
    f"{area}"
    for area in range(200, 1000)
    if area // 10 % 10 != 9 and area % 100 != 11 and f"{area}" not in _SPECIAL
)
_FICTION: dict[str, tuple[tuple[str, str, int], ...]] = {
    "44": (("7", "7700900", 10), ("20", "2079460", 10), ("8", "8081570", 10), ("", "1632960", 10)),
    "353": (("", "2091", 9),),
    "61": (("", "25550", 9),),
    "33": (("6", "63998", 9), ("7", "63998", 9), ("", "19900", 9)),
    "49": (("1", "17139200", 10), ("", "3023125", 10)),
}
"""For a country: how a number begins, how its fake does, and the length of both without the 0."""


def read_phone(mention: NumberMention) -> Value | None:
    """A telephone, fax or pager number."""
    text = mention.text
    if mention.type not in ("PHONE", "FAX") or len(text) > _LONGEST:
        return None
    if _EXCHANGE.fullmatch(text):
        return Value("exchange", compact(text), _write_exchange)
    spoken = [_digit_of(word) for word in _NUMERAL.findall(text)]
    if len(spoken) > 6 and not compact(_NUMERAL.sub("", text)):
        digits = "".join(spoken)
        return Value("phone", _core(digits), partial(_write_spoken, digits))
    led = _LED.match(text)
    if led:
        return Value("phone", compact(text[led.end() :]), partial(_write_led, led.end()))
    match = _EXTENSION.fullmatch(text)
    if match and len(_digits(match["main"])) > 6:
        core = f"{_core(_digits(match['main']))}x{compact(match['digits'])}"
        return Value("phone", core, _write_with_extension)
    return Value("phone", _core(_digits(text)), _write_number)


def _digits(text: str) -> str:
    """The digits, and those that letters stand for on a keypad."""
    return compact(text).translate(_KEYPAD)


def _core(digits: str) -> str:
    """A number without what only dials it."""
    return digits[-10:] if len(digits) == 11 and digits[0] == "1" else digits


def _write_led(start: int, text: str, keyed: Keyed, turn: int) -> str:
    return text[:start] + _write_number(text[start:], keyed, turn)


def _write_with_extension(text: str, keyed: Keyed, turn: int) -> str:
    match = _EXTENSION.fullmatch(text)
    assert match is not None
    extension = pour(match["digits"], reshaped(compact(match["digits"]), keyed, turn))
    return _write_number(match["main"], keyed, turn) + match["word"] + extension + match["end"]


def _write_number(text: str, keyed: Keyed, turn: int) -> str:
    digits = _digits(text)
    if len(digits) < 7 or (len(digits) == 7 and not _LOCAL.fullmatch(text)):
        return pour(text, reshaped(compact(text), keyed, turn))
    return pour(text, _fiction(text, digits, keyed, turn))


def _fiction(text: str, digits: str, keyed: Keyed, turn: int) -> str:
    """The digits of a number nobody has, as many as there were."""
    start = text.lstrip("([ *")
    if start.startswith("+") or (digits.startswith("00") and len(digits) > 9):
        return _abroad(digits, keyed, turn)
    length = len(digits)
    if length == 7:
        return _local(digits, keyed, turn)
    if length == 10 and digits[0] in "23456789":
        return _american(digits, keyed, turn)
    if length == 11 and digits[0] == "1" and digits[1] in "23456789":
        return "1" + _american(digits[1:], keyed, turn)
    if length == 11 and digits[0] == "9" and digits[1] in "23456789":
        return "9" + _american(digits[1:], keyed, turn)
    if digits[0] == "0" and length in (10, 11):
        return "0" + _national(_country_of(text, length), digits[1:], keyed, turn)
    return _national("", digits, keyed, turn)


def _local(digits: str, keyed: Keyed, turn: int) -> str:
    return f"55501{keyed.below(100, 'line', digits, turn):02}"


def _american(digits: str, keyed: Keyed, turn: int) -> str:
    """The last seven go with those of the number without its area code."""
    area = _AREAS[keyed.below(len(_AREAS), "area", digits, turn)]
    return area + _local(digits[3:], keyed, turn)


def _abroad(digits: str, keyed: Keyed, turn: int) -> str:
    prefix = digits[:2] if digits.startswith("00") else ""
    number = digits[len(prefix) :]
    if number[0] == "1" and len(number) == 11:
        return prefix + "1" + _american(number[1:], keyed, turn)
    width = 1 if number[0] in "17" else 2 if number[:2] in _TWO_DIGIT_CODES else 3
    code, rest = number[:width], number[width:]
    trunk = "0" if rest.startswith("0") and code != "39" else ""
    return prefix + code + trunk + _national(code, rest[len(trunk) :], keyed, turn)


def _country_of(text: str, length: int) -> str:
    """Whose number it is that begins with a 0, by its length and grouping."""
    if length == 11:
        return "44"
    if _PAIRS.fullmatch(text):
        return "33"
    return "61" if _TWO_FOUR_FOUR.fullmatch(text) or text.startswith("04") else "353"


def _national(code: str, rest: str, keyed: Keyed, turn: int) -> str:
    for begins, fake, length in _FICTION.get(code, ()):
        if len(rest) == length and rest.startswith(begins):
            return fake + keyed.digits(length - len(fake), "abroad", code, rest, turn)
    return "00" + keyed.digits(len(rest) - 2, "abroad", code, rest, turn)


def _write_spoken(digits: str, text: str, keyed: Keyed, turn: int) -> str:
    new = iter(_fiction(digits, digits, keyed, turn))

    def word(match: re.Match[str]) -> str:
        spelt = _NUMERALS[int(next(new))]
        return spelt.upper() if match[0].isupper() else spelt

    return _NUMERAL.sub(word, text)


def _write_exchange(text: str, keyed: Keyed, turn: int) -> str:
    """Exchanges with names: KLondike 5 is 555."""
    match = _EXCHANGE.fullmatch(text)
    assert match is not None
    joint = match[1][:-2] + "5" + match[1][-1]
    return f"KLondike{joint}01{keyed.below(100, 'line', compact(text), turn):02}"


def _digit_of(word: str) -> str:
    small = word.lower()
    return "0" if small == "oh" else str(_NUMERALS.index(small))
