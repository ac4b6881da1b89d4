"""What a site file says, made ready to search notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from incognote.base.errors import UserError
from incognote.detect.known import as_known
from incognote.detect.merge import merge
from incognote.detect.normalise import NormalText
from incognote.detect.note_index import NoteIndex
from incognote.detect.site.lists import ListIndex, WordList
from incognote.detect.site.never import NeverEntry, NeverPlace, NeverPlaces, never_places
from incognote.detect.site.patterns import SitePattern
from incognote.document import Span
from incognote.phi import KnownTypes


class SiteError(UserError, ValueError):
    """A site file that cannot be used. The message quotes no entry of a list."""


SOURCE = "site."
"""How the source of a finding begins; the name of the row follows."""
CODES = frozenset({"ID", "CONTACT"})
"""Categories of types whose values mean the same thing wherever they stand in a note."""


@dataclass(frozen=True)
class OwnType:
    """A type that a site has beside ours, and how it is replaced unless somebody says otherwise.

    `place` is the file and the line that say so.
    """

    name: str
    category: str
    operator: str | None = None
    place: str = ""


@dataclass(frozen=True)
class SiteRow:
    """One list, pattern or `never` entry by itself: what it is called, and what it finds in a note.

    `types` are the types of what it finds, or of what a `never` entry may drop; none: of all.
    """

    name: str
    kind: Literal["list", "pattern", "never"]
    types: tuple[str, ...]
    entries: int
    """How many words it has; 0 for a pattern."""
    find: Callable[[NoteIndex], Iterable[tuple[int, int]]]


@dataclass(frozen=True, repr=False)
class SiteReading:
    """What a site says of one note: its findings, and where its `never` entries stand.

    Where a table tells the type of what the site has found, the findings have it. `codes` are the
    site's types whose values are numbers or the like.
    """

    spans: Sequence[Span]
    never: NeverPlaces
    codes: frozenset[str]


@dataclass(frozen=True, repr=False)
class Site:
    """The lists, patterns, `never` entries and types of a hospital.

    `digest` is the same for files that hold the same, wherever they lie. The index of the lists is
    made when it is first needed, in each process.
    """

    path: Path
    digest: str
    title: str | None = None
    own_types: tuple[OwnType, ...] = ()
    lists: tuple[WordList, ...] = ()
    patterns: tuple[SitePattern, ...] = ()
    never: tuple[NeverEntry, ...] = ()

    def __repr__(self) -> str:
        return f"Site({str(self.path)!r}, digest={self.digest!r})"

    def __getstate__(self) -> Mapping[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_index"}

    @cached_property
    def types(self) -> KnownTypes:
        """Our types and the site's own."""
        return KnownTypes(
            {each.name: each.category for each in self.own_types},
            {each.name: each.operator for each in self.own_types if each.operator is not None},
        )

    def check_operators(self, check: Callable[[str], None]) -> None:
        """Refuse an operator of its own types that `check` refuses: only who replaces knows them."""
        for each in self.own_types:
            if each.operator is not None:
                try:
                    check(each.operator)
                except UserError as error:
                    raise SiteError(f"{each.place}: {error}") from None

    def prepare(self) -> Site:
        """The same, with all that takes time done."""
        _ = self._index
        return self

    def read(
        self, note: NoteIndex, normal: Sequence[NormalText] = (), known: Sequence[Span] = ()
    ) -> SiteReading:
        """What it says of a note in which a table's values were found as `known`.

        A note with odd characters is read in its `normal` forms.
        """
        if not normal:
            spans, places = self._search(note)
        else:
            spans, places = [], []
            for form in normal:
                spans_here, places_here = self._search(form.index)
                spans += form.in_note(note.text, spans_here)
                places += (
                    NeverPlace(form.place(each.start), form.place(each.end - 1) + 1, each.types)
                    for each in places_here
                )
        spans = as_known(note.text, merge(note.text, spans), known)
        never = NeverPlaces(note.text, places)
        return SiteReading(spans, never, self._codes)

    @cached_property
    def _codes(self) -> frozenset[str]:
        return frozenset(each.name for each in self.own_types if each.category in CODES)

    def _search(self, note: NoteIndex) -> tuple[list[Span], list[NeverPlace]]:
        """What lists and patterns find, and where `never` entries stand."""
        spans: list[Span] = []
        places = list(never_places(note, self.never))
        index, rows = self._index
        for start, end, number in index.find(note):
            row = rows[number]
            if isinstance(row, NeverEntry):
                places.append(NeverPlace(start, end, row.types))
            else:
                spans.append(_span(note.text, start, end, row))
        for pattern in self.patterns:
            spans += (_span(note.text, *place, pattern) for place in pattern.find(note))
        return spans, places

    @cached_property
    def _index(self) -> tuple[ListIndex, list[WordList | NeverEntry]]:
        """One index of all words, those of `never` entries among them, and whose they are."""
        never = [(each.words, each) for each in self.never if each.words is not None]
        index = ListIndex([*self.lists, *(words for words, _ in never)])
        return index, [*self.lists, *(entry for _, entry in never)]

    def rows(self) -> Iterator[SiteRow]:
        """Its lists, patterns and `never` entries, each by itself, in the order of the file's kinds."""
        for each in self.lists:
            yield SiteRow(each.name, "list", (each.type,), len(each.entries), _finder_of(each))
        for pattern in self.patterns:
            yield SiteRow(pattern.name, "pattern", (pattern.type,), 0, pattern.find)
        for entry in self.never:
            yield SiteRow(
                entry.name,
                "never",
                tuple(sorted(entry.types)),
                0 if entry.words is None else len(entry.words.entries),
                Site(self.path, self.digest, never=(entry,))._find_never,
            )

    def _find_never(self, note: NoteIndex) -> Iterator[tuple[int, int]]:
        for place in self._search(note)[1]:
            yield place.start, place.end


def _finder_of(words: WordList) -> Callable[[NoteIndex], Iterator[tuple[int, int]]]:
    """A search for one list alone, whose index is made when it is first asked."""
    indices: list[ListIndex] = []

    def find(note: NoteIndex) -> Iterator[tuple[int, int]]:
        if not indices:
            indices.append(ListIndex([words]))
        for start, end, _ in indices[0].find(note):
            yield start, end

    return find


def _span(text: str, start: int, end: int, row: WordList | SitePattern) -> Span:
    return Span.of(text, start, end, row.type, score=row.score, source=SOURCE + row.name)
