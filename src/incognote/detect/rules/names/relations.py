"""Names beside a kin word ("wife, Halina"), a staff role ("RN Kealoha") or a telling phrase."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from incognote.detect.lexicon import ALSO_NAMES, CALENDAR, EPONYMS, fold
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.names.reader import Name, read_name
from incognote.detect.rules.names.titles import BRAND, Found, joined, name_before
from incognote.detect.rules.names.words import Trust, follows_as_term, shape

_CORE = (
    r"wife|husband|spouse|partner|fianc[ée]e?|boyfriend|girlfriend|bf|gf|father|mother|mom|mum|dad|"
    r"mama|papa|parents|sons?|daughters?|dtrs?|dau|brothers?|bro|sisters?|sis|siblings?|twins?(?: [a-d](?= ))?|"
    r"child(?:ren)?|kids|sibs?|boy(?: [a-d](?= ))?|girl [a-d]|epoa|baby|infant|newborn|(?:great-?)?(?:grand|step|god|foster )"
    r"(?:son|daughter|father|mother|child|children|parents|brother|sister|mom|dad|ma|pa)s?|"
    r"grandm(?:other|a)|grandfather|nephews?|nieces?|cousins?|uncles?|aunts?|"
    r"(?:mother|father|brother|sister|son|daughter)s?-in-law|widow(?:er)?(?: of)?|adjuster|hij[ao]|espos[ao]|married|next of kin|leasing manager|"
    r"friends?|roommate|housemate|flatmate|neighbou?r|landlord|labmate|coworker|co-worker|"
    r"colleague|classmate|teacher|caregiver|carer|guardian|sponsor|passenger|driver|ex-wife|"
    r"ex-husband|ex|hcp|hcpoa|poa|proxy|fob|counsel|lawyer|caller|informant|companion|pilot|"
    r"pts?|patient|named?|called|nicknamed|n[ée]e|alias|aka|a\.k\.a\.|f/k/a|n/k/a|goes by|"
    r"estate of|wedding of|funeral of|married to|breakup with|identified as|known as"
)
_ROLE = (
    r"nurse|medic|paramedic|witness|collector|agent|"
    r"social worker|case manager|case worker|caseworker|therapist|counsel(?:l)?or|pharmacist|"
    r"dietiti?cian|dietitian|midwife|doula|chaplain|interp(?:reter)?|aide|physio|"
    r"physiotherapist|surgeon|attending|attg|resident|fellow|intern|hospitalist|"
    r"(?:cardi|neur|nephr|ur|hemat|haemat|onc|endocrin|gastroenter|rheumat|dermat|pulmon|ophthalm|path|"
    r"radi|anesthesi|anaesthesi|gynec|gynaec|immun|psych|audi|neonat|electrophysi|hepat|perinat|"
    r"otolaryng|allergy/immun|physi|epidemi)ologist|psychiatrist|podiatrist|physiatrist|pa?ediatrician|"
    r"obstetrician|geriatrician|orthodontist|periodontist|endodontist|optometrist|internist|"
    r"dentist|anes(?:thesia)?|perfusion|coordinator|coord|liaison|navigator|"
    r"supervisor|reviewer|assessor|registrar|technologist|tech|sonographer|scribe|charge(?: rn)?|"
    r"ref(?:erring)?(?: md)?|consultant|surgeons|attendings|residents|nurses|"
    r"prescriber|evaluator|preceptor|ward clerk|unit clerk|clerk|nocturnist|chief|matron|prosthetist|orthotist|(?:care|case) mgr|asst|sitter|house sup|rep|"
    r"navigator|supervisor"
)
_PHRASE = (
    r"(?:seen|evaluated|examined|reviewed|assessed|referred|performed|done|given|read|placed|"
    r"removed|repaired|followed|managed|treated|admitted|accepted|witnessed|monitored|taught|"
    r"interpreted|supervised|staffed|covered|dictated|signed|cosigned|verified|administered|drawn|"
    r"requested|ordered|prescribed|approved|declined|notified|paged|called|delivered|operated|"
    r"rec['’]?d|received|noted|reported|transported|escorted|applied|started) by|"
    r"d/w|s/w|disc(?:ussed)? (?:with|w/)|discussed (?:case )?with|spoke (?:with|to|w/)|"
    r"spoken to|staffed (?:with|w/)|seen (?:with|w/)|consulted (?:with|w/)|report (?:called )?to|"
    r"f/u (?:with|w/)|follow-?up with|ask for|attn|under the care of|in consultation with|"
    r"handoff to|signed out to|sign-?out to|texted|paged|agree,|agree with"
)
KIN = WordPattern(
    rf"(?<![\w@.])(?=[a-z])(?:{_CORE})(?P<gap>(?:,|:|\(s\):?| is| named|, named)?[ \t\xa0]{{1,2}}(?:\r?\n[ \t]{{0,20}})?"
    rf"[\"“(]{{0,2}}|[ ]?[(=][\"“]?|[ ]?\r?\n[ \t]{{0,20}})(?=[^\W\d_])",
    small=True,
)
_ROLE_GAP = (
    r"(?P<gap>(?::|=| is| was|, named)?[ \t\xa0]{1,2}[\"“(]{0,2}|[ ]?[(=][\"“]?|"
    r"[ ]?\r?\n[ \t]{0,20})(?=[^\W\d_])"
)
ROLE = WordPattern(rf"(?<![\w/@.])(?=[a-z])(?:{_ROLE}){_ROLE_GAP}", small=True)
ROLE_LETTERS = WordPattern(
    r"(?<![\w/@.])(?:RN|LPN|LVN|CNA|NP|PA|MA|NNP|PHN|CNM|SW|LSW|LCSW|MSW|RD|PharmD|DPT|CDCES|CDE|RNs|HHA|RT|"
    r"PCP|PMD|GP)[ \t\xa0]{1,2}(?P<gap>[\"“(]{0,2})(?=[^\W\d_])"
)
PHRASE = WordPattern(
    rf"(?<![\w/@.-])(?=[a-z])(?:{_PHRASE})[ \t\xa0]{{1,2}}(?:\r?\n[ \t]{{0,20}})?(?=[^\W\d_])",
    small=True,
)
DAY = Pattern(r" \d")
AFTER = Pattern(
    r"\((?:(?:pt['’]?s |her |his |the )?(?:wife|husband|son|daughter|dtr|mother|father|mom|dad|"
    r"sister|brother|spouse|partner|niece|nephew|aunt|uncle|cousin|grand\w{3,8}|friend|neighbou?r|"
    r"roommate|proxy|HCP|POA|carer|guardian))\b"
)
CLAUSE_GOES_ON = Pattern(
    r"(?:['’]s)?(?:[ \t]*(?:[,.;()\n]|$)| (?:is|was|will|has|had|says|said|in|at|and|called|here|"
    r"re|b4|who|to|by|aware|\d|states|lives|works)\b)"
)
PLACE_GOES_ON = Pattern(
    r" (?:[A-Z][\w'’-]+ )?(?:Hospital|Clinic|Center|Centre|Medical|Health|EMS|Ambulance|Pharmacy|"
    r"HOSPITAL|CLINIC|CENTER|MEDICAL)\b"
)
FURTHER = Pattern(r"(?:,? (?:and|AND|&) |, ?(?:and )?|; )")
LIST_AGE = Pattern(r" ?\([^()\n]{1,40}\)")


def by_kin(note: Reading) -> Iterator[Found]:
    """Names after wife, son, friend, or before "(daughter)"."""
    text = note.text
    for match in KIN.find(note):
        name = _read(text, match)
        if name is None:
            continue
        yield name.start, name.end, "PATIENT", 0.85
        if match[0].rstrip(' \t("“,:').lower().endswith(("s", "children", "and")):
            yield from _siblings(text, name.end)
        elif text.startswith((" and ", " & "), name.end):
            link = 5 if text.startswith(" and ", name.end) else 3
            other = read_name(text, name.end + link, Trust.WEAK, limit=3)
            if other and not follows_as_term(text, other.end) and shape(other.first) == "title":
                yield other.start, other.end, "PATIENT", 0.7


def by_role(note: Reading) -> Iterator[Found]:
    """Names after RN, social worker, "seen by", "d/w"."""
    text = note.text
    roles = chain(ROLE.find(note), ROLE_LETTERS.find(note))
    for match in roles:
        name = _read(text, match)
        if (
            name is None
            or shape(name.first) == "lower"
            or (fold(name.first) in EPONYMS and follows_as_term(text, name.end))
        ):
            continue
        yield name.start, name.end, "DOCTOR", 0.82
    for match in PHRASE.find(note):
        name = read_name(text, match.end(), Trust.WEAK, limit=3)
        if name is None or follows_as_term(text, name.end) or shape(name.first) == "lower":
            continue
        if _inside_place(text, name):
            continue
        yield name.start, name.end, "DOCTOR", 0.72
        yield from joined(text, name.end, "DOCTOR", 0.65)


def before_kin(note: Reading) -> Iterator[Found]:
    """Names before a kin word in parentheses: mark (son)."""
    text = note.text
    for match in AFTER.finditer(text):
        start = match.start()
        name = name_before(text, start - 1 if text.startswith(" ", start - 1) else start)
        if name:
            yield name.start, name.end, "PATIENT", 0.8


def _read(text: str, match: re.Match[str]) -> Name | None:
    if BRAND.match(text, match.end()):
        return None
    cue = text[match.start() : match.end()].strip(' \t\r\n("“,:=')
    small = cue[:1].islower() and text[match.end() : match.end() + 1].islower()
    if small and (len(cue) < 3 or cue.endswith("s") or "," in match["gap"] or "\n" in match["gap"]):
        return None
    name = read_name(text, match.end(), Trust.WEAK, lower=small, limit=3)
    if name is None or follows_as_term(text, name.end) or _inside_place(text, name):
        return None
    written = shape(name.first)
    folded = fold(name.first)
    if name.words == 1 and folded in EPONYMS and folded not in ALSO_NAMES:
        return None
    if written == "lower" and not _lower_end(text, name.end):
        return None
    before = text[max(0, match.start() - 30) : match.start()]
    if written == "caps" and name.words == 1 and any(c.islower() for c in before + cue):
        return None
    if text.startswith(":", name.end) or (folded in CALENDAR and DAY.match(text, name.end)):
        return None
    return name


def _lower_end(text: str, end: int) -> bool:
    """A lower-case name ends where a clause does, or before a plain verb."""
    return CLAUSE_GOES_ON.match(text, end) is not None


def _inside_place(text: str, name: Name) -> bool:
    """Whether the words run on into a place or firm: "at Miller Street Clinic"."""
    tail = text[name.end : name.end + 24]
    return PLACE_GOES_ON.match(tail) is not None


def _siblings(text: str, end: int) -> Iterator[Found]:
    """Further names of a list of relatives: Kai (20) and Makoa (16)."""
    for _ in range(8):
        remark = LIST_AGE.match(text, end)
        end = remark.end() if remark else end
        link = FURTHER.match(text, end)
        name = read_name(text, link.end(), Trust.WEAK, limit=3) if link else None
        if name is None or follows_as_term(text, name.end):
            return
        yield name.start, name.end, "PATIENT", 0.8
        end = name.end
