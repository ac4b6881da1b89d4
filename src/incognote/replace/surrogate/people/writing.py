"""Writing a fake as the real name is written: order, case, initials, all that stands between."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.people.known import Known
from incognote.replace.surrogate.people.parse import Parsed
from incognote.replace.surrogate.people.vocabulary import APOSTROPHES


def write(read: Parsed, person: Known, fakes: Mapping[str, str], keyed: Keyed) -> str:
    """A mention with the person's fake in each word's and each initial's place."""
    said = [person.spelt.get(word, word) for word in read.words]
    given = [word for word in person.given if word not in said]
    surnames = [word for word in person.surnames if word not in said]
    letters: list[str] = []
    written: list[str] = []
    for place, piece in enumerate(read.pieces):
        if piece.kind == "name":
            word = person.spelt.get(piece.key, piece.key)
            written.append(written_as(fakes[word], piece.text))
        elif piece.kind == "initial":
            orders = (surnames, given) if read.roles.get(place) == "surname" else (given, surnames)
            letters.append(_initial(piece.key, orders, fakes, person.type, keyed))
            written.append(letter_as(letters[-1], piece.text))
        elif piece.kind == "digits":
            written.append(_digits(piece.text, keyed))
        else:
            written.append(piece.text)
    if not said and letters and "".join(letters) == read.letters:
        return _other_initials(read, person.type, keyed)
    return "".join(written)


def _initial(
    letter: str,
    orders: Iterable[list[str]],
    fakes: Mapping[str, str],
    type: str,
    keyed: Keyed,
) -> str:
    """The initial of the fake of the word that it stands for, which is then used up."""
    for words in orders:
        for word in words:
            if word[0] == letter:
                words.remove(word)
                return fakes[word][0].lower()
    return keyed.letter(letter, type)


def _other_initials(read: Parsed, type: str, keyed: Keyed) -> str:
    """Where the fake's initials happen to be the real ones."""
    return "".join(
        letter_as(keyed.letter(piece.key, type), piece.text)
        if piece.kind == "initial"
        else piece.text
        for piece in read.pieces
    )


def _digits(digits: str, keyed: Keyed) -> str:
    """Other digits, as many, and never the same ones."""
    new = keyed.digits(len(digits), "digits", digits)
    same = len(new) == len(digits) and all(map(_is_digit, new, digits))
    return new[:-1] + str((int(new[-1]) + 1) % 10) if same else new


def _is_digit(digit: str, written: str) -> bool:
    return unicodedata.digit(written, -1) == int(digit)


def written_as(fake: str, pattern: str) -> str:
    """A name from the bank in the case and with the apostrophe of another.

    >>> written_as("O'Connor", "O’BRIEN"), written_as("McCarthy", "Mcdonald")
    ('O’CONNOR', 'Mccarthy')
    """
    mark = next((letter for letter in pattern if letter in APOSTROPHES), "")
    name = fake.replace("'", mark)
    letters = [letter for letter in pattern if letter.isalpha()]
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return name.upper()
    if letters and all(map(str.islower, letters)):
        return name.lower()
    if any(map(str.isupper, letters[1:])):
        return _inner_capitals(name, pattern)
    return name[:1].upper() + name[1:].lower()


def _inner_capitals(name: str, pattern: str) -> str:
    """McCarthy as McDonald is written, and McCARTHY as McDONALD is."""
    prefix = next((start for start in ("Mc", "Mac", "O") if name.startswith(start)), "")
    rest = "".join(letter for letter in pattern if letter.isalpha())[2:]
    if prefix and len(rest) > 2 and rest.isupper() and pattern[1:2].islower():
        return prefix + name[len(prefix) :].upper()
    return name


def letter_as(letter: str, pattern: str) -> str:
    """An initial in the case of another."""
    return letter.lower() if pattern.islower() else letter.upper()
