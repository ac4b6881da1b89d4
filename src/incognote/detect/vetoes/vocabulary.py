"""Words that name nobody: plain words, medicines, departments, germs, peoples and payers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from incognote.detect.mention_sense import near_titles, titled
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern, WordPattern
from incognote.knowledge.lexicon import (
    ACRONYMS,
    ALSO_NAMES,
    BRANDS,
    MEDICINES,
    NEVER_NAMES,
    PEOPLES,
    is_ordinary,
)

# Plain words, abbreviations, degrees and the answers of a form

CAPITALISED = Pattern(r"[A-Z](?<![^\W_].)[a-z]")
MEANT_TO = Pattern(
    r"(?:threaten(?:s|ed|ing)?|wants?|wanted|plan(?:s|ned)?|intend(?:s|ed)?|decided|unable|able|likely)[ ]to[ ]$"
)
"""Before a verb: "threatens to sue"."""

FACILITY_WORDS = frozenset(
    "a acute an and another any assisted at care center centre clinic clinics community day dental "
    "department dialysis doctor doctors emergency facilities facility for from group health her his "
    "home homes hospice hospital hospitals icu imaging in inpatient lab laboratory living local long "
    "medical my nursing of office offices or other our outpatient outside pediatric pharmacy physical "
    "practice primary private program psych referring regional rehab rehabilitation room same school "
    "shelter skilled surgery surgical term tertiary the their therapy this to transitional transplant "
    "trauma treatment unit urgent ward".split()
)
"""Of which what is no name of a hospital is made: "an outside hospital", "rehab facility"."""

AROUND = 80
LEAST_LETTERS = 3
"""Letters: two may be somebody's initials."""

DEGREE = Pattern(
    r"(?<![\w.])(?<!(?i:pt) )(?<!(?i:patient) )(?<!(?i:client) )(?<!Mr )(?<!Ms )(?<!Mrs )(?<!Miss )"
    r"(?:M\.D\.|D\.O\.)(?=[ ](?:to (?:call|see|review|M\.D\.)|on call|aware|notified|paged|covers?|before transfer)(?!\w))"
)

ANSWER = Pattern(
    r"(?i:marked|consent|verified|obtained|confirmed):[ ]([YN])"
    r"(?=[,;]|\.?[ \t]*(?:\n|$)|\.[ ][A-Z][a-z]+(?:[ ][a-z]+)?:)"
)
"""With nothing after it but the next question: "Consent: N. Patel" is somebody."""

BEDTIME = Pattern(r"(?<![\w:])(?<!\d )AM[ \t]{1,8}(?:(?i:noon)[ \t]{1,8})?PM[ \t]{1,8}(HS)(?!\w)")


def answers(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """Yes and no in a form, and the hour of sleep in a heading, which are nobody's initials."""
    if ": Y" in note.text or ": N" in note.text:
        for match in ANSWER.finditer(note.text):
            yield match.span(1)
    if "HS" in note.text:
        for match in BEDTIME.finditer(note.text):
            yield match.span(1)


def degrees(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """A physician without a name: "M.D. to call", "D.O. on call"."""
    if "M.D. " in note.text or "D.O. " in note.text:
        for match in DEGREE.finditer(note.text):
            yield match.span()


def ordinary(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """Words of the plain vocabulary, and abbreviations in capitals. Those that are names as well
    (Grant, Dawn) count in small letters, where names around have capitals.
    """
    for word, places in note.words.items():
        no_names = _sense(word)
        if no_names is not None:
            size = len(word)
            for start in no_names(note, places, size):
                yield start, start + size


def unnamed(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """Words for any facility, in small letters after a capital in their line: no name of one."""
    lines, capitals = note.lines, note.once(_capitals)
    for word in note.vocabulary & FACILITY_WORDS:
        for start in note.words[word]:
            end, before = start + len(word), bisect_left(capitals, start)
            if before and note.text[start:end].islower():
                line = lines[bisect_right(lines, start) - 1]
                if capitals[before - 1] >= line:
                    yield start, end


def acronyms(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """Abbreviations of notes, in capitals: neither a hospital's nor an organization's."""
    for word in note.vocabulary & ACRONYMS:
        for start in note.words[word]:
            if note.text[start : start + len(word)].isupper():
                yield start, start + len(word)


@lru_cache(maxsize=50_000)
def _sense(word: str) -> Callable[[NoteIndex, Sequence[int], int], Sequence[int]] | None:
    """Which of its places to pick; None: it may be a name anywhere. Brands are left to other
    vetoes: Allegra and Yasmin are names.
    """
    if len(word) < LEAST_LETTERS:
        return None
    if word not in ALSO_NAMES and word not in BRANDS:
        if word in NEVER_NAMES:
            return _always
        if is_ordinary(word):
            return _untitled
    if word in ACRONYMS:
        return _in_capitals
    return _said if word in ALSO_NAMES else None


def _always(note: NoteIndex, places: Sequence[int], size: int) -> Sequence[int]:
    return places


def _untitled(note: NoteIndex, places: Sequence[int], size: int) -> Sequence[int]:
    near = note.once(near_titles)
    return [start for start in places if not near[start] or not titled(note, start)]


def _in_capitals(note: NoteIndex, places: Sequence[int], size: int) -> Sequence[int]:
    return [start for start in places if note.text[start : start + size].isupper()]


def _said(note: NoteIndex, places: Sequence[int], size: int) -> Sequence[int]:
    """In small letters, where names have capitals or a verb is due."""
    text = note.text
    return [
        start
        for start in places
        if text[start].islower()
        and (_cased(note, start) or MEANT_TO.search(text, max(0, start - 20), start))
    ]


def _cased(note: NoteIndex, start: int) -> bool:
    """Whether the neighbourhood is written with capitals: two words begin with one."""
    capitals = note.once(_capitals)
    second = bisect_left(capitals, start - AROUND) + 1
    return second < len(capitals) and capitals[second] + 2 <= start + AROUND


def _capitals(note: NoteIndex) -> list[int]:
    return [match.start() for match in CAPITALISED.finditer(note.text)]


# Medicines

STEMS = tuple(
    "afil alol arabine artan asone astine azepam azolam azole azosin bactam barbital bicin caine "
    "cillin cycline dipine dronate fenac fibrate floxacin fungin gliptin gliflozin glitazone grel "
    "idone igmine ilukast kinra lamide lukast mustine mycin nacin nidazole olol olone oxetine parin "
    "phylline platin prazole pril profen ridone rubicin sartan semide setron statin sulfa taxel "
    "terol thiazide tidine triptan triptyline vastatin virine xaban zepam zolamide zumab ximab "
    "tinib ciclib".split()
)
"""Endings that generic names have by convention, and people have not."""

HYPHENATED = WordPattern(
    r"(?<![\w-])(?:k-(?:dur|tab|phos)|klor-con|slow-(?:k|fe|mag)|depo-(?:provera|medrol|testosterone)|"
    r"solu-(?:medrol|cortef)|neo-synephrine|mag-ox|os-cal|e-mycin|theo-dur|nitro-(?:dur|bid)|"
    r"bi-est|v-go|u-\d{3}|ortho-(?:novum|cyclen|evra)|tri-(?:cyclen|sprintec|levlen))(?![\w-])",
    small=True,
)

DOSE = Pattern(r"[ ](?:(?!(?:19|20)\d\d)\d{1,4}(?:\.\d{1,2})?(?![\w/:-]|\.\d)|[SRI](?=[.,;]))")
"""A figure after it; a year is none. Or that a germ is sensitive or resistant."""

LEAST_LETTERS_OF_STEM = 8
"""Letters of a word whose ending tells: shorter ones may end so by chance."""


def medicines(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """A brand, or a word with the stem of a generic name, and the figure after it."""
    for word in note.vocabulary:
        if word in MEDICINES or (len(word) >= LEAST_LETTERS_OF_STEM and word.endswith(STEMS)):
            for start in note.words[word]:
                end = start + len(word)
                dose = DOSE.match(note.text, end)
                yield start, dose.end() if dose else end
    for match in HYPHENATED.find(note):
        yield match.span()


# Departments, services and wards without a name of their own

UNITS = frozenset(
    "ed er icu micu sicu ccu cvicu nicu picu pacu csicu msicu tsicu neuroicu obgyn pcp snf ltac irf "
    "asc pt ot slp".split()
)
"""Written in capitals, they are places of any hospital."""

_SPECIALTY = (
    "allergy|anesthesia|anesthesiology|cardiac surgery|cardiology|cardiothoracic surgery|dental|"
    "dermatology|ear nose and throat|emergency|emergency medicine|endocrinology|ent|family medicine|"
    "family practice|gastroenterology|general medicine|general surgery|genetics|geriatrics|gi|"
    "gynecology|hematology|hematology/oncology|hepatology|hospitalist|infectious diseases?|"
    "infusion|intensive care|interventional radiology|internal medicine|labor and delivery|"
    "medical oncology|neonatal intensive care|nephrology|neurology|neurosurgery|nuclear medicine|"
    "obstetrics|occupational therapy|oncology|ophthalmology|ortho|orthopaedics|orthopedics|"
    "orthopedic surgery|outpatient|otolaryngology|pain|palliative care|pathology|pediatrics|"
    "physical therapy|plastic surgery|podiatry|primary care|psychiatry|pulmonary|pulmonology|"
    "radiation oncology|radiology|renal|rheumatology|social work|speech therapy|surgery|"
    "thoracic surgery|transplant|trauma|trauma surgery|urgent care|urology|vascular|"
    "vascular surgery|wound|wound care"
)
DEPARTMENT = WordPattern(
    rf"(?<![\w&-])(?:{_SPECIALTY})(?:[ ](?:clinic|department|dept|service|services|center|unit|ward|"
    r"team|room|consult|consults|office|floor|suite))?(?![\w&-])",
    re.IGNORECASE,
)
CAPITAL_BEFORE = Pattern(r"[^\W\d_]*[A-Z][^\W_]*['’]?s?[ ]$")
"""A capital before it: a clinic with a name."""


def departments(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """ICU, cardiology clinic, Labor and Delivery; not "Hudson Valley Cardiology"."""
    text = note.text
    for start in note.at(UNITS):
        end = start
        while text[end : end + 1].isalpha():
            end += 1
        if text[start:end].isupper() and not CAPITAL_BEFORE.search(text, max(0, start - 20), start):
            yield start, end
    for match in DEPARTMENT.find(note):
        start, end = match.span()
        if not CAPITAL_BEFORE.search(text, max(0, start - 20), start) and not _goes_on(text, end):
            yield start, end


def _goes_on(text: str, end: int) -> bool:
    """A capital after it: "Cardiology Associates", "Surgery Center of Tulsa"."""
    return (text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()) or (
        text[end : end + 4] == " of "
    )


# Germs by their Latin names: Escherichia hermannii, Morganella morganii

GENERA = frozenset(
    "achromobacter acinetobacter actinomyces aerococcus aeromonas alcaligenes anaplasma aspergillus "
    "babesia bacillus bacteroides bartonella bordetella borrelia brucella burkholderia campylobacter "
    "capnocytophaga chlamydia chlamydophila citrobacter clostridioides clostridium "
    "coccidioides corynebacterium coxiella cryptococcus cutibacterium edwardsiella ehrlichia "
    "eikenella elizabethkingia enterobacter enterococcus escherichia finegoldia francisella fusarium "
    "fusobacterium gardnerella giardia haemophilus hafnia helicobacter histoplasma kingella "
    "klebsiella kluyvera lactobacillus legionella leishmania leptospira leuconostoc listeria "
    "malassezia micrococcus moraxella morganella mycobacterium mycoplasma naegleria neisseria "
    "nocardia pantoea parvimonas pasteurella peptostreptococcus plasmodium plesiomonas prevotella "
    "propionibacterium pseudomonas raoultella rhizopus rickettsia rothia "
    "salmonella scedosporium schistosoma serratia shigella sphingomonas staphylococcus "
    "stenotrophomonas streptococcus strongyloides toxoplasma treponema trichomonas trypanosoma "
    "ureaplasma veillonella vibrio yersinia".split()
)
"""None of them is a name that people or towns bear, as Candida and Providencia are."""

SPECIES = Pattern(r"[ ][a-z]{4,20}(?:i|us|um|is|ae|ens|ans|a|e)\b")


def organisms(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """The genus, and the species after it."""
    for word in note.vocabulary & GENERA:
        for start in note.words[word]:
            species = SPECIES.match(note.text, start + len(word))
            yield start, species.end() if species else start + len(word)


# Nationalities, languages, faiths and public payers

WORD = Pattern(r"[^\W\d_]+")
PART_OF_NAME = Pattern(r"(?:['’]s)?[ -]+[A-Z][^\W\d_]*[a-z]")
"""A capital after it: "Methodist Hospital", "German Lutheran Home", "Catholic Charities"."""

AFTER_NAME = Pattern(r"([A-Z][^\W\d_]*[a-z])[ -]$")
"""A capital before it: "First Baptist", "Houston Methodist"."""


def peoples(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """Spanish-speaking, a Muslim family, Medicaid; not the "Methodist" of a hospital."""
    text = note.text
    for start in note.at(PEOPLES):
        word = WORD.match(text, start)
        if word is None or word[0].isupper() or word[0].islower():
            continue
        before = AFTER_NAME.search(text, max(0, start - 20), start)
        if before is not None and _may_name(before[1].lower()):
            continue
        if not PART_OF_NAME.match(text, word.end()):
            yield word.span()


def _may_name(word: str) -> bool:
    """Brands are towns and states as well."""
    return word in BRANDS or not is_ordinary(word)
