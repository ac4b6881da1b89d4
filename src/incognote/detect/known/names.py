"""The names of a table in a note: whole, in part, with a slip of the pen, or in initials.

Of initials, capitals that mean nothing else in notes are the person's, but for places where another
sense is plain ("JS wave", "type JS", "JS-1", "Dr. JS"). Those that do (MS, AF, CT) are the person's
only where no thing could stand ("MS denies", "AF's wife", "Mr. CT").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from incognote.detect.known.full_names import COURTESY, full_names
from incognote.detect.known.values import TypedPlace, searches
from incognote.detect.name_mentions import Person, Token, index_of, mentions
from incognote.detect.note_index import NoteIndex, lazy
from incognote.detect.pattern import Pattern
from incognote.detect.propagate import is_name
from incognote.detect.rules.names.reader import DEGREE
from incognote.knowledge.lexicon import (
    ACRONYMS,
    BRANDS,
    EPONYM_NOUNS,
    EPONYMS,
    NEVER_NAMES,
    is_ordinary,
)
from incognote.knowledge.people import JOINING_PARTICLES, SUFFIXES
from incognote.knowledge.places import PROVINCE_CODES, STATE_CODES

SHORTEST_MISSPELT = 5
MOST_SLIPS = 2
BEGINNING = 12
"""Letters of a name that are looked at before all are compared."""

COMPOUND = Pattern(r"(?<![^\W\d_])[^\W\d_]{2,}+(?:[-‐‑][^\W\d_]{2,}+)+")
UMLAUTS = (("ü", "ue"), ("ö", "oe"), ("ä", "ae"), ("ø", "oe"), ("å", "aa"))


def find_names(names: Sequence[tuple[str, str]]) -> Callable[[NoteIndex], Iterator[TypedPlace]]:
    """A finder for all the names of a row together."""
    people = [Person(name, type, 1.0) for type, name in names]
    index = index_of([*people, *_respelled(people)])
    patients_last = sorted(people, key=lambda person: person.type == "PATIENT")
    initials = InitialsFinder(patients_last)
    misspellings = Misspellings(index)
    whole = searches(each for type, name in names for each in full_names(type, name))

    def find(note: NoteIndex) -> Iterator[TypedPlace]:
        text = note.text
        vocabulary = {
            word for word in note.vocabulary if word in index or misspellings.may_have(word)
        }
        slips: dict[str, Person | None] = {}

        def lookup(token: Token) -> Person | None:
            exact = index.get(token.key)
            if exact is not None or not text[token.start].isupper():
                return exact
            if token.key not in slips:
                part = misspellings.match(token.key)
                slips[token.key] = None if part is None else index[part]
            return slips[token.key]

        for mention in mentions(note, vocabulary, lookup):
            if is_name(text, mention):
                yield mention.start, mention.end, mention.person.type
        yield from initials.find(note)
        for search in whole:
            yield from search.find(note)

    return find


def _respelled(people: Sequence[Person]) -> Iterator[Person]:
    """Müller is also written Mueller, Jean-Baptiste also Jeanbaptiste."""
    for person in people:
        name = person.name.lower()
        for letter, letters in UMLAUTS:
            name = name.replace(letter, letters)
        if name != person.name.lower():
            yield Person(name, person.type, person.score)
        for compound in COMPOUND.findall(person.name):
            yield Person(re.sub("[-‐‑]", "", compound), person.type, person.score)
        for apart in re.findall(r"(?<!\w)[A-Za-z]{1,2}['’]([^\W\d_]{4,})", person.name):
            yield Person(apart, person.type, person.score)


class Misspellings:
    """Which of many names a word misses by a letter, or by two in a long name.

    Two words that differ by so little are the same once that many letters, or fewer, are left out
    of the beginning of each. So every name is remembered by what is left of its beginning, and
    only names that share such a rest with a word are compared with it.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [name for name in names if len(name) >= SHORTEST_MISSPELT]
        self._firsts = frozenset(name[0] for name in self._names)

    @lazy
    def _by_rest(self) -> dict[str, list[int]]:
        by_rest: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            for rest in _rests(name, _allowed(name)):
                by_rest.setdefault(rest, []).append(number)
        return by_rest

    def may_have(self, word: str) -> bool:
        """Whether a word is long enough, and begins as one of the names does."""
        return len(word) >= SHORTEST_MISSPELT and word[0] in self._firsts

    def match(self, word: str) -> str | None:
        """The first of the names that the word may be meant as."""
        if not self.may_have(word) or is_ordinary(word) or word in EPONYMS or word in BRANDS:
            return None
        from rapidfuzz.distance import OSA  # most runs know no names, and this takes long to load

        near = {
            number
            for rest in _rests(word, MOST_SLIPS)
            if rest in self._by_rest
            for number in self._by_rest[rest]
        }
        for name in (self._names[number] for number in sorted(near)):
            allowed = _allowed(name)
            if abs(len(name) - len(word)) <= allowed and (
                OSA.distance(name, word, score_cutoff=allowed) <= allowed
            ):
                return name
        return None


def _allowed(name: str) -> int:
    """How many letters may be wrong."""
    return 1 if len(name) < 8 else MOST_SLIPS


def _rests(word: str, most: int) -> Iterator[str]:
    """The beginning of a word without any of its letters but the first, `most` or fewer of them."""
    first, rest = word[0], word[1:BEGINNING]
    for count in range(min(most, len(rest)) + 1):
        for letters in combinations(rest, len(rest) - count):
            yield first + "".join(letters)


# Initials: J.S., J.Q.S., and JS where it stands as a person would

TERMS = EPONYM_NOUNS | frozenset(
    "antibody antibodies antigen code form gene interval level levels mode panel phase ratio segment "
    "series strain therapy titer type wave waves".split()
)
_KIN = (
    r"(?:wife|husband|spouse|partner|mother|father|mom|dad|parents?|son|daughter|children|sister|"
    r"brother|aunt|uncle|niece|nephew|cousin|friend|girlfriend|boyfriend|guardian|caregiver|"
    r"family(?! (?:history|hx|medicine|planning)))\b"
)
COURTESY_BEFORE = Pattern(
    r"(?<!\w)(?:(?:M[rsx]|Mrs|Miss|MR|MRS)\.?|[Ii]nitials(?: are| is|:|,)?)[ ]$"
)
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
FIGURE_AFTER = Pattern(
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

    def find(self, note: NoteIndex) -> Iterator[TypedPlace]:
        """Where they stand for somebody."""
        text = note.text
        for capitals, initials in self._by_capitals.items():
            for place in _capitals_at(note, capitals):
                match = initials.bare.match(text, place)
                if match and initials.is_bare_person(text, match):
                    yield *match.span(), initials.type
        reached: dict[Initials, int] = {}
        for first in {letters[0] for letters in self._by_letters}:
            for place in _capitals_at(note, first):
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


def _capitals_at(note: NoteIndex, capitals: str) -> list[int]:
    """Where a word is these capitals."""
    return [
        place
        for place in note.beginnings({capitals.lower(), capitals})
        if note.text.startswith(capitals, place)
    ]


def _forms(name: str) -> set[tuple[str, ...]]:
    """J S and J Q S; a double name counts as one and as two, particles count or not."""
    last, comma, first_names = name.lower().partition(",")
    ordered = f"{first_names} {last}" if comma else last
    forms: set[tuple[str, ...]] = set()
    for pattern in (r"[^\W\d_]+", r"[^\W\d_](?:[^\W\d_]|['’‐‑-])*"):
        words = [word for word in re.findall(pattern, ordered) if word not in SUFFIXES]
        while words and words[0] in COURTESY:
            words.pop(0)
        for counting in (words, [word for word in words if word not in JOINING_PARTICLES]):
            letters = tuple(word[0].upper() for word in counting)
            if 1 < len(letters) <= MOST_LETTERS:
                forms.add(letters)
            if len(letters) > 1:
                forms.add((letters[0], letters[-1]))
    return forms


def _is_called(text: str, start: int) -> bool:
    return COURTESY_BEFORE.search(text, max(0, start - 16), start) is not None


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
    return bool(KIND_BEFORE.search(text, max(0, start - 8), start) or FIGURE_AFTER.match(text, end))


# Capitals that mean something else in a note than somebody's initials

TWO_LETTERS = frozenset(
    "ab ac ad ae af ag ai aj ak al am ao ap ar as at au av ax ba bb bc bd be bf bg bh bi bk bl bm "
    "bn bp br bs bt bw bx ca cb cc cd cf cg ch ci ck cl cm cn co cp cq cr cs ct cu cv cx da dc dd "
    "df di dl dm dn do dp dr ds dt du dv dx dz ea ec ed ee ef eg ei em en eo ep er es et ev ew fa "
    "fb fc fe ff fh fm fn fr fs ft fu fx ga gb gc ge gf gi gm gn gp gt gu gv gy ha hb hc hd he hf "
    "hh hi hl hm hn ho hp hr hs ht hu hv hx ia ic id ie ig ii ij il im in io ip ir is it iu iv ix "
    "jp jr kg km kt kv la lb ld le lf lh ll lm ln lp lr ls lt lv ma mb mc md me mg mh mi mj ml mm "
    "mo mp mr ms mt mu mv mx na nb nc nd ng nh ni nk nl nm no np nr ns nt nw ny oa ob oc od of og "
    "oh ok om on op or os ot ou ov ox oz pa pb pc pd pe pf ph pi pk pl pm pn po pp pr ps pt pv px "
    "qa qc qd qi qr qs qt ra rb rc rd re rf rh rl rm rn ro rp rr rs rt rv rw rx sa sb sc sd se sf "
    "sh si sl sm sn so sp sq sr ss st sv sw sx sz ta tb tc td te tf tg th ti tm tn tp tr ts tt tv "
    "tx ty ua uc ue uf uk ul um un uo up ur us ut uv va vb vc vd ve vf vh vi vk vl vm vp vr vs vt "
    "wb we wf wk wm wn wt xi xl xr xs xx xy yo yr zn".split()
)
"""Findings, drugs, units, wards, professions, degrees, and the short words of English."""

WORDS_AND_ROLES = frozenset(
    "am an as at be by do go he hi if in is it me my no of oh ok on or so to up us we "
    "cc dr ed ep er gp id ir jr ma md mr np ob op ot pa pr pt rn rt sn sr st sw".split()
)
"""Those that do what people do ("RN called", "PT tolerated it well")."""

DOTTED = frozenset("am pm po iv im us uk md do rn np pa".split())
"""Those that are as often written with full stops."""

_CODES = frozenset(code.lower() for code in STATE_CODES | PROVINCE_CODES)


def is_abbreviation(capitals: str) -> bool:
    """Whether the capitals are known to stand for something else."""
    small = capitals.lower()
    known = small in ACRONYMS or small in NEVER_NAMES or small in TWO_LETTERS or small in _CODES
    return known or is_ordinary(small)


def is_word_or_role(capitals: str) -> bool:
    """Whether they may do in a sentence what a person does: "HE", "AND", "RN"."""
    small = capitals.lower()
    word = small in NEVER_NAMES or is_ordinary(small)
    return word if len(small) > 2 else small in WORDS_AND_ROLES
