"""The institutions of one patient's notes: each under one invented name of its kind."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from incognote.replace.surrogate.banks.organizations import organization_bank
from incognote.replace.surrogate.banks.places import PlaceBank, place_bank
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.organizations.acronyms import acronym_fakes
from incognote.replace.surrogate.organizations.reading import (
    LETTERS,
    RINGS,
    STATE,
    initials_of,
    organization_pieces,
)
from incognote.replace.surrogate.places.regions import region_fakes, region_of
from incognote.replace.surrogate.words.letters import cased
from incognote.replace.surrogate.words.mention import Mention
from incognote.replace.surrogate.words.pieces import Piece, Word, words_in, write
from incognote.replace.surrogate.words.proper import inventor, never_same, proper_fakes
from incognote.replace.surrogate.words.scope import Consistent, check_consistent, keyed_for


@dataclass(frozen=True)
class OrganizationSettings:
    """Which bank the fakes are from, and whether an institution keeps its fake over all patients."""

    locale: str = "en_US"
    consistent: Consistent = "patient"

    def __post_init__(self) -> None:
        check_consistent(self.consistent)


@dataclass(frozen=True)
class OrganizationSurrogates:
    """One patient's hospitals and organizations.

    A word of a name has one fake wherever it stands, the same as in a street's name, so that full
    and short names agree. `other_mentions` are further institutions of the patient's notes: they
    tell which name an acronym is of. `avoid` is anything that says whether it holds a word in small
    letters: no fake has one.

    The same key, patient and word give the same fake in any call. What other mentions of a call may
    change: an acronym is that of the fake of a name whose acronym it is.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: OrganizationSettings = field(default_factory=OrganizationSettings)
    other_mentions: Collection[Mention] = field(default=(), repr=False)
    avoid: Container[str] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[Mention]) -> list[str]:
        """What stands in each mention's place."""
        bank = organization_bank(self.settings.locale)
        places = place_bank(self.settings.locale)
        keyed = keyed_for(self.key, self.patient, self.settings.consistent, "places")
        every = [*mentions, *dict.fromkeys(self.other_mentions)]
        initials = initials_of(mention.text for mention in every)
        names = [organization_pieces(mention.text, bank, places, initials) for mention in every]
        words = {word for pieces in names for word in words_in(pieces)}
        letters = {word for word in words if word.kind == LETTERS}
        states = {word for word in words if word.kind == STATE}

        def pool(kind: str) -> tuple[str, ...]:
            return RINGS.get(kind) or bank.kinds.get(kind) or places.values(kind)

        proper = words - letters - states
        fakes = proper_fakes(proper, keyed, pool, inventor(self.settings.locale), self.avoid)
        fakes |= _states(states, keyed, places)
        full = [
            (pieces, [_written(piece, fakes, keyed) for piece in pieces])
            for pieces in names
            if not letters.intersection(words_in(pieces))
        ]
        fakes |= acronym_fakes(letters, full, bank.taken_letters, keyed)
        return [
            never_same(
                "".join(_written(piece, fakes, keyed) for piece in pieces), mention.text, keyed
            )
            for mention, pieces in zip(mentions, names, strict=False)
        ]


def _states(words: Collection[Word], keyed: Keyed, places: PlaceBank) -> dict[Word, str]:
    fakes = region_fakes({word.key for word in words}, keyed, places)
    return {word: region_of(fakes[word.key], places).names[0] for word in words}


def _written(piece: Piece, fakes: Mapping[Word, str], keyed: Keyed) -> str:
    if piece.kind != "word" or not piece.word or piece.word.kind != LETTERS:
        return write([piece], fakes, keyed)
    source = iter(fakes[piece.word])
    letters = (next(source) if letter.isalpha() else letter for letter in piece.text)
    return cased("".join(letters), piece.text) if len(piece.text) > 1 else "".join(letters)
