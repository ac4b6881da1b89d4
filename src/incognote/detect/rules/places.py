"""Towns, states, countries and landmarks.

Landmarks are named places that are no address: highways, airports, parks, lakes, ships. States,
countries and large cities are known by name, where the words around do not forbid it. Towns that no
list can hold are known by the state after them, the address before them, or the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import UPPER, Pattern, WordPattern, heads
from incognote.detect.rules import facilities, streets
from incognote.detect.rules.engine import (
    Family,
    Finding,
    Rule,
    after,
    all_of,
    any_of,
    before,
    keep_longest,
    value,
)
from incognote.knowledge.facilities import GENERIC_WORDS, STARTERS
from incognote.knowledge.places import (
    BORROWED,
    CITIES,
    CLEAR_CODES,
    COUNTRIES,
    COUNTRIES_SHARED,
    DEGREE_CODES,
    LANGUAGES_AND_POSITIONS,
    NAME_LIKE,
    PROVINCE_CODES,
    PROVINCES,
    QUIET_CODES,
    SMALL_COUNTRIES,
    STATE_CODES,
    STATE_SHORTENED,
    STATES,
    STATES_SHARED_WITH_NAMES,
    WORD_LIKE,
)

LANDMARK = "LOCATION-OTHER"

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


def _is_interstate(text: str, match: re.Match[str]) -> object:
    """Against isotopes and the forms of the immigration service."""
    number = match["number"]
    spelled = match[0][1] in "nN"
    on_road = _ON_ROAD.search(text, max(0, match.start() - 14), match.start())
    likely = len(number) == 2 and int(number) > 14 and number not in _FORMS
    road = spelled or on_road or likely or _DRIVEN.match(text, match.end())
    return road and (on_road or number not in _ISOTOPES)


def _may_be_landmark(name: str) -> bool:
    words = [word.lower() for word in name.split()]
    plain = words[0] in STARTERS or words[0] in _NO_LANDMARK
    return not plain and not GENERIC_WORDS.issuperset(words)


def _is_no_common_word(name: str) -> bool:
    return name.split()[0].lower() not in GENERIC_WORDS


def _is_airport(_: str, match: re.Match[str]) -> bool:
    return match["head"].lower().endswith("airport")


def _is_ship(text: str, match: re.Match[str]) -> bool:
    return not match[0].startswith("MS ") or text.endswith(("the ", "("), 0, match.start())


def _is_airport_code(text: str, match: re.Match[str]) -> object:
    if match[0] not in _AIRPORT_CODES:
        return False
    flies = _FLIES.search(text, max(0, match.start() - 34), match.start())
    return flies and (not flies[0].startswith(" at") or _FLOWN.match(text, match.end()))


# States, provinces, countries and large cities by name, where the words around do not forbid it.


_LISTED_WORD = Pattern(rf"[{UPPER}](?<![^\W_].)[^\W\d_]*+")
_AFTER = Pattern(r"(?P<gap>[ \-]?)(?P<word>[^\W_]++)?")
_LINKED = Pattern(
    r"\b(?P<link>between|flight|in|from|to|near|outside|via|for|of|left|IN|FROM|TO|NEAR)(?:[ ]the|[ ]THE)?[ \n]$"
)
_MOVES = Pattern(
    r"\b(?i:born|lives?|living|lived|raised|grew[ ]up|travel(?:l?ed|s|ling)?|trip|vacation|visit(?:ing|ed)?"
    r"|moved|emigrated|immigrated|refugee|returned|back|flew|arrived|came|deployed|stationed|native"
    r"|adopted|originally|resident|citizen)(?:[ ](?:\w+[ ]){0,2}(?:in|from|to|of))?[ ]$"
)
_TOWN_BEFORE = Pattern(rf"[{UPPER}][\w'’.\-]++,?[ ]$")
_COMMA_BEFORE = Pattern(rf"[{UPPER}][\w'’.\-]++,[ \n]{{1,3}}$")
_ABBREVIATED = WordPattern(
    r"U(?<![^\W_].)(?:(?:(?<=in the U)|(?<=to the U)|(?<=from the U)|(?<=leave the U))(?:\.?S\.?|\.?K\.?)(?![^\W_])"
    r"|S(?=[ ](?:citizen|citizenship|passport|resident|national)\b)"
    r"|(?:(?<=from U)|(?<=in U))K\b|K(?=[ ](?:reg|passport|citizen)))",
    words=frozenset({"u", "us", "uk"}),
)
_SET_OFF = Pattern(r"(?:\(|[a-zA-Z.)],[ ]|[ ]-[ ])$")
_SET_OFF_AFTER = Pattern(r"[).;]|,|[ ]?\r?\n|[ ][-—]|[ ](?:call|by|office|site|clinic)\b")


def _index() -> dict[str, list[tuple[str, str]]]:
    """Names and types by first word, the longest name first; each also in capitals."""
    types = [
        (CITIES, "CITY"),
        (COUNTRIES | SMALL_COUNTRIES, "COUNTRY"),
        (PROVINCES | STATES, "STATE"),
    ]
    index: dict[str, list[tuple[str, str]]] = {}
    for names, type in types:
        for name in names:
            for form in {name, name.upper()}:
                first = _LISTED_WORD.match(form)
                if first:
                    index.setdefault(first[0], []).append((form, type))
    for entries in index.values():
        entries.sort(key=lambda entry: (-len(entry[0]), entry[1] != "STATE"))
    return index


_NAMES = _index()
_NAMED = WordPattern(_LISTED_WORD.source, words=frozenset(map(str.lower, _NAMES)))


def _borrowed(text: str, start: int, end: int) -> bool:
    """Whether the name is part of another term: "Montreal classification", "Dr. Houston Reyes"."""
    after = _AFTER.match(text, end)
    word = (after and after["word"]) or ""
    if text[start - 1 : start] in {"-", "'", "’", "&", "/"} and start:
        return True
    if not word:
        return False
    if after and after["gap"] == "":
        return True
    if after and after["gap"] == "-":
        return word not in {"born", "based"}
    return (
        word in BORROWED or word.lower() in BORROWED or (word[0].isupper() and not word.isupper())
    )


def _accept(text: str, start: int, name: str, type: str) -> float:
    """The score of a name at `start`, or 0 where the context does not make it a place."""
    before = text[max(0, start - 40) : start]
    link = _LINKED.search(before)
    kind = link["link"].lower() if link else ""
    plain = name.title() if name.isupper() and len(name) > 4 else name
    if type == "CITY":
        if _MOVES.search(before):
            return 0.85
        if plain in NAME_LIKE:
            return 0.7 if kind in {"in", "near", "outside"} else 0.0
        if kind in {"in", "from", "to", "near", "outside", "via"}:
            return 0.85
        off = _SET_OFF.search(before) and _SET_OFF_AFTER.match(text, start + len(name))
        return 0.7 if off and not name.isupper() else 0.0
    if _COMMA_BEFORE.search(before) or _MOVES.search(before):
        return 0.9
    if plain in COUNTRIES_SHARED or plain in STATES_SHARED_WITH_NAMES:
        if plain in NAME_LIKE:
            return 0.7 if kind in {"in", "near", "via"} else 0.0
        return 0.75 if kind in {"in", "from", "to", "near", "via", "left"} else 0.0
    if name.isupper() and len(name) > 4 and not kind and not _TOWN_BEFORE.search(before):
        return 0.0
    return 0.9 if kind else 0.8


def _named_places(note: NoteIndex) -> Iterator[Finding]:
    """Every listed name that stands as a place."""
    text = note.text
    last = 0
    for word in _NAMED.find(note):
        start = word.start()
        if start < last or word[0] not in _NAMES:
            continue
        for name, type in _NAMES[word[0]]:
            end = start + len(name)
            if not text.startswith(name, start) or text[end : end + 1].isalnum():
                continue
            last = end
            score = 0.0 if _borrowed(text, start, end) else _accept(text, start, name, type)
            if score:
                yield Finding(start, end, type, score)
                break
    for match in _ABBREVIATED.find(note):
        yield Finding(*match.span(), "COUNTRY", 0.8)


# Towns that no list can hold: by the state after them, the address before them, or the sentence.


_CAPITAL = rf"[{UPPER}][^\W\d_]*+(?:['’ʻ\-][^\W\d_]++){{0,3}}+"
_TOWN = rf"(?:(?:St|Ste|Ft|Mt|N|S|E|W)\.[ ])?(?!\w[ ]of){_CAPITAL}(?:[ ](?:(?:of|du|la|de|del|the|y)[ ])?{_CAPITAL}){{0,3}}"
_ZIP = r"(?:\d{5}(?:-\d{4})?(?!\d)|[A-Z]\d[A-Z][ ]?\d[A-Z]\d)"

_CODE_WORDS = heads(STATE_CODES | PROVINCE_CODES | STATE_SHORTENED)
_CODE = WordPattern(
    r"(?P<code>[A-Z](?<![^\W_].)(?:[A-Z]{1,2}|[a-z]{1,4}\.|\.[ ]?[A-Z]\.|(?:nt|ask|lta|ic|ld|as)\b))(?!['’\w])",
    words=_CODE_WORDS,
)
_TOWN_TOWN_BEFORE = Pattern(
    rf"(?:(?<=[\s,;:(•*\-–/_^])|^)(?P<town>{_TOWN})(?P<comma>,?)[ \t\u00a0^]{{1,12}}$"
)
_ZIP_AFTER = Pattern(rf",?[ \t^]{{1,12}}{_ZIP}")
_PLACED = Pattern(
    r"(?i:\b(?:in|from|of|to|near|outside|at|lives?|born|office|visiting|city)[ :]{1,3})$"
)
_WITHIN = Pattern(r"\b(?:in|from|near|outside|of)[ ]$")
_PART = Pattern(r"[^ \n]+")
_ODD = Pattern(r"(?<!\bMc)(?<!\bMac)(?<!\bDe)(?<!\bLa)(?<=[a-z])[A-Z]|['’]s$")
_LABELS = frozenset("city county state zip phone country tel fax ph cell home apt unit".split())
_LINE_END = Pattern(r"[.;)]?[ \t]*(?:\r?\n|$|[ ]{2})|[.;)]")
_APART = Pattern(r"(?:[,(][ ]?|[ ]{2})$")
_PAPERS = Pattern(r"[ ](?i:plates?|lic|license|tags?|\w*\d)|-")
_LINE_START = Pattern(r"(?:^|\n)[ \t]*$")
_AMBIGUOUS_TOWN = Pattern(r"\b(?i:dr|mr|mrs|ms|md|rn|pa|pt|pa-c|np|do|ii|iii|jr|sr)$")

_AFTER_ADDRESS = Pattern(
    rf"(?:[.,]?[ \t]*(?:,|[•*·\-–]|\r?\n|[ ]{{2}})?[ \t•*]{{0,40}}|[ ])(?P<town>{_TOWN})"
    r"(?=[ \t]*(?:[,.;)\n\r(]|$|[ ]{2}|[A-Z]{2}\b|\d{5}|\^))"
)
_AFTER_FACILITY = Pattern(
    rf"(?:,[ ]|[ ][\-–—][ ]|[ ]in[ ]|[ ]of[ ])(?P<town>{_TOWN})(?=[ \t]*(?:[.;)\n\r]|$|,|[ ]{{2}}|[ ](?:[A-Z]{{2}}|for|on|with|site|office|by|and|where|after)\b))"
)
_SENTENCE = WordPattern(
    rf"(?<=[ \n])(?P<link>in|from|to|near|outside|of|IN|FROM|TO|NEAR)[ \n](?P<town>{_TOWN})(?![\w'’\-]|[ ][A-Z]?\d)"
)
_LIVES = Pattern(
    r"\b(?i:lives?|living|lived|resid(?:es|ing|ed)|resident|born(?:[ ]and[ ]raised)?|raised|grew[ ]up|stationed"
    r"|moved|moving|relocat(?:ed|ing)|visiting|travel(?:ed|led|ling|s)?|flew|flying|drove|drives|driving|commutes"
    r"|originally|native|emigrated|immigrated|arrived|arriving|vacation(?:ing)?|trip|wintering|deployed|died|coming"
    r"|cousins?|sister|brother|son|daughter|mother|father|mom|dad|aunt|uncle|niece|nephew|family|parents?|wife|husband"
    r"|hotel|condo|apartment|apt|rental|village|farm|farmers?|grandmother|grandfather|friend"
    r"|man|woman|male|female|boy|girl|gentleman|lady|worker|maker|operator|miner|mechanic|back|home|funeral|en[ ]route|office|school|in-law|site|tour|phone|speaker|south|north|east|west|drove[ ]her|\w{3,12}(?:man|ist|smith|keeper|rancher))"
    r"(?:[ ](?:up|down|out|here|there|alone|now|daily|over|home|outside))?(?:[ ](?:w/|with)[ ]\w+(?:[ ]\w+)?)?$"
)
_NAMED_IN = Pattern(
    rf"(?:\b[{UPPER}][a-zà-ž]+(?:[\-][{UPPER}][a-z]+)?|\)|\d{{2}}\)?,|[A-Z][a-z]+,)$"
)
_CLAUSE_ENDS = Pattern(
    r"[.,;)]|[ ](?:since|when|where|on|till|until|only|had|has|and|this|started|was)\b|[ ]?\r?\n"
)
_BORN = WordPattern(
    rf"(?<![^\W_])[bBlL](?:orn|ORN|ives)[ ](?P<town>{_TOWN})(?=[,.;\n]|[ ][{UPPER}])"
)
_COUNTY = Pattern(
    rf"[{UPPER}](?<![^\W_].)[^\W\d_]*+(?:['’\-][^\W\d_]++){{0,3}}+(?:[ ]{_CAPITAL}){{0,2}}?[ ](?:County|COUNTY|Parish|Township|Borough)\b"
    r"(?![ ](?!(?:Health|HEALTH)[ ]Dep)[A-Z\d])"
    rf"|(?:County|Co\.)[ ](?!Road|Rd|Hwy|Highway){_CAPITAL}(?=[,.;])",
    needs=frozenset({"county", "parish", "township", "borough", "co"}),
    in_line=True,
)
_LABEL = WordPattern(
    r"(?:(?<=[\n;(])|(?<=[ ]{2})|(?<![\s\S]))[bBcChHnNpPtT](?i:(?P<country>ountry(?:[ ]of[ ](?:birth|residence|origin))?"
    r"|itizenship|ationality)|ity(?:[/,][ ]?st(?:ate)?(?:[/,][ ]?zip)?)?|own|irth[ ]?place|lace[ ]of[ ]birth|ometown|ranch"
    r"|ounty)\b"
    rf"(?:[ \t]*[:.]{{1,24}}[ \t]{{0,24}}|[ \t]{{1,24}})(?P<town>{_TOWN})"
)
_CODE_ALONE = WordPattern(
    r"[A-Z](?<![^\W_].)(?:[A-Z]|[a-z]{1,4}\.)"
    r"(?=[ \-](?i:lic(?:ense|ence)?|plates?|tags?|dl|driver|registration|registry|bar|native|resident)\b)",
    words=_CODE_WORDS,
)
_CODE_HELD = WordPattern(
    r"(?<=[ \n(])(?i:dl/cdl|dl|cdl|lic|licen[sc]e|plates?|tag|car|vehicle|photo[ ]id|lot|truck|van|suv|sedan|pickup|honda|toyota|ford|chevy|subaru|jeep)\b"
    r"[ :.#(,]{1,24}(?:[\d/\-]{4,14}[ ]\()?(?P<code>[A-Z]{2})(?=\)|[ ](?!CDS)[A-Z]{0,3}[ ]?\d)"
)
_STATE_LABELLED = WordPattern(r"(?<![^\W_])S(?:tate|TATE)[ ]?:?[ ]{1,4}([A-Z]{2})\b(?!['’])")


def _plausible(town: str) -> bool:
    """Whether capitalised words may be a town: no department, month, role or sentence word."""
    words = [word.strip(".").lower() for word in town.split()]
    if words[0] in STARTERS or words[0] in _LABELS or _AMBIGUOUS_TOWN.match(words[-1]):
        return False
    if (town.isupper() and len(words[0]) < 4) or _ODD.search(town):
        return False
    if len(words) == 1 and (words[0] in GENERIC_WORDS or len(words[0]) < 3):
        return False
    return any(word not in GENERIC_WORDS for word in words)


def _is_state(code: str) -> bool:
    return code in STATE_CODES or code in PROVINCE_CODES or code in STATE_SHORTENED


def _coded(note: NoteIndex) -> Iterator[Finding]:
    """Town and state code: "Pharr, TX", "Selma AL 36701"."""
    text = note.text
    addresses = (*streets.FAMILY.find(note), *facilities.FAMILY.find(note))
    ends = frozenset(span.end for span in addresses)
    for match in _CODE.find(note):
        code = match["code"]
        if not _is_state(code):
            continue
        start = match.start()
        before = _TOWN_TOWN_BEFORE.search(text, max(0, start - 48), start)
        if not before:
            continue
        first, last = before.span("town")
        for end in range(last - 1, first, -1):
            if end in ends:
                first = end + 1 + (text[end] == ",")
                break
        town = text[first:last].strip()
        first = last - len(town)
        zipped = _ZIP_AFTER.match(text, match.end())
        if (
            not town
            or _AMBIGUOUS_TOWN.search(town)
            or (not zipped and (not _plausible(town) or town.isupper()))
        ):
            continue
        if not zipped and not _beside(text, first, before["comma"], match, ends):
            continue
        score = 0.97 if zipped else 0.85
        yield Finding(first, last, "CITY", score)
        yield Finding(start, match.end(), "STATE", score)


def _beside(text: str, first: int, comma: str, match: re.Match[str], ends: frozenset[int]) -> bool:
    """Whether town and code make a place though no postcode follows."""
    code = match["code"]
    if _PAPERS.match(text, match.end()) or code in {"ON", "AS"}:
        return False
    if code in DEGREE_CODES:
        return bool(_WITHIN.search(text, max(0, first - 12), first))
    if _PLACED.search(text, max(0, first - 12), first):
        return True
    if (text[first : match.start()].rstrip(", ") in CITIES) or (
        comma and (code in CLEAR_CODES or (len(code) > 3 and code not in WORD_LIKE))
    ):
        return True
    if any(first - gap in ends for gap in (1, 2, 3)):
        return True
    if not _LINE_END.match(text, match.end()):
        return False
    begins = _LINE_START.search(text, max(0, first - 20), first)
    apart = _APART.search(text, max(0, first - 4), first)
    return bool((comma and (begins or apart)) or (apart and code in CLEAR_CODES | QUIET_CODES))


def _near_addresses(note: NoteIndex) -> Iterator[Finding]:
    """The town after a street or a facility."""
    text = note.text
    for spans, pattern, score in (
        (streets.FAMILY.find(note), _AFTER_ADDRESS, 0.85),
        (facilities.FAMILY.find(note), _AFTER_FACILITY, 0.75),
    ):
        for span in spans:
            match = pattern.match(text, span.end)
            if match and match["town"].isupper() and not span.text.isupper():
                continue
            if match and _plausible(match["town"]) and span.score > 0.7:
                numbered = any(char.isdigit() for char in span.text)
                if (
                    pattern is _AFTER_ADDRESS
                    and not numbered
                    and text[span.end : span.end + 1] != ","
                ):
                    continue
                yield Finding(*match.span("town"), "CITY", score)


def _in_sentences(note: NoteIndex) -> Iterator[Finding]:
    """Towns after "lives in", "originally from", "her cousin Ada in"."""
    text = note.text
    for match in _SENTENCE.find(note):
        town, start = match["town"], match.start() - 1
        if not _plausible(town) or (town.isupper() and not match["link"].isupper()):
            continue
        window = max(0, start - 45)
        if _LIVES.search(text, window, start):
            yield Finding(*match.span("town"), "CITY", 0.8)
        elif (
            match["link"] == "in"
            and town not in LANGUAGES_AND_POSITIONS
            and _NAMED_IN.search(text, window, start)
            and _CLAUSE_ENDS.match(text, match.end())
        ):
            yield Finding(*match.span("town"), "CITY", 0.65)
    for match in _BORN.find(note):
        if _plausible(match["town"]):
            yield Finding(*match.span("town"), "CITY", 0.8)


def _listed(note: NoteIndex) -> tuple[Finding, ...]:
    return tuple(_named_places(note))


def _before_names(note: NoteIndex) -> Iterator[Finding]:
    """Town, comma, and the full name of a state or a country: "Rolla, Missouri"."""
    text = note.text
    for start, _, type, *_ in note.once(_listed):
        town = _TOWN_TOWN_BEFORE.search(text, max(0, start - 48), start) if type != "CITY" else None
        if town and (town["comma"] or type == "STATE") and _plausible(town["town"]):
            yield Finding(*town.span("town"), "CITY", 0.85)


def _shortened(note: NoteIndex) -> Iterator[Finding]:
    """Towns beside addresses and in sentences, without the words in capitals that follow them."""
    text = note.text
    for start, end, type, score, _ in (*_near_addresses(note), *_in_sentences(note)):
        words = list(_PART.finditer(text, start, end))
        loud = words[0][0].isupper()
        for word in words[1:]:
            if word[0].lower() in STARTERS or (word[0].isupper() and not loud and len(word[0]) > 1):
                end = word.start() - 1
                break
        whole = text[start:end]
        last = whole.rpartition(" ")[2]
        if last in STATES and whole not in STATES and whole not in CITIES and last != whole:
            end -= len(last) + 1
        yield Finding(start, end, type, score)


def _begins_no_sentence(place: str) -> bool:
    return place.split()[0].lower() not in STARTERS


def _labelled_type(match: re.Match[str]) -> str:
    return "COUNTRY" if match["country"] else "CITY"


def _by_name(note: NoteIndex) -> tuple[Finding, ...]:
    return note.once(_listed)


FAMILY = Family(
    "places",
    frozenset({"CITY", "STATE", "COUNTRY", LANDMARK}),
    (
        _by_name,
        _coded,
        _shortened,
        _before_names,
        Rule(_COUNTY, "CITY", 0.85, when=value(_begins_no_sentence)),
        Rule(_LABEL, _labelled_type, 0.85, "town", when=value(_plausible, "town")),
        Rule(_CODE_ALONE, "STATE", 0.85, when=value(_is_state)),
        Rule(_CODE_HELD, "STATE", 0.8, "code", when=value(_is_state, "code")),
        Rule(_STATE_LABELLED, "STATE", 0.85, 1, when=value(_is_state, 1)),
        Rule(_INTERSTATE, LANDMARK, 0.9, when=_is_interstate),
        Rule(_ROAD, LANDMARK, 0.85, when=any_of(before(_ON, 14), after(_DRIVEN))),
        Rule(_THE_NUMBER, LANDMARK, 0.7, 1),
        Rule(
            _HEADED,
            LANDMARK,
            0.8,
            when=all_of(
                value(_may_be_landmark, "name"), any_of(_is_airport, before(_PREPOSITION, 20))
            ),
        ),
        Rule(
            _LEADING,
            LANDMARK,
            0.75,
            when=all_of(value(_is_no_common_word, "name"), before(_PREPOSITION, 20)),
        ),
        Rule(_SHIP, LANDMARK, 0.85, when=_is_ship),
        Rule(_ABOARD, LANDMARK, 0.75, "name"),
        Rule(_AIRPORT, LANDMARK, 0.8, when=_is_airport_code),
    ),
    keep_longest,
)
