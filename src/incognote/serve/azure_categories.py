"""The categories of Azure's de-identification service, and its form of redaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from incognote.document import Document, Span
from incognote.replace.operators import Replacer

CATEGORIES: Mapping[str, str] = {
    "ACCOUNT": "Account",
    "AGE": "Age",
    "BIOID": "BioID",
    "CITY": "City",
    "COUNTRY": "CountryOrRegion",
    "DATE": "Date",
    "DEVICE": "Device",
    "DOCTOR": "Doctor",
    "EMAIL": "Email",
    "FAX": "Fax",
    "HEALTHPLAN": "HealthPlan",
    "HOSPITAL": "Hospital",
    "IDNUM": "IDNum",
    "IPADDR": "IPAddress",
    "LICENSE": "License",
    "LOCATION-OTHER": "LocationOther",
    "MEDICALRECORD": "MedicalRecord",
    "ORGANIZATION": "Organization",
    "PATIENT": "Patient",
    "PHONE": "Phone",
    "PROFESSION": "Profession",
    "SSN": "SocialSecurity",
    "STATE": "State",
    "STREET": "Street",
    "URL": "Url",
    "USERNAME": "Username",
    "VEHICLE": "Vehicle",
    "ZIP": "Zip",
}
"""Of our types, one to one."""
REDACTED = "[{type}]"


@dataclass(frozen=True)
class Redaction:
    """`Dr. Okafor` becomes `Dr. [doctor]`, or what the form says: {type} and {len} stand for both."""

    form: str = REDACTED

    @classmethod
    def of(cls, form: str | None) -> Redaction:
        """With the service's own form if none is given."""
        return cls(form or REDACTED)

    def begin(self, document: Document) -> Replacer:
        """The same words for each span of a category."""

        def redacted(span: Span) -> str:
            category = CATEGORIES.get(span.type, span.type).lower()
            return self.form.replace("{type}", category).replace("{len}", str(len(span.text)))

        return redacted
