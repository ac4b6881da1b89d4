"""The type of a slot: it is given the scene and the form after the dot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from generator.pieces import Pieces
from generator.scene import Scene

Slot: TypeAlias = Callable[[Scene, str], Pieces]


def typed(type: str, draw: Callable[[Scene], str]) -> Slot:
    """A slot with one value of one type (or none), whatever the form."""
    return lambda scene, _: [(draw(scene), type)]
