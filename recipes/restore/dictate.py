"""Writes annotated notes as they are, as they would be dictated, and as a model restores those.

    python recipes/restore/dictate.py corpus/G --model work/restore/restorer -o work/restore/deid

notes.jsonl      the notes with their spans
dictated.jsonl   in small letters, without marks after words; spans at their new places
common.jsonl     each word in its most common form, from `--learned`, if that is given
restored.jsonl   dictated, then restored by the model

Each is for `incognote find` and `incognote score`: what restoring is worth to de-identification.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from incognote.document import Document, Span
from incognote.formats import read, write
from incognote.workshop.restore.restorer import Restorer
from incognote.workshop.restore.score import CommonForms
from incognote.workshop.restore.words import dictated


def places_in(text: str, part: str) -> list[int]:
    """Where in the text each character of `part` stands, which has some of its characters in any case."""
    letters = [(letter, place) for place, each in enumerate(text) for letter in each.casefold()]
    places, next_letter = [], 0
    for character in part:
        for number, folded in enumerate(character.casefold()):
            while letters[next_letter][0] != folded:
                next_letter += 1
            if number == 0:
                places.append(letters[next_letter][1])
            next_letter += 1
    return places


def shortened(note: Document, text: str) -> Document:
    """The note with a text that lacks some characters; a span of which nothing is left goes too."""
    places = places_in(note.text, text)
    spans = []
    for span in note.spans:
        inside = [n for n, place in enumerate(places) if span.start <= place < span.end]
        if inside:
            spans.append(Span.of(text, inside[0], inside[-1] + 1, span.type))
    return Document(note.id, text, tuple(spans))


def lengthened(note: Document, text: str) -> Document:
    """The note with a text that has more characters; marks within a span are the span's."""
    places = places_in(text, note.text)
    spans = [
        Span.of(text, places[span.start], places[span.end - 1] + 1, span.type)
        for span in note.spans
    ]
    return Document(note.id, text, tuple(spans))


def versions(
    notes: Sequence[Document], ways: dict[str, Callable[[str], str]]
) -> dict[str, list[Document]]:
    """The notes, as dictated, and restored in each way."""
    plain = [Document(note.id, note.text, note.spans) for note in notes]
    spoken = [shortened(note, dictated(note.text)) for note in plain]
    restored = {
        name: [lengthened(note, restore(note.text)) for note in spoken]
        for name, restore in ways.items()
    }
    return {"notes": plain, "dictated": spoken, **restored}


def main() -> int:
    """Write the files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, help="annotated notes")
    parser.add_argument("--model", type=Path, required=True, help="folder of train-restore")
    parser.add_argument("--learned", type=Path, help="train.jsonl, for the most common forms")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for the files")
    given = parser.parse_args()
    ways: dict[str, Callable[[str], str]] = {"restored": Restorer(given.model).restore}
    if given.learned:
        rows = given.learned.read_text(encoding="utf-8").splitlines()
        ways["common"] = CommonForms(json.loads(row)["text"] for row in rows).restore
    given.output.mkdir(parents=True, exist_ok=True)
    for name, documents in versions(list(read(given.corpus)), ways).items():
        write(documents, given.output / f"{name}.jsonl", "jsonl")
    return 0


if __name__ == "__main__":
    sys.exit(main())
