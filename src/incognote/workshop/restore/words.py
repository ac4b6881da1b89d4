"""The words of a text, the marks after them, and the text with other case and more marks.

Here a word is what stands between white space, without the marks that end it: of `(left), said
"stop."` they are `(left)`, `said`, `"stop`. White space, marks that are there, and all letters but for
their case come out of `rewritten` as they went in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MARKS = (".", ",", "?", ":", ";", "!")
"""What may be put after a word."""

_RUN = re.compile(r"\S+")
_ENDED = re.compile(r"(.*[^.,?:;!])(([.,?:;!])[.,?:;!]*[\"'”’)\]}]*)", re.DOTALL)
_CLOSED = re.compile(r".*[.,?:;!]+[\"'”’)\]}]+", re.DOTALL)


@dataclass(frozen=True)
class Word:
    """A word at its place in the text; `mark` is what ends it there, empty if nothing does."""

    start: int
    end: int
    text: str
    mark: str = ""

    @property
    def spoken(self) -> str:
        """The word as dictation has it."""
        return self.text.lower()


@dataclass(frozen=True)
class Restored:
    """A word as it should be written, and the mark after it, empty for none."""

    text: str
    mark: str


def words_of(text: str) -> list[Word]:
    """The words in order; what has marks only is none, and stays as it is."""
    words = []
    for run in _RUN.finditer(text):
        ended = _ENDED.fullmatch(run[0])
        if ended is not None:
            word, mark = ended[1], ended[3]
            words.append(Word(run.start(), run.start() + len(word), word, mark))
        elif run[0][-1] not in MARKS:
            words.append(Word(run.start(), run.end(), run[0]))
    return words


def rewritten(text: str, words: Sequence[Word], restored: Iterable[Restored]) -> str:
    """The text with its words written so; a word that is spelled otherwise stays as it was."""
    parts: list[str] = []
    last = 0
    for word, new in zip(words, restored, strict=True):
        parts += [text[last : word.start], agreed(word, new), mark_after(word, new)]
        last = word.end
    return "".join((*parts, text[last:]))


def agreed(word: Word, new: Restored) -> str:
    """The word as it should be written, if it is the same but for case; one with capitals stays."""
    is_plain = word.text == word.text.lower()
    return new.text if is_plain and new.text.lower() == word.text else word.text


def mark_after(word: Word, new: Restored) -> str:
    """The mark to add after the word: none where there is one."""
    return new.mark if new.mark in MARKS and takes_mark(word) else ""


def takes_mark(word: Word) -> bool:
    """Whether a mark may be added after the word."""
    return not word.mark and not _CLOSED.fullmatch(word.text)


def dictated(text: str) -> str:
    """The text as it would be dictated: small letters, no marks after words, lines as they are.

    >>> dictated("Denies pain. BP 120/80, on 3.5 mg.")
    'denies pain bp 120/80 on 3.5 mg'
    """
    parts: list[str] = []
    last = 0
    for word in words_of(text):
        ending = len(word.mark) and _ending(text, word.end)
        parts += [text[last : word.start], word.spoken]
        last = word.end + ending
    return "".join((*parts, text[last:]))


def _ending(text: str, end: int) -> int:
    """How many characters of marks and closing quotes end a word."""
    run = _RUN.match(text, end)
    return len(run[0]) if run else 0
