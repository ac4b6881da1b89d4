"""Hosts that are kept for examples, addresses that are kept for documentation.

Hosts end in .example (RFC 2606); IPv4 addresses are of RFC 5737, IPv6 addresses of RFC 3849, and
hardware addresses of RFC 7042.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.numbers.handles import ROLES, write_handle
from incognote.replace.surrogate.numbers.people_names import RenamedPeople
from incognote.replace.surrogate.numbers.shape import compact, pour, reshaped
from incognote.replace.surrogate.numbers.spoken_words import spoken
from incognote.replace.surrogate.numbers.value import NumberMention, Value

_V4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_V6 = re.compile(r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}")
_HARDWARE = re.compile(r"[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){4}")
_DOCUMENTATION = ("192.0.2", "198.51.100", "203.0.113")
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][\w+.-]*://)?(?:(?P<user>[^\s/@]+)@)?"
    r"(?P<host>[^\s/:?#]+)(?P<port>:\d{2,5})?(?P<path>.*)",
    re.DOTALL,
)
_EMAIL = re.compile(
    r"(?P<local>.+?)(?P<at>\s*[(\[{<]?\s*(?:@|(?<=[\s(\[{<_])(?:at|AT)(?=[\s)\]}>_]))\s*[)\]}>]?\s*)"
    r"(?P<host>\S.*)",
    re.DOTALL,
)
_DOT = re.compile(r"(?:\s*[(\[{<]\s*dot\s*[)\]}>]\s*|\s+dot\s+|_dot_|\.\s*)", re.IGNORECASE)
_SECOND_LEVEL = frozenset("co com org net ac gov edu nhs govt health gob gouv or ne".split())
_PREFIXES = ROLES | frozenset(
    "www www2 my mychart myhealth meet remote share image results provider learn alert pa video app "
    "apps api login m mobile en online telehealth view vpn".split()
)
_PATH_WORDS = _PREFIXES | frozenset(
    "schedule join r x st pt me rx help privacy about contact index html php aspx http https upload "
    "forms form survey video videos room id tok token session s p q v en us search page pages".split()
)
_WORD = re.compile(r"[^\W_]+")


def read_internet(mention: NumberMention, people: RenamedPeople) -> Value | None:
    """An e-mail address, a web address, a network address or a login."""
    core = mention.plain
    if mention.type == "EMAIL":
        return Value("email", core, partial(_write_email, people))
    if mention.type == "USERNAME":
        return Value(
            "handle", core, lambda text, keyed, turn: write_handle(text, keyed, turn, people)
        )
    if mention.type == "URL":
        return Value("url", core, partial(_write_url, people))
    if mention.type == "IPADDR":
        return Value("address", core, _write_address)
    return None


def _write_email(people: RenamedPeople, text: str, keyed: Keyed, turn: int) -> str:
    match = _EMAIL.fullmatch(text)
    if match is None:
        return write_handle(text, keyed, turn, people)
    local = write_handle(match["local"], keyed, turn, people)
    return local + match["at"] + _host(match["host"], keyed, turn)


def _host(text: str, keyed: Keyed, turn: int) -> str:
    """Another host; what leads to a service (www, portal) stays."""
    if _V4.fullmatch(text):
        return _write_address(text, keyed, turn)
    dots = _DOT.findall(text)
    labels = _DOT.split(text)
    if len(labels) < 2:
        return _label(text, keyed, turn)
    own = 3 if len(labels) > 2 and _is_second_level(labels[-2:]) else 2
    name = "-".join(label.lower() for label in labels[-own:])
    kept = [
        label if label.lower() in _PREFIXES else _label(label, keyed, turn)
        for label in labels[:-own]
    ]
    length = min(max(len(labels[-own]), 5), 12)
    fake = [spoken(length, keyed, "host", name, turn), "example"]
    if text.isupper():
        fake = [word.upper() for word in fake]
    pieces = [*kept, *fake]
    joints = [*dots[: len(kept)], dots[-1]]
    return "".join(label + dot for label, dot in zip(pieces, [*joints, ""], strict=True))


def _is_second_level(labels: Sequence[str]) -> bool:
    return labels[0].lower() in _SECOND_LEVEL and len(labels[1]) == 2


def _label(text: str, keyed: Keyed, turn: int) -> str:
    return write_handle(text, keyed, max(turn, 1))


def _write_url(people: RenamedPeople, text: str, keyed: Keyed, turn: int) -> str:
    match = _URL.fullmatch(text)
    if match is None:
        return write_handle(text, keyed, turn, people)
    user = f"{write_handle(match['user'], keyed, turn, people)}@" if match["user"] else ""
    host = _host(match["host"], keyed, turn)
    path = _WORD.sub(lambda word: _path_word(word[0], keyed, turn), match["path"])
    return f"{match['scheme'] or ''}{user}{host}{match['port'] or ''}{path}"


def _path_word(word: str, keyed: Keyed, turn: int) -> str:
    if word.lower() in _PATH_WORDS:
        return word
    if word.isalpha():
        return write_handle(word, keyed, max(turn, 1))
    return pour(word, reshaped(compact(word), keyed, turn))


def _write_address(text: str, keyed: Keyed, turn: int) -> str:
    if _HARDWARE.fullmatch(text):
        joint = text[2]
        last = keyed.below(256, "hardware", compact(text), turn)
        fake = joint.join(("00", "00", "5e", "00", "53", f"{last:02x}"))
        return fake.upper() if text.isupper() else fake
    if _V4.search(text) and ":" not in text[: text.find(".")]:
        return _V4.sub(lambda match: _v4(match[0], keyed, turn), text)
    if _V6.search(text):
        return _V6.sub(lambda match: _v6(match[0], keyed, turn), text, count=1)
    return pour(text, reshaped(compact(text), keyed, turn))


def _v4(address: str, keyed: Keyed, turn: int) -> str:
    number = keyed.below(3 * 254, "address", address, turn)
    return f"{_DOCUMENTATION[number // 254]}.{1 + number % 254}"


def _v6(address: str, keyed: Keyed, turn: int) -> str:
    """The network is 2001:db8; the other groups keep their lengths."""
    head, gap, tail = address.partition("::")
    groups = head.split(":") if head else []
    fresh = [_group(each, place, address, keyed, turn) for place, each in enumerate(groups)]
    last = [
        _group(each, 8 + place, address, keyed, turn)
        for place, each in enumerate(tail.split(":") if tail else [])
    ]
    start = ["2001", "db8", *fresh[2:]]
    fake = ":".join(start) + gap + ":".join(last)
    return fake.upper() if address.isupper() else fake


def _group(group: str, place: int, address: str, keyed: Keyed, turn: int) -> str:
    if not group:
        return ""
    low, high = (1, 15) if len(group) == 1 else (16 ** (len(group) - 1), 16 ** len(group) - 1)
    return f"{low + keyed.below(high - low + 1, 'group', address, place, turn):x}"
