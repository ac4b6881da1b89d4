"""The numbers and contacts of one patient's notes: each under one fake of its own shape."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from incognote.replace.surrogate.numbers.checked import like_card, read_checked
from incognote.replace.surrogate.numbers.internet import read_internet
from incognote.replace.surrogate.numbers.national import read_national
from incognote.replace.surrogate.numbers.people_names import Renamed
from incognote.replace.surrogate.numbers.phones import read_phone
from incognote.replace.surrogate.numbers.secret import Secret
from incognote.replace.surrogate.numbers.shape import compact, pour, reshaped
from incognote.replace.surrogate.numbers.value import NumberMention, Value

_TURNS = 48
_SHORTEST = 3
_POST_LETTERS = "abcehjklmnprstvxy"
_POST_CODE = re.compile(r"[a-z]\d[a-z]\d[a-z]\d")
_BED = re.compile(r"(?P<room>\d{3,4}[A-Z]?-)(?P<bed>[A-D1-4])")
_BEDS = ("ABCD", "1234")
_ROOM = re.compile(r"(?P<word>[A-Za-z]{3,} )(?P<number>\d{1,3}[A-Za-z]?)")
_LIKE_DATE = re.compile(r"(?:0?[1-9]|1[0-2])[-/. ](?:0?[1-9]|[12]\d|3[01])|(?:19|20)\d\d")


@dataclass(frozen=True)
class NumberSurrogates:
    """One patient's numbers. The same key, patient and number give the same fake, in any order.

    `taken` are the real values of the note: no fake is one of them or, from three characters on,
    has one inside. `avoid` is anything that says whether it holds a value in small letters and
    digits, such as an index of a whole corpus. `people` are the note's persons under both names,
    for logins and e-mail addresses that show them.

    A fake is a function of key, patient and number alone unless it is a real value, or the fake of
    another number of the call; then the next in line is taken. None stands for what no fake can be
    found for: a value without letters and digits, or one of which nothing can change.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    taken: Collection[str] = field(default=(), repr=False)
    avoid: Container[str] = field(default=(), repr=False)
    people: Sequence[Renamed] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[NumberMention]) -> list[str | None]:
        """What stands in each mention's place."""
        secret = Secret.of(self.key, self.patient)
        values = [self._read(mention) for mention in mentions]
        texts: dict[Value, set[str]] = defaultdict(set)
        for mention, value in zip(mentions, values, strict=True):
            if value.core:
                texts[value].add(mention.text)
        fakes = self._fakes(texts, secret)
        return [
            fakes[value].get(mention.text) if value in fakes else None
            for mention, value in zip(mentions, values, strict=True)
        ]

    def _read(self, mention: NumberMention) -> Value:
        return (
            read_phone(mention)
            or read_internet(mention, self.people)
            or read_national(mention)
            or read_checked(mention)
            or _plain_value(mention)
        )

    def _fakes(self, texts: dict[Value, set[str]], secret: Secret) -> dict[Value, dict[str, str]]:
        """For each value what its texts become, at the first turn whose fake is nobody else's.

        Values claim fakes in rounds, as people's names do: of two claims on one fake the lower
        keyed number wins, so that the order of mentions changes nothing. Where the shape has too
        few fakes, two values may share one; a value that nothing can change has none.
        """
        every = {*self.taken, *(text for group in texts.values() for text in group)}
        plain = {text: compact(text) for text in every}
        real = frozenset(plain.values())
        literal = [text.casefold() for text, short in plain.items() if len(short) >= _SHORTEST]
        given: dict[Value, dict[str, str]] = {}
        claimed: set[str] = set()
        waiting = list(texts)
        for turn in range(_TURNS):
            claims: dict[str, tuple[Value, dict[str, str]]] = {}
            for value in waiting:
                written = {text: value.write(text, secret, turn) for text in sorted(texts[value])}
                fake = compact(next(iter(written.values())))
                if fake in real:
                    continue
                given.setdefault(value, written)
                if fake in claimed or fake in self.avoid or _unfit(written, literal):
                    continue
                other = claims.get(fake)
                if other is None or _rank(value, secret) < _rank(other[0], secret):
                    claims[fake] = (value, written)
            for fake, (value, written) in claims.items():
                claimed.add(fake)
                given[value] = written
            won = {value for value, _ in claims.values()}
            waiting = [value for value in waiting if value not in won]
            if not waiting:
                break
        return given


def _rank(value: Value, secret: Secret) -> int:
    return secret.number("rank", value.kind, value.core)


def _unfit(written: Mapping[str, str], literal: Sequence[str]) -> bool:
    """Whether a fake has a real value inside, or looks like a date or card, as the number did not."""
    for text, fake in written.items():
        folded = fake.casefold()
        if any(real in folded for real in literal):
            return True
        if _LIKE_DATE.fullmatch(fake) and not _LIKE_DATE.fullmatch(text):
            return True
        if like_card(compact(fake)) and not like_card(compact(text)):
            return True
    return False


def _plain_value(mention: NumberMention) -> Value:
    core = mention.plain
    room = _ROOM.fullmatch(mention.text) if mention.type == "IDNUM" else None
    if room:
        return Value("room", core, _write_room)
    if mention.type == "IDNUM" and _BED.fullmatch(mention.text):
        return Value("bed", core, _write_bed)
    letters = _POST_LETTERS if mention.type == "ZIP" and _POST_CODE.fullmatch(core) else ""

    def write(text: str, secret: Secret, turn: int) -> str:
        plain = compact(text)
        fake = reshaped(plain, secret, turn, letters) if letters else reshaped(plain, secret, turn)
        return pour(text, fake)

    return Value("number", core, write)


def _write_room(text: str, secret: Secret, turn: int) -> str:
    """The word of a room stays: Resus 1, LDR 7."""
    room = _ROOM.fullmatch(text)
    assert room is not None
    return room["word"] + pour(room["number"], reshaped(compact(room["number"]), secret, turn))


def _write_bed(text: str, secret: Secret, turn: int) -> str:
    """A room has four beds at most: 611-B becomes 586-D, and 611-A another of 586."""
    bed = _BED.fullmatch(text)
    if bed is None:
        return pour(text, reshaped(compact(text), secret, turn))
    room = pour(bed["room"], reshaped(compact(bed["room"]), secret, turn))
    beds = _BEDS[bed["bed"].isdigit()]
    return room + beds[(beds.index(bed["bed"]) + secret.below(4, "bed", bed["room"], turn)) % 4]
