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

from incognote.detect.note_index import NoteIndex
from incognote.knowledge.check_digits import CHECKS

LONGEST = 500
"""Bytes of a match at most."""
LARGEST = 50_000
"""Instructions of RE2's program at most: what a note costs at worst grows with them."""
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


class PatternError(ValueError):
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

    def find(self, note: NoteIndex) -> Iterator[tuple[int, int]]:
        """The places that stand beside the right words and have the right check digit."""
        holds = CHECKS[self.check] if self.check is not None else None
        for start, end in self.pattern.find(note):
            if holds is not None and not holds(note.text[start:end]):
                continue
            if self._stands_right(note, start, end):
                yield start, end

    def _stands_right(self, note: NoteIndex, start: int, end: int) -> bool:
        """Whether the words that must stand before and after it do."""
        small, reach = note.small, self.reach
        if self._words_before is not None:
            from_here = max(0, start - reach)
            if self._words_before.search(small, from_here, start) is None:
                return False
        if self._words_after is None:
            return True
        # One character more, so that a word is seen to go on there.
        words = self._words_after.finditer(small, end, end + reach + 1)
        return any(word.end() <= end + reach for word in words)

    @cached_property
    def _words_before(self) -> re.Pattern[str] | None:
        return _any_word(self.before)

    @cached_property
    def _words_after(self) -> re.Pattern[str] | None:
        return _any_word(self.after)


def _any_word(words: Sequence[str]) -> re.Pattern[str] | None:
    """Any of some words in lower case, as a whole, with any blanks where they have one."""
    if not words:
        return None
    return re.compile("|".join(map(_whole_word, words)))


def _whole_word(word: str) -> str:
    word = word.lower()
    middle = r"\s+".join(map(re.escape, word.split()))
    before = r"(?<![^\W_])" if word.strip()[0].isalnum() else ""
    after = r"(?![^\W_])" if word.strip()[-1].isalnum() else ""
    return f"{before}{middle}{after}"
