"""What a column of a table seems to hold, by its name and by its first values.

A name alone is believed where the values do not speak against it: `state` may be of a patient or of
an order. Values alone are believed where their form says it: check digits, e-mail addresses, dates,
names that the bank knows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from incognote.detect.vetoes.vocabulary import DEPARTMENT
from incognote.document import Order, is_no_name, value_place
from incognote.formats.column_plan import name_words
from incognote.formats.container import Column
from incognote.knowledge.check_digits import is_card, is_iban, is_nhs, is_npi, is_vin
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import is_ordinary
from incognote.knowledge.places import CITIES, COUNTRIES, PROVINCES, STATE_CODES, STATES
from incognote.replace.surrogate.banks.name_bank import name_bank
from incognote.replace.surrogate.date_parse import order_votes
from incognote.runs.date_columns import is_date, type_of

LOOKED_AT = 40
"""So many of a column's values are searched by rules and looked up."""
MOST = 0.5
"""The share of values that makes a column what they are."""
NEARLY_ALL = 0.9
FEWEST = 5
"""Fewer values say nothing by their form alone."""
FEW_KINDS = 12
"""Columns of so few different values are categories, if they are much fewer than the rows."""

Kind = Literal["value", "notes", "combined", "nothing"]
"""A value of a type; notes to be searched; what identifies with others, such as sex; none of these."""


@dataclass(frozen=True)
class Contents:
    """What a column seems to hold, and why; `order` is that of dates, where their values tell."""

    kind: Kind
    type: str = ""
    why: str = ""
    order: Order | None = None
    is_id: bool = False
    """Whether each row has another value, as the id of a note has."""

    @property
    def identifies(self) -> bool:
        """Whether it looks identifying by itself."""
        return self.kind in ("value", "notes")


_OF_STAFF = re.compile(
    r"_(?:badge|staff|employee|role|grade|npi|gmc|nmc|specialty|speciality|job_title|payroll)_"
)
_OF_PATIENTS = re.compile(
    r"_(?:mrn|crn|chart|nhs|dob|birth|birthdate|patient|patientid|pat|pt|subject|subjectid|admitted|admission"
    r"|discharge|discharged|diagnosis|hosp(?:ital)?_?(?:no|number|num|nr)|kin|insurance|ssn"
    r"|note|notes|text|report)_"
)


def is_of_staff(names: Iterable[str]) -> bool:
    """Whether a table seems to list staff and no patients, by the names of its columns."""
    joined = [f"_{'_'.join(name_words(name))}_" for name in names]
    return any(map(_OF_STAFF.search, joined)) and not any(map(_OF_PATIENTS.search, joined))


def contents_of(column: Column, rows: int, *, of_staff: bool = False) -> Contents:
    """What a column seems to hold; people in a table of staff are no patients."""
    contents = _contents(_Look(column, rows, of_staff))
    if of_staff and contents.type == "PATIENT":
        return replace(contents, type="DOCTOR", why=f"{contents.why}, in a table of staff")
    return contents


def _contents(look: _Look) -> Contents:
    return _by_name(look) or look.by_values() or Contents("nothing", is_id=look.is_unique)


# By name. The words of a name are joined by _, with one before and after: _patient_first_name_.

_NOT_OF_PEOPLE = re.compile(
    r"_(?:drug|med|medication|medicine|test|lab|procedure|diagnosis|unit|file|filename|column|table"
    r"|code|item|product|event|form|field|section|template|panel|component|department|dept|service"
    r"|specialty|type|status|class|category|group|version|language|plan|trial|program|title|tag)_"
)
_COUNTED = re.compile(
    r"_(?:count|total|cnt|amount|qty|sum|avg|score|flag|ind|type|status|code|len|length)_"
)


@dataclass(frozen=True)
class _NameRule:
    type: str
    pattern: re.Pattern[str]
    agrees: Callable[[_Look], bool]
    """Whether the values may be of the type; not asked where there are none."""


def _rule(type: str, words: str, agrees: Callable[[_Look], bool] | None = None) -> _NameRule:
    return _NameRule(type, re.compile(rf"_(?:{words})_"), agrees or (lambda look: True))


_STAFF_WORDS = (
    "doctor|physician|provider|attending|resident|surgeon|clinician|consultant|pcp|gp|referring|author"
    "|practitioner|nurse|radiologist|pathologist|staff|employee|midwife|therapist|pharmacist|registrar"
)
_NAME_RULES = (
    _rule("IDNUM", f"badge|(?:{_STAFF_WORDS}|practice|prescriber|payroll|personnel)"
          "_(?:code|no|number|num|nr|ref|badge)|gmc(?:_(?:no|number))?|nmc(?:_(?:no|number|pin))?",
          lambda look: look.has_figures and not look.is_date),
    _rule("SSN", "ssn|social_security(?:_\\w+)?|nino|national_(?:id|insurance)(?:_\\w+)?|sin_(?:no|number)",
          lambda look: look.has_figures),
    _rule("EMAIL", "e?mail|email_address|e_mail(?:_\\w+)?", lambda look: look.share("@") > MOST),
    _rule("FAX", "fax(?:_\\w+)?", lambda look: look.has_figures),
    _rule("PHONE", "(?:tele)?phone(?:_\\w+)?|tel|mobile|cell|pager|cellphone|landline",
          lambda look: look.has_figures),
    _rule("IPADDR", "ip|ip_addr(?:ess)?|ipaddress"),
    _rule("URL", "url|website|homepage|web_?site"),
    _rule("USERNAME", "user|user_?name|login|userid|user_id"),
    _rule("LICENSE", "npi|dea|licen[sc]e(?:_\\w+)?|driver_\\w+", lambda look: look.has_figures),
    _rule("VEHICLE", "vin|plate|licen[sc]e_plate|vehicle_\\w+"),
    _rule("DEVICE", "udi|imei|serial(?:_\\w+)?|device_(?:id|no|number|serial)|implant_\\w+"),
    _rule("HEALTHPLAN", "insurance_(?:id|no|number|num)|member_(?:id|no|number)|policy_(?:id|no|number)"
          "|beneficiary_\\w+|medicare(?:_\\w+)?|medicaid(?:_\\w+)?|subscriber_\\w+|health_card(?:_\\w+)?|ohip",
          lambda look: look.has_figures),
    _rule("ACCOUNT", "account(?:_(?:id|no|number|num))?|acct(?:_\\w+)?|iban|card_number|bank_\\w+",
          lambda look: look.has_figures),
    _rule("MEDICALRECORD", "mrn|medical_record(?:_\\w+)?|med_rec\\w*|chart(?:_(?:no|number|num|nr|id))?"
          "|nhs(?:_\\w+)?|nhs(?:no|number)|hosp(?:ital)?_(?:no|number|num|nr)|hosp(?:ital)?(?:no|number)|crn"
          "|unit_(?:no|number|num|nr)|(?:patient|pat|pt|subject|person|client)_?(?:id|no|number|num|key|nr)"
          "|patientid|subjectid|personid|empi|record_(?:no|number|num)",
          lambda look: look.has_figures or look.is_unique),
    _rule("DATE", "dob|dod|\\w*birth_?(?:date|day)|date_of_\\w+|\\w*date\\w*|\\w*time\\w*|birth|born|admit|admitted"
          "|discharged?|deathtime|death|died|dt|timestamp|\\w+_at|year_of_birth|birth_year",
          lambda look: look.is_date or look.years >= NEARLY_ALL),
    _rule("AGE", "age|age_\\w+|\\w+_age", lambda look: look.ages >= NEARLY_ALL),
    _rule("ZIP", "zip|zip_?code|postal(?:_?code)?|post_?code|plz", lambda look: look.has_figures),
    _rule("STREET", "(?:home_|mailing_)?address(?:_line)?|addr|street(?:_\\w+)?|line", lambda look: look.has_letters),
    _rule("CITY", "city|town|village|suburb|municipality|county|birth_?place|place_of_birth",
          lambda look: look.has_letters),
    _rule("STATE", "state|province|region", lambda look: look.states >= MOST),
    _rule("COUNTRY", "country|nation", lambda look: look.has_letters),
    _rule("DOCTOR", f"{_STAFF_WORDS}|signed_by|ordered_by"
          "|(?:\\w+_)?(?:doctor|physician|provider|attending|surgeon|author|nurse)_(?:first_|last_)?name",
          lambda look: look.names >= MOST or look.capitalised >= NEARLY_ALL),
    _rule("PATIENT", "(?:\\w+_)?(?:first|last|middle|given|family|full|maiden|sur)_?name|surname|forename"
          "|first|last|given|middle|fname|lname|mname"
          "|(?:patient|pat|pt|subject|person|client|kin|next_of_kin|mother|father|spouse|guardian|contact"
          "|emergency_contact)(?:_name)?|name|names",
          lambda look: look.has_letters and (look.names >= 0.3 or look.capitalised >= NEARLY_ALL)),
    _rule("HOSPITAL", "hospital|facility|clinic|site|institution|hospital_name|facility_name|ward",
          lambda look: look.has_letters),
    _rule("HOSPITAL", "unit|base|location", lambda look: look.of_staff and look.own_words >= MOST),
    _rule("ORGANIZATION", "employer|company|workplace|school|employer_name", lambda look: look.has_letters),
    _rule("PROFESSION", "occupation|profession|job|job_title", lambda look: look.has_letters),
    _rule("IDNUM", "(?:\\w+_)?(?:id|guid|uuid|identifier|accession|csn|hadm)(?:_(?:no|number|num))?|\\w+_key",
          lambda look: look.has_figures),
    _rule("IDNUM", "(?:\\w+_)(?:no|number|num|nr)",
          lambda look: look.has_figures and not look.is_category),
    _rule("IDNUM", f"(?<=^_)(?:{_STAFF_WORDS})(?=_$)",
          lambda look: look.has_figures and not look.share(" ") and not look.names),
)  # fmt: skip
_NOTES = frozenset("note notes text comment comments narrative report letter history hpi".split())
_COMBINED = re.compile(
    r"_(?:sex|gender|race|ethnicity|ethnic_\w+|religion|marital(?:_status)?|language|nationality)_"
)


def _by_name(look: _Look) -> Contents | None:
    name = f"_{'_'.join(name_words(look.column.within or look.column.key))}_"
    if look.is_notes:
        return Contents("notes", why="its values are free text")
    if _COMBINED.search(name):
        return Contents("combined", why="by its name; it identifies with others")
    for rule in _NAME_RULES:
        if not (match := rule.pattern.search(name)):
            continue
        whole = match.group() == name
        of_people = rule.type in ("PATIENT", "DOCTOR", "HOSPITAL", "STATE")
        if of_people and not look.of_staff and _NOT_OF_PEOPLE.search(name):
            continue
        if rule.type not in ("DATE", "IDNUM") and _COUNTED.search(name) and not whole:
            continue
        if not look.values and not look.column.is_date:
            why = "by its name; it has no values in the rows read"
            return Contents("value", rule.type, why) if whole else None
        if rule.agrees(look):
            order = look.order if rule.type == "DATE" else None
            return Contents("value", rule.type, "by its name", order, look.is_unique)
    return None


# By values


class _Look:
    """A column's values, and what they are like as far as anybody asks."""

    def __init__(self, column: Column, rows: int, of_staff: bool) -> None:
        self.column = column
        self.rows = rows
        self.of_staff: bool = of_staff
        self.values = [
            value[start:end]
            for value in column.values
            for start, end in (value_place(value),)
            if not is_no_name("PATIENT", value)
        ]
        self.some = list(dict.fromkeys(self.values))[:LOOKED_AT]

    def by_values(self) -> Contents | None:
        """What the form of the values says."""
        if self.is_date:
            return Contents("value", "DATE", "its values are dates", self.order)
        if len(self.values) < FEWEST:
            return None
        if found := self._by_form():
            return found
        if self.wards >= MOST:
            return Contents("value", "HOSPITAL", "most of its values name wards, units or clinics")
        if self.is_category:
            return None
        if self.names >= MOST:
            return Contents("value", "PATIENT", "most of its values are names of people")
        return self._by_rules() or self._as_codes()

    def _as_codes(self) -> Contents | None:
        """Whether nearly each row has a code of its own, which may lead to its person."""
        if self.has_codes:
            why = "its values are codes, nearly each row's its own"
            return Contents("value", "IDNUM", why, is_id=self.is_unique)
        return None

    def _by_form(self) -> Contents | None:
        for type, words, holds in _FORMS:
            if self._share(holds) >= NEARLY_ALL:
                return Contents("value", type, words, is_id=self.is_unique)
        return None

    def _by_rules(self) -> Contents | None:
        """What rules find in the values, each by itself."""
        types = Counter(filter(None, map(type_of, self.some)))
        for type, count in types.most_common(1):
            if count >= MOST * len(self.some) and type != "AGE":
                return Contents(
                    "value", type, f"rules find {type} in its values", is_id=self.is_unique
                )
        return None

    @cached_property
    def is_notes(self) -> bool:
        """Whether the values are free text."""
        if not self.some:
            return False
        words = sorted(len(value.split()) for value in self.some)
        usual, mean = words[len(words) // 2], sum(words) / len(words)
        named = _NOTES.intersection(name_words(self.column.within or self.column.key))
        return usual >= 8 or mean >= 12 or (bool(named) and mean >= 3)

    @cached_property
    def is_date(self) -> bool:
        """Whether the values are dates."""
        return is_date(self.column)

    @cached_property
    def order(self) -> Order | None:
        """The day first, where dates of numbers can be read in no other way."""
        month_first, day_first = order_votes(self.values)
        return "dmy" if day_first > month_first else None

    @cached_property
    def is_unique(self) -> bool:
        """Whether nearly each row has a value of its own."""
        enough = len(self.values) >= FEWEST and len(self.values) >= NEARLY_ALL * self.rows
        return enough and len(set(self.values)) >= 0.99 * len(self.values)

    @cached_property
    def has_codes(self) -> bool:
        """Whether the values are codes or long numbers, nearly all different."""
        if len(self.values) < FEWEST or len(set(self.values)) < NEARLY_ALL * len(self.values):
            return False
        if self._share(_is_code) >= NEARLY_ALL:
            return True
        lengths = Counter(map(len, self.some))
        usual = max(lengths.values()) >= NEARLY_ALL * len(self.some)
        return usual and self._share(lambda value: _LONG_NUMBER.fullmatch(value) is not None) == 1

    @cached_property
    def is_category(self) -> bool:
        """Whether a few values come again and again."""
        kinds = len(set(self.values))
        return kinds <= FEW_KINDS and 4 * kinds <= len(self.values)

    @cached_property
    def has_figures(self) -> bool:
        """Whether most values have a digit."""
        return self._share(lambda value: any(map(str.isdigit, value))) >= MOST

    @cached_property
    def has_letters(self) -> bool:
        """Whether most values have letters."""
        return self._share(lambda value: sum(map(str.isalpha, value)) >= 2) >= MOST

    @cached_property
    def names(self) -> float:
        """The share of values that are names of people."""
        return self._share(_is_name)

    @cached_property
    def wards(self) -> float:
        """The share of values that are names of wards, units or clinics, not of departments that
        every hospital has.
        """
        return self._share(_is_ward)

    @cached_property
    def own_words(self) -> float:
        """The share of values that are written as names are, and are no departments."""
        return self._share(
            lambda value: bool(_WRITTEN_AS_NAME.fullmatch(value)) and not _is_department(value)
        )

    @cached_property
    def capitalised(self) -> float:
        """The share of values that are written as names are."""
        return self._share(lambda value: _WRITTEN_AS_NAME.fullmatch(value) is not None)

    @cached_property
    def states(self) -> float:
        """The share of values that are states or provinces."""
        return self._share(lambda value: value.lower() in _REGIONS)

    @cached_property
    def ages(self) -> float:
        """The share of values that may be ages."""
        return self._share(lambda value: _AGE.fullmatch(value) is not None)

    @cached_property
    def years(self) -> float:
        """The share of values that may be years."""
        return self._share(lambda value: _YEAR.fullmatch(value) is not None)

    def share(self, character: str) -> float:
        """The share of values that have a character."""
        return self._share(lambda value: character in value)

    def _share(self, holds: Callable[[str], bool]) -> float:
        return sum(map(holds, self.some)) / len(self.some) if self.some else 0.0


_REGIONS = {word.lower() for word in (*STATES, *PROVINCES, *STATE_CODES)}
_TOWNS = {word.lower() for word in (*CITIES, *COUNTRIES)}
_WRITTEN_AS_NAME = re.compile(
    r"[^\W\d_](?:[^\W\d_]|['’.-])*(?:,? [^\W\d_](?:[^\W\d_]|['’.-])*){0,4}"
)
_CODE = re.compile(r"(?:[A-Z]{1,6}|[a-z]{1,4}|\d+)(?:[ /.#_-]?(?:[A-Z]{1,6}|[a-z]{1,4}|\d+))*")
_NO_CODE = re.compile(
    r"[A-Z]\d[\dA-Z](?:\.[\dA-Z]{1,4})?|\d[\d ./-]{0,6}|\d+\.\d+|\d{1,4}(?:\.\d+)? ?[A-Za-z]{1,5}(?:/\w+)?"
)
"""Codes of diagnoses, and measurements: 120/80, 3.25, 50 mg."""
_LONG_NUMBER = re.compile(r"\d{6,}")
_AGE = re.compile(
    r"(?:1[01]\d|\d{1,2})(?:\.\d+)?\+?(?: ?(?:y|yrs?|years?|mo|months?|[wmd]))?", re.I
)
_YEAR = re.compile(r"(?:18|19|20)\d\d")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_URL = re.compile(r"(?:https?://|www\.)\S+")
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_PHONE = re.compile(r"\+?1?[ .-]?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?: ?x\d+)?|\+\d{1,3}[ \d]{7,14}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)
_NHS = re.compile(r"\d{3} ?\d{3} ?\d{4}")
_POSTCODE = re.compile(r"[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|\d{5}-\d{4}", re.I)

_FORMS: Sequence[tuple[str, str, Callable[[str], bool]]] = (
    ("EMAIL", "its values are e-mail addresses", lambda v: _EMAIL.fullmatch(v) is not None),
    ("URL", "its values are web addresses", lambda v: _URL.fullmatch(v) is not None),
    ("IPADDR", "its values are IP addresses", lambda v: _IP.fullmatch(v) is not None),
    ("SSN", "its values look like social security numbers", lambda v: _SSN.fullmatch(v) is not None),
    ("MEDICALRECORD", "its values have the check digit of NHS numbers",
     lambda v: _NHS.fullmatch(v) is not None and is_nhs(v.replace(" ", ""))),
    ("LICENSE", "its values have the check digit of NPIs",
     lambda v: len(v) == 10 and v.isdigit() and is_npi(v)),
    ("ACCOUNT", "its values have the check digits of IBANs", lambda v: is_iban(v)),
    ("ACCOUNT", "its values have the check digit of payment cards", lambda v: is_card(v)),
    ("VEHICLE", "its values have the check digit of VINs", lambda v: len(v) == 17 and is_vin(v.lower())),
    ("PHONE", "its values look like phone numbers", lambda v: _PHONE.fullmatch(v) is not None),
    ("IDNUM", "its values are UUIDs", lambda v: _UUID.fullmatch(v) is not None),
    ("ZIP", "its values look like postal codes", lambda v: _POSTCODE.fullmatch(v) is not None),
)  # fmt: skip


def _is_name(value: str) -> bool:
    """Whether a value is one to five words as names are written, one of which the bank knows and
    none of which is a plain word.
    """
    if not _WRITTEN_AS_NAME.fullmatch(value) or value.lower() in _TOWNS:
        return False
    words = [fold_name(word.strip(".,")) for word in value.split()]
    long = [word for word in words if len(word) > 1]
    bank = name_bank("en_US")
    known = sum(bank.find(word) is not None for word in long)
    return bool(long) and 2 * known >= len(long) and not all(map(is_ordinary, long))


_WARD = re.compile(
    r"\b(?:ward|unit|clinic|hospital|infirmary|hospice|pavilion|wing|cent(?:er|re)|department|dept)\b",
    re.I,
)
_NAMING = re.compile(r"[A-Z][^\W\d_]{2,}")


def _is_ward(value: str) -> bool:
    if len(value.split()) > 6 or not _WARD.search(value) or _is_department(value):
        return False
    return _NAMING.search(_WARD.sub("", value)) is not None


def _is_department(value: str) -> bool:
    return DEPARTMENT.fullmatch(value) is not None


def _is_code(value: str) -> bool:
    """Whether a value has letters or signs and three figures or more, as numbers that are given do."""
    if value.isdigit() or sum(map(str.isdigit, value)) < 3:
        return False
    return bool(_CODE.fullmatch(value)) and not _NO_CODE.fullmatch(value)
