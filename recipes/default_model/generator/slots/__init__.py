"""What `{name.form}` stands for in a fragment: a function from the scene to pieces."""

from __future__ import annotations

from generator.slots.cased import cased
from generator.slots.clinical import CLINICAL
from generator.slots.contacts import CONTACTS
from generator.slots.lives import LIVES
from generator.slots.lookalikes import LOOKALIKES
from generator.slots.numbers import NUMBERS
from generator.slots.people import PEOPLE
from generator.slots.places import PLACES
from generator.slots.slot import Slot
from generator.slots.times import TIMES

SLOTS: dict[str, Slot] = {
    **CLINICAL, **CONTACTS, **LIVES, **LOOKALIKES, **NUMBERS, **PEOPLE, **PLACES, **TIMES,
}  # fmt: skip
SLOTS |= cased(SLOTS)

__all__ = ["SLOTS", "Slot"]
