"""The numbers and contacts of one patient's notes: each under one fake of its own shape."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.numbers.checked import read_checked
from incognote.replace.surrogate.numbers.internet import read_internet
from incognote.replace.surrogate.numbers.national import read_national
from incognote.replace.surrogate.numbers.people_names import Renamed, RenamedPeople
from incognote.replace.surrogate.numbers.phones import read_phone
from incognote.replace.surrogate.numbers.shape import LETTERS, compact, pour, reshaped
from incognote.replace.surrogate.numbers.value import NumberMention, Value
from incognote.replace.surrogate.words.choice import apart

_TURNS = 48
_POST_LETTERS = "abcehjklmnprstvxy"
_POST_CODE = re.compile(r"[a-z]\d[a-z]\d[a-z]\d")
_BED = re.compile(r"(?P<room>\d{3,4}[A-Z]?-)(?P<bed>[A-D1-4])")
_BEDS = ("ABCD", "1234")
_ROOM = re.compile(r"(?P<word>[A-Za-z]{3,} )(?P<number>\d{1,3}[A-Za-z]?)")


@dataclass(frozen=True)
class NumberSurrogates:
    """One patient's numbers. The same key, patient and number give the same fake, in any order.

    `avoid` is anything that says whether it holds a value in small letters and digits, such as an
    index of a whole corpus: no fake is one of them. `people` are the note's persons under both
    names, for logins and e-mail addresses that show them.

    A fake is a function of key, patient and number alone, but for a login that shows a person of
    the note. Different numbers of one shape have different fakes; in ranges that are kept for
    fiction, such as 555-01xx, there are fewer fakes than numbers, and of two numbers of a call
    that would share one, one has its next. None stands for what no fake can be found for: a value without letters and digits, or one of which nothing can change.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    avoid: Container[str] = field(default=(), repr=False)
    people: Sequence[Renamed] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[NumberMention]) -> list[str | None]:
        """What stands in each mention's place."""
        keyed = Keyed.of(self.key, "numbers", self.patient)
        people = RenamedPeople(self.people)
        values = {mention: _read(mention, people) for mention in dict.fromkeys(mentions)}
        texts: dict[Value, dict[str, str]] = defaultdict(dict)
        for mention, value in values.items():
            if value.core:
                texts[value][mention.text] = mention.plain

        def wish(value: Value) -> Callable[[int], _Fake | None]:
            return lambda turn: self._fake(value, texts[value], keyed, turn)

        def rank(value: Value) -> int:
            return keyed.number("rank", value.kind, value.core)

        wishes = {value: wish(value) for value in texts}
        fakes = apart(wishes, rank, lambda fake: fake.plain, _TURNS)
        return [
            fakes[values[mention]].texts[mention.text] if values[mention] in fakes else None
            for mention in mentions
        ]

    def _fake(
        self, value: Value, texts: Mapping[str, str], keyed: Keyed, turn: int
    ) -> _Fake | None:
        """What a turn makes of a value, if in no spelling it is the value itself or to be avoided."""
        written = {text: value.write(text, keyed, turn) for text in sorted(texts)}
        plain = {text: compact(fake) for text, fake in written.items()}
        if any(fake == texts[text] or fake in self.avoid for text, fake in plain.items()):
            return None
        return _Fake(next(iter(plain.values())), written)


class _Fake(NamedTuple):
    """The letters and digits of a fake, and how each spelling of the original is written with it."""

    plain: str
    texts: Mapping[str, str]


def _read(mention: NumberMention, people: RenamedPeople) -> Value:
    return (
        read_phone(mention)
        or read_internet(mention, people)
        or read_national(mention)
        or read_checked(mention)
        or _plain_value(mention)
    )


def _plain_value(mention: NumberMention) -> Value:
    core = mention.plain
    room = _ROOM.fullmatch(mention.text) if mention.type == "IDNUM" else None
    if room:
        return Value("room", core, _write_room)
    if mention.type == "IDNUM" and _BED.fullmatch(mention.text):
        return Value("bed", core, _write_bed)
    letters = _POST_LETTERS if mention.type == "ZIP" and _POST_CODE.fullmatch(core) else ""

    def write(text: str, keyed: Keyed, turn: int) -> str:
        return pour(text, reshaped(compact(text), keyed, turn, letters or LETTERS))

    return Value("number", core, write)


def _write_room(text: str, keyed: Keyed, turn: int) -> str:
    """The word of a room stays: Resus 1, LDR 7."""
    room = _ROOM.fullmatch(text)
    assert room is not None
    return room["word"] + pour(room["number"], reshaped(compact(room["number"]), keyed, turn))


def _write_bed(text: str, keyed: Keyed, turn: int) -> str:
    """A room has four beds at most: 611-B becomes 586-D, and 611-A another of 586."""
    bed = _BED.fullmatch(text)
    if bed is None:
        return pour(text, reshaped(compact(text), keyed, turn))
    room = pour(bed["room"], reshaped(compact(bed["room"]), keyed, turn))
    beds = _BEDS[bed["bed"].isdigit()]
    return room + beds[(beds.index(bed["bed"]) + keyed.below(4, "bed", bed["room"], turn)) % 4]
