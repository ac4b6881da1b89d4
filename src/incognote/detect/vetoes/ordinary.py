"""Plain words, which are nobody's name."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from incognote.detect.lexicon import ACRONYMS, ALSO_NAMES, BRANDS, NEVER_NAMES, is_ordinary
from incognote.detect.mention_sense import LONGEST_TITLE, TITLE_BEFORE, TITLE_WORDS
from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
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
    r"(?:M\.D\.|D\.O\.)(?=[ ](?:to (?:call|see|review|M\.D\.)|on call|aware|notified|paged|covers?)(?!\w))"
)


def degrees(note: Reading) -> Iterator[Place]:
    """A physician without a name: "M.D. to call", "D.O. on call"."""
    if "M.D." in note.text or "D.O." in note.text:
        for match in DEGREE.finditer(note.text):
            yield match.span()


def ordinary(note: Reading) -> Iterator[Place]:
    """Words of the plain vocabulary, and abbreviations in capitals. Those that are names as well
    (Grant, Dawn) count in small letters, where names around have capitals.
    """
    for word in note.vocabulary:
        if len(word) >= LEAST and _may_be_plain(word):
            for start in note.words[word]:
                end = start + len(word)
                if _is_no_name(note, start, end, word):
                    yield start, end


def unnamed(note: Reading) -> Iterator[Place]:
    """Words for any facility, in small letters after a capital in their line: no name of one."""
    lines = note.lines
    capitals = [CAPITALISED.search(note.text, *line) for line in pairwise([*lines, len(note.text)])]
    for word in note.vocabulary & FACILITY_WORDS:
        for start in note.words[word]:
            end, capital = start + len(word), capitals[bisect_right(lines, start) - 1]
            if capital and capital.start() < start and note.text[start:end].islower():
                yield start, end


def acronyms(note: Reading) -> Iterator[Place]:
    """Abbreviations of notes, in capitals: neither a hospital's nor an organization's."""
    for word in note.vocabulary & ACRONYMS:
        for start in note.words[word]:
            if note.text[start : start + len(word)].isupper():
                yield start, start + len(word)


def _may_be_plain(word: str) -> bool:
    return _is_plain(word) or word in ACRONYMS or word in ALSO_NAMES


def _is_no_name(note: Reading, start: int, end: int, word: str) -> bool:
    text = note.text
    if _is_plain(word):
        return word in NEVER_NAMES or not _titled(note, start)
    if word in ACRONYMS:
        return text[start:end].isupper()
    if not text[start].islower():
        return False
    return _cased(note, start) or bool(MEANT_TO.search(text, max(0, start - 20), start))


@lru_cache(maxsize=50_000)
def _is_plain(word: str) -> bool:
    """Brands are left to other vetoes: Allegra and Yasmin are names."""
    if word in ALSO_NAMES or word in BRANDS:
        return False
    return word in NEVER_NAMES or is_ordinary(word)


def _titled(note: Reading, start: int) -> bool:
    titles, first = note.once(_titles), start - LONGEST_TITLE
    place = bisect_left(titles, first)
    if place == len(titles) or titles[place] >= start:
        return False
    return TITLE_BEFORE.search(note.text, max(0, first), start) is not None


def _titles(note: Reading) -> list[int]:
    return note.at(TITLE_WORDS)


def _cased(note: Reading, start: int) -> bool:
    """Whether the neighbourhood is written with capitals: two words begin with one."""
    capitals = note.once(_capitals)
    second = bisect_left(capitals, start - AROUND) + 1
    return second < len(capitals) and capitals[second] + 2 <= start + AROUND


def _capitals(note: Reading) -> list[int]:
    return [match.start() for match in CAPITALISED.finditer(note.text)]
