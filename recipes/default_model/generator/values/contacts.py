"""Telephones, faxes, mail addresses, web addresses and network addresses."""

from __future__ import annotations

import re
import unicodedata
from random import Random

_FORMS = (
    "{}-{}-{}", "{}-{}-{}", "{}-{}-{}", "({}) {}-{}", "({}) {}-{}", "({}){}-{}", "{}.{}.{}",
    "{} {} {}", "{}/{}-{}", "{} {}-{}", "{}{}{}", "1-{}-{}-{}", "+1 {} {} {}", "+1 ({}) {}-{}",
    "+1-{}-{}-{}",
)  # fmt: skip
_EXTENSIONS = (" x{}", " ext {}", " ext. {}", " x {}", ", ext. {}", " extension {}", "x{}")


def number(rng: Random) -> str:
    """Ten digits in one of the usual forms, now and then without the area code or from abroad."""
    area, exchange = rng.randint(201, 989), rng.randint(200, 999)
    line = f"{rng.randint(0, 9999):04}"
    chance = rng.random()
    if chance < 0.07:
        return f"{exchange}-{line}"
    if chance < 0.11:
        return f"1-8{rng.choice(('00', '88', '77', '66', '55'))}-{exchange}-{line}"
    if chance < 0.15:
        return _abroad(rng)
    if chance < 0.16:
        words = ("CARE", "HELP", "CALL", "QUIT", "HOPE", "WELL", "NURS")
        return f"1-800-{exchange}-{rng.choice(words)}"
    return rng.choice(_FORMS).format(area, exchange, line)


def _abroad(rng: Random) -> str:
    code = rng.choice(
        (20, 27, 31, 33, 34, 39, 41, 44, 48, 49, 52, 55, 61, 63, 81, 84, 91, 234, 254, 353, 506)
    )
    form = rng.choice(("+{} {} {} {}", "+{} {}-{}-{}", "011-{}-{}-{}-{}", "00{} {} {} {}"))
    return form.format(code, rng.randint(1, 99), rng.randint(100, 9999), rng.randint(1000, 9999))


def phone(rng: Random) -> str:
    """A telephone number, sometimes with its extension."""
    value = number(rng)
    if rng.random() < 0.07:
        value += rng.choice(_EXTENSIONS).format(rng.randint(10, 9999))
    return value


def pager(rng: Random) -> str:
    """A pager or in-house number."""
    chance = rng.random()
    if chance < 0.35:
        return str(rng.randint(1000, 99999))
    if chance < 0.55:
        return f"{rng.randint(2, 99)}-{rng.randint(1000, 9999)}"
    if chance < 0.62:
        return f"{rng.randint(100, 999)}-{rng.randint(0, 9999):04}"
    return number(rng)


def extension(rng: Random) -> str:
    """An extension that stands alone; the word before it is outside, a glued x inside."""
    return str(rng.randint(100, 99999)) if rng.random() < 0.7 else (
        f"{rng.randint(2, 9)}-{rng.randint(1000, 9999)}"
    )  # fmt: skip


_TLD = ("com", "org", "net", "example", "example", "edu", "health", "gov", "us", "co", "info")
_MAIL = (
    "mail",
    "post",
    "inbox",
    "webmail",
    "fastmail",
    "homenet",
    "lakemail",
    "bluepost",
    "cablenet",
)


def ascii_word(text: str) -> str:
    """Lower-case letters only, as addresses have names."""
    flat = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z]", "", flat.lower())


def domain(rng: Random, word: str) -> str:
    """A domain made of a word."""
    base = ascii_word(word)[: rng.randint(6, 16)] or "clinic"
    if rng.random() < 0.25:
        base += rng.choice(("health", "med", "clinic", "care", "hosp", "-health", "mc", "net"))
    return f"{base}.{rng.choice(_TLD)}"


def email(rng: Random, first: str, last: str, word: str) -> str:
    """A mail address of a person or an office."""
    first, last = ascii_word(first) or "info", ascii_word(last) or "desk"
    local = rng.choice(
        (
            f"{first}.{last}", f"{first[0]}{last}", f"{first}{last[0]}", f"{last}.{first[0]}",
            f"{first}_{last}", f"{first}{rng.randint(1, 99)}", f"{first[0]}{last}{rng.randint(1, 99)}",
            f"{last}{rng.randint(50, 99)}", rng.choice(("intake", "records", "referrals", "billing", "nurse", "info")),
        )
    )  # fmt: skip
    if rng.random() < 0.15:
        local = f"{first}.{last}{rng.randint(1, 99)}" if rng.random() < 0.5 else f"{first}-{last}"
    host = domain(rng, word)
    if rng.random() < 0.12:
        host = f"{rng.choice(('direct', 'mail', 'secure'))}.{host}"
    if rng.random() < 0.4:
        host = (
            f"{rng.choice(_MAIL)}{rng.choice(('', '', str(rng.randint(1, 9))))}.{rng.choice(_TLD)}"
        )
    address = f"{local}@{host}"
    return address.upper() if rng.random() < 0.06 else address


_WORDS = (
    "join", "portal", "pay", "records", "visit", "forms", "st", "pt", "me", "help", "rx", "enroll", "video", "schedule",
    "privacy", "upload", "care", "clinic", "results", "pay-now", "new-patient",
)  # fmt: skip


def url(rng: Random, word: str) -> str:
    """A web address."""
    host = domain(rng, word)
    if rng.random() < 0.3:
        host = f"{rng.choice(_WORDS)}{rng.choice('.-')}{host}"
    head = rng.choice(
        (
            "https://",
            "https://",
            "http://",
            "www.",
            "https://www.",
            "https://portal.",
            "https://my.",
            "",
        )
    )
    parts: list[str] = []
    for _ in range(rng.choice((0, 0, 1, 1, 2, 2))):
        code = "".join(rng.choices("abcdefghjkmnpqrstuvwxyz0123456789", k=rng.randint(3, 8)))
        parts.append(
            rng.choice(
                (
                    rng.choice(_WORDS),
                    rng.choice(_WORDS),
                    code,
                    str(rng.randint(10, 99999)),
                    f"{rng.choice(_WORDS)}-{rng.randint(1, 999)}",
                )
            )
        )
    tail = "".join(f"/{part}" for part in parts)
    if not head and not tail:
        tail = "/" + rng.choice(_WORDS)
    if rng.random() < 0.06:
        tail += f"?{rng.choice(('id', 'tok', 'p'))}={rng.randint(1000, 99999)}"
    return f"{head}{host}{tail}"


def ip_address(rng: Random) -> str:
    """A network address of either kind."""
    if rng.random() < 0.12:
        groups = [f"{rng.randrange(65536):x}" for _ in range(rng.randint(3, 5))]
        return ":".join(["2601", *groups[:-1]]) + "::" + groups[-1]
    if rng.random() < 0.5:
        return f"10.{rng.randint(0, 255)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}"
    head = rng.choice(
        ("192.168", "172.16", "172.20", f"{rng.randint(20, 220)}.{rng.randint(0, 255)}")
    )
    return f"{head}.{rng.randint(0, 255)}.{rng.randint(1, 254)}"
