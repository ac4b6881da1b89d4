"""Words of names and addresses: cut into pieces, exchanged for words of their kind, written anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from typing import Literal, NamedTuple

from incognote.knowledge.letters import APOSTROPHES, cased, fold, key_of, laid_out, split_possessive
from incognote.replace.surrogate.banks.name_bank import NameClass, name_bank
from incognote.replace.surrogate.banks.place_bank import place_bank
from incognote.replace.surrogate.kernel import Keyed, first_fitting, free, overlap

PieceKind = Literal["gap", "kept", "word", "digits", "ordinal", "letter", "fixed"]
_TOKEN = re.compile(
    rf"\d+(?:st|nd|rd|th)\b|\d+|[^\W\d_]+(?:[{APOSTROPHES}][^\W\d_]+)*[{APOSTROPHES}]?",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PREFIXES = ("Mac", "Van", "Del", "Von", "San", "Fitz")
_ROUND = "ABCDEFGHJKLMNPRSTVW"


class Word(NamedTuple):
    """A word to be changed: its letters, and the kind of words that it is exchanged for."""

    key: str
    kind: str


class Piece(NamedTuple):
    """A stretch of text. A `word` has the word it stands for; what is `fixed` has its fake."""

    text: str
    kind: PieceKind
    key: str = ""
    word: Word | None = None

    def changed(self, kind: PieceKind) -> Piece:
        """The piece as one of another kind."""
        return self._replace(kind=kind)

    def as_word(self, kind: str) -> Piece:
        """The piece as a word that is exchanged for one of a kind."""
        return self._replace(kind="word", word=Word(self.key, kind))


def pieces_of(text: str, whole: Callable[[str], bool]) -> list[Piece]:
    """Words, numbers and what is between. `whole` knows words that keep their 's: children's."""
    pieces: list[Piece] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if match.start() > end:
            pieces.append(Piece(text[end : match.start()], "gap"))
        end = match.end()
        token = match[0]
        if token[0].isdecimal():
            kind: PieceKind = "digits" if token[-1].isdecimal() else "ordinal"
            pieces.append(Piece(token, kind, token.lower()))
        else:
            pieces += _word(token, whole)
    if end < len(text):
        pieces.append(Piece(text[end:], "gap"))
    return pieces


def _word(token: str, whole: Callable[[str], bool]) -> Iterable[Piece]:
    if whole(_key(token)):
        yield Piece(token, "kept", _key(token))
        return
    token, ending = split_possessive(token)
    for part in _camel(token):
        yield Piece(part, "kept", _key(part))
    if ending:
        yield Piece(ending, "gap")


def _camel(token: str) -> list[str]:
    """`BayPath` in two, `McAllen` and `MacDonald` in one."""
    first, *rest = _CAMEL.split(token)
    if not rest or len(first) < 3 or first in _PREFIXES:
        return [token]
    return [first, *rest]


def _key(word: str) -> str:
    return fold(re.sub(rf"[{APOSTROPHES}]", "", word))


def words_in(pieces: Iterable[Piece]) -> set[Word]:
    """The words that need a fake."""
    return {piece.word for piece in pieces if piece.kind == "word" and piece.word}


def write(pieces: Iterable[Piece], fakes: Mapping[Word, str], keyed: Keyed) -> str:
    """The text with every changed piece in the case of the old one."""
    return "".join(_write_piece(piece, fakes, keyed) for piece in pieces)


def _write_piece(piece: Piece, fakes: Mapping[Word, str], keyed: Keyed) -> str:
    if piece.kind == "word" and piece.word:
        return laid_out(cased(fakes[piece.word], piece.text), piece.text)
    if piece.kind == "digits":
        return digits_like(piece.text, keyed)
    if piece.kind == "ordinal":
        return ordinal_like(piece.text, keyed)
    if piece.kind == "letter":
        return "".join(letter_like(letter, keyed) for letter in piece.text)
    return piece.key if piece.kind == "fixed" else piece.text


def letter_like(letter: str, keyed: Keyed) -> str:
    """Another letter for a unit, a ward or a road, in the same case."""
    other = _ROUND[keyed.number("letter", letter.upper()) % len(_ROUND)]
    if other == letter.upper():
        other = _ROUND[(_ROUND.index(other) + 1) % len(_ROUND)]
    return other.lower() if letter.islower() else other


# Words of names exchanged for words of their kind: Quarry for Thornbeck, Ridge for Hollow.
#
# A word has one fake wherever it stands, so that `Kanawha Ridge Hospital` and `Kanawha` agree. A fake
# begins with another letter, so that acronyms change too. The words of a small kind, such as
# landforms, change places among themselves, one to one; words in no list become invented ones.

_CLOSED = frozenset(
    "airports abroad numbers ordinals directions quarters wards services statuses languages demonyms saints "
    "saintes ladies devotions holy".split()
)
"""Kinds that an invented word cannot belong to: one in no list becomes one of the list."""
_INVENTED = 48
_SPANISH = NameClass("surname", "-", 0, "h")
Pool = Callable[[str], tuple[str, ...]]
Invent = Callable[[str, int], str]


def inventor(locale: str) -> Invent:
    """Invents words for places, or Spanish ones from parts of surnames."""

    def invent(kind: str, number: int) -> str:
        if kind == "spanish":
            return name_bank(locale).spliced(_SPANISH, number)
        return place_bank(locale).invented(number)

    return invent


def proper_fakes(
    words: Collection[Word], keyed: Keyed, pool: Pool, invent: Invent, avoid: Container[str] = ()
) -> dict[Word, str]:
    """A fake for each word. `invent` makes a word of a kind that is in no list, by a number."""
    rings: dict[str, dict[str, str]] = {}
    for kind in {word.kind for word in words if word.kind != "made"}:
        values = pool(kind)
        keys = [key_of(value) for value in values]
        if any(word.key in keys for word in words if word.kind == kind):
            others = keyed.exchange(values, _may_become, "ring", kind)
            rings[kind] = dict(zip(keys, others, strict=True))

    def fake_of(word: Word) -> str:
        values = pool(word.kind)
        ring = rings.get(word.kind, {})

        def candidate(turn: int) -> str:
            number = keyed.number("word", *word, turn)
            if not turn and word.key in ring:
                return ring[word.key]
            if word.kind in _CLOSED:
                return values[number % len(values)]
            if turn < _INVENTED:
                return invent(word.kind, number)
            return coined(number, syllables=2 + (turn - _INVENTED) // 8)

        def fits(fake: str) -> bool:
            return _may_become(word.key, fake) and free(fake, avoid)

        return first_fitting(candidate, fits)

    return {word: fake_of(word) for word in words}


def _may_become(word: str, fake: str) -> bool:
    key, other = key_of(word), key_of(fake)
    return fold(fake[:1]) != key[:1] and not overlap(key, other)


def never_same(fake: str, text: str, keyed: Keyed) -> str:
    """What was written or, if it is the original for all that, a word that nobody bears."""
    if fold(fake).strip() != fold(text).strip():
        return fake
    return cased(coined(keyed.number("never the same", text), syllables=3), text)


# Numbers in names and addresses: as many digits, never the same.

_ENDINGS = ("th", "st", "nd", "rd")
_LONGEST = 12


def digits_like(digits: str, keyed: Keyed, *about: object) -> str:
    """Other digits of the same length; without a leading zero unless there was one.

    >>> digits_like("7", Keyed(b"secret")) != "7"
    True
    """
    length = len(digits)
    if length > _LONGEST:
        parts = (digits[start : start + _LONGEST] for start in range(0, length, _LONGEST))
        return "".join(digits_like(part, keyed, *about) for part in parts)
    zero = digits[0] in "0０" or not digits.isascii()
    low = 0 if zero else 10 ** (length - 1)
    size = 10**length - low
    own = int(digits) - low
    place = keyed.permute(own, size, "digits", length, zero, *about)
    if place == own:
        place = (own + 1 + keyed.number("moved", digits, *about) % (size - 1)) % size
    return f"{low + place:0{length}}"


def ordinal_like(text: str, keyed: Keyed) -> str:
    """`116th` as `642nd`: other digits with the ending that belongs to them, in the same case."""
    match = re.match(r"\d+", text)
    digits = digits_like(match[0] if match else "1", keyed, "ordinal")
    teens = digits[-2:-1] == "1"
    ending = _ENDINGS[int(digits[-1])] if not teens and digits[-1] in "123" else "th"
    return digits + (ending.upper() if text[-1:].isupper() else ending)


# Names that no bank has, for when every name of the bank is a real one somewhere in the notes.

_ONSETS = "b d f g h j k l m n p r s t v w br dr gr kr tr bl kl fl sh th".split()
_VOWELS = "a e i o u ai ea ou".split()
_ENDS = "n r l s m nd rt lm ren len vin ton sen ker ber dell man ner".split()


def coined(number: int, syllables: int) -> str:
    """A word that can be spoken, drawn by a number."""
    word = ""
    for _ in range(syllables):
        number, onset = divmod(number, len(_ONSETS))
        number, vowel = divmod(number, len(_VOWELS))
        word += _ONSETS[onset] + _VOWELS[vowel]
    return (word + _ENDS[number % len(_ENDS)]).capitalize()
