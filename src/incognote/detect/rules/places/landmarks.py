"""Highways, airports, parks, lakes, bridges, ships: named places that are no address."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.first_words import first_words
from incognote.detect.lexicon.facilities import GENERIC_WORDS, STARTERS
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.capitals import UPPER

Place = tuple[int, int, str, float]

_REST = r"[^\W\d_]*+(?:['’ʻ\-][^\W\d_]++){0,3}+"
_WORD = rf"[{UPPER}]{_REST}"
_ISOTOPES = frozenset({"123", "124", "125", "131"})
_INTERSTATE = WordPattern(
    r"(?<![^\W_])I(?:-|‑|nterstate[ ]|NTERSTATE[ ])(?P<number>\d{1,3})(?![\w%.]*\d|[-/]\d)"
)
_ROAD = WordPattern(
    r"(?<![^\W_])(?P<road>US(?:[ -]|[ ](?:Highway|Hwy|Route)[ ])|U\.S\.[ ]|H(?:ighway|wy|WY|IGHWAY)\.?[ ]"
    r"|R(?:oute|OUTE|te\.?|t\.)[ ]|S(?:R[ -]|tate[ ](?:Route|Road|Highway)[ ]))\d{1,4}[A-Z]?\b(?![/%]|\.\d|[ ](?i:mg|ml|weeks?|wks?|cm|mm|x))"
)
_ON = Pattern(
    r"(?i:\b(?:on|off|near|via|along|down|from|of|over|by|took|take|at|crossing|i-\d+|/|cross)[ ]{1,3}(?:the[ ])?)$|/[ ]$|\n[ \t]*$|[ ]{3}$"
)
_ON_ROAD = Pattern(
    r"(?i:(?<!as )\b(?:on|off|via|along|down|took|near|of|take|over)[ ](?:the[ ])?)$|/[ ]$"
)
_FORMS = frozenset({"9", "20", "94", "129", "130", "131", "140", "485", "589", "765", "797", "864"})
"""Papers of the US immigration service that look like highways."""
_DRIVEN = Pattern(
    r"[ ](?:near|at|MP|exit|EXIT|northbound|southbound|eastbound|westbound|NB|SB|EB|WB|south|north|east|west|in)\b"
)
_THE_NUMBER = WordPattern(
    r"(?<![^\W_])(?i:crash|mvc|mva|accident|collision|rollover|wreck)[ ]on[ ]the[ ](\d{2,3})\b"
)
_HEADS = (
    r"Park|PARK|Forest|Campground|CAMPGROUND|Beach|Lake|LAKE|Reservoir|River|Creek"
    r"|Mountain|Island|Canyon|Stadium|Arena|Ballpark|Mall|Zoo|Aquarium|Fairgrounds"
    r"|Speedway|Battlefield|Lighthouse|Marina|Trail|Bridge|bridge|trail|Airport|AIRPORT"
    r"|airport|Parkway|Highway|Pass|Harbor|Harbour|Reservation|Theatre|Tunnel|Ferry"
    r"|Airfield|Airstrip|Ski[ ]Area|Resort"
)
_HEADED = Pattern(
    rf"(?P<name>[{UPPER}](?<![^\W_].){_REST}(?:[ ](?:&|of|the|{_WORD})){{0,3}}?)[ ]"
    rf"(?P<head>(?:State[ ]|National[ ]|County[ ])?(?:{_HEADS}))\b(?![ ]?[’']|[ ](?!(?:Dr|Mr)\b)[A-Z])",
    needs=first_words(_HEADS),
    in_line=True,
)
_LEADING = WordPattern(
    rf"(?<![^\W_])[LMFC](?:ake|AKE|ount|t\.|ort|amp)[ ](?P<name>{_WORD}(?:[ ]{_WORD})?)(?![ ]?[’'\-])"
)
_SHIP = WordPattern(
    rf"(?<![^\W_])(?:U(?:SS|SNS|SCGC)|H(?:MS|MCS)|M(?:/V|V|S)|F/V|RMS)[ ](?P<name>{_WORD}(?:[ ]{_WORD})?)(?![ ]?[a-z]*\d)"
)
_ABOARD = WordPattern(
    rf"(?<=[ ])(?:aboard|ABOARD)[ ](?:the[ ]|THE[ ])?(?P<name>{_WORD}(?:[ ]{_WORD}){{0,2}})"
)
_AIRPORT_CODES = frozenset(
    """ATL LAX ORD DFW DEN JFK SFO SEA LAS MCO EWR CLT PHX IAH MIA BOS MSP DTW PHL LGA BWI
    SLC DCA IAD SAN TPA PDX HNL STL BNA AUS MDW OAK SJC RDU MCI SMF CLE PIT CVG IND CMH
    SAT YYZ YVR YUL LHR LGW DUB CDG FRA AMS""".split()
)
_AIRPORT = WordPattern(
    r"(?<![^\W_])[A-Z]{3}(?![\w'’])", words=frozenset(map(str.lower, _AIRPORT_CODES))
)
_FLIES = Pattern(
    r"(?i:\b(?:flew|flight|flying|landed|landing|layover|arrived|arrival|airport|gate|via|through|into"
    r"|terminal)\b[^.\n]{0,20})$|[ ]at[ ]$"
)
_FLOWN = Pattern(r"[ ](?:gate|airport|terminal)\b|\)")
_PREPOSITION = Pattern(
    r"(?i:\b(?:at|in|on|off|near|to|from|around|outside|under|over|of|by|hiked|walks?|walked|visiting|visited|via|into|wandering|near-drowning|toward)[ \n](?:the[ \n])?|\bthe[ ])$"
)
_NO_LANDMARK = frozenset(
    {
        "muscle",
        "myocardial",
        "maryland",
        "dental",
        "blood",
        "venous",
        "skin",
        "first",
        "bone",
        "land",
        "nasal",
        "parks",
        "visual",
    }
)


def landmarks(note: Reading) -> Iterator[Place]:
    """Highways, named natural and built places, airports and ships."""
    text = note.text
    for match in _INTERSTATE.find(note):
        number = match["number"]
        spelled = match[0][1] in "nN"
        on = _ON_ROAD.search(text, max(0, match.start() - 14), match.start())
        likely = len(number) == 2 and int(number) > 14 and number not in _FORMS
        road = spelled or on or likely or _DRIVEN.match(text, match.end())
        if road and (on or number not in _ISOTOPES):
            yield (*match.span(), "LOCATION-OTHER", 0.9)
    for match in _ROAD.find(note):
        on = _ON.search(text, max(0, match.start() - 14), match.start())
        if on or _DRIVEN.match(text, match.end()):
            yield (*match.span(), "LOCATION-OTHER", 0.85)
    for match in _THE_NUMBER.find(note):
        yield (*match.span(1), "LOCATION-OTHER", 0.7)
    for match in _HEADED.find(note):
        words = [word.lower() for word in match["name"].split()]
        if words[0] in STARTERS or words[0] in _NO_LANDMARK or GENERIC_WORDS.issuperset(words):
            continue
        airport = match["head"].lower().endswith("airport")
        if airport or _PREPOSITION.search(text, max(0, match.start() - 20), match.start()):
            yield (*match.span(), "LOCATION-OTHER", 0.8)
    for match in _LEADING.find(note):
        name = match["name"].split()[0].lower()
        if name not in GENERIC_WORDS and _PREPOSITION.search(
            text, max(0, match.start() - 20), match.start()
        ):
            yield (*match.span(), "LOCATION-OTHER", 0.75)
    for match in _SHIP.find(note):
        if not match[0].startswith("MS ") or text.endswith(("the ", "("), 0, match.start()):
            yield (*match.span(), "LOCATION-OTHER", 0.85)
    for match in _ABOARD.find(note):
        yield (*match.span("name"), "LOCATION-OTHER", 0.75)
    for match in _AIRPORT.find(note):
        if match[0] in _AIRPORT_CODES:
            flies = _FLIES.search(text, max(0, match.start() - 34), match.start())
            if flies and (not flies[0].startswith(" at") or _FLOWN.match(text, match.end())):
                yield (*match.span(), "LOCATION-OTHER", 0.8)
