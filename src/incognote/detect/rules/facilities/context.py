"""Facilities and organisations known by the words before them: "works at X", "Pharmacy: X"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.lexicon.facilities import GENERIC_WORDS, LABELS, MAKERS, STARTERS
from incognote.detect.pattern import Pattern
from incognote.detect.rules.capitals import UPPER

Found = tuple[int, int, str, float]

_WORD = rf"(?:(?:St|Mt|Ft)\.|[{UPPER}][^\W_]*+(?:['’ʻ\-][^\W_]++){{0,3}}+)"
_LINKED = rf"(?:of|the|and|de|la|du)(?=[ ][{UPPER}])"
_NAME = rf"(?P<name>{_WORD}(?:[ ](?:{_WORD}|&|\d{{1,2}}\b|{_LINKED})){{0,6}})"

_LINK = Pattern(
    rf"[ ](?P<link>at|to|from|for|by|with|AT|TO|FROM|FOR|BY)[ ](?:the[ ]|THE[ ])?{_NAME}"
)
_WORKS = Pattern(
    r"(?i:\b(?:works?|working|worked|employed|jobs?|retired|shifts?|drives?|drove|students?|teacher|clerk|driver"
    r"|volunteers?|volunteering|enrolled|graduated|grade|sophomore|freshman|aide|cook|dealer)"
    r"(?:[ ](?:part[ -]time|full[ -]time|nights|days))?)$"
)
_STAYS = Pattern(
    r"(?i:\b(?:admitted|transferred|discharged|transfer|taken|brought|sent|readmitted|hospitali[sz]ed|xfer"
    r"|flown|medevaced|ems|seen|ed|er|icu|nicu|rehab|hospice|surgery|stay|inpatient|delivered|dialysis|hd)"
    r"(?:[ ]here)?)$"
)
_MEDICAL_NEAR = Pattern(
    r"(?i:admi|hosp|seen|surg|intubat|abx|\blab|cbc|\bcath|treat|rehab|nurs|clinic|living|stay|visit"
    r"|scope|scan|film|born|deliver|procedure|biops|therap|dialysis|\bdx)"
)
_LANDMARK = Pattern(
    r"(?i:point|field|park|lake|beach|mountain|island|airport|road|street|avenue|ave|st|rd|county)$"
)
_ATTENDS = Pattern(rf"[ ](?:attend(?:s|ed|ing)?|ATTEND(?:S|ED))[ ](?:the[ ])?{_NAME}")
_LABEL = Pattern(
    r"(?P<label>[a-iA-ImMpPsS](?:(?<=[\n;(].)|(?<=[ ]{2}.)|(?<![\s\S].))"
    r"(?i:(?<=e)mployer|(?<=i)ns|(?<=s)chool|(?<=p)harmacy|(?:(?<=p)referred|(?<=s)pecialty|(?<=d)ispensing)[ ]pharmacy"
    r"|(?<=i)nsur(?:ance|er)|(?<=p)ay[eo]r|(?<=c)arrier|(?<=f)uneral[ ]home|(?<=m)ortuary|(?<=c)hurch|(?<=p)arish"
    r"|(?<=f)acility|(?<=h)ospital|(?<=c)linic|(?<=p)ractice|(?<=a)gency|(?<=c)lient[ ]practice|(?<=p)(?:erforming|referred)[ ]lab))"
    rf"(?:[ \t]*[:.]{{1,24}}[ \t]{{0,24}}|[ \t]{{2,24}}|(?<=[rR])[ ]){_NAME}"
)
_PART = Pattern(r"[^ ]+")
_CUTS = STARTERS - {"the", "a", "and", "up", "down", "next", "last", "out", "over", "under", "all"}
_CODES = frozenset(
    "HMO PPO POS EPO PCN ID ER ED NCPDP NPI BIN IBAN FAX PH TEL UNIT ICU Unit Telemetry".split()
)
_HOSPITAL_LABELS = ("facility", "hospital", "clinic", "practice", "agency", "lab")
_PREFIXED = Pattern(
    r"[CHLKVÉEIBOSU](?<![^\W_].)(?:(?P<hospital>(?<=C)l[ií]nica|(?<=C)linique|(?<=H)[ôo]pital"
    r"|(?<=C)entro[ ](?:de[ ]Salud|M[ée]dico)|(?<=L)aboratorio|(?<=K)linikum|(?<=V)AMC)"
    r"|(?<=[ÉE])cole|(?<=I)glesia|(?<=[ÉE])glise|(?<=B)anco|(?<=C)ongregation|(?<=K)rewe[ ]of"
    r"|(?<=O)ur[ ]Lady[ ]of|(?<=S)isters[ ]of|(?<=K)nights[ ]of|(?<=C)amp|(?<=S)tudio|(?<=C)olegio"
    r"|(?<=E)scuela|(?<=U)niversidad|(?<=U)niversit[äé]t?|(?<=U)niversity[ ]of)"
    rf"(?:[ ](?:de|del|des|du|la|las|los|the)){{0,2}}[ ]{_WORD}(?:[ ](?:(?:de|del|of|the|la)[ ])?(?![A-Z]+\b){_WORD}){{0,3}}"
)
_KNOWN = Pattern(
    r"[RMHUTIAS](?<![^\W_].)(?:(?:ed[ ]Cross|eals[ ]on[ ]Wheels|ead[ ]Start|SMC|SAF|SCG"
    r"|(?:BEW|AW|FCW|EIU|MWA|FSCME|eamsters)(?:[ ](?:Local[ ]|\#)?\d{1,4})?))\b"
    r"|[PIJ](?<=[ ]at[ ].)(?:S|\.S\.|HS)[ ]\d{1,3}\b"
)
_LEGAL = Pattern(r",?[ ](?:Inc|LLC|LLP|PLLC|Ltd|Corp|P\.C|S\.A)\b\.?")
_LEGAL_NAME = Pattern(rf"(?<![^\W_])(?:{_WORD}[ ]|&[ ]|of[ ]){{0,5}}{_WORD}$")
_FORCES = Pattern(
    r"[ ](?:in|joined|from|with|retired|ret'd|left)[ ](?:the[ ])?(?:US[ ]|U\.S\.[ ])?"
    r"(Army|Navy|Marines|Marine[ ]Corps|Air[ ]Force|Coast[ ]Guard|National[ ]Guard)\b"
)
_SAINT = Pattern(
    r"S(?<![^\W_].)(?:t\.?|T\.?|aint|AINT)[ ]"
    rf"(?!(?i:john['’]?s[ ]wort|patrick|george['’]?s[ ]resp|vitus|valentine)){_WORD}(?<=['’][sS])(?![^\W_]|[ ](?i:wort|day|resp|fire))"
)


def _end(match: re.Match[str]) -> int:
    """Where the name stops: before sentence words in capitals, plan kinds and other codes."""
    words = list(_PART.finditer(match["name"]))
    last = next((i for i, word in enumerate(words) if i and word[0].lower() in _CUTS), len(words))
    while last > 1 and (
        words[last - 1][0] in _CODES or words[last - 1][0].lower() in {"and", "of"}
    ):
        last -= 1
    return match.start("name") + words[last - 1].end()


def _proper(name: str) -> bool:
    """Whether a name has a word that is no department, role, label or sentence word."""
    words = [word.strip(".").lower().replace("’", "'") for word in name.split()]
    if words[0] in STARTERS:
        return False
    return any(w not in GENERIC_WORDS and w not in LABELS and len(w) > 2 for w in words)


def _linked(text: str) -> Iterator[Found]:
    for match in _LINK.finditer(text):
        name, link, start = match["name"], match["link"].lower(), match.start()
        window = max(0, start - 40)
        several = " " in name and not name.split()[0].isupper()
        if not _proper(name):
            continue
        if link in {"at", "for", "by", "with", "from"} and _WORKS.search(text, window, start):
            yield (match.start("name"), _end(match), "ORGANIZATION", 0.8)
        elif several and link in {"at", "to", "from"} and _STAYS.search(text, window, start):
            yield (match.start("name"), _end(match), "HOSPITAL", 0.7)
        elif several and link == "at" and not _LANDMARK.search(name):
            hospital = _MEDICAL_NEAR.search(text, window, start)
            yield (
                match.start("name"),
                _end(match),
                "HOSPITAL" if hospital else "ORGANIZATION",
                0.65,
            )


def in_context(text: str) -> Iterator[Found]:
    """Names that their context makes a facility or an organisation: start, end, type, score."""
    yield from _linked(text)
    for match in _ATTENDS.finditer(text):
        if _proper(match["name"]):
            yield (match.start("name"), _end(match), "ORGANIZATION", 0.75)
    for match in _LABEL.finditer(text):
        if _proper(match["name"]):
            hospital = match["label"].lower().endswith(_HOSPITAL_LABELS)
            yield (
                match.start("name"),
                _end(match),
                "HOSPITAL" if hospital else "ORGANIZATION",
                0.8,
            )
    for match in _PREFIXED.finditer(text):
        yield (*match.span(), "HOSPITAL" if match["hospital"] else "ORGANIZATION", 0.8)
    for match in _LEGAL.finditer(text):
        name = _LEGAL_NAME.search(text, max(0, match.start() - 60), match.start())
        if name and _proper(name[0]) and not MAKERS.issuperset(name[0].lower().split()):
            yield name.start(), match.end(), "ORGANIZATION", 0.85
    for match in _KNOWN.finditer(text):
        yield (*match.span(), "ORGANIZATION", 0.75)
    for match in _FORCES.finditer(text):
        yield (*match.span(1), "ORGANIZATION", 0.75)
    for match in _SAINT.finditer(text):
        yield (*match.span(), "HOSPITAL", 0.75)
