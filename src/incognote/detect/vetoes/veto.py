"""What a veto is: a function from a note to the places that only look like identifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from incognote.detect.note_index import NoteIndex

Place: TypeAlias = tuple[int, int]
"""Start and end."""

Veto: TypeAlias = Callable[[NoteIndex], Iterator[Place]]
"""Depends on the note alone, never on what was found in it, nor with which probability."""
