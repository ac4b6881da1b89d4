"""Does work grow with the note, or faster? Doubles each dimension and prints the ratios.

    python benchmarks/growth.py                      # everything, some minutes
    python benchmarks/growth.py --part propagate --doublings 5
    python benchmarks/growth.py --text phones,names --start 4000

A part (a rule family, propagation, known values, a format, a figure) works on a text that grows in one
dimension: characters, identifiers of one kind, persons, lines, columns. Each size runs in a process of
its own, so that time and peak memory are its own; what takes longer than `--limit` is given up. Twice
the size may take about twice the time: rows whose last doubling takes more than `--worst` are marked.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from incognote import Deidentifier, Document
from incognote.detect.decisions import assign_types, counting, trimmed
from incognote.detect.detector import Detection
from incognote.detect.finder import Finder, join
from incognote.detect.known import KnownValues, as_known
from incognote.detect.merge import merge
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import propagate
from incognote.detect.rules import FAMILIES
from incognote.detect.thresholds import Thresholds, redacted_words
from incognote.detect.uncertain import UncertainWord
from incognote.detect.vetoes import VETOES, VETOES_OF
from incognote.document import Span
from incognote.formats import read
from incognote.onnx.model_folder import Hybrid
from incognote.phi import TYPES

CORPUS = Path(__file__).parent.parent / "corpus"
Work = Callable[[], object]
Text = Callable[[int], str]
Part = Callable[[str], Work]

SYLLABLES = (
    "ba de fi go ku la me ni po ra se ti vo wen zor cha dri gral ston ley mar tin ver nak".split()
)


def name_of(number: int) -> str:
    """A made-up name, another for each number."""
    word = ""
    number += len(SYLLABLES)
    while number:
        number, place = divmod(number, len(SYLLABLES))
        word += SYLLABLES[place]
    return word.capitalize()


def _repeated(one: Callable[[int], str], between: str = "\n") -> Text:
    """So many items as fill so many characters."""

    def text(size: int) -> str:
        items, length, number = [], 0, 0
        while length < size:
            items.append(one(number))
            length += len(items[-1]) + len(between)
            number += 1
        return between.join(items)[:size]

    return text


def _fresh_notes(size: int) -> str:
    """The project's notes, every identifier in them another one each time."""
    notes = [document for part in "ABG" for document in read(CORPUS / part, "inline")]
    chance = random.Random(0)
    pieces: list[str] = []
    length = 0
    while length < size:
        for note in notes:
            last = 0
            for span in note.spans:
                if span.start >= last:
                    pieces += [note.text[last : span.start], _like(span.text, chance)]
                    last = span.end
            pieces += [note.text[last:], "\n\n"]
            length += len(note.text)
            if length >= size:
                break
    return "".join(pieces)[:size]


def _like(text: str, chance: random.Random) -> str:
    """Other letters and digits of the same kind."""

    def other(found: re.Match[str]) -> str:
        if found[0].isdigit():
            return "".join(chance.choice("0123456789") for _ in found[0])
        word = "".join(chance.choice(SYLLABLES) for _ in range(len(found[0]) // 3 + 1))
        return (
            word.upper()
            if found[0].isupper()
            else word.capitalize()
            if found[0][0].isupper()
            else word
        )

    return re.sub(r"\d+|[^\W\d_]{3,}", other, text)


TEXTS: Mapping[str, Text] = {
    "notes": _fresh_notes,
    "phones of one area": _repeated(
        lambda n: f"Phone: 914-{n // 10_000 + 200:03d}-{n % 10_000:04d}"
    ),
    "phones with one end": _repeated(lambda n: f"Tel {n % 800 + 200}-{n // 800 + 200:03d}-1234"),
    "records": _repeated(lambda n: f"MRN: {n + 1_000_000}"),
    "records of one prefix": _repeated(lambda n: f"MRN: MR-{n + 100_000}-A"),
    "spaced numbers": _repeated(lambda n: f"Account number: 40 17 {n // 100 + 1000} {n % 100:02d}"),
    "e-mails of one name": _repeated(lambda n: f"info@{name_of(n).lower()}.example.org"),
    "e-mails of one host": _repeated(lambda n: f"{name_of(n).lower()}@clinic.example.org"),
    "urls": _repeated(lambda n: f"https://www.clinic.example.org/{n}"),
    "ips": _repeated(lambda n: f"10.{n // 65536 % 256}.{n // 256 % 256}.{n % 256}"),
    "ssn": _repeated(lambda n: f"SSN {n % 700 + 100}-{n // 700 % 90 + 10}-{n % 9000 + 1000}"),
    "doctors": _repeated(lambda n: f"Seen by Dr. {name_of(n)} today."),
    "doctors in one line": _repeated(lambda n: f"Dr. {name_of(n)} {name_of(n // 7)}", ", "),
    "patients": _repeated(lambda n: f"Patient: {name_of(n)} {name_of(n * 31 % 9973)}"),
    "one surname": _repeated(lambda n: f"Mr. {name_of(n)} Okafor"),
    "listed names": _repeated(lambda n: f"{name_of(n)}, {name_of(n + 7)}"),
    "relations": _repeated(lambda n: f"His wife {name_of(n)} and son {name_of(n + 1)} came."),
    "initials": _repeated(lambda n: "A. B. C.", " "),
    "signatures": _repeated(lambda n: f"Signed: {name_of(n)} {name_of(n + 3)}, MD"),
    "hospitals": _repeated(lambda n: f"{name_of(n)} General Hospital"),
    "hospitals of one name": _repeated(lambda n: f"Saint {name_of(n)} Medical Center"),
    "organizations": _repeated(lambda n: f"works at Harlan {name_of(n)} Inc."),
    "streets": _repeated(lambda n: f"{n % 9000 + 1} {name_of(n)} Street, Apt {n % 90}"),
    "towns": _repeated(lambda n: f"lives in {name_of(n)}, PA {n % 90_000 + 10_000}"),
    "postcodes": _repeated(lambda n: f"Philadelphia, PA {n % 90_000 + 10_000}-{n % 10_000:04d}"),
    "dates": _repeated(lambda n: f"{n % 12 + 1}/{n % 28 + 1}/{n % 120 + 1900}"),
    "dates in words": _repeated(lambda n: f"March {n % 28 + 1}, {n % 120 + 1900}"),
    "dates in one line": _repeated(lambda n: f"{n % 12 + 1}/{n % 28 + 1}/{n % 90 + 10}", " "),
    "weekdays": _repeated(lambda n: "Mon Wed Fri", "/"),
    "years": _repeated(lambda n: f"in {n % 120 + 1900},", " "),
    "ages": _repeated(lambda n: f"{n % 80 + 10}-year-old man, aged {n % 80 + 10}"),
    "professions": _repeated(lambda n: "works as a plumber"),
    "usernames": _repeated(lambda n: f"Entered by: {name_of(n).lower()}{n % 90}"),
    "plates": _repeated(
        lambda n: f"plate ABC {n % 9000 + 1000}, VIN 1HGCM82633A{n % 900_000 + 100_000}"
    ),
    "devices": _repeated(lambda n: f"pacemaker serial number PJN{n + 100_000}H"),
    "licences": _repeated(lambda n: f"DEA: AB{n % 9_000_000 + 1_000_000}, license MD{n + 10_000}"),
    "accents": _repeated(lambda n: f"Señora {name_of(n)}é Müller"),
    "apostrophes": _repeated(lambda n: f"O'{name_of(n)}'s"),
    "eponyms": _repeated(lambda n: "Foley catheter, Norwood, then Glenn, then Fontan"),
    "eponyms in one line": _repeated(lambda n: "Wells then", " "),
    "measures": _repeated(lambda n: f"BP {n % 90 + 100}/{n % 60 + 40}, {n % 900} mg"),
    "lines": _repeated(lambda n: "a"),
    "empty lines": _repeated(lambda n: ""),
    "blanks": _repeated(lambda n: " ", ""),
    "one word": _repeated(lambda n: "a", ""),
    "one word in capitals": _repeated(lambda n: "A", ""),
    "camel case": _repeated(lambda n: "aB", ""),
    "glued capitals": _repeated(lambda n: "aaaaaaaaaaB", ""),
    "apostrophes in one word": _repeated(lambda n: "a'", ""),
    "one number": _repeated(lambda n: "1", ""),
    "hyphens": _repeated(lambda n: "Ab-", ""),
    "distinct words": _repeated(lambda n: name_of(n).lower(), " "),
    "capitalised words": _repeated(name_of, " "),
    "words in capitals": _repeated(lambda n: name_of(n).upper(), " "),
    "tabs": _repeated(lambda n: name_of(n), "\t"),
    "columns": _repeated(lambda n: f"{name_of(n)} | {n} ", "| "),
    "sentences in one line": _repeated(lambda n: f"The {name_of(n)} test was {n}.", " "),
    "colons": _repeated(lambda n: f"{name_of(n)}: {n}", "; "),
    "numbers": _repeated(lambda n: str(n), " "),
    "codes": _repeated(lambda n: f"K{n}", " "),
}
"""What a note may be full of."""


def _rules(text: str) -> list[Span]:
    return list(Finder().detect(Document("", text)).spans)


def _all_families(text: str) -> list[Span]:
    note = NoteIndex(text)
    return [span for family in FAMILIES for span in family.find(note)]


def _family(name: str) -> Part:
    family = next(family for family in FAMILIES if family.name == name)
    return lambda text: lambda: list(family.find(NoteIndex(text)))


def _propagation(text: str) -> Work:
    spans = merge(text, _all_families(text))
    return lambda: propagate(NoteIndex(text), spans)


def _merging(text: str) -> Work:
    spans = _all_families(text)
    chain = [Span.of(text, at, min(at + 12, len(text)), "DATE") for at in range(0, len(text), 5)]
    return lambda: (merge(text, spans), merge(text, chain))


def _vetoes(text: str) -> Work:
    vetoes = dict.fromkeys(veto for group in (VETOES, *VETOES_OF.values()) for veto in group)

    def work() -> object:
        note = NoteIndex(text)
        return [list(veto(note)) for veto in vetoes]

    return work


def model_like(text: str) -> Detection:
    """What a model might say: every third word, and doubts about every fifth."""
    words = [found.span() for found in re.finditer(r"\S+", text)]
    types = list(TYPES)
    spans = [
        Span.of(text, start, end, types[place % len(types)], score=0.7, source="model")
        for place, (start, end) in enumerate(words[::3])
    ]
    suspects = [
        UncertainWord(start, end, 0.2, ((types[place % len(types)], 0.2),))
        for place, (start, end) in enumerate(words[1::5])
    ]
    return Detection(tuple(spans), len(text), tuple(suspects))


def _joining(text: str) -> Work:
    rules, model = _rules(text), model_like(text)

    def work() -> object:
        found = join(NoteIndex(text), rules, model)
        return merge(text, [*found.spans, *redacted_words(text, found, Thresholds(0.1))])

    return work


def _deciding(text: str) -> Work:
    rules, model = _rules(text), model_like(text)
    hybrid = Hybrid(decisions=dict.fromkeys(TYPES, "both agree"))
    return lambda: (
        assign_types(*counting(rules, model.spans, hybrid), hybrid),
        list(trimmed(model.spans)),
        as_known(text, rules, model.spans),
    )


def _known_of(text: str) -> Work:
    """Everything that the rules find is in the table too."""
    known = tuple(dict.fromkeys((span.type, span.text) for span in _all_families(text)))
    return lambda: KnownValues(known).find(NoteIndex(text))


def _one_known(type: str) -> Part:
    """The whole note is one value."""
    return lambda text: lambda: KnownValues(((type, text),)).find(NoteIndex(text + "\n" + text))


def _replaced(text: str) -> Work:
    deidentify = Deidentifier(detector="rules")
    return lambda: deidentify(text)


PARTS: Mapping[str, Part] = {
    "rules": lambda text: lambda: _rules(text),
    "families": lambda text: lambda: _all_families(text),
    **{f"family {family.name}": _family(family.name) for family in FAMILIES},
    "propagate": _propagation,
    "merge": _merging,
    "vetoes": _vetoes,
    "join": _joining,
    "decide": _deciding,
    "known": _known_of,
    **{
        f"known {type}": _one_known(type)
        for type in ("PATIENT", "DATE", "STREET", "PHONE", "EMAIL", "AGE", "IDNUM")
    },
    "deid": _replaced,
}


def measured(work: Work, limit: float) -> tuple[float, float] | None:
    """CPU seconds and megabytes that the work takes in a process of its own; None: too long."""
    ear, mouth = os.pipe()
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_PROF, limit)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.process_time()
        work()
        seconds = time.process_time() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(mouth, json.dumps([seconds, peak / 1024]).encode())
        os._exit(0)
    os.close(mouth)
    with os.fdopen(ear) as heard:
        answer = heard.read()
    os.waitpid(child, 0)
    return tuple(json.loads(answer)) if answer else None


def row(
    part: Part, text: Text, start: int, doublings: int, limit: float
) -> Iterator[tuple[float, float] | None]:
    """What each size takes; ends after one that took too long."""
    part(text(2_000))()  # patterns are compiled when first needed
    for step in range(doublings + 1):
        found = measured(part(text(start * 2**step)), limit)
        yield found
        if found is None:
            return


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each part and text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", default="families,propagate,merge,vetoes,join,decide,known,deid")
    parser.add_argument("--text", default=",".join(TEXTS))
    parser.add_argument("--start", type=int, default=50_000, help="characters of the smallest text")
    parser.add_argument("--doublings", type=int, default=2)
    parser.add_argument("--limit", type=float, default=30, help="CPU seconds for one size")
    parser.add_argument("--worst", type=float, default=2.7, help="a ratio above is marked")
    parser.add_argument("--trivial", type=float, default=0.05, help="seconds that tell nothing")
    given = parser.parse_args(arguments)
    too_fast = 0
    for part_name in given.part.split(","):
        for text_name in given.text.split(","):
            sizes = list(
                row(PARTS[part_name], TEXTS[text_name], given.start, given.doublings, given.limit)
            )
            times = [f"{found[0]:8.2f}" if found else "too long" for found in sizes]
            whole = [found for found in sizes if found]
            ratio = whole[-1][0] / max(whole[-2][0], 1e-4) if len(whole) > 1 else 0.0
            memory = (whole[-1][1] + 1) / (whole[-2][1] + 1) if len(whole) > 1 else 0.0
            fast = None in sizes or (ratio > given.worst and whole[-1][0] > given.trivial)
            too_fast += fast
            print(
                f"{part_name:18} {text_name:24} s {' '.join(times)}  ×{ratio:5.2f}  MB {whole[-1][1] if whole else 0:7.0f} ×{memory:5.2f} {'<<<' if fast else ''}",
                flush=True,
            )
    return 1 if too_fast else 0


if __name__ == "__main__":
    sys.exit(main())
