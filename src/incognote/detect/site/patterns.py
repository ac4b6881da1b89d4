"""A site's patterns, run by RE2 in time that grows with the note only, whatever the pattern.

RE2 has no look-around and no references back, which is why it never backtracks: such patterns are
refused when they are read. One match is found in linear time; many matches could still take the
square of the note's length, where each looks on to its end in vain. So a match has at most `LONGEST`
bytes, and no search looks further than twice that.

Matches are searched in the note's UTF-8, encoded once for all patterns, and their places are
brought back to characters all at once. RE2's own Python functions encode the note for each pattern,
and stop at characters that UTF-8 does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incognote.base.errors import UserError
from incognote.detect.note_index import NoteIndex
from incognote.detect.site.context import ContextWords
from incognote.knowledge.check_digits import CHECKS

LONGEST = 500
"""Bytes of a match at most."""
LARGEST = 50_000
"""Instructions of RE2's program at most: what a note costs at worst grows with them."""
MOST_CHARACTERS = 10_000
"""Of a pattern: RE2 takes its time to refuse a longer one."""
MOST_GROUPS = 100
"""Each takes its time with every match."""
MEMORY = 8 << 20
"""Bytes that RE2 may keep for one pattern."""
FARTHEST = 1_000
"""Characters between a match and the words around it at most."""

_PROBES = (b"", b"a", b"1 a\n-A_")
_HINTS = (
    (
        r"invalid perl operator: \(\?<?[=!]",
        "looking ahead or behind cannot be done in linear time; say what must stand around a match "
        "with `before` and `after`, or take a `group` of a longer match",
    ),
    (
        r"invalid escape sequence: \\([1-9k])",
        "a reference back to a group cannot be done in linear time; write out what may stand there",
    ),
    (r"invalid escape sequence: \\Z", r"the end of the text is \z here"),
    (
        r"invalid repetition size",
        "what is repeated may stand 1,000 times at most, all repetitions multiplied",
    ),
    (r"bad repetition operator", "there is one sign of repetition: nothing here goes back"),
    (r"too large", "it takes too much memory; put long alternatives into [[lists]]"),
)


class PatternError(UserError, ValueError):
    """Why a pattern cannot be run."""


@dataclass(frozen=True)
class LinearPattern:
    """A regular expression in RE2's syntax, and the group of it that is wanted."""

    pattern: str
    ignore_case: bool = False
    group: int | str = 0

    def check_syntax(self) -> None:
        """Refuse what RE2 cannot run, and what may match nothing at all."""
        for probe in _PROBES:
            for place in range(len(probe) + 1):
                match = self._regexp.search(probe, place)
                if match is not None and match.start() == match.end():
                    raise PatternError(
                        "matches where there is no character; let it match one at least"
                    )

    def check_group(self) -> None:
        """Refuse a group that is not there."""
        if isinstance(self.group, str):
            if self.group not in self._regexp.groupindex:
                raise PatternError(
                    f"the pattern has no group of this name; it is named so: (?P<{self.group}>…)"
                )
        elif not 0 <= self.group <= self._regexp.groups:
            raise PatternError(
                f"the pattern has no group {self.group}, but {self._regexp.groups} in all"
            )

    @cached_property
    def _regexp(self) -> Any:
        import re2

        if len(self.pattern) > MOST_CHARACTERS:
            raise PatternError(
                f"is longer than {MOST_CHARACTERS:,} characters; put long alternatives into [[lists]]"
            )
        options = re2.Options()
        options.log_errors = False
        options.max_mem = MEMORY
        options.case_sensitive = not self.ignore_case
        try:
            regexp = re2.compile(self.pattern, options)
        except re2.error as error:
            raise PatternError(_reason(error)) from None
        except UnicodeEncodeError:
            raise PatternError("has a character that is none") from None
        if regexp.groups > MOST_GROUPS:
            raise PatternError(f"has more than {MOST_GROUPS} groups; write (?:…) instead of (…)")
        if max(regexp.programsize, regexp.reverseprogramsize) > LARGEST:
            raise PatternError(
                "takes too long at worst (RE2 makes a program of "
                f"{max(regexp.programsize, regexp.reverseprogramsize):,} steps of it, and "
                f"{LARGEST:,} are allowed); put long alternatives into [[lists]], and repeat "
                r"classes of letters such as \p{L} less often, or as \p{L}+"
            )
        return regexp

    def find(self, note: NoteIndex) -> list[tuple[int, int]]:
        """The places of its group in a note, from left to right, where it has any character."""
        encoded = note.once(_encoded)
        return encoded.places(list(self._matches(encoded.data)))

    def _matches(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The places of its group in bytes."""
        search, size = self._regexp.search, len(data)
        group = self._regexp.groupindex[self.group] if isinstance(self.group, str) else self.group
        if search(data) is None:
            return
        place = 0
        while place < size:
            end = min(size, place + 2 * LONGEST)
            match = search(data, place, end)
            if match is None:
                if end == size:
                    return
                place = end - LONGEST
                continue
            start, stop = match.span()
            if start > end - LONGEST and end < size:  # it may go on behind what was looked at
                place = start
                continue
            if stop - start > LONGEST:
                match = search(data, start, start + LONGEST)
            if match is None or match.end() == match.start():
                place = start + 1
                continue
            first, last = match.span(group)
            if first < last:
                yield first, last
            place = match.end()


def _reason(error: Exception) -> str:
    """RE2's own words, and what to do instead."""
    words = error.args[0] if error.args else ""
    reason = words.decode("utf-8", "replace") if isinstance(words, bytes) else str(words)
    hint = next((hint for sign, hint in _HINTS if re.search(sign, reason)), None)
    return f"RE2 cannot run it ({reason}){': ' + hint if hint else ''}"


class _Encoded(NamedTuple):
    """A note in UTF-8, and where each of its characters begins; None: each is one byte."""

    data: bytes
    beginnings: NDArray[np.int64] | None

    def places(self, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """From places in bytes to places in characters."""
        if self.beginnings is None or not places:
            return list(places)
        bytes_ = np.array(places)
        starts = np.searchsorted(self.beginnings, bytes_[:, 0], "right") - 1
        ends = np.searchsorted(self.beginnings, bytes_[:, 1], "left")
        return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _encoded(note: NoteIndex) -> _Encoded:
    if note.text.isascii():
        return _Encoded(note.text.encode("ascii"), None)
    data = note.text.encode("utf-8", "surrogatepass")
    first = np.frombuffer(data, np.uint8) & 0xC0 != 0x80
    return _Encoded(data, np.flatnonzero(first).astype(np.int64))


@dataclass(frozen=True)
class SitePattern:
    """A row of `[[patterns]]`: a pattern of a type, with what must hold of each of its matches."""

    name: str
    type: str
    pattern: LinearPattern
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    reach: int = 40
    check: str | None = None
    score: float = 0.9

    def find(self, note: NoteIndex) -> list[tuple[int, int]]:
        """The places that stand beside the right words and have the right check digit."""
        places = self.pattern.find(note)
        if self.check is not None:
            holds = CHECKS[self.check]
            places = [(start, end) for start, end in places if holds(note.text[start:end])]
        if places and self.before:
            before = self._before.places(note)
            places = [place for place in places if before.stand_before(place[0], self.reach)]
        if places and self.after:
            after = self._after.places(note)
            places = [place for place in places if after.stand_after(place[1], self.reach)]
        return places

    @cached_property
    def _before(self) -> ContextWords:
        return ContextWords(self.before)

    @cached_property
    def _after(self) -> ContextWords:
        return ContextWords(self.after)
