"""A given name in initials: J.S., J.Q.S., and JS where it stands as a person would.

Capitals that mean nothing else in notes are the person's, but for places where another sense is
plain ("JS wave", "type JS", "JS-1", "Dr. JS"). Those that do (MS, AF, CT) are the person's only
where no thing could stand ("MS denies", "AF's wife", "Mr. CT").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from incognote.detect.known.abbreviations import DOTTED, is_abbreviation, is_word_or_role
from incognote.detect.known.search import Found
from incognote.detect.name_mentions import Person
from incognote.detect.note_index import NoteIndex, lazy
from incognote.detect.pattern import Pattern
from incognote.detect.rules.names.reader import DEGREE
from incognote.knowledge.lexicon import EPONYM_NOUNS
from incognote.knowledge.people import JOINING_PARTICLES, SUFFIXES

COURTESY = frozenset("mr mrs ms miss mx dr prof".split())
TERMS = EPONYM_NOUNS | frozenset(
    "antibody antibodies antigen code form gene interval level levels mode panel phase ratio segment "
    "series strain therapy titer type wave waves".split()
)
_KIN = (
    r"(?:wife|husband|spouse|partner|mother|father|mom|dad|parents?|son|daughter|children|sister|"
    r"brother|aunt|uncle|niece|nephew|cousin|friend|girlfriend|boyfriend|guardian|caregiver|"
    r"family(?! (?:history|hx|medicine|planning)))\b"
)
CALLED = Pattern(r"(?<!\w)(?:(?:M[rsx]|Mrs|Miss|MR|MRS)\.?|[Ii]nitials(?: are| is|:|,)?)[ ]$")
A_DOCTOR = Pattern(r"(?<!\w)(?:drs?|doctor|prof|professor|nurse|attending)\.?[ ]$", re.IGNORECASE)
KIND_BEFORE = Pattern(
    r"(?<!\w)(?:class|code|form|gene|grade|group|lot|mode|model|series|stage|type)[ ]$",
    re.IGNORECASE,
)
NAME_BEFORE = Pattern(r"[A-Z][\w'’-]+\.?,?[ ]$")
NEXT_LETTER = Pattern(r"\.[ ]?([^\W\d_])")
MOST_LETTERS = 12
"""Of more names nobody writes the initials of all."""

FOLLOWING = Pattern(r"[ ](?P<word>[^\W\d_]+)")
COUNTED = Pattern(
    r"[ ]?[#=%]|[ ](?!\d{4}(?!\d))\d++(?![/:]\d|[ -]?(?:[MFmf]|yo|y/o|yrs?|years?)(?!\w))"
)
A_PERSON_DOES = Pattern(
    r"(?:, who)?[ ](?:denies|denied|tolerate[sd]|complain(?:s|ed)|verbalize[sd]|"
    r"ambulate[sd]|voided|slept|ate|live[sd]|feels|says|said|states|stated|agree[sd]|understands|"
    r"understood|wants|wanted|asks|asked|consented|walked|thinks|wishes|smokes|drinks|"
    r"reports (?:that|feeling|having|pain|he|she|they|his|her)|is an? (?:\d{1,3}|pleasant)|"
    r"was (?:admitted|discharged|brought|accompanied|born|tearful))(?!\w)"
    rf"|['’]s {_KIN}|[ ]and (?:(?:his|her|their|the) )?{_KIN}"
)


@dataclass(frozen=True)
class Initials:
    """Capitals of one person, and how they are written: with full stops, or bare."""

    letters: tuple[str, ...]
    type: str

    @lazy
    def capitals(self) -> str:
        return "".join(self.letters)

    @lazy
    def dotted(self) -> re.Pattern[str]:
        each = [re.escape(letter) for letter in self.letters]
        dotted = r"\.[ ]?".join(each) + r"\.(?!\w)|" + r"\.".join(each) + r"(?![\w.])"
        return re.compile(rf"(?<![\w.])(?:{dotted})")

    @lazy
    def bare(self) -> re.Pattern[str]:
        return re.compile(
            r"(?<![\w.@&'’])(?<![^\s(\[–—-][-–—])(?<![A-Za-vx-z\d]/)"
            rf"{re.escape(self.capitals)}"
            r"(?![\w@&]|\.\w|[-–]\w|/(?:[a-z]{2,3}\d{0,3}(?!\w)|[A-Z\d])|:[a-z]|['’](?!s(?!\w)))"
        )

    def is_dotted_person(self, text: str, match: re.Match[str]) -> bool:
        """Whether they stand for the person, with full stops."""
        start, end = match.span()
        if self.capitals.lower() in DOTTED:
            return _is_called(text, start) or bool(A_PERSON_DOES.match(text, end))
        return not (
            DEGREE.match(text, start) and NAME_BEFORE.search(text, max(0, start - 40), start)
        )

    def is_bare_person(self, text: str, match: re.Match[str]) -> bool:
        """The same without full stops."""
        start, end = match.span()
        if _is_called(text, start):
            return True
        if self.type == "PATIENT" and _is_a_doctor(text, start, end):
            return False
        if is_abbreviation(self.capitals):
            return not is_word_or_role(self.capitals) and bool(A_PERSON_DOES.match(text, end))
        return len(self.capitals) > 2 or not _is_a_term(text, start, end)


class InitialsFinder:
    """The initials of many people, looked for where capitals stand."""

    def __init__(self, people: Iterable[Person]) -> None:
        """Of people with the same initials the last counts."""
        self._by_capitals = {
            "".join(letters): Initials(letters, person.type)
            for person in people
            for letters in sorted(_forms(person.name))
        }
        self._by_letters = {each.letters: each for each in self._by_capitals.values()}
        self._beginnings = {
            letters[:size] for letters in self._by_letters for size in range(1, len(letters) + 1)
        }

    def find(self, note: NoteIndex) -> Iterator[Found]:
        """Where they stand for somebody."""
        text = note.text
        for capitals, initials in self._by_capitals.items():
            for place in _written(note, capitals):
                match = initials.bare.match(text, place)
                if match and initials.is_bare_person(text, match):
                    yield *match.span(), initials.type
        reached: dict[Initials, int] = {}
        for first in {letters[0] for letters in self._by_letters}:
            for place in _written(note, first):
                for initials in self._dotted_from(text, place, first):
                    match = initials.dotted.match(text, place)
                    if match is None or place < reached.get(initials, 0):
                        continue
                    reached[initials] = match.end()
                    if initials.is_dotted_person(text, match):
                        yield *match.span(), initials.type

    def _dotted_from(self, text: str, place: int, first: str) -> Iterator[Initials]:
        """Those whose letters follow each other from a place on, with full stops between."""
        letters: tuple[str, ...] = (first,)
        place += len(first)
        while letters in self._beginnings:
            if letters in self._by_letters:
                yield self._by_letters[letters]
            following = NEXT_LETTER.match(text, place)
            if following is None:
                return
            letters, place = (*letters, following[1]), following.end()


def _written(note: NoteIndex, capitals: str) -> list[int]:
    """Where a word is these capitals."""
    return [
        place
        for place in note.beginnings({capitals.lower(), capitals})
        if note.text.startswith(capitals, place)
    ]


def _forms(name: str) -> set[tuple[str, ...]]:
    """J S and J Q S; a double name counts as one and as two, particles count or not."""
    last, comma, given = name.lower().partition(",")
    ordered = f"{given} {last}" if comma else last
    forms: set[tuple[str, ...]] = set()
    for pattern in (r"[^\W\d_]+", r"[^\W\d_](?:[^\W\d_]|['’‐‑-])*"):
        words = [word for word in re.findall(pattern, ordered) if word not in SUFFIXES]
        while words and words[0] in COURTESY:
            words.pop(0)
        for kept in (words, [word for word in words if word not in JOINING_PARTICLES]):
            letters = tuple(word[0].upper() for word in kept)
            if 1 < len(letters) <= MOST_LETTERS:
                forms.add(letters)
            if len(letters) > 1:
                forms.add((letters[0], letters[-1]))
    return forms


def _is_called(text: str, start: int) -> bool:
    return CALLED.search(text, max(0, start - 16), start) is not None


def is_titled(text: str, start: int) -> bool:
    """Whether a doctor's or nurse's title stands before the place."""
    return A_DOCTOR.search(text, max(0, start - 12), start) is not None


def _is_a_doctor(text: str, start: int, end: int) -> bool:
    """Somebody of the same initials: "Dr. JS", "JS, RN"."""
    place = end + len(text[end : end + 2]) - len(text[end : end + 2].lstrip(", "))
    return is_titled(text, start) or bool(place > end and DEGREE.match(text, place))


def _is_a_term(text: str, start: int, end: int) -> bool:
    """Whether the words around say that it is none of a person: "JS wave", "type JS", "JS 12"."""
    following = FOLLOWING.match(text, end)
    if following and following["word"].lower() in TERMS:
        return True
    return bool(KIND_BEFORE.search(text, max(0, start - 8), start) or COUNTED.match(text, end))
