"""Numbers of things that lead back to a person: accessions, orders, cases, rooms, specimens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from string import ascii_uppercase, digits

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import (
    CodePattern,
    FigurePattern,
    LinePattern,
    Pattern,
    WordPattern,
    heads,
    trie,
)
from incognote.detect.rules.engine import LAST, Family, Finding, Rule, keep_first, value
from incognote.detect.rules.labels import (
    Labels,
    any_value,
    coded,
    digits_of,
    donation,
    labelled,
    lettered,
    like_date,
    like_phone,
    value_end,
)

IDNUM = "IDNUM"
BIOID = "BIOID"

# The labels; a space stands for any blanks.

NUMBERED = (
    "lab,laboratory,sample,exam,admission,adm,episode,employee,student,military,encounter,enc,visit,accession,acc,acc'n,order,ord,study,case,report,rpt,batch,index,job,jacket,doc,document,"
    "note,call,ticket,event,incident,trauma,run,trip,booking,inmate,docket,cause,claim,referral,authorization,"
    "authorisation,auth,confirmation,conf,reference,ref,requisition,req,specimen,spec,slide,path,pathology,"
    "cytology,cyto,hematopath,autopsy,x-ray,xray,film,rt,voucher,placard,blood bank,bag,band,kit,locker,tag,trace,"
    "tracking,donor,pedigree,me,m.e.,interp,interpreter,interp phone,interpreter phone,card,rx,prescription,"
    "dictation,dict job,v,subject,birth certificate,participant,trial pt,session,pasrr,unos cand,"
    "state iis,family,tc,alien,payroll,qid"
)
"""Labels when a number sign follows."""

SURE = (
    "csn,contact serial,accession,encounter,encounter info,our ref,your ref,agency ref,lab ref,case ref,"
    "intake ref,state file,tax id,tin,ein,badge,tc#"
)
"""Labels that only a number can follow."""

CAPITALS = "ccf,hmis,edipi,unos,kpd,eoc,trk,nric,cnic,hkid,nic,nid,nin,nrc,uci,napsa"

DOCUMENTS = (
    "passport,visa foil,foil,national id,national identity card,cedula,cédula,kennitala,aadhaar,omang,emirates id,"
    "id card,identity card,identity no,"
    "a-number,a#,i-94,waybill,tracking,trk,certified mail,gop,guarantee of payment ref,nbs kit,newborn screen kit"
)
"""Papers and parcels, whose numbers may be set in groups."""

LOOSE = (
    "acc,accn,auth,auths,authorization,authorisation,prior auth,preauth,pre-auth,precert,preauthorization,ref auth,"
    "auth code,ref,reference,referral,req,requisition,conf,confirmation,trace,order,orders,study,case,report,"
    "reports,rpt,visit,enc,batch,job,dict job,j,specimen,specimens,spec,slide,slides,path,pathology,cytology,"
    "cyto,surg path,flow,biopsy,bx,claim,claims,ticket,tkt,incident,event,run,trip,booking,inmate,docket,cause,"
    "subject,appeal,denial reference,first level appeal,courier,kit,band,id band,bag,locker,result file,placard,"
    "photos,session,term,unit,tank,registry,enrollment,rx,tag,police case,police report,case log,pa case,"
    "poison ctr case,case afhcan,file,op,hematopath,film,seal,slip,memo,histo,fnac,"
    "datix,warrant,court file,coroner,collar,episode,receipt,station diary"
)
"""Labels that are also plain words: the value must look like an identifier."""

_PRINTS = "fingerprint,thumbprint,footprint,footprints,voiceprint,palm vein,palm-vein,retinal scan,retina scan,iris scan"
_PRINTS += ",face match,face capture,finger scan,print,template"
_ACTS = "scan,match,capture,card,check-in,enrollment,e-sign ref,stored,time clock"
BIOMETRICS = ",".join(
    (
        "barcode,barcodes,saliva barcode,tube barcode,biobank,biobank tube,biorepository,face match stored,"
        "voice-clock enrollment,hla specimen,typing specimen,hla tube,tumor core,residual tumor core,"
        "cord blood,cord blood bag,cord blood unit,dna,din,donor din,cryo,chain label,face capture",
        _PRINTS,
        *(f"{noun} {act}" for noun in _PRINTS.split(",") for act in _ACTS.split(",")),
    )
)
"""Biometric templates, and specimens kept with a donor's identity."""

CODES = (
    *(
        f"{what} code"
        for what in "activation access gate door share entry security verification portal".split()
    ),
    "pin",
    "pin for phone info",
)
"""Codes that open a door, a portal or a telephone line."""

NOT_BEFORE_HASH = frozenset(
    "phone ph tel telephone fax cell mobile pager beeper pgr ext ss ssn soc sec security serial model lot ser sn "
    "catalog cat ndc plate vin vehicle mrn mr chart unit hospital hosp patient pt record rec license lic "
    "licence npi dea provider policy member group grp subscriber account acct medicaid medicare guarantor "
    "tylenol dose day pod hd cycle tooth teeth stage grade type size page code cpt icd zip box suite apt "
    "apartment po dose supplement imei udi device ref protocol irb trial nct".split()
)
"""Words whose numbers belong to another family, or to nobody."""

# The forms of numbers.

_HYPHENED = Pattern(
    r"[A-Z0-9](?<![A-Za-z0-9./-].)[A-Z0-9]{0,6}+-[A-Z0-9]{1,8}+(?:-[A-Z0-9]{1,8}+){0,4}(?![A-Za-z0-9]|[-/.]\d)"
)
_SEVERAL = frozenset(range(3, 9))
_OF_CODES = frozenset(ascii_uppercase + digits + "-")
_FORMS = Pattern(
    r"[A-Z]{1,3}-?\d\d-\d{3,8}(?:-[A-Z])?"  # S23-9215, SP07-30442, CT-22-0098143
    r"|\d\d-?[A-Z]{1,3}-\d{3,7}"  # 04-S-5512, 13-SP-20981
    r"|(?:19|20)\d\d-[A-Z]{2}-\d{3,6}"  # 2011-DR-2204, a court's file
    r"|[A-Z]\d\d-\d{3}-\d{4,5}"  # X23-051-65334
    r"|\d\d-[0-3]\d\d-\d{4,5}"  # 24-033-1107: year, day of the year, sequence
    r"|\d\d-\d{5,7}"  # 19-03155
    r"|[A-Z]{2,5}-\d{2,4}-\d{3,7}(?:-[A-Z0-9]{1,3})?"  # VNN-18-10943
)
_PREFIXED = WordPattern(
    r"(?<![A-Za-z0-9./-])(?:INC|RE[FQ]|RMA|ORD|TKT|AUTH)-?\d{5,10}(?![A-Za-z0-9])"
)
_DONATION = CodePattern(r"W(?<![A-Za-z0-9./-].)\d{4} \d\d \d{6}(?!\d)")
_ALONE = LinePattern(
    r"^[ \t]{0,60}+(?P<value>[A-Z]{1,3}-?\d{5,9}|[A-Z]{1,3}\d{2,4}/\d{3,5})[ \t]{0,20}+\r?$",
    re.M,
    first=ascii_uppercase,
)
_LOT_FOLLOWS = Pattern(r"[,;]?[ \t]{1,3}(?i:lot)\b")
_HASH = Pattern(r"#[:#]?[ \t\xa0]{0,3}+(?=[A-Z0-9])")
_NO = WordPattern(
    r"(?<![A-Za-z])(?:[Nn]o\.|[Nn]O\.|[Nn]umber|[Nn]UMBER)[:#]?[ \t\xa0]{0,3}+(?=[A-Z0-9])",
    words=frozenset({"no", "number"}),
)
_WORD_BEFORE = Pattern(r"([A-Za-z]{2,20})\.?[ \t\xa0]?\Z")
_ID = WordPattern(r"(?<![^\W_])[Ii][Dd](?![A-Za-z/])[ \t\xa0:#]{1,12}+(?=[A-Za-z0-9])")

_CODE = WordPattern(
    trie(CODES) + r"\b(?: is)?[ \t:#.]{0,12}+"
    r"(?P<value>\d{3,4}(?: \d{3} \d\d)?(?![\w/.-])|[A-Z0-9]{4,5}(?:-[A-Z0-9]{4,5}){1,3}(?![\w-]))",
    words=heads(CODES),
)

# Rooms and beds, which identify a patient to anyone who can read a census.

_NOT_AFTER = (
    r"(?![A-Za-z0-9%/:°'’]|[-.,]\d|[ ](?:North|South|East|West)\b|(?<=[:\s]\d) [A-Z][a-z]"
    r"| ?(?:air|of|degrees?|deg|beds?|min|hrs?|hours?|days?|rails?|x|times|mg|feet|ft|sessions?|ml|cm"
    r"|to \d|am|pm)\b)"
)
_ROOM = WordPattern(
    r"(?<![^\W_])(?<!exam )(?<!operating )(?<!waiting )(?<!Exam )(?:"
    r"(?i:room[ -]bed|rooms?(?: no\.?| #)?|rm\.?)[ \t\xa0:#_]{0,24}+"
    r"(?P<room>(?:LDR |(?i:resus) )?(?:\d{0,4}[A-Z]{1,2}-?\d{1,4}|\d{2,4}|\d(?=[A-Z-]))"
    r"[A-Za-z]?(?:-(?:[A-Z]|\d{1,3}[A-Z]?))?|(?:LDR|(?i:resus)) \d)"
    r"|(?i:bed)(?i: no\.?| #)?[ \t\xa0:#_]{0,24}+"
    r"(?P<bed>\d{0,4}[A-Z]{0,2}-?\d{1,4}[A-Za-z]?(?:-(?:[A-Z]|\d{1,3}[A-Z]?))?)"
    r"|[Ll](?:oc|OC|ocation|OCATION)[ :]{1,8}+(?P<loc>\d{1,2}[A-Z]{1,2}-\d{1,3}[A-Z]?(?:-\d{1,2})?)"
    r")" + _NOT_AFTER,
    words=frozenset("room rooms rm bed loc location".split()),
)
_UNIT_BED = WordPattern(
    r"(?<!\w)(?:ED|[CIMSPN](?:VI|I)?CU|[Rr](?:esus|ESUS)) (?P<value>[A-Z]?\d{1,2})"
    r"(?=[ \t]{2}|\r?\n|\Z|\.(?:\s|\Z)| ->| →| \()"
)
_ROOM_FORM = FigurePattern(
    r"\d(?<![A-Za-z0-9./#-].)\d?[NSEW]-\d{2,3}(?:-?[A-Z12])?(?![A-Za-z0-9/.-])"
    r"|\d(?:(?<=/ .)|(?<=assigned .)|(?<=moved to .))\d{2,3}-[A-D1-4](?![A-Za-z0-9/.-])",
    then="[NSEW]-|-[A-D1-4]",
)


def _by_hash(note: NoteIndex) -> Iterator[Finding]:
    """Any other word with a number sign: `voucher # 55102`, `card no. IN-33817`."""
    text = note.text
    signs = sorted((*_HASH.find(note), *_NO.find(note)), key=lambda match: match.start())
    for match in signs:
        word = _WORD_BEFORE.search(text, max(0, match.start() - 24), match.start())
        start = match.end()
        end = value_end(text, start)
        if (
            end > start
            and word
            and word[1].lower() not in NOT_BEFORE_HASH
            and coded(text[start:end])
        ):
            yield Finding(start, end, IDNUM, 0.65)


def _by_id(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _ID.find(note):
        start = match.end()
        end = value_end(text, start, spaced=True)
        number = text[start:end]
        if end > start and digits_of(number) >= 3 and not (like_date(number) or like_phone(number)):
            yield Finding(start, end, IDNUM, 0.7)


def _hyphened(note: NoteIndex) -> list[int]:
    """Where the words begin that hold a hyphen and, after it, three digits or more."""
    text = note.text
    starts = set()
    for place in note.figures_of(_SEVERAL):
        start = place
        while text[start - 1 : start] in _OF_CODES and place - start < 24:
            start -= 1
        if text[place - 1 : place] == "-":
            starts.add(start)
    return sorted(starts)


def _has_form(number: str) -> bool:
    return _FORMS.fullmatch(number) is not None and not like_date(number)


def _keep_first_but_lots(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """What a lot number follows is the number of a product."""
    numbers = (each for each in findings if not _LOT_FOLLOWS.match(text, each.end))
    return keep_first(text, numbers)


FAMILY = Family(
    "numbers",
    frozenset({IDNUM, BIOID}),
    (
        labelled(
            Labels(BIOID, BIOMETRICS, coded, 0.85, spaced=True),
            Labels(BIOID, "tube,serum", lettered, 0.8),
            Labels(IDNUM, "unit,units,prbc unit", donation, 0.9, spaced=True),
            Labels(IDNUM, DOCUMENTS, any_value, 0.88, spaced=True),
            Labels(IDNUM, SURE, any_value, 0.9),
            Labels(IDNUM, CAPITALS, any_value, 0.9, spaced=True, capitals=True),
            Labels(IDNUM, NUMBERED, any_value, 0.88, numbered=True),
            Labels(IDNUM, LOOSE, coded, 0.8),
            Labels(IDNUM, "batch", any_value, 0.7),
        ),
        Rule(_ROOM, IDNUM, 0.75, LAST),
        Rule(_UNIT_BED, IDNUM, 0.65, "value"),
        Rule(_ROOM_FORM, IDNUM, 0.7),
        Rule(_CODE, IDNUM, 0.85, "value"),
        Rule(_HYPHENED, IDNUM, 0.7, at=_hyphened, when=value(_has_form)),
        Rule(_PREFIXED, IDNUM, 0.75),
        Rule(_DONATION, IDNUM, 0.75),
        Rule(_ALONE, IDNUM, 0.6, "value"),
        _by_hash,
        _by_id,
    ),
    _keep_first_but_lots,
)
