"""Things called after a person, a saint or a town: Foley catheter, St. John's wort, Ann Arbor II."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.mention_sense import AGE_AFTER, PERSON_VERB, titled
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.rules.names.titles import BRAND

# Eponyms: names that live on in a disease, sign, score or instrument
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import (
    ALSO_NAMES,
    BARE_EPONYMS,
    EPONYM_NOUNS,
    EPONYM_PAIRS,
    EPONYMS,
    is_ordinary,
)

WORD = Pattern(r"[^\W\d_]+")
JOINT = Pattern(r"(?:['’][sS]?)?(?:[-‐‑–/]|[ ](?:and|&)[ ]|[ ])")
"""Between the names of one eponym (Guillain-Barré, Hunt and Hess), and before what it names."""

NOUNS = EPONYM_NOUNS - frozenset(
    "unit transfer transplant stroke brain lung hip spine mass cast chair board attack injury".split()
)
"""The others follow a person's name as well ("Clark transfer to 4 West"), or name a ward."""

PAIR = Pattern(r"[-‐‑–]|[ ](?=jones\b|white\b)")

FIRST_OF_PAIR = frozenset(pair.partition("-")[0] for pair in EPONYM_PAIRS)
FIRST = EPONYMS | BARE_EPONYMS | FIRST_OF_PAIR
SEVERAL = Pattern(r"[^\W\d_]+(?:['’]s)?(?:(?:[-‐‑–/ ]| (?:and|&) )[^\W\d_]+){1,3}")
JOINTS = re.compile(r"['’]s(?=\W)|[-‐‑–/ ]+(?:(?:and|&) )?")
GRADED = Pattern(
    r"([^\W\d_]+)[ ](?:grade |class |type |stage |score )?"
    r"(?:\d{1,3}(?:\.\d+)?[a-c]?|[IVX]{1,4}[a-c]?)"
    r"(?![\w/]|[ -]?(?:y|yo|years?|yrs?|m|f|male|female)\b|[.,]\d)",
    re.IGNORECASE,
)

SCORE = Pattern(
    r"[ ](?:score )?(?:of )?\d{1,3}[A-F]?(?:/(?:1[3-9]|[2-9]\d|100))?(?![\w/-]|[ -]?(?:y|yo|years?|yrs?)\b)"
)
"""Out of more than twelve, because 14/3 may be a day."""


TITLED_THING = WordPattern(
    rf"(?<!\w)(?:[Dd]r\.?|DR\.?|[Mm]rs?\.?|MRS?\.?|[Aa]unt|AUNT|[Ss]ister|SISTER)[ ]{BRAND.source}"
)
"""Dr. Pepper, Mrs. Dash, Sister Mary Joseph."""

POSSESSIVE = Pattern(r"['’][sS](?![^\W_])")
LISTED = Pattern(r",?[ ](?:vs?\.?|versus|then|or|and|&)[ ]")

MOST_WORDS = 6
"""Of an eponym with its noun."""

NAME_AFTER = Pattern(r",?[ ]*([A-ZÀ-Þ][^\W\d_]*)")
NAME_BEFORE = Pattern(r"([A-ZÀ-Þ][^\W\d_]*)(?:\.|-)?[ ]?$")
"""Capitalised words beside it: "Foley, James", "J. Foley"."""


def eponyms(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """An eponym with its noun or its grade, a pair of names that is known as one, or a name that
    hardly anybody bears; unless it is a person's here.
    """
    for thing in TITLED_THING.find(note):
        yield thing.span()
    text, reached, unlisted = note.text, 0, 0
    accented = {word for word in note.accented if fold_name(word) in FIRST}
    for start in note.at(FIRST | accented if accented else FIRST):
        if start < reached or titled(note, start):
            continue
        end = _named_thing(note, start) or _scored(text, _pair(text, start)) or _graded(text, start)
        if not end and start >= unlisted:  # what is no list has none at its end either
            listed, is_list = _listed(note, start)
            end, unlisted = (listed, 0) if is_list else (0, listed)
        end = end or _bare(note, start)
        if end:
            reached = _possessive(text, end)
            yield start, reached


def _pair(text: str, start: int) -> int:
    """Where the longest run of names ends that is one eponym; 0 if there is none."""
    first = WORD.match(text, start)
    run = SEVERAL.match(text, start) if first and fold_name(first[0]) in FIRST_OF_PAIR else None
    while run is not None:
        if JOINTS.sub("-", fold_name(run[0])) in EPONYM_PAIRS:
            return run.end()
        cut = max(run[0].rfind(mark) for mark in " -‐‑–/")
        run = SEVERAL.fullmatch(text, start, start + cut) if cut > 0 else None
    return 0


def _scored(text: str, end: int) -> int:
    """Where the figure after a pair of names ends, if there is one ("Harvey-Bradshaw 9")."""
    score = SCORE.match(text, end) if end else None
    return score.end() if score else end


def _graded(text: str, start: int) -> int:
    """Where the figure after the eponym ends ("Wells 4.5", "Hill II"); 0 if there is none, or if it
    is somebody's age.
    """
    graded = GRADED.match(text, start)
    if graded is None or graded[1].islower() or not _is_eponym(graded[1]):
        return 0
    return graded.end()


def _named_thing(note: NoteIndex, start: int) -> int:
    """Where the noun after the eponyms ends; 0 if there is none."""
    place = start
    for _ in range(MOST_WORDS):
        word = WORD.match(note.small, place)
        if word is None:
            return 0
        if place > start and word[0] in NOUNS and _is_thing(note.text, start, *word.span()):
            return word.end()
        joint = JOINT.match(note.small, word.end()) if _is_eponym(word[0]) else None
        if joint is None:
            return 0
        place = joint.end()
    return 0


def _is_thing(text: str, start: int, noun: int, end: int) -> bool:
    """Not the "Walker" of "Ross Walker": a noun that is also a name counts in small letters only,
    after a capital.
    """
    if text[noun:end].lower() not in ALSO_NAMES:
        return True
    return text[start].isupper() and text[noun:end].islower()


def _bare(note: NoteIndex, start: int) -> int:
    """Where the eponym ends that stands alone (Babinski, Howell-Jolly, Bence Jones); 0 if it is
    none, or looks like a person's name.
    """
    text, end = note.text, start
    place, known = start, False
    for _ in range(MOST_WORDS):
        word = WORD.match(note.small, place)
        if word is None or not _is_eponym(word[0]):
            break
        end, known = word.end(), known or fold_name(word[0]) in BARE_EPONYMS
        joint = PAIR.match(note.small, end)
        if joint is None:
            break
        place = joint.end()
    if not known:
        return 0
    if PERSON_VERB.match(text, end) or AGE_AFTER.match(text, end):
        return 0
    beside = (
        NAME_BEFORE.search(text, max(0, start - 24), start),
        NAME_AFTER.match(text, end),
    )
    return 0 if any(name and _is_name(name[1].lower()) for name in beside) else end


def _listed(note: NoteIndex, start: int) -> tuple[int, bool]:
    """Where the last of several eponyms ends, and whether they are a list, one of them hardly
    anybody's name ("Norwood, then Glenn, then Fontan").
    """
    place, end, count, known = start, 0, 0, False
    while word := WORD.match(note.small, place):
        if not _is_eponym(word[0]):
            break
        end, count, known = word.end(), count + 1, known or fold_name(word[0]) in BARE_EPONYMS
        joint = LISTED.match(note.small, _possessive(note.text, end))
        if joint is None:
            break
        place = joint.end()
    return end, known and count > 1 and not NAME_AFTER.match(note.text, end)


def _possessive(text: str, end: int) -> int:
    mark = POSSESSIVE.match(text, end)
    return mark.end() if mark else end


def _is_eponym(word: str) -> bool:
    return fold_name(word) in EPONYMS or fold_name(word) in BARE_EPONYMS


def _is_name(word: str) -> bool:
    return not _is_eponym(word) and not is_ordinary(word)


# Namesakes: plants, drinks, toys, dogs, slang, remedies, scales and makers


def _dense(source: str) -> str:
    """Without its line breaks and indents."""
    return "".join(line.strip() for line in source.splitlines())


LIKE_PERSONS = WordPattern(
    _dense(r"""(?<!\w)(?:
    alice[ ]in[ ]wonderland|black-?eyed[ ]susans?|bloody[ ]mary|charl(?:ey|ie)[ ]horses?|
    earl[ ]grey[ ]tea|jack[ ]russell[ ]terrier|johnny[ ](?:gown|coat|jump-?up)s?|
    king[ ]charles[ ]spaniel|lazy[ ]susan|mickey[ ](?:button|mouse)|moses[ ]basket|
    peeping[ ]tom|peter[ ]pan|queen[ ]anne['’]?s[ ]lace|raggedy[ ]ann|rip[ ]van[ ]winkle|
    shirley[ ]temple|sweet[ ]williams?|tommy[ ]john[ ](?:surgery|procedure|repair|ligament)|
    winnie[ ]the[ ]pooh
    )(?!\w)"""),
    small=True,
)
SAID = WordPattern(
    _dense(r"""(?<!\w)(?:
    [Gg]rant[ ](?:writing|funding|proposals?|applications?|money|deadlines?)|
    Hope(?:(?<=^Hope)|(?<=[.;:\n][ ]Hope)|(?<=\nHope))[ ](?:to|that)(?=[ ][a-z])|
    [Rr]ich[ ]in[ ](?:iron|fib|protein|vitamin|potassium|calcium|omega|salt|sugar|fat)\w*|
    [Tt]imothy(?=[ ](?:grass|hay))|[Ww]ade[ ]in(?:to)?[ ](?:the[ ])?(?:pool|water|shallow)\w*|
    [Ww]ill[ ]may|[Ss]alem[ ]sump|[Kk]angaroo[ ][Jj]oey|[Pp]enny[ -]sized?|
    Young(?:(?<=^Young)|(?<=[;:\n][ ]Young)|(?<=\nYoung))[ ]appearing|
    [Cc]arrier(?=[ ](?:for|of)[ ](?:alpha|beta|BRCA|CF|cystic|fragile|h(?:a?emophilia|epatitis)|
        HBV|MRSA|sickle|SMA|spinal|Tay|thal|an?[ ](?:gene|mutation|variant)))|[Rr]ocky[ ][Mm]ountain(?=[ ]spotted)|
    [Aa]ngel[ ]dust|[Aa]ngel['’]?s?[ ]trumpets?|Patrick(?=[ ]\(FABER\))|
    Kasai(?=[ ](?:at[ ]DOL|procedure|portoenterostomy|operation|takedown|revision))
    )(?!\w)"""),
)
"""Words that are also names, with a neighbour that a name seldom has."""

MADE = WordPattern(
    _dense(r"""(?<!\w)(?:
    Alaris(?=[ ](?:channel|pump|module|PCU))|Hospira(?=[ ](?:PCA|pump))|Hill-Rom(?=[ ]beds?\b)|
    (?:Latitude,[ ])?CareLink(?=:[ ]no|[ ](?:remote|monitor|transmi|home|Express|interrog))|
    Latitude(?=[ ](?:remote|home|NXT))|Merlin(?=[ ]remote|@home)|
    T\.R\.U\.E(?=\.?[ ](?:patch|test))
    )(?!\w)"""),
)
"""Pumps, beds, monitors and tests by their makers' names."""

QUOTED = WordPattern(
    _dense(
        r"""(?<=["“])(?:mary[ ]jane|molly|charlie|lucy|tina|henry|roxy|aunt[ ]mary)(?=,?["”])"""
    ),
    small=True,
)
"""Drugs of the street, as notes cite them."""

LIKE_SAINTS = WordPattern(
    _dense(r"""(?<!\w)(?:st\.?|saint)[ ](?:
    john['’]?s[ -]wort|vitus['’]?s?(?:[ ]dance)?|anthony['’]?s[ ]fire|elmo['’]?s[ ]fire|
    louis[ ]encephalitis|bernard(?=[ ]dogs?\b)|
    jude[ ](?:medical|valve|leads?|device|pacer|pacemaker|icd|mechanical|generator)
    )(?!\w)"""),
    small=True,
)
LIKE_TOWNS = WordPattern(
    _dense(r"""(?<!\w)(?:
    amsterdam|ann[ ]arbor|atlanta|barcelona|berlin|bethesda|boston|california|chicago|cincinnati|
    cleveland|columbia|copenhagen|denver|edinburgh|edmonton|geneva|glasgow|heidelberg|helsinki|
    houston|kyoto|leeds|leiden|liverpool|los[ ]angeles|lugano|manchester|memphis|michigan|milan|
    minnesota|montreal|munich|new[ ]orleans|nottingham|ottawa|oxford|paris|philadelphia|prague|
    rancho(?:[ ]los[ ]amigos)?|rochester|rome|rotterdam|san[ ]diego|stanford|stockholm|sydney|tokyo|
    toronto|vienna|wisconsin|zurich)
    (?:[ ](?:adult|alcoholism|ankle|bleeding|bowel|burn|card|carpal|child|claudication|cognitive|
        coma|depression|developmental|extended|foot|handicap|hip|knee|learning|modified|
        multiphasic|neuropathy|outcome|pain|postnatal|prehospital|revised|severity|sort(?:ing)?|
        stroke|suicide|symptom|tunnel|verbal|wrist)){0,3}
    [ ](?:assessment|brace|chromosome|class(?:ification)?|collar|consensus|criteri(?:a|on)|
        definition|grad(?:e|ing)|index|instrument|inventory|level|list|naming|needle|preparation|
        protocol|questionnaire|rules?|scale|score|screen|sort|stage|staging|system|tests?|testing|
        tube|(?-i:II|III|IV|VI{0,3}|I{1,3}[ABE]))
    (?!\w)"""),
    re.IGNORECASE,
)
"""A town with a scale's words or its grade; by itself it is a town."""

GRADES = WordPattern(
    _dense(r"""(?<!\w)(?:
    Montreal[ ](?:A[1-3]L[1-4](?:B[1-3]p?)?|E[1-3](?:S[0-3])?)|Prague[ ]C\d{1,2}M\d{1,2}|
    Los[ ]Angeles[ ][A-D](?=[,;)]|\.?(?:\n|$)|\.[ ]+[A-Z]|[ ](?:o?esophagitis|reflux|erosive))
    )(?!\w)""")
)
"""Grades of letters and digits, each of one scale: other towns have postcodes after them."""


def namesakes(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """Plants, drinks, toys, dogs, slang, remedies, scales and makers."""
    for pattern in (LIKE_PERSONS, SAID, MADE, QUOTED, LIKE_SAINTS, LIKE_TOWNS, GRADES):
        for match in pattern.find(note):
            yield match.span()
