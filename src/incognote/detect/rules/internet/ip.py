"""IP addresses, version 4 and 6.

Four numbers with dots are also versions, sections and titrations: without a word of networking
before them they must look like an address that is given out.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from incognote.detect.pattern import FigurePattern, Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.document import Span

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


def _find(note: Reading) -> Iterator[Span]:
    text = note.text
    for match in _V4.find(note):
        if score := _v4_score(match[0], text[max(0, match.start() - 32) : match.start()]):
            yield Span.of(text, *match.span(), "IPADDR", score=score, source=FAMILY.source)
    for match in _V4_GLUED.find(note):
        if _v4_score(match[1], "ip "):
            yield Span.of(text, *match.span(1), "IPADDR", score=0.9, source=FAMILY.source)
    for match in _V6.find(note) if _TWO_COLONS.search(text) else ():
        value = match[0].rstrip(":") if not match[0].endswith("::") else match[0]
        before = text[max(0, match.start() - 32) : match.start()]
        if score := _v6_score(value, before):
            start = match.start()
            yield Span.of(
                text, start, start + len(value), "IPADDR", score=score, source=FAMILY.source
            )


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


FAMILY = Family("ip", frozenset({"IPADDR"}), _find)
