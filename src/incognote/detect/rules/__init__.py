"""All rule families: each finds one kind of identifier by form and context."""

from __future__ import annotations

from incognote.detect.rules import (
    accounts,
    ages,
    dates,
    devices,
    facilities,
    internet,
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
    usernames,
    vehicles,
)
from incognote.detect.rules.engine import Family

FAMILIES: tuple[Family, ...] = (
    names.FAMILY,
    usernames.FAMILY,
    professions.FAMILY,
    facilities.FAMILY,
    streets.FAMILY,
    places.FAMILY,
    postcodes.FAMILY,
    ages.FAMILY,
    dates.FAMILY,
    phones.FAMILY,
    internet.EMAIL,
    internet.URL,
    internet.IP,
    ssn.FAMILY,
    records.FAMILY,
    accounts.FAMILY,
    licences.FAMILY,
    vehicles.FAMILY,
    devices.FAMILY,
    numbers.FAMILY,
)
