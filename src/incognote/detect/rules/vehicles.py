"""Vehicle identification numbers, plates, tail numbers.

A VIN proves itself by its check digit. A plate is any short mix of letters and digits, so it needs
`plate`, `tag` or `reg` before it, or a vehicle and a state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import DASH, SPACE, Pattern, WordPattern
from incognote.detect.rules.engine import LAST, Family, Finding, Rule, value
from incognote.knowledge.check_digits import is_vin
from incognote.knowledge.places import PLATE_CODES

TYPE = "VEHICLE"

_S = f"[{SPACE}]"
_VEHICLE = "|".join(
    """
    car truck van minivan pick-?up suv sedan jeep motorcycle motorbike bike scooter moped
    vehicle veh auto automobile bus lorry trailer rv taxi cab ambulance tractor hatchback
    coupe wagon acura audi bmw buick cadillac chevrolet chevy chrysler dodge fiat ford
    gmc harley honda hyundai infiniti kawasaki kenworth kia lexus mack mazda mercedes
    mitsubishi nissan peterbilt pontiac ram saturn subaru suzuki tesla toyota vauxhall
    volkswagen volvo vw yamaha accord altima camry civic corolla cr-?v explorer f-?[123]50
    focus forester outback prius rav4 silverado sierra tacoma tundra wrangler
    """.split()
)

_VIN_LETTER = "A-HJ-NPR-Za-hj-npr-z0-9"
_SEVENTEEN = Pattern(rf"[{_VIN_LETTER}](?<![A-Za-z0-9].)[{_VIN_LETTER}]{{16}}(?![A-Za-z0-9])")
_VIN_LABELLED = WordPattern(
    rf"(?<!\w)(?i:vin\b(?:{_S}?(?:\#|no\b\.?|number))?"
    rf"(?:{_S}?\(?(?:ending(?:{_S}in)?|ends(?:{_S}in)?|last{_S}(?:\d|six|eight)|partial)\)?)?"
    rf"[\s:#.=]{{0,6}}(?P<vin>[A-Z0-9*]{{4,17}}))(?![A-Za-z0-9])"
)

_PART = r"[A-Z0-9]"
_PLATE = (
    rf"(?=(?:{_PART}[{DASH}{SPACE}.·]?){{0,7}}[0-9])"
    rf"{_PART}{{1,4}}(?:[{DASH}]|[{SPACE}·](?=\S{{0,3}}\d|{_PART}{{2,4}}\b)){_PART}{{1,5}}"
    rf"|(?=[A-Z]{{0,7}}[0-9])(?=[0-9]{{0,7}}[A-Z]){_PART}{{4,8}}"
)
_IRISH = rf"[0-9]{{2,3}}[{DASH}][A-Z]{{1,2}}[{DASH}][0-9]{{1,6}}"
_NUMBERS_ONLY = rf"[0-9]{{2,4}}[{DASH}{SPACE}]?[0-9]{{3,4}}"
_STATE = rf"(?-i:{'|'.join(PLATE_CODES)})"
_PLATE_WORD = "|".join(
    [
        rf"licen[cs]e{_S}(?:plates?|tags?|no\b)",
        rf"registration(?:{_S}plates?)?",
        rf"number{_S}plates?",
        rf"lic(?:\.?{_S}(?:plates?|tags?))?",
        "plates?",
        "tags?",
        "rego",
        "regd?",
    ]
)
_BY_PLATE = WordPattern(
    rf"(?<![A-Za-z])(?P<word>(?i:{_PLATE_WORD}))(?i:{_S}?(?:\#|nos?\b\.?|number))?(?:{_S}?\([A-Z]{{2,3}}\))?"
    rf"(?:[\s:#.=]{{0,6}}|{_S}(?i:is|was|reads?){_S}|{_S}[a-z ]{{1,40}}:{_S}?)(?:(?P<state>{_STATE})[\s:{DASH}]{{1,3}})?"
    rf"(?:[\"\u201c'](?P<vanity>[A-Z0-9][A-Z0-9 {DASH}]{{1,8}}[A-Z0-9])[\"\u201d']"
    rf"|(?P<plate>{_IRISH}|{_PLATE})|(?P<digits>{_NUMBERS_ONLY}))(?![A-Z0-9_/%]|[.{DASH}]\d)",
    words=first_words(_PLATE_WORD),
)
_PREFIX_STATE = Pattern(
    rf"(?:\b{_STATE}|\b(?i:vehicle|truck|car|van|company|license|licence|lic)){_S}?$"
)
_NO_PLATE_BEFORE = Pattern(
    r"(?<![a-zA-Z])(?i:growth|locking|compression|volar|tibial|tubular|neutrali[sz]ation|agar|culture|blood|mesh|titanium|recon"
    r"|reconstruction|buttress|dental|upper|lower|end|cover|l?cp|hook|clavicle|fibular?|ulnar|radial|skin|hole|hugs"
    r"|ishihara|ear|name|price|hang|ankle|bite|foot|hot|steel|bone|dcp|lc-dcp|locked|t)\W{0,2}$"
)
_SHARED_WORD = Pattern(r"(?i:reg(?!o)|lic(?!en[cs]e\W(?:plate|tag)|\.?\W(?:plate|tag)))")
_VEHICLE_BEFORE = Pattern(
    rf"(?:(?<![A-Za-z])(?i:{_VEHICLE})|(?i:\bunit|\buk|\bpolice|\bboat))\b[^.;\n]{{0,20}}$"
)
_BOAT = Pattern(r"(?i:boat|vessel|hull|jet ?ski)\W*$")
_OLD_STYLES = (
    rf"[A-Z]{{2,3}}[{SPACE}{DASH}][0-9]{{3,4}}|[0-9]{{1,3}}[A-Z]{{2,3}}[{SPACE}{DASH}][0-9]{{2,4}}"
    rf"|[0-9]{{3}}[{SPACE}{DASH}][A-Z]{{3}}|[A-Z]{{2}}[0-9]{{2}}{_S}[A-Z]{{3}}"
)
_BY_VEHICLE = WordPattern(
    rf"(?<![A-Za-z])(?i:{_VEHICLE})(?![A-Za-z])(?:[^\r\n.;()]{{0,24}}?[,(:{SPACE}]{_S}?\(?{_STATE}{_S}{{1,2}}"
    rf"(?P<plate>{_PLATE}|{_NUMBERS_ONLY})(?![\w/%]|[.{DASH}]\d)"
    rf"|{_S}?[({SPACE}](?P<only>{_OLD_STYLES})(?=\)|[,.;]|{_S}?$|\n))"
)
_TAIL = WordPattern(
    rf"(?<![A-Za-z])(?i:tail|aircraft|helicopter|n-number)(?i:(?:{_S}?(?:\#|no\b\.?|number))?)[\s:#]{{1,4}}(?P<tail>N[0-9]{{1,5}}[A-Z]{{0,2}})(?![A-Za-z0-9])"
)


def _plates(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _BY_PLATE.find(note):
        if group := _plate_group(text, match):
            start, end = match.span(group)
            if match["state"] and _BOAT.search(text[max(0, match.start() - 12) : match.start()]):
                start = match.start("state")
            yield Finding(start, end, TYPE, 0.85)


def _plate_group(text: str, match: re.Match[str]) -> str:
    """Which group of the match is a plate; none for a bone plate, a skin tag or a registry."""
    before = text[max(0, match.start() - 24) : match.start()]
    if _NO_PLATE_BEFORE.search(before):
        return ""
    in_state = match["state"] or _PREFIX_STATE.search(before)
    weak = _SHARED_WORD.match(match["word"])
    vehicle = _VEHICLE_BEFORE.search(before)
    if weak and not (vehicle or (in_state and match["word"].lower().startswith("reg"))):
        return ""
    if match["digits"]:
        return "digits" if in_state else ""
    return "vanity" if match["vanity"] else "plate"


def _seventeen_before_end(note: NoteIndex) -> list[int]:
    """Seventeen characters before the ends of numbers: the last four of a VIN are digits."""
    ends = (
        place + len(number)
        for number, places in note.numbers.items()
        if 4 <= len(number) <= 17
        for place in places
    )
    return sorted(end - 17 for end in ends if end >= 17)


def _three_digits(vin: str) -> bool:
    return sum(map(str.isdigit, vin)) > 2


FAMILY = Family(
    "vehicles",
    frozenset({TYPE}),
    (
        Rule(_SEVENTEEN, TYPE, 0.97, at=_seventeen_before_end, when=value(is_vin)),
        Rule(_VIN_LABELLED, TYPE, 0.9, "vin", when=value(_three_digits, "vin")),
        _plates,
        Rule(_BY_VEHICLE, TYPE, 0.7, LAST),
        Rule(_TAIL, TYPE, 0.9, "tail"),
    ),
)
