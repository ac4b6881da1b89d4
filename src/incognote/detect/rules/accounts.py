"""Account numbers of patients, guarantors and banks, and the numbers on insurance cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.rules import checksums
from incognote.detect.rules.family import Family
from incognote.detect.rules.identifier_value import (
    any_value,
    coded,
    digits_of,
    like_date,
    long_number,
    short_value,
    value_end,
)
from incognote.detect.rules.labelled import Labels, labelled
from incognote.document import Span

ACCOUNT = "ACCOUNT"
HEALTHPLAN = "HEALTHPLAN"
SOURCE = "rules.accounts"

_NUMBER = r"(?: ?(?:#|n(?:o|um|r)\b\.?|numbers?\b|id\b))"

ACCOUNTS = (
    r"(?:guarantor |bill(?:ing)? |bank |client |patient |pt |charge |storage |supplier |hospital )?"
    r"(?:accts?|accounts?|acc't|a/c)",
    r"guarantor" + _NUMBER,
    r"bill(?:ing)?" + _NUMBER,
    r"(?:statement|stmt)" + _NUMBER,
    r"sort code|bsb|routing",
)
INVOICES = (r"invoices?|inv|contract" + _NUMBER,)
ENCOUNTER_ACCOUNTS = (r"(?-i:FIN|HAR)", r"(?:fin|har)(?= ?[#:]| \d{6})", r"copay card")
CARD_ENDINGS = (
    r"(?:visa|mastercard|amex|discover|(?:debit|credit|bank)(?: card)?|card|acct|account) ending",
)
MEMBERS = (
    r"(?:member|mbr|subscriber|subscr|policy|insurance|ins|beneficiary|plan|secondary|sponsor|medigap"
    r"|supplement|mco|payer|hmo|ppo)" + _NUMBER,
    r"(?:member|mbr|subscriber|policy|pol)",
    r"(?-i:MBI|HICN|HIC|CIN|BIC|DBN|OHIP|RAMQ|NAM|PHN|PHIN|HCN|MCP|AHCIP|MSP|MA(?= ?#)|ADAP|CSHCS|DVA|IRN)"
    r"(?: \(?-i:[A-Z]{2}\))?",
    r"mbi|hicn|ramq|ohip",
    r"medicare(?: a(?:/b)?| a&b| part [abcd]| advantage)?|medicaid(?: c\.?i\.?n\.?| plan)?|medi-?cal(?: bic)?"
    r"|mainecare|masshealth|tenncare|tricare|champva|chip|badgercare|mo healthnet|soonercare"
    r"|apple health|husky|part d|plan vital",
)
GROUPS = (r"grp|rx ?grp|rxgroup|group" + _NUMBER,)
LOOSE_GROUPS = (r"group", r"(?-i:GRP|Grp)")
PHARMACY = (r"(?:rx ?)?bin(?= ?[#:]?[\x20\t]{0,8}\d{6}\b)", r"rx ?id")

INSURER_WORDS = (
    "HMO PPO POS EPO Mutual Health Healthcare HealthCare Plan Medigap Advantage Insurance Dental "
    "Co-op Trust Choice Alliance Select BCN BCBS Bureau Welfare Blue Shield Cross Aetna Cigna "
    "Humana Anthem UHC Kaiser Tricare Medicaid Casualty Options Access Fund"
).split()
"""Words that end an insurer's name; what follows them may be a member number."""

_AFTER_INSURER = re.compile(
    r"\b(?:" + "|".join(map(re.escape, INSURER_WORDS)) + r")\b"
    r"(?: \([a-z]{3,10}\))?[ \t\xa0:,#(]{1,40}+"
    r"(?P<id>(?:subscriber[ \t:]{1,4}+)?[Ii][Dd]\b[ \t:#.]{0,12}+)?(?=[A-Z0-9])"
)
_COVERAGE_ID = re.compile(
    r"\b(?:BIN|PCN|PPO|HMO|POS|Payer|PAYER|INS|Insurance|INSURANCE|Coverage|Subscriber|Plan|Part D"
    r"|Secondary|Health|COPAY CARD)\b[^\n]{0,60}?[ \t(]I[Dd]\b[ \t:#.]{0,12}+(?=[A-Z0-9])"
)
_PCN = re.compile(
    r"\b(?:[Rr][Xx] ?)?BIN\b[ \t:#]{0,8}+\d{6}[ \t,;|/]{1,20}+(?:Rx|RX)?PCN[ \t:#]{0,8}+([A-Z0-9]{2,12})\b"
)
_MEMBER_AND_GROUP = re.compile(
    r"(?i:member id|member|policy|id) ?/ ?(?i:group|grp)(?i: no\.?| #)?[ \t:#.]{1,20}+(?=[A-Z0-9])"
)
_SLASH = re.compile(r" ?/ ?")
_SUFFIX = re.compile(r"\d[ \t]{1,12}+(?i:suffix|cert)[ \t:#]{1,6}+(\d{2,4})\b")
_LETTER = "[AC-HJKMNP-RT-Y]"
_MBI = re.compile(
    rf"(?<![A-Za-z0-9-])[1-9]{_LETTER}(?:\d|{_LETTER})\d(?P<dash>[- ]?){_LETTER}(?:\d|{_LETTER})\d"
    rf"(?P=dash){_LETTER}{{2}}\d\d(?![A-Za-z0-9-])"
)
_HICN = re.compile(r"(?<![\w-])\d{3}-\d\d-\d{4}-?[A-DFJKMTW]\d?(?![\w-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d\d(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_IBAN_LABEL = re.compile(r"\b(?i:iban)\b[ \t:#]{0,8}+([A-Z]{2}\d\d(?:[ ]?[A-Z0-9]{2,4}){2,8})(?![A-Za-z0-9])")
_CARD = re.compile(r"(?<![\w-])[3-6]\d{3}(?P<gap>[- ]?)\d{4,6}(?P=gap)\d{4,5}(?:(?P=gap)\d{1,4})?(?![\w-])")


def _mixed_group(value: str) -> bool:
    """A group number beside the plain word: `TF-40`, `70041-B`, but not `group B` or `group 3`."""
    if value.isdigit():
        return digits_of(value) >= 5
    return coded(value) or bool(re.fullmatch(r"[A-Z]{1,6}-?\d{2,}[A-Z]?|\d{5,}-[A-Z0-9]{1,6}", value))


def _long_code(value: str) -> bool:
    """After a programme's name: six digits, or five with letters."""
    digits = digits_of(value)
    return not like_date(value) and (digits >= 6 or (digits >= 4 and not value[0].isdigit()) or _mixed_id(value))


def _mixed_id(value: str) -> bool:
    return digits_of(value) >= 4 and any(c.isupper() for c in value) and len(value) >= 6


_FIND_LABELLED = labelled(
    (
        Labels(ACCOUNT, CARD_ENDINGS, any_value, 0.92),
        Labels(ACCOUNT, ACCOUNTS, any_value, 0.9, spaced=True),
        Labels(ACCOUNT, INVOICES, coded, 0.85),
        Labels(ACCOUNT, ENCOUNTER_ACCOUNTS, long_number, 0.92, spaced=True),
        Labels(HEALTHPLAN, PHARMACY, any_value, 0.92),
        Labels(HEALTHPLAN, MEMBERS, _long_code, 0.9, spaced=True),
        Labels(HEALTHPLAN, GROUPS, short_value, 0.88),
        Labels(HEALTHPLAN, LOOSE_GROUPS, _mixed_group, 0.85),
    ),
    SOURCE,
)


def _span(text: str, start: int, end: int, type: str, score: float) -> Span:
    return Span.of(text, start, end, type, score=score, source=SOURCE)


def _by_insurer(text: str) -> Iterator[Span]:
    for match in _AFTER_INSURER.finditer(text):
        start = match.end()
        end = value_end(text, start, spaced=True)
        value = text[start:end]
        named = match["id"] is not None and _long_code(value)
        if end > start and (named or (_mixed_id(value) and value[0].isalpha() and coded(value))):
            yield _span(text, start, end, HEALTHPLAN, 0.85 if named else 0.7)
    for match in _COVERAGE_ID.finditer(text):
        start = match.end()
        end = value_end(text, start, spaced=True)
        if end > start and _long_code(text[start:end]):
            yield _span(text, start, end, HEALTHPLAN, 0.8)
    for match in _MEMBER_AND_GROUP.finditer(text):
        start = match.end()
        end = value_end(text, start, spaced=True)
        yield _span(text, start, end, HEALTHPLAN, 0.9)
        slash = _SLASH.match(text, end)
        if slash and (last := value_end(text, slash.end())) > slash.end():
            yield _span(text, slash.end(), last, HEALTHPLAN, 0.9)
    for pattern in (_PCN, _SUFFIX):
        for match in pattern.finditer(text):
            yield _span(text, *match.span(1), HEALTHPLAN, 0.85)


def _by_form(text: str) -> Iterator[Span]:
    for match in _MBI.finditer(text):
        yield _span(text, *match.span(), HEALTHPLAN, 0.97)
    for match in _HICN.finditer(text):
        yield _span(text, *match.span(), HEALTHPLAN, 0.9)
    for match in _IBAN_LABEL.finditer(text):
        score = 0.99 if checksums.iban(match[1]) else 0.9
        yield _span(text, *match.span(1), ACCOUNT, score)
    for match in _IBAN.finditer(text):
        if checksums.iban(match[0]):
            yield _span(text, *match.span(), ACCOUNT, 0.97)
    for match in _CARD.finditer(text):
        if checksums.payment_card(match[0]):
            yield _span(text, *match.span(), ACCOUNT, 0.9)


def find(text: str) -> Iterator[Span]:
    """Account and insurance numbers in a note."""
    yield from _FIND_LABELLED(text)
    yield from _by_insurer(text)
    yield from _by_form(text)


FAMILY = Family("accounts", frozenset({ACCOUNT, HEALTHPLAN}), find)
