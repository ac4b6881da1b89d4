"""What rules find: each family for itself, and all of them with known values and propagation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from golden.lines import Records, finding, note_line
from golden.notes import cases, large_sample, odd_notes, sets, traps
from golden.subject import by_families, by_rules

from incognote.document import Document


def family_records() -> Records:
    """Every finding of a family, also those that overlap; one found twice counts once.

    A text is read once, whatever is known beside it.
    """
    records: dict[str, set[str]] = defaultdict(set)
    for note in _notes():
        for family, spans in by_families(note.text).items():
            records[f"rules/{family}"].update(finding(note, span) for span in spans)
    return {name: sorted(lines) for name, lines in records.items()}


def whole_records() -> Records:
    """What rules find together, without and with the known values of a case."""
    records: dict[str, list[str]] = {"rules-whole/found": [], "rules-whole/known": []}
    for note in _notes():
        found = by_rules(replace(note, known=()))
        records["rules-whole/found"] += (finding(note, span) for span in found.spans)
        if found.seen != len(note.text):
            records["rules-whole/found"].append(note_line(note, "seen", found.seen))
    for note in cases("known"):
        known = ";".join(f"{type}={value}" for type, value in note.known)
        for span in by_rules(note).spans:
            records["rules-whole/known"].append(finding(note, span, known))
    return records


def _notes() -> Iterator[Document]:
    texts: set[str] = set()
    groups = (sets(), large_sample(), traps("positive"), traps("negative"), cases(), odd_notes())
    for group in groups:
        for note in group:
            if note.text not in texts:
                texts.add(note.text)
                yield note
