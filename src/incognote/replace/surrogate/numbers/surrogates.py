"""The numbers and contacts of one patient's notes: each under one fake of its own shape."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, field

from incognote.replace.surrogate.numbers.checked import read_checked
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
        turns = self._turns(texts, secret)
        return [
            None if (turn := turns.get(value)) is None else value.write(mention.text, secret, turn)
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

    def _turns(self, texts: dict[Value, set[str]], secret: Secret) -> dict[Value, int | None]:
        """For each value the first turn whose fake is nobody else's; None if none differs.

        Values claim fakes in rounds, as people's names do: of two claims on one fake the lower
        keyed number wins, so that the order of mentions changes nothing.
        """
        own = {text for group in texts.values() for text in group}
        literal = {
            each.casefold() for each in (*own, *self.taken) if len(compact(each)) >= _SHORTEST
        }
        real = {compact(each) for each in (*own, *self.taken)}
        turns: dict[Value, int | None] = dict.fromkeys(texts)
        claimed: set[str] = set()
        waiting = list(texts)
        for turn in range(_TURNS):
            claims: dict[str, Value] = {}
            for value in waiting:
                written = [value.write(text, secret, turn) for text in sorted(texts[value])]
                fake = compact(written[0])
                if fake != value.core and turns[value] is None and fake not in real:
                    turns[value] = turn
                if fake in claimed or fake in real or fake in self.avoid:
                    continue
                if _unfit(written, texts[value], literal):
                    continue
                other = claims.get(fake)
                if other is None or _rank(value, secret) < _rank(other, secret):
                    claims[fake] = value
            for fake, value in claims.items():
                claimed.add(fake)
                turns[value] = turn
            won = set(claims.values())
            waiting = [value for value in waiting if value not in won]
            if not waiting:
                break
        return turns


def _rank(value: Value, secret: Secret) -> int:
    return secret.number("rank", value.kind, value.core)


def _unfit(written: Sequence[str], texts: Collection[str], literal: Collection[str]) -> bool:
    """Whether a fake has a real value inside, or looks like a date where the number did not."""
    for text in written:
        folded = text.casefold()
        if any(real in folded for real in literal):
            return True
        if _LIKE_DATE.fullmatch(text) and not any(map(_LIKE_DATE.fullmatch, texts)):
            return True
    return False


def _plain_value(mention: NumberMention) -> Value:
    core = compact(mention.text)
    letters = _POST_LETTERS if mention.type == "ZIP" and _POST_CODE.fullmatch(core) else ""

    def write(text: str, secret: Secret, turn: int) -> str:
        plain = compact(text)
        fake = reshaped(plain, secret, turn, letters) if letters else reshaped(plain, secret, turn)
        return pour(text, fake)

    return Value("number", core, write)
