"""The labels of the family `numbers`. A space stands for any blanks."""

from __future__ import annotations

_NUMBER = r"(?: ?(?:#|n(?:o|um|r)\b\.?|numbers?\b|id\b|code\b))"

SURE = (
    r"(?-i:CSN|TC#|CCF|DLN|HMIS|EDIPI|UNOS|KPD|EOC|RT NO|TRK)",
    r"csn|contact serial",
    r"(?:encounter|enc|visit|accession|acc|acc'n|order|ord|study|case|report|rpt|batch|index|job|jacket|doc"
    r"|document|note|call|ticket|event|incident|trauma|run|trip|booking|inmate|docket|cause|claim"
    r"|referral|authorization|authorisation|auth|confirmation|conf|reference|ref|requisition|req|specimen"
    r"|spec|slide|path|pathology|cytology|cyto|hematopath|autopsy|x-?ray|film|rt|voucher|placard|registry"
    r"|blood bank|bag|band|kit|locker|tag|trace|waybill|tracking|donor|pedigree|me|m\.e\.|interp(?:reter)?"
    r"|interp(?:reter)? phone|card|rx|prescription|script|dictation|dict job|v|client|subject|birth certificate"
    r"|account of disclosure|participant|pt trial|trial pt|pasrr|session)" + _NUMBER,
    r"accession|encounter(?: info)?",
    r"our ref|your ref|agency ref|lab ref|case ref|intake ref",
    r"state file",
    r"tax id|tin|ein",
    r"badge|batch(?= ?:)",
)
"""Labels that only a number can follow."""

DOCUMENTS = (
    r"passport" + _NUMBER + "?",
    r"visa foil|foil",
    r"national id(?:entity)?(?: card)?(?: \([^)\n]{2,12}\))?|cedula|cédula|kennitala|aadhaar|emirates id",
    r"a-number|a ?#|alien" + _NUMBER,
    r"i-94",
    r"waybill|tracking|trk|certified mail",
    r"(?:prbc|blood )?unit(?= W\d{4})",
    r"gop|guarantee of payment ref",
)
"""Papers and parcels, whose numbers may be set in groups."""

LOOSE = (
    r"(?:acc|accn|accession)s?",
    r"(?:pre|prior)?-?auth(?:orization)?s?|precert|pre-?authorization|ref auth|auth code",
    r"ref|reference|referral|req|requisition|conf|confirmation|trace",
    r"orders?|study|studies|case|cases|reports?|rpt|visit|enc|batch|job|dict job|j(?=:)",
    r"specimens?|spec|slides?|path|pathology|cytology|cyto|surg ?path|flow|biopsy|bx",
    r"claims?",
    r"tickets?|tkt|incident|event|run|trip|booking|inmate|docket|cause|subject|appeal|denial reference"
    r"|first level appeal|courier|key|kit|band|bag|locker|(?<!on\x20)file|result file|placard|photos|session"
    r"|term|unit|tank|registry|enrollment|rx|(?:your|our)(?= ?#)|tag",
    r"police (?:case|report)|case log|pa case|poison ctr case|afhcan",
)
"""Labels that are also plain words: the value must look like an identifier."""

BIOMETRICS = (
    r"(?:saliva |tube )?barcodes?",
    r"bio(?:bank|repository)(?: tube)?",
    r"(?:finger|thumb|foot|voice|palm|retinal?|face|iris|print)[\x20-]?(?:prints?)?(?: (?:scan|match|capture|card|vein"
    r"|check-in|enrollment|template|e-sign|stored|taken|ref|time clock)){0,3}" + _NUMBER + "?",
    r"template" + _NUMBER,
    r"voice-clock enrollment|check-in",
    r"(?:hla|typing|tumor|tumour)(?: ab recheck drawn today,)? (?:specimen|tube|serum|core)",
    r"(?:cord blood|cbu)(?: bag| unit)?|bag(?= cbx)",
    r"dna ?#|dna" + _NUMBER,
    r"(?:donor )?(?-i:DIN)",
    r"residual tumor core|cryo" + _NUMBER,
    r"chain label|serum(?= [A-Z]{2,4}-)",
)
"""Biometric templates, and specimens kept with a donor's identity."""

CODES = (
    r"(?:activation|access|gate|door|share|entry|clinic share|security|verification) code",
    r"pin(?: for phone info)?",
)
"""Codes that open a door, a portal or a telephone line."""

NOT_BEFORE_HASH = frozenset(
    "phone ph tel telephone fax cell mobile pager beeper pgr ext ss ssn soc sec security serial model lot ser sn "
    "catalog cat ndc plate vin vehicle mrn mr chart unit hospital hosp patient pt record rec license lic "
    "licence npi dea provider policy member group grp subscriber account acct medicaid medicare guarantor "
    "tylenol dose day pod hd cycle tooth teeth stage grade type size page code cpt icd zip box suite apt "
    "apartment po dose supplement imei udi device ref".split()
)
"""Words whose numbers belong to another family, or to nobody."""
