"""The project's own word lists, for banks that leave out ordinary words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2] / "src" / "incognote"
BANKS = ROOT / "replace" / "surrogate" / "banks"
WORDS = Path(__file__).parent / "words"
_LEXICON = ROOT / "knowledge"


def ordinary_words() -> frozenset[str]:
    """Words that mean something else in a note, so that no fake is one of them."""
    files = ("ordinary", "never_names", "eponyms", "acronyms", "brands")
    texts = ((_LEXICON / f"{file}.txt").read_text("utf-8") for file in files)
    return frozenset(word.lower() for text in texts for word in text.split())


def clinical_letters() -> list[str]:
    """Acronyms of the clinic in capitals."""
    words = (_LEXICON / "acronyms.txt").read_text("utf-8").split()
    return sorted({word.upper() for word in words if word.isascii() and word.isalpha()})


def words_of(file: str) -> list[str]:
    """The words of one of the recipe's own lists."""
    return (WORDS / file).read_text("utf-8").split()


def lines_of(file: str) -> list[list[str]]:
    """The lines of one of the recipe's own lists, cut at the bars."""
    text = (WORDS / file).read_text("utf-8")
    return [line.split("|") for line in text.splitlines() if line]


def plain(name: str) -> str:
    """A name in small letters without marks."""
    letters = unicodedata.normalize("NFKD", name.lower())
    return "".join(letter for letter in letters if letter.isalnum() or letter == " ")


def line(head: str, values: Iterable[str]) -> str:
    """A line of a bank."""
    return f"{head}\t{'|'.join(values)}"


def write(path: Path, lines: list[str]) -> None:
    """Write a bank and say how large it is."""
    text = "\n".join(lines) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.name}: {len(text.encode()) / 1e6:.2f} MB, {len(lines)} lines")
