"""The institutions of one patient's notes: each under one invented name of its kind.

>>> notes = OrganizationSurrogates(b"a secret of the site", "patient 17")
>>> names = ("Harlan Creek Medical Center", "HCMC", "Harlan Creek ED")
>>> notes.replace_all([Mention(name, "HOSPITAL") for name in names])
['Leighonlow Divide Medical Center', 'LDMC', 'Leighonlow Divide ED']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from incognote.knowledge.facilities import (
    DENOMINATIONS,
    DEVOUT,
    FUNCTION_WORDS,
    GENERIC,
    KINDS,
    LEGAL,
    LETTERS_KEPT,
    SAINT_WORDS,
    SPANISH,
    WOMEN_SAINTS,
)
from incognote.knowledge.letters import cased, fold, key_of, word_keys
from incognote.knowledge.number_words import NUMBERS_IN_NAMES, ORDINALS_IN_NAMES
from incognote.replace.surrogate.banks.place_bank import PlaceBank, place_bank
from incognote.replace.surrogate.banks.word_banks import OrganizationBank, organization_bank
from incognote.replace.surrogate.kernel import (
    Consistent,
    Keyed,
    Mention,
    apart,
    check_consistent,
    keyed_for,
)
from incognote.replace.surrogate.proper_words import (
    Piece,
    Word,
    inventor,
    never_same,
    pieces_of,
    proper_fakes,
    words_in,
    write,
)
from incognote.replace.surrogate.regions_towns_zips import region_fakes, region_of


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
            (pieces, [_write_piece(piece, fakes, keyed) for piece in pieces])
            for pieces in names
            if not letters.intersection(words_in(pieces))
        ]
        fakes |= acronym_fakes(letters, full, bank.taken_letters, keyed)
        return [
            never_same(
                "".join(_write_piece(piece, fakes, keyed) for piece in pieces), mention.text, keyed
            )
            for mention, pieces in zip(mentions, names, strict=False)
        ]


def _states(words: Collection[Word], keyed: Keyed, places: PlaceBank) -> dict[Word, str]:
    fakes = region_fakes({word.key for word in words}, keyed, places)
    return {word: region_of(fakes[word.key], places).names[0] for word in words}


def _write_piece(piece: Piece, fakes: Mapping[Word, str], keyed: Keyed) -> str:
    if piece.kind != "word" or not piece.word or piece.word.kind != LETTERS:
        return write([piece], fakes, keyed)
    source = iter(fakes[piece.word])
    letters = (next(source) if letter.isalpha() else letter for letter in piece.text)
    return cased("".join(letters), piece.text) if len(piece.text) > 1 else "".join(letters)


# The name of an institution in pieces: what it is stays, which one it is changes.

LETTERS = "letters"
STATE = "state"
SAINTES = (
    "Apollonia", "Bathild", "Benedicta", "Brigid", "Clotilde", "Dorothea", "Dymphna", "Edith", "Eulalia",
    "Genevieve", "Gertrude", "Hedwig", "Hilda", "Leocadia", "Ludmila", "Maura", "Melania", "Mildred",
    "Odile", "Perpetua", "Philomena", "Prisca", "Radegund", "Rosalia", "Scholastica", "Tatiana",
    "Thecla", "Theodora", "Ursula", "Walburga", "Winifred", "Zita",
)  # fmt: skip
DIRECTIONS = ("North", "South", "East", "West")
QUARTERS = ("Northern", "Southern", "Eastern", "Western")
WARDS = ("N", "E", "S", "W")
SWAPS = {
    "university": "Collegiate", "childrens": "Pediatric", "womens": "Maternity", "county": "District",
    "district": "County", "city": "Municipal", "community": "Neighborhood", "state": "Commonwealth",
    "veterans": "Servicemen's", "hospital": "Infirmary", "clinic": "Dispensary", "public": "Civic",
    "pharmacy": "Apothecary", "church": "Chapel", "school": "Academy", "college": "Institute",
    "heart": "Cardiac", "cancer": "Oncology", "eye": "Vision", "police": "Constabulary",
    "women": "Mothers", "children": "Youth", "national": "Federal", "family": "Household",
    "pediatrics": "Children's", "senior": "Elder",
}  # fmt: skip
"""For names that have no word of their own: another word that says the same."""
RINGS = {
    "directions": DIRECTIONS, "quarters": QUARTERS, "wards": WARDS, "numbers": NUMBERS_IN_NAMES,
    "ordinals": ORDINALS_IN_NAMES,
}  # fmt: skip
_RING_OF = {word.lower(): ring for ring, words in RINGS.items() for word in words}
RINGS["saintes"] = SAINTES
_VOWEL = re.compile(r"[aeiouy]")
_ALONE, _LONGEST = 5, 6
_FARTHEST = 2 * max(map(len, LEGAL)) + 2
"""So many pieces from a letter nothing belongs to a company's form of which it is one."""
_DOTTED = re.compile(r"\s*(?:[^\W\d_]\.\s?){2,6}\W*")


def initials_of(texts: Iterable[str]) -> frozenset[str]:
    """The first letters of full names, so that `OSUWMC` is known for an acronym."""
    initials = set()
    for text in texts:
        words = word_keys(text)
        large = [word for word in words if word not in FUNCTION_WORDS]
        if len(large) > 1:
            initials |= {"".join(word[0] for word in each) for each in (words, large)}
    return frozenset(initials)


def organization_pieces(
    text: str, bank: OrganizationBank, places: PlaceBank, initials: Collection[str] = ()
) -> list[Piece]:
    """The pieces of a name; at least one of them changes. `initials` are those of full names."""
    if bank.kind_of.get(key_of(text)) == "services":
        return [Piece(text, "kept", key_of(text)).as_word("services")]
    pieces = _join(pieces_of(text, lambda key: key in GENERIC), text, places)
    tokens = [place for place, piece in enumerate(pieces) if piece.kind != "gap"]
    words = [place for place in tokens if pieces[place].kind == "kept"]
    spanish = any(pieces[place].key in SPANISH for place in words)
    for order, place in enumerate(words):
        near = words[:order] if order < 3 else [*words[:2], words[order - 1]]
        before = [pieces[each].key for each in near]
        kind = _kind(pieces, place, before, len(words), text, bank)
        if len(words) == 1 and len(pieces[place].key) > 2 and pieces[place].key in initials:
            kind = LETTERS
        last = place == words[-1]
        if not kind and not _stays(pieces, place, len(words), last, places):
            kind = "spanish" if spanish else places.kind_of(pieces[place].key)
        if kind:
            pieces[place] = pieces[place].as_word(kind)
    return _changed(pieces, words)


def _join(pieces: list[Piece], text: str, places: PlaceBank) -> list[Piece]:
    """States in one piece (`New Jersey`), and so letters with full stops (`M.G.H.`)."""
    if _DOTTED.fullmatch(text):
        core = text.strip()
        return [Piece(core, "kept", "".join(letter for letter in core.lower() if letter.isalpha()))]
    result: list[Piece] = []
    place = 0
    while place < len(pieces):
        for width in (3, 1):
            some = pieces[place : place + width]
            name = "".join(piece.text for piece in some)
            whole = bool(some[0].key and some[-1].key) and len(name) > 3
            region = places.region_names.get(key_of(name)) if whole else None
            if region and region.code.startswith("US-") and key_of(name) == key_of(region.names[0]):
                result.append(Piece(name, "kept", region.code).as_word(STATE))
                break
        else:
            width = 1
            result.append(pieces[place])
        place += width
    return result


def _kind(
    pieces: list[Piece],
    place: int,
    before: list[str],
    words: int,
    text: str,
    bank: OrganizationBank,
) -> str:
    """The kind of a word that its place or its own meaning tells; none if neither does.

    `before` are the first two words of the name, and the last one before this.
    """
    piece = pieces[place]
    if piece.kind == "word":
        return STATE
    if len(piece.key) == 1:
        return _single(pieces, place)
    if before and before[-1] in SAINT_WORDS and piece.key not in SAINT_WORDS:
        return "saintes" if before[-1] in WOMEN_SAINTS else "saints"
    if before and before[-1] in DEVOUT:
        return "devotions"
    if len(before) > 1 and before[:2] == ["our", "lady"] and piece.key not in FUNCTION_WORDS:
        return "" if piece.key in KINDS else "ladies"
    kind = bank.kind_of.get(piece.key) or _RING_OF.get(piece.key, "")
    if kind:
        return kind
    return LETTERS if _is_acronym(piece, words, text) else ""


def _single(pieces: list[Piece], place: int) -> str:
    """A letter: of a ward (5W), of a company's form (P.C.), or an initial."""
    piece = pieces[place]
    if place and pieces[place - 1].kind == "digits":
        return "wards" if piece.key in "nesw" else LETTERS
    start = end = place
    first, last = max(1, place - _FARTHEST), min(len(pieces), place + _FARTHEST)
    while start > first and pieces[start - 1].text == "." and len(pieces[start - 2].key) == 1:
        start -= 2
    while end + 2 < last and pieces[end + 1].text == "." and len(pieces[end + 2].key) == 1:
        end += 2
    run = "".join(each.key for each in pieces[start : end + 1])
    return "" if run in LEGAL or piece.key in FUNCTION_WORDS | LETTERS_KEPT else LETTERS


def _is_acronym(piece: Piece, words: int, text: str) -> bool:
    length = len(piece.key)
    if not 2 <= length <= _LONGEST or not piece.key.isalpha():
        return False
    if words > 1 and piece.key in SAINT_WORDS:
        return False
    if words == 1 and length <= _ALONE and (piece.text.isupper() or not _VOWEL.search(piece.key)):
        return True
    if piece.key in LETTERS_KEPT or piece.key in KINDS or not piece.text.isupper():
        return "." in piece.text
    return not text.isupper() or not _VOWEL.search(piece.key)


def _stays(pieces: list[Piece], place: int, words: int, last: bool, places: PlaceBank) -> bool:
    """Whether a word only says what an institution is. `Mill` does at the end, not before."""
    key = pieces[place].key
    if len(key) == 1:
        return True
    if words == 1 and key in DENOMINATIONS | SAINT_WORDS:
        return False
    if key in places.word_kinds and not last:
        return False
    compound = place + 1 < len(pieces) and pieces[place + 1].kind == "kept"
    return key in GENERIC and not compound


def _changed(pieces: list[Piece], words: list[int]) -> list[Piece]:
    """`University Hospital` has no word of its own: then one that says what it is changes."""
    if any(piece.kind in ("word", "digits", "ordinal") for piece in pieces):
        return pieces
    swapped = [place for place in words if pieces[place].key in SWAPS]
    own = [place for place in words if pieces[place].key not in FUNCTION_WORDS] or words
    if swapped:
        piece = pieces[swapped[0]]
        pieces[swapped[0]] = Piece(piece.text, "fixed", cased(SWAPS[piece.key], piece.text))
    elif own:
        pieces[own[0]] = pieces[own[0]].as_word("made")
    else:
        text = "".join(piece.text for piece in pieces)
        return [*pieces, Piece("", "word", text).as_word("made")]
    return pieces


# Acronyms: of an institution that the notes name in full, those of its fake; else other letters.

_ALPHABET = "ABCDEFGHJKLMNPRSTVW"
_TAILS = ("MC", "H", "C")
"""What tells that letters are of a medical center, a hospital or a clinic."""


def acronym_fakes(
    letters: Collection[Word],
    names: Iterable[tuple[Sequence[Piece], Sequence[str]]],
    avoid: Collection[str],
    keyed: Keyed,
) -> dict[Word, str]:
    """Letters for each acronym. `names` are full names in pieces, and the same pieces as written."""
    by_key = {word.key: word for word in letters}
    readings: dict[Word, set[str]] = {}
    for pieces, texts in names:
        for key, fake in _initials(pieces, texts).items():
            if key in by_key and fold(fake) != key:
                readings.setdefault(by_key[key], set()).add(fake)

    def wish(word: Word) -> Callable[[int], str | None]:
        def fitting(turn: int) -> str | None:
            fake = _draw(word.key, turn, keyed)
            return fake if fold(fake) != word.key and fake not in avoid else None

        return fitting

    wishes = {word: wish(word) for word in letters if word not in readings}
    rest = apart(wishes, lambda word: keyed.number("rank", *word), fold)
    for word in wishes:
        rest.setdefault(word, _draw(word.key, 0, keyed))
    return {word: min(fakes) for word, fakes in readings.items()} | rest


def _initials(pieces: Sequence[Piece], texts: Sequence[str]) -> Mapping[str, str]:
    """The first letters of a name and of its fake, with and without its small words."""
    words = [
        (piece, fake)
        for piece, fake in zip(pieces, texts, strict=True)
        if piece.key and piece.kind in ("kept", "word", "fixed") and fake[:1].isalpha()
    ]
    if len(words) < 2 or any(piece.word and piece.word.kind == LETTERS for piece, _ in words):
        return {}
    initials: dict[str, str] = {}
    for small in (True, False):
        initial_words = [each for each in words if small or each[0].key not in FUNCTION_WORDS]
        real = "".join(_first(piece.text) for piece, _ in initial_words)
        fake = "".join(_first(text) for _, text in initial_words)
        if real != fake:
            initials[fold(real)] = fake.upper()
    return initials


def _first(text: str) -> str:
    return "".join(word[0] for word in text.split())


def _draw(key: str, turn: int, keyed: Keyed) -> str:
    """Other letters, as many; a tail that tells the kind stays."""
    tail = next(
        (tail for tail in _TAILS if len(key) > len(tail) + 1 and key.upper().endswith(tail)), ""
    )
    number = keyed.number("letters", key, turn)
    letters = ""
    for letter in key[: len(key) - len(tail)].upper():
        number, place = divmod(number, len(_ALPHABET))
        other = _ALPHABET[place]
        letters += other if other != letter else _ALPHABET[(place + 1) % len(_ALPHABET)]
    return letters + tail
