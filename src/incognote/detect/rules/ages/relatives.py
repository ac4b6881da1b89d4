"""Ages of relatives: `mother died at 81`, `aunt breast ca 39`, `sons Kai (20) and Makoa (16)`."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.ages.values import (
    AGE,
    NOT_AFTER,
    NOT_AFTER_IN_LIST,
    UNIT,
    Finding,
    further_ages,
)
from incognote.detect.rules.number_words import WORDS
from incognote.detect.rules.word_trie import heads, trie

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

_RELATIVE = WordPattern(trie(KIN, after=r"[\w-]") + r"(?![\w-])", words=heads(KIN))
_CLAUSE = Pattern(r"(?:[^;\n.]|\.(?![ \n\r]{1,3}[A-Z]|[ ]{2}|\r?\n|\Z)){0,100}+")
_IN_CLAUSE = Pattern(
    rf"(?:{trie([*CONDITIONS, 'at', 'age', 'aged', 'died', 'alive', 'living', 'deceased', 'decd'])}(?![A-Za-z])[ ,(:@~]{{1,2}}|@ ?)"
    rf"(?P<n>{AGE}){NOT_AFTER_IN_LIST}(?=[,;.)/\n]|\Z|[ \t]{{2}}| \(| (?i:and|of|from|with|w/|in|after|healthy|MI|on|here|[a-z]{{4,}})\b)"
)
_BESIDE_KIN = Pattern(
    r"(?:[ ,:(]{0,2}[\"(]?(?:[A-Z][\w'’.\"-]{0,20}+|is an? [a-z]{3,12}|now)[\")]?){0,3}(?:, ?|: ?|[ ]?\(|[ ])(?:now |age |~)?"
    rf"(?P<n>(?:\d{{1,3}}|{WORDS}){UNIT}?){NOT_AFTER}(?=[),;.]|[ \t]{{2}}|\Z| (?:healthy|well|has|alive)\b)"
)
_NEXT_NAME = Pattern(
    r"\)?,? ?(?:and |& )?(?i:(?:son|daughter|brother|sister) )?[A-Z][\w'’-]{1,20}+ \(?(?P<n>\d{1,3})(?=[),;.]|\Z)"
)
_LIST = Pattern(
    rf"(?i: aged| ages)?[ :(]{{1,3}}(?P<n>\d{{1,2}})(?=(?:, ?| and | & | to |/|-)\d{{1,2}}{NOT_AFTER_IN_LIST})"
)
_PLURAL = Pattern(
    r"(?i:sons|daughters|brothers|sisters|sibs|siblings|kids|children|twins|parents)\Z"
)
_ERRAND = Pattern(
    r"(?i:\b(?:call|arriv|visit|pick|brought|bring|drop(?! dead|ped dead)|leav|left|return|meet|phon|reach|bedside|appointment|"
    r"today|tomorrow|number|cell|ext|beeper|arrive|spoke|paged|text|message|works?|home|updated|coming)\w*)"
)


def find_relatives(note: Reading) -> Iterator[Finding]:
    """Numbers in a relative's clause: `aunt w/ panc ca at 70`, `sons Kai (20) and Makoa (16)`."""
    text = note.text
    for match in _RELATIVE.find(note):
        clause = _CLAUSE.match(text, match.end())
        if not clause:
            continue
        start, end = clause.span()
        plural = _PLURAL.search(text, match.start(), start) is not None
        numbers = _LIST.match(text, start, end) if plural else None
        if numbers:
            yield *numbers.span("n"), 0.8
            for first, last in further_ages(text, numbers.end("n")):
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
                for first, last in further_ages(text, found.end("n")):
                    yield first, last, 0.7
