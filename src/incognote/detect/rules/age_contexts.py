"""Ages that the words around them give away: `Age: 54`, `mother died at 81`, `he is 58`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.rules.age_wordings import Finding
from incognote.detect.rules.number_words import DECADES, FIGURES, NUMBER, WORDS
from incognote.detect.rules.word_trie import trie

KIN = (
    "mother father mom mum mama dad daddy brother sister son daughter dtr wife husband aunt uncle cousin "
    "grandmother grandfather grandson granddaughter grandma grandpa gma gpa niece nephew spouse partner "
    "girlfriend boyfriend gf bf fiance fiancee ex-wife ex-husband mgm mgf pgm pgf sib sibling twin half-sister "
    "half-brother stepson stepdaughter stepmother stepfather child parents sons daughters brothers sisters sibs "
    "siblings kids children twins great-uncle great-aunt proband foster-mother youngest eldest oldest"
).split()
"""Relatives, in whose clause a bare number may be an age."""

CONDITIONS = (
    "ca cancer breast colon ovarian ovary uterine endometrial prostate pancreas pancreatic lung gastric renal "
    "melanoma leukemia lymphoma glioblastoma gbm sarcoma tcc mi cva stroke cad chd cabg pci dvt pe aaa sca scd "
    "chf dm dm2 t1d t2d suicide sepsis death cirrhosis dementia copd aneurysm dialysis esrd accident mvc mva od "
    "overdose drowning polyps colectomy hysterectomy mastectomy menopause arrest aids hiv tb"
).split()
"""Illnesses and causes of death, after which a relative's age follows without a word."""

_DECADE = rf"(?:[1-9]0'?s\b|{trie(DECADES)}\b)"
_UNIT = (
    r"(?:[ -]?(?i:months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?)\b(?! (?i:ago|later|post|s/p|gest|pregnan|prior)))"
)
_AGE = rf"(?:{_DECADE}|(?:{NUMBER})(?:-{FIGURES})?{_UNIT}?)"
_UNITS = (
    r"[ -]?(?i:am|pm|a\.m|p\.m|a\b(?= )|p\b(?= )|o'clock|oclock|percent|degrees?|mg|mcg|ml|cc|cm|mm|kg|lbs?|oz|feet|"
    r"ft|inch(?:es)?|in\.|units?|times|x\b|days?|d\b|weeks?|wks?|w\b|months?|mos?|hours?|hrs?|h\b|min(?:utes)?|mins|"
    r"sec(?:onds)?|years? (?:ago|later|of (?!age)|post|after|prior|before|duration|hist|now)|yrs? ago|y ago|"
    r"years?,? (?:with|w/)|pack|ppd|packs?|cig|beers?|drinks?|episodes?|of (?:\d|the|which|them)|out of|more|other|"
    r"children|kids|sons?|daughters?|brothers?|sisters?|siblings?|people|dogs?|cats?|doses?|tabs?|pills?|visits?|"
    r"admissions?|bpm|mmhg|hz|st\b|nd\b|rd\b|th\b|minute|steps?|stairs|blocks|miles?|km|meters?|grade|trips?)\b"
)
NOT_AFTER = rf"(?![\w½°%'’$]|[-/:.,]\d|-[a-z]|{_UNITS})"
"""After an age stands neither a unit nor a thing that is counted, nor more of a larger number."""

_NOT_AFTER_IN_LIST = rf"(?![\w½°%'’$]|[:.]\d|-[a-z]|{_UNITS})"
_SEP = r"[ \t\xa0:./_=~)|-]{0,40}+"
_DATE = r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[- ]?[A-Za-z]{3,9}[- ,]{0,2}\d{2,4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4})"

LABEL = re.compile(
    r"[Aa](?<![A-Za-z-].)(?<!gestational .)(?<!Gestational .)(?<!GESTATIONAL .)(?<!gest .)(?<!menstrual .)"
    r"(?<!conceptional .)(?<!fetal .)[Gg][Ee](?i:[sd]|[ ]?/[ ]?(?:sex|gender|race)|[ ]\(y(?:rs|ears)?\))?"
    rf"(?![A-Za-z-]){_SEP}(?:{_DATE}[ \t]{{0,6}}+[/(,;]?[ \t]?)?"
    r"(?i:(?:of|is|was|approx(?:imately)?|about|around|est|at|over|under|above|below|near|almost|early|mid|late)"
    r"[ .:-]{1,2}|[<>≥≤~]=? ?){0,2}(?:(?i:approx) )?"
    rf"(?P<n>{_AGE})(?![\d½°%]|[.,]\d|w\d|[ -]?w(?:ee)?ks? (?i:gest)|[ ]?[Ww]\d)"
)
_MORE = re.compile(
    rf"(?:,? ?(?:and|&|or|to|->|(?:→|->) actual)|,|/|-|–| (?=\())[ ]?\(?(?P<n>{_AGE}){_NOT_AFTER_IN_LIST}"
)
BORN = re.compile(
    rf"{trie(['dob', 'd.o.b.', 'born', 'birthdate', 'birth date', 'date of birth'])}(?![A-Za-z])[^\n\d]{{0,16}}{_DATE}"
    rf"[ \t]{{0,6}}+[(/;][ \t]?(?P<n>{FIGURES})(?=[ ]?(?i:y(?:(?:ea)?rs?)?|yo|ans)?(?: old)?(?:[ ]?[MFmf])?[) \t\r\n,]|\Z)"
)
_DIRECT = (
    "died,dies,deceased,dec'd,decd,alive,living,menarche,menopause,menses,first birth,first drink,first child,"
    "first pregnancy,a&w,unaffected,turns,turned,turning,pushing,lived to"
).split(",")
_THEN_AT = (
    "died,dies,dead,deceased,passed,killed,expired,lost,alive,od'd,living,unaffected,menarche,menopause,first use"
).split(",")
DIRECT = re.compile(rf"{trie(_DIRECT)}\b[ @:~(]{{0,2}}(?P<n>{_AGE}){NOT_AFTER}")
THEN_AT = re.compile(
    rf"{trie(_THEN_AT)}\b[^.;\n\d()]{{0,40}}?[ ,@](?:at|age|AT|AGE|in (?i:his|her|their))[ ]"
    rf"(?:about |only |just |the age of )?(?:early |mid[- ]|late )?(?P<n>{_AGE}){NOT_AFTER}"
)
DEATH_MARK = re.compile(rf"[d↓](?:(?<=↓)|(?<![\w].)(?<!\d .)\. ?)(?P<n>\d{{1,3}}|[1-9]0'?s){NOT_AFTER}")
MILESTONE = re.compile(
    trie(
        "walked,walks,talked,crawled,rolled over,smiled,toilet trained,potty trained,first word,first words,sentences".split(",")
    )
    +
    rf"(?: at| by| since|@)?[ ](?P<n>\d{{1,2}}{_UNIT}?)(?=[,.;)\n]|\Z)"
)
AT_AGE = re.compile(
    rf"(?P<n>[1-9](?:(?<= at .)|(?<=@.)|(?<= until .)|(?<= till .))\d|{WORDS}){NOT_AFTER}"
    r"(?=[.,;):\n]|\Z| (?:for|in|and|with|on|w/|\(|behind|or so))"
)
_AT = re.compile(r"(?: at | until | till |@)\Z")
_HAPPENED = re.compile(
    r"\b(?i:onset|diagnosed|dx'?d?|started|began|quit|smoking|stopped|retired?|eligible|off|menarche|colonoscopy|"
    r"mammo(?:gram)?s?|dexa|hid|came|married|school|aged out|wisc-\w|adm|rai|use[ds]?|tested|raised|ended|"
    r"\w{3,14}(?:ectomy|plasty|otomy))\b"
)
_SUBJECTS = (
    "he,she,pt,patient,who,i,you,they,husband,wife,mother,father,client,brother,sister,son,daughter,child,baby,"
    "mr,mrs,ms,miss"
).split(",")
SUBJECT = re.compile(
    trie(_SUBJECTS, after="[A-Za-z0-9'’]")
    + r"(?![A-Za-z])(?:(?<=[RrSs])\.? [A-Z][\w'’-]{1,24}+)?(?:, [A-Z][\w'’-]{1,20}+,)?"
    r"(?i:(?:['’]s| is| was| are| were)(?: now| only| just| almost| nearly| about| not young but)?"
    rf"|['’]ll be| will be| just turned| turned)[ ](?P<n>{_AGE}){NOT_AFTER}"
    r"(?=[.,;)\n\"]|\Z| (?i:and|now|next|when|with|years? old|y/?o|on the|but|at the time)\b)"
)
HE_OR_SHE = re.compile(r"[HhSs](?<![\w'’].)h?e (?P<n>\d\d)(?=[,.;]|\Z)")
NEXT = re.compile(rf"(?P<n>\d(?:(?<=be .)|(?<=is .))\d|{WORDS})(?= next (?:\w+day|week|month|year|[A-Z]))")
STATED = re.compile(
    rf"{trie(['stated', 'states', 'looks', 'claims'])}(?: age)?(?: of| about| to be)? (?P<n>\d{{1,3}})(?=[,.;)\n]|\Z)"
)
HEADER = re.compile(
    trie("pt,patient,re,name,mother,client,child".split(","))
    + r"(?![A-Za-z]):?[ \t]{1,10}+[A-Z][\w'’.-]{0,24}+"
    r"(?:[, ]{1,2}[\"(]?[A-Z][\w'’.-]{0,24}+[\")]?){0,4}(?:,[ ]|[ \t]{2,20}+)"
    rf"(?P<n>\d{{1,3}}(?:{_UNIT})?)(?=,| / |[ \t]{{2}}|[ ]?$)",
    re.MULTILINE,
)
COLUMN = re.compile(
    r"(?P<n>\d(?:(?<=/ .)\d{0,2}(?= / (?:[MF]\b|MRN|MR\b|bed))"
    r"|(?<=[ \t]{2}.)\d{0,2}(?=[ \t]{2,12}(?:MRN?\b|DOB\b|EDC\b|EDD\b|PHI?N\b|Acct\b|G\dP))"
    r"|(?:(?<=Pt .)|(?<=Client .)|(?<=Patient .))\d(?=, )))"
)
IN_BRACKETS = re.compile(
    r"\((?:[A-Z][\w.'’-]{1,20}+ ){0,2}[A-Z][\w'’-]{1,24}+,(?: [A-Z][\w'’-]{1,24}+,)? (?P<n>\d{1,3})\)"
    r"|\((?<=[a-z] .)(?P<n2>\d{1,3})\)(?=[ ]{0,8}\r?$)",
    re.MULTILINE,
)
_NAME_BEFORE = re.compile(r"[A-Z][\w'’-]{1,24}, [A-Z][\w'’-]{1,24} \Z")
LINE_NAME = re.compile(r"^[A-Z][a-z'’]{2,20}+ [A-Z][\w'’-]{3,20}+, (?P<n>\d\d)(?=, )", re.MULTILINE)
THRESHOLD = re.compile(r"\((?:(?P<n>[1-9]\d)(?=\+\))|(?:now|now age) (?P<n2>\d{1,3})(?=\)))")

_RELATIVE = re.compile(trie(KIN, after=r"[\w-]") + r"(?![\w-])")
_CLAUSE = re.compile(r"(?:[^;\n.]|\.(?![ \n\r]{1,3}[A-Z]|[ ]{2}|\r?\n|\Z)){0,100}+")
_IN_CLAUSE = re.compile(
    rf"(?:{trie([*CONDITIONS, 'at', 'age', 'aged', 'died', 'alive', 'living', 'decd'])}(?![A-Za-z])[ ,(:@~]{{1,2}}|@ ?)"
    rf"(?P<n>{_AGE}){_NOT_AFTER_IN_LIST}(?=[,;.)/\n]|\Z|[ \t]{{2}}| \(| (?i:and|of|from|with|w/|in|after|healthy|MI|on|here|[a-z]{{4,}})\b)"
)
_BESIDE_KIN = re.compile(
    r"(?:[ ,:(]{0,2}[\"(]?(?:[A-Z][\w'’.\"-]{0,20}|is an? [a-z]{3,12}|now)[\")]?){0,3}(?:, ?|[ ]?\(|[ ])(?:now |age |~)?"
    rf"(?P<n>(?:\d{{1,3}}|{WORDS}){_UNIT}?){NOT_AFTER}(?=[),;.]|[ \t]{{2}}|\Z| (?:healthy|well|has|alive)\b)"
)
_NEXT_NAME = re.compile(r"\)?,? ?(?:and |& )?(?i:(?:son|daughter|brother|sister) )?[A-Z][\w'’-]{1,20}+ \(?(?P<n>\d{1,3})(?=[),;.]|\Z)")
_LIST = re.compile(
    rf"(?i: aged| ages)?[ :(]{{1,3}}(?P<n>\d{{1,2}})(?=(?:, ?| and | & | to |/|-)\d{{1,2}}{_NOT_AFTER_IN_LIST})"
)
_PLURAL = re.compile(r"(?i:sons|daughters|brothers|sisters|sibs|siblings|kids|children|twins|parents)\Z")
_ERRAND = re.compile(
    r"(?i:\b(?:call|arriv|visit|pick|brought|bring|drop(?! dead|ped dead)|leav|left|return|meet|phon|reach|bedside|appointment|"
    r"today|tomorrow|number|cell|ext|beeper|arrive|spoke|paged|text|message|works?|home|updated|coming)\w*)"
)


def _more(text: str, end: int) -> Iterator[tuple[int, int]]:
    """The other numbers of a list of ages: `ages 2, 5 and 9`."""
    for _ in range(8):
        more = _MORE.match(text, end)
        if not more:
            return
        yield more.span("n")
        end = more.end("n")


def _by_label(text: str) -> Iterator[Finding]:
    for match in LABEL.finditer(text):
        yield *match.span("n"), 0.93
        if not text.startswith(("-", "/"), match.end("n")):
            for start, end in _more(text, match.end("n")):
                yield start, end, 0.8


def _in_clauses(text: str) -> Iterator[Finding]:
    """Numbers in a relative's clause: `aunt w/ panc ca at 70`, `sons Kai (20) and Makoa (16)`."""
    for match in _RELATIVE.finditer(text):
        clause = _CLAUSE.match(text, match.end())
        if not clause:
            continue
        start, end = clause.span()
        plural = _PLURAL.search(text, match.start(), start) is not None
        numbers = _LIST.match(text, start, end) if plural else None
        if numbers:
            yield *numbers.span("n"), 0.8
            for first, last in _more(text, numbers.end("n")):
                yield first, last, 0.8
            continue
        beside = _BESIDE_KIN.match(text, start, end)
        if beside and not (plural and beside.start("n") - start < 3):
            yield *beside.span("n"), 0.8
            at = beside.end("n")
            while (following := _NEXT_NAME.match(text, at, end)) is not None:
                yield *following.span("n"), 0.75
                at = following.end("n")
        for found in _IN_CLAUSE.finditer(text, start, end):
            if not _ERRAND.search(text, start, found.start()):
                yield *found.span("n"), 0.8
                for first, last in _more(text, found.end("n")):
                    yield first, last, 0.7


def _at_age(text: str) -> Iterator[Finding]:
    """`quit smoking at fifty`, `cholecystectomy at 12`."""
    for match in AT_AGE.finditer(text):
        start = match.start()
        clause = text[max(0, start - 30) : start].rpartition("\n")[2]
        if _AT.search(clause) and _HAPPENED.search(clause):
            yield start, match.end(), 0.75


def find_contexts(text: str) -> Iterator[Finding]:
    """Where an age stands, with a score."""
    yield from _by_label(text)
    yield from _in_clauses(text)
    yield from _at_age(text)
    for pattern, score in (
        (BORN, 0.93),
        (DIRECT, 0.85),
        (THEN_AT, 0.85),
        (DEATH_MARK, 0.8),
        (MILESTONE, 0.75),
        (SUBJECT, 0.85),
        (HE_OR_SHE, 0.75),
        (NEXT, 0.7),
        (STATED, 0.8),
        (HEADER, 0.8),
        (COLUMN, 0.8),
        (IN_BRACKETS, 0.75),
        (LINE_NAME, 0.65),
        (THRESHOLD, 0.6),
    ):
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup or "n")
            if match.lastgroup == "n2" and pattern is IN_BRACKETS and not _name_before(text, start):
                continue
            yield start, end, score
            if pattern in (DIRECT, THEN_AT) and text.startswith(" and ", end):
                for first, last in _more(text, end):
                    yield first, last, 0.7


def _name_before(text: str, start: int) -> bool:
    return _NAME_BEFORE.search(text, max(0, start - 60), start - 1) is not None
