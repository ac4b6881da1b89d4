"""Which sentences of an open report may teach: all that identifies in them is marked, or nothing does.

The rules of incognote and word lists find what the scrubbing left. Ages, plain dates and titled names
are marked; a sentence with anything else that may identify is dropped, for a wrong mark teaches more
than a missing sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from generator.prepare.layout import sentences
from generator.prepare.placeholders import Found
from incognote.document import Span

_TITLE = re.compile(r"\b(?:Drs?|Doctor|Mr|Mrs|Ms|Miss|DR|MR|MRS|MS)\.? $")
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_DATE = re.compile(
    rf"\d{{1,2}}/\d{{1,2}}/\d{{2,4}}|\d{{1,2}}-\d{{1,2}}-\d{{2,4}}|(?:19|20)\d\d|.*\b(?:{_MONTH})\b.*"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:spring|summer|fall|winter) (?:of )?(?:19|20)\d\d"
    r"|christmas|thanksgiving|easter|halloween|\d{1,2}/(?:19|20)\d\d",
    re.IGNORECASE,
)
_AGE = re.compile(r"\d{1,3}|\d{1,2}[- ](?:month|week|day)s?|\d0s|[a-z]+(?:-[a-z]+)?", re.IGNORECASE)
_LEFT_DATE = re.compile(
    rf"\b(?:19|20)\d\d\b|\b\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b|\b\d{{1,2}}-\d{{1,2}}-\d{{2,4}}\b"
    rf"|\b(?:(?:{_MONTH})\.? \d{{1,2}}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
    r"|\b(?:January|February|April|June|July|August|September|October|November|December)\b"
    r"|christmas|thanksgiving|easter|halloween|labor day|memorial day|new year|holiday|birthday",
    re.IGNORECASE,
)
_LEFT_AGE = re.compile(
    r"\b(?:years?|months?|weeks?|days?)[- ]old\b|\bages?d?\b|\by[/.]?o\b|\byear-old|\bin (?:his|her|their) (?:\w+ )?(?:\d0s|\w+ies)\b",
    re.IGNORECASE,
)
_LIFE = re.compile(
    r"\b(?:works?|worked|working|employ\w*|retired|occupation\w*|jobs?|profession|business|company|compan\w+|career"
    r"|student|teacher|school|college|university|church|grade|born|raised|lives? (?:in|at|on)|lived (?:in|at|on)|resid\w+"
    r"|moved|army|navy|military|veteran|marine|travel\w*|trip|vacation|flew|flight|country|county|city|town|hometown"
    r"|named?|aka|nick\w*|phone|fax|e-?mail|address|www|http|ssn|mrn|pager|police|court|attorney|lawyer"
    r"|homemaker|housewife|farmer|engineer|driver|mechanic|secretary|owner|manager|laborer|clerk|carpenter|truck"
    r"|officer|salesman|cook|waitress|accountant|minister|pastor|priest|hotel|motel|highway|street|avenue)\b",
    re.IGNORECASE,
)
_LISTED_AGES = re.compile(r"\bage[sd]?\b[^.]*\d", re.IGNORECASE)
_SPELLED_DATE = re.compile(
    r"… (?:first|\w+teen|\w+th|twen\w+|thir\w+|two|\w+ (?:first|second|third|\w+th))\b"
)
_HOLE = re.compile(
    r"_{2,}|\bX{2,}\b|\bx{2,}\b|\*{2,}|[\[\]<>{}|]|\bABCD?\b|\bXYZ\b|\bYY+\b|\bZZ+\b|\b\w+stand\w|#\d{4,}|\d{6,}"
)
_CAPITAL = re.compile(r"\b[A-Z][a-z]+(?:['’-][A-Za-z]+)?")
_NUMBER_WORD = (
    r"(?:(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ]\w+)?"
    r"|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
)
_SPOKEN = re.compile(
    rf"\b(?:i'm|i am|turn(?:ed|ing)?|age) (?:about |almost )?(?:\d+|{_NUMBER_WORD})\b"
    rf"|\b(?:he's|she's|he is|she is|was) {_NUMBER_WORD}\b"
    r"|nineteen (?:\w+ty|\w+teen|hundred)|two thousand|twenty (?:ten|eleven|\w+teen|twenty)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Screen:
    """Words that are no names (`ordinary`, lower case), and words that may be (`names`)."""

    ordinary: Collection[str]
    names: Collection[str]

    def keep(
        self, text: str, placed: Sequence[Found], spans: Sequence[Span]
    ) -> tuple[str, list[Found]]:
        """The text without its doubtful sentences, and the marks in it."""
        parts: list[str] = []
        kept: list[Found] = []
        length = 0
        for start, end in _pieces(text):
            marks = self._marks(text, start, end, placed, spans)
            if marks is None:
                continue
            kept += [
                (length + first - start, length + last - start, type) for first, last, type in marks
            ]
            parts.append(text[start:end])
            length += end - start
        return "".join(parts), kept

    def _marks(
        self, text: str, start: int, end: int, placed: Sequence[Found], spans: Sequence[Span]
    ) -> list[Found] | None:
        """The marks of a sentence, or nothing if it must go."""
        marks = [place for place in placed if start <= place[0] and place[1] <= end]
        for span in spans:
            if span.end <= start or span.start >= end:
                continue
            if any(first < span.end and span.start < last for first, last, _ in marks):
                continue
            if span.start < start or span.end > end or not _clear(text, span):
                return None
            marks.append((span.start, span.end, span.type))
        marks.sort()
        rest = _without(text[start:end], start, marks)
        if _HOLE.search(rest) or _LIFE.search(rest) or _LEFT_DATE.search(rest):
            return None
        if _LEFT_AGE.search(rest) and not any(type == "AGE" for _, _, type in marks):
            return None
        if _LISTED_AGES.search(rest) or _SPOKEN.search(rest) or _SPELLED_DATE.search(rest):
            return None
        if any(self._doubtful(word) for word in _CAPITAL.findall(rest)):
            return None
        return marks

    def _doubtful(self, word: str) -> bool:
        stem = re.sub(r"['’]s?$", "", word).lower()
        return stem not in self.ordinary and any(
            part in self.names for part in re.split("['’-]", stem)
        )


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Sentences with their following space; line breaks are pieces of their own."""
    position = 0
    for line in text.split("\n"):
        for start, end in sentences(line):
            yield position + start, position + end
        position += len(line)
        if position < len(text):
            yield position, position + 1
            position += 1


def _clear(text: str, span: Span) -> bool:
    """Whether a finding of the rules is surely right."""
    if span.type == "DATE":
        return _DATE.fullmatch(span.text) is not None
    if span.type == "AGE":
        return _AGE.fullmatch(span.text) is not None
    if span.type in ("DOCTOR", "PATIENT"):
        return (
            bool(_TITLE.search(text[: span.start][-8:]))
            and span.text[:1].isupper()
            and len(span.text) > 3
        )
    return False


def _without(sentence: str, start: int, marks: Sequence[Found]) -> str:
    """The sentence with its marks blanked."""
    out = sentence
    for first, last, _ in marks:
        out = out[: first - start] + "…" * (last - first) + out[last - start :]
    return out
