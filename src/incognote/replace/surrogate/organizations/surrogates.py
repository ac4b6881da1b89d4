"""The institutions of one patient's notes: each under one invented name of its kind."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from incognote.replace.surrogate.banks.organizations import organization_bank
from incognote.replace.surrogate.banks.places import PlaceBank, place_bank
from incognote.replace.surrogate.organizations.acronyms import acronym_fakes
from incognote.replace.surrogate.organizations.reading import (
    LETTERS,
    RINGS,
    STATE,
    initials_of,
    organization_pieces,
)
from incognote.replace.surrogate.organizations.vocabulary import GENERIC
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.places.regions import region_fakes, region_of
from incognote.replace.surrogate.words.claims import Real
from incognote.replace.surrogate.words.letters import cased
from incognote.replace.surrogate.words.mention import Mention
from incognote.replace.surrogate.words.pieces import Piece, Word, words_in, write
from incognote.replace.surrogate.words.proper import never_same, proper_fakes
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
    and short names agree. `taken` are originals found in all of the patient's notes: no fake shares
    a distinctive word with them; as mentions they also tell which name an acronym is of. `avoid` is
    anything that says whether it holds a word in small letters.

    Exact within one call, and between calls whose mentions and `taken` mentions together are the
    same. Very probable between others: a fake differs if the first one holds a real word of one of
    the calls, or if only one of them has the full name of an acronym.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: OrganizationSettings = field(default_factory=OrganizationSettings)
    taken: Collection[str | Mention] = field(default=(), repr=False)
    avoid: Container[str] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[Mention]) -> list[str]:
        """What stands in each mention's place."""
        bank = organization_bank(self.settings.locale)
        places = place_bank(self.settings.locale)
        keyed = keyed_for(self.key, self.patient, self.settings.consistent, "places")
        others = dict.fromkeys(each for each in self.taken if isinstance(each, Mention))
        every = [*mentions, *others]
        plain = [each for each in self.taken if isinstance(each, str)]
        real = Real.of((*(mention.text for mention in every), *plain), GENERIC, self.avoid)
        initials = initials_of(mention.text for mention in every)
        names = [organization_pieces(mention.text, bank, places, initials) for mention in every]
        words = {word for pieces in names for word in words_in(pieces)}
        letters = {word for word in words if word.kind == LETTERS}
        states = {word for word in words if word.kind == STATE}

        def pool(kind: str) -> tuple[str, ...]:
            return RINGS.get(kind) or bank.kinds.get(kind) or places.values(kind)

        fakes = proper_fakes(words - letters - states, keyed, pool, real)
        fakes |= _states(states, keyed, places, real)
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


def _states(
    words: Collection[Word], keyed: Keyed, places: PlaceBank, real: Real
) -> dict[Word, str]:
    codes = {word.key for word in words}
    fakes = region_fakes(codes, codes, keyed, places, real)
    return {word: region_of(fakes[word.key], places).names[0] for word in words}


def _written(piece: Piece, fakes: Mapping[Word, str], keyed: Keyed) -> str:
    if piece.kind != "word" or not piece.word or piece.word.kind != LETTERS:
        return write([piece], fakes, keyed)
    source = iter(fakes[piece.word])
    letters = (next(source) if letter.isalpha() else letter for letter in piece.text)
    return cased("".join(letters), piece.text) if len(piece.text) > 1 else "".join(letters)
