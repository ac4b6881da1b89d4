"""Phrases and codes of notes that may be identifiers of a site, though nothing marks them.

Of each note: its capitalised phrases that the detector leaves and that no veto explains (eponyms,
medicines, departments), with what the words around them tell of their type; its codes of letters and
digits, by their shape; and phrases that the detector marks, though what follows makes them a tool
("Boston Bowel Prep Scale"). `Phrases` adds them up over notes, in bounded memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from incognote.detect.detector import Detection, detect_many
from incognote.detect.note_index import NoteIndex
from incognote.detect.vetoes import VETOES
from incognote.document import Document, Span
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import (
    ACRONYMS,
    BARE_EPONYMS,
    CALENDAR,
    EPONYMS,
    MEDICINES,
    NEVER_NAMES,
    PEOPLES,
    is_ordinary,
)
from incognote.runs.pool import Work
from incognote.runs.settings import Settings

MOST_PHRASES = 100_000
"""Beyond so many different phrases, the rarest are forgotten."""
MOST_VALUES = 50
"""So many different values of a shape are told apart."""
STRONG, WEAK = 3, 1
"""How much the words around a phrase say of its type."""

# What a phrase is

_WORD = r"(?:(?!I['’])[A-Z]['’]?[A-Z]?[a-z][\w'’]*(?:-[A-Za-z][\w'’]*)*|[A-Z]{3,6}(?![\w-]))"
_PHRASE = re.compile(
    rf"(?<![\w\0./@'’-]){_WORD}(?:[ ](?:(?:of|the|de|la|van|&)[ ])?{_WORD}){{0,3}}"
    r"(?![\w\0@/]|-\w)"
)
_INSIDE = re.compile(r"[a-z0-9,;&(/][ ]?[\"“(]?$")
"""Before a phrase inside a sentence, where ordinary words have no capital."""
_INNER_CAPITAL = re.compile(
    r"(?<!^Mc)(?<!^Mac)(?<!^De)(?<!^Di)(?<!^La)(?<!^Le)(?<!^Du)(?<!^Van)(?<!^Fitz)(?<=[a-z])[A-Z]"
)
_SMALL_WORD = re.compile(r"(?<![\w'’-])[a-z]{3,}(?![\w-])")
_AROUND = 44


def _before(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})[ ](?:the )?[\"“(]?$", re.IGNORECASE)


_MOVED = (
    "admitted|back|boarding|discharged|moved|readmitted|referred|returned|sent|transferred|went"
)
_BEFORE: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    (
        "HOSPITAL",
        STRONG,
        _before(
            rf"wards?:?|units?:?|floors?|clinics?|hospice|(?:{_MOVED})(?: over| down| up| home)? (?:to|from)|"
            r"(?:admitted|beds?|boarding|followed|room|seen|stay|stayed|treated) (?:at|in|on)|"
            r"nurses? (?:at|from|in|on)|days? on|nights? on"
        ),
    ),
    (
        "STREET",
        STRONG,
        _before(
            r"(?:living|lives?|lived|resid(?:es|ing)|staying|stays|house|flat|home|address|apartment) "
            r"(?:at|on|up at|up on)(?: \d{1,5}[a-z]?)?|address:?(?: \d{1,5})?"
        ),
    ),
    (
        "CITY",
        STRONG,
        _before(
            r"(?:born|brought up|farm|grew up|house|living|lives?|lived|raised|sister|brother) in|"
            r"(?:comes|came|hails|is|travels) from|near|outside(?: of)?|(?:town|village) of|"
            r"(?:drove|flew|trip) to"
        ),
    ),
    (
        "ORGANIZATION",
        STRONG,
        _before(
            r"(?:clerk|cook|driver|drives|employed|foreman|hired|job|retired|shifts?|start(?:ed|s)|work|"
            r"worked|working|works|years|packs) (?:at|by|for|from|in|with)|employer:?|school:?|attends"
        ),
    ),
    (
        "DOCTOR",
        STRONG,
        _before(
            r"d/w|discussed (?:this |it )?with|spoke (?:to|with)|nurse|paged?|informed|notified|told|"
            r"(?:handed|hand|handover) over to|report (?:from|to)|called|seen by|signed by|taken by|"
            r"read back to|drawn by|performed by|reviewed (?:by|with)|attending:?|resident:?|rn:?|escort:?"
        ),
    ),
    (
        "PATIENT",
        STRONG,
        _before(
            r"(?:his|her|their|older|younger|the)? ?(?:aunt|brother|caller|daughter|father|dad|friend|"
            r"granddaughter|grandson|husband|mom|mother|mum|neighbou?r|nephew|niece|partner|"
            r"roommate|sister|son|uncle|wife|fiancee?),?(?: named)?"
        ),
    ),
    ("DOCTOR", WEAK, _before(r"by|per|with|and|by the|says|ask")),
    ("HOSPITAL", WEAK, _before(r"at|on|to|from")),
    ("CITY", WEAK, _before(r"in")),
    ("STREET", WEAK, _before(r"\d{1,4}[a-d]?")),
)
_AFTER: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    (
        "HOSPITAL",
        STRONG,
        re.compile(
            r"[ ](?:beds?|building|campus|clinic|floor|house|nurses?|rehab|staff|suite|team|unit|ward|wing)\b"
        ),
    ),
    (
        "DOCTOR",
        STRONG,
        re.compile(
            r",?[ ](?:RN|MD|DO|NP|PA|PA-C|PT|OT|LPN|LICSW|LCSW|PharmD|CRNA)\b"
            r"|[ ](?:agrees|agreed|aware|called back|covering|notified|on call|paged|rounded|"
            r"saw (?:him|her|the)|to (?:call|review|see)|will (?:call|review|see))\b"
        ),
    ),
    ("CITY", STRONG, re.compile(r", [A-Z]{2}\b")),
)

# What is none

_HEADING = re.compile(r"[ \t]*(?::|$|\n|[-–]{2})")
_NO_NAMES = (NEVER_NAMES | BARE_EPONYMS | EPONYMS | MEDICINES | PEOPLES | CALENDAR) - frozenset(
    {"clinic", "street", "hospital", "house", "center", "centre", "unit"}
)

# Codes

_CODE = re.compile(r"(?<![\w\0.,:/#+-])[A-Z0-9]+(?:-[A-Z0-9]+){0,3}(?![\w\0%/]|[-.,:][\w])")
_DIGIT_RUN = re.compile(r"\d")
_NUMBERED = re.compile(r"\d{3}")
"""In a code with letters; what has fewer digits in a row is a stage, a level or a formula."""
_COMMON_CODE = re.compile(r"[A-Z]\d{3,4}[A-Z]?|\d{3,4}(?:H|HRS?|Z)|\d+[A-Z]{1,3}")
"""Of a diagnosis or a procedure, a time of the day, an amount with its unit."""
_LEAST_PLAIN_DIGITS = 7
"""Digits of a code without letters: fewer are results."""

# Tools

_TOOL = re.compile(
    r"(?:['’]s)?(?:[ ][A-Za-z]+)?[ ](?:bundle|classification|criteria|diet|fund|guideline|index|model|"
    r"nomogram|pathway|protocol|questionnaire|regimen|rounds|scale|score|scoring|sheet|solution|study|"
    r"test|tool|trial)\b",
    re.IGNORECASE,
)
_MISTAKEN = frozenset("PATIENT DOCTOR HOSPITAL ORGANIZATION LOCATION-OTHER CITY STREET".split())


class Mentions(NamedTuple):
    """How often a phrase stands in a note, how often inside a sentence, and what is told of its type."""

    times: int
    inside: int
    types: tuple[tuple[str, int], ...]


class NotePhrases(NamedTuple):
    """What one note adds."""

    phrases: dict[str, Mentions]
    small_words: frozenset[str]
    """Words without a capital that are not in the plain vocabulary."""
    codes: dict[str, tuple[int, int]]
    """Of each code, how often it stands in the note, and how often it is marked."""
    tools: frozenset[str]


@dataclass(frozen=True)
class PhraseReader:
    """What each process builds: from a note to its phrases."""

    settings: Settings

    def work(self) -> Work[NotePhrases]:
        """Built once in each process."""
        detector = self.settings.detector()

        def read(document: Document, detection: Detection) -> NotePhrases:
            return note_phrases(document.text, detection.spans)

        return lambda documents: map(read, documents, detect_many(detector, documents))


def note_phrases(text: str, spans: tuple[Span, ...]) -> NotePhrases:
    """The phrases and codes of a note in which these spans are marked."""
    unmarked = _blanked(text, ((span.start, span.end) for span in spans))
    note = NoteIndex(text)
    unexplained = _blanked(unmarked, (place for veto in VETOES for place in veto(note)))
    phrases: dict[str, Mentions] = {}
    for phrase, inside, types in _phrases(text, unexplained):
        earlier = phrases.get(phrase, Mentions(0, 0, ()))
        votes = Counter(dict(earlier.types))
        votes.update(dict(types))
        phrases[phrase] = Mentions(
            earlier.times + 1, earlier.inside + inside, tuple(sorted(votes.items()))
        )
    small = frozenset(word for word in _SMALL_WORD.findall(unmarked) if not is_ordinary(word))
    tools = {text[span.start : end] for span in spans if (end := _end_of_tool(text, span))}
    return NotePhrases(phrases, small, _codes(text, unmarked), frozenset(tools))


def _blanked(text: str, places: Iterator[tuple[int, int]]) -> str:
    """The text with another sign for every character of the places."""
    pieces: list[str] = []
    last = 0
    for start, end in sorted(places):
        if end > last:
            start = max(start, last)
            pieces += (text[last:start], "\0" * (end - start))
            last = end
    return "".join((*pieces, text[last:]))


def _phrases(text: str, unmarked: str) -> Iterator[tuple[str, bool, list[tuple[str, int]]]]:
    """Each phrase, whether it is inside a sentence, and what the words around it say of its type."""
    for match in _PHRASE.finditer(unmarked):
        line = text.rfind("\n", 0, match.start()) + 1
        start = _first_word(text, line, *match.span())
        end = match.end()
        phrase = text[start:end]
        if start >= end or (_HEADING.match(text, end) and not text[line:start].strip(" \t*-•")):
            continue
        before = text[max(line, start - _AROUND) : start]
        types = _types(before, text[end : end + _AROUND])
        strong = any(weight == STRONG for _, weight in types)
        inside = _INSIDE.search(before) is not None
        if _may_name(phrase, inside=inside, strong=strong):
            yield phrase.removesuffix("'s").removesuffix("’s"), inside, types


def _first_word(text: str, line: int, start: int, end: int) -> int:
    """Where the phrase begins: at the beginning of a sentence, ordinary words are left out."""
    if _INSIDE.search(text, max(line, start - 4), start):
        words = text[start:end].split(" ")
        while words and fold_name(words[0]) in _NO_NAMES and len(words) > 1:
            start += len(words.pop(0)) + 1
        return start
    for word in text[start:end].split(" "):
        if not (is_ordinary(fold_name(word)) or fold_name(word) in _NO_NAMES):
            break
        start += len(word) + 1
    return start


def _types(before: str, after: str) -> list[tuple[str, int]]:
    """The types that the words around a phrase speak of; the strong ones alone where there are any."""
    types = [(type, weight) for type, weight, words in _BEFORE if words.search(before)]
    types += [(type, weight) for type, weight, words in _AFTER if words.match(after)]
    strong = [each for each in types if each[1] == STRONG]
    return strong or types


def _may_name(phrase: str, *, inside: bool, strong: bool) -> bool:
    """Whether it may be the name of somebody or something."""
    bare = (word.removesuffix("'s").removesuffix("’s") for word in phrase.split(" "))
    words = [word for word in bare if len(word) > 2 and word[0].isupper()]
    folded = [fold_name(word) for word in words]
    if not words or any(word in _NO_NAMES for word in (folded[0], folded[-1])):
        return False
    if len(words) == 1 and words[0].isupper():
        return strong and folded[0] not in ACRONYMS and not is_ordinary(folded[0])
    if any(_is_abbreviation(word) for word in words):
        return False
    ordinary = [is_ordinary(word) for word in folded]
    if all(ordinary):
        return inside and strong
    return True


def _is_abbreviation(word: str) -> bool:
    """HbA1c, NaCl, IgM, ICU; not McKay, O'Dowd or Ann-Marie."""
    if word.isupper() and fold_name(word) in ACRONYMS:
        return True
    return _INNER_CAPITAL.search(word) is not None or any(map(str.isdigit, word))


def _end_of_tool(text: str, span: Span) -> int:
    """Where a tool ends that begins with what is marked; 0 if it is none."""
    if span.type not in _MISTAKEN:
        return 0
    match = _TOOL.match(text, span.end, span.end + _AROUND)
    return match.end() if match else 0


def _codes(text: str, unmarked: str) -> dict[str, tuple[int, int]]:
    codes: dict[str, tuple[int, int]] = {}
    for match in _CODE.finditer(text):
        if is_code(match[0]):
            times, marked = codes.get(match[0], (0, 0))
            is_marked = "\0" in unmarked[match.start() : match.end()]
            codes[match[0]] = (times + 1, marked + is_marked)
    return codes


def is_code(word: str) -> bool:
    """Whether a word of capitals, digits and hyphens may be somebody's number."""
    if any(character.isalpha() for character in word):
        return _NUMBERED.search(word) is not None and _COMMON_CODE.fullmatch(word) is None
    digits = sum(character.isdigit() for character in word)
    return digits >= _LEAST_PLAIN_DIGITS and word.count("-") != 1


def shape_of(code: str) -> str:
    """`ODL-0417` is of the shape `ODL-0000`."""
    return _DIGIT_RUN.sub("0", code)


@dataclass
class PhraseCount:
    """How often a phrase stands in the notes."""

    notes: int = 0
    times: int = 0
    inside: int = 0
    types: Counter[str] = field(default_factory=Counter)


@dataclass
class ShapeCount:
    """How often codes of a shape stand in the notes, and how many different ones there are."""

    notes: int = 0
    times: int = 0
    marked: int = 0
    values: set[int] = field(default_factory=set, repr=False)


class Phrases:
    """The sums over notes. Where there are too many phrases, those of one note are forgotten first."""

    def __init__(self, most: int = MOST_PHRASES) -> None:
        self.notes = 0
        self.phrases: dict[str, PhraseCount] = {}
        self.small_words: Counter[str] = Counter()
        self.shapes: dict[str, ShapeCount] = {}
        self.tools: Counter[str] = Counter()
        self._most = most

    def add(self, note: NotePhrases) -> None:
        """Count one note."""
        self.notes += 1
        for phrase, mentions in note.phrases.items():
            count = self.phrases.setdefault(phrase, PhraseCount())
            count.notes += 1
            count.times += mentions.times
            count.inside += mentions.inside
            count.types.update(dict(mentions.types))
        self.small_words.update(note.small_words)
        self.tools.update(note.tools)
        seen: set[str] = set()
        for code, (times, marked) in note.codes.items():
            shape = shape_of(code)
            of_shape = self.shapes.setdefault(shape, ShapeCount())
            of_shape.notes += shape not in seen
            of_shape.times += times
            of_shape.marked += marked
            if len(of_shape.values) < MOST_VALUES:
                of_shape.values.add(hash(code))
            seen.add(shape)
        self._forget()

    def _forget(self) -> None:
        for counts in (self.phrases, self.shapes):
            _drop_rarest(counts, self._most, lambda count: count.notes)
        for counter in (self.small_words, self.tools):
            _drop_rarest(counter, self._most, lambda notes: notes)


def _drop_rarest(counts: dict[str, Any], most: int, notes: Callable[[Any], int]) -> None:
    """Leave at most half of so many, the ones in most notes."""
    if len(counts) <= most:
        return
    floor = sorted(map(notes, counts.values()))[len(counts) - most // 2]
    for key in [key for key, count in counts.items() if notes(count) <= floor]:
        del counts[key]
