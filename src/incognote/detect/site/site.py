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

    text: str
    spans: Sequence[Span]
    never: NeverPlaces
    sure: Sequence[Span]
    codes: frozenset[str]

    def others(self, spans: Iterable[Span]) -> list[Span]:
        """What others found, under the type that the table or the site gives to the same place;
        where a finding of the site is the very same, that one tells who found it.
        """
        places = {(span.start, span.end) for span in self.spans}
        known = as_known(self.text, spans, self.sure)
        return [span for span in known if (span.start, span.end) not in places]


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
        made = ("_index", "_never_index")
        return {name: value for name, value in vars(self).items() if name not in made}

    @cached_property
    def types(self) -> KnownTypes:
        """Our types and the site's own."""
        return KnownTypes(
            {each.name: each.category for each in self.own_types},
            {each.name: each.operator for each in self.own_types if each.operator is not None},
        )

    def check_operators(self, names: Iterable[str]) -> None:
        """Refuse an operator of its own types that is none of these: only who replaces knows them."""
        for each in self.own_types:
            if each.operator is not None and each.operator not in names:
                raise SiteError(
                    f"{each.place}: '{each.operator}' is not a way to replace: choose {', '.join(names)}"
                )

    def prepare(self) -> Site:
        """The same, with all that takes time done."""
        _ = self._index, self._never_index
        return self

    def read(
        self, note: NoteIndex, normal: Sequence[NormalText], known: Sequence[Span] = ()
    ) -> SiteReading:
        """What it says of a note in which a table's values were found as `known`."""
        spans = as_known(note.text, self.find(note, normal), known)
        never = self.never_places(note, normal)
        return SiteReading(note.text, spans, never, [*known, *spans], self._codes)

    @cached_property
    def _codes(self) -> frozenset[str]:
        return frozenset(each.name for each in self.own_types if each.category in CODES)

    def find(self, note: NoteIndex, normal: Sequence[NormalText] = ()) -> list[Span]:
        """What its lists and patterns find in a note, disjoint and in order.

        A note with odd characters is read in its `normal` forms.
        """
        if not normal:
            return merge(note.text, self._spans(note))
        spans = (span for form in normal for span in form.in_note(note.text, self._of_form(form)))
        return merge(note.text, spans)

    def _of_form(self, form: NormalText) -> Iterator[Span]:
        return self._spans(form.index)

    def _spans(self, note: NoteIndex) -> Iterator[Span]:
        if self.lists:
            for start, end, number in self._index.find(note):
                row = self.lists[number]
                yield _span(note.text, start, end, row)
        for pattern in self.patterns:
            for start, end in pattern.find(note):
                yield _span(note.text, start, end, pattern)

    def never_places(self, note: NoteIndex, normal: Sequence[NormalText] = ()) -> NeverPlaces:
        """Where its `never` entries stand in a note."""
        if not self.never:
            return NeverPlaces(note.text, ())
        if not normal:
            return NeverPlaces(note.text, list(self._never_places(note)))
        places = [
            NeverPlace(form.place(each.start), form.place(each.end - 1) + 1, each.types)
            for form in normal
            for each in self._never_places(form.index)
        ]
        return NeverPlaces(note.text, places)

    def _never_places(self, note: NoteIndex) -> Iterator[NeverPlace]:
        yield from never_places(note, self.never)
        words = self._never_index
        if words is not None:
            index, types = words
            for start, end, number in index.find(note):
                yield NeverPlace(start, end, types[number])

    @cached_property
    def _index(self) -> ListIndex:
        return ListIndex(self.lists)

    @cached_property
    def _never_index(self) -> tuple[ListIndex, list[frozenset[str]]] | None:
        entries = [(each.words, each.types) for each in self.never if each.words is not None]
        if not entries:
            return None
        return ListIndex([words for words, _ in entries]), [types for _, types in entries]

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
        for place in self._never_places(note):
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
