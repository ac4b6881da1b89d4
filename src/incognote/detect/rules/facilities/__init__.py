"""Hospitals, clinics, employers, schools and other organisations, by the words that end their names.

A name is one or more proper words and a head ("Harlan Creek" + "Medical Center"). A head after
medical or ordinary words only ("the Pain Clinic") names a department, which identifies nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.lexicon.facilities import (
    GENERIC_WORDS,
    HOSPITAL_HEADS,
    HOSPITAL_TAILS,
    KIND_BEFORE,
    LABELS,
    MAKERS,
    MEDICAL_WORDS,
    NOT_FACILITIES,
    OF_HEADS,
    ORGANIZATION_HEADS,
    ORGANIZATION_TAILS,
    STARTERS,
)
from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.detect.rules.capitals import Word, runs
from incognote.detect.rules.facilities.context import in_context
from incognote.detect.rules.family import Family
from incognote.detect.rules.word_trie import heads
from incognote.document import Span

_LONGEST = 8
_INSIDE = frozenset(
    {"of", "the", "and", "&", "de", "del", "la", "las", "los", "du", "des", "y", "e"}
)
_AFTER = frozenset({"of", "at", "for", "de", "del"})


def _begin(words: list[Word], head: int) -> int:
    """The first word of the name that ends at `head`."""
    first = head
    while first and head - first < _LONGEST:
        word = words[first - 1]
        if word.links:
            if word.key not in _INSIDE or first < 2 or words[first - 2].key in STARTERS:
                break
            before = words[first - 2].key
            if (word.key == "the" and before != "of") or (
                word.key == "of" and before not in OF_HEADS
            ):
                break
        elif word.key in STARTERS:
            break
        first -= 1
    while first < head and (
        words[first].links or words[first].text.isdigit() or words[first].key in LABELS
    ):
        first += 1
    return first


def _end(words: list[Word], head: int) -> int:
    """The last word of the name, which may go on: "Hospital of the Red Hills"."""
    if head + 2 < len(words) and words[head + 1].key in _AFTER and words[head + 1].links:
        last = head + 2
        while words[last].links and last + 1 < len(words):
            last += 1
        while last + 1 < len(words) and words[last + 1].key not in STARTERS and last - head < 4:
            if words[last + 1].links:
                break
            last += 1
        if not words[last].links and words[last].key not in STARTERS:
            return last
    return head


def _hospital(words: list[Word], head: int, proper: int, name: list[str]) -> bool:
    key = words[head].key
    if key in HOSPITAL_HEADS:
        return True
    need = HOSPITAL_TAILS.get(key)
    if need is None:
        return False
    if need in {"care", "field"}:
        return any(word in MEDICAL_WORDS for word in name)
    if need == "kind":
        return words[head - 1].key in KIND_BEFORE.get(key, ())
    if need == "two":
        return proper >= 2
    if need == "end":
        return head + 1 == len(words) and proper >= 1
    return True


def _organization(words: list[Word], head: int) -> bool:
    key = words[head].key
    if key in ORGANIZATION_HEADS:
        return True
    need = ORGANIZATION_TAILS.get(key)
    if need is None:
        return False
    if need == "end":
        return head + 1 == len(words) and not words[head].text.isupper()
    return need == "any" or words[head - 1].key in need.split()


def _named(words: list[Word]) -> Iterator[tuple[int, int, str]]:
    """The names in one run of capitalised words, the longest for each start."""
    done = 0
    for head in range(len(words) - 1, 0, -1):
        if words[head].key not in _ALL_HEADS or (done and words[head].start >= done):
            continue
        first = _begin(words, head)
        if first == head:
            continue
        name = [word.key for word in words[first:head] if not word.links]
        end = _end(words, head)
        more = [word.key for word in words[head + 1 : end + 1] if not word.links]
        real = [w for w in name + more if w not in GENERIC_WORDS and len(w) > 1 and not w.isdigit()]
        if not real or MAKERS.issuperset(real):
            continue
        whole = " ".join(word.key for word in words[first : end + 1])
        if any(term in whole for term in NOT_FACILITIES):
            continue
        if _hospital(words, head, len(real), name):
            type = "HOSPITAL"
        elif _organization(words, head):
            type = "ORGANIZATION"
        else:
            continue
        done = words[first].start
        yield words[first].start, words[end].end, type


_ALL_HEADS = HOSPITAL_HEADS | HOSPITAL_TAILS.keys() | ORGANIZATION_HEADS | ORGANIZATION_TAILS.keys()
_HEAD_WORDS = heads(_ALL_HEADS)


_MORE = Pattern(
    r",?[ ](?:Inc|LLC|L\.L\.C|PLLC|P\.C|PC|P\.A|LLP|Ltd|Corp|Co|S\.A)\b\.?|(?<=[Ll]odge)[ ]\d{1,4}\b"
    r"|[ ](?:Local|Lodge|Council|Post|Chapter)[ ]\#?\d{1,4}\b"
)


def _legal_end(text: str, end: int) -> int:
    """The end of a name with its legal form or number: ", Inc.", "Lodge 44"."""
    more = _MORE.match(text, end)
    return more.end() if more else end


def facility_spans(note: Reading) -> tuple[Span, ...]:
    """The facilities of a note. Places ask for them too, to find the town that follows."""
    text = note.text
    found = [(*name, 0.9) for words in runs(note, _HEAD_WORDS) for name in _named(words)]
    found += in_context(note)
    found = [(start, _legal_end(text, end), type, score) for start, end, type, score in found]
    spans: list[Span] = []
    for start, end, type, score in sorted(found, key=lambda name: (name[0], -name[1], -name[3])):
        if not spans or end > spans[-1].end:
            start = max(start, spans[-1].end) if spans else start
            spans.append(Span.of(text, start, end, type, score=score, source=FAMILY.source))
    return tuple(spans)


def find(note: Reading) -> Iterator[Span]:
    """The named facilities and organisations of a note."""
    return iter(note.once(facility_spans))


FAMILY = Family("facilities", frozenset({"HOSPITAL", "ORGANIZATION"}), find)
