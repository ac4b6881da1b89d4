"""Names by the title before them (Dr., Mrs., Rabbi) or the degree after them (MD, RN, PA-C)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.lexicon import EPONYMS, fold
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.names.degrees import DEGREE
from incognote.detect.rules.names.reader import Name, read_name
from incognote.detect.rules.names.words import WORD, Trust, follows_as_term, shape

Found = tuple[int, int, str, float]
"""Start, end, type and score."""

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


def by_title(note: Reading) -> Iterator[Found]:
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
            yield match.end(), initial, "DOCTOR", 0.75
        if name is None or _lower_sentence(text, name, small):
            continue
        yield name.start, name.end, "DOCTOR", 0.93
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
                yield match.end(), initial, "PATIENT", 0.8
            continue
        if _lower_sentence(text, name, match[0][0].islower()) or (
            bare
            and (fold(name.first) in EPONYMS or follows_as_term(text, name.end))
            and shape(name.first) != "title"
        ):
            continue
        staff = STAFF_BEFORE.search(text, max(0, match.start() - 30), match.start())
        yield name.start, name.end, "DOCTOR" if staff else "PATIENT", 0.93
    for match in OFFICE.find(note):
        if BRAND.match(text, match.end()):
            continue
        name = read_name(text, match.end(), Trust.WEAK, lower=match[0][:7] in ("officer",))
        if name is None or follows_as_term(text, name.end):
            continue
        staff = STAFF_BEFORE.search(text, max(0, match.start() - 30), match.start())
        chaplain = text[name.end : name.end + 11].lower().startswith((" (chaplain", ", chaplain"))
        yield name.start, name.end, "DOCTOR" if staff or chaplain else "PATIENT", 0.82


def joined(
    text: str, end: int, type: str, score: float, *, commas: bool = False
) -> Iterator[Found]:
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
        yield name.start, name.end, type, score
        end = name.end


def by_degree(note: Reading) -> Iterator[Found]:
    """Names before MD, RN and the like."""
    text = note.text
    for match in DEGREE.find(note):
        end, comma = _before_degree(text, match.start())
        if "\n" in text[end : match.start()] and not LINE_DONE.match(text, match.end()):
            continue
        name = name_before(text, end)
        if name is None or _is_place(text, name, match, comma):
            continue
        yield name.start, name.end, "DOCTOR", 0.92
        if name.words == 1 and not comma and text.startswith(", ", match.end()):
            rest = read_name(text, match.end() + 2, Trust.STRONG, limit=2)
            if rest and FIELD_END.match(text, rest.end):
                yield rest.start, rest.end, "DOCTOR", 0.8


def _before_degree(text: str, start: int) -> tuple[int, bool]:
    """Where the name before a degree ends, and whether a comma stands between."""
    head = text[max(0, start - 16) : start]
    kept = head.rstrip(" \t\xa0")
    if kept.endswith("\n"):
        kept = kept.rstrip("\r\n")
    comma = kept.endswith(",")
    kept = kept.rstrip(", ") if comma else kept
    return start - len(head) + len(kept), comma


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
