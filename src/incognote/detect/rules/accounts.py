"""Account numbers of patients, guarantors and banks, and the numbers on insurance cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import CodePattern, FigurePattern, Pattern, WordPattern
from incognote.detect.rules.engine import Family, Finding, Rule, value
from incognote.detect.rules.labels import (
    Labels,
    any_value,
    coded,
    digits_of,
    labelled,
    like_date,
    long_number,
    short_value,
    value_end,
)
from incognote.knowledge import check_digits

ACCOUNT = "ACCOUNT"
HEALTHPLAN = "HEALTHPLAN"

_OWNERS = "guarantor,bill,billing,bank,client,patient,pt,charge,storage,supplier,hospital"
ACCOUNTS = ",".join(
    (
        "acct,accts,account,accounts,acc't,a/c,sort code,bsb,routing",
        *(f"{owner} {word}" for owner in _OWNERS.split(",") for word in ("acct", "account")),
    )
)
NUMBERED_ACCOUNTS = "guarantor,bill,billing,statement,stmt"
CARD_ENDINGS = ",".join(
    f"{card} ending"
    for card in "visa,mastercard,amex,discover,debit,credit,debit card,credit card,card,acct,account".split(
        ","
    )
)
MEMBERS = (
    "member,mbr,subscriber,policy,pol,mbi,hicn,ramq,ohip,medicare,medicare a,medicare b,medicare a/b,"
    "medicare part a,medicare part b,medicare advantage,medicaid,medicaid cin,medicaid plan,medi-cal,medi-cal bic,"
    "mainecare,masshealth,tenncare,tricare,champva,badgercare,mo healthnet,soonercare,apple health,part d,"
    "plan vital,rx id,rxid"
)
"""Labels of insurance cards, and programmes whose names stand for their numbers."""

NUMBERED_MEMBERS = "insurance,ins,beneficiary,plan,secondary,sponsor,medigap,supplement,mco,payer,hmo,ppo,rx member,chip"
CAPITAL_MEMBERS = (
    "hic,cin,bic,dbn,nam,phn,phin,hcn,mcp,ahcip,msp,adap,cshcs,dva,irn,nhis,nhif,gms,ahc"
)
GROUPS = "grp,rxgrp,rx grp,rx group,rxgroup"

INSURER_WORDS = (
    "HMO PPO POS EPO Mutual Health Healthcare HealthCare Plan Medigap Advantage Insurance Dental "
    "Co-op Trust Choice Alliance Select BCN BCBS Bureau Welfare Blue Shield Cross Aetna Cigna "
    "Humana Anthem UHC Kaiser Tricare Medicaid Casualty Options Access Fund"
).split()
"""Words that end an insurer's name; what follows them may be a member number."""

_AFTER_INSURER = WordPattern(
    r"\b(?:" + "|".join(map(re.escape, INSURER_WORDS)) + r")\b"
    r"(?: \([a-z]{3,10}\))?[ \t\xa0:,#(]{1,40}+"
    r"(?P<id>(?:subscriber[ \t:]{1,4}+)?[Ii][Dd]\b[ \t:#.]{0,12}+)?(?=[A-Z0-9])"
)
_COVERAGE = Pattern(
    r"\b(?:BIN|PCN|PPO|HMO|POS|Payer|PAYER|INS|Insurance|INSURANCE|Coverage|Subscriber|Plan|Part D|Secondary|Health"
    r"|COPAY CARD)\b"
)
_ID = WordPattern(r"(?<=[ \t(])I[Dd]\b[ \t:#.]{0,12}+(?=[A-Z0-9])")
_REACH = 70
_PCN = Pattern(
    r"BIN\b[ \t:#]{0,8}+\d{6}[ \t,;|/]{1,20}+(?:Rx|RX)?PCN[ \t:#]{0,8}+([A-Z0-9]{2,12})\b",
    needs=frozenset({"pcn", "rxpcn"}),
)
_MEMBER_AND_GROUP = Pattern(
    r"/(?:(?<=[DdRrYy] /)|(?<=[DdRrYy]/)) ?(?i:group|grp)(?i: no\.?| #)?[ \t:#.]{1,20}+(?=[A-Z0-9])"
)
_SLASH = Pattern(r" ?/ ?")
_SUFFIX = Pattern(
    r"\d[ \t]{1,12}+(?i:suffix|cert)[ \t:#]{1,6}+(\d{2,4})\b", needs=frozenset({"suffix", "cert"})
)
_LETTER = "[AC-HJKMNP-RT-Y]"
_MBI = FigurePattern(
    rf"[1-9](?<![A-Za-z0-9-].){_LETTER}(?:\d|{_LETTER})\d(?P<dash>[- ]?){_LETTER}(?:\d|{_LETTER})\d"
    rf"(?P=dash){_LETTER}{{2}}\d\d(?![A-Za-z0-9-])",
    digits=[1],
    then="[A-Z]",
)
_HICN = FigurePattern(
    r"\d(?<![\w-].)\d\d-\d\d-\d{4}-?[A-DFJKMTW]\d?(?![\w-])", digits=[3], then=r"-\d"
)
_IBAN = CodePattern(
    r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d\d(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_IBAN_LABEL = WordPattern(
    r"[Ii][Bb][Aa][Nn]\b[ \t:#]{0,8}+([A-Z]{2}\d\d(?:[ ]?[A-Z0-9]{2,4}){2,8})(?![A-Za-z0-9])"
)
_CARD = FigurePattern(
    r"[3-6](?<![\w-].)\d{3}(?P<gap>[- ]?)\d{4,6}(?P=gap)\d{4,5}(?:(?P=gap)\d{1,4})?(?![\w-])",
    digits=[4, *range(13, 20)],
)


def _mixed_group(number: str) -> bool:
    """A group number beside the plain word: `TF-40`, `70041-B`, but not `group B` or `group 3`."""
    if number.isdigit():
        return digits_of(number) >= 5
    return coded(number) or bool(
        re.fullmatch(r"[A-Z]{1,6}-?\d{2,}[A-Z]?|\d{5,}-[A-Z0-9]{1,6}", number)
    )


def _long_code(number: str) -> bool:
    """After a programme's name: six digits, or five with letters."""
    digits = digits_of(number)
    return not like_date(number) and (
        digits >= 6 or (digits >= 4 and not number[0].isdigit()) or _mixed_id(number)
    )


def _mixed_id(number: str) -> bool:
    return digits_of(number) >= 4 and any(c.isupper() for c in number) and len(number) >= 6


def _six_digits(number: str) -> bool:
    return number.isdigit() and len(number) == 6


def _after_insurers(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _AFTER_INSURER.find(note):
        start = match.end()
        end = value_end(text, start, spaced=True)
        number = text[start:end]
        named = match["id"] is not None and _long_code(number)
        if end > start and (named or (_mixed_id(number) and number[0].isalpha() and coded(number))):
            yield Finding(start, end, HEALTHPLAN, 0.85 if named else 0.7)


def _ids_of_coverage(note: NoteIndex) -> Iterator[Finding]:
    """`ID` in a line that speaks of a plan."""
    text = note.text
    for match in _ID.find(note):
        line = text[max(0, match.start() - _REACH) : match.start()].rpartition("\n")[2]
        if not _COVERAGE.search(line):
            continue
        start = match.end()
        end = value_end(text, start, spaced=True)
        if end > start and _long_code(text[start:end]):
            yield Finding(start, end, HEALTHPLAN, 0.8)


def _members_and_groups(note: NoteIndex) -> Iterator[Finding]:
    """`Member ID / Group: XQH 884 / 70041`."""
    text = note.text
    for match in _MEMBER_AND_GROUP.find(note):
        start = match.end()
        end = value_end(text, start, spaced=True)
        yield Finding(start, end, HEALTHPLAN, 0.9)
        slash = _SLASH.match(text, end)
        if slash and (last := value_end(text, slash.end())) > slash.end():
            yield Finding(slash.end(), last, HEALTHPLAN, 0.9)


def _iban_score(_: str, match: re.Match[str]) -> float:
    return 0.99 if check_digits.is_iban(match[1]) else 0.9


FAMILY = Family(
    "accounts",
    frozenset({ACCOUNT, HEALTHPLAN}),
    (
        labelled(
            Labels(ACCOUNT, CARD_ENDINGS, any_value, 0.92),
            Labels(ACCOUNT, ACCOUNTS, any_value, 0.9, spaced=True),
            Labels(ACCOUNT, NUMBERED_ACCOUNTS, any_value, 0.88, spaced=True, numbered=True),
            Labels(ACCOUNT, "fin,har", long_number, 0.92, spaced=True),
            Labels(ACCOUNT, "copay card", long_number, 0.88, spaced=True),
            Labels(ACCOUNT, "invoice,invoices,inv", coded, 0.85),
            Labels(ACCOUNT, "contract", coded, 0.8, numbered=True),
            Labels(HEALTHPLAN, "bin,rxbin,rx bin", _six_digits, 0.92),
            Labels(HEALTHPLAN, MEMBERS, _long_code, 0.9, spaced=True),
            Labels(HEALTHPLAN, NUMBERED_MEMBERS, _long_code, 0.88, spaced=True, numbered=True),
            Labels(HEALTHPLAN, CAPITAL_MEMBERS, _long_code, 0.9, spaced=True, capitals=True),
            Labels(HEALTHPLAN, "ma", _long_code, 0.85, numbered=True, capitals=True),
            Labels(HEALTHPLAN, GROUPS, short_value, 0.88),
            Labels(HEALTHPLAN, "group", short_value, 0.88, numbered=True),
            Labels(HEALTHPLAN, "group", _mixed_group, 0.85),
        ),
        _after_insurers,
        _ids_of_coverage,
        _members_and_groups,
        Rule(_PCN, HEALTHPLAN, 0.85, 1),
        Rule(_SUFFIX, HEALTHPLAN, 0.85, 1),
        Rule(_MBI, HEALTHPLAN, 0.97),
        Rule(_HICN, HEALTHPLAN, 0.9),
        Rule(_IBAN_LABEL, ACCOUNT, _iban_score, 1),
        Rule(_IBAN, ACCOUNT, 0.97, when=value(check_digits.is_iban)),
        Rule(_CARD, ACCOUNT, 0.9, when=value(check_digits.is_card)),
    ),
)
