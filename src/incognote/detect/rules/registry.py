"""All rule families, one per file: each finds one kind of identifier by form and context."""

from __future__ import annotations

from incognote.detect.rules import (
    accounts,
    ages,
    dates,
    devices,
    email,
    facilities,
    ip,
    licences,
    names,
    numbers,
    phones,
    places,
    postcodes,
    professions,
    records,
    ssn,
    streets,
    url,
    usernames,
    vehicles,
)
from incognote.detect.rules.family import Family

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
