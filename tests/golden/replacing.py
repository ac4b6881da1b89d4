"""What stands in the place of an identifier: every operator, and surrogates of every kind of value."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from golden.lines import Records, line, note_line
from golden.notes import cases, corpus, large_sample, sets, surrogate_cases, traps
from golden.subject import (
    Avoided,
    DateSettings,
    Operators,
    SurrogateSettings,
    deidentified,
    parse_operators,
    replaced,
)

from incognote.document import Document, Span

KEYS = (b"the first key of the golden record", b"another key of the golden record!")
GROUPS: Mapping[str, tuple[str, ...]] = {
    "names": ("PATIENT", "DOCTOR"),
    "places": ("STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER"),
    "organizations": ("HOSPITAL", "ORGANIZATION"),
    "professions": ("PROFESSION",),
    "dates": ("DATE",),
    "ages": ("AGE",),
    "contacts": ("PHONE", "FAX", "EMAIL", "URL", "IPADDR", "USERNAME"),
    "ids": tuple("SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM".split()),
}
GROUP_OF = {type: group for group, types in GROUPS.items() for type in types}
TIME = frozenset({"DATE", "AGE"})


class Half:
    """Holds half of all words, always the same: as if they stood in other notes."""

    def __contains__(self, word: object) -> bool:
        return hashlib.sha256(str(word).encode("utf-8", "surrogatepass")).digest()[0] % 2 == 0


@dataclass(frozen=True)
class Variant:
    """Surrogates under a key and settings; of dates and ages only if these are what they change."""

    name: str
    key: bytes
    settings: SurrogateSettings = field(default_factory=SurrogateSettings)
    avoided: Avoided = field(default_factory=Avoided)
    time_only: bool = False

    @property
    def policy(self) -> Operators:
        return parse_operators(
            "surrogate", key=self.key, surrogates=self.settings, avoided=self.avoided
        )


def _dates(**settings: object) -> SurrogateSettings:
    return SurrogateSettings(dates=DateSettings(**settings))  # type: ignore[arg-type]


EVERYWHERE = (
    Variant("by patient", KEYS[0]),
    Variant("by corpus", KEYS[1], SurrogateSettings(consistent="corpus")),
)
SOMEWHERE = (
    Variant("others avoided", KEYS[0], avoided=Avoided(Half(), Half(), lambda patient: "dmy")),
    Variant("other key", KEYS[1]),
    Variant("season", KEYS[0], _dates(keep_season=True), time_only=True),
    Variant("any day", KEYS[1], _dates(earliest=-40, latest=90, whole_weeks=False), time_only=True),
    Variant("day first", KEYS[0], _dates(order="dmy"), time_only=True),
    Variant("day first by force", KEYS[0], _dates(order="dmy", force_order=True), time_only=True),
    Variant("ages moved", KEYS[1], _dates(shift_ages=3), time_only=True),
)


def operator_records() -> Records:
    """Every operator over gold spans: what stands for each, and a digest of the whole text."""
    policies = {
        "tag": parse_operators("tag"),
        "numbered-tag": parse_operators("tag", number=True),
        "redact": parse_operators("redact"),
        "mask": parse_operators("mask"),
        "hash": parse_operators("hash", key=KEYS[0]),
        "keep": parse_operators("keep"),
        "policy": parse_operators("tag,DATE=surrogate,ID=hash,NAME=mask,AGE=keep", key=KEYS[1]),
    }
    records: dict[str, list[str]] = {}
    for name, policy in policies.items():
        lines = records[f"operators/{name}"] = []
        values: set[tuple[str, ...]] = set()
        for note in (*sets(), *surrogate_cases()):
            new, text, remarks = replaced(note, policy)
            if name in ("numbered-tag", "mask", "hash"):
                within = note.id if name == "numbered-tag" else ""
                lines += (
                    line(note, span.start, span.end, span.type, span.text, value)
                    for span, value in _new_values(note, new, values, within)
                )
            lines.append(note_line(note, "text", _digest(text), *_remarks(remarks)))
    return records


def surrogate_records() -> Records:
    """The fake of every value of the sets and of the cases, by kind of value."""
    records: dict[str, list[str]] = defaultdict(list)
    _surrogates(
        records, EVERYWHERE, (*sets(), *traps("positive"), *surrogate_cases(), *_with_known())
    )
    _surrogates(records, EVERYWHERE[1:], (*large_sample(), *_marked_cases()))
    return {f"surrogates/{group}": lines for group, lines in records.items()}


def setting_records() -> Records:
    """The same of fewer notes, under the settings that change them."""
    records: dict[str, list[str]] = defaultdict(list)
    _surrogates(records, SOMEWHERE, (*corpus("G")[::2], *surrogate_cases()))
    return {f"surrogate-settings/{group}": lines for group, lines in records.items()}


def found_and_replaced_records() -> Records:
    """Notes de-identified by rules: what is found, replaced and copied, together."""
    records: dict[str, list[str]] = {}
    for name, policy in (
        ("numbered-tag", parse_operators("tag", number=True)),
        ("surrogate", EVERYWHERE[0].policy),
    ):
        lines = records[f"found-and-replaced/{name}"] = []
        for note in (*corpus("G"), *corpus("D")[::4]):
            spans, new, text = deidentified(note, policy)
            lines += _values(note, spans, new)
            lines.append(note_line(note, "text", _digest(text)))
    return records


def _surrogates(
    records: dict[str, list[str]], variants: Iterable[Variant], notes: Iterable[Document]
) -> None:
    notes = tuple(notes)
    for variant in variants:
        policy = variant.policy
        everywhere = variant.settings.consistent == "corpus"
        seen: set[tuple[str, ...]] = set()
        for note in notes:
            if variant.time_only and not any(span.type in TIME for span in note.spans):
                continue
            new, _, remarks = replaced(note, policy)
            for span, fake in _new_values(note, new, seen, "" if everywhere else note.id):
                if not variant.time_only or span.type in TIME:
                    records[GROUP_OF[span.type]].append(
                        line(note, span.start, span.end, variant.name, span.type, span.text, fake)
                    )
            for (type, remark), count in sorted(remarks.items()):
                if not variant.time_only or type in TIME:
                    records[GROUP_OF[type]].append(
                        note_line(note, variant.name, type, remark, count)
                    )


def _marked_cases() -> list[Document]:
    """Cases of detection, which have more of the rarer numbers than the sets."""
    return [
        replace(note, known=())
        for note in cases()
        if note.spans and all(span.type in GROUP_OF for span in note.spans)
    ]


def _with_known() -> list[Document]:
    """Cases whose table names people beside those of the note."""
    notes = {note.id: note for note in cases("known")}
    return [replace(note, patient="patient K") for note in notes.values()]


def _new_values(
    note: Document, replacements: Iterable[str], seen: set[tuple[str, ...]], within: str
) -> Iterator[tuple[Span, str]]:
    """The spans whose type, text and replacement were not yet seen `within` a note, or anywhere."""
    for span, replacement in zip(note.spans, replacements, strict=True):
        value = (span.type, span.text, replacement, within)
        if value not in seen:
            seen.add(value)
            yield span, replacement


def _values(note: Document, spans: Iterable[Span], new: Iterable[str]) -> list[str]:
    return [
        line(note, span.start, span.end, span.type, span.text, value)
        for span, value in zip(spans, new, strict=True)
    ]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _remarks(remarks: Mapping[tuple[str, str], int]) -> list[str]:
    return [f"{type} {remark} {count}" for (type, remark), count in sorted(remarks.items())]
