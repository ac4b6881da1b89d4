"""All rule families: each finds one kind of identifier by form and context."""

from __future__ import annotations

from incognote.detect.rules import (
    ages,
    dates,
    facilities,
    names,
    phones,
    places,
    postcodes,
    professions,
    streets,
    usernames,
)
from incognote.detect.rules.family import Family
from incognote.detect.rules.identifiers import (
    accounts,
    devices,
    licences,
    numbers,
    records,
    ssn,
    vehicles,
)
from incognote.detect.rules.internet import email, ip, url

FAMILIES: tuple[Family, ...] = tuple(
    module.FAMILY
    for module in (
        names,
        usernames,
        professions,
        facilities,
        streets,
        places,
        postcodes,
        ages,
        dates,
        phones,
        email,
        url,
        ip,
        ssn,
        records,
        accounts,
        licences,
        vehicles,
        devices,
        numbers,
    )
)
