"""Surrogate: realistic fakes, coherent within a patient's notes and a function of the key.

`FAMILIES` says which types are replaced together, and what makes their fakes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from incognote.document import Document, Span
from incognote.replace.operators import ReplacementWithRemark, Replacer, check_key
from incognote.replace.surrogate.date_readings import Order
from incognote.replace.surrogate.dates import Calendar
from incognote.replace.surrogate.internet import Renamed
from incognote.replace.surrogate.kernel import Mention
from incognote.replace.surrogate.kernel import mention_at as word_mention_at
from incognote.replace.surrogate.number_shapes import NumberMention, compact
from incognote.replace.surrogate.numbers import NumberSurrogates
from incognote.replace.surrogate.organizations import OrganizationSettings, OrganizationSurrogates
from incognote.replace.surrogate.people import PeopleSurrogates, Renaming
from incognote.replace.surrogate.people_parse import PersonMention, mention_at
from incognote.replace.surrogate.places import PlaceSettings, PlaceSurrogates
from incognote.replace.surrogate.professions import ProfessionSettings, ProfessionSurrogates
from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

TAGGED = "tagged"
PEOPLE = frozenset({"PATIENT", "DOCTOR"})
NUMBERS = frozenset(
    "SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM PHONE FAX EMAIL URL "
    "IPADDR USERNAME".split()
)
PLACES = frozenset({"STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER"})
_LOGINS = frozenset({"EMAIL", "URL", "USERNAME"})
_BEFORE = 32

Fake = str | ReplacementWithRemark | None
"""What stands in a span's place; None where no fake can be made."""


@dataclass(frozen=True)
class Surrogate:
    """`Ms. Okafor, 3/14/19` becomes `Ms. Dancy, 8/1/18`.

    What cannot be replaced by a fake gets a tag and a remark: no original is ever kept, except
    ages under 90 and the name of a weekday or month, or a year, that the shift leads back to.
    Values of the site's own types, `codes`, become others of the same shape, as numbers do.
    """

    key: bytes = field(repr=False)
    settings: SurrogateSettings = field(default_factory=SurrogateSettings)
    avoided: Avoided = field(default_factory=Avoided, repr=False)
    codes: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_key(self.key)

    def begin(self, document: Document) -> Replacer:
        """The fakes of a note."""
        patient = patient_of(document)
        names = "everywhere" if self.settings.consistent == "corpus" else patient
        return NoteSurrogates(
            document, Scope(self.key, patient, names), self.settings, self.avoided, self._families
        ).replace

    @cached_property
    def _families(self) -> Mapping[str, Family]:
        """The family of each type; the site's own types are replaced with the numbers."""
        if not self.codes:
            return _FAMILY_OF
        numbers = _NUMBERS._replace(types=_NUMBERS.types | self.codes)
        return {**_FAMILY_OF, **dict.fromkeys(numbers.types, numbers)}


def patient_of(document: Document) -> str:
    """Who the note is about; one that does not tell is about a patient of its own.

    Such a note is known by its text, so that neither its place nor its name changes the fakes.
    """
    if document.patient:
        return f"patient {document.patient}"
    text = document.text.encode("utf-8", "surrogatepass")
    return f"note {hashlib.sha256(text).hexdigest()}"


# The fakes of one note. The spans of a family are replaced together, when the first is asked for.


@dataclass(frozen=True)
class Scope:
    """The key, whose dates these are, and whose names, places and numbers."""

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    names: str = field(repr=False)


class Family(NamedTuple):
    """Types that are replaced together. Dates and ages move, and may come out as they were."""

    types: frozenset[str]
    fakes: Callable[[NoteSurrogates, Sequence[Span]], Iterable[Fake]]
    moves: bool = False


class NoteSurrogates:
    """What stands in the place of each span of a note."""

    def __init__(
        self,
        document: Document,
        scope: Scope,
        settings: SurrogateSettings,
        avoided: Avoided,
        families: Mapping[str, Family],
    ) -> None:
        self.document = document
        self.scope = scope
        self.families = families
        self.settings = settings
        self.avoided = avoided
        self._fakes: dict[Family, dict[tuple[int, int], Fake]] = {}

    def replace(self, span: Span) -> str | ReplacementWithRemark:
        """The fake of a span, or a tag."""
        family = self.families.get(span.type)
        plain = compact(span.text)
        if family is None or not (plain or family.moves):
            return ReplacementWithRemark(f"[{span.type}]", TAGGED)
        if family not in self._fakes:
            spans = self.spans_of(family.types)
            places = ((each.start, each.end) for each in spans)
            self._fakes[family] = dict(zip(places, family.fakes(self, spans), strict=True))
        fake = self._fakes[family].get((span.start, span.end))
        if isinstance(fake, str) and (family.moves or compact(fake) != plain):
            return fake
        return (
            fake
            if isinstance(fake, ReplacementWithRemark)
            else ReplacementWithRemark(f"[{span.type}]", TAGGED)
        )

    def spans_of(self, types: Container[str]) -> list[Span]:
        """The note's spans of these types."""
        return [span for span in self.document.spans if span.type in types]

    def mentions(self, spans: Iterable[Span]) -> list[Mention]:
        """Spans with what stands around them."""
        text = self.document.text
        return [word_mention_at(text, span.start, span.end, span.type) for span in spans]

    @cached_property
    def renaming(self) -> Renaming:
        """The note's people under their fakes, which logins and e-mail addresses show too."""
        text = self.document.text
        people = PeopleSurrogates(
            self.scope.key,
            self.scope.names,
            self.settings.people,
            tuple(
                PersonMention(value, type) for type, value in self.document.known if type in PEOPLE
            ),
            self.avoided.words,
        )
        return people.rename(
            [mention_at(text, span.start, span.end, span.type) for span in self.spans_of(PEOPLE)]
        )


# The families: which types each replaces, and what makes its fakes.


def _calendar(note: NoteSurrogates, spans: Sequence[Span]) -> Iterable[Fake]:
    dates, patient = note.settings.dates, note.document.patient
    order: Order | None = dates.order if dates.force_order else None
    if order is None and patient and dates.order != "ymd":
        order = note.avoided.order_of(patient)
    calendar = Calendar(note.document, note.scope.key, note.scope.patient, dates, order)
    return map(calendar.replace, spans)


def _people(note: NoteSurrogates, spans: Sequence[Span]) -> Iterable[Fake]:
    return note.renaming.texts


def _numbers(note: NoteSurrogates, spans: Sequence[Span]) -> Iterable[Fake]:
    text = note.document.text
    mentions = [
        NumberMention(span.text, span.type, text[max(0, span.start - _BEFORE) : span.start])
        for span in spans
    ]
    has_logins = any(span.type in _LOGINS for span in spans)
    people = [Renamed(*names) for names in note.renaming.people] if has_logins else []
    scope = note.scope
    return NumberSurrogates(scope.key, scope.names, note.avoided.values, people).replace_all(
        mentions
    )


def _places(note: NoteSurrogates, spans: Sequence[Span]) -> Iterable[Fake]:
    settings, scope = PlaceSettings(note.settings.people.locale), note.scope
    places = PlaceSurrogates(scope.key, scope.names, settings, avoid=note.avoided.words)
    return places.replace_all(note.mentions(spans))


def _organizations(note: NoteSurrogates, spans: Sequence[Span]) -> Iterable[Fake]:
    settings, scope = OrganizationSettings(note.settings.people.locale), note.scope
    names = OrganizationSurrogates(scope.key, scope.names, settings, avoid=note.avoided.words)
    return names.replace_all(note.mentions(spans))


def _professions(note: NoteSurrogates, spans: Sequence[Span]) -> Iterable[Fake]:
    settings, scope = ProfessionSettings(note.settings.people.locale), note.scope
    jobs = ProfessionSurrogates(scope.key, scope.names, settings, avoid=note.avoided.words)
    return jobs.replace_all(note.mentions(spans))


_NUMBERS = Family(NUMBERS, _numbers)
FAMILIES = (
    Family(PEOPLE, _people),
    Family(PLACES, _places),
    Family(frozenset({"HOSPITAL", "ORGANIZATION"}), _organizations),
    Family(frozenset({"PROFESSION"}), _professions),
    Family(frozenset({"DATE", "AGE"}), _calendar, moves=True),
    _NUMBERS,
)
_FAMILY_OF = {type: family for family in FAMILIES for type in family.types}
