"""Things called like a person, a saint or a town: St. John's wort, sweet William, Ann Arbor II."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import WordPattern
from incognote.detect.vetoes.veto import Place


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


def namesakes(note: NoteIndex) -> Iterator[Place]:
    """Plants, drinks, toys, dogs, slang, remedies, scales and makers."""
    for pattern in (LIKE_PERSONS, SAID, MADE, QUOTED, LIKE_SAINTS, LIKE_TOWNS, GRADES):
        for match in pattern.find(note):
            yield match.span()
