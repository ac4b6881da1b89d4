"""The words that a pattern may begin with are read out of it."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module

import pytest

import incognote.detect.rules
from incognote.detect.first_words import first_words
from incognote.detect.pattern import WordPattern


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("attending(?: physician| of record)?", "attending"),
        ("an(?:a)?esthetist|surgeons?", "anesthetist anaesthetist surgeon surgeons"),
        ("n[ée]e|M[Rr]s?", "nee née mr mrs"),
        (r"(?<![\w-])(?P<who>pt|patient)(?:['’]s)?[ _]{0,1}name", "pt patient ptname patientname"),
        (r"d/w|a\.k\.a\.|rav4", "d a rav"),
        (r"vin\b[A-Z]{4,17}|dl(?![A-Za-z])\w+", "vin dl"),
        (r"(?i:SSN)[\s:#]{0,3}\d{4}", "ssn"),
        (r"post(?:al)?[ ]?code", "post postal postcode postalcode"),
    ],
)
def test_words(source: str, words: str) -> None:
    assert first_words(source) == frozenset(words.split())


@pytest.mark.parametrize(
    "source", [r"\w+ street", "[A-Z][a-z]+", "", "(?:a|)", r"\d+", "ba+d", "a."]
)
def test_what_may_begin_with_anything_is_an_error(source: str) -> None:
    with pytest.raises(ValueError, match="anything"):
        first_words(source)


def _patterns() -> list[tuple[str, WordPattern]]:
    found = []
    for module in pkgutil.walk_packages(incognote.detect.rules.__path__, "incognote.detect.rules."):
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, WordPattern):
                found.append((f"{module.name}.{name}", value))
    return found


PATTERNS = _patterns()


@pytest.mark.parametrize("pattern", [p for _, p in PATTERNS], ids=[name for name, _ in PATTERNS])
def test_every_pattern_has_words_and_compiles(pattern: WordPattern) -> None:
    assert pattern.words
    assert all(re.fullmatch(r"[^\W\d_]+", word) and word == word.lower() for word in pattern.words)
    assert pattern.compiled
