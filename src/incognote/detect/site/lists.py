"""Lists of words that a hospital gives: staff, wards, sites, streets, local employers.

Entries are found as whole words in one of four modes:

- `exact`: in the letters, accents and cases of the entry;
- `any-case`: in capitals or small letters, with or without accents;
- `misspelt`: so too, or with a slip of the pen in one word, as known values are;
- `name`: as a person's name, in any order and form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from incognote.detect.note_index import NoteIndex
from incognote.detect.site.list_files import read_entries
from incognote.detect.site.person_list import PersonList
from incognote.detect.site.phrases import Phrases

__all__ = ["ListIndex", "Mode", "WordList", "read_entries"]

Mode = Literal["exact", "any-case", "misspelt", "name"]


@dataclass(frozen=True)
class WordList:
    """Entries that are identifiers of one type here."""

    name: str
    type: str
    mode: Mode
    entries: Sequence[str] = field(repr=False)
    score: float = 0.95


class ListIndex:
    """Many lists, made ready to look for; each is known by its number."""

    def __init__(self, lists: Sequence[WordList]) -> None:
        def of_mode(mode: Mode) -> list[tuple[int, Sequence[str]]]:
            return [(at, each.entries) for at, each in enumerate(lists) if each.mode == mode]

        self._finders: list[Phrases | PersonList] = [PersonList(*each) for each in of_mode("name")]
        if len(self._finders) < len(lists):
            phrases = Phrases(of_mode("exact"), of_mode("any-case"), of_mode("misspelt"))
            self._finders.append(phrases)

    @property
    def without_entries(self) -> list[int]:
        """The numbers of the lists that can find nothing, such as people who are all "Dr."."""
        return sorted(number for finder in self._finders for number in finder.without_entries)

    def find(self, note: NoteIndex) -> Iterator[tuple[int, int, int]]:
        """Where entries stand (start and end), and the number of the list.

        Entries of one list are left out within longer ones of it; others may overlap.
        """
        for finder in self._finders:
            yield from finder.find(note)
