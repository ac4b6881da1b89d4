"""What becomes of a model's findings: vetoed, decided, joined with rules, spread, thresholded.

The findings are stored (`model.jsonl.gz`: the shipped model at its three speeds, with how it is
joined), so that neither the CPU's kernels nor a new model change this record. `--model` stores
those of the model that is shipped now.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from golden.lines import Records, finding, line, note_line, number
from golden.notes import cases, corpus, propagation_cases, sets, text_of, traps
from golden.subject import (
    Detection,
    Joining,
    Thresholds,
    UncertainWord,
    by_rules,
    known_places,
    of_both,
    of_decisions,
    of_model,
    propagated,
    shipped_findings,
    shipped_joining,
    without_vetoed,
)

from incognote.document import Document, Span

STORE = Path(__file__).parent / "model.jsonl.gz"
SETS_AT_SPEED: Mapping[str, Sequence[str]] = {
    "careful": ("A", "G"),
    "balanced": ("G",),
    "fast": ("G",),
}
MIXED = ("union", "rules", "model", "both agree")
THRESHOLDS: Mapping[str, Thresholds] = {
    "overall": Thresholds(0.05),
    "by-type": Thresholds(
        by_type={"PATIENT": 0.01, "DOCTOR": 0.02, "DATE": 0.02, "AGE": 0.05, "HOSPITAL": 0.1}
    ),
    "both": Thresholds(0.2, {"PATIENT": 0.005, "PROFESSION": 0.1, "IDNUM": 0.003}),
}
VETOED_TYPES = ("PATIENT", "DOCTOR", "USERNAME", "HOSPITAL", "ORGANIZATION", "DATE", "CITY")
KNOWN_TYPES = ("PATIENT", "DATE", "MEDICALRECORD", "PHONE", "STREET", "CITY", "DOCTOR", "HOSPITAL")
_WORD = re.compile(r"[^\W_]+(?:['’.,/-][^\W_]+)*")


@dataclass(frozen=True)
class _Stored:
    """One speed of the model: how it is joined, and what it found in each note."""

    joining: Joining
    found: Mapping[str, Detection]

    def notes(self) -> Iterator[tuple[Document, Detection]]:
        for note in sets():
            if note.id in self.found:
                yield replace(note, spans=()), self.found[note.id]


def speed_records(speed: str) -> Records:
    """Each step on the findings of one speed."""
    stored = _stored()[speed]
    mixed = _mixed(stored.joining)
    records: dict[str, list[str]] = defaultdict(list)

    def add(record: str, lines: Iterable[str]) -> None:
        records[f"joining-{speed}/{record}"] += lines

    for note, model in stored.notes():
        add("vetoed", _vetoed(note, model))
        add("decided-otherwise", _spans(note, of_decisions(note, model, mixed)))
        both = of_both(note, model, stored.joining)
        add("both", (finding(note, span) for span in both.spans))
        add("both", [note_line(note, "seen", both.seen)])
        unthresholded = of_both(note, model, replace(stored.joining, words=None))
        decided = of_decisions(note, model, stored.joining)
        add("decided", _compared(note, unthresholded.spans, decided, "decided"))
        add("thresholds", _compared(note, both.spans, unthresholded.spans, "no words"))
        for name, thresholds in THRESHOLDS.items():
            more = of_both(note, model, stored.joining, thresholds).spans
            add("thresholds", _compared(note, both.spans, more, name))
            alone = of_model(note, model, thresholds).spans
            add("model-thresholds", _compared(note, model.spans, alone, name))
    less = replace(model, seen=model.seen // 2)
    add("both", [note_line(note, "seen of half", of_both(note, less, stored.joining).seen)])
    return records


def known_records() -> Records:
    """What a table says of a note: found by itself, by rules, and by rules and model."""
    stored = _stored()["careful"]
    gold = {note.id: note for note in sets()}
    records: dict[str, list[str]] = defaultdict(list)
    for bare, model in list(stored.notes())[::3]:
        note = replace(bare, known=_known_of(gold[bare.id]))
        records["known/places"] += _spans(note, known_places(note))
        found = by_rules(note).spans
        records["known/rules"] += _compared(note, by_rules(bare).spans, found, "known")
        found = of_both(note, model, stored.joining).spans
        without = of_both(bare, model, stored.joining).spans
        records["known/both"] += _compared(note, without, found, "known")
    for note in cases("known"):
        records["known/cases"] += _spans(note, known_places(note))
    return records


def propagation_records() -> Records:
    """What follows from the first mention of each value of a note, and from those of the cases."""
    records: dict[str, list[str]] = {"propagated/sets": [], "propagated/cases": []}
    for note in sets():
        first: dict[tuple[str, str], Span] = {}
        for span in note.spans:
            first.setdefault((span.type, span.text.lower()), replace(span, score=0.8))
        records["propagated/sets"] += _spans(note, propagated(note, list(first.values())))
    for note, spans in propagation_cases():
        records["propagated/cases"] += _spans(note, propagated(note, spans))
    return records


def veto_records() -> Records:
    """Which words, marked as one type after the other, the vetoes drop."""
    records: dict[str, list[str]] = {}
    for group, notes in (("cases", cases("vetoes")), ("traps", traps("negative"))):
        lines = records[f"vetoes/{group}"] = []
        for note in notes:
            dropped: dict[tuple[int, int], list[str]] = defaultdict(list)
            for type in VETOED_TYPES:
                for start, end in _dropped(note.text, type):
                    dropped[start, end].append(type)
            lines += (
                line(note, *place, note.text[slice(*place)], ",".join(types))
                for place, types in sorted(dropped.items())
            )
    return records


def store_model() -> None:
    """Run the shipped model over the notes and store what it finds."""
    rows: list[dict[str, Any]] = []
    for speed, parts in SETS_AT_SPEED.items():
        rows.append({"speed": speed, "joining": vars(shipped_joining(speed))})
        detect = shipped_findings(speed)
        for note in (note for part in parts for note in corpus(part)):
            found = detect(Document(note.id, note.text))
            spans = [[each.start, each.end, each.type, _short(each.score)] for each in found.spans]
            words = [
                [
                    each.start,
                    each.end,
                    _short(each.score),
                    [[type, _short(share)] for type, share in each.types],
                ]
                for each in found.uncertain
            ]
            rows.append({"note": note.id, "seen": found.seen, "spans": spans, "words": words})
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    STORE.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


@cache
def _stored() -> dict[str, _Stored]:
    speeds: dict[str, _Stored] = {}
    found: dict[str, Detection] = {}
    for row in map(json.loads, gzip.decompress(STORE.read_bytes()).decode("utf-8").splitlines()):
        if "speed" in row:
            found = {}
            speeds[row["speed"]] = _Stored(Joining(**row["joining"]), found)
            continue
        text = text_of(row["note"])
        spans = (
            Span.of(text, start, end, type, score=score, source="model")
            for start, end, type, score in row["spans"]
        )
        suspects = (
            UncertainWord(start, end, score, tuple((type, share) for type, share in types))
            for start, end, score, types in row["words"]
        )
        found[row["note"]] = Detection(tuple(spans), row["seen"], tuple(suspects))
    return speeds


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _mixed(joining: Joining) -> Joining:
    """Every kind of decision, and the other namer, so that none goes unpinned."""
    types = sorted(joining.decisions)
    decisions = {type: MIXED[place % len(MIXED)] for place, type in enumerate(types)}
    other = {"rules": "model", "model": "rules"}
    names = {type: other[name] for type, name in joining.names.items()}
    return Joining(decisions, names, joining.words)


def _vetoed(note: Document, model: Detection) -> Iterator[str]:
    """The spans dropped, and the words dropped or made less likely."""
    after = without_vetoed(note.text, model, by_rules(note).spans)
    remaining = set(after.spans)
    yield from (finding(note, span) for span in model.spans if span not in remaining)
    words = {(word.start, word.end): word for word in after.uncertain}
    for before in model.uncertain:
        word = words.get((before.start, before.end))
        if word != before:
            yield line(note, before.start, before.end, "word", _types(before), _types(word))


def _types(word: UncertainWord | None) -> str:
    if word is None:
        return "dropped"
    types = " ".join(f"{type} {number(share)}" for type, share in word.types)
    return f"{number(word.score)}: {types}"


def _spans(note: Document, spans: Iterable[Span]) -> list[str]:
    ordered = sorted(spans, key=lambda span: (span.start, span.end, span.type, span.source))
    return [finding(note, span) for span in ordered]


def _compared(
    note: Document, before: Iterable[Span], after: Iterable[Span], name: str
) -> Iterator[str]:
    """The spans that only one of the two has, `-` and `+`."""
    one, other = _spans(note, before), _spans(note, after)
    for sign, lines, others in (("-", one, set(other)), ("+", other, set(one))):
        yield from (f"{each}\t{name} {sign}" for each in lines if each not in others)


def _known_of(note: Document) -> tuple[tuple[str, str], ...]:
    """The first value of each type that a table of patients may have."""
    first: dict[str, str] = {}
    for span in note.spans:
        if span.type in KNOWN_TYPES:
            first.setdefault(span.type, " ".join(span.text.split()))
    return tuple(first.items())


def _dropped(text: str, type: str) -> Iterator[tuple[int, int]]:
    places = [match.span() for match in _WORD.finditer(text)]
    spans = tuple(Span.of(text, *place, type, score=0.9, source="model") for place in places)
    remaining = {span.start for span in without_vetoed(text, Detection(spans, len(text))).spans}
    return (place for place in places if place[0] not in remaining)


JOINING: Mapping[str, Callable[[], Records]] = {
    "joining-careful": lambda: speed_records("careful"),
    "joining-balanced": lambda: speed_records("balanced"),
    "joining-fast": lambda: speed_records("fast"),
    "known": known_records,
    "propagated": propagation_records,
    "vetoes": veto_records,
}
