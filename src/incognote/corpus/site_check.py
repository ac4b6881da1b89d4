"""What each row of a site file does in sample notes, what it costs, and what looks wrong with it."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any

from incognote.align.words import words
from incognote.base.messages import quantity
from incognote.detect.detector import Detector
from incognote.detect.note_index import NoteIndex
from incognote.detect.site import Site, SiteRow, read_site
from incognote.detect.vetoes import letters_and_digits
from incognote.document import Document, Span
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import is_ordinary
from incognote.replace.operators import masked
from incognote.replace.rewrite import check_operator

SHORT = 3
"""Letters and digits of an entry that stands in many words by chance."""
MOST_OF_WORDS = 0.01
"""A pattern that finds a greater share of all words finds more than identifiers."""
MOST_EXAMPLES = 3
LEAST_SECONDS = 1.0
MOST_ROUNDS = 5

Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class RowReport:
    """One row of the file in the sample notes.

    `times` is how often it finds something, in `notes` of them. Of a list or a pattern, `anyway` is
    how many of these places are found without the site file too. Of `never`, `drops` is how many
    findings lie wholly in such places.
    """

    name: str
    kind: str
    types: tuple[str, ...]
    mode: str
    entries: int
    times: int
    notes: int
    anyway: int | None
    drops: int | None
    examples: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class SiteReport:
    """The rows, what to look at, and what the file costs."""

    path: str
    digest: str
    title: str | None
    own_types: Mapping[str, str]
    notes: int
    words: int
    rows: tuple[RowReport, ...]
    warnings: tuple[str, ...]
    load_seconds: float
    seconds_without: float
    """For all notes, as `seconds_with`: the shortest of some rounds for each note."""
    seconds_with: float

    @property
    def extra_time(self) -> float | None:
        """The share of a note's time that the site file adds."""
        if not self.seconds_without:
            return None
        return self.seconds_with / self.seconds_without - 1

    def to_json(self, *, show: bool) -> dict[str, Any]:
        """All figures; the texts are masked unless asked for."""
        report = asdict(self) | {"extra_time": self.extra_time, "errors": []}
        for row in report["rows"]:
            row["examples"] = [text if show else masked(text) for text in row["examples"]]
        return report


def check_site(
    path: Path,
    documents: Sequence[Document],
    make_detector: Callable[[Site | None], Detector],
    *,
    show: bool = False,
    advance: Advance = lambda notes, size: None,
) -> SiteReport:
    """Read the file, and try it on notes. `make_detector` makes one with the site and one without."""
    began = time.perf_counter()
    site = read_site(path).prepare()
    site.check_operators(check_operator)
    load_seconds = time.perf_counter() - began
    say = (lambda text: text) if show else masked
    rows = [_RowCount(row) for row in site.rows()]
    plain, sited = make_detector(None), make_detector(site)
    word_count = 0
    clashes: Counter[tuple[str, str]] = Counter()
    times = _Times(plain, sited)
    for document in documents:
        detection = plain.detect(document)
        note = NoteIndex(document.text)
        showing = letters_and_digits(document.text)
        found = [row.add(note, showing, detection.spans) for row in rows]
        for first, second, count in _clashes(rows, found):
            clashes[first, second] += count
        word_count += len(words(document.text))
        times.add(document)
        advance(1, len(document.text))
    times.repeat(documents)
    reports = tuple(row.report(site) for row in rows)
    warnings = (
        *_entry_warnings(site, say),
        *_row_warnings(rows, word_count, len(documents), say),
        *_clash_warnings(clashes),
    )
    return SiteReport(
        str(path),
        site.digest,
        site.title,
        {each.name: each.category for each in site.own_types},
        len(documents),
        word_count,
        reports,
        warnings,
        load_seconds,
        *times.sums(),
    )


class _Times:
    """The time of each note with the site and without, by turns, and the shortest of some rounds."""

    def __init__(self, plain: Detector, sited: Detector) -> None:
        self._detectors = plain, sited
        self._shortest: dict[int, list[float]] = {}
        self._turn = 0
        self._spent = 0.0
        self._is_warm = False

    def add(self, document: Document) -> None:
        """Measure a note once with either."""
        if not self._is_warm:  # patterns are compiled when they are first used
            for detector in self._detectors:
                detector.detect(document)
            self._is_warm = True
        self._turn += 1
        shortest = self._shortest.setdefault(id(document), [float("inf"), float("inf")])
        for which in (0, 1) if self._turn % 2 else (1, 0):
            began = time.perf_counter()
            self._detectors[which].detect(document)
            seconds = time.perf_counter() - began
            self._spent += seconds
            shortest[which] = min(shortest[which], seconds)

    def repeat(self, documents: Sequence[Document]) -> None:
        """Few notes are measured more often."""
        rounds = 1
        while documents and self._spent < LEAST_SECONDS and rounds < MOST_ROUNDS:
            rounds += 1
            self._turn = rounds  # each note begins a round with the other detector
            for document in documents:
                self.add(document)

    def sums(self) -> tuple[float, float]:
        """Without and with the site."""
        without = sum(each[0] for each in self._shortest.values())
        return without, sum(each[1] for each in self._shortest.values())


class _RowCount:
    """What one row finds, added up over notes."""

    def __init__(self, row: SiteRow) -> None:
        self.row = row
        self.times = self.notes = self.covered = self.drops = 0
        self.texts: Counter[str] = Counter()
        self.small: Counter[str] = Counter()
        """Ordinary words that were found without a capital, though the note has capitals."""

    def add(self, note: NoteIndex, showing: bytes, spans: Sequence[Span]) -> list[tuple[int, int]]:
        """Count a note; what the row finds there."""
        places = sorted(set(self.row.find(note)))
        self.times += len(places)
        self.notes += bool(places)
        if self.row.kind == "never":
            bare = _bare(showing, places)
            self.drops += sum(
                not self.row.types or span.type in self.row.types
                for span in spans
                if places and bare.find(1, span.start, span.end) < 0
            )
        else:
            bare = _bare(showing, ((span.start, span.end) for span in spans))
            self.covered += sum(bare.find(1, start, end) < 0 for start, end in places)
        for start, end in places:
            text = note.text[start:end]
            self.texts[" ".join(text.split())] += 1
            is_small = text.islower() and not note.text.islower()
            if self.row.kind == "list" and is_small and _is_ordinary(text):
                self.small[text] += 1
        return places

    def report(self, site: Site) -> RowReport:
        """The row as the table shows it."""
        modes = {each.name: each.mode for each in site.lists}
        row, never = self.row, self.row.kind == "never"
        return RowReport(
            row.name,
            row.kind,
            row.types,
            modes.get(row.name, "") if not never else "",
            row.entries,
            self.times,
            self.notes,
            None if never else self.covered,
            self.drops if never else None,
            tuple(text for text, _ in self.texts.most_common(MOST_EXAMPLES)),
        )


def _bare(showing: bytes, places: Iterable[tuple[int, int]]) -> bytearray:
    """1 for each letter or digit that no place has."""
    bare = bytearray(showing)
    for start, end in places:
        bare[start:end] = bytes(end - start)
    return bare


def _clashes(
    rows: Sequence[_RowCount], found: Sequence[list[tuple[int, int]]]
) -> Iterator[tuple[str, str, int]]:
    """Pairs of rows of different types that find overlapping places, and how many."""
    by_row = [
        (count.row, places)
        for count, places in zip(rows, found, strict=True)
        if count.row.kind != "never" and places
    ]
    for (first, places), (second, others) in combinations(by_row, 2):
        if first.types != second.types and (count := overlapping(places, others)):
            yield first.name, second.name, count


def overlapping(places: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> int:
    """How many of the places overlap one of the others, which are in order."""
    begins = [begin for begin, _ in others]
    furthest = list(accumulate((stop for _, stop in others), max))
    before = ((start, bisect_left(begins, end)) for start, end in places)
    return sum(count > 0 and furthest[count - 1] > start for start, count in before)


# What looks wrong


def _entry_warnings(site: Site, say: Callable[[str], str]) -> Iterator[str]:
    """What the entries themselves show, without any note."""
    listed: dict[str, str] = {}
    for each in site.lists:
        doubles: Counter[str] = Counter()
        for entry in each.entries:
            earlier = listed.setdefault(fold_name(entry), each.name)
            if earlier != each.name:
                doubles[earlier] += 1
        for earlier, count in doubles.items():
            yield (
                f"{each.name}: {quantity(count, 'entry is', 'entries are')} in {earlier} too; "
                "keep each in one list"
            )
        if each.mode in ("any-case", "misspelt"):
            ordinary = [entry for entry in each.entries if " " not in entry and _is_ordinary(entry)]
            if ordinary:
                yield (
                    f"{each.name}: {quantity(len(ordinary), 'entry is an ordinary word', 'entries are ordinary words')} "
                    f'({_some(ordinary, say)}), found in small letters too; use mode "exact", or a '
                    "pattern with `before` words"
                )
        short = [entry for entry in each.entries if sum(map(str.isalnum, entry)) <= SHORT]
        if short:
            yield (
                f"{each.name}: {quantity(len(short), 'entry has', 'entries have')} {SHORT} letters or "
                f"fewer ({_some(short, say)}) and may stand for other things"
            )
    for never in site.never:
        entries = () if never.words is None else never.words.entries
        doubles = Counter(
            listed[fold_name(entry)] for entry in entries if fold_name(entry) in listed
        )
        for name, count in doubles.items():
            yield (
                f"{never.name}: {quantity(count, 'entry is', 'entries are')} in the list {name} too, "
                "and what a list finds is never dropped; remove it from one of them"
            )


def _is_ordinary(text: str) -> bool:
    return all(is_ordinary(fold_name(word)) for word in text.split())


def _row_warnings(
    rows: Sequence[_RowCount], word_count: int, notes: int, say: Callable[[str], str]
) -> Iterator[str]:
    for count in rows:
        row = count.row
        if not count.times and notes:
            yield f"{row.name}: finds nothing in these notes"
        if count.small:
            times, (most, of_most) = count.small.total(), count.small.most_common(1)[0]
            yield (
                f"{row.name}: marks ordinary words in small letters {quantity(times, 'time')} "
                f'({say(most)} {of_most:,}); use mode "exact", or a pattern with `before` words'
            )
        if row.kind == "pattern" and word_count and count.times > MOST_OF_WORDS * word_count:
            yield (
                f"{row.name}: finds {count.times / word_count:.1%} of all words; say more in the "
                "pattern, or what must stand `before` or `after`"
            )


def _clash_warnings(clashes: Counter[tuple[str, str]]) -> Iterator[str]:
    for (first, second), count in sorted(clashes.items()):
        yield (
            f"{first} and {second}: find the same {quantity(count, 'time')} under different types; "
            "the longer one counts"
        )


def _some(entries: Sequence[str], say: Callable[[str], str]) -> str:
    more = ", …" if len(entries) > MOST_EXAMPLES else ""
    return ", ".join(map(say, entries[:MOST_EXAMPLES])) + more
