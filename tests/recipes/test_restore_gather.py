"""What restoring learns from: prose, and never a sealed set."""

from __future__ import annotations

from pathlib import Path

import pytest
from generator.sources.corpus_notes import load_sets

from recipes.restore import gather


def test_only_sentences_of_the_corpus_are_taken() -> None:
    text = (
        "PLAN\n"
        "  He was seen in clinic and is doing quite well today.\n"
        "Name:  Smith   John   A   B   C   D   E.\n"
        "THIS WHOLE LINE IS DICTATED IN CAPITALS AND TEACHES NOTHING.\n"
        "this line has small letters only and so teaches nothing either.\n"
        "This line ends without a mark as a heading would do it\n"
        "Too short.\n"
    )
    assert gather.prose(text) == "He was seen in clinic and is doing quite well today."


def test_sets_that_judge_or_are_sealed_are_not_among_those_that_teach(tmp_path: Path) -> None:
    assert not {"E", "G", "H", "I"} & set(gather.SETS)
    for name in ("E", "G", "H", "I"):
        with pytest.raises(ValueError, match="never goes into training"):
            load_sets(tmp_path, [name])


def test_no_judging_note_is_read_for_training(tmp_path: Path) -> None:
    for name in (*gather.SETS, "E", "G", "H", "I"):
        folder = tmp_path / "corpus" / name
        folder.mkdir(parents=True)
        line = f"The note of set {name} has one sentence of [[AGE|9]] words."
        (folder / "note.txt").write_text(line)
    taught = {each.text for each in gather.notes_of_sets(tmp_path / "corpus")}
    assert taught == {
        f"The note of set {name} has one sentence of 9 words." for name in gather.SETS
    }
