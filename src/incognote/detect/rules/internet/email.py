"""E-mail addresses, also broken over a line and written out as `name at host dot org`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.identifiers.other_labels import SPACE
from incognote.detect.rules.internet.domains import cut_glued_word, is_top_level
from incognote.document import Span

_S = f"[{SPACE}]"
_BREAK = rf"(?:{_S}{{0,2}}\r?\n{_S}{{0,8}})"
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_AT_HOST = Pattern(
    rf"@(?:{_S}(?={_LABEL}\.)|{_BREAK})?(?P<host>(?:{_LABEL}(?:\.{_BREAK}?(?=[^\W_])|\.)){{1,6}}(?P<top>[a-zA-Z]{{2,24}}))"
)
_AT_HOST_ON_ONE_LINE = Pattern(rf"@{_LABEL}(?:\.{_LABEL}){{0,5}}\.[a-zA-Z]{{2,24}}")
_AT_SHORT_HOST = Pattern(r"@[A-Za-z][\w-]{1,30}(?![\w@]|\.\w)")
_LOCAL_EXTRA = frozenset("._+-'\u2019&")
_LONGEST_LOCAL = 64
_EMAIL_LABEL = Pattern(rf"e-?mail(?:{_S}address)?(?:{_S}is)?[:=\s]{{0,4}}$", re.IGNORECASE)

_DOT = rf"(?:{_S}?[(\[{{<]{_S}?dot{_S}?[)\]}}>]{_S}?|{_S}dot{_S}|_dot_|\.)"
_WORDS_AT = Pattern(
    rf"(?P<sign>{_S}?[(\[{{<]{_S}?(?:at|@){_S}?[)\]}}>]{_S}?|{_S}at{_S}|_at_)"
    rf"(?P<host>(?:[^\W_][\w-]{{0,61}}?(?P<dot>{_DOT})){{1,4}}(?P<top>[a-z]{{2,24}}))(?![\w@-])",
    re.IGNORECASE,
)
_SIGNS = frozenset({"at"})
_HOST_AFTER = Pattern(
    rf"[^\W_]{{2}}[_{SPACE})\]}}>]{{1,3}}[^\W_][\w-]{{0,61}}?{_DOT}", re.IGNORECASE
)
_BRACKETED = Pattern(rf"@(?<=[(\[{{<{SPACE}].){_S}?[)\]}}>]")
_LONGEST_HOST = 300
_SPELLED_LOCAL = Pattern(
    rf"(?:[\w+-]{{1,30}}(?:{_S}(?:dot|underscore|dash|hyphen|plus){_S}|\.|[(\[]dot[)\]])){{0,4}}[\w+-]{{1,40}}$",
    re.IGNORECASE,
)
_PROVIDERS = Pattern(
    r"(?:g(?:oogle)?mail|yahoo|hotmail|outlook|aol|icloud|me|msn|live|proton(?:mail)?|comcast|verizon"
    r"|btinternet|sbcglobal|att|ymail|mac|gmx|fastmail)\.",
    re.IGNORECASE,
)


def _find(note: Reading) -> Iterator[Span]:
    text = note.text
    at = text.find("@")
    while at >= 0:
        end = _host_end(text, at)
        start = _local_start(text, at)
        if end and start < at:
            yield Span.of(text, start, end, "EMAIL", score=0.98, source=FAMILY.source)
        elif start < at:
            yield from _on_a_short_host(text, start, at)
        at = text.find("@", at + 1)
    yield from _spelled_out(note)


def _on_a_short_host(text: str, start: int, at: int) -> Iterator[Span]:
    """An address inside one institution (`jdoe@mghintra`), believed only after its label."""
    host = _AT_SHORT_HOST.match(text, at)
    if host and _EMAIL_LABEL.search(text[max(0, start - 24) : start]):
        yield Span.of(text, start, host.end(), "EMAIL", score=0.8, source=FAMILY.source)


def _host_end(text: str, at: int) -> int:
    """The end of the host after `@`, or 0 when what follows is no host."""
    match = _AT_HOST.match(text, at)
    if match is None:
        return 0
    broken = not text[at + 1].isalnum() or "\n" in match["host"]
    if broken and not is_top_level(match["top"]):
        first = _AT_HOST_ON_ONE_LINE.match(text, at)
        return first.end() if first else 0
    return match.end() - len(match["top"]) + len(cut_glued_word(match["top"]))


def _local_start(text: str, at: int) -> int:
    """Where the part before `@` starts; `at` itself when there is none."""
    start = at
    if text[max(0, at - 2) : at + 2].endswith(" @ ") and text[at - 2 : at - 1].isalnum():
        start = at - 1
    lowest = max(0, start - _LONGEST_LOCAL)
    first = start
    while first > lowest and (text[first - 1].isalnum() or text[first - 1] in _LOCAL_EXTRA):
        first -= 1
    while first < start and text[first] in ".'\u2019-&":
        first += 1
    return first if first < start else at


def _spelled_out(note: Reading) -> Iterator[Span]:
    text = note.text
    signs = [place for place in note.at(_SIGNS) if _HOST_AFTER.match(text, place)]
    signs += [sign.start() for sign in _BRACKETED.finditer(text)] if "@" in text else []
    reached = 0
    for sign in sorted(signs):
        match = _WORDS_AT.search(text, max(reached, sign - 3), sign + _LONGEST_HOST)
        if match is None or match.start() > sign:
            continue
        reached = match.end()
        bare = match["sign"].strip().lower() == "at"
        dots = match["dot"].strip() != "."
        if bare and not (dots or _PROVIDERS.match(match["host"])):
            continue
        if not is_top_level(match["top"]):
            continue
        local = _SPELLED_LOCAL.search(text[max(0, match.start() - 80) : match.start()])
        if local is None:
            continue
        start = match.start() - len(local[0])
        yield Span.of(text, start, match.end(), "EMAIL", score=0.9, source=FAMILY.source)


FAMILY = Family("email", frozenset({"EMAIL"}), _find)
