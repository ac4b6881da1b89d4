"""Telephone, pager and fax numbers.

Numbers that are telephones by form (ten digits in groups, `+` and a country code) are taken as
they stand unless a label says they are something else; seven digits, unbroken digits, pager codes
and extensions need a word of telephony near them. Fax or phone is decided by the nearest word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import DASH, SPACE, FigurePattern, Pattern, WordPattern
from incognote.detect.rules.engine import Family, Finding, Rule
from incognote.detect.rules.labels import names_another_number

PHONE = "PHONE"
FAX = "FAX"

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
_NUMERAL = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN = WordPattern(
    rf"(?<![a-zA-Z])(?i:{_NUMERAL})"
    rf"(?i:[{SPACE}{DASH},.]{{1,3}}(?:(?:double|triple){_S})?{_NUMERAL}){{6,10}}+\b"
)

# The words around a number.

_REACH = 60

_TELEPHONY = (
    r"(?:tele|cell|mobile|i)?phones?|tele?|telefono|ph|cell(?:ular)?|mobile|mob|landline|call(?:s|ed|ing)?"
    r"|call[ -]?back|cb|pager|paged?|pgr|beep(?:er)?|bleep|text(?:ed|s)?|sms|whats ?app|viber|dial"
    r"|reach(?:ed|able)?|contact|voice ?mail|vm|lvm|l/m|tty|tdd|relay|hot ?line|help ?line|quit ?line"
    r"|(?:nurse|direct|back|crisis|office|triage|on-call|after-hours)[ -]line|line|fax(?:ed|es|ing)?|fx"
    r"|facsimile|fone|answering service|switchboard|ring|rang"
)
_GAP = r"[\s.:#=(_*\-\u2013\u00b7@~]{0,40}"
_BESIDE = Pattern(
    rf"(?<![a-z])(?:{_TELEPHONY}|home|hm|work|wk|(?<![a-z0-9])[hcwmtpf]|numbers?|pharmacy|lab|desk"
    rf"|office|clinic|nurse|rn|ward|after{_S}h(?:ou)?rs|emergency|alt|backup)"
    rf"(?:{_S}?(?:no|num|number|is|at|to|on)\b)?{_GAP}$",
    re.IGNORECASE,
)
_NEAR = Pattern(rf"(?<![a-z])(?:{_TELEPHONY})(?![a-z])", re.IGNORECASE)
_STRICT_BESIDE = Pattern(
    rf"(?<![a-z])(?:{_TELEPHONY}|hm|wk|home|work|number|(?<![a-z0-9])[hcwtpf])"
    rf"(?:{_S}?(?:no|num|number|\#)\b)?\W{{0,4}}$",
    re.IGNORECASE,
)
_PAGER = (
    rf"page(?:r|d)?(?:{_S}id)?|pgr|pgd|bpr|beep(?:er|ed)?|bleep(?:er)?|voalte|vocera"
    rf"|spectra{_S}?link|ascom|dect(?:{_S}phone)?|zone{_S}phone|ext(?:ension|n)?|xtn|poste"
)
_TELEPHONE = r"tel(?:ephone)?|phone|ph|dial|line|call|office|desk|clinic|lab|pharmacy"
_FACSIMILE = rf"fax(?:ed)?(?:{_S}(?:it|this|them))?{_S}to|f(?:ax|x)(?={_S}?(?:[#:]|no\b|ext\b))"
_SIGN = "x|p|bp|b|pg"
_CODE_LABEL = Pattern(
    rf"""(?<![a-z])(?:(?P<pager>{_PAGER})|(?P<phone>{_TELEPHONE})|(?P<fax>{_FACSIMILE}))
    (?:{_S}?(?:no|nos|num|number|nbr)\b)?\.?{_S}?(?:[:=]|is\b|at\b|on\b|-)?{_S}?[#]?{_S}?[(]?$
  | (?<![a-z0-9.\-])(?P<x>x)$
  | (?:[#]|(?<![a-z0-9.])(?:{_SIGN})){_S}?(?P<sign>)$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CODE_WORDS = first_words(f"{_PAGER}|{_TELEPHONE}|{_FACSIMILE}|{_SIGN}")
_LETTERS = Pattern(r"[a-z]+")
_AFTER = Pattern(
    rf"{_S}?[({{\[]?(?:fax|home|cell|mobile|work|pager|office|pharmacy|(?:nurse|direct|crisis){_S}line"
    rf"|evenings?|eves?|days?time|voicemail|vm|call|ask{_S}for|anytime|lab|desk)\b",
    re.IGNORECASE,
)
_OR = Pattern(rf"\d{{4}}{_S}?(?:or|and|/|,|;|&){_S}?$")
_STAFF = Pattern(
    r"(?:\b(?:M\.?D|D\.?O|R\.?N|N\.?P|PA(?:-C)?|DNP|APRN|LPN|LVN|CRNA|PharmD|MSW|LICSW|PT|OT|RT"
    r"|PGY-?\s?\d|R[1-6]|JAR|SAR|HO[1-3]|MS[34])\.?|(?i:fellow|resident|intern|hospitalist|attending|consult"
    r"|housestaff|registrar|desk))[),;:]?[ \t\u00a0\-\u2013]{0,8}(?:#|x|X|p|bp|BP|b|pg)[ \t\u00a0]?$"
)

_FAX = r"fax(?:ed|es|ing)?|fx|facsimile|telecopier|(?<![a-z0-9])f(?=[:)\]]|\.?\s*$)"
_PHONE = (
    r"phones?|telephone|tele?|ph|cell(?:ular)?|mobile|mob|call(?:ed|ing)?|page[dr]?|pgr|beeper|text|line"
    r"|(?:office|home|work|main|direct)(?=\W{0,3}$)|reach(?:ed)?|voice|vm|(?<![a-z0-9])[tpchw](?=[:)\]]|\.?\s*$)"
)
_KIND = Pattern(rf"(?<![a-z])(?:(?P<fax>{_FAX})|(?P<phone>{_PHONE}))(?![a-z])", re.IGNORECASE)
_PAIR = Pattern(
    rf"(?<![a-z])(?:(?P<fax>{_FAX})|(?P<phone>{_PHONE})){_S}?(?:/|&|\+|and|or){_S}?(?:fax|fx|ph|phone|tel|f|p|t)"
    rf"(?:{_S}?(?:no|nos|number|numbers|\#))?\W{{0,4}}$",
    re.IGNORECASE,
)
_ALTERNATIVE = Pattern(rf"{_S}{{0,2}}(?:/|or|and|,|;|&|\|){_S}{{0,2}}")
_FAX_AFTER = Pattern(
    rf"{_S}{{0,2}}(?:[(\[](?:fax|f|fx)[)\]]|fax\b)(?!\W{{0,4}}[\d(+])", re.IGNORECASE
)


def _in_figures(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    end = 0
    for match in _START.find(note):
        if match.start() < end:
            continue
        for start in _starts(text, match.start()):
            if numbers := _at(text, start):
                yield from numbers
                end = numbers[-1].end
                break


def _by_exchange(note: NoteIndex) -> Iterator[Finding]:
    """CHelsea 3-0170: the name is looked for where such a number is."""
    for match in _EXCHANGE_NUMBER.find(note):
        name = _EXCHANGE_NAME.search(note.text, max(0, match.start() - 12), match.start())
        if name:
            yield Finding(name.start(), match.end(), PHONE, 0.8)


def _near(text: str, match: re.Match[str]) -> bool:
    return _near_telephony(text, *match.span())


def _starts(text: str, digits: int) -> Iterable[int]:
    """Where a number may start: at its opening bracket, plus or star, or at its digits."""
    mark = text[max(0, digits - 1) : digits]
    if mark not in ("(", "[", "+", "*") and text[max(0, digits - 2) : digits] != "( ":
        return (digits,)
    opening = _OPENING.search(text[max(0, digits - 2) : digits])
    width = len(opening[0]) if opening else 0
    return range(digits - width, digits + 1)


def _at(text: str, start: int) -> list[Finding]:
    """The number that starts here, with the second line or pager code that hangs on it."""
    number = None
    if _GOES_ON.match(text, start):
        number = _by_form(text, start) or _by_context(text, start)
    number = number or _by_label(text, start)
    if number is None:
        return []
    twin = _OTHER_LINE.match(text, number.end) or _PAGER_TWIN.match(text, number.end)
    return [number, Finding(*twin.span(1), PHONE, 0.7)] if twin else [number]


def _by_form(text: str, start: int) -> Finding | None:
    match = _BY_FORM.match(text, start)
    if match is None:
        return None
    kind, end = match.lastgroup or "", match.end()
    if kind == "international":
        end = _international_end(text, start, end)
    if end == start or not _stands_alone(text, start, end, slash=kind in ("nanp", "spaced")):
        return None
    if names_another_number(text, start) and not _near_telephony(text, start, end, reach=18):
        return None
    return Finding(start, _with_extension(text, end), PHONE, _SCORES[kind])


def _international_end(text: str, start: int, end: int) -> int:
    """Where a `+` number ends; its start when it is no telephone (a refraction, a balance)."""
    gap = re.search(rf"[{SPACE}]{{2}}|\)[{SPACE}]?\(|[{SPACE}][{DASH}]", text[start:end])
    if gap:
        end = start + gap.start()
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
        return _beside_telephony(text, start)
    if slash and before[-1:] == "/":
        return True
    if before[-1:] in ("-", "\u2013", ".", "$", "/"):
        return not before[:1].isdigit() and (before[:1].isspace() or before[-1] in "./")
    return True


def _with_extension(text: str, end: int) -> int:
    match = _EXTENSION.match(text, end)
    return match.end() if match else end


def _by_context(text: str, start: int) -> Finding | None:
    match = _BY_CONTEXT.match(text, start)
    if match is None:
        return None
    end, kind = match.end(), match.lastgroup
    if kind == "seven" and text[end - 3 : end] == "000" and not _beside_telephony(text, start):
        return None
    if kind == "loose" and sum(map(str.isdigit, match[0])) < 9:
        return None
    if kind == "unbroken" and text[max(0, start - 1) : start] in ("~", "^", "|"):
        return Finding(start, end, PHONE, 0.7)
    if text[max(0, start - 1) : start].isalpha():
        near = kind != "local" and _beside_telephony(text, start)
    else:
        near = (kind == "unbroken" or _stands_alone(text, start, end)) and _near_telephony(
            text, start, end, adjacent=kind in ("dictated", "local")
        )
    if not near or names_another_number(text, start):
        return None
    return Finding(start, _with_extension(text, end), PHONE, 0.8)


def _by_label(text: str, start: int) -> Finding | None:
    """Pager codes and extensions, which only the word before them gives away."""
    match = _CODE.match(text, start)
    if match is None or _UNIT.match(text, match.end()):
        return None
    code, end = match[0], match.end()
    label = _code_label(text, start)
    if _CLOCK.fullmatch(code) and text[max(0, start - 4) : start].lower() in (" at ", " on "):
        return None
    long = (len(code) > 3 and (code.isdigit() or code[0] == "*")) or "-" in code[1:3]
    if label == "pager" or (label == "phone" and long and not code.isdigit()):
        return Finding(start, end, PHONE, 0.85)
    if label == "fax" and long:
        return Finding(start, end, PHONE, 0.75)
    if label == "x" and 4 <= len(code) <= 6 and not names_another_number(text, start - 1):
        if code.endswith("000") and not _near_telephony(text, start, end):
            return None
        return Finding(start - 1, end, PHONE, 0.8)
    if label == "sign" and 4 <= len(code) <= 7 and _after_staff_signature(text, start):
        return Finding(start, end, PHONE, 0.75)
    if code[0] == "*" and len(code) > 4 and _near_telephony(text, start, end):
        return Finding(start, end, PHONE, 0.75)
    return None


def _beside_telephony(text: str, start: int) -> bool:
    """Whether a word of telephony ends right before `start`."""
    return _STRICT_BESIDE.search(text[max(0, start - 24) : start]) is not None


def _near_telephony(
    text: str, start: int, end: int, *, adjacent: bool = False, reach: int = 45
) -> bool:
    """Whether a word of telephony stands near: before on the line, right before, or right after."""
    left = text[max(0, start - _REACH) : start]
    line = left[max(left.rfind("\n"), left.rfind("\r")) + 1 :]
    if adjacent or reach < 45:
        return bool(_STRICT_BESIDE.search(line) or (not adjacent and _NEAR.search(line[-reach:])))
    return bool(
        _BESIDE.search(line)
        or _NEAR.search(line[-reach:])
        or _AFTER.match(text, end)
        or _OR.search(line)
    )


def _code_label(text: str, start: int) -> str:
    """Which label ends before a short code: `pager`, `phone`, `fax`, `x`, `sign` or none."""
    before = text[max(0, start - 24) : start]
    if "#" not in before and _CODE_WORDS.isdisjoint(_LETTERS.findall(before.lower())):
        return ""
    match = _CODE_LABEL.search(before)
    return (match.lastgroup or "") if match else ""


def _after_staff_signature(text: str, start: int) -> bool:
    """Whether a degree or grade of staff ends right before `start`, as in a sign-off."""
    return _STAFF.search(text[max(0, start - 32) : start]) is not None


def _tell_fax(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """PHONE or FAX for each; a number's words end where the number before it does."""
    last_end = 0
    announced = ""
    for finding in sorted(findings):
        start, end = finding.start, finding.end
        between = text[max(last_end, start - _REACH) : start]
        if announced and _ALTERNATIVE.fullmatch(between):
            type, announced = announced, ""
        else:
            type, announced = _kind(between, text[end : end + 20])
        last_end = end
        yield finding if type == PHONE else finding._replace(type=type)


def _kind(before: str, after: str) -> tuple[str, str]:
    """The kind of a number and, after `fax/phone`, that of the number behind it."""
    if pair := _PAIR.search(before):
        return (FAX, PHONE) if pair["fax"] else (PHONE, FAX)
    if _FAX_AFTER.match(after):
        return FAX, ""
    line = re.split(r"[\r\n;](?=.*\S)", before)[-1]
    words = list(_KIND.finditer(line))
    return (FAX if words and words[-1]["fax"] else PHONE), ""


FAMILY = Family(
    "phones",
    frozenset({PHONE, FAX}),
    (_in_figures, _by_exchange, Rule(_SPOKEN, PHONE, 0.75, when=_near)),
    _tell_fax,
)
