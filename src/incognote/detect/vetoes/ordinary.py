"""Plain words, which are nobody's name."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from incognote.detect.lexicon import ACRONYMS, ALSO_NAMES, BRANDS, NEVER_NAMES, is_ordinary
from incognote.detect.mention_sense import near_titles, titled
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.vetoes.veto import Place

CAPITALISED = Pattern(r"[A-Z](?<![^\W_].)[a-z]")
MEANT_TO = Pattern(
    r"(?:threaten(?:s|ed|ing)?|wants?|wanted|plan(?:s|ned)?|intend(?:s|ed)?|decided|unable|able|likely)[ ]to[ ]$"
)
"""Before a verb: "threatens to sue"."""

FACILITY_WORDS = frozenset(
    "a acute an and another any assisted at care center centre clinic clinics community day dental "
    "department dialysis doctor doctors emergency facilities facility for from group health her his "
    "home homes hospice hospital hospitals icu imaging in inpatient lab laboratory living local long "
    "medical my nursing of office offices or other our outpatient outside pediatric pharmacy physical "
    "practice primary private program psych referring regional rehab rehabilitation room same school "
    "shelter skilled surgery surgical term tertiary the their therapy this to transitional transplant "
    "trauma treatment unit urgent ward".split()
)
"""Of which what is no name of a hospital is made: "an outside hospital", "rehab facility"."""

AROUND = 80
LEAST = 3
"""Letters: two may be somebody's initials."""

DEGREE = Pattern(
    r"(?<![\w.])(?<!(?i:pt) )(?<!(?i:patient) )(?<!(?i:client) )(?<!Mr )(?<!Ms )(?<!Mrs )(?<!Miss )"
    r"(?:M\.D\.|D\.O\.)(?=[ ](?:to (?:call|see|review|M\.D\.)|on call|aware|notified|paged|covers?|before transfer)(?!\w))"
)

ANSWER = Pattern(
    r"(?i:marked|consent|verified|obtained|confirmed):[ ]([YN])"
    r"(?=[,;]|\.?[ \t]*(?:\n|$)|\.[ ][A-Z][a-z]+(?:[ ][a-z]+)?:)"
)
"""With nothing after it but the next question: "Consent: N. Patel" is somebody."""

BEDTIME = Pattern(r"(?<![\w:])(?<!\d )AM[ \t]{1,8}(?:(?i:noon)[ \t]{1,8})?PM[ \t]{1,8}(HS)(?!\w)")


def answers(note: NoteIndex) -> Iterator[Place]:
    """Yes and no in a form, and the hour of sleep in a heading, which are nobody's initials."""
    if ": Y" in note.text or ": N" in note.text:
        for match in ANSWER.finditer(note.text):
            yield match.span(1)
    if "HS" in note.text:
        for match in BEDTIME.finditer(note.text):
            yield match.span(1)


def degrees(note: NoteIndex) -> Iterator[Place]:
    """A physician without a name: "M.D. to call", "D.O. on call"."""
    if "M.D. " in note.text or "D.O. " in note.text:
        for match in DEGREE.finditer(note.text):
            yield match.span()


def ordinary(note: NoteIndex) -> Iterator[Place]:
    """Words of the plain vocabulary, and abbreviations in capitals. Those that are names as well
    (Grant, Dawn) count in small letters, where names around have capitals.
    """
    for word, places in note.words.items():
        no_names = _sense(word)
        if no_names is not None:
            size = len(word)
            for start in no_names(note, places, size):
                yield start, start + size


def unnamed(note: NoteIndex) -> Iterator[Place]:
    """Words for any facility, in small letters after a capital in their line: no name of one."""
    lines, capitals = note.lines, note.once(_capitals)
    for word in note.vocabulary & FACILITY_WORDS:
        for start in note.words[word]:
            end, before = start + len(word), bisect_left(capitals, start)
            if before and note.text[start:end].islower():
                line = lines[bisect_right(lines, start) - 1]
                if capitals[before - 1] >= line:
                    yield start, end


def acronyms(note: NoteIndex) -> Iterator[Place]:
    """Abbreviations of notes, in capitals: neither a hospital's nor an organization's."""
    for word in note.vocabulary & ACRONYMS:
        for start in note.words[word]:
            if note.text[start : start + len(word)].isupper():
                yield start, start + len(word)


@lru_cache(maxsize=50_000)
def _sense(word: str) -> Callable[[NoteIndex, Sequence[int], int], Sequence[int]] | None:
    """Which of its places to pick; None: it may be a name anywhere. Brands are left to other
    vetoes: Allegra and Yasmin are names.
    """
    if len(word) < LEAST:
        return None
    if word not in ALSO_NAMES and word not in BRANDS:
        if word in NEVER_NAMES:
            return _always
        if is_ordinary(word):
            return _untitled
    if word in ACRONYMS:
        return _in_capitals
    return _said if word in ALSO_NAMES else None


def _always(note: NoteIndex, places: Sequence[int], size: int) -> Sequence[int]:
    return places


def _untitled(note: NoteIndex, places: Sequence[int], size: int) -> Sequence[int]:
    near = note.once(near_titles)
    return [start for start in places if not near[start] or not titled(note, start)]


def _in_capitals(note: NoteIndex, places: Sequence[int], size: int) -> Sequence[int]:
    return [start for start in places if note.text[start : start + size].isupper()]


def _said(note: NoteIndex, places: Sequence[int], size: int) -> Sequence[int]:
    """In small letters, where names have capitals or a verb is due."""
    text = note.text
    return [
        start
        for start in places
        if text[start].islower()
        and (_cased(note, start) or MEANT_TO.search(text, max(0, start - 20), start))
    ]


def _cased(note: NoteIndex, start: int) -> bool:
    """Whether the neighbourhood is written with capitals: two words begin with one."""
    capitals = note.once(_capitals)
    second = bisect_left(capitals, start - AROUND) + 1
    return second < len(capitals) and capitals[second] + 2 <= start + AROUND


def _capitals(note: NoteIndex) -> list[int]:
    return [match.start() for match in CAPITALISED.finditer(note.text)]
