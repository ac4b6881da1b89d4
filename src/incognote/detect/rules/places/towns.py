"""Towns that no list can hold: by the state after them, the address before them, or the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from incognote.detect.lexicon.facilities import GENERIC_WORDS, STARTERS
from incognote.detect.lexicon.places import (
    CITIES,
    CLEAR_CODES,
    DEGREE_CODES,
    LANGUAGES_AND_POSITIONS,
    PROVINCE_CODES,
    QUIET_CODES,
    STATE_CODES,
    STATE_SHORTENED,
    STATES,
    WORD_LIKE,
)
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.capitals import UPPER
from incognote.detect.rules.facilities import facility_spans
from incognote.detect.rules.streets import street_spans
from incognote.detect.rules.word_trie import heads
from incognote.document import Span

Place = tuple[int, int, str, float]

_CAPITAL = rf"[{UPPER}][^\W\d_]*+(?:['’ʻ\-][^\W\d_]++){{0,3}}+"
_TOWN = rf"(?:(?:St|Ste|Ft|Mt|N|S|E|W)\.[ ])?(?!\w[ ]of){_CAPITAL}(?:[ ](?:(?:of|du|la|de|del|the|y)[ ])?{_CAPITAL}){{0,3}}"
_ZIP = r"(?:\d{5}(?:-\d{4})?(?!\d)|[A-Z]\d[A-Z][ ]?\d[A-Z]\d)"

_CODE_WORDS = heads(STATE_CODES | PROVINCE_CODES | STATE_SHORTENED)
_CODE = WordPattern(
    r"(?P<code>[A-Z](?<![^\W_].)(?:[A-Z]{1,2}|[a-z]{1,4}\.|\.[ ]?[A-Z]\.|(?:nt|ask|lta|ic|ld|as)\b))(?!['’\w])",
    words=_CODE_WORDS,
)
_TOWN_BEFORE = Pattern(
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


def _coded(note: Reading, ends: frozenset[int]) -> Iterator[Place]:
    """Town and state code: "Pharr, TX", "Selma AL 36701"."""
    text = note.text
    for match in _CODE.find(note):
        code = match["code"]
        if not _is_state(code):
            continue
        start = match.start()
        before = _TOWN_BEFORE.search(text, max(0, start - 48), start)
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
        yield first, last, "CITY", score
        yield start, match.end(), "STATE", score


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


def _near_addresses(
    text: str, streets: Sequence[Span], facilities: Sequence[Span]
) -> Iterator[Place]:
    """The town after a street or a facility."""
    for spans, pattern, score in (
        (streets, _AFTER_ADDRESS, 0.85),
        (facilities, _AFTER_FACILITY, 0.75),
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
                yield (*match.span("town"), "CITY", score)


def _in_sentences(note: Reading) -> Iterator[Place]:
    """Towns after "lives in", "originally from", "her cousin Ada in"."""
    text = note.text
    for match in _SENTENCE.find(note):
        town, start = match["town"], match.start() - 1
        if not _plausible(town) or (town.isupper() and not match["link"].isupper()):
            continue
        window = max(0, start - 45)
        if _LIVES.search(text, window, start):
            yield (*match.span("town"), "CITY", 0.8)
        elif (
            match["link"] == "in"
            and town not in LANGUAGES_AND_POSITIONS
            and _NAMED_IN.search(text, window, start)
            and _CLAUSE_ENDS.match(text, match.end())
        ):
            yield (*match.span("town"), "CITY", 0.65)
    for match in _BORN.find(note):
        if _plausible(match["town"]):
            yield (*match.span("town"), "CITY", 0.8)


def _before_names(text: str, named: Iterable[Place]) -> Iterator[Place]:
    """Town, comma, and the full name of a state or a country: "Rolla, Missouri"."""
    for start, _end, type, _score in named:
        town = _TOWN_BEFORE.search(text, max(0, start - 48), start) if type != "CITY" else None
        if town and (town["comma"] or type == "STATE") and _plausible(town["town"]):
            yield *town.span("town"), "CITY", 0.85


def _shortened(text: str, places: Iterable[Place]) -> Iterator[Place]:
    """Places in capitals, without the sentence that follows them."""
    for start, end, type, score in places:
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
        yield start, end, type, score


def towns(note: Reading, named: Iterable[Place]) -> Iterator[Place]:
    """Towns, and the states known by a code beside them. `named` are the places known by name."""
    text = note.text
    streets, facilities = note.once(street_spans), note.once(facility_spans)
    ends = frozenset(span.end for span in (*streets, *facilities))
    yield from _coded(note, ends)
    yield from _shortened(text, _near_addresses(text, streets, facilities))
    yield from _shortened(text, _in_sentences(note))
    yield from _before_names(text, named)
    for match in _COUNTY.find(note):
        if match[0].split()[0].lower() not in STARTERS:
            yield (*match.span(), "CITY", 0.85)
    for match in _LABEL.find(note):
        if _plausible(match["town"]):
            yield (*match.span("town"), "COUNTRY" if match["country"] else "CITY", 0.85)
    for match in _CODE_ALONE.find(note):
        if _is_state(match[0]):
            yield (*match.span(), "STATE", 0.85)
    for match in _CODE_HELD.find(note):
        if _is_state(match["code"]):
            yield (*match.span("code"), "STATE", 0.8)
    for match in _STATE_LABELLED.find(note):
        if _is_state(match[1]):
            yield (*match.span(1), "STATE", 0.85)
