"""Web addresses, with and without scheme.

A bare host counts only with a known ending. Endings that are also words (`care`, `me`, `no`) need
more: a path, a third label, or `www.`; sentences without a space after the full stop look like them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.internet.domains import (
    ALL_TLDS,
    COUNTRY_TLDS,
    PLAIN_TLDS,
    SECOND_LEVEL,
    WORD_TLDS,
)
from incognote.document import Span

_REST = r"[^\s<>\"\u201c\u201d|\\^`{}\[\]]"
_SCHEME = Pattern(
    rf"[hHfFsSwWzZmM](?<![a-zA-Z].)(?i:ttps?|xxps?|tp|tps|ss?h|mb|ebcal|ebex|oommtg|s-teams|steams)://"
    rf"{_REST}{{2,500}}"
)
_WWW = Pattern(
    rf"[wW](?<![a-zA-Z@].)(?i:ww\d?\.)[\w-]{{2,63}}(?:\.[\w-]{{1,63}}){{1,6}}(?::\d{{2,5}})?(?:[/?#]{_REST}{{0,500}})?"
)
_ENDING = Pattern(r"\.([A-Za-z]{2,13})(?![\w@-]|\.\w)(?::\d{2,5}(?!\d))?")
_PATH = Pattern(rf"[/?#](?={_REST}){_REST}{{0,500}}")
_WRAPPED = Pattern(rf"\r?\n[ \t]{{0,8}}(?=[\w%-]{{0,60}}[/=?&.\d]){_REST}{{1,200}}")
_CONTEXT = Pattern(
    r"(?:web ?site|web ?page|web|site|url|link|portal|online|visit|blog|homepage)\W{1,3}(?:at\s|is\s)?$",
    re.IGNORECASE,
)
_LONGEST_HOST = 253
_ONE_LETTER_HOSTS = frozenset({"t.me", "t.co", "x.com", "g.co", "m.me"})
_CLOSERS = {")": "(", "]": "["}


def _find(note: Reading) -> Iterator[Span]:
    text = note.text
    end = 0
    for match in _SCHEME.finditer(text) if "://" in text else ():
        end = _trimmed(text, match.start(), match.end())
        if text[end - 1] in "/-=?&_" and end == match.end() and (more := _WRAPPED.match(text, end)):
            end = _trimmed(text, match.start(), more.end())
        yield Span.of(text, match.start(), end, "URL", score=0.98, source=FAMILY.source)
    for match in _WWW.finditer(text) if "www" in note.small else ():
        end = _trimmed(text, match.start(), match.end())
        yield Span.of(text, match.start(), end, "URL", score=0.97, source=FAMILY.source)
    yield from _bare_hosts(text)


def _bare_hosts(text: str) -> Iterator[Span]:
    for match in _ENDING.finditer(text):
        if match[1].lower() not in ALL_TLDS:
            continue
        start = _host_start(text, match.start())
        labels = text[start : match.start()].split(".")
        if not all(label and label[0] != "-" and label[-1] != "-" for label in labels):
            continue
        before = text[max(0, start - 24) : start]
        if before.rstrip().endswith("@") or before.endswith(("/", "\\", "_")):
            continue
        path = _PATH.match(text, match.end())
        if not _is_host(labels, match[1], path is not None, before):
            continue
        end = _trimmed(text, start, path.end()) if path else match.end()
        score = 0.95 if path or match[1].lower() in PLAIN_TLDS else 0.8
        yield Span.of(text, start, end, "URL", score=score, source=FAMILY.source)


def _host_start(text: str, dot: int) -> int:
    start, lowest = dot, max(0, dot - _LONGEST_HOST)
    while start > lowest and (text[start - 1].isalnum() or text[start - 1] in ".-"):
        start -= 1
    while start < dot and text[start] in ".-":
        start += 1
    return start


def _is_host(labels: list[str], ending: str, path: bool, before: str) -> bool:
    """Whether the labels before a known ending make a host name, not two sentences or a dose."""
    name, top = labels[-1], ending.lower()
    if not (ending.islower() or (ending.isupper() and name.isupper())):
        return False
    if path and f"{name}.{top}" in _ONE_LETTER_HOSTS:
        return True
    if len(name) < 2 or not any(map(str.isalpha, name)):
        return False
    if top in PLAIN_TLDS:
        return True
    deep = (
        len(labels) > 1
        and (name.lower() in SECOND_LEVEL or top in WORD_TLDS)
        and len(labels[-2]) > 1
    )
    named = len(name) > 2 and top in COUNTRY_TLDS and name.islower()
    told = len(name) > 2 and _CONTEXT.search(before) is not None
    return deep or named or told or (path and len(name) > 1 and name[0].islower())


def _trimmed(text: str, start: int, end: int) -> int:
    """The end without closing punctuation that belongs to the sentence."""
    while end > start:
        last = text[end - 1]
        if last in ".,;:!?'\u2019*_\u2026\u00bb" or (
            last in _CLOSERS
            and text.count(last, start, end) > text.count(_CLOSERS[last], start, end)
        ):
            end -= 1
        else:
            break
    return end


FAMILY = Family("url", frozenset({"URL"}), _find)
