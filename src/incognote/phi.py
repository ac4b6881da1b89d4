"""The PHI types of i2b2/UTHealth 2014: the one place that names them.

Categories, the HIPAA subset, label sets for training, and views from other schemes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from incognote.document import Document, Span

CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "NAME": ("PATIENT", "DOCTOR", "USERNAME"),
    "PROFESSION": ("PROFESSION",),
    "LOCATION": (
        "HOSPITAL",
        "ORGANIZATION",
        "STREET",
        "CITY",
        "STATE",
        "COUNTRY",
        "ZIP",
        "LOCATION-OTHER",
    ),
    "AGE": ("AGE",),
    "DATE": ("DATE",),
    "CONTACT": ("PHONE", "FAX", "EMAIL", "URL", "IPADDR"),
    "ID": (
        "SSN",
        "MEDICALRECORD",
        "HEALTHPLAN",
        "ACCOUNT",
        "LICENSE",
        "VEHICLE",
        "DEVICE",
        "BIOID",
        "IDNUM",
    ),
}
"""The tag names of the i2b2 XML and the types under each."""

TYPES: tuple[str, ...] = tuple(type for types in CATEGORIES.values() for type in types)

CATEGORY_OF: Mapping[str, str] = {
    type: category for category, types in CATEGORIES.items() for type in types
}


OWN_TYPE = re.compile(r"[A-Z][A-Z0-9-]{1,30}")
"""What a site may call a type of its own."""


@dataclass(frozen=True)
class KnownTypes:
    """All types of a run: ours, and a site's own, which `own` leads to the category of each.

    `operators` are the names of those that replace some of the site's own, unless a user or a
    policy says otherwise.
    """

    own: Mapping[str, str] = field(default_factory=dict)
    operators: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Every type."""
        return (*TYPES, *self.own)

    def category_of(self, type: str) -> str | None:
        """The category of a type, if it is one."""
        return CATEGORY_OF.get(type) or self.own.get(type)

    def as_date_or_age(self, type: str) -> str:
        """DATE or AGE in place of a site's own type of that category; any other type as it is."""
        category = self.own.get(type)
        return category if category in ("DATE", "AGE") else type

    def named(self, name: str) -> tuple[str, ...]:
        """The type of this name, or the types of the category of this name; none if it is neither."""
        if name in CATEGORIES:
            own = (type for type, category in self.own.items() if category == name)
            return (*CATEGORIES[name], *own)
        return (name,) if self.category_of(name) else ()

    def with_tags(self, document: Document) -> Document:
        """The note, in which spans of a site's own types name their category, as the tag of i2b2."""
        if self.own.keys().isdisjoint(span.type for span in document.spans):
            return document
        return document.with_spans(
            replace(span, attributes={**span.attributes, "tag": self.own[span.type]})
            if span.type in self.own
            else span
            for span in document.spans
        )


OURS = KnownTypes()
"""The types where a site has none of its own."""

HIPAA: frozenset[str] = frozenset(
    "PATIENT AGE CITY STREET ZIP ORGANIZATION DATE PHONE FAX EMAIL SSN MEDICALRECORD "
    "HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID".split()
)
"""The subset that the official i2b2 script scores as HIPAA."""

HIPAA_DOCUMENTED: frozenset[str] = HIPAA | {"IDNUM"}
"""The subset that the script's documentation names; its code never matches IDNUM."""

OUTSIDE = "O"


def bio_labels(types: Iterable[str]) -> tuple[str, ...]:
    """O, then B and I of each type, in order."""
    return (OUTSIDE, *(f"{prefix}-{type}" for type in types for prefix in "BI"))


_STUDY_BEGIN = (
    "AGE BIOID CITY COUNTRY DATE DEVICE DOCTOR EMAIL FAX HEALTHPLAN HOSPITAL IDNUM LOCATION-OTHER "
    "MEDICALRECORD ORGANIZATION PATIENT PHONE PROFESSION STATE URL USERNAME ZIP"
).split()
_STUDY_INSIDE = (
    "AGE CITY COUNTRY DATE DOCTOR FAX HEALTHPLAN HOSPITAL IDNUM LOCATION-OTHER MEDICALRECORD "
    "ORGANIZATION PATIENT PHONE PROFESSION STATE STREET URL"
).split()

LABEL_SETS: Mapping[str, tuple[str, ...]] = {
    "full": bio_labels(TYPES),
    "study41": (
        OUTSIDE,
        *(f"B-{type}" for type in _STUDY_BEGIN),
        *(f"I-{type}" for type in _STUDY_INSIDE),
    ),
}
"""`full` has every type; `study41` is appendix A of the 2022 study (Meaney and others), O first.

Its 23 types are those that occur in the 2014 corpus. BIOID, DEVICE, EMAIL, USERNAME and ZIP have no
I there, and STREET has no B: two such spans that touch cannot be told from one.
"""


@dataclass(frozen=True)
class View:
    """A mapping from another scheme's labels to ours. What it does not name, it drops.

    `others` are labels of that scheme for which we have no type.
    """

    name: str
    types: Mapping[str, str]
    others: frozenset[str] = frozenset()

    @property
    def labels(self) -> frozenset[str]:
        """All labels of the scheme."""
        return self.others | self.types.keys()

    def apply(self, document: Document) -> tuple[Document, Counter[str]]:
        """Rename the spans' types; returns the document and how many of each label were dropped."""
        spans: list[Span] = []
        dropped: Counter[str] = Counter()
        for span in document.spans:
            target = self.types.get(span.type)
            if target is None:
                dropped[span.type] += 1
            else:
                spans.append(replace(span, type=target))
        return document.with_spans(spans), dropped


VIEWS: Mapping[str, View] = {
    view.name: view
    for view in (
        View(
            "i2b2-2006",
            {
                "PATIENT": "PATIENT",
                "DOCTOR": "DOCTOR",
                "HOSPITAL": "HOSPITAL",
                "LOCATION": "LOCATION-OTHER",
                "AGE": "AGE",
                "DATE": "DATE",
                "PHONE": "PHONE",
                "ID": "IDNUM",
            },
        ),
        View(
            "physionet",
            {
                "PTName": "PATIENT",
                "PTNameInitial": "PATIENT",
                "RelativeProxyName": "PATIENT",
                "HCPName": "DOCTOR",
                "Location": "LOCATION-OTHER",
                "Age": "AGE",
                "Date": "DATE",
                "DateYear": "DATE",
                "Phone": "PHONE",
                "Other": "IDNUM",
            },
            frozenset(("PHI",)),
        ),
        View(
            "meddocan",
            {
                "NOMBRE_SUJETO_ASISTENCIA": "PATIENT",
                "NOMBRE_PERSONAL_SANITARIO": "DOCTOR",
                "EDAD_SUJETO_ASISTENCIA": "AGE",
                "FECHAS": "DATE",
                "PROFESION": "PROFESSION",
                "HOSPITAL": "HOSPITAL",
                "CENTRO_SALUD": "HOSPITAL",
                "INSTITUCION": "ORGANIZATION",
                "CALLE": "STREET",
                "TERRITORIO": "CITY",
                "PAIS": "COUNTRY",
                "NUMERO_TELEFONO": "PHONE",
                "NUMERO_FAX": "FAX",
                "CORREO_ELECTRONICO": "EMAIL",
                "URL_WEB": "URL",
                "DIREC_PROT_INTERNET": "IPADDR",
                "ID_SUJETO_ASISTENCIA": "MEDICALRECORD",
                "ID_ASEGURAMIENTO": "HEALTHPLAN",
                "NUMERO_BENEF_PLAN_SALUD": "HEALTHPLAN",
                "ID_TITULACION_PERSONAL_SANITARIO": "LICENSE",
                "ID_EMPLEO_PERSONAL_SANITARIO": "IDNUM",
                "ID_CONTACTO_ASISTENCIAL": "IDNUM",
                "IDENTIF_VEHICULOS_NRSERIE_PLACAS": "VEHICLE",
                "IDENTIF_DISPOSITIVOS_NRSERIE": "DEVICE",
                "IDENTIF_BIOMETRICOS": "BIOID",
                "OTRO_NUMERO_IDENTIF": "IDNUM",
            },
            frozenset(
                "SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA".split()
            ),
        ),
        View(
            "presidio",
            {
                "PERSON": "PATIENT",
                "AGE": "AGE",
                "DATE_TIME": "DATE",
                "DATE": "DATE",
                "GPE": "CITY",
                "CITY": "CITY",
                "STATE": "STATE",
                "COUNTRY": "COUNTRY",
                "LOCATION": "LOCATION-OTHER",
                "STREET_ADDRESS": "STREET",
                "ADDRESS": "STREET",
                "ZIP_CODE": "ZIP",
                "ORGANIZATION": "ORGANIZATION",
                "HOSPITAL": "HOSPITAL",
                "PHONE_NUMBER": "PHONE",
                "EMAIL_ADDRESS": "EMAIL",
                "URL": "URL",
                "DOMAIN_NAME": "URL",
                "IP_ADDRESS": "IPADDR",
                "US_SSN": "SSN",
                "US_ITIN": "SSN",
                "UK_NINO": "SSN",
                "UK_NHS": "MEDICALRECORD",
                "US_DRIVER_LICENSE": "LICENSE",
                "MEDICAL_LICENSE": "LICENSE",
                "US_BANK_NUMBER": "ACCOUNT",
                "IBAN_CODE": "ACCOUNT",
                "CREDIT_CARD": "ACCOUNT",
                "US_PASSPORT": "IDNUM",
                "ID": "IDNUM",
            },
            frozenset(("TITLE", "NRP", "NATIONALITY", "CRYPTO")),
        ),
    )
}
"""Explicit views by name. MEDDOCAN's sex, kin and `OTROS` labels, and Presidio's titles,
nationalities and wallets have no i2b2 type and are dropped, with a count. So is the nursing notes'
PHI, the type of spans whose file of locations names none. A scheme with one type for all places or
all numbers leads to LOCATION-OTHER or IDNUM."""
