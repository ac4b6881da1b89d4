"""The ids of columns: a fake depends on the bare number alone, so that tables can still be joined.

Separators and zeros before a number, which spreadsheets lose, change nothing. Different record
numbers of one shape have different fakes; numbers of registers are replaced as in notes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

from incognote.knowledge.check_digits import nhs_check
from incognote.replace.surrogate.internet import RenamedPeople
from incognote.replace.surrogate.kernel import Keyed
from incognote.replace.surrogate.number_shapes import (
    NumberMention,
    Value,
    Writer,
    compact,
    pour,
    reshaped,
)
from incognote.replace.surrogate.numbers import (
    NumberSurrogates,
    is_canadian,
    read_value,
)

_CODE = 16
_LENGTHS = {"SSN": range(7, 10), "DEVICE": range(14, 16)}
"""Figures that are left of a social security number or an IMEI without the zeros before it."""
_TAGS = "\U000e0000"


def replace_column_number(
    numbers: NumberSurrogates, number: NumberMention, spellings: Sequence[NumberMention]
) -> list[str | None]:
    """What stands in the place of one number in each of its spellings.

    It is a function of the number alone, whatever other numbers there are.
    """
    exact = _exact(number.text)
    value = _read(number) if exact is None else Value("code", exact, partial(_write_code, exact))
    fakes = numbers.fakes_of(value, (number, *spellings))
    return [fakes.get(each.text) for each in spellings]


def is_same(number: NumberMention, other: NumberMention) -> bool:
    """Whether the letters and digits of two mentions are of one number: with or without zeros
    before it, and with or without letters around it.
    """
    exact = _exact(number.text), _exact(other.text)
    if exact != (None, None):
        return exact[0] == exact[1]
    core = _without_zeros(number.plain)
    return number.plain == other.plain or (
        bool(core) and _around(core).fullmatch(other.plain) is not None
    )


@lru_cache(maxsize=4096)
def _exact(text: str) -> str | None:
    """A value in one spelling, if it has letters or symbols that no plain letter or digit is."""
    if text.isascii():
        return None
    value = unicodedata.normalize("NFKC", text).casefold()
    if not any(map(_is_special, text + value)) or not any(map(_is_plain, text + value)):
        return None
    return "".join(filter(_tells, unicodedata.normalize("NFKC", value)))


def _is_special(character: str) -> bool:
    """Whether another character may have the same plain one."""
    if character.isascii():
        return False
    category = unicodedata.category(character)
    if category == "Cf":
        return character >= _TAGS
    plain = unicodedata.normalize("NFKC", character)
    same = character.isalnum() and plain.isascii() and plain.isalnum()
    return category != "Nd" and category[0] not in "PZ" and not same


def _is_plain(character: str) -> bool:
    return bool(compact(character))


def _tells(character: str) -> bool:
    return character.isalnum() if character.isascii() else _is_special(character)


def _write_code(exact: str, text: str, keyed: Keyed, turn: int) -> str:
    return f"{keyed.number('code', exact, turn) % 16**_CODE:0{_CODE}x}"


def _read(number: NumberMention) -> Value:
    """A number by its bare figures. That of a register is read with the zeros that it lost."""
    core = _without_zeros(number.plain)
    bare = replace(number, text=_whole(number, core)) if core.isdigit() else number
    value = read_value(bare, RenamedPeople(()))
    if value.kind == "number":
        return Value("number", core, partial(_write_number, core))
    if core.isdigit():
        return replace(value, write=partial(_write_register, bare.text, value.write))
    return value


def _whole(number: NumberMention, core: str) -> str:
    """The figures with as many zeros before them as the register has."""
    if number.type == "SSN" and is_canadian(number.text):
        return number.text
    lengths = _LENGTHS.get(number.type, range(0))
    return core.zfill(lengths[-1]) if len(core) in lengths else core


def _without_zeros(plain: str) -> str:
    return plain.lstrip("0") or plain[-1:]


@lru_cache(maxsize=64)
def _around(core: str) -> re.Pattern[str]:
    """A number with zeros before it and, if it is of digits alone, a prefix or a suffix."""
    head, tail = (r"[a-z]{0,6}", r"[a-z]{0,2}") if core.isdigit() and len(core) > 3 else ("", "")
    return re.compile(rf"(?P<head>{head})(?P<zeros>0*){re.escape(core)}(?P<tail>{tail})")


def _write_number(core: str, text: str, keyed: Keyed, turn: int) -> str:
    return _write_around(core, _of_shape(core, keyed, turn), text, keyed, turn)


def _write_register(whole: str, write: Writer, text: str, keyed: Keyed, turn: int) -> str:
    core = _without_zeros(compact(whole))
    zeros = len(compact(whole)) - len(core)
    fake = compact(write(whole, keyed, turn))
    return _write_around(core, fake, text, keyed, turn, zeros)


def _write_around(core: str, fake: str, text: str, keyed: Keyed, turn: int, zeros: int = 0) -> str:
    """The text with the fake in the place of the number and of so many zeros before it.

    Where the text has fewer, the fake has its zeros left out too, and else stands there whole.
    """
    plain = compact(text)
    match = _around(core).fullmatch(plain)
    if match is None:
        return pour(text, reshaped(plain, keyed, turn))
    head, tail = (part and reshaped(part, keyed, turn) for part in match.group("head", "tail"))
    more = len(match["zeros"]) - zeros
    while more < 0 and fake.startswith("0"):
        fake, more = fake[1:], more + 1
    if more < 0:
        start = next(at for at, each in enumerate(text) if compact(each).isdigit())
        text = f"{text[:start]}{'0' * -more}{text[start:]}"
    return pour(text, f"{head}{'0' * max(0, more)}{fake}{tail}")


def _of_shape(core: str, keyed: Keyed, turn: int) -> str:
    """Another number of the shape. An NHS number becomes one whose check fails: it is nobody's.

    So that different numbers of ten figures stay different, the tenth is moved by as much as the
    check figure of the nine others and a keyed step.
    """
    if not (core.isdigit() and len(core) == 10):
        return reshaped(core, keyed, turn)
    nine = reshaped(core[:9], keyed, turn)
    step = 1 + keyed.below(9, "tenth", nine, turn) + _check(nine) - _check(core[:9])
    return f"{nine}{(int(core[9]) + step) % 10}"


def _check(nine: str) -> int:
    return int(nhs_check(nine) or 0)
