"""Addresses on the internet: e-mail, IP and web."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import SPACE, FigurePattern, Pattern, WordPattern
from incognote.detect.rules.engine import Family, Finding, Rule

PLAIN_TLDS = frozenset("com org net edu gov mil biz info example".split())
"""Endings that no English word shares: a name before one of them is a host name."""

WORD_TLDS = frozenset(
    "health care clinic doctor dental hospital pharmacy healthcare surgery physio vet fitness "
    "online site website link live life today center centre video page name pro world school "
    "church family help support cloud tech app chat team services solutions agency foundation "
    "community institute academy university college global international network digital social "
    "media news blog space zone club store shop xyz dev io me co us tv ly gl gg to int jobs museum "
    "mobi asia cat coop aero travel law legal group gay kids green works work email press wiki".split()
)
"""Endings that are also words or short codes: only in a longer host name or before a path."""

COUNTRY_TLDS = frozenset("uk ie ca au nz za eu ke ng gh ug tz zw zm na bw jm tt bb".split())
"""Endings of the English-speaking countries (and the EU), taken after a name of some length."""

OTHER_COUNTRY_TLDS = frozenset(
    "de fr es it nl be ch at se no dk fi pl pt gr cz hu ro ru ua tr il ae sa in pk bd lk sg my ph th "
    "vn cn hk tw jp kr br mx ar cl pe cr pr bs lc gd vc ag dm is ht do gt hn ni pa uy ec bo py".split()
)
"""Endings of other countries: only before a path, after `www.` or a second-level `co`, `com`."""

SECOND_LEVEL = frozenset(
    "co com org net edu gov govt ac nhs nsw vic qld sch ltd gouv gob gc on bc".split()
)

ALL_TLDS = PLAIN_TLDS | WORD_TLDS | COUNTRY_TLDS | OTHER_COUNTRY_TLDS


def is_top_level(name: str) -> bool:
    """Whether a host name may end with it."""
    return name.lower() in ALL_TLDS


def cut_glued_word(name: str) -> str:
    """`examplecc` (an address glued to the next word) becomes `example`; others stay."""
    lowered = name.lower()
    if lowered in ALL_TLDS:
        return name
    for label in ("example", "com", "org", "net", "edu", "gov"):
        if lowered.startswith(label) and lowered not in ("community", "organic", "network"):
            return name[: len(label)]
    return name


# E-mail addresses, also broken over a line and written out as `name at host dot org`.

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


def _with_sign(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    at = text.find("@")
    while at >= 0:
        end = _host_end(text, at)
        start = _local_start(text, at)
        if end and start < at:
            yield Finding(start, end, "EMAIL", 0.98)
        elif start < at:
            yield from _on_a_short_host(text, start, at)
        at = text.find("@", at + 1)


def _on_a_short_host(text: str, start: int, at: int) -> Iterator[Finding]:
    """An address inside one institution (`jdoe@mghintra`), believed only after its label."""
    host = _AT_SHORT_HOST.match(text, at)
    if host and _EMAIL_LABEL.search(text[max(0, start - 24) : start]):
        yield Finding(start, host.end(), "EMAIL", 0.8)


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


def _spelled_out(note: NoteIndex) -> Iterator[Finding]:
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
        yield Finding(start, match.end(), "EMAIL", 0.9)


EMAIL = Family("email", frozenset({"EMAIL"}), (_with_sign, _spelled_out))


# IP addresses, version 4 and 6.

_V4 = FigurePattern(
    r"[0-9](?<![\w.].)(?:[0-9]{0,2})(?:\.[0-9]{1,3}){3}(?![\w%]|\.\w)",
    digits=[1, 2, 3],
    then=r"\.\d",
)
_V4_GLUED = WordPattern(r"(?<!\w)[iI][pP][vV]?4?([0-9]{1,3}(?:\.[0-9]{1,3}){3})(?![\w%]|\.\w)")
_V6 = Pattern(
    r"[0-9a-fA-F:](?<![\w:.].)[0-9a-fA-F]{0,3}:[0-9a-fA-F:]{1,36}(?:(?<=:)[0-9]{1,3}(?:\.[0-9]{1,3}){3})?(?![\w:.]\w|\w)"
)
_TWO_COLONS = Pattern(r":[0-9a-fA-F]{0,4}:")
_NETWORK = Pattern(
    r"(?i:(?<![a-z])(?:ip(?:v?[46])?(?:[ -]?addr(?:ess)?)?|host|client|gateway|work ?station|wkst|vpn|server"
    r"|subnet|dns|router|src|dst|source|remote|proxy|login|logged|node|terminal|ping|v[46]|from))"
    r"[\s:=#@(\[<.,\"']{0,12}(?:(?:is|from|of|at|was)\s)?$|://$"
)
_NOT_NETWORK = Pattern(
    r"(?i:(?<![a-z])(?:v|ver|vers|version|build|firmware|fw|software|sw|release|rev|section|sec|chapter|para"
    r"|paragraph|clause|appendix|item|table|fig(?:ure)?|oid|driver|app|ios|android|chrome|edge|step|rule))"
    r"[\s:=#.(]{0,4}$|\u00a7\s?$"
)


def _v4_here(text: str, match: re.Match[str]) -> float:
    return _v4_score(match[0], text[max(0, match.start() - 32) : match.start()])


def _v4_glued(_: str, match: re.Match[str]) -> float:
    return 0.9 if _v4_score(match[1], "ip ") else 0.0


def _v6(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _V6.find(note) if _TWO_COLONS.search(text) else ():
        address = match[0].rstrip(":") if not match[0].endswith("::") else match[0]
        start = match.start()
        if score := _v6_score(address, text[max(0, start - 32) : start]):
            yield Finding(start, start + len(address), "IPADDR", score)


def _v4_score(value: str, before: str) -> float:
    """How surely the four numbers are an address; 0 when they are none."""
    octets = [int(part) for part in value.split(".")]
    try:
        address = ipaddress.IPv4Address(".".join(map(str, octets)))
    except ValueError:
        return 0.0
    if _NOT_NETWORK.search(before) or octets[0] == 0:
        return 0.0
    if _NETWORK.search(before):
        return 0.97
    if address.is_private and octets[0] in (172, 192):
        return 0.95
    given_out = max(octets) > 99 or sum(octet > 9 for octet in octets) > 1
    stepwise = octets == sorted(octets) and max(octets) < 100
    return 0.85 if given_out and not stepwise else 0.0


def _v6_score(value: str, before: str) -> float:
    try:
        ipaddress.IPv6Address(value)
    except ValueError:
        return 0.0
    groups = [group for group in value.split(":") if group]
    if _NETWORK.search(before) and groups:
        return 0.97
    return 0.95 if len(groups) > 2 and any(map(str.isdigit, value)) else 0.0


IP = Family(
    "ip",
    frozenset({"IPADDR"}),
    (Rule(_V4, "IPADDR", _v4_here), Rule(_V4_GLUED, "IPADDR", _v4_glued, 1), _v6),
)


# Web addresses, with and without scheme.

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
_URL_LONGEST_HOST = 253
_ONE_LETTER_HOSTS = frozenset({"t.me", "t.co", "x.com", "g.co", "m.me"})
_CLOSERS = {")": "(", "]": "["}


def _with_scheme(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _SCHEME.finditer(text) if "://" in text else ():
        end = _trimmed(text, match.start(), match.end())
        if text[end - 1] in "/-=?&_" and end == match.end() and (more := _WRAPPED.match(text, end)):
            end = _trimmed(text, match.start(), more.end())
        yield Finding(match.start(), end, "URL", 0.98)


def _with_www(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _WWW.finditer(text) if "www" in note.small else ():
        yield Finding(match.start(), _trimmed(text, match.start(), match.end()), "URL", 0.97)


def _bare_hosts(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
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
        yield Finding(start, end, "URL", score)


def _host_start(text: str, dot: int) -> int:
    start, lowest = dot, max(0, dot - _URL_LONGEST_HOST)
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
    announced = len(name) > 2 and _CONTEXT.search(before) is not None
    return deep or named or announced or (path and len(name) > 1 and name[0].islower())


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


URL = Family("url", frozenset({"URL"}), (_with_scheme, _with_www, _bare_hosts))
