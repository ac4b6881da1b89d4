"""Ten notes before and after `--replace surrogate`: python -m recipes.surrogate_gallery.make.

The marks are the corpus's own, so that the page shows the replacement and not the detector.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from incognote.document import Document
from incognote.formats.inline import parse
from incognote.replace import apply, parse_operators
from recipes.surrogate_gallery.page import Shown, page

ROOT = Path(__file__).resolve().parents[2]
KEY = b"a key that everybody knows"
"""The notes are invented; a key for real ones is made by `--make-key` and kept."""
NOTES = {
    "A/note-003": "Discharge summary in capitals, 1988",
    "A/note-014": "Discharge against medical advice, names of several origins",
    "A/note-027": "Intern's progress note, a visitor from abroad",
    "B/note-008": "Urgent care visit of a minor",
    "B/note-031": "After-hours nurse triage by telephone",
    "B/note-045": "Home infusion visit",
    "C/note-034": "Psychiatric emergency, small letters only",
    "C/note-047": "Palliative care consult",
    "D/note-005": "Prior authorization form",
    "D/note-041": "Transfer face sheet",
}
TITLE = "Surrogates: ten notes before and after"
INTRODUCTION = (
    "Invented notes of the project's corpus, as they were written and as incognote deid --replace "
    "surrogate leaves them. Marks are the corpus's own, so this is the replacement alone; what a "
    "detector misses would stay.",
    "One patient, one shift: dates move together by whole weeks, so intervals and weekdays stay. A "
    "person has one fake in every form of the name. Towns, states and ZIPs fit together; telephones "
    "are of the ranges kept for fiction, social security numbers of areas never given, hosts end in "
    ".example. What stays is framed: ages under 90, and weekdays, months and years that the shift "
    "leads back to.",
)


def shown(name: str, what: str) -> Shown:
    """A note of the corpus with its marks, and what becomes of it."""
    text, spans = parse((ROOT / "corpus" / f"{name}.txt").read_text(encoding="utf-8"))
    note = Document(name, text, spans, patient=name)
    return Shown(name, what, note, apply(note, parse_operators("surrogate", key=KEY)))


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "surrogates.html")
    arguments = parser.parse_args()
    notes = [shown(name, what) for name, what in NOTES.items()]
    arguments.output.write_text(page(notes, TITLE, INTRODUCTION), encoding="utf-8")
    marks = sum(len(note.before.spans) for note in notes)
    print(f"{arguments.output.name}: {len(notes)} notes, {marks} marks")


if __name__ == "__main__":
    main()
