"""The surrogates of one note: spans by family, each family replaced together when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from incognote.document import Document, Span
from incognote.replace.operators import Remarked
from incognote.replace.surrogate.date_readings import Order
from incognote.replace.surrogate.dates import Calendar
from incognote.replace.surrogate.internet import Renamed
from incognote.replace.surrogate.kernel import Mention as WordMention
from incognote.replace.surrogate.kernel import mention_at as word_mention_at
from incognote.replace.surrogate.number_shapes import NumberMention, compact
from incognote.replace.surrogate.numbers import NumberSurrogates
from incognote.replace.surrogate.organizations import OrganizationSettings, OrganizationSurrogates
from incognote.replace.surrogate.people import PeopleSurrogates, Renaming
from incognote.replace.surrogate.people_parse import Mention, mention_at
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
ORGANIZATIONS = frozenset({"HOSPITAL", "ORGANIZATION"})
PROFESSIONS = frozenset({"PROFESSION"})
_MOVED = frozenset({"DATE", "AGE"})
_BEFORE = 32

Place = tuple[int, int]


@dataclass(frozen=True)
class Scope:
    """The key, whose dates these are, and whose names, places and numbers."""

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    names: str = field(repr=False)


class NoteSurrogates:
    """What stands in the place of each span of a note."""

    def __init__(
        self, document: Document, scope: Scope, settings: SurrogateSettings, avoided: Avoided
    ) -> None:
        self._document = document
        self._scope = scope
        self._settings = settings
        self._avoided = avoided

    def replace(self, span: Span) -> str | Remarked:
        """The fake of a span, or a tag."""
        if span.type in _MOVED:
            return self._calendar.replace(span)
        plain = compact(span.text)
        new = self._family(span.type).get((span.start, span.end)) if plain else None
        if new is None or compact(new) == plain:
            return Remarked(f"[{span.type}]", TAGGED)
        return new

    def _family(self, type: str) -> dict[Place, str | None]:
        if type in PEOPLE:
            return self._people
        if type in NUMBERS:
            return self._numbers
        if type in PLACES:
            return self._places
        if type in ORGANIZATIONS:
            return self._organizations
        return self._professions if type in PROFESSIONS else {}

    @cached_property
    def _calendar(self) -> Calendar:
        dates, patient = self._settings.dates, self._document.patient
        order: Order | None = dates.order if dates.force_order else None
        if order is None and patient and dates.order != "ymd":
            order = self._avoided.order_of(patient)
        return Calendar(self._document, self._scope.key, self._scope.patient, dates, order)

    def _of(self, types: Container[str]) -> list[Span]:
        return [span for span in self._document.spans if span.type in types]

    @cached_property
    def _renaming(self) -> Renaming:
        text = self._document.text
        people = PeopleSurrogates(
            self._scope.key,
            self._scope.names,
            self._settings.people,
            tuple(Mention(value, type) for type, value in self._document.known if type in PEOPLE),
            self._avoided.words,
        )
        return people.rename(
            [mention_at(text, span.start, span.end, span.type) for span in self._of(PEOPLE)]
        )

    @cached_property
    def _people(self) -> dict[Place, str | None]:
        return _placed(self._of(PEOPLE), self._renaming.texts)

    @cached_property
    def _numbers(self) -> dict[Place, str | None]:
        text = self._document.text
        spans = self._of(NUMBERS)
        mentions = [
            NumberMention(span.text, span.type, text[max(0, span.start - _BEFORE) : span.start])
            for span in spans
        ]
        shown = any(span.type in ("EMAIL", "URL", "USERNAME") for span in spans)
        people = [Renamed(*names) for names in self._renaming.people] if shown else []
        numbers = NumberSurrogates(self._scope.key, self._scope.names, self._avoided.values, people)
        return _placed(spans, numbers.replace_all(mentions))

    @cached_property
    def _places(self) -> dict[Place, str | None]:
        settings = PlaceSettings(self._settings.people.locale)
        scope = self._scope
        places = PlaceSurrogates(scope.key, scope.names, settings, avoid=self._avoided.words)
        return self._replaced(PLACES, places.replace_all)

    @cached_property
    def _organizations(self) -> dict[Place, str | None]:
        settings = OrganizationSettings(self._settings.people.locale)
        scope, avoid = self._scope, self._avoided.words
        organizations = OrganizationSurrogates(scope.key, scope.names, settings, avoid=avoid)
        return self._replaced(ORGANIZATIONS, organizations.replace_all)

    @cached_property
    def _professions(self) -> dict[Place, str | None]:
        settings = ProfessionSettings(self._settings.people.locale)
        scope = self._scope
        jobs = ProfessionSurrogates(scope.key, scope.names, settings, avoid=self._avoided.words)
        return self._replaced(PROFESSIONS, jobs.replace_all)

    def _replaced(
        self, types: Container[str], replace_all: Callable[[list[WordMention]], list[str]]
    ) -> dict[Place, str | None]:
        text = self._document.text
        spans = self._of(types)
        mentions = [word_mention_at(text, span.start, span.end, span.type) for span in spans]
        return _placed(spans, replace_all(mentions))


def _placed(spans: Iterable[Span], texts: Iterable[str | None]) -> dict[Place, str | None]:
    return {(span.start, span.end): text for span, text in zip(spans, texts, strict=True)}
