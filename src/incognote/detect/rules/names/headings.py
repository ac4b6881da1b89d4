"""Names where the layout of a note announces them: labels, salutations, page headers, signatures.

A label ("Patient:", "PCP", "cc:") says whose name follows: the patient's side or the staff's. A
page header needs none: `LAST, FIRST M` at the start of a line with a record number, birth date or
age beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from string import ascii_letters, ascii_uppercase

from incognote.detect.name_mentions import LETTERS
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import LinePattern, Pattern, WordPattern
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
from incognote.detect.rules.names.titles import joined
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import ACRONYMS, NEVER_NAMES, is_ordinary
from incognote.knowledge.people import NAME_PARTICLES

PATIENT_LABELS = (
    r"(?:patient|pt|client|resident|member|subscriber|guarantor|insured|claimant|employee|student|"
    r"baby|infant|mother|father|legal|preferred|first|last|middle|full|maiden|birth|trauma|given|"
    r"family|contact|policy holder|decedent|donor|recipient|veteran|true)(?:['’]s)?[ _]{0,2}(?:full )?"
    r"(?:name|label|id)|patient|pt|pat|name|surname|forenames?|nickname|preferred|aka|a\.?k\.?a\.?|"
    r"f/?k/?a|n/?k/?a|alias|n[ée]e|re|regarding|in re|member|subscriber|guarantor|insured|claimant|candidate|"
    r"client|student|stu|driver|passenger|emergency(?: contact)?|emerg(?:ency)? contacts?|"
    r"next of kin|nok|hcp|hcpoa|hc ?poa|poa|dpoa(?:-?hc)?|mpoa|health ?care (?:proxy|agent)|proxy|"
    r"(?:legal )?guardian|surrogate|responsible party|decision maker|caller|informant|historian|"
    r"mother|father|mom|dad|husband|wife|spouse|partner|son|daughter|sister|brother|parents?|"
    r"siblings?|children|veteran|decedent|deceased|proband|attorney|atty|coach|landlord|employer contact|"
    r"accompanied by|acc by|lives with|identified as|also listed as|also recorded as|"
    r"goes by|known as|legal name|real name|dead name|pet name|subj(?:ect)? name"
)
DOCTOR_LABELS = (
    r"attending(?: physician| of record| md| provider)?(?: name)?|attg|att|physician|provider|"
    r"surgeons?|co-?surgeon|(?:first |surgical )?assistants?|asst|resident|intern|fellow|pcp|pmd|"
    r"primary(?: care)?(?: (?:physician|provider|md|doctor))?|private m\.?d\.?|family (?:doctor|md)|"
    r"referring(?: (?:physician|provider|md|doctor))?|referr(?:er|al from)|ref(?:erred)? (?:by|md)|"
    r"refd? by|requesting(?: (?:physician|provider|md))?|ordering(?: (?:physician|provider|md))?|"
    r"(?:requested|ordered|dictated|authenticated|authored|approved|reviewed|read|interpreted|"
    r"performed|examined|evaluated|completed|prepared|reported|verified|administered|given|"
    r"witnessed|supervised|precepted|staffed|seen|transcribed|abstracted|certified|pronounced|"
    r"signed|co-?signed|countersigned|e-?signed|electronically (?:co-?)?signed|finalized|drawn|"
    r"collected|submitted|received|accepted|recorded|assessed|discharged|admitted|released|"
    r"scribed|interviewed|tested|operated|delivered|referred|consulted)[ \t]+by|"
    r"electronically signed|e-?signed|e-?sign|co-?signed|author|cc|c\.c\.|consultants?|"
    r"consult(?:ing)? (?:attending|physician)|admitting(?: (?:physician|md))?|rendering|"
    r"(?:cardi|neur|nephr|ur|hemat|haemat|onc|endocrin|gastroenter|rheumat|dermat|pulmon|ophthalm|path|"
    r"radi|anesthesi|anaesthesi|gynec|gynaec|immun|psych|audi|neonat|electrophysi|hepat|perinat|"
    r"otolaryng|allergy/immun|physi|epidemi)ologist|psychiatrist|podiatrist|physiatrist|pa?ediatrician|"
    r"obstetrician|geriatrician|orthodontist|periodontist|endodontist|optometrist|internist|"
    r"an(?:a)?esthetist|anes(?:thesia)?|an(?:a)?esthesia|perfusionist|hospitalist|physiatrist|"
    r"nurse|rn|lpn|np|pa|ma|cnm|midwife|scribe|interpreter|pharmacist|therapist|pt therapist|"
    r"social worker|sw|msw|case manager|cm|care (?:manager|coordinator)|coordinator|navigator|"
    r"counsel(?:l)?or|dietitian|dietician|rd|tech(?:nologist|nician)?|evaluator|reviewer|"
    r"assessor|certifier|examiner|reader|radiologist|sonographer|registrar|rooming|circulator|"
    r"scrub|operator|implanting md|impl md|following md|lab(?:oratory)? director|"
    r"medical director|supervisor|preceptor|chaplain|clinician|signature|signed|sign|"
    r"rn signature|prescriber|dictator|dictating|attn|attention|agent|medic|ed physician|"
    r"caseworker|physiotherapist|gp|consultant surgeon|transcriptionist|typist|cosigner|"
    r"present|in attendance|minutes"
)
EITHER_LABELS = r"from|to|dear|hi|hello|hey"

_SEPARATOR = (
    r"(?:[ \t]{0,30}(?::{1,2}|=|#|\.{3,60})[ \t_]{0,60}(?:\r?\n[ \t]{0,40})?|"
    r"[ \t]{0,2}__[_]{0,20}|[ \t]{0,2}(?P<wide>  |\t)[ \t]{0,60})"
)
LABEL = WordPattern(
    rf"(?<![\w@/.-])(?=[a-z])(?:(?P<doctor>{DOCTOR_LABELS})|(?P<patient>{PATIENT_LABELS})|"
    rf"(?P<either>{EITHER_LABELS}))(?:\(s\)|s)?{_SEPARATOR}",
    small=True,
)
SEPARATED = Pattern(r"[^\n:=#]{1,60}?(?:[:=#]|\.\.\.|__|  |\t)")
"""A cheap look ahead: most words that can be labels stand in sentences."""
SALUTATION = WordPattern(
    r"(?<![\w-])(?:Dear|DEAR|Hi|Hello|Hey|Good (?:morning|afternoon|evening))[ \t]+(?=[^\W\d_])"
)
TITLE = Pattern(
    r"(?:\d\.[ \t]{0,3})?(?:(?:Drs?|DRS?|Mr|MR|Mrs|MRS|Ms|MS|Miss|MISS|Mx|Fr|Sr|Rev|Prof|Doctor|"
    r"DOCTOR|Don|Do[ñn]a|Sister|Rabbi|Pastor)\b\.?[ \t]{0,2})?_{0,12}"
)
INITIALS = Pattern(r"(?:[A-Z]\.){2,4}(?![\w.])")
COLON = Pattern(r"[ \t]{0,2}:")
PIECE = Pattern(r"[;,&/][ \t]{0,3}|\band[ ]")
AND = Pattern(r"[ ](?:and|&)[ ]")
ALONE = Pattern(r"[ \t]{2}|[ \t]*(?:\r?\n|$)")
LISTED = Pattern(r"c\.?c|present|surg|assis|consul|in att")


def by_label(note: NoteIndex) -> Iterator[Finding]:
    """Names after a label and a colon, or in the column beside one."""
    text = note.text
    separated = [place for place in LABEL.places(note) if SEPARATED.match(note.small, place)]
    for match in LABEL.at(note.small, separated):
        wide = match["wide"] is not None
        if wide and not _starts_line(text, match.start()):
            continue
        title = TITLE.match(text, match.end())
        place = title.end() if title else match.end()
        if match["patient"] and text[place : place + 1] in ('"', "“"):
            place += 1
        initials = INITIALS.match(text, place) if match["patient"] else None
        if initials and not wide:
            yield Finding(*initials.span(), "PATIENT", 0.8)
            continue
        small = text[place : place + 30].islower()
        name = read_name(text, place, Trust.STRONG, last_first=True, lower=small and not wide)
        if name is None or not _plausible(text, name, match, wide):
            continue
        if match["doctor"]:
            type = "DOCTOR"
        elif match["patient"]:
            type = "PATIENT"
        else:
            type = "DOCTOR" if _degree_after(text, name.end) else "PATIENT"
        yield Finding(name.start, name.end, type, 0.9 if name.words > 1 else 0.85)
        if match["doctor"] and LISTED.match(match[0]):
            yield from _rest_of_list(text, name.end, type)
        else:
            yield from _conjoined(text, name.end, type)


def by_salutation(note: NoteIndex) -> Iterator[Finding]:
    """Dear Segun, and Hi Anneliese."""
    text = note.text
    for match in SALUTATION.find(note):
        name = read_name(text, match.end(), Trust.WEAK)
        if name and text[name.end : name.end + 1] in (",", ":", "-", "\n", "\r", "!", " "):
            if text[name.end : name.end + 1] == " " and not text.startswith(
                (" and ", " & "), name.end
            ):
                continue
            yield Finding(name.start, name.end, "DOCTOR" if match[0][0] in "Dd" else "PATIENT", 0.8)
            yield from joined(text, name.end, "DOCTOR" if match[0][0] in "Dd" else "PATIENT", 0.8)


def _starts_line(text: str, start: int) -> bool:
    head = text[max(0, start - 40) : start]
    return not head.rpartition("\n")[2].strip(" \t•*-|") and ("\n" in head or start < 40)


def _degree_after(text: str, end: int) -> bool:
    gap = end
    while text[gap : gap + 1] in (" ", ",") and gap < end + 3:
        gap += 1
    return gap > end and DEGREE.match(text, gap) is not None


def _plausible(text: str, name: Name, label: re.Match[str], wide: bool) -> bool:
    """A lone word after a label is a name only when nothing makes it an ordinary value."""
    if follows_as_term(text, name.end):
        return False
    after = text[name.end : name.end + 1]
    if after == ":" and not text.startswith(": ", name.end):
        return False
    if COLON.match(text, name.end):
        return False
    if wide:
        if name.comma or _degree_after(text, name.end):
            return name.words > 1
        words = [fold_name(word) for word in WORD.findall(text, name.start, name.end)]
        plain = any(is_ordinary(word) for word in words)
        return not plain and (name.words > 1 or ALONE.match(text, name.end) is not None)
    if name.words == 1 and "\n" in label[0]:
        return False
    label_text = text[label.start() : label.end()]
    if (
        name.words == 1
        and name.first.isupper()
        and len(name.first) <= 5
        and not label_text.isupper()
    ):
        return False
    short = label[0].strip(" \t:=#.").lower()
    if short in ("from", "to") and name.words == 1:
        return _degree_after(text, name.end) or after in ("\n", "\r", "")
    return True


def _rest_of_list(text: str, end: int, type: str) -> Iterator[Finding]:
    """The other people of a cc: line, past degrees and remarks in parentheses."""
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    stop = min(stop, end + 300)
    for piece in PIECE.finditer(text, end, stop):
        title = TITLE.match(text, piece.end())
        name = read_name(text, title.end() if title else piece.end(), Trust.WEAK)
        if name and name.end <= stop and not follows_as_term(text, name.end):
            separated = piece[0].startswith((";", "&", "/", "and")) or name.words > 1
            if separated or _degree_after(text, name.end) or FIELD.match(text, name.end):
                yield Finding(name.start, name.end, type, 0.75)


FIELD = Pattern(r"[ \t]*(?:[;,\n(]|$)")


def _conjoined(text: str, end: int, type: str) -> Iterator[Finding]:
    link = AND.match(text, end)
    name = read_name(text, link.end(), Trust.WEAK) if link else None
    if name and not follows_as_term(text, name.end):
        yield Finding(name.start, name.end, type, 0.75)


# Names in page headers, in the boxes of forms, and where a sentence introduces the patient.

BESIDE = Pattern(
    r"(?:[,.]?[ \t]{1,60}|[ \t]{0,60}\|[ \t]{0,30}|[ \t]{0,60}\r?\n[ \t]{0,60})(?:[(#\[]|"
    r"(?:mrn?|mr ?(?:#|no)|dob|d\.o\.b\.?|med(?:ical)? rec|hosp|unit|chart|acct|csn|har|ssn|visit|"
    r"id|age|pid|nhs|patient (?:id|no)|born|date of birth|account|fin|record|rm|room)\b|"
    r"\d{1,3} ?(?:y|yo|y/o|yrs?|year|m|f|mo|male|female)\b|[A-Z]{0,3}-?\d{4,}|\d{2,}[-/ ]\d|"
    r"[mf] ?/ ?\d|\d{1,3}[ /]?[MF]\b|[mf][ \t]+\d|[mf][ \t]{2}|(?:mother|father|sister|brother|son|daughter|"
    r"wife|husband|spouse|friend|clergy|partner|niece|nephew|cousin|guardian|self)\b)",
    re.IGNORECASE,
)
LINE_START = LinePattern(
    r"^[ \t]{0,80}(?:\d{1,2}[.)]?[ \t]{1,4})?(?:(?:pg|page)\.?[ \t]{1,3}\d{1,3}(?:[ \t]?(?:of|/)[ \t]?\d{1,3})?[ \t]{1,60})?"
    r"(?=[^\W\d_])",
    re.MULTILINE | re.IGNORECASE,
)
NAME_AHEAD = Pattern(
    r"[^\W\d_](?:[\w\u0300-\u036f'’ʻ`´‐‑-]|\.(?!\s)){0,60}+\.?(?:[ \t]?,|[ \t]*\r?\n"
    rf"|[ \t\xa0](?:[^\sa-z]|(?:{'|'.join(sorted(NAME_PARTICLES))})\b))"
)
"""A first word that another may follow in a name; most lines begin with a sentence."""
NUMBER = Pattern(r"(?:[ \t]{2,60}|[ \t]{0,4}[|·•^~][ \t]{0,4})[(#A-Za-z]{0,3}\d")
STATE = Pattern(r"[A-Z]{2}\b")
STATE_NAMES = frozenset(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii "
    "idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan "
    "minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania "
    "tennessee texas utah vermont virginia washington wisconsin wyoming ontario alberta".split()
)
PLACEHOLDER = WordPattern(r"(?<!\w)(?:LNU|FNU),?[ ](?=[^\W\d_])")


def by_page_header(note: NoteIndex) -> Iterator[Finding]:
    """LAST, FIRST at the start of a line, or First Last before a record number or birth date."""
    text = note.text
    for match in LINE_START.find(note):
        start = match.end()
        small = text[start].islower()
        if not small and not NAME_AHEAD.match(text, start):
            continue
        comma = "," in text[start : start + 60]
        name = read_name(text, start, Trust.STRONG, last_first=comma, lower=small)
        if name is None or (name.words < 2 and not name.comma):
            continue
        if not name.comma and not _long_word(text, name):
            continue
        beside = BESIDE.match(text, name.end) or (name.comma and NUMBER.match(text, name.end))
        if name.comma and _is_state(text[start : name.end].rpartition(", ")[2]):
            continue
        if beside and (name.comma or name.words >= 2) and not _heading(text, name):
            yield Finding(name.start, name.end, "PATIENT", 0.9 if name.comma else 0.8)
        elif (
            name.comma
            and text.find("\n", start, start + 120) == name.end
            and BESIDE.match(text, name.end)
        ):
            yield Finding(name.start, name.end, "PATIENT", 0.8)
    for match in PLACEHOLDER.find(note):
        name = read_name(text, match.end(), Trust.WEAK)
        if name:
            yield Finding(name.start, name.end, "PATIENT", 0.8)


FORM = WordPattern(
    r"\b(?:Last|LAST)(?:[ _][Nn]ame|[ _]NAME)?[ \t:]{1,20}(?P<last>[^\W\d_][\w'’ .-]{0,30}?)[ \t]{1,20}"
    r"(?:First|FIRST)(?:[ _][Nn]ame|[ _]NAME)?[ \t:]{1,20}(?P<first>[^\W\d_][\w'’.-]{0,30})"
    r"(?:[ \t]{1,20}MI?[ \t:]{1,10}(?P<mi>[A-Z])\b)?"
)
FORM_FIRST = WordPattern(
    r"\b(?:First|FIRST)(?:[ _][Nn]ame|[ _]NAME)?[ \t:]{1,20}(?P<first>[^\W\d_][\w'’.-]{0,30})"
    r"(?:[ \t]{1,20}MI?[ \t:]{1,10}(?P<mi>[A-Z])\b)?[ \t]{1,20}(?:Last|LAST)(?:[ _][Nn]ame|[ _]NAME)?"
    r"[ \t:]{1,20}(?P<last>[^\W\d_][\w'’.-]{0,30})"
)


def by_form(note: NoteIndex) -> Iterator[Finding]:
    """Last, first and middle initial in the boxes of a form."""
    for pattern in (FORM, FORM_FIRST):
        for match in pattern.find(note):
            for part in ("last", "first", "mi"):
                value = match[part]
                if value and fold_name(value) not in NEVER_NAMES:
                    yield Finding(*match.span(part), "PATIENT", 0.88)


NARRATIVE = Pattern(
    r" (?:is|IS|was|WAS) (?:an?|AN?|the|our) (?:[\w-]{1,16} ){0,3}?(?:\d{1,3}|[a-z]{3,7}(?:ty)?)"
    r"[- ]?(?:y(?:ea)?rs?|YEARS?|YR|y/?o|Y/?O|month|MONTH|week|wk|mo|day)\b"
)
LONGEST = 160
SENTENCE = Pattern(r"(?:^[ \t]{0,40}|(?<=[.:] )|(?<=[.:]  ))(?=[^\W\d_a-z])", re.MULTILINE)


def by_narrative(note: NoteIndex) -> Iterator[Finding]:
    """Sumaya is a 7 month old: a sentence that introduces the patient by name."""
    text = note.text
    for verb in note.at({"is", "was"}):
        end = verb - 1
        if not NARRATIVE.match(text, max(0, end)):
            continue
        for sentence in SENTENCE.finditer(text, max(0, end - LONGEST), end):
            name = read_name(text, sentence.end(), Trust.WEAK)
            if name and name.end == end:
                yield Finding(name.start, name.end, "PATIENT", 0.8)


def _is_state(name: str) -> bool:
    """Toledo, OH and Savannah, Georgia open an address, not a note."""
    return STATE.fullmatch(name) is not None or name.lower() in STATE_NAMES


def _long_word(text: str, name: Name) -> bool:
    """Short words in capitals alone are abbreviations: DBS IPG 55187."""
    return any(
        len(word) > 4 or not word.isupper() for word in WORD.findall(text, name.start, name.end)
    )


def _heading(text: str, name: Name) -> bool:
    """A heading in capitals above a numbered list is not a page header."""
    words = [fold_name(word) for word in WORD.findall(text, name.start, name.end)]
    return not name.comma and any(is_ordinary(word) for word in words)


# Names and initials where a note is signed: name lines, closings, sign-offs, trailers.

ROLE_LINE = LinePattern(
    r"[ \t]{0,80}(?:(?:Attending|Staff|Chief|Senior|Junior|Associate|Assistant|Consultant|Consulting|"
    r"Clinical|Medical|Resident|Fellow|Physician|Surgeon|Professor|Director|Nurse|Registered|"
    r"Department|Division|Section|Certified|Licensed|Board|Family|Internal|House)\b|"
    r"(?:[A-Z][a-z]+ )?[A-Z][a-z]{2,20}(?:ologist|iatrist|ician|apist|acist|ologist)\b|"
    r"(?:ATTENDING|RESIDENT|RADIOLOGIST|PATHOLOGIST|SURGEON|PHYSICIAN|CHIEF|STAFF|FELLOW|"
    r"CARDIOLOGIST|NEUROLOGIST|DEPARTMENT|DIVISION|DIRECTOR|MEDICAL)\b|"
    r"Dict(?:ated|\.)|D(?:D)?:|DICTATED|DD\b)",
    first=ascii_uppercase,
)
CLOSING = WordPattern(
    r"(?:sincerely|truly|regards|yours|warmly|respectfully|thank you|thanks|best|cheers|fondly|"
    r"faithfully|blessings|love),?[ \t]*(?:\r?\n[ \t]*){1,5}(?=[^\W\d_])",
    small=True,
)
INITIAL = Pattern(r"[A-Z](?:(?<=[.!?:] .)|(?<=[.!?:]  .)|(?<=[.!?:]   .))\. ?[A-Z][^\W\d_]{2}")
"""With which a sentence begins."""
SIGNED = Pattern(r"(?:/es/|/s/|\be-?signed by:?)[ \t]{0,4}(?=[^\W\d_])")
SIGNS = ("/es/", "/s/", "signed by")
COMMA_OR_END = Pattern(r"[ \t]*(?:,|\r?\n|$)")
END = Pattern(r"[ \t]*(?:\r?\n|$)")
LINE = Pattern(r"^[ \t]{0,80}(?P<name>[^\W\d_][^\n,:;()\d]{3,40}?)[ \t]*\r?\n", re.MULTILINE)
SIGN_OFF = LinePattern(
    r"^[ \t]{0,80}(?P<author>[A-Z]{2,4}|[a-z]{2,3})(?P<mark>[ ]?/[ ]?|:)(?P<typist>[a-z]{2,3}\d{0,3})"
    r"(?=[ \t]{2,}|[ \t]*(?:\r?\n|$)|[ \t](?:[dt]|typed|cc|dd|dt|[\d]))",
    re.MULTILINE,
    first=ascii_letters,
)
DASHED = Pattern(
    r"[-–—](?:(?<=[ \t].)|(?<=^.))(?:(?<=-)-)?[ \t]?(?P<initials>[A-Z]{2,4}|(?:[A-Z]\.){2,3})(?=[ \t]*(?:\r?\n|$))",
    re.MULTILINE,
)
LAST_WORD = Pattern(r"[.!?\"”)] {1,3}(?P<initials>[A-Z]{2,3})(?=\s*\Z)")
AT_END = Pattern(
    r"(?:(?<=[.!?)][ ])|(?<=[ \t][ \t])|(?<=^))[A-Z]{2,4}(?=[ \t]*(?:\r?\n|$)|\.\d)",
    re.MULTILINE,
)
DICTATOR = WordPattern(
    r"(?<![\w-])(?:D|d|did|DID|Dict)[:=][ ]?(?P<initials>[A-Za-z]{2,3})[ \t]+(?:T|t|tid|TID|Trans)[:=]"
)
NOT_INITIALS = frozenset(
    "np po pr iv im ad hs am pm wt bp hr rr id ex sp iu od os ou ac pc rx fx hx".split()
)


def by_signature(note: NoteIndex) -> Iterator[Finding]:
    """A name alone on its line above a role, after a closing, or after /es/."""
    text = note.text
    for role in ROLE_LINE.find(note):
        above = text.rfind("\n", 0, max(0, role.start() - 1)) + 1
        match = LINE.match(text, above)
        if match is None or match.end() != role.start():
            continue
        name = read_name(text, match.start("name"), Trust.WEAK)
        if name and name.end == match.end("name") and _two_parts(text, name.start, name.end):
            yield Finding(name.start, name.end, "DOCTOR", 0.75)
    for match in CLOSING.find(note):
        name = read_name(text, match.end(), Trust.WEAK)
        if name and COMMA_OR_END.match(text, name.end):
            yield Finding(name.start, name.end, "DOCTOR", 0.72)
    for place in note.at(LETTERS):
        initial = INITIAL.match(text, place)
        name = read_name(text, place, Trust.WEAK, limit=2) if initial else None
        if name and END.match(text, name.end):
            yield Finding(name.start, name.end, "DOCTOR", 0.7)
    signed = any(sign in note.small for sign in SIGNS)
    for match in SIGNED.finditer(note.small) if signed else ():
        name = read_name(text, match.end(), Trust.STRONG, last_first=True)
        if name:
            yield Finding(name.start, name.end, "DOCTOR", 0.92)


def by_initials(note: NoteIndex, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Sign-offs in initials. Those of a doctor named in the note are trusted in more places."""
    text = note.text
    every = _author_initials(text, findings)
    authors = frozenset(code for code in every if _free(code))
    for match in SIGN_OFF.find(note):
        author = match["author"]
        if author.upper() in every or (author.isupper() and _free(author)):
            yield Finding(*match.span("author"), "DOCTOR", 0.85)
    for match in DASHED.finditer(text):
        if match["initials"] in authors or _free(match["initials"]):
            yield Finding(*match.span("initials"), "DOCTOR", 0.7)
    last = LAST_WORD.search(text, max(0, len(text.rstrip()) - 8))
    if last and _free(last["initials"]):
        yield Finding(*last.span("initials"), "DOCTOR", 0.65)
    for match in DICTATOR.find(note):
        yield Finding(*match.span("initials"), "DOCTOR", 0.75)
    for match in AT_END.at(text, note.at({code.lower() for code in authors})):
        if match[0] in authors:
            yield Finding(*match.span(), "DOCTOR", 0.7)


def _two_parts(text: str, start: int, end: int) -> bool:
    words = WORD.findall(text, start, end)
    return len(words) >= 2 and all(shape(word) != "lower" for word in words)


def _free(initials: str) -> bool:
    folded = initials.lower()
    return not (
        folded in ACRONYMS or folded in NEVER_NAMES or folded in NOT_INITIALS or is_ordinary(folded)
    )


def _author_initials(text: str, findings: Iterable[Finding]) -> frozenset[str]:
    authors: set[str] = set()
    for start, end, type, *_ in findings:
        if type != "DOCTOR":
            continue
        words = [word for word in re.split(r"[\s.,-]+", text[start:end]) if word[:1].isalpha()]
        parts = [word for word in words if fold_name(word) not in {"jr", "sr", "ii", "iii"}]
        if len(parts) >= 2:
            letters = [word[0].upper() for word in parts]
            if "," in text[start:end]:
                letters = [*letters[1:], letters[0]]
            authors.add("".join(letters[:4]))
            authors.add(letters[0] + letters[-1])
    return frozenset(code for code in authors if code.isascii() and code.isalpha())
