"""Postcodes: US ZIP after a state, a town or a street, and those of other English-speaking countries.

A bare five-digit number is anything in a note, so that each form needs its own surroundings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import UPPER, CodePattern, FigurePattern, Pattern, WordPattern
from incognote.detect.rules import streets
from incognote.detect.rules.engine import (
    Family,
    Finding,
    Rule,
    all_of,
    before,
    keep_distinct,
    no,
    value,
)
from incognote.knowledge.places import PROVINCES, STATE_CODES, STATE_SHORTENED, STATES

TYPE = "ZIP"

_NOT_AFTER = r"(?![\w%]|[.,/:]\d|-\d|[ ](?i:mg|ml|mcg|units?|iu|cells?|cfu|copies|feet|ft|steps)\b)"
_ZIP = FigurePattern(rf"\d(?<![\w.,#$/:+\-].)\d{{4}}(?:[\-–]\d{{4}})?{_NOT_AFTER}", digits=[5])
_STATE_BEFORE = Pattern(
    rf"(?:(?P<town>[{UPPER}][\w'’.\-]*+)(?P<comma>,?)[ \t\u00a0\n^]{{1,12}})?"
    r"(?<![^\W_])(?P<state>[A-Z]{2}|[A-Z]\.[ ]?[A-Z]\.|[A-Z][a-z]{1,4}\.?|(?:[A-Z][a-z]+[ ])?[A-Z][a-z]+|(?:[A-Z]+[ ])?[A-Z]{4,})"
    r"[.,]?[ \t\u00a0^]{1,12}(?:[ \t]*\r?\n[ \t]*)?$"
)
_NO_TOWN = frozenset(
    "Member Patient Group Subscriber Chest Head Dr Room Case Order Policy Provider Tax User Rx Plan Encounter Visit "
    "Study Account Acct Medical Record Chart Employee Badge Invoice Claim Client Donor Lab Abdomen Brain Spine".split()
)
_RISKY_STATES = frozenset("ID CT OR MS PA MD IN ME OK DC AL".split())
_APART = Pattern(r"(?:^|[,\n^]|[ ]{2}|[a-z.\d][ ])[ \t]*(?:[A-Z][\w.'’]+[ ]){0,2}$")
_LABEL = r"(?i:zip(?:[ ]?code)?|post(?:al)?[ ]?code|eircode|pin[ ]?code|(?-i:PIN)|plz)"
_LABELLED = WordPattern(
    rf"\b{_LABEL}"
    r"[ \t]*[:#.=]{0,20}[ \t]{0,16}(?P<code>\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2}|[A-Z]\d[A-Z][ \-]?\d[A-Z]\d|[A-Z]\d[\dW][ ]?[A-Z\d]{4}|\d{3}[ ]?\d{3}|\d{4})\b(?![.,]?\d)",
    words=first_words(_LABEL),
)
_CANADIAN = CodePattern(
    r"[ABCEGHJ-NPRSTVXY](?<![^\W_].)\d[ABCEGHJ-NPRSTV-Z](?P<gap>[ \-]?)\d[ABCEGHJ-NPRSTV-Z]\d(?![^\W_])"
)
_PROVINCE = Pattern(
    r"\b(?:AB|BC|MB|NB|NL|NS|NT|NU|ON|PEI?|QC|SK|YT|Ont|Que|Sask|Alta|Man|Ontario|Qu[eé]bec|Alberta"
    r"|Manitoba|Canada|Saskatchewan|Columbia|Scotia|Brunswick|Newfoundland|Labrador|Nunavut|Yukon)\b"
)
_PROVINCE_BEFORE = Pattern(r"\b[A-Z][A-Za-zé]+\.?,?[ \t\n]{1,4}$")
_UK_AREA = (
    "AB|AL|B|BA|BB|BD|BH|BL|BN|BR|BS|BT|CA|CB|CF|CH|CM|CO|CR|CT|CV|CW|DA|DD|DE|DG|DH|DL|DN|DT|DY|E|EC|EH|EN|EX|FK|FY"
    "|G|GL|GU|GY|HA|HD|HG|HP|HR|HS|HU|HX|IG|IM|IP|IV|JE|KA|KT|KW|KY|L|LA|LD|LE|LL|LN|LS|LU|M|ME|MK|ML|N|NE|NG|NN|NP|NR|NW"
    "|OL|OX|PA|PE|PH|PL|PO|PR|RG|RH|RM|S|SA|SE|SG|SK|SL|SM|SN|SO|SP|SR|SS|ST|SW|SY|TA|TD|TF|TN|TQ|TR|TS|TW|UB|W|WA|WC|WD"
    "|WF|WN|WR|WS|WV|YO|ZE"
)
_UK = CodePattern(r"[A-Z](?<![^\W_].)[A-Z]?\d[A-Z\d]?[ ]\d[ABD-HJLNP-UW-Z]{2}(?![^\W_])")
_UK_OUTWARD = Pattern(rf"(?:{_UK_AREA})\d[A-Z\d]?[ ]")
_UNITS = frozenset("TH ND RD ST LB HR PT LT GT".split())
_PLACE_BEFORE = Pattern(
    rf"(?:[{UPPER}][a-z]{{2,}}|[{UPPER}]{{4,}})[,.]?[ \t\n]{{1,3}}$|,[ ]$|\n[ \t]*$"
)
_EIRCODE = CodePattern(
    r"[AC-FHKNPRTV-Y](?<![^\W_].)\d[\dW][ ]?(?=[A-Z]*\d)(?=\d*[A-Z])[\dAC-FHKNPRTV-Y]{4}(?![^\W_])"
)
_IRISH_BEFORE = Pattern(
    r"(?:\b(?:Co\.?|County|Dublin|Cork|Galway|Limerick|Ireland|Eircode)\b[^\n]{0,24}[,: \n]{1,3})$"
)
_AUSTRALIAN = WordPattern(
    r"(?<![^\W_])(?:NSW|V(?:IC|ic)|Q(?:LD|ld)|T(?:AS|as)|SA|WA|NT|ACT)\.?[ ,]{1,3}(?P<code>\d{4})(?![\w.\-/])"
)
_AUSTRALIAN_RANGES = {
    "NSW": "12", "VIC": "38", "QLD": "49", "SA": "5", "WA": "6", "TAS": "7", "NT": "0", "ACT": "02"
}  # fmt: skip
_TOWN_JUST_BEFORE = Pattern(r"[a-z],?[ ]{1,2}$")
_SIX = FigurePattern(r"[1-9](?<![\w.,#$/:+\-].)\d{2}[ ]?\d{3}(?![\w%]|[.,/:\-]\d)", digits=[3, 6])
_SIX_BEFORE = Pattern(r"(?P<town>[A-Z][a-z]+(?:[ ][A-Z][a-z]+)?)[ ]?(?:,|[\-–])?[ ]{0,2}$")
_SIX_TOWNS = frozenset(
    """Ahmedabad Bangalore Bengaluru Bhopal Chandigarh Chennai Coimbatore Delhi Hyderabad Indore Jaipur Kochi Kolkata
    Lucknow Ludhiana Mangalore Mumbai Mysore Nagpur Pune Surat Trivandrum Vellore Singapore Kerala Karnataka Maharashtra
    Gujarat Punjab Haryana Telangana Rajasthan Bihar Odisha Assam India Goa Patna Guwahati Noida Gurgaon Thane""".split()
)
_FOUR_TOWNS = (
    r"Johannesburg|Pretoria|Durban|Bloemfontein|Soweto|Sandton|Polokwane|Gauteng|KwaZulu-Natal|Limpopo|Mpumalanga"
    r"|Cape[ ]Town|Western[ ]Cape|Eastern[ ]Cape|Auckland|Wellington|Christchurch|Dunedin|Hamilton"
)
_FOUR = FigurePattern(
    r"\d(?<![\w.,#$/:+\-].)\d{3}(?![\w%]|[.,/:\-]\d)",
    needs=first_words(_FOUR_TOWNS),
    digits=[4],
)
_FOUR_BEFORE = Pattern(rf"\b(?:{_FOUR_TOWNS})[,]?[ ]{{1,2}}$")
_YEAR = Pattern(r"(?:19|20)\d\d")
_AFTER_STREET = Pattern(
    rf"[.,]?[ \t\n,]{{1,6}}(?:(?:[{UPPER}][\w'’.\-]*+[ ]?){{1,4}},?[ \t]{{0,3}})?(?P<zip>\d{{5}}(?:-\d{{4}})?){_NOT_AFTER}"
)


def _after_state(text: str, match: re.Match[str]) -> float:
    """How surely a state stands before a five-digit number; 0 if none does."""
    start = match.start()
    place = _STATE_BEFORE.search(text, max(0, start - 48), start)
    if not place:
        return 0.0
    state, town = place["state"], place["town"]
    if state in STATES or state.title() in STATES or state in PROVINCES:
        return 0.95
    if state in STATE_SHORTENED:
        return 0.95 if town else 0.0
    if " " in state and state.split()[-1] in STATES | STATE_SHORTENED:
        return 0.95
    if state not in STATE_CODES or not town or town in _NO_TOWN:
        return 0.0
    if place["comma"] or state not in _RISKY_STATES:
        return 0.95
    return 0.85 if _APART.search(text, max(0, place.start() - 40), place.start()) else 0.0


def _after_streets(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for street in streets.FAMILY.find(note):
        if any(c.isdigit() for c in street.text):
            zip_code = _AFTER_STREET.match(text, street.end)
            if zip_code:
                yield Finding(*zip_code.span("zip"), TYPE, 0.85)


def _canadian_score(text: str, match: re.Match[str]) -> float:
    known = _PROVINCE_BEFORE.search(text, max(0, match.start() - 24), match.start())
    staging = match[0].startswith("T") and match[0][2] == "N" and "M" in match[0]
    if match["gap"] == "" and known and not _PROVINCE.search(known[0]):
        return 0.0
    if staging or not (match["gap"] == " " or known):
        return 0.0
    return 0.95 if known else 0.85


def _is_british(code: str) -> bool:
    return _UK_OUTWARD.match(code) is not None and code[-2:] not in _UNITS


def _is_australian(text: str, match: re.Match[str]) -> bool:
    state = match[0][: match.start("code") - match.start()].strip(" ,.").upper()
    sure = state in {"NSW", "VIC", "QLD", "TAS"} or _TOWN_JUST_BEFORE.search(
        text, max(0, match.start() - 4), match.start()
    )
    return bool(sure) and match["code"][0] in _AUSTRALIAN_RANGES[state]


def _after_town_of_six(text: str, match: re.Match[str]) -> bool:
    place = _SIX_BEFORE.search(text, max(0, match.start() - 32), match.start())
    return place is not None and not _SIX_TOWNS.isdisjoint(place["town"].split())


FAMILY = Family(
    "postcodes",
    frozenset({TYPE}),
    (
        Rule(_LABELLED, TYPE, 0.95, "code"),
        Rule(_ZIP, TYPE, _after_state),
        _after_streets,
        Rule(_CANADIAN, TYPE, _canadian_score),
        Rule(_UK, TYPE, 0.9, when=all_of(value(_is_british), before(_PLACE_BEFORE, 24))),
        Rule(_EIRCODE, TYPE, 0.9, when=before(_IRISH_BEFORE, 44)),
        Rule(_AUSTRALIAN, TYPE, 0.95, "code", when=_is_australian),
        Rule(_SIX, TYPE, 0.9, when=_after_town_of_six),
        Rule(_FOUR, TYPE, 0.85, when=all_of(no(value(_YEAR.match)), before(_FOUR_BEFORE, 20))),
    ),
    keep_distinct,
)
