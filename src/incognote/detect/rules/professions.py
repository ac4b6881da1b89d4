"""Occupations of patients and relatives, by strong context ("retired X", "works as a X", "Occupation: X").

Staff roles are no identifier: a nurse, a physician or a social worker counts only where the
sentence says that it is someone's job.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern, WordPattern, heads
from incognote.detect.rules.engine import Family, Finding, keep_distinct, keep_longest
from incognote.knowledge.occupations import (
    ALONE,
    DROPPED,
    HEADS,
    MODIFIERS,
    NEVER_BARE,
    STAFF,
    WEAK_MODIFIERS,
)

TYPE = "PROFESSION"

_TERM = Pattern(
    r"['’]s?\b|[\-/]\w|[ ](?:lung|cyst|knee|elbow|bunion|syndrome|disease|itch|ear|palsy|forceps|yeast|grade|note|signature|name|will|to|said|called|notified|aware)\b"
)

_FIRST = frozenset(
    """work works worked working employed job career duties trained return returned underground nights shift retired
    ret semi former formerly ex previously unemployed occupation occup occ profession employment is was he she i im
    been became be dad mom mother father husband wife son daughter brother sister partner spouse year yo y yr sh soc
    social""".split()
)
"""The words that the contexts begin with."""
_HEAD_WORDS = heads([*HEADS, *(f"{head}s" for head in HEADS if head.endswith(("er", "or")))])
"""The words that occupations end with, in one or in many."""
_WORD_START = r"(?<![^\W_])(?<![^\W\d_]['’\-&])"
_WORDS = r"[^\W\d_][^\W_]*+(?:['’\-&][^\W_]++){0,3}+"
_TRIGGER = WordPattern(
    rf"{_WORD_START}"
    r"(?:(?P<strong>(?i:(?:works?|worked|working|employed|job|career|duties|trained|returned?[ ]to[ ]work|underground|nights|shift)[ ](?:[a-z\-]+[ ]){0,3}?as(?:[ ](?:an?|the))?)"
    r"|(?i:(?:retired|ret\.|ret['’]d|semi-retired|former|formerly|ex-|previously|unemployed)(?:[ ]?(?:an?|the))?))"
    r"|(?P<label>(?i:occupation|occup|occ|former[ ]occ|job(?:[ ]title)?|profession|employment)[ \t]*(?:[:=]|[.]{2,20}|[ ]{2})[ \t]{0,24}|(?i:job)=)"
    r"|(?P<is>(?i:(?:is|was|he['’]s|she['’]s|i['’]m|im|been|became|be)[ ](?:now[ ]|still[ ]|also[ ]|currently[ ]|once[ ]|a[ ]retired[ ])?an?))"
    r"|(?P<kin>(?i:dad|mom|mother|father|husband|wife|son|daughter|brother|sister|partner|spouse)(?:[ ](?i:is|was))?,?(?:[ ]an?)?)"
    r"|(?P<old>(?i:year[- ]old|yo|y/o|y\.o\.|yr[- ]old)(?:[ ](?i:man|woman|male|female|m|f|right-handed|left-handed|married|single|divorced|widowed|healthy|pleasant|white|black|premenopausal|retired|gravida[ ]\d)){0,3},?(?:[ ]an?)?)"
    r"|(?P<social>(?:SH|SOC|Social|SOCIAL|WORK|Work|sh|soc)(?:[ ](?i:hx|history))?[ ]?[:\-][ ]{1,3}(?:(?i:retired|former)[ ])?)"
    r")(?:(?<=[\W])|[ \t\n])[ \t\n]?[\"“]?(?=[^\W\d_])",
    words=_FIRST,
)
_PHRASE = Pattern(rf"{_WORDS}(?:[ ]{_WORDS}){{0,4}}")
_STOP = frozenset(
    """at for with in and who until from by near on of the a an w/ but since is was has had now to x then or
    who's whose when where while that which he she they due due-to after before""".split()
)
_OF = Pattern(r"[ ]of[ ][a-z]{4,14}\b")
_WORD = WordPattern(rf"{_WORD_START}{_WORDS}", words=_HEAD_WORDS)
_BEFORE = Pattern(r"(?<![^\W_])([^\W_][\w'’\-]*)[ ]$")
_TITLE = Pattern(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Rev)\.?[ ]$")
_NO_ANSWER = frozenset("none unknown n/a na disabled student unemployed retired see not".split())
_CLEAR = MODIFIERS - WEAK_MODIFIERS


def _head(words: list[str], heads: frozenset[str]) -> int:
    """How many of the words make the occupation: up to the last known head before a stop word."""
    count = 0
    for index, word in enumerate(words):
        key = word.lower()
        if key in _STOP and not (key == "and" and index > 0 and words[index - 1].lower() == "tool"):
            break
        if key in heads or (key.endswith(("ers", "ors")) and key[:-1] in heads):
            count = index + 1
    return count


def _phrases(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for trigger in _TRIGGER.find(note):
        phrase = _PHRASE.match(text, trigger.end())
        if not phrase:
            continue
        words = phrase[0].split(" ")
        dropped = 0
        while len(words) > 1 and (
            words[0].lower() in DROPPED or any(c.isdigit() for c in words[0])
        ):
            dropped += len(words.pop(0)) + 1
        start = phrase.start() + dropped
        kind = trigger.lastgroup or ""
        count = _head(words, HEADS)
        if not count or not _fits(words[:count], kind):
            if kind != "label" or count or words[0].lower() in _STOP | _NO_ANSWER:
                continue
            count = next((i for i, word in enumerate(words) if word.lower() in _STOP), len(words))
            count = min(count, 3)
        end = start + len(" ".join(words[:count]))
        if _TERM.match(text, end):
            continue
        more = (
            _OF.match(text, end) if words[count - 1].lower() in {"professor", "director"} else None
        )
        score = {"strong": 0.85, "label": 0.9}.get(kind, 0.75)
        yield Finding(start, more.end() if more else end, TYPE, score)


def _fits(words: list[str], kind: str) -> bool:
    """Whether the words are an occupation in this context rather than a role on the ward."""
    if len(words) == 1 and kind != "label" and words[0].lower() in NEVER_BARE:
        return False
    if kind in {"strong", "label", "social"} or words[-1].lower() not in STAFF:
        return True
    return any(word.lower() in MODIFIERS for word in words[:-1])


def _compounds(note: NoteIndex) -> Iterator[Finding]:
    """Occupations that need no context: "luthier", "forklift operator"."""
    text = note.text
    for match in _WORD.find(note):
        key = match[0].lower()
        if key.endswith(("ers", "ors")):
            key = key[:-1]
        if key not in HEADS or _TERM.match(text, match.end()):
            continue
        start, clear = match.start(), key in ALONE
        for _ in range(4):
            before = _BEFORE.search(text, max(0, start - 20), start)
            if not before or before[1].lower() not in MODIFIERS or before[1].lower() in _APART:
                break
            start = before.start(1)
            clear = clear or before[1].lower() in _CLEAR
        if clear and not _is_name(text, start, match):
            yield Finding(start, match.end(), TYPE, 0.65)


_APART = frozenset("and retired former part-time full-time self-employed".split())


def _is_name(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a capital in the middle of a sentence makes the word a surname or a title."""
    if not match[0][0].isupper() or match[0].isupper():
        return False
    if _TITLE.search(text, max(0, start - 6), start):
        return True
    return text[max(0, start - 2) : start].strip(" \t")[-1:] not in {
        "",
        "\n",
        ".",
        ":",
        "(",
        ";",
        '"',
    }


def _resolve(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """The longest; one that both rules find has the score of whichever comes first in a set."""
    places = {(finding.start, finding.end, finding.score) for finding in findings}
    distinct = keep_distinct(
        text, (Finding(start, end, TYPE, score) for start, end, score in places)
    )
    return keep_longest(text, distinct)


FAMILY = Family("professions", frozenset({TYPE}), (_phrases, _compounds), _resolve)
