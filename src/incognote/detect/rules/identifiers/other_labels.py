"""Words to the left of a number that say which number it is.

A telephone, a social security number and a plate can have the shape of a record or claim number;
the label in front settles it.
"""

from __future__ import annotations

import re

from incognote.detect.first_words import first_words
from incognote.detect.pattern import Pattern

DASH = r"\-\u2010-\u2015\u2212"
"""Hyphen, the Unicode dashes and the minus sign, for use inside a character class."""

SPACE = r" \t\u00a0\u2007\u2009\u202f"
"""Blanks within a line, for use inside a character class."""

_REACH = 40

_NUMBER_WORD = (
    r"(?:[ ]?(?:no|nr|nos|num|number|nbr|id)\b\.?)?(?:[ ](?:is|ends?|ending)\b(?:[ ]in\b)?)?"
)

_LABELS = r"""
        mrn | med(?:ical)?\.?[ ]rec(?:ord)?s? | record | chart | nhs | chi | nhi | npi | dea | upin
      | acct | account | claim | policy | member | subscriber | medicare | medicaid | hicn | mbi | icn
      | ref(?:erence)? | order | accession | acc | encounter | enc | csn | fin | har | mr
      | lic(?:en[cs]e)? | reg(?:istration)? | s/?n | serial | lot | batch | imei | udi | ein | tin
      | auth(?:orization)? | confirmation | ticket | invoice | passport | pin | passcode | meeting
      | ndc | upc | gtin | loinc | snomed | rxnorm | cpt | hcpcs | cas | catalog(?:ue)? | cat | model
      | iban | routing | sort[ ]code | card | visa | mastercard | isbn | doi | pmid | nct | rxbin
      | specimen | donor | unit[ ](?:no|number|\#) | hosp(?:ital)?\.?[ ](?:no\b|number|\#)
      | case[ ](?:no|number|\#) | group | grp | guarantor | barcode | docket | supplier | file[ ](?:no|number|\#) | ur
      | (?<!pager[ ])(?<!page[ ])(?<!beeper[ ])id
"""
_OTHER = Pattern(
    rf"""(?:^|[^a-z])(?:{_LABELS})\b\.?{_NUMBER_WORD}[ \t\u00a0]*[-:\#=.]{{0,2}}[ \t\u00a0]*(?-i:[A-Z]{{1,4}}[ -]?)?$""",
    re.VERBOSE | re.IGNORECASE,
)


_WORDS = first_words(re.sub(r"\s(?!\])", "", _LABELS))
_LETTERS = Pattern(r"[a-z]+")


def names_another_number(text: str, start: int) -> bool:
    """Whether a label of a record, claim, order or other number ends right before `start`."""
    before = text[max(0, start - _REACH) : start]
    if _WORDS.isdisjoint(_LETTERS.findall(before.lower())):
        return False
    return _OTHER.search(before) is not None
