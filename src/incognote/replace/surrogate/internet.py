"""Addresses and logins: hosts that are kept for examples, addresses that are kept for documentation.

Hosts end in .example (RFC 2606); IPv4 addresses are of RFC 5737, IPv6 addresses of RFC 3849, and
hardware addresses of RFC 7042. A login that shows a person's name shows the person's fake.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from incognote.replace.surrogate.kernel import Keyed
from incognote.replace.surrogate.number_shapes import NumberMention, Value, compact, pour, reshaped

_SHORTEST = 3
"""A shorter piece of a name may be of anybody."""
_LONGEST = 24
_MANY = 64
_WORDS = 6


@dataclass(frozen=True)
class Renamed:
    """A person's words, in plain small letters, each with the fake in its place."""

    given_names: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    surnames: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def words(self) -> tuple[tuple[str, str], ...]:
        """Given names, then surnames; more than a few words are of no login."""
        return (*self.given_names, *self.surnames)[:_WORDS]


@dataclass(frozen=True)
class _Reading:
    """How a run of letters is made of a person's words, and what the fakes make of it."""

    fake: str
    name_letters: int
    """The letters that are a name or the beginning of one, not initials."""


class RenamedPeople:
    """The people of a note, found by the beginnings of their names and by their initials."""

    def __init__(self, people: Sequence[Renamed] = ()) -> None:
        self._begun_with: dict[str, list[Renamed]] = defaultdict(list)
        self._initials: dict[str, list[Renamed]] = defaultdict(list)
        for person in people:
            for begin in {real[:_SHORTEST] for real, _ in person.words if len(real) >= _SHORTEST}:
                self._begun_with[begin].append(person)
            if person.given_names and person.surnames:
                letters = "".join(real[0] for real, _ in person.words)
                for initials in {letters, letters[0] + letters[-1]}:
                    self._initials[initials].append(person)

    def near(self, runs: Sequence[str]) -> list[Renamed]:
        """Those whom runs of letters may show; where many share a beginning, the first of them."""
        people: dict[Renamed, None] = {}
        for run in runs:
            size = min(len(run), _LONGEST)
            begins = (run[at : at + _SHORTEST] for at in range(size - _SHORTEST + 1))
            groups = [self._begun_with[each] for each in begins if each in self._begun_with]
            for group in sorted(groups, key=len):
                people.update(dict.fromkeys(group[:_MANY]))
            people.update(dict.fromkeys(self._initials.get(run, ())[:_MANY]))
        return list(people)


def shown_name(runs: Sequence[str], people: RenamedPeople) -> dict[str, str]:
    """From the runs of a login that show someone's name to what shows the fake; empty for nobody.

    >>> shown_name(["jdoe"], RenamedPeople([Renamed((("john", "karl"),), (("doe", "fox"),))]))
    {'jdoe': 'kfox'}
    """
    best: tuple[int, dict[str, str]] = (0, {})
    for person in people.near(runs):
        readings = {run: reading for run in runs if (reading := _read(run, person, len(runs) == 1))}
        name_letters = sum(reading.name_letters for reading in readings.values())
        if name_letters > best[0]:
            best = (name_letters, {run: reading.fake for run, reading in readings.items()})
    return best[1]


def _read(run: str, person: Renamed, alone: bool) -> _Reading | None:
    if len(run) > _LONGEST:
        return None
    best = max(_readings(run, person.words), key=lambda reading: reading.name_letters, default=None)
    if best and (best.name_letters or not alone):
        return best if best.name_letters else _Reading(best.fake, 0)
    return _initials(run, person) if alone else None


def _readings(run: str, words: tuple[tuple[str, str], ...]) -> Iterator[_Reading]:
    """Every way to make the run of words, their beginnings and initials, none used twice."""
    if not run:
        yield _Reading("", 0)
        return
    for place, (real, fake) in enumerate(words):
        if not real or real[0] != run[0]:
            continue
        remaining = words[:place] + words[place + 1 :]
        for size in _sizes(run, real):
            part = fake if size == len(real) else fake[:size]
            name_letters = size if size >= _SHORTEST else 0
            for rest in _readings(run[size:], remaining):
                yield _Reading(part + rest.fake, name_letters + rest.name_letters)


def _sizes(run: str, real: str) -> Iterator[int]:
    """How much of a name may stand at the beginning of a run: all, its beginning, the initial."""
    same = 0
    while same < min(len(run), len(real)) and run[same] == real[same]:
        same += 1
    if same == len(real):
        yield same
    if _SHORTEST <= same < len(real):
        yield same
    if same and len(real) > 1:
        yield 1


def _initials(run: str, person: Renamed) -> _Reading | None:
    """The initials of a whole name, of two letters or three."""
    if not (person.given_names and person.surnames and 2 <= len(run) <= 3):
        return None
    letters = [(real[0], fake[0]) for real, fake in person.words]
    short = [letters[0], letters[-1]]
    for each in (letters, short):
        if "".join(real for real, _ in each) == run:
            return _Reading("".join(fake for _, fake in each), 1)
    return None


# Words that can be spoken, for the names of hosts and logins that belong to nobody.

_ONSETS = "b d f g h j k l m n p r s t v w br dr gr kr tr bl kl fl st pr".split()
_VOWELS = "a e i o u ai ea ou".split()
_ENDS = "n r l s m".split()


def spoken(length: int, keyed: Keyed, *about: object) -> str:
    """A word of so many letters that no dictionary is likely to have."""
    number = keyed.number("word", *about)
    word = ""
    closed = False
    while len(word) < length:
        remaining = length - len(word)
        number = number or keyed.number("more", remaining, *about)
        if word and not closed and (remaining == 1 or (len(word) > 2 and number % 3 == 0)):
            number, place = divmod(number // 3, len(_ENDS))
            word += _ENDS[place]
            closed = True
            continue
        for parts, room in ((_ONSETS, remaining - 1), (_VOWELS, 0)):
            fitting = [part for part in parts if len(part) <= (room or length - len(word))]
            if room or parts is _VOWELS:
                number, place = divmod(number, len(fitting))
                word += fitting[place]
        closed = False
    return word


# Login names and what stands before the @: a person's fake where they show the person's name.

_PIECE = re.compile(r"(?P<letters>[^\W\d_]+)|(?P<digits>\d+)|(?P<rest>[\W_]+)")
_SPOKEN_FROM = 4
ROLES = frozenset(
    "admin admissions appointments appts auto billing care case chart clinic contact desk dev doctor "
    "doc donotreply email enroll fax feedback frontdesk front help helpdesk home hr info inquiries "
    "inquiry intake lab labs mail manager med medical med nurse nurses nursing office patient "
    "patients pharmacy portal proxy radiology reception records referral referrals refill refills "
    "registrar results rn md np scheduling scr scribe secretary secure service services social staff "
    "support team the triage user visit web work direct inbox message messages noreply no reply".split()
)
"""Words that name a function and not a person; they stay."""

NOBODY = RenamedPeople()


def write_handle(text: str, keyed: Keyed, turn: int, people: RenamedPeople = NOBODY) -> str:
    """A login with another name, other figures and the same marks between them.

    A name is looked for at first only: where its fake will not do, the letters get other letters.
    """
    pieces = list(_PIECE.finditer(text))
    runs = [compact(part["letters"]) for part in pieces if part["letters"]]
    fakes = shown_name([run for run in runs if run not in ROLES], people) if turn == 0 else {}
    only_roles = all(run in ROLES for run in runs) and not any(each["digits"] for each in pieces)
    parts: list[str] = []
    for part in pieces:
        if part["rest"]:
            parts.append(part[0])
        elif part["digits"]:
            parts.append(pour(part[0], reshaped(compact(part[0]), keyed, turn)))
        else:
            run = compact(part[0])
            if run in fakes:
                parts.append(_in_case(fakes[run], part[0]))
            elif run in ROLES and (len(runs) > 1 or only_roles):
                parts.append(part[0])
            else:
                parts.append(_in_case(_other(run, keyed, turn), part[0]))
    return "".join(parts)


def _other(run: str, keyed: Keyed, turn: int) -> str:
    if len(run) < _SPOKEN_FROM:
        return reshaped(run, keyed, turn)
    return spoken(len(run), keyed, run, turn)


def _in_case(fake: str, pattern: str) -> str:
    if pattern.isupper() and (len(pattern) > 1 or len(fake) == 1):
        return fake.upper()
    return fake.capitalize() if pattern[:1].isupper() else fake


# Hosts that are kept for examples, addresses that are kept for documentation.
#
# Hosts end in .example (RFC 2606); IPv4 addresses are of RFC 5737, IPv6 addresses of RFC 3849, and
# hardware addresses of RFC 7042.

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
    names = [
        label if label.lower() in _PREFIXES else _label(label, keyed, turn)
        for label in labels[:-own]
    ]
    length = min(max(len(labels[-own]), 5), 12)
    fake = [spoken(length, keyed, "host", name, turn), "example"]
    if text.isupper():
        fake = [word.upper() for word in fake]
    pieces = [*names, *fake]
    joints = [*dots[: len(names)], dots[-1]]
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
