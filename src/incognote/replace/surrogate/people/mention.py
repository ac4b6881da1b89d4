"""A mention of a person in a note, and the person that mentions are linked to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from incognote.replace.surrogate.banks.names import Gender

_BEFORE = 32
_AFTER = 24


@dataclass(frozen=True)
class Mention:
    """The text of a PATIENT or DOCTOR span, and what stands around it, for titles and kin words.

    `start` is where it stands in the note (or in all the notes of a patient, one after another):
    of two persons that a mention fits, the one named last before it is meant.
    """

    text: str = field(repr=False)
    type: str = "PATIENT"
    start: int = 0
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)


def mention_at(note: str, start: int, end: int, type: str, offset: int = 0) -> Mention:
    """The mention that a span marks; `offset` is where the note begins among the patient's."""
    before = note[max(0, start - _BEFORE) : start]
    return Mention(note[start:end], type, offset + start, before, note[end : end + _AFTER])


@dataclass(frozen=True)
class Person:
    """Someone a note speaks of: the parts of the name as they are best known, in small letters.

    `spelt` leads from a misspelt part to the part that is meant. `mentions` are the places, in the
    list that was linked, of the mentions of this person.
    """

    type: str
    given: tuple[str, ...] = field(repr=False)
    surnames: tuple[str, ...] = field(repr=False)
    initials: str = field(repr=False)
    gender: Gender
    mentions: tuple[int, ...]
    spelt: Mapping[str, str] = field(repr=False, default_factory=dict)
