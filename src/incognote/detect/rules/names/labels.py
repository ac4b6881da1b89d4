"""Names by the label before them ("Patient:", "PCP", "cc:") and in salutations.

The labels say whose name follows: the patient's side or the staff's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.lexicon import fold, is_ordinary
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.names.degrees import DEGREE
from incognote.detect.rules.names.reader import Name, read_name
from incognote.detect.rules.names.titles import Found, joined
from incognote.detect.rules.names.words import WORD, Trust, follows_as_term

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


def by_label(note: Reading) -> Iterator[Found]:
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
            yield *initials.span(), "PATIENT", 0.8
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
        yield name.start, name.end, type, 0.9 if name.words > 1 else 0.85
        if match["doctor"] and LISTED.match(match[0]):
            yield from _rest_of_list(text, name.end, type)
        else:
            yield from _conjoined(text, name.end, type)


def by_salutation(note: Reading) -> Iterator[Found]:
    """Dear Segun, and Hi Anneliese."""
    text = note.text
    for match in SALUTATION.find(note):
        name = read_name(text, match.end(), Trust.WEAK)
        if name and text[name.end : name.end + 1] in (",", ":", "-", "\n", "\r", "!", " "):
            if text[name.end : name.end + 1] == " " and not text.startswith(
                (" and ", " & "), name.end
            ):
                continue
            yield name.start, name.end, "DOCTOR" if match[0][0] in "Dd" else "PATIENT", 0.8
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
        words = [fold(word) for word in WORD.findall(text, name.start, name.end)]
        plain = any(is_ordinary(word) for word in words)
        return not plain and (name.words > 1 or ALONE.match(text, name.end) is not None)
    if name.words == 1 and "\n" in label[0]:
        return False
    written = text[label.start() : label.end()]
    if name.words == 1 and name.first.isupper() and len(name.first) <= 5 and not written.isupper():
        return False
    short = label[0].strip(" \t:=#.").lower()
    if short in ("from", "to") and name.words == 1:
        return _degree_after(text, name.end) or after in ("\n", "\r", "")
    return True


def _rest_of_list(text: str, end: int, type: str) -> Iterator[Found]:
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
                yield name.start, name.end, type, 0.75


FIELD = Pattern(r"[ \t]*(?:[;,\n(]|$)")


def _conjoined(text: str, end: int, type: str) -> Iterator[Found]:
    link = AND.match(text, end)
    name = read_name(text, link.end(), Trust.WEAK) if link else None
    if name and not follows_as_term(text, name.end):
        yield name.start, name.end, type, 0.75
