"""Slots that write another slot's value in one case: `{up.pt.lf}`, `{low.weekday}`.

For a line in capitals or small letters within a note that is in neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generator.pieces import Pieces
from generator.scene import Scene
from generator.slots.slot import Slot


def cased(slots: Mapping[str, Slot]) -> dict[str, Slot]:
    """`up` and `low`, whose form is a slot with its own form."""

    def slot(edit: Callable[[str], str]) -> Slot:
        def draw(scene: Scene, form: str) -> Pieces:
            name, _, rest = (form or "pt").partition(".")
            return [(edit(text), type) for text, type in slots[name](scene, rest)]

        return draw

    return {"up": slot(str.upper), "low": slot(str.lower)}
