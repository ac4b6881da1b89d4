"""The words around a number that make it a telephone, and that tell fax from phone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from incognote.detect.first_words import first_words
from incognote.detect.pattern import Pattern
from incognote.detect.rules.identifiers.other_labels import SPACE

_REACH = 60
_S = f"[{SPACE}]"

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


def beside_telephony(text: str, start: int) -> bool:
    """Whether a word of telephony ends right before `start`."""
    return _STRICT_BESIDE.search(text[max(0, start - 24) : start]) is not None


def near_telephony(
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


def code_label(text: str, start: int) -> str:
    """Which label ends before a short code: `pager`, `phone`, `fax`, `x`, `sign` or none."""
    before = text[max(0, start - 24) : start]
    if "#" not in before and _CODE_WORDS.isdisjoint(_LETTERS.findall(before.lower())):
        return ""
    match = _CODE_LABEL.search(before)
    return (match.lastgroup or "") if match else ""


def after_staff_signature(text: str, start: int) -> bool:
    """Whether a degree or grade of staff ends right before `start`, as in a sign-off."""
    return _STAFF.search(text[max(0, start - 32) : start]) is not None


def kinds_of(text: str, places: Sequence[tuple[int, int]]) -> list[str]:
    """PHONE or FAX for each place, in order; a number's words end where the number before it does."""
    kinds: list[str] = []
    last_end = 0
    promised = ""
    for start, end in places:
        between = text[max(last_end, start - _REACH) : start]
        if promised and _ALTERNATIVE.fullmatch(between):
            kinds.append(promised)
            promised = ""
        else:
            kind, promised = _kind(between, text[end : end + 20])
            kinds.append(kind)
        last_end = end
    return kinds


def _kind(before: str, after: str) -> tuple[str, str]:
    """The kind of a number and, after `fax/phone`, that of the number behind it."""
    if pair := _PAIR.search(before):
        return ("FAX", "PHONE") if pair["fax"] else ("PHONE", "FAX")
    if _FAX_AFTER.match(after):
        return "FAX", ""
    line = re.split(r"[\r\n;](?=.*\S)", before)[-1]
    words = list(_KIND.finditer(line))
    return ("FAX" if words and words[-1]["fax"] else "PHONE"), ""
