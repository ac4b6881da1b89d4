"""Odd notes through detection and every way to replace: nothing raises, and only spans change."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from fuzz.faults import FaultError, Findings
from fuzz.mutations import mutated_text

from incognote import Deidentifier, Document
from incognote.phi import TYPES
from incognote.pipeline import Result
from incognote.replace import Operators, parse_operators, rewrite
from incognote.replace.surrogate.settings import SurrogateSettings

CORPUS = Path(__file__).parents[2] / "corpus"
KEY = b"a key for odd notes, not a secret"
MODEL_EVERY = 40
"""One note in so many is read by the model too."""
TOGETHER_EVERY = 400
"""After so many notes, some are read again together, in another order."""


@cache
def seeds() -> tuple[str, ...]:
    """The notes of the corpus and its hard cases, without marks."""
    from incognote.formats import read
    from incognote.formats.inline import read_marked_jsonl

    notes = [note.text for part in "AB" for note in read(CORPUS / part, "inline")]
    cases = [case.text for case in read_marked_jsonl(CORPUS / "traps" / "positive.jsonl")]
    return (*notes, *(["\n".join(cases[at : at + 8]) for at in range(0, len(cases), 8)]))


@cache
def policies() -> dict[str, Operators]:
    """Every way to replace."""
    words = (
        "tag",
        "redact",
        "mask",
        "hash",
        "surrogate",
        "keep",
        "year",
        "month",
        "generalise",
        "shift",
        "tag,DATE=surrogate,ID=hash",
    )
    made = {word: parse_operators(word, key=KEY) for word in words}
    made["tag, numbered"] = parse_operators("tag", number=True)
    settings = SurrogateSettings(consistent="corpus")
    made["surrogate, by corpus"] = parse_operators("surrogate", key=KEY, surrogates=settings)
    return made


@cache
def rules() -> Deidentifier:
    """By rules alone."""
    return Deidentifier(detector="rules")


@cache
def model() -> Deidentifier:
    """By rules and the smallest model."""
    return Deidentifier(speed="fast")


def fuzz_notes(
    count: int, seed: int, findings: Findings, advance: Callable[[], object] = lambda: None
) -> None:
    """Try so many notes."""
    rng = random.Random(seed)
    recent: list[tuple[str, list[tuple[int, int, str]]]] = []
    for number in range(count):
        text = mutated_text(rng, seeds(), 300)
        by_model = number % MODEL_EVERY == 0
        name = rng.choice(sorted(policies()))
        try:
            result = (model() if by_model else rules())(Document("n", text, patient="p"))
            check_findings(text, result)
            check_replaced(result, name, policies()[name])
            recent.append((text, places(rules()(text) if by_model else result)))
        except Exception as error:
            findings.add(f"note {number} of seed {seed}, {name}", error, text.encode())
        if len(recent) == TOGETHER_EVERY:
            check_together(rng, recent, findings)
            recent.clear()
        findings.counts["notes"] += 1
        advance()


def places(result: Result) -> list[tuple[int, int, str]]:
    """What was found, without the text."""
    return [(span.start, span.end, span.type) for span in result.spans]


def check_findings(text: str, result: Result) -> None:
    """All of the note was seen; what was found lies in it, in order, apart, and says something."""
    if result.seen != len(text):
        raise FaultError(f"{result.seen} of {len(text)} characters seen")
    last = 0
    for span in result.spans:
        if span.start < last or span.end > len(text) or text[span.start : span.end] != span.text:
            raise FaultError("spans overlap, are out of order or out of place")
        if span.type not in TYPES or not span.text.strip():
            raise FaultError("a span of no type or of white space")
        last = span.end


def check_replaced(result: Result, name: str, operators: Operators) -> None:
    """Text outside the spans stays; what was replaced is gone, unless the audit counts it."""
    found = result.found
    rewritten = rewrite(found, operators)
    output = rewritten.document
    if len(output.spans) != len(found.spans):
        raise FaultError("a span was lost")
    read = written = 0
    same = 0
    for old, new in zip(found.spans, output.spans, strict=True):
        if found.text[read : old.start] != output.text[written : new.start]:
            raise FaultError("text outside the spans changed")
        same += old.text == new.text
        read, written = old.end, new.end
    if found.text[read:] != output.text[written:]:
        raise FaultError("the text after the last span changed")
    if name in ("tag", "hash", "tag, numbered") and same > rewritten.remarks.total():
        raise FaultError(f"{same} identifiers are as they were")


def check_together(
    rng: random.Random, recent: Sequence[tuple[str, list[tuple[int, int, str]]]], findings: Findings
) -> None:
    """The same findings in company and another order."""
    some = rng.sample(range(len(recent)), len(recent))
    results = rules().pipe([recent[at][0] for at in some])
    for at, result in zip(some, results, strict=True):
        if places(result) != recent[at][1]:
            findings.add("in company", FaultError("other findings"), recent[at][0].encode())
