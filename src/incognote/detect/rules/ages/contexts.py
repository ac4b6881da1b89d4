"""Ages that the words around them give away: `Age: 54`, `he is 58`, `DOB 1/2/1970 (54)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_uppercase

from incognote.detect.pattern import FigurePattern, LinePattern, Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.ages.values import (
    AGE,
    NOT_AFTER,
    SHORT,
    UNIT,
    Finding,
    further_ages,
)
from incognote.detect.rules.number_words import FIGURES, WORDS, said
from incognote.detect.rules.word_trie import heads, trie

_SEP = r"[ \t\xa0:./_=~)|-]{0,40}+"
_DATE = r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[- ]?[A-Za-z]{3,9}[- ,]{0,2}\d{2,4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4})"

LABEL = WordPattern(
    r"[Aa](?<![A-Za-z-].)(?<!gestational .)(?<!Gestational .)(?<!GESTATIONAL .)(?<!gest .)(?<!menstrual .)"
    r"(?<!conceptional .)(?<!fetal .)[Gg][Ee](?i:[sd]|[ ]?/[ ]?(?:sex|gender|race)|[ ]\(y(?:rs|ears)?\))?"
    rf"(?![A-Za-z-]){_SEP}(?:[MFmf] ?/ ?)?(?:{_DATE}[ \t]{{0,6}}+[/(,;]?[ \t]?)?"
    r"(?i:(?:of|is|was|approx(?:imately)?|about|around|est|at|over|under|above|below|near|almost|early|mid|late)"
    r"[ .:-]{1,2}|[<>≥≤~]=? ?){0,2}(?:(?i:approx) )?"
    rf"(?P<n>{AGE})(?![\d½°%]|[.,]\d|w\d|[ -]?w(?:ee)?ks? (?i:gest)|[ ]?[Ww]\d)"
)
_AND = Pattern(r",? (?:and|&|or|to|->|→|\()")
BORN = WordPattern(
    rf"(?<![^\W_])(?i:dob|d\.o\.b\.|born|birth[ .]{{0,2}}date|date[ .]{{1,2}}of[ .]{{1,2}}birth)(?![A-Za-z])[^\n\d]{{0,16}}{_DATE}"
    rf"[ \t]{{0,6}}+[(/;][ \t]?(?P<n>{FIGURES})(?=[ ]?(?i:y(?:(?:ea)?rs?)?|yo|ans)?(?: old)?(?:[ ]?[MFmf])?[) \t\r\n,]|\Z)"
)
_DIRECT = (
    "died,dies,deceased,dec'd,decd,alive,living,menarche,menopause,menses,first birth,first drink,first child,"
    "first pregnancy,a&w,unaffected,turns,turned,turning,will turn,pushing,lived to,coitarche,thelarche"
).split(",")
_THEN_AT = (
    "died,dies,dead,deceased,passed,killed,expired,lost,alive,od'd,living,unaffected,menarche,menopause,first use"
).split(",")
DIRECT = WordPattern(
    rf"{trie(_DIRECT)}\b[ @:~(]{{0,2}}(?P<n>{AGE}){NOT_AFTER}", words=heads(_DIRECT)
)
THEN_AT = WordPattern(
    rf"{trie(_THEN_AT)}\b[^.;\n\d()]{{0,40}}?[ ,@](?:at|age|AT|AGE|in (?i:his|her|their))[ ]"
    rf"(?:about |only |just |the age of )?(?:early |mid[- ]|late )?(?P<n>{AGE}){NOT_AFTER}",
    words=heads(_THEN_AT),
)
DEATH_MARK = WordPattern(rf"d(?<![\w].)(?<!\d .)\. ?(?P<n>\d{{1,3}}|[1-9]0'?s){NOT_AFTER}")
DEATH_ARROW = Pattern(rf"↓(?P<n>\d{{1,3}}|[1-9]0'?s){NOT_AFTER}")
_MILESTONES = (
    "walked,walks,talked,crawled,rolled over,smiled,toilet trained,potty trained,first word,"
    "first words,sentences"
).split(",")
MILESTONE = WordPattern(
    rf"{trie(_MILESTONES)}(?: at| by| since|@)?[ ](?P<n>\d{{1,2}}{UNIT}?)(?=[,.;)\n]|\Z)",
    words=heads(_MILESTONES),
)
_AT_AGE = (
    rf"(?P<n>[1-9]\d|{WORDS}){NOT_AFTER}(?=[.,;):\n]|\Z| (?:for|in|and|with|on|w/|\(|behind|or so))"
)
AT_AGE = WordPattern(rf"(?<= )(?:at|until|till) {_AT_AGE}")
AT_SIGN_AGE = Pattern(rf"@{_AT_AGE}")
_DIGIT = Pattern(r"\d")
_HAPPENED = Pattern(
    r"\b(?i:onset|diagnosed|dx'?d?|started|began|quit|smoking|stopped|retired?|eligible|off|menarche|colonoscopy|"
    r"mammo(?:gram)?s?|dexa|hid|came|married|school|aged out|wisc-\w|adm|rai|use[ds]?|tested|raised|ended|"
    r"\w{3,14}(?:ectomy|plasty|otomy))\b"
)
_SUBJECTS = (
    "he,she,pt,patient,who,i,you,they,husband,wife,mother,father,client,brother,sister,son,daughter,child,baby,"
    "mr,mrs,ms,miss"
).split(",")
SUBJECT = WordPattern(
    trie(_SUBJECTS, after="[A-Za-z0-9'’]")
    + r"(?![A-Za-z])(?:(?<=[RrSs])\.? [A-Z][\w'’-]{1,24}+)?(?:, [A-Z][\w'’-]{1,20}+,)?"
    r"(?i:(?:['’]s| is| was| are| were)(?: now| only| just| almost| nearly| about| not young but)?"
    rf"|['’]ll be| will be| just turned| turned)[ ](?P<n>{AGE}){NOT_AFTER}"
    r"(?=[.,;)\n\"]|\Z| (?i:and|now|next|when|with|years? old|y/?o|on the|but|at the time)\b)",
    words=frozenset(_SUBJECTS),
)
HE_OR_SHE = WordPattern(r"(?<![\w'’])[HhSs]h?e (?P<n>\d\d)(?=[,.;]|\Z)")
NEXT = Pattern(
    rf"(?P<n>\d(?:(?<=be .)|(?<=is .))\d|{WORDS})(?= next (?:\w+day|week|month|year|[A-Z]))"
)
STATED = WordPattern(
    r"(?<![^\W_])(?i:stated|states|looks|claims)(?: age)?(?: of| about| to be)? (?P<n>\d{1,3})(?=[,.;)\n]|\Z)"
)
HEADER = WordPattern(
    r"(?<![^\W_])(?i:pt|patient|re|name|mother|client|child)(?![A-Za-z]):?[ \t]{1,10}+[A-Z][\w'’.-]{0,24}+"
    r"(?:[, ]{1,2}[\"(]?[A-Z][\w'’.-]{0,24}+[\")]?){0,4}(?:,[ ]|[ \t]{2,20}+)"
    rf"(?P<n>\d{{1,3}}(?:{UNIT})?)(?=,| / |[ \t]{{2}}|[ ]?$)",
    re.MULTILINE,
)
COLUMN = FigurePattern(
    r"(?P<n>\d(?:(?<=/ .)\d{0,2}(?= / (?:[MF]\b|MRN|MR\b|bed))"
    r"|(?<=[ \t]{2}.)\d{0,2}(?=[ \t]{2,12}(?:MRN?\b|DOB\b|EDC\b|EDD\b|PHI?N\b|Acct\b|G\dP))"
    r"|(?:(?<=Pt .)|(?<=Client .)|(?<=Patient .))\d(?=, )))",
    digits=SHORT,
    then="[ \t][ \t/]|, ",
)
IN_BRACKETS = Pattern(
    r"\((?:[A-Z][\w.'’-]{1,20}+ ){0,2}[A-Z][\w'’-]{1,24}+,(?: [A-Z][\w'’-]{1,24}+,)? (?P<n>\d{1,3})\)"
    r"|\((?<=[a-z] .)(?P<n2>\d{1,3})\)(?=[ ]{0,8}\r?$)",
    re.MULTILINE,
)
_NAME_BEFORE = Pattern(r"[A-Z][\w'’-]{1,24}, [A-Z][\w'’-]{1,24} \Z")
LINE_NAME = LinePattern(
    r"^[A-Z][a-z'’]{2,20}+ [A-Z][\w'’-]{3,20}+, (?P<n>\d\d)(?=, )",
    re.MULTILINE,
    first=ascii_uppercase,
)
THRESHOLD = Pattern(r"\((?:(?P<n>[1-9]\d)(?=\+\))|(?:now|now age) (?P<n2>\d{1,3})(?=\)))")


def _by_label(note: Reading) -> Iterator[Finding]:
    text = note.text
    for match in LABEL.find(note):
        end = match.end("n")
        yield match.start("n"), end, 0.93
        if text.startswith(("s", "S"), match.start() + 3) or _AND.match(text, end):
            for first, last in further_ages(text, end):
                yield first, last, 0.8


def _at_age(note: Reading) -> Iterator[Finding]:
    """`quit smoking at fifty`, `cholecystectomy at 12`."""
    for match in (*AT_AGE.find(note), *AT_SIGN_AGE.find(note)):
        start = match.start("n")
        clause = note.text[max(0, start - 30) : start].rpartition("\n")[2]
        happened = _HAPPENED.search(clause)
        if happened and not _DIGIT.search(clause, happened.end()):
            yield *match.span("n"), 0.75


_EACH: tuple[tuple[Pattern, float], ...] = (
    (BORN, 0.93),
    (DIRECT, 0.85),
    (THEN_AT, 0.85),
    (DEATH_MARK, 0.8),
    (DEATH_ARROW, 0.8),
    (MILESTONE, 0.75),
    (SUBJECT, 0.85),
    (HE_OR_SHE, 0.75),
    (STATED, 0.8),
    (HEADER, 0.8),
    (COLUMN, 0.8),
    (IN_BRACKETS, 0.75),
    (LINE_NAME, 0.65),
    (THRESHOLD, 0.6),
)


def find_contexts(note: Reading) -> Iterator[Finding]:
    """Where an age stands, with a score."""
    text = note.text
    yield from _by_label(note)
    yield from _at_age(note)
    if "next" in note.words:
        places = sorted((*note.figures_of({2}), *said(note)))
        for match in NEXT.at(text, places):
            yield *match.span("n"), 0.7
    for pattern, score in _EACH:
        for match in pattern.find(note):
            start, end = match.span(match.lastgroup or "n")
            if match.lastgroup == "n2" and pattern is IN_BRACKETS and not _name_before(text, start):
                continue
            yield start, end, score
            if pattern in (DIRECT, THEN_AT) and text.startswith(" and ", end):
                for first, last in further_ages(text, end):
                    yield first, last, 0.7


def _name_before(text: str, start: int) -> bool:
    return _NAME_BEFORE.search(text, max(0, start - 60), start - 1) is not None
