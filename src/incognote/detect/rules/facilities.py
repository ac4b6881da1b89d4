"""Hospitals, clinics, employers, schools and other organisations.

A name is one or more proper words and a head ("Harlan Creek" + "Medical Center"). A head after
medical or ordinary words only ("the Pain Clinic") names a department, which identifies nobody.
Other names are known by the words before them: "works at X", "Pharmacy: X".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import UPPER, Pattern, WordPattern, heads
from incognote.detect.rules.engine import Family, Finding, Rule, cut_overlaps
from incognote.knowledge.facilities import (
    GENERIC_WORDS,
    HOSPITAL_HEADS,
    HOSPITAL_TAILS,
    KIND_BEFORE,
    LABELS,
    MAKERS,
    MEDICAL_WORDS,
    NOT_FACILITIES,
    OF_HEADS,
    ORGANIZATION_HEADS,
    ORGANIZATION_TAILS,
    STARTERS,
)

HOSPITAL = "HOSPITAL"
ORGANIZATION = "ORGANIZATION"

# Runs of capitalised words.

LINKS = frozenset("of the and & for at de del della di la las los le du des y e on in".split())

_WORD = rf"(?:(?:Ste?|ST|Mt|MT|Ft|FT|SS|[A-Z])\.|[{UPPER}][^\W_]*+(?:['’ʻ\-][^\W_]++){{0,3}}+['’]?)"
_RUN = Pattern(
    rf"(?<![^\W_]){_WORD}"
    rf"(?:[ \u00a0](?:{_WORD}|&|\d{{1,4}}(?![\w/.:%])|(?:{'|'.join(sorted(LINKS))})(?=[ \u00a0])))*+"
)
_ENDS = "\n,;:()"
"""Of what no run has, these are the commonest."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a run: where it is, and its form for looking up."""

    start: int
    end: int
    text: str
    key: str

    @property
    def links(self) -> bool:
        """Whether it only joins the words around it ("University of the Palisades")."""
        return (
            self.text == "&" or (self.text in LINKS) or (self.text.isupper() and self.key in LINKS)
        )


def _runs(note: NoteIndex, needed_words: Set[str]) -> Iterator[list[Word]]:
    """Two or more capitalised words that follow each other on one line, with the small words between.

    Only those with one of the words `needed_words` among them are read.
    """
    for run in _runs_with(note, needed_words):
        words = [
            Word(start, start + len(token), token, token.lower().replace("’", "'").rstrip("."))
            for start, token in _split(run)
        ]
        while words and words[-1].links:
            words.pop()
        if len(words) > 1:
            yield words


def _runs_with(note: NoteIndex, needed_words: Set[str]) -> Iterator[re.Match[str]]:
    """The runs that hold one of the words, each read from the last mark before it that ends a run."""
    text = note.text
    reached = line_end = 0
    for place in note.at(needed_words):
        if place < reached:
            continue
        start = max(reached, 1 + max(text.rfind(mark, reached, place) for mark in _ENDS))
        if place >= line_end:
            line_end = text.find("\n", place)
            line_end = len(text) if line_end < 0 else line_end
        reached = line_end
        for run in _RUN.finditer(text, start, line_end):
            if run.end() > place:
                reached = run.start()
                if reached <= place:
                    reached = run.end()
                    yield run
                break


def _split(run: re.Match[str]) -> Iterator[tuple[int, str]]:
    start = run.start()
    for token in run[0].replace("\u00a0", " ").split(" "):
        yield start, token
        start += len(token) + 1


# Names by the words before them.


_NAME_WORD = rf"(?:(?:St|Mt|Ft)\.|[{UPPER}][^\W_]*+(?:['’ʻ\-][^\W_]++){{0,3}}+)"
_LINKED = rf"(?:of|the|and|de|la|du)(?=[ ][{UPPER}])"
_NAME = rf"(?P<name>{_NAME_WORD}(?:[ ](?:{_NAME_WORD}|&|\d{{1,2}}\b|{_LINKED})){{0,6}})"

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
    rf"(?:[ ](?:de|del|des|du|la|las|los|the)){{0,2}}[ ]{_NAME_WORD}"
    rf"(?:[ ](?:(?:de|del|of|the|la)[ ])?(?![A-Z]+\b){_NAME_WORD}){{0,3}}"
)
_KNOWN = WordPattern(
    r"(?<![^\W_])(?:Red[ ]Cross|Meals[ ]on[ ]Wheels|Head[ ]Start|USMC|USAF|USCG"
    r"|(?:IBEW|UAW|UFCW|SEIU|UMWA|AFSCME|Teamsters)(?:[ ](?:Local[ ]|\#)?\d{1,4})?)\b"
    r"|(?<=[ ]at[ ])[PIJ](?:S|\.S\.|HS)[ ]\d{1,3}\b"
)
_LEGAL = WordPattern(r"(?<=[ ])(?:Inc|LLC|LLP|PLLC|Ltd|Corp|P\.C|S\.A)\b\.?")
_LEGAL_NAME = Pattern(rf"(?<![^\W_])(?:{_NAME_WORD}[ ]|&[ ]|of[ ]){{0,5}}{_NAME_WORD}$")
_FORCES = Pattern(
    r"[ ](?:in|joined|from|with|retired|ret'd|left)[ ](?:the[ ])?(?:US[ ]|U\.S\.[ ])?"
    r"(Army|Navy|Marines|Marine[ ]Corps|Air[ ]Force|Coast[ ]Guard|National[ ]Guard)\b",
    needs=frozenset({"army", "navy", "marines", "marine", "force", "guard"}),
)
_SAINT = WordPattern(
    r"(?<![^\W_])S(?:t\.?|T\.?|aint|AINT)[ ]"
    rf"(?!(?i:john['’]?s[ ]wort|patrick|george['’]?s[ ]resp|vitus|valentine)){_NAME_WORD}(?<=['’][sS])(?![^\W_]|[ ](?i:wort|day|resp|fire))"
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


def _linked(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _LINK.find(note):
        name, link, start = match["name"], match["link"].lower(), match.start() - 1
        window = max(0, start - 40)
        several = " " in name and not name.split()[0].isupper()
        if not _proper(name):
            continue
        if link in {"at", "for", "by", "with", "from"} and _WORKS.search(text, window, start):
            yield Finding(match.start("name"), _end(match), ORGANIZATION, 0.8)
        elif several and link in {"at", "to", "from"} and _STAYS.search(text, window, start):
            yield Finding(match.start("name"), _end(match), HOSPITAL, 0.7)
        elif several and link == "at" and not _LANDMARK.search(name):
            hospital = _MEDICAL_NEAR.search(text, window, start)
            type = HOSPITAL if hospital else ORGANIZATION
            yield Finding(match.start("name"), _end(match), type, 0.65)


def _attended(note: NoteIndex) -> Iterator[Finding]:
    for match in _ATTENDS.find(note):
        if _proper(match["name"]):
            yield Finding(match.start("name"), _end(match), ORGANIZATION, 0.75)


def _labelled(note: NoteIndex) -> Iterator[Finding]:
    for match in _LABEL.find(note):
        if _proper(match["name"]):
            hospital = match["label"].lower().endswith(_HOSPITAL_LABELS)
            type = HOSPITAL if hospital else ORGANIZATION
            yield Finding(match.start("name"), _end(match), type, 0.8)


def _before_legal_forms(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _LEGAL.find(note):
        end = match.start() - (2 if text.startswith(",", match.start() - 2) else 1)
        name = _LEGAL_NAME.search(text, max(0, end - 60), end)
        if name and _proper(name[0]) and not MAKERS.issuperset(name[0].lower().split()):
            yield Finding(name.start(), match.end(), ORGANIZATION, 0.85)


def _prefixed_type(match: re.Match[str]) -> str:
    return HOSPITAL if match["hospital"] else ORGANIZATION


# Names by the word that ends them.

_LONGEST = 8
_INSIDE = frozenset(
    {"of", "the", "and", "&", "de", "del", "la", "las", "los", "du", "des", "y", "e"}
)
_AFTER = frozenset({"of", "at", "for", "de", "del"})


def _begin(words: list[Word], head: int) -> int:
    """The first word of the name that ends at `head`."""
    first = head
    while first and head - first < _LONGEST:
        word = words[first - 1]
        if word.links:
            if word.key not in _INSIDE or first < 2 or words[first - 2].key in STARTERS:
                break
            before = words[first - 2].key
            if (word.key == "the" and before != "of") or (
                word.key == "of" and before not in OF_HEADS
            ):
                break
        elif word.key in STARTERS:
            break
        first -= 1
    while first < head and (
        words[first].links or words[first].text.isdigit() or words[first].key in LABELS
    ):
        first += 1
    return first


def _last_word(words: list[Word], head: int) -> int:
    """The last word of the name, which may go on: "Hospital of the Red Hills"."""
    if head + 2 < len(words) and words[head + 1].key in _AFTER and words[head + 1].links:
        last = head + 2
        while words[last].links and last + 1 < len(words):
            last += 1
        while last + 1 < len(words) and words[last + 1].key not in STARTERS and last - head < 4:
            if words[last + 1].links:
                break
            last += 1
        if not words[last].links and words[last].key not in STARTERS:
            return last
    return head


def _hospital(words: list[Word], head: int, proper: int, name: list[str]) -> bool:
    key = words[head].key
    if key in HOSPITAL_HEADS:
        return True
    need = HOSPITAL_TAILS.get(key)
    if need is None:
        return False
    if need in {"care", "field"}:
        return any(word in MEDICAL_WORDS for word in name)
    if need == "kind":
        return key in KIND_BEFORE.get(words[head - 1].key, "").split()
    if need == "two":
        return proper >= 2
    if need == "end":
        return head + 1 == len(words) and proper >= 1
    return True


def _organization(words: list[Word], head: int) -> bool:
    key = words[head].key
    if key in ORGANIZATION_HEADS:
        return True
    need = ORGANIZATION_TAILS.get(key)
    if need is None:
        return False
    if need == "end":
        return head + 1 == len(words) and not words[head].text.isupper()
    return need == "any" or words[head - 1].key in need.split()


def _in_run(words: list[Word]) -> Iterator[Finding]:
    """The names in one run of capitalised words, the longest for each start."""
    end_of_last = 0
    for head in range(len(words) - 1, 0, -1):
        if words[head].key not in _ALL_HEADS or (end_of_last and words[head].start >= end_of_last):
            continue
        first = _begin(words, head)
        if first == head:
            continue
        name = [word.key for word in words[first:head] if not word.links]
        end = _last_word(words, head)
        more = [word.key for word in words[head + 1 : end + 1] if not word.links]
        real = [w for w in name + more if w not in GENERIC_WORDS and len(w) > 1 and not w.isdigit()]
        if not real or MAKERS.issuperset(real):
            continue
        whole = " ".join(word.key for word in words[first : end + 1])
        if any(term in whole for term in NOT_FACILITIES):
            continue
        if _hospital(words, head, len(real), name):
            type = HOSPITAL
        elif _organization(words, head):
            type = ORGANIZATION
        else:
            continue
        end_of_last = words[first].start
        yield Finding(words[first].start, words[end].end, type, 0.9)


_ALL_HEADS = HOSPITAL_HEADS | HOSPITAL_TAILS.keys() | ORGANIZATION_HEADS | ORGANIZATION_TAILS.keys()
_HEAD_WORDS = heads(_ALL_HEADS)


_MORE = Pattern(
    r",?[ ](?:Inc|LLC|L\.L\.C|PLLC|P\.C|PC|P\.A|LLP|Ltd|Corp|Co|S\.A)\b\.?|(?<=[Ll]odge)[ ]\d{1,4}\b"
    r"|[ ](?:Local|Lodge|Council|Post|Chapter)[ ]\#?\d{1,4}\b"
)


def _with_legal_form(text: str, name: Finding) -> Finding:
    """The name with its legal form or number: ", Inc.", "Lodge 44"."""
    more = _MORE.match(text, name.end)
    return name._replace(end=more.end()) if more else name


def _headed(note: NoteIndex) -> Iterator[Finding]:
    for words in _runs(note, _HEAD_WORDS):
        yield from _in_run(words)


def _whole_names(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Names with their legal forms, none twice."""
    return cut_overlaps(text, [_with_legal_form(text, name) for name in findings])


FAMILY = Family(
    "facilities",
    frozenset({HOSPITAL, ORGANIZATION}),
    (
        _headed,
        _linked,
        _attended,
        _labelled,
        Rule(_PREFIXED, _prefixed_type, 0.8),
        _before_legal_forms,
        Rule(_KNOWN, ORGANIZATION, 0.75),
        Rule(_FORCES, ORGANIZATION, 0.75, 1),
        Rule(_SAINT, HOSPITAL, 0.75),
    ),
    _whole_names,
)
