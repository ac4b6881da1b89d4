"""Numbers in words: days, years and ages; `fourteenth`, `two thousand nineteen`, `ninety-four`."""

from __future__ import annotations

import re

from incognote.knowledge.letters import in_case_of

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
TENTHS = "twentieth thirtieth".split()

NUMBERS_IN_NAMES = (*(word.capitalize() for word in SMALL[1:13]), "Twenty")
ORDINALS_IN_NAMES = tuple(word.capitalize() for word in ORDINALS[1:13])
"""Numbers that streets and institutions are called by; surrogates exchange them."""

_JOINT = r"[\s-]{1,3}"
_UNIT = f"(?:{'|'.join(SMALL[1:10])})"
_TEEN = f"(?:{'|'.join(SMALL[10:])})"
_UP_TO_99 = (
    rf"(?:(?:{'|'.join(TENS)})(?:{_JOINT}{_UNIT}\b)?|{_TEEN}|(?:oh|o|zero|aught){_JOINT}{_UNIT})"
)
_REST = rf"(?:{_JOINT}(?:and{_JOINT})?(?:{_UP_TO_99}|{_UNIT}))"
YEAR_WORDS = (
    rf"(?:two{_JOINT}thousand(?:{_REST})?"
    rf"|(?:seventeen|eighteen|nineteen|twenty){_JOINT}(?:hundred(?:{_REST})?|{_UP_TO_99}))\b"
)
ORDINAL_WORDS = (
    rf"(?:(?:(?:twenty|thirty)[\s-]{{0,3}})?(?:{'|'.join(ORDINALS[1:10])})"
    rf"|{'|'.join(ORDINALS[10:] + TENTHS)})\b"
)
DAY_WORDS = rf"(?:(?:twenty|thirty)(?:{_JOINT}{_UNIT})?|{_TEEN}|{_UNIT})\b"
NUMBER_WORDS = (
    rf"(?:(?:one|a){_JOINT}hundred(?:{_REST})?"
    rf"|(?:{'|'.join(TENS)})(?:{_JOINT}{_UNIT}\b)?|{_TEEN}|{_UNIT}|zero)\b"
)
"""A number of years in words, up to a hundred and some."""

_VALUES = (
    {word: value for value, word in enumerate(SMALL)}
    | {word: 10 * value for value, word in enumerate(TENS, 2)}
    | {"oh": 0, "o": 0, "aught": 0, "and": 0, "a": 1}
)
_ORDINAL_VALUES = {word: value for value, word in enumerate(ORDINALS)} | {
    "twentieth": 20,
    "thirtieth": 30,
}
_WORD = re.compile(r"[a-z]+")
_ORDINAL_PARTS = re.compile(r"(twenty|thirty)?[\s-]*([a-z]+)")


def read_number(words: str) -> int:
    """`ninety-four`, `one hundred and two`, `fourteen`."""
    total = 0
    for word in _WORD.findall(words.lower()):
        total = max(total, 1) * 100 if word == "hundred" else total + _VALUES[word]
    return total


def read_year(words: str) -> int:
    """`nineteen ninety-eight`, `two thousand and five`, `twenty nineteen`."""
    first, *rest = _WORD.findall(words.lower())
    if rest[0] == "thousand":
        return 2000 + sum(_VALUES[word] for word in rest[1:])
    return 100 * _VALUES[first] + sum(_VALUES.get(word, 0) for word in rest)


def read_ordinal(words: str) -> int:
    """`fourteenth`, `twenty-first`."""
    lower = words.lower()
    if lower in _ORDINAL_VALUES:
        return _ORDINAL_VALUES[lower]
    parts = _ORDINAL_PARTS.fullmatch(lower)
    assert parts
    return _VALUES.get(parts[1], 0) + _ORDINAL_VALUES[parts[2]]


def _up_to_99(value: int, joint: str) -> str:
    if value < 20:
        return SMALL[value]
    tens, unit = divmod(value, 10)
    return TENS[tens - 2] + (joint + SMALL[unit] if unit else "")


def _joint(pattern: str) -> str:
    return (
        "-"
        if "-" in pattern or not re.search(rf"(?i)(?:{'|'.join(TENS)})\s+{_UNIT}", pattern)
        else " "
    )


def write_number(value: int, pattern: str) -> str:
    """A number below a hundred, joined and cased as `pattern` is."""
    return _cased(_up_to_99(value, _joint(pattern)), pattern)


def write_ordinal(value: int, pattern: str) -> str:
    """An ordinal day, joined and cased as `pattern` is."""
    joint = " " if re.search(r"\s", pattern) else "-"
    if value < 20:
        return _cased(ORDINALS[value], pattern)
    tens, unit = divmod(value, 10)
    words = TENS[tens - 2] + joint + ORDINALS[unit] if unit else TENTHS[tens - 2]
    return _cased(words, pattern)


def write_year(value: int, pattern: str) -> str:
    """A year, in the manner of `pattern` where the language allows it."""
    century, rest = divmod(value, 100)
    joint = _joint(pattern)
    lower = pattern.lower()
    if century == 20 and (rest < 10 or "thousand" in lower):
        glue = " and " if re.search(r"\band\b", lower) else " "
        words = "two thousand" + (glue + _up_to_99(rest, joint) if rest else "")
    elif rest == 0:
        words = f"{_up_to_99(century, '-')} hundred"
    elif rest < 10:
        words = f"{_up_to_99(century, '-')} oh {SMALL[rest]}"
    else:
        words = f"{_up_to_99(century, '-')} {_up_to_99(rest, joint)}"
    return _cased(words, pattern)


def _cased(words: str, pattern: str) -> str:
    """Upper, lower, a capital first, or every word with a capital, as the original has it."""
    capitals = [word[0].isupper() for word in re.findall(r"[^\W\d_]+", pattern)]
    if capitals and capitals[0] and not pattern.isupper():
        if all(capitals) and len(capitals) > 1:
            return re.sub(r"[a-z]+", lambda word: word[0].capitalize(), words)
        return words[0].upper() + words[1:]
    return in_case_of(words, pattern)
