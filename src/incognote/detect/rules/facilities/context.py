"""Facilities and organisations known by the words before them: "works at X", "Pharmacy: X"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.lexicon.facilities import GENERIC_WORDS, LABELS, MAKERS, STARTERS
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.capitals import UPPER

Found = tuple[int, int, str, float]

_WORD = rf"(?:(?:St|Mt|Ft)\.|[{UPPER}][^\W_]*+(?:['’ʻ\-][^\W_]++){{0,3}}+)"
_LINKED = rf"(?:of|the|and|de|la|du)(?=[ ][{UPPER}])"
_NAME = rf"(?P<name>{_WORD}(?:[ ](?:{_WORD}|&|\d{{1,2}}\b|{_LINKED})){{0,6}})"

_LINK = WordPattern(
    rf"(?<=[ ])(?P<link>at|to|from|for|by|with|AT|TO|FROM|FOR|BY)[ ](?:the[ ]|THE[ ])?{_NAME}"
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
_ATTENDS = WordPattern(rf"(?<=[ ])(?:attend(?:s|ed|ing)?|ATTEND(?:S|ED))[ ](?:the[ ])?{_NAME}")
_LABEL = WordPattern(
    r"(?:(?<=[\n;(])|(?<=[ ]{2})|(?<![\s\S]))(?P<label>(?i:employer|ins|school|pharmacy"
    r"|(?:preferred|specialty|dispensing)[ ]pharmacy|insur(?:ance|er)|pay[eo]r|carrier|funeral[ ]home"
    r"|mortuary|church|parish|facility|hospital|clinic|practice|agency|client[ ]practice"
    r"|(?:performing|preferred)[ ]lab))"
    rf"(?:[ \t]*[:.]{{1,24}}[ \t]{{0,24}}|[ \t]{{2,24}}|(?<=[rR])[ ]){_NAME}"
)
_PART = Pattern(r"[^ ]+")
_CUTS = STARTERS - {"the", "a", "and", "up", "down", "next", "last", "out", "over", "under", "all"}
_CODES = frozenset(
    "HMO PPO POS EPO PCN ID ER ED NCPDP NPI BIN IBAN FAX PH TEL UNIT ICU Unit Telemetry".split()
)
_HOSPITAL_LABELS = ("facility", "hospital", "clinic", "practice", "agency", "lab")
_PREFIXED = WordPattern(
    r"(?<![^\W_])(?:(?P<hospital>Cl[ií]nica|Clinique|H[ôo]pital|Centro[ ](?:de[ ]Salud|M[ée]dico)"
    r"|Laboratorio|Klinikum|VAMC)|[ÉE]cole|Iglesia|[ÉE]glise|Banco|Congregation|Krewe[ ]of"
    r"|Our[ ]Lady[ ]of|Sisters[ ]of|Knights[ ]of|Camp|Studio|Colegio|Escuela|Universidad"
    r"|Universit[äé]t?|University[ ]of)"
    rf"(?:[ ](?:de|del|des|du|la|las|los|the)){{0,2}}[ ]{_WORD}"
    rf"(?:[ ](?:(?:de|del|of|the|la)[ ])?(?![A-Z]+\b){_WORD}){{0,3}}"
)
_KNOWN = WordPattern(
    r"(?<![^\W_])(?:Red[ ]Cross|Meals[ ]on[ ]Wheels|Head[ ]Start|USMC|USAF|USCG"
    r"|(?:IBEW|UAW|UFCW|SEIU|UMWA|AFSCME|Teamsters)(?:[ ](?:Local[ ]|\#)?\d{1,4})?)\b"
    r"|(?<=[ ]at[ ])[PIJ](?:S|\.S\.|HS)[ ]\d{1,3}\b"
)
_LEGAL = WordPattern(r"(?<=[ ])(?:Inc|LLC|LLP|PLLC|Ltd|Corp|P\.C|S\.A)\b\.?")
_LEGAL_NAME = Pattern(rf"(?<![^\W_])(?:{_WORD}[ ]|&[ ]|of[ ]){{0,5}}{_WORD}$")
_FORCES = Pattern(
    r"[ ](?:in|joined|from|with|retired|ret'd|left)[ ](?:the[ ])?(?:US[ ]|U\.S\.[ ])?"
    r"(Army|Navy|Marines|Marine[ ]Corps|Air[ ]Force|Coast[ ]Guard|National[ ]Guard)\b",
    needs=frozenset({"army", "navy", "marines", "marine", "force", "guard"}),
)
_SAINT = WordPattern(
    r"(?<![^\W_])S(?:t\.?|T\.?|aint|AINT)[ ]"
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


def _linked(note: Reading) -> Iterator[Found]:
    text = note.text
    for match in _LINK.find(note):
        name, link, start = match["name"], match["link"].lower(), match.start() - 1
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


def in_context(note: Reading) -> Iterator[Found]:
    """Names that their context makes a facility or an organisation: start, end, type, score."""
    text = note.text
    yield from _linked(note)
    for match in _ATTENDS.find(note):
        if _proper(match["name"]):
            yield (match.start("name"), _end(match), "ORGANIZATION", 0.75)
    for match in _LABEL.find(note):
        if _proper(match["name"]):
            hospital = match["label"].lower().endswith(_HOSPITAL_LABELS)
            yield (
                match.start("name"),
                _end(match),
                "HOSPITAL" if hospital else "ORGANIZATION",
                0.8,
            )
    for match in _PREFIXED.find(note):
        yield (*match.span(), "HOSPITAL" if match["hospital"] else "ORGANIZATION", 0.8)
    for match in _LEGAL.find(note):
        end = match.start() - (2 if text.startswith(",", match.start() - 2) else 1)
        name = _LEGAL_NAME.search(text, max(0, end - 60), end)
        if name and _proper(name[0]) and not MAKERS.issuperset(name[0].lower().split()):
            yield name.start(), match.end(), "ORGANIZATION", 0.85
    for match in _KNOWN.find(note):
        yield (*match.span(), "ORGANIZATION", 0.75)
    for match in _FORCES.find(note):
        yield (*match.span(1), "ORGANIZATION", 0.75)
    for match in _SAINT.find(note):
        yield (*match.span(), "HOSPITAL", 0.75)
