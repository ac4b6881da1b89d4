"""A given name in initials: J.S., J.Q.S., and JS where it stands as a person would.

Capitals that mean nothing else in notes are the person's, but for places where another sense is
plain ("JS wave", "type JS", "JS-1", "Dr. JS"). Those that do (MS, AF, CT) are the person's only
where no thing could stand ("MS denies", "AF's wife", "Mr. CT").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from incognote.detect.known.abbreviations import DOTTED, is_abbreviation, is_word_or_role
from incognote.detect.lexicon import EPONYM_NOUNS
from incognote.detect.pattern import Pattern
from incognote.detect.people import PARTICLES, SUFFIXES, Person
from incognote.detect.rules.names.degrees import DEGREE

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

    capitals: str
    type: str
    dotted: re.Pattern[str]
    bare: re.Pattern[str]

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where they stand for the person."""
        for match in self.dotted.finditer(text):
            if self._dotted_person(text, match):
                yield *match.span(), self.type
        for match in self.bare.finditer(text):
            if self._bare_person(text, *match.span()):
                yield *match.span(), self.type

    def _dotted_person(self, text: str, match: re.Match[str]) -> bool:
        start, end = match.span()
        if self.capitals.lower() in DOTTED:
            return _is_called(text, start) or bool(A_PERSON_DOES.match(text, end))
        return not (
            DEGREE.match(text, start) and NAME_BEFORE.search(text, max(0, start - 40), start)
        )

    def _bare_person(self, text: str, start: int, end: int) -> bool:
        if _is_called(text, start):
            return True
        if self.type == "PATIENT" and _is_a_doctor(text, start, end):
            return False
        if is_abbreviation(self.capitals):
            return not is_word_or_role(self.capitals) and bool(A_PERSON_DOES.match(text, end))
        return len(self.capitals) > 2 or not _is_a_term(text, start, end)


def initials_of(person: Person) -> Iterator[Initials]:
    """The first letters of all names, and of the first and the last one."""
    for letters in sorted(_forms(person.name)):
        each = [re.escape(letter) for letter in letters]
        dotted = r"\.[ ]?".join(each) + r"\.(?!\w)|" + r"\.".join(each) + r"(?![\w.])"
        yield Initials(
            "".join(letters),
            person.type,
            re.compile(rf"(?<![\w.])(?:{dotted})"),
            re.compile(
                rf"(?<![\w.@&'’])(?<![^\s(\[–—-][-–—])(?<![A-Za-vx-z\d]/){''.join(each)}"
                r"(?![\w@&]|\.\w|[-–]\w|/(?:[a-z]{2,3}\d{0,3}(?!\w)|[A-Z\d])|:[a-z]|['’](?!s(?!\w)))"
            ),
        )


def _forms(name: str) -> set[tuple[str, ...]]:
    """J S and J Q S; a double name counts as one and as two, particles count or not."""
    last, comma, given = name.lower().partition(",")
    ordered = f"{given} {last}" if comma else last
    forms = set()
    for pattern in (r"[^\W\d_]+", r"[^\W\d_](?:[^\W\d_]|['’‐‑-])*"):
        words = [word for word in re.findall(pattern, ordered) if word not in SUFFIXES]
        while words and words[0] in COURTESY:
            words.pop(0)
        for kept in (words, [word for word in words if word not in PARTICLES]):
            letters = tuple(word[0].upper() for word in kept)
            if len(letters) > 1:
                forms |= {letters, (letters[0], letters[-1])}
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
