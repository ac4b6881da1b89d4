"""Books without licences, headings and notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.workshop.pretrain.corpus.text_files import Reading
from incognote.workshop.text_cleaning.books import books, plain_text
from incognote.workshop.text_cleaning.position import Position

BOOK = """The Project Gutenberg EBook of A Tale, by Someone

This eBook is for the use of anyone anywhere.

*** START OF THIS PROJECT GUTENBERG EBOOK A TALE ***

Produced by A Volunteer and the Online Team

A TALE

BY SOMEONE

CONTENTS

CHAPTER I. The Start ........ 1
CHAPTER II. The End ......... 20

CHAPTER I.

THE START

It was a dark and _stormy_ night; the rain
fell in torrents.[1] “Who is
there?” he asked.

[Illustration: The night]

       *       *       *       *       *

II

He went on, and I [Pg 12] followed him
to Chapter Street.

NO!

[Footnote 1: Except at times.]

THE END

End of the Project Gutenberg EBook of A Tale, by Someone

*** END OF THIS PROJECT GUTENBERG EBOOK A TALE ***

Section 1. General Terms of Use
"""

TALE = (
    "It was a dark and stormy night; the rain fell in torrents. “Who is there?” he asked.\n"
    "He went on, and I followed him to Chapter Street.\nNO!"
)


def test_a_book_is_its_paragraphs() -> None:
    assert plain_text(BOOK).replace("I  followed", "I followed") == TALE
    assert plain_text(BOOK.replace("\n", "\r\n")) == TALE


@pytest.mark.parametrize(
    "mark",
    [
        "*** START OF THE PROJECT GUTENBERG EBOOK A VERY\nLONG TITLE ***",
        "***START OF THE PROJECT GUTENBERG EBOOK A TALE***",
        "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
    ],
)
def test_licences_of_all_times_are_left_out(mark: str) -> None:
    book = f"Licence text here.\n\n{mark}\n\nThe story itself.\n\nEnd of Project Gutenberg's A Tale"
    assert plain_text(book) == "The story itself."


def test_a_book_without_marks_is_whole() -> None:
    assert plain_text("The story\nitself.\n\nIt ends.") == "The story itself.\nIt ends."


@pytest.mark.parametrize(
    "heading",
    [
        "CHAPTER XII",
        "Chapter the Last",
        "Chapter 3: Of Ships",
        "BOOK SECOND",
        "IV.",
        "12",
        "Preface",
        "# Chapter",
        "A LONG NIGHT AT SEA",
        "LETTER II.\n_From A. to B._".replace("_", ""),
    ],
)
def test_headings_are_left_out(heading: str) -> None:
    first = heading.split("\n")[0]
    assert plain_text(f"One ends.\n\n{first}\n\nTwo begins.") == "One ends.\nTwo begins."


@pytest.mark.parametrize(
    "sentence",
    [
        "“STOP!”",
        "Chapter one of my life was over, and I was glad of it, for it had been long.",
        "I.O.U. nothing, he said.",
        "It is 12 o'clock.",
    ],
)
def test_sentences_that_look_like_headings_stay(sentence: str) -> None:
    assert plain_text(f"One.\n\n{sentence}\n\nTwo.") == f"One.\n{sentence}\nTwo."


@pytest.mark.parametrize("note", ["[1] Except at times.", "[*] Not\nhere.", "[Footnote a: No.]"])
def test_notes_are_left_out_with_the_marks_that_refer_to_them(note: str) -> None:
    assert (
        plain_text(f"It rained,[1] often.\n\n{note}\n\nThen not.") == "It rained, often.\nThen not."
    )


def test_old_books_are_in_another_alphabet(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes("Café — naïve “words”.".encode("cp1252"))
    assert list(books(path, Reading(), Position())) == ["Café — naïve “words”."]
