"""Screens every open text and writes what is left of it."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from rich.progress import track

from generator.gazetteer import Gazetteers
from generator.gazetteer_files import load_gazetteers
from generator.prepare.screen import Screen
from generator.prepare.texts import OpenText, open_texts
from incognote.detect.finder import Finder
from incognote.document import Document
from incognote.knowledge.lexicon import ACRONYMS, ALSO_NAMES, BRANDS, EPONYMS, NEVER_NAMES, ORDINARY

_LEAST_WORDS = 25
_COMMON = 40_000
"""A first name borne by so many is doubtful even where many reports have the word."""


def write_prepared(data: Path, output: Path) -> None:
    """Write the screened texts of `data/clinical` as JSONL lines of text, marks and source."""
    texts = list(open_texts(data / "clinical"))
    screen = _screen(texts, load_gazetteers(data / "gazetteers"))
    detector = Finder()
    unfinished = output.with_name(output.name + ".part")
    with unfinished.open("w", encoding="utf-8", newline="\n") as stream:
        for text in track(texts, "texts", disable=not sys.stderr.isatty()):
            spans = detector.detect(Document("", text.text)).spans
            kept, marks = screen.keep(text.text, text.marks, spans)
            if len(kept.split()) >= _LEAST_WORDS:
                item = {"text": kept, "marks": marks, "source": text.source}
                stream.write(json.dumps(item, ensure_ascii=False) + "\n")
    unfinished.replace(output)


def _screen(texts: Iterable[OpenText], lists: Gazetteers) -> Screen:
    small: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for text in texts:
        small.update(re.findall(r"\b[a-z]+\b", text.text))
        capital.update({word.lower() for word in re.findall(r"\b[A-Z][a-z]+\b", text.text)})
    first = {
        name.lower()
        for listing in (lists.female, lists.male)
        for name, count in zip(listing.values, listing.weights, strict=True)
        if count > _COMMON
    }
    names = {
        name.lower()
        for listing in (lists.female, lists.male, lists.surnames, lists.world_last)
        for value in listing.values
        for name in value.split()
    }
    towns = {
        word.lower()
        for listing in (lists.cities, lists.world_cities, lists.countries)
        for value in listing.values
        for word in value.split()
    }
    names |= towns
    known = EPONYMS | ACRONYMS | NEVER_NAMES | ORDINARY | (BRANDS - towns)
    ordinary = {word for word, count in small.items() if count > 2} - first
    ordinary |= {word for word, count in capital.items() if count > 4 and word not in first}
    ordinary |= known | set(lists.drugs.values)
    return Screen(ordinary - (first - EPONYMS - ALSO_NAMES), names)
