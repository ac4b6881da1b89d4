"""Notes from the generator: the same for the same number, exactly marked, of every type."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from generator.factory import Factory
from generator.grammar import load_grammar
from generator.redraw.note import Mark, Redraw
from generator.scene import Scene
from generator.sources.corpus_notes import MarkedNote, load_sets
from recipes.small_gazetteers import small_gazetteers

from incognote.document import Document, Span
from incognote.formats.inline import parse
from incognote.phi import TYPES

CORPUS = Path(__file__).parent.parent.parent / "corpus"


def marked(text: str) -> MarkedNote:
    """A note from inline marks."""
    plain, spans = parse(text)
    marks: tuple[Mark, ...] = tuple((span.start, span.end, span.type) for span in spans)
    return MarkedNote(plain, marks, "test")


PREPARED = (
    marked(
        "HISTORY:\nThis [[AGE|54]]-year-old man saw Dr. [[DOCTOR|Xstand]] on [[DATE|3/4/2008]].\n\nEXAM:\nFoley in place."
    ),
    marked("The patient was taken to [[HOSPITAL|Abcdstand General Hospital]].\nCounts correct."),
)


@pytest.fixture(scope="module")
def factory() -> Factory:
    return Factory(small_gazetteers(), load_grammar(), load_sets(CORPUS, ["A"]), PREPARED)


def test_a_note_is_the_same_whenever_it_is_made_again(factory: Factory) -> None:
    all_notes = [factory.note(7, number) for number in range(30)]
    again = Factory(small_gazetteers(), load_grammar(), load_sets(CORPUS, ["A"]), PREPARED)
    assert again.note(7, 23) == all_notes[23]
    assert again.note(8, 23)["text"] != all_notes[23]["text"]
    assert len({note["text"] for note in all_notes}) == 30


def test_spans_are_exact_disjoint_and_hold_no_space_at_their_ends(factory: Factory) -> None:
    for number in range(150):
        note = factory.note(1, number)
        last = 0
        for span in note["spans"]:
            text = note["text"][span["start"] : span["end"]]
            assert span["type"] in TYPES
            assert span["start"] >= last
            assert text
            assert text == text.strip()
            last = span["end"]
        Document(
            note["id"], note["text"], tuple(Span.of(note["text"], **span) for span in note["spans"])
        )


def test_no_mark_cuts_a_word(factory: Factory) -> None:
    glued = 0
    spans = 0
    for number in range(150):
        note = factory.note(3, number)
        for span in note["spans"]:
            spans += 1
            before, after = note["text"][: span["start"]][-1:], note["text"][span["end"] :][:1]
            inside = note["text"][span["start"]], note["text"][span["end"] - 1]
            glued += before.isalpha() and inside[0].isalpha()
            glued += after.isalpha() and inside[1].isalpha()
    assert glued <= spans / 1000


def test_every_type_occurs(factory: Factory) -> None:
    counts: Counter[str] = Counter()
    for number in range(400):
        counts.update(span["type"] for span in factory.note(2, number)["spans"])
    assert set(counts) == set(TYPES)


def test_every_source_is_used_and_some_notes_have_no_identifier(factory: Factory) -> None:
    notes = [factory.note(4, number) for number in range(200)]
    assert {note["source"].split("/")[0] for note in notes} == {"corpus", "test", "grammar"}
    assert any(not note["spans"] for note in notes)


def test_the_sealed_set_is_refused() -> None:
    with pytest.raises(ValueError, match="sealed"):
        load_sets(CORPUS, ["A", "E"])


def test_values_of_the_corpus_do_not_survive(factory: Factory) -> None:
    """What a note of the corpus identifies its people by is drawn anew."""
    kept = total = 0
    for number, note in enumerate(factory.corpus[:20]):
        scene = Scene(Random(number), factory.lists)
        new = [piece for piece in Redraw(scene).note(note.text, note.marks) if piece[1]]
        old = [(note.text[start:end], type) for start, end, type in note.marks]
        assert [type for _, type in new] == [type for _, type in old]
        names = [
            (a, b)
            for a, b in zip(old, new, strict=True)
            if a[1] in ("PATIENT", "DOCTOR", "PHONE", "MEDICALRECORD")
        ]
        total += len(names)
        kept += sum(a[0] == b[0] for a, b in names)
    assert kept <= total / 50


def test_hard_cases_stand_alone_and_among_other_lines(factory: Factory) -> None:
    hard = replace(factory, hard=(marked("page [[PHONE|33917]], if no ans beep [[PHONE|2-BABY]]"),))
    notes = [hard.note(4, number) for number in range(100)]
    alone = [note for note in notes if note["source"] == "corpus/traps"]
    among = [note for note in notes if "if no ans beep" in note["text"] and note not in alone]
    assert alone
    assert among
    assert all(span["type"] for note in alone for span in note["spans"])
