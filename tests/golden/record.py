"""The record as it stands in files: one per record, and `digests.json` over all of them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from golden.joining import JOINING
from golden.lines import Records
from golden.notes import text_of
from golden.replacing import (
    found_and_replaced_records,
    operator_records,
    setting_records,
    surrogate_records,
)
from golden.rules import family_records, whole_records

FOLDER = Path(__file__).parent / "record"
DIGESTS = Path(__file__).parent / "digests.json"
PLAIN_BYTES = 50_000
"""Larger records are stored compressed."""

AROUND = 40

ROOMS: Mapping[str, Callable[[], Records]] = {
    "rules": family_records,
    "rules-whole": whole_records,
    **JOINING,
    "operators": operator_records,
    "surrogates": surrogate_records,
    "surrogate-settings": setting_records,
    "found-and-replaced": found_and_replaced_records,
}
"""By room, what computes its records; a record is named `<room>/<record>`."""


@dataclass(frozen=True)
class Change:
    """A line that went, came, or says something else of the same place."""

    before: str | None
    after: str | None

    def __str__(self) -> str:
        said = self.before if self.before is not None else self.after
        assert said is not None
        note, start, end = said.split("\t")[:3]
        pieces = []
        if self.before is not None:
            pieces.append(f"  - {self.before}")
        if self.after is not None:
            pieces.append(f"  + {self.after}")
        if int(end):
            pieces.append(f"      in: {_around(text_of(note), int(start), int(end))}")
        return "\n".join(pieces)


def changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """Every line that only one of the two has, those of one place together."""
    gone = _by_place(Counter(before) - Counter(after))
    come = _by_place(Counter(after) - Counter(before))
    found = []
    for place in dict.fromkeys([*gone, *come]):
        old, new = gone.get(place, []), come.get(place, [])
        for number in range(max(len(old), len(new))):
            found.append(
                Change(
                    old[number] if number < len(old) else None,
                    new[number] if number < len(new) else None,
                )
            )
    return found


def digest(lines: Sequence[str]) -> dict[str, int | str]:
    """How many lines, and which."""
    return {"lines": len(lines), "sha256": hashlib.sha256(_bytes(lines)).hexdigest()}


def read_digests() -> dict[str, dict[str, int | str]]:
    """By record."""
    digests: dict[str, dict[str, int | str]] = json.loads(DIGESTS.read_text("utf-8"))
    return digests


def stored_names() -> set[str]:
    """The records that there are files of."""
    files = (file for file in FOLDER.rglob("*.tsv*") if file.is_file())
    return {file.relative_to(FOLDER).as_posix().partition(".tsv")[0] for file in files}


def read_record(name: str) -> list[str]:
    """The lines of a record; none if there is no such record."""
    plain, packed = _files(name)
    if plain.exists():
        data = plain.read_bytes()
    elif packed.exists():
        data = gzip.decompress(packed.read_bytes())
    else:
        return []
    return data.decode("utf-8", "surrogatepass").split("\n")[:-1]


def write_record(name: str, lines: Sequence[str]) -> None:
    """Store the lines, which must not change with the day on which they are stored."""
    remove_record(name)
    plain, packed = _files(name)
    plain.parent.mkdir(parents=True, exist_ok=True)
    data = _bytes(lines)
    if len(data) > PLAIN_BYTES:
        packed.write_bytes(gzip.compress(data, 9, mtime=0))
    else:
        plain.write_bytes(data)


def remove_record(name: str) -> None:
    """Forget a record."""
    for file in _files(name):
        file.unlink(missing_ok=True)


def write_digests(digests: Mapping[str, Mapping[str, int | str]]) -> None:
    """One record a line."""
    rows = (f"  {json.dumps(name)}: {json.dumps(digests[name])}" for name in sorted(digests))
    DIGESTS.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def _files(name: str) -> tuple[Path, Path]:
    return FOLDER / f"{name}.tsv", FOLDER / f"{name}.tsv.gz"


def _bytes(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def _by_place(lines: Mapping[str, int]) -> dict[tuple[str, ...], list[str]]:
    by_place: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for line, count in lines.items():
        by_place[tuple(line.split("\t")[:3])] += [line] * count
    return by_place


def _around(text: str, start: int, end: int) -> str:
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    return " ".join(f"{before}⟦{text[start:end]}⟧{after}".split())
