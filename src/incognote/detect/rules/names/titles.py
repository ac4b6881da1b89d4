"""Names by the words beside them: titles (Dr., Mrs.), degrees (MD, RN), kin, roles, phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.rules.engine import Finding
from incognote.detect.rules.names.reader import (
    DEGREE,
    WORD,
    Name,
    Trust,
    follows_as_term,
    read_name,
    shape,
)
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import ALSO_NAMES, CALENDAR, EPONYMS

_GAP = r"(?:\.?[ \t\xa0]{1,3}(?:\r?\n[ \t]{0,40})?|\.?\r?\n[ \t]{0,40}|\.(?=[^\W\d_]))"
DOCTOR_TITLE = WordPattern(
    rf"(?<![\w/-])(?:Drs?|DRS?|drs?|[Dd]octors?|DOCTORS?|Docter|Dcotor|Doctora?|Dra|DRA)(?:,(?= ))?{_GAP}"
)
COURTESY = WordPattern(
    rf"(?<![\w/-])(?:M[Rr][sS]?|M[Rr][Rr][sS]?|mrs?|M[Ss]|ms|M[Xx]|MISS|Miss|miss|Mister|mister|Mme|Mlle|"
    rf"Madam|Se[ñn]ora?|Sra|Do[ñn]a|do[ñn]a|Messrs){_GAP}"
)
OFFICE = WordPattern(
    r"(?<![\w/-])(?:(?:Sr|Fr|Rev|Prof|Sgt|SGT|Capt|CAPT|Col|COL|Cpl|Tpr|TPR|Ofc|Det|Dep|Hon|Pvt)"
    r"\.?|Father|FATHER|Sister|Rabbi|RABBI|Pastor|PASTOR|Reverend|REVEREND|Imam|Professor|Officer|"
    r"officer|OFFICER|Sergeant|Captain|Colonel|Trooper|trooper|Deputy|deputy|Detective|detective|"
    r"Judge|Justice|Senator|SENATOR|Coach|coach|Principal|Attorney|attorney|atty|Atty|lawyer|Don|"
    r"Sir|Lady|Deacon|Elder|Bishop|Master|Aunt|aunt|AUNT|Auntie|Uncle|uncle|UNCLE|Grandma|Grandpa|"
    r"Gogo|Tia|Tio|Baby [Bb]oy(?: [A-D])?|Baby [Gg]irl(?: [A-D])?|"
    r"BABY (?:BOY|GIRL)(?: [A-D])?|B[BG])[ \t\xa0]{1,2}(?:\r?\n[ \t]{0,40})?"
)
BRAND = Pattern(
    r"(?:Scholl|SCHOLL|scholl|Pepper|PEPPER|pepper|Bronner|Brown['’]?s [Bb]ottle|Brown['’]s\b|"
    r"Google|google|Seuss|Clean\b|CLEAN\b|clean\b|Yuk|YUK|Bubble|Potato|Dash\b|DASH\b|Butterworth|"
    r"Coffee|Rogers['’] |Mary Joseph|MARY JOSEPH|Flo\b|Bean\b|Right\b|Phil\b|Oz\b|T\b)"
)
STAFF_BEFORE = Pattern(
    r"(?:nurse|rn|lpn|phn|social work(?:er)?|sw|interp(?:reter)?|therapist|pharmacist|aide|doula|"
    r"midwife|chaplain|case (?:manager|worker)|counsell?or|consultant|surgeon|registrar|"
    r"physio(?:therapist)?|audiologist|dietiti?an|supervisor|matron|ward sister)[ ,(:]{1,3}$",
    re.IGNORECASE,
)
STREET_BEFORE = Pattern(r"(?<![\d/.:-])\d{1,5}[A-Z]? (?:[NSEW]\.? )?(?:[A-Z][\w'’-]+ ){1,3}$")
STATES_TOO = frozenset("MD MA PA".split())
PLACE_BEFORE = Pattern(r"\b(?:in|from|of|near|to|at|outside|born|via|and)[ \n]+$", re.IGNORECASE)
NAME_ENDS = tuple('."”)\u0301\u0300')
LINE_DONE = Pattern(r"[ \t]*(?:,|\r?\n|$)")
FIELD_END = Pattern(r" on\b|[ \t]*(?:\r?\n|$)|  ")
ZIP_AFTER = Pattern(r"\.?,?[ \t]{1,3}\d{5}\b|[ \t]*\d{5}\b")
JOINED = Pattern(
    r"[ \t]?(?:,[ \t]{0,2}(?:and |& )?|[ \t](?:and|AND|or|&|/)[ \t\n]|/|;[ ])(?:Dr\.? )?"
)


def by_title(note: NoteIndex) -> Iterator[Finding]:
    """Names after Dr., Mr. and the like."""
    text = note.text
    for match in DOCTOR_TITLE.find(note):
        if BRAND.match(text, match.end()) or STREET_BEFORE.search(
            text, max(0, match.start() - 60), match.start()
        ):
            continue
        small = match[0][0].islower()
        name = read_name(text, match.end(), lower=small or match[0].startswith("Dr"))
        if name is None and (initial := _lone_initial(text, match.end())):
            yield Finding(match.end(), initial, "DOCTOR", 0.75)
        if name is None or _lower_sentence(text, name, small):
            continue
        yield Finding(name.start, name.end, "DOCTOR", 0.93)
        plural = match[0].rstrip(" .\t\n").lower().endswith("s")
        yield from joined(text, name.end, "DOCTOR", 0.85, commas=plural)
    for match in COURTESY.find(note):
        caps = match[0].startswith(("MR", "MS", "ms")) and not match[0].startswith("MRS")
        if BRAND.match(text, match.end()) or (caps and "\n" in match[0]):
            continue
        bare = match[0].strip() in ("MR", "MS", "ms", "Ms")
        name = read_name(text, match.end(), lower=match[0][0].islower())
        if name is None:
            initial = _lone_initial(text, match.end())
            if initial:
                yield Finding(match.end(), initial, "PATIENT", 0.8)
            continue
        if _lower_sentence(text, name, match[0][0].islower()) or (
            bare
            and (fold_name(name.first) in EPONYMS or follows_as_term(text, name.end))
            and shape(name.first) != "title"
        ):
            continue
        staff = STAFF_BEFORE.search(text, max(0, match.start() - 30), match.start())
        yield Finding(name.start, name.end, "DOCTOR" if staff else "PATIENT", 0.93)
    for match in OFFICE.find(note):
        if BRAND.match(text, match.end()):
            continue
        name = read_name(text, match.end(), Trust.WEAK, lower=match[0][:7] in ("officer",))
        if name is None or follows_as_term(text, name.end):
            continue
        staff = STAFF_BEFORE.search(text, max(0, match.start() - 30), match.start())
        chaplain = text[name.end : name.end + 11].lower().startswith((" (chaplain", ", chaplain"))
        yield Finding(name.start, name.end, "DOCTOR" if staff or chaplain else "PATIENT", 0.82)


def joined(
    text: str, end: int, type: str, score: float, *, commas: bool = False
) -> Iterator[Finding]:
    """Further names joined by "and" to one just read, or by commas in a list of people."""
    for _ in range(8):
        link = JOINED.match(text, end)
        if link and "," in link[0] and not commas:
            return
        name = read_name(text, link.end(), Trust.WEAK) if link else None
        if link is None or name is None or follows_as_term(text, name.end):
            return
        if text.startswith(":", name.end):
            return
        yield Finding(name.start, name.end, type, score)
        end = name.end


def by_degree(note: NoteIndex) -> Iterator[Finding]:
    """Names before MD, RN and the like."""
    text = note.text
    for match in DEGREE.find(note):
        end, comma = _before_degree(text, match.start())
        if "\n" in text[end : match.start()] and not LINE_DONE.match(text, match.end()):
            continue
        name = name_before(text, end)
        if name is None or _is_place(text, name, match, comma):
            continue
        yield Finding(name.start, name.end, "DOCTOR", 0.92)
        if name.words == 1 and not comma and text.startswith(", ", match.end()):
            rest = read_name(text, match.end() + 2, Trust.STRONG, limit=2)
            if rest and FIELD_END.match(text, rest.end):
                yield Finding(rest.start, rest.end, "DOCTOR", 0.8)


def _before_degree(text: str, start: int) -> tuple[int, bool]:
    """Where the name before a degree ends, and whether a comma stands between."""
    head = text[max(0, start - 16) : start]
    stem = head.rstrip(" \t\xa0")
    if stem.endswith("\n"):
        stem = stem.rstrip("\r\n")
    comma = stem.endswith(",")
    stem = stem.rstrip(", ") if comma else stem
    return start - len(head) + len(stem), comma


def name_before(text: str, end: int) -> Name | None:
    """The longest name that ends at `end`."""
    if not (text[end - 1 : end].isalpha() or text.endswith(NAME_ENDS, 0, end)):
        return None
    floor = max(0, end - 70)
    line = max(text.rfind("\n", floor, end), floor - 1) + 1
    lower = text[max(line, end - 30) : end].islower()
    starts = [token.start() for token in WORD.finditer(text, line, end)][-6:]
    for start in starts:
        field = start == line or not text[line:start].strip(" \t_*•>-") or _field_start(text, start)
        for last_first in (True, False) if field else (False,):
            name = read_name(
                text,
                start,
                Trust.STRONG if last_first else Trust.WEAK,
                last_first=last_first,
                lower=lower,
            )
            if name and name.end == end and (name.comma or not last_first):
                return name
    return None


def _field_start(text: str, start: int) -> bool:
    before = text[max(0, start - 3) : start]
    return before.endswith(("  ", "\t", ": ", ":", "by ", ">> ", "= ", "/ "))


def _is_place(text: str, name: Name, degree: re.Match[str], comma: bool) -> bool:
    """Towson, MD 21204 and "in Erie, PA" name a State."""
    letters = degree[0]
    if ZIP_AFTER.match(text, degree.end()):
        return True
    if letters not in STATES_TOO:
        return False
    before = text[max(0, name.start - 14) : name.start]
    return bool(PLACE_BEFORE.search(before)) or (
        name.words == 1 and comma and before.endswith(", ") and letters != "MD"
    )


def _lower_sentence(text: str, name: Name, small: bool) -> bool:
    """A capital title before a lower-case word is rarely a name: Dr. aware."""
    return shape(name.first) == "lower" and not small


def _lone_initial(text: str, place: int) -> int | None:
    """The end of a one-letter name: Mr. P. or Ms. K"""
    if not (place < len(text) and text[place].isupper()):
        return None
    following = text[place + 1 : place + 2]
    if following == ".":
        return place + 2 if text[place + 2 : place + 3] != "D" else None
    return place + 1 if not (following.isalnum() or following in ("'", "’", "-", "/")) else None


# Names beside a kin word ("wife, Halina"), a staff role ("RN Kealoha") or a telling phrase.

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


def by_kin(note: NoteIndex) -> Iterator[Finding]:
    """Names after wife, son, friend, or before "(daughter)"."""
    text = note.text
    for match in KIN.find(note):
        name = _read(text, match)
        if name is None:
            continue
        yield Finding(name.start, name.end, "PATIENT", 0.85)
        if match[0].rstrip(' \t("“,:').lower().endswith(("s", "children", "and")):
            yield from _siblings(text, name.end)
        elif text.startswith((" and ", " & "), name.end):
            link = 5 if text.startswith(" and ", name.end) else 3
            other = read_name(text, name.end + link, Trust.WEAK, limit=3)
            if other and not follows_as_term(text, other.end) and shape(other.first) == "title":
                yield Finding(other.start, other.end, "PATIENT", 0.7)


def by_role(note: NoteIndex) -> Iterator[Finding]:
    """Names after RN, social worker, "seen by", "d/w"."""
    text = note.text
    roles = chain(ROLE.find(note), ROLE_LETTERS.find(note))
    for match in roles:
        name = _read(text, match)
        if (
            name is None
            or shape(name.first) == "lower"
            or (fold_name(name.first) in EPONYMS and follows_as_term(text, name.end))
        ):
            continue
        yield Finding(name.start, name.end, "DOCTOR", 0.82)
    for match in PHRASE.find(note):
        name = read_name(text, match.end(), Trust.WEAK, limit=3)
        if name is None or follows_as_term(text, name.end) or shape(name.first) == "lower":
            continue
        if _inside_place(text, name):
            continue
        yield Finding(name.start, name.end, "DOCTOR", 0.72)
        yield from joined(text, name.end, "DOCTOR", 0.65)


def before_kin(note: NoteIndex) -> Iterator[Finding]:
    """Names before a kin word in parentheses: mark (son)."""
    text = note.text
    for match in AFTER.finditer(text):
        start = match.start()
        name = name_before(text, start - 1 if text.startswith(" ", start - 1) else start)
        if name:
            yield Finding(name.start, name.end, "PATIENT", 0.8)


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
    case = shape(name.first)
    folded = fold_name(name.first)
    if name.words == 1 and folded in EPONYMS and folded not in ALSO_NAMES:
        return None
    if case == "lower" and not _lower_end(text, name.end):
        return None
    before = text[max(0, match.start() - 30) : match.start()]
    if case == "caps" and name.words == 1 and any(c.islower() for c in before + cue):
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


def _siblings(text: str, end: int) -> Iterator[Finding]:
    """Further names of a list of relatives: Kai (20) and Makoa (16)."""
    for _ in range(8):
        remark = LIST_AGE.match(text, end)
        end = remark.end() if remark else end
        link = FURTHER.match(text, end)
        name = read_name(text, link.end(), Trust.WEAK, limit=3) if link else None
        if name is None or follows_as_term(text, name.end):
            return
        yield Finding(name.start, name.end, "PATIENT", 0.8)
        end = name.end
