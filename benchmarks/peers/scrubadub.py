"""scrubadub: patterns, and spaCy's entities through its add-on.

https://github.com/LeapBeyond/scrubadub
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

from benchmarks.peers.peer import Find, Found, Peer
from benchmarks.peers.spacy_model import SPACY, WHEEL, model_folder

PEERS = (
    Peer(
        "scrubadub",
        "scrubadub",
        "scrubadub",
        "all detectors of en_US, and spaCy's people, organizations, places and dates "
        "(en_core_web_md), titles helping with names; any date of the last 100 years, not only "
        "dates of birth; not its address detector, which wants a C library",
        ("scrubadub==2.0.1", SPACY),
        ("scrubadub-spacy==2.0.0", WHEEL),
        categories={
            "name": "NAME",
            "twitter": "NAME",
            "credential": "NAME",
            "location": "LOCATION",
            "organization": "LOCATION",
            "postalcode": "LOCATION",
            "date_of_birth": "DATE",
            "phone": "CONTACT",
            "email": "CONTACT",
            "url": "CONTACT",
            "skype": "CONTACT",
            "credit_card": "ID",
            "drivers_licence": "ID",
            "vehicle_licence_plate": "ID",
            "social_security_number": "ID",
            "national_insurance_number": "ID",
            "tax_reference_number": "ID",
        },
    ),
)


def load(variant: str) -> Find:
    """Every detector that fits; each finding as the detector made it, before they are merged."""
    import scrubadub  # type: ignore[import-not-found]

    _without_transformers()
    from scrubadub_spacy.detectors.spacy_name_title import (  # type: ignore[import-not-found]
        SpacyNameDetector,
    )

    scrubadub.filth.DateOfBirthFilth.min_age_years = 0
    SpacyNameDetector.check_spacy_model = staticmethod(lambda model: True)
    scrubber = scrubadub.Scrubber(locale="en_US")
    for detector in (
        SpacyNameDetector(
            model=model_folder(), named_entities=["PERSON", "ORG", "GPE", "LOC", "FAC", "DATE"]
        ),
        scrubadub.detectors.DateOfBirthDetector(require_context=False, locale="en_US"),
    ):
        if detector.name not in scrubber._detectors:
            scrubber.add_detector(detector)

    def find(texts: Sequence[str]) -> Iterator[list[Found]]:
        for text in texts:
            yield [found for filth in scrubber.iter_filth(text) for found in _parts(filth)]

    return find


def _without_transformers() -> None:
    """The add-on imports spacy-transformers, and with it torch, for models that are none of ours."""
    for name in ("spacy_transformers", "spacy_transformers.pipeline_component"):
        sys.modules[name] = ModuleType(name)
    component: Any = sys.modules["spacy_transformers.pipeline_component"]
    component.Transformer = object
    package: Any = sys.modules["spacy_transformers"]
    package.pipeline_component = component


def _parts(filth: Any) -> Iterator[Found]:
    for part in getattr(filth, "filths", None) or [filth]:
        yield part.beg, part.end, part.type, 1.0
