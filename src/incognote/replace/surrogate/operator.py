"""Surrogate: realistic fakes, coherent within a patient's notes and a function of the key.

`FAMILIES` says which types are replaced together, and what makes their fakes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from incognote.document import Document, FieldValue, Order, Span
from incognote.phi import CATEGORIES, OURS, KnownTypes
from incognote.replace.operators import ReplacementWithRemark, Replacer, check_key
from incognote.replace.surrogate.banks.place_bank import PlaceBank, place_bank
from incognote.replace.surrogate.column_numbers import is_same, replace_column_number
from incognote.replace.surrogate.date_shift import DateSettings
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
from incognote.replace.surrogate.regions_towns_zips import zip_letters
from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

TAGGED = "tagged"
EVERYWHERE = "everywhere"
"""Whose names, places and numbers they are where all notes share one fake for each."""
PEOPLE = frozenset({"PATIENT", "DOCTOR"})
NUMBERS = frozenset(
    "SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM PHONE FAX EMAIL URL "
    "IPADDR USERNAME".split()
)
PLACES = frozenset({"STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER"})
JOINED = frozenset(CATEGORIES["ID"])
"""Columns of these types get the same fakes in every table and for every patient, for joins."""
_LOGINS = frozenset({"EMAIL", "URL", "USERNAME"})
_BEFORE = 32

Fake = str | ReplacementWithRemark | None
"""What stands in a span's place; None where no fake can be made."""


@dataclass(frozen=True)
class Surrogate:
    """`Ms. Okafor, 3/14/19` becomes `Ms. Dancy, 8/1/18`.

    What cannot be replaced by a fake gets a tag and a remark: no original is ever kept, except
    ages under 90 and the name of a weekday or month, or a year, that the shift leads back to.
    Values of a site's own types become others of the same shape, as numbers do; those of the
    categories DATE and AGE move as dates and ages do.
    """

    key: bytes = field(repr=False)
    settings: SurrogateSettings = field(default_factory=SurrogateSettings)
    avoided: Avoided = field(default_factory=Avoided, repr=False)
    types: KnownTypes = OURS

    def __post_init__(self) -> None:
        check_key(self.key)

    def begin(self, document: Document) -> Replacer:
        """The fakes of a note."""
        patient = patient_of(document)
        names = EVERYWHERE if self.settings.consistent == "corpus" else patient
        return NoteSurrogates(
            document, Scope(self.key, patient, names), self.settings, self.avoided, self.types
        ).replace


def patient_of(document: Document) -> str:
    """Who the note is about; one that does not tell is about a patient of its own.

    Such a note is known by its text, so that neither its place nor its name changes the fakes; in a
    row whose fields are replaced too, by all of them.
    """
    if document.patient:
        return f"patient {document.patient}"
    if document.row is not None:
        return f"row {document.row.digest}"
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
    """What stands in the place of each span of a note.

    In `document` a date or an age of a site's own type is one of ours.
    """

    def __init__(
        self,
        document: Document,
        scope: Scope,
        settings: SurrogateSettings,
        avoided: Avoided,
        types: KnownTypes = OURS,
    ) -> None:
        if types.own:
            document = document.with_spans(
                replace(span, type=types.as_date_or_age(span.type)) for span in document.spans
            )
        self.document = document
        self.scope = scope
        self.types = types
        self.families = _families(frozenset(types.own))
        self.settings = settings
        self.avoided = avoided
        self._fakes: dict[Family, dict[tuple[int, int], Fake]] = {}

    def replace(self, span: Span) -> str | ReplacementWithRemark:
        """The fake of a span, or a tag."""
        family = self.families.get(self.types.as_date_or_age(span.type))
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
        if isinstance(fake, ReplacementWithRemark) and fake.remark != TAGGED:
            return fake
        return ReplacementWithRemark(f"[{span.type}]", TAGGED)

    def spans_of(self, types: Container[str]) -> list[Span]:
        """The note's spans of these types."""
        return [span for span in self.document.spans if span.type in types]

    def mentions(self, spans: Iterable[Span]) -> list[Mention]:
        """Spans with what stands around them."""
        text = self.document.text
        return [word_mention_at(text, span.start, span.end, span.type) for span in spans]

    @cached_property
    def values(self) -> tuple[FieldValue, ...]:
        """The values of the row's columns, or the one that the document is."""
        document = self.document
        if document.row is not None:
            values, types = document.row.values, self.types
            if not types.own:
                return values
            return tuple(replace(each, type=types.as_date_or_age(each.type)) for each in values)
        return tuple(
            FieldValue(span.type, span.text) for span in document.spans if document.value_type
        )

    @property
    def is_value(self) -> bool:
        """Whether this is no note, but a value in a row."""
        return self.document.value_type is not None and self.document.row is not None

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
            certain=self.document.row is not None,
        )
        spans = self.spans_of(PEOPLE)
        if self.is_value:
            names, fakes = _people_of_row(people)
            if all((span.type, span.text) in fakes for span in spans):
                return Renaming(tuple(fakes[span.type, span.text] for span in spans), names.people)
        return people.rename([mention_at(text, span.start, span.end, span.type) for span in spans])


# The families: which types each replaces, and what makes its fakes.


def _calendar(note: NoteSurrogates, spans: Sequence[Span]) -> Iterable[Fake]:
    dates = note.settings.dates
    order = certain_order(note.document, dates, note.avoided)
    calendar = Calendar(
        note.document, note.scope.key, note.scope.patient, dates, order, note.values
    )
    return map(calendar.replace, spans)


def certain_order(document: Document, dates: DateSettings, avoided: Avoided) -> Order | None:
    """The order of month and day that holds for the note's dates whatever they tell themselves."""
    if dates.force_order:
        return dates.order
    if document.patient and dates.order != "ymd":
        return avoided.order_of(document.patient)
    return None


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
    by_column = dict(_fakes_of_columns(note, mentions))
    others = [mention for mention in mentions if mention not in by_column]
    numbers = NumberSurrogates(scope.key, scope.names, note.avoided.values, people)
    fakes = by_column | dict(zip(others, numbers.replace_all(others), strict=True))
    return [fakes[mention] for mention in mentions]


def _fakes_of_columns(
    note: NoteSurrogates, mentions: Sequence[NumberMention]
) -> Iterator[tuple[NumberMention, str | None]]:
    """Mentions of what stands in an id column of the row, under the fake that it has everywhere."""
    numbers = NumberSurrogates(note.scope.key, EVERYWHERE, note.avoided.values)
    for value in note.values:
        if value.type in JOINED:
            number = NumberMention(value.text, value.type)
            own = [mention for mention in mentions if is_same(number, mention)]
            yield from zip(own, replace_column_number(numbers, number, own), strict=True)


def _places(note: NoteSurrogates, spans: Sequence[Span]) -> Iterable[Fake]:
    settings, scope = PlaceSettings(note.settings.people.locale), note.scope
    others, avoid = _addresses(note.values, settings.locale), note.avoided.words
    places = PlaceSurrogates(scope.key, scope.names, settings, others, avoid)
    if note.is_value:
        fakes = _places_of_row(places)
        return [fakes.get((span.type, span.text)) for span in spans]
    return places.replace_all(note.mentions(spans))


# The columns of a row are replaced one after the other, and what they have in common is made once.


@lru_cache(maxsize=8)
def _people_of_row(people: PeopleSurrogates) -> tuple[Renaming, Mapping[tuple[str, str], str]]:
    """The people of a row under their fakes, and the fake of each name by its type and text."""
    names = list(dict.fromkeys(people.other_mentions))
    renaming = people.rename(names)
    pairs = zip(names, renaming.texts, strict=True)
    return renaming, {(name.type, name.text): fake for name, fake in pairs}


@lru_cache(maxsize=8)
def _places_of_row(places: PlaceSurrogates) -> Mapping[tuple[str, str], str]:
    """The fake of each place of a row by its type and text."""
    mentions = list(places.other_mentions)
    pairs = zip(mentions, places.replace_all(mentions), strict=True)
    return {(mention.type, mention.text): fake for mention, fake in pairs}


@lru_cache(maxsize=8)
def _addresses(values: tuple[FieldValue, ...], locale: str) -> tuple[Mention, ...]:
    """The places of a row, each as if it stood in an address with the others."""
    bank = place_bank(locale)
    return tuple(
        _in_address(value, at, values, bank)
        for at, value in enumerate(values)
        if value.type in PLACES
    )


def _in_address(
    value: FieldValue, at: int, values: Sequence[FieldValue], bank: PlaceBank
) -> Mention:
    """A place with the town and the state that stand nearest to it among the columns. Without a
    column of states, the ZIP says which one it is.
    """

    def nearest(type: str) -> str:
        places = [place for place, other in enumerate(values) if other.type == type]
        place = min(places, key=lambda place: (abs(place - at), place < at), default=None)
        return "" if place is None else values[place].text

    zip = nearest("ZIP")
    if value.type == "CITY" and (state := nearest("STATE") or zip_letters(zip, bank)):
        return Mention(value.text, value.type, after=f", {state} {zip}".rstrip())
    if value.type == "ZIP" and (state := nearest("STATE")):
        return Mention(value.text, value.type, before=f"{nearest('CITY')}, {state} ")
    return Mention(value.text, value.type)


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


@lru_cache(maxsize=8)
def _families(codes: frozenset[str]) -> Mapping[str, Family]:
    """The family of each type; a site's own codes are replaced with the numbers."""
    if not codes:
        return _FAMILY_OF
    numbers = _NUMBERS._replace(types=_NUMBERS.types | codes)
    return {**_FAMILY_OF, **dict.fromkeys(numbers.types, numbers)}
