"""Medical record numbers, by their label, by a bare `#` in a page header, and beside a name."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.rules.engine import Family, Finding
from incognote.detect.rules.labels import (
    Labels,
    any_value,
    coded,
    digits_of,
    labelled,
    like_date,
    like_phone,
    long_number,
    ten_digits,
    value_end,
)
from incognote.knowledge import check_digits

TYPE = "MEDICALRECORD"

SURE = (
    "mrn,emrn,cmrn,tmrn,umrn,m.r.n,m.r.n.,medical record,medical records,medical rec,med rec,med record,"
    "patientid,clinic card,u/n,huc,huc#,hospital record,expediente"
)
"""Labels that mean a record number and nothing else."""

NUMBERED = (
    "mr,m.r.,hospital,hosp,unit,chart,history,hx,clinic,patient,pt,client,folder,record,file,case note,"
    "case notes,ip,op,opd,o.p.d.,ur,nhs,chi,h&c,h & c,cr,dossier,case paper,ward reg"
)
"""Labels when a number sign follows."""

CAPITALS = "empi,cpi,urn,urno,uhid,nhi,pid,ihi,hrn,crn,rio"
NATIONAL = "nhs,chi"

LIKELY = (
    "folder,dossier,case paper,our chart,your chart,old chart,legacy chart,paper chart,chart,charts,our file,your file,clinic file,"
    "hospital file,our record,mpi,merge,merged,merge w/,merged w/,merge with,merged with,merge into,merged into,"
    "merged from"
)
"""Labels that are also plain words: the value must look like an identifier."""

_HASH = Pattern(r"#(?:(?<=[ \t]{2}#)|(?<=[,;|(/·] #)|(?<=[|(/·\n]#)|(?<=\A#))[ \xa0]?(?=[A-Z0-9])")
_SURNAME = Pattern(r"(?<![\w-])[A-Z][\w'’-]{1,24}$")
_BESIDE_NAME = Pattern(
    r",(?<=[\w'’-],) ?(?!(?:M\.?D|D\.?O|R\.?N|NP|PA|CNM|ARNP|PhD)\b)"
    r"[A-Z][\w'’.\"()-]{0,24}+(?: [A-Z\"(][\w'’.\"()-]{0,24}+){0,3}"
    r"(?:[ \t]{1,40}+(?:\d{1,3} ?[MFmf]\b|[MF]/\d{1,3}\b|\d{1,2}/\d{1,2}/\d{2,4}\b))?"
    r"(?:, |[ \t]{2,40}+)(?=[A-Z\d])"
)
_TEN_DIGITS = Pattern(r"\d(?<![\w-].)\d\d([ -]?)\d{3}\1\d{4}(?![\w-])")


def _unlabelled(number: str) -> bool:
    return (
        5 <= digits_of(number) <= 11
        and "/" not in number
        and not like_date(number)
        and not like_phone(number)
        and not (number.isdigit() and len(number) < 6)
    )


def _by_hash(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _HASH.finditer(text) if "#" in text else ():
        start = match.end()
        end = value_end(text, start, spaced=True)
        if end > start and coded(text[start:end]):
            yield Finding(start, end, TYPE, 0.75)


def _beside_name(note: NoteIndex) -> Iterator[Finding]:
    """A page header such as `VAN DER MEULEN, GEERTRUIDA      88-20-617`."""
    text = note.text
    for match in _BESIDE_NAME.finditer(text):
        if not _SURNAME.search(text, max(0, match.start() - 26), match.start()):
            continue
        start = match.end()
        end = value_end(text, start, spaced=True)
        number = text[start:end]
        if end > start and _unlabelled(number) and ("-" in number or match[0].endswith("  ")):
            yield Finding(start, end, TYPE, 0.65)


def _by_check_digit(note: NoteIndex) -> Iterator[Finding]:
    """NHS numbers without a label, in a note that speaks of the NHS."""
    for match in _TEN_DIGITS.find(note) if "NHS" in note.text else ():
        if check_digits.is_nhs(match[0]):
            yield Finding(*match.span(), TYPE, 0.8)


FAMILY = Family(
    "records",
    frozenset({TYPE}),
    (
        labelled(
            Labels(TYPE, SURE, any_value, 0.95, spaced=True),
            Labels(TYPE, NUMBERED, any_value, 0.93, spaced=True, numbered=True),
            Labels(TYPE, CAPITALS, any_value, 0.93, spaced=True, capitals=True),
            Labels(TYPE, NATIONAL, ten_digits, 0.9, spaced=True, capitals=True),
            Labels(TYPE, "mr,m.r.", coded, 0.85, spaced=True, capitals=True),
            Labels(TYPE, LIKELY, coded, 0.85, spaced=True),
            Labels(TYPE, "patient,pt,client", long_number, 0.8),
        ),
        _by_hash,
        _beside_name,
        _by_check_digit,
    ),
)
