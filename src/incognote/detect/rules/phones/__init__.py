"""Telephone, pager and fax numbers.

Numbers that are telephones by form (ten digits in groups, `+` and a country code) are taken as
they stand unless a label says they are something else; seven digits, unbroken digits, pager codes
and extensions need a word of telephony near them. Fax or phone is decided by the nearest word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from incognote.detect.pattern import FigurePattern, Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.identifiers.other_labels import DASH, SPACE, names_another_number
from incognote.detect.rules.phones.context import (
    after_staff_signature,
    beside_telephony,
    code_label,
    kinds_of,
    near_telephony,
)
from incognote.document import Span

_S = f"[{SPACE}]"
_WRAP = rf"(?:\r?\n{_S}{{0,8}})?"
_JOIN = rf"(?:{_S}?[{DASH}./·]{_S}?{_WRAP}|{_S}{{1,2}})"
_PUNCTUATED = rf"{_S}?[{DASH}./·]{_S}?{_WRAP}"
_TIGHT = rf"(?:[{DASH}.·]{_WRAP}|{_S})"

_START = FigurePattern(
    rf"[0-9](?<![0-9].)(?:[0-9]{{2,}}|[0-9]?(?=[{SPACE}{DASH}.()·]{{1,3}}[0-9A-Z(]))"
)
"""Every rule but two starts at a run of digits; looking only there is what makes the rest cheap."""
_OPENING = Pattern(rf"(?:\({_S}|[+(\[*]{{1,2}})$")
_GOES_ON = Pattern(rf"[+(\[]|\d{{1,6}}+(?:\d|[{SPACE}{DASH}./·()\[\]][^a-z])")
"""A cheap look ahead: most numbers are too short, and nothing hangs on them."""

_BY_FORM = Pattern(
    rf"""
    (?P<nanp>
        (?:9{_JOIN})?(?:\+?1{_JOIN}?)?
        (?: [(\[]{_S}?[2-9]\d\d{_S}?[)\]]{_JOIN}?{_WRAP}[\dO]{{3}}{_JOIN}?[\dO]{{4}}
          | [2-9]\d\d{_PUNCTUATED}[\dO]{{3}}{_JOIN}[\dO]{{4}} ) )
  | (?P<spaced>(?:1{_S})?[2-9][0-8]\d{_S}[2-9]\d\d[{SPACE}{DASH}]\d{{4}}(?!{_S}\d{{2,3}}\b))
  | (?P<international>\+[1-9]\d{{0,2}}[\d{SPACE}{DASH}().]{{6,22}}\d)
  | (?P<national>
        \(0\d{{1,4}}\){_S}?\d{{3,4}}{_TIGHT}?\d{{3,4}} | \(0\)\d\d(?:{_TIGHT}\d{{2,4}}){{3}}
      | 0[1-9](?: \d{{3}}{_TIGHT}\d{{6}}
                | \d{{3}}{_TIGHT}\d{{3}}{_TIGHT}\d{{3}}
                | \d\d{_TIGHT}\d{{3}}{_TIGHT}\d{{3,4}}
                | \d{_TIGHT}\d{{3}}{_TIGHT}\d{{4}}
                | (?:{_TIGHT}\d\d){{4}} )
      | 02\d{_TIGHT}\d{{4}}{_TIGHT}\d{{4}} | 0[2378]{_TIGHT}\d{{4}}{_TIGHT}\d{{4}}
      | 1[3-9]\d{_TIGHT}\d{{4}}{_TIGHT}\d{{4}} | 1[38]00{_TIGHT}\d{{3}}{_TIGHT}\d{{3}} )
  | (?P<letters>
        (?:1[{DASH}. ](?:\([2-9]\d\d\)|[2-9]\d\d)|\(?8(?:00|33|44|55|66|77|88)\)?)[{DASH}. ]
        (?=[0-9{DASH}]{{0,5}}[A-Z])(?:[A-Z0-9][{DASH}]?){{6,9}}[A-Z0-9](?![A-Za-z0-9]) )
  | (?P<fiction>555[{DASH}.]\d{{4}})
    """,
    re.VERBOSE,
)
_SCORES = {
    "nanp": 0.95,
    "spaced": 0.85,
    "international": 0.95,
    "national": 0.8,
    "letters": 0.9,
    "fiction": 0.8,
}

_BY_CONTEXT = Pattern(
    rf"""
    (?P<seven>[2-9]\d\d{_S}?[{DASH}.]{_S}?\d{{4}}|[2-9]\d\d{_S}\d{{4}})(?!\d)
  | (?P<local>[2-9]\d{{6}})(?!\d)
  | (?P<unbroken>1?[2-9]\d\d[2-9]\d{{6}})(?!\d)
  | (?P<loose>0\d{{8,10}}|[6-9]\d{{4}}[{SPACE}{DASH}]\d{{5}}
      |(?:\+|00?)[1-9]\d{{0,3}}(?:{_TIGHT}\d{{2,4}}){{2,4}})(?!\d)
  | (?P<dictated>(?:[(]{_S})?\d(?:{_S}(?:[{DASH}()/.,]{_S})?\d){{6,10}})(?!{_S}?\d)
    """,
    re.VERBOSE,
)
_CODE = Pattern(
    rf"\*?(?:\d{{1,2}}[{DASH}](?:\d{{4,5}}|[A-Z0-9]{{4,6}})|\d{{3,7}})(?![\w/]|[{DASH}./:]\d|{_S}?%)"
)
_PAGER_TWIN = Pattern(rf"{_S}?\((\d{{4,6}})\)")
_OTHER_LINE = Pattern(rf"{_S}?/{_S}?[{DASH}]?(\d{{4}})(?![\d/{DASH}.])")
_EXTENSION = Pattern(
    rf"{_S}{{0,3}}[,;(]?{_S}{{0,3}}(?i:extension|extn?\.?|xtn|x|poste|opt(?:ion)?\.?|#)"
    rf"{_S}{{0,2}}#?(?:\d[{DASH}]\d{{4}}|\d{{1,6}}(?!-\d{{3}}))(?!\d)"
)
_UNIT = Pattern(
    rf"{_S}?(?:m[lgL]|mcg|mm|units?|cc|h(?:rs?|ours)?|d(?:ays)?|doses?|cGy|fx|steps|min|kcal|IU|x)\b"
)
_CLOCK = Pattern(r"(?:[01]\d|2[0-3])[0-5]\d")
_MORE = Pattern(rf"[\d%]|[{DASH}.:]\d|{_S}?(?i:mg|mcg|ml|mmhg|units?|kcal|cc)\b")

_EXCHANGE_NUMBER = FigurePattern(
    rf"\d(?<=[a-z]{_S}.)[{DASH}]\d{{4}}(?!\d)", digits=[1], then=rf"[{DASH}]\d"
)
_EXCHANGE_NAME = Pattern(rf"[A-Z][A-Z][a-z]{{4,9}}{_S}$")
"""CHelsea 3-0170: the name is looked for where such a number is."""
_NUMERAL = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN = WordPattern(
    rf"(?<![a-zA-Z])(?i:{_NUMERAL})"
    rf"(?i:[{SPACE}{DASH},.]{{1,3}}(?:(?:double|triple){_S})?{_NUMERAL}){{6,10}}+\b"
)

Place = tuple[int, int, float]


def _find(note: Reading) -> Iterator[Span]:
    text = note.text
    found: list[Place] = []
    end = 0
    for match in _START.find(note):
        if match.start() < end:
            continue
        for start in _starts(text, match.start()):
            if places := _at(text, start):
                found += places
                end = places[-1][1]
                break
    for match in _EXCHANGE_NUMBER.find(note):
        name = _EXCHANGE_NAME.search(text, max(0, match.start() - 12), match.start())
        if name:
            found.append((name.start(), match.end(), 0.8))
    found += [
        (*match.span(), 0.75) for match in _SPOKEN.find(note) if near_telephony(text, *match.span())
    ]
    found.sort()
    kinds = kinds_of(text, [(start, end) for start, end, _ in found])
    for (start, end, score), kind in zip(found, kinds, strict=True):
        yield Span.of(text, start, end, kind, score=score, source=FAMILY.source)


def _starts(text: str, digits: int) -> Iterable[int]:
    """Where a number may start: at its opening bracket, plus or star, or at its digits."""
    mark = text[max(0, digits - 1) : digits]
    if mark not in ("(", "[", "+", "*") and text[max(0, digits - 2) : digits] != "( ":
        return (digits,)
    opening = _OPENING.search(text[max(0, digits - 2) : digits])
    width = len(opening[0]) if opening else 0
    return range(digits - width, digits + 1)


def _at(text: str, start: int) -> list[Place]:
    """The number that starts here, with the second line or pager code that hangs on it."""
    place = _GOES_ON.match(text, start) and (_by_form(text, start) or _by_context(text, start))
    place = place or _by_label(text, start)
    if place is None:
        return []
    twin = _OTHER_LINE.match(text, place[1]) or _PAGER_TWIN.match(text, place[1])
    return [place, (*twin.span(1), 0.7)] if twin else [place]


def _by_form(text: str, start: int) -> Place | None:
    match = _BY_FORM.match(text, start)
    if match is None:
        return None
    kind, end = match.lastgroup or "", match.end()
    if kind == "international":
        end = _international_end(text, start, end)
    if end == start or not _stands_alone(text, start, end, slash=kind in ("nanp", "spaced")):
        return None
    if names_another_number(text, start) and not near_telephony(text, start, end, reach=18):
        return None
    return start, _with_extension(text, end), _SCORES[kind]


def _international_end(text: str, start: int, end: int) -> int:
    """Where a `+` number ends; its start when it is no telephone (a refraction, a balance)."""
    cut = re.search(rf"[{SPACE}]{{2}}|\)[{SPACE}]?\(|[{SPACE}][{DASH}]", text[start:end])
    if cut:
        end = start + cut.start()
    value = text[start:end]
    groups = re.findall(r"\d+", value)
    decimal = "." in value and re.search(rf"[{SPACE}{DASH}]", value)
    short = any(len(group) < 2 and group != "0" for group in groups[2:])
    return start if not 8 <= sum(map(len, groups)) <= 15 or decimal or short else end


def _stands_alone(text: str, start: int, end: int, *, slash: bool = False) -> bool:
    """Whether no longer number or word goes on around this one; `slash` may join two telephones.

    Glued letters are allowed only as a telephone label (`hm4137700286wk`, `call(404)`).
    """
    if _MORE.match(text, end):
        return False
    before = text[max(0, start - 2) : start]
    if before[-1:].isalpha():
        return beside_telephony(text, start)
    if slash and before[-1:] == "/":
        return True
    if before[-1:] in ("-", "\u2013", ".", "$", "/"):
        return not before[:1].isdigit() and (before[:1].isspace() or before[-1] in "./")
    return True


def _with_extension(text: str, end: int) -> int:
    match = _EXTENSION.match(text, end)
    return match.end() if match else end


def _by_context(text: str, start: int) -> Place | None:
    match = _BY_CONTEXT.match(text, start)
    if match is None:
        return None
    end, kind = match.end(), match.lastgroup
    if kind == "seven" and text[end - 3 : end] == "000" and not beside_telephony(text, start):
        return None
    if kind == "loose" and sum(map(str.isdigit, match[0])) < 9:
        return None
    if kind == "unbroken" and text[max(0, start - 1) : start] in ("~", "^", "|"):
        return start, end, 0.7
    if text[max(0, start - 1) : start].isalpha():
        near = kind != "local" and beside_telephony(text, start)
    else:
        near = (kind == "unbroken" or _stands_alone(text, start, end)) and near_telephony(
            text, start, end, adjacent=kind in ("dictated", "local")
        )
    if not near or names_another_number(text, start):
        return None
    return start, _with_extension(text, end), 0.8


def _by_label(text: str, start: int) -> Place | None:
    """Pager codes and extensions, which only the word before them gives away."""
    match = _CODE.match(text, start)
    if match is None or _UNIT.match(text, match.end()):
        return None
    code, end = match[0], match.end()
    label = code_label(text, start)
    if _CLOCK.fullmatch(code) and text[max(0, start - 4) : start].lower() in (" at ", " on "):
        return None
    long = (len(code) > 3 and (code.isdigit() or code[0] == "*")) or "-" in code[1:3]
    if label == "pager" or (label == "phone" and long and not code.isdigit()):
        return start, end, 0.85
    if label == "fax" and long:
        return start, end, 0.75
    if label == "x" and 4 <= len(code) <= 6 and not names_another_number(text, start - 1):
        if code.endswith("000") and not near_telephony(text, start, end):
            return None
        return start - 1, end, 0.8
    if label == "sign" and 4 <= len(code) <= 7 and after_staff_signature(text, start):
        return start, end, 0.75
    if code[0] == "*" and len(code) > 4 and near_telephony(text, start, end):
        return start, end, 0.75
    return None


FAMILY = Family("phones", frozenset({"PHONE", "FAX"}), _find)
