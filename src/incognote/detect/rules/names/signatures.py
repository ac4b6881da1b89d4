"""Names and initials where a note is signed: name lines, closings, sign-offs, trailers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from string import ascii_letters, ascii_uppercase

from incognote.detect.lexicon import ACRONYMS, NEVER_NAMES, fold, is_ordinary
from incognote.detect.pattern import LinePattern, Pattern, WordPattern
from incognote.detect.people import LETTERS
from incognote.detect.reading import Reading
from incognote.detect.rules.names.reader import read_name
from incognote.detect.rules.names.titles import Found
from incognote.detect.rules.names.words import WORD, Trust, shape

ROLE_LINE = LinePattern(
    r"[ \t]{0,80}(?:(?:Attending|Staff|Chief|Senior|Junior|Associate|Assistant|Consultant|Consulting|"
    r"Clinical|Medical|Resident|Fellow|Physician|Surgeon|Professor|Director|Nurse|Registered|"
    r"Department|Division|Section|Certified|Licensed|Board|Family|Internal|House)\b|"
    r"(?:[A-Z][a-z]+ )?[A-Z][a-z]{2,20}(?:ologist|iatrist|ician|apist|acist|ologist)\b|"
    r"(?:ATTENDING|RESIDENT|RADIOLOGIST|PATHOLOGIST|SURGEON|PHYSICIAN|CHIEF|STAFF|FELLOW|"
    r"CARDIOLOGIST|NEUROLOGIST|DEPARTMENT|DIVISION|DIRECTOR|MEDICAL)\b|"
    r"Dict(?:ated|\.)|D(?:D)?:|DICTATED|DD\b)",
    first=ascii_uppercase,
)
CLOSING = WordPattern(
    r"(?:sincerely|truly|regards|yours|warmly|respectfully|thank you|thanks|best|cheers|fondly|"
    r"faithfully|blessings|love),?[ \t]*(?:\r?\n[ \t]*){1,5}(?=[^\W\d_])",
    small=True,
)
INITIAL = Pattern(r"[A-Z](?:(?<=[.!?:] .)|(?<=[.!?:]  .)|(?<=[.!?:]   .))\. ?[A-Z][^\W\d_]{2}")
"""With which a sentence begins."""
SIGNED = Pattern(r"(?:/es/|/s/|\be-?signed by:?)[ \t]{0,4}(?=[^\W\d_])")
SIGNS = ("/es/", "/s/", "signed by")
COMMA_OR_END = Pattern(r"[ \t]*(?:,|\r?\n|$)")
END = Pattern(r"[ \t]*(?:\r?\n|$)")
LINE = Pattern(r"^[ \t]{0,80}(?P<name>[^\W\d_][^\n,:;()\d]{3,40}?)[ \t]*\r?\n", re.MULTILINE)
SIGN_OFF = LinePattern(
    r"^[ \t]{0,80}(?P<author>[A-Z]{2,4}|[a-z]{2,3})(?P<mark>[ ]?/[ ]?|:)(?P<typist>[a-z]{2,3}\d{0,3})"
    r"(?=[ \t]{2,}|[ \t]*(?:\r?\n|$)|[ \t](?:[dt]|typed|cc|dd|dt|[\d]))",
    re.MULTILINE,
    first=ascii_letters,
)
DASHED = Pattern(
    r"[-–—](?:(?<=[ \t].)|(?<=^.))(?:(?<=-)-)?[ \t]?(?P<initials>[A-Z]{2,4}|(?:[A-Z]\.){2,3})(?=[ \t]*(?:\r?\n|$))",
    re.MULTILINE,
)
LAST_WORD = Pattern(r"[.!?\"”)] {1,3}(?P<initials>[A-Z]{2,3})(?=\s*\Z)")
AT_END = Pattern(
    r"(?:(?<=[.!?)][ ])|(?<=[ \t][ \t])|(?<=^))[A-Z]{2,4}(?=[ \t]*(?:\r?\n|$)|\.\d)",
    re.MULTILINE,
)
DICTATOR = WordPattern(
    r"(?<![\w-])(?:D|d|did|DID|Dict)[:=][ ]?(?P<initials>[A-Za-z]{2,3})[ \t]+(?:T|t|tid|TID|Trans)[:=]"
)
NOT_INITIALS = frozenset(
    "np po pr iv im ad hs am pm wt bp hr rr id ex sp iu od os ou ac pc rx fx hx".split()
)


def by_signature(note: Reading) -> Iterator[Found]:
    """A name alone on its line above a role, after a closing, or after /es/."""
    text = note.text
    for role in ROLE_LINE.find(note):
        above = text.rfind("\n", 0, max(0, role.start() - 1)) + 1
        match = LINE.match(text, above)
        if match is None or match.end() != role.start():
            continue
        name = read_name(text, match.start("name"), Trust.WEAK)
        if name and name.end == match.end("name") and _two_parts(text, name.start, name.end):
            yield name.start, name.end, "DOCTOR", 0.75
    for match in CLOSING.find(note):
        name = read_name(text, match.end(), Trust.WEAK)
        if name and COMMA_OR_END.match(text, name.end):
            yield name.start, name.end, "DOCTOR", 0.72
    for place in note.at(LETTERS):
        initial = INITIAL.match(text, place)
        name = read_name(text, place, Trust.WEAK, limit=2) if initial else None
        if name and END.match(text, name.end):
            yield name.start, name.end, "DOCTOR", 0.7
    signed = any(sign in note.small for sign in SIGNS)
    for match in SIGNED.finditer(note.small) if signed else ():
        name = read_name(text, match.end(), Trust.STRONG, last_first=True)
        if name:
            yield name.start, name.end, "DOCTOR", 0.92


def by_initials(note: Reading, found: Iterable[Found]) -> Iterator[Found]:
    """Sign-offs in initials. Those of a doctor named in the note are trusted in more places."""
    text = note.text
    every = _author_initials(text, found)
    authors = frozenset(code for code in every if _free(code))
    for match in SIGN_OFF.find(note):
        author = match["author"]
        if author.upper() in every or (author.isupper() and _free(author)):
            yield *match.span("author"), "DOCTOR", 0.85
    for match in DASHED.finditer(text):
        if match["initials"] in authors or _free(match["initials"]):
            yield *match.span("initials"), "DOCTOR", 0.7
    last = LAST_WORD.search(text, max(0, len(text.rstrip()) - 8))
    if last and _free(last["initials"]):
        yield *last.span("initials"), "DOCTOR", 0.65
    for match in DICTATOR.find(note):
        yield *match.span("initials"), "DOCTOR", 0.75
    for match in AT_END.at(text, note.at({code.lower() for code in authors})):
        if match[0] in authors:
            yield *match.span(), "DOCTOR", 0.7


def _two_parts(text: str, start: int, end: int) -> bool:
    words = WORD.findall(text, start, end)
    return len(words) >= 2 and all(shape(word) != "lower" for word in words)


def _free(initials: str) -> bool:
    folded = initials.lower()
    return not (
        folded in ACRONYMS or folded in NEVER_NAMES or folded in NOT_INITIALS or is_ordinary(folded)
    )


def _author_initials(text: str, found: Iterable[Found]) -> frozenset[str]:
    authors: set[str] = set()
    for start, end, type, _ in found:
        if type != "DOCTOR":
            continue
        words = [word for word in re.split(r"[\s.,-]+", text[start:end]) if word[:1].isalpha()]
        parts = [word for word in words if fold(word) not in {"jr", "sr", "ii", "iii"}]
        if len(parts) >= 2:
            letters = [word[0].upper() for word in parts]
            if "," in text[start:end]:
                letters = [*letters[1:], letters[0]]
            authors.add("".join(letters[:4]))
            authors.add(letters[0] + letters[-1])
    return frozenset(code for code in authors if code.isascii() and code.isalpha())
