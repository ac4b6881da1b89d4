"""Lists of words and of people: what is found of them in a note, and where exactly."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from types import FrameType
from typing import Literal, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from incognote.detect.note_index import NoteIndex
from incognote.detect.site import list_words
from incognote.detect.site.list_words import GAP, LONGEST_ABBREVIATION, WORD, folded, written
from incognote.detect.site.lists import ListIndex, Mode, WordList
from incognote.detect.site.slips import is_known_word


def found(mode: Mode, entries: Sequence[str], text: str) -> list[str]:
    index = ListIndex([WordList("some", "HOSPITAL", mode, entries)])
    return [text[start:end] for start, end, _ in index.find(NoteIndex(text))]


@pytest.mark.parametrize(
    ("mode", "entry", "text", "expected"),
    [
        # whole words
        ("any-case", "Rask", "Rask, RASK's and rask-olsen", ["Rask", "RASK", "rask"]),
        ("any-case", "Rask", "Raskin, Trask, Rask12, Rasks", []),
        ("any-case", "Shell", "she'll go to Shell", ["Shell"]),
        ("any-case", "Ward 7B", "ward 7b, Ward 7BC, Ward 7", ["ward 7b"]),
        ("any-case", "7B", "on 7B, not on 17B or 7BX", ["7B"]),
        ("any-case", "Brien", "O'Brien", []),
        # what stands between words
        ("any-case", "St. Odile's", "St Odile’s, ST ODILES", ["St Odile’s", "ST ODILES"]),
        ("any-case", "St. Odile's", "St. Odile Clinic", ["St. Odile"]),
        ("any-case", "St Odile", "St. Odile's Clinic", ["St. Odile"]),
        ("any-case", "North House", "North-House NORTH\r\n   HOUSE", ["North-House", "NORTH\r\n   HOUSE"]),
        ("any-case", "North House", "north \t\xa0    house", ["north \t\xa0    house"]),
        ("any-case", "North House", "He went north. House calls.", []),
        ("any-case", "North House", "North\n\nHouse; north: house", []),
        ("any-case", "Marsh & Sons", "Marsh & Sons, Marsh Sons", ["Marsh & Sons", "Marsh Sons"]),
        ("any-case", "12 Quarry Lane, Dunmore", "12 Quarry Lane Dunmore", ["12 Quarry Lane Dunmore"]),
        # letters
        ("any-case", "Müller", "Mu\u0308ller MÜLLER muller", ["Mu\u0308ller", "MÜLLER", "muller"]),
        ("any-case", "Mu\u0308ller", "Müller", ["Müller"]),
        ("any-case", "Straße", "STRASSE Strasse", ["STRASSE", "Strasse"]),
        ("any-case", "Izmir Yolu", "at İzmir Yolu ß İzmir", ["İzmir Yolu"]),
        ("any-case", "Αθήνας", "ΑΘΉΝΑΣ αθηνασ", ["ΑΘΉΝΑΣ", "αθηνασ"]),
        ("any-case", "Keʻala", "Ke'ala, Keala", ["Ke'ala", "Keala"]),
        # as written
        ("exact", "May House", "May House may House MAY HOUSE May-House", ["May House", "May-House"]),
        ("exact", "Café", "Café Cafe CAFÉ Cafe\u0301", ["Café", "Cafe\u0301"]),
        ("exact", "St Odile's", "St Odile’s St Odiles St Odile", ["St Odile’s"]),
        ("exact", "Odile", "Odile's", ["Odile"]),
        # with a slip of the pen
        ("misspelt", "Brackenfield Ward", "Brackenfeild ward", ["Brackenfeild ward"]),
        ("misspelt", "Brackenfield Ward", "Brackenfeild Wrad", []),
        ("misspelt", "Brackenfield", "Brakenfeild Backenfielt Vrackenfield", ["Brakenfeild", "Backenfielt"]),
        ("misspelt", "Hearst", "Heart, Hears, Hearrt", ["Hearrt"]),
        ("misspelt", "Hartnell", "harntell Harntell", ["Harntell"]),
        ("misspelt", "Ferran", "Ferrán Férren", ["Ferrán", "Férren"]),
    ],
)  # fmt: skip
def test_found(mode: Mode, entry: str, text: str, expected: list[str]) -> None:
    assert found(mode, [entry], text) == expected


def test_the_longest_of_a_list_is_found_and_other_lists_are_found_beside_it() -> None:
    text = "North Dunmore House Annexe"
    index = ListIndex(
        [
            WordList("sites", "HOSPITAL", "any-case", ["Dunmore", "North Dunmore", "Dunmore House Annexe"]),
            WordList("towns", "CITY", "exact", ["Dunmore"]),
        ]
    )  # fmt: skip
    places = [(text[start:end], number) for start, end, number in index.find(NoteIndex(text))]
    assert places == [("North Dunmore", 0), ("Dunmore House Annexe", 0), ("Dunmore", 1)]


def test_an_entry_of_two_lists_is_found_for_both() -> None:
    both = [WordList(name, "X", "any-case", ["Dunmore"]) for name in ("one", "other")]
    assert list(ListIndex(both).find(NoteIndex("dunmore"))) == [(0, 7, 0), (0, 7, 1)]


def test_entries_that_say_nothing_are_found_nowhere() -> None:
    modes: tuple[Mode, ...] = get_args(Mode)
    for mode in modes:
        assert found(mode, ["", " ", "--", "'", "\n"], "a -- b 's '") == []
        assert found(mode, [], "a -- b") == []


def test_lists_that_can_find_nothing_are_told() -> None:
    entries = [["--"], ["Dr.", "N. O."], ["House"], [" "], ["Okafor"]]
    modes: list[Mode] = ["exact", "name", "misspelt", "any-case", "name"]
    index = ListIndex([WordList("some", "X", *each) for each in zip(modes, entries, strict=True)])
    assert index.without_entries == [0, 1, 3]


def test_an_entry_may_have_a_line_break() -> None:
    assert found("any-case", ["North\nHouse", "Dunmore"], "north house") == ["north house"]


STAFF = [
    "Ngozi A. Okafor", "White, Rose", "Dr. Will Young", "Mary O'Brien, MD", "Ione Smith-Jones", "Jörg Müller",
    "Juan de la Cruz", "Elton John", "John Hartnell", "Hartley, John", "Jing Ma", "Wells, Ada, RN",
    "Garcia Lopez, Maria",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seen by Okafor, Ngozi A. today", ["Okafor, Ngozi A."]),
        ("Dr. Okafor and N. Okafor", ["Okafor", "N. Okafor"]),
        ("NGOZI OKAFOR signed", ["NGOZI OKAFOR"]),
        ("per okafor", ["okafor"]),
        ("Okafor's note", ["Okafor"]),
        ("Mary Okafor", ["Mary Okafor"]),
        ("Ngozi came. Mary and John too.", []),
        ("Elton John sang, Dr. John too", ["Elton John", "John"]),
        ("white count, White blood cells, rose", []),
        ("Rose White; Dr. White; R. White", ["Rose White", "White", "R. White"]),
        ("White, RN", ["White"]),
        ("Young man; Dr. Young; Will Young", ["Young", "Will Young"]),
        ("Mary O’Brien; O'BRIEN; O Brien", ["Mary O’Brien", "O'BRIEN", "O Brien"]),
        ("Smith-Jones; Ione Jones; Smithjones", ["Smith-Jones", "Ione Jones", "Smithjones"]),
        (
            "Mueller called; Dr. Muller; Jorg Mu\u0308ller",
            ["Mueller", "Muller", "Jorg Mu\u0308ller"],
        ),
        ("Jones criteria; Jones called", ["Jones"]),
        ("Juan de la Cruz", ["Juan de la Cruz"]),
        ("MA on call; Jing Ma", ["Jing Ma"]),
        ("Wells score; Ada Wells", ["Ada Wells"]),
        ("Lopez and Garcia", ["Lopez", "Garcia"]),
        ("Okafor, Hartnell, N., R. White", ["Okafor", "Hartnell, N.", "R. White"]),
        ("Okafor, Ngozi, Hartnell, John", ["Okafor, Ngozi", "Hartnell, John"]),
        ("Okafor\nHartnell\r\nElton\nJohn", ["Okafor", "Hartnell", "Elton\nJohn"]),
        ("NO was seen; N.O.", []),
        ("MD, RN, Dr.", []),
    ],
)
def test_people_are_found_in_any_order_and_form(text: str, expected: list[str]) -> None:
    assert found("name", STAFF, text) == expected


def test_she_ll_is_nobody_called_shell() -> None:
    assert found("name", ["Mary Shell"], "she'll call. Shell called.") == ["Shell"]


# Against a slow way to say the same


def slow(mode: Mode, entries: Sequence[str], text: str) -> set[tuple[int, int]]:
    """Every run of words tried with every entry."""
    words = list(WORD.finditer(text))
    spelled = written if mode == "exact" else folded
    phrases: set[tuple[str, ...]] = set()
    for entry in entries:
        forms = WORD.findall(entry)
        phrases.add(tuple(map(spelled, forms)))
        if mode != "exact":
            phrases.add(tuple(spelled(bare(form)) for form in forms))
    phrases.discard(())
    places = set()
    for first in range(len(words)):
        for last in range(first, min(len(words), first + 4)):
            run = words[first : last + 1]
            if not all(map(joined, run, run[1:])):
                break
            forms = [word[0] for word in run]
            end = words[last].end()
            shorter = end - len(forms[-1]) + len(bare(forms[-1]))
            bares = [*forms[:-1], bare(forms[-1])] if mode == "exact" else list(map(bare, forms))
            for some, stop in ((forms, end), (bares, shorter)):
                keys = tuple(map(spelled, some))
                if keys in phrases or (mode == "misspelt" and slipped(keys, some, phrases)):
                    places.add((run[0].start(), stop))
                    break
    return {
        (start, end)
        for start, end in places
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in places)
    }


def bare(word: str) -> str:
    return word[:-2] if word[-2:].lower() in ("'s", "’s") else word


def joined(word: object, following: object) -> bool:
    end, start, text = word.end(), following.start(), word.string  # type: ignore[attr-defined]
    stop = text.startswith(".", end) and end - word.start() > LONGEST_ABBREVIATION  # type: ignore[attr-defined]
    return not stop and GAP.fullmatch(text, end, start) is not None


def slipped(keys: Sequence[str], forms: Sequence[str], phrases: set[tuple[str, ...]]) -> bool:
    for phrase in phrases:
        wrong = [
            at for at, key in enumerate(keys) if len(phrase) == len(keys) and key != phrase[at]
        ]
        if (
            len(wrong) == 1
            and is_slip(keys[wrong[0]], phrase[wrong[0]])
            and forms[wrong[0]][0].isupper()
        ):
            return True
    return False


def is_slip(word: str, name: str) -> bool:
    return (
        min(len(word), len(name)) >= 5
        and word[0] == name[0]
        and not is_known_word(word)
        and OSA.distance(word, name) <= (1 if len(name) < 8 else 2)
    )


_LETTERS = st.sampled_from("aabbAB'’s sS.,-\n\r_7 éE\u0301İßʻʼ–²½Å\u212b")
NOTES = st.text(_LETTERS, max_size=60)
ENTRIES = st.lists(st.text(_LETTERS, min_size=1, max_size=8), min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["exact", "any-case"]), ENTRIES, NOTES)
def test_as_the_slow_way(mode: Mode, entries: list[str], text: str) -> None:
    index = ListIndex([WordList("some", "X", mode, entries)])
    places = [(start, end) for start, end, _ in index.find(NoteIndex(text))]
    assert sorted(places) == sorted(slow(mode, entries, text))


_NAMES = st.text(st.sampled_from("aabc"), min_size=4, max_size=9).map(lambda name: f"B{name}")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(_NAMES, min_size=1, max_size=2), min_size=1, max_size=5),
    st.lists(_NAMES, max_size=8),
)
def test_misspelt_as_the_slow_way(entries: list[list[str]], words: list[str]) -> None:
    given_entries = [" ".join(entry) for entry in entries]
    text = " ".join(words)
    index = ListIndex([WordList("some", "X", "misspelt", given_entries)])
    places = {(start, end) for start, end, _ in index.find(NoteIndex(text))}
    assert places == slow("misspelt", given_entries, text)


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("aé\u0301İ ß'-.x"), max_size=30), st.sampled_from(["NFC", "NFD"]))
def test_an_entry_is_found_whatever_stands_around_it_and_however_its_accents_are_coded(
    around: str, form: Literal["NFC", "NFD"]
) -> None:
    name = unicodedata.normalize(form, "Ézra Straße")
    text = f"{around} | {name} | {around}"
    assert name in found("any-case", ["Ezra Strasse"], text)
    assert name in found("exact", ["Ézra Straße"], text)


@settings(max_examples=100, deadline=None)
@given(ENTRIES, NOTES, st.integers(1, 5))
def test_a_long_note_is_read_in_portions_with_the_same_result(
    entries: list[str], text: str, size: int
) -> None:
    index = ListIndex([WordList("some", "X", "any-case", entries)])
    whole = list(index.find(NoteIndex(text)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(list_words, "PORTION", 0)
        patch.setattr(list_words, "PORTION_WORDS", size)
        assert list(index.find(NoteIndex(text))) == whole


# Work


def calls(index: ListIndex, text: str) -> int:
    """How many functions are called to search a note, when caches are full."""
    count = 0

    def count_calls(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    list(index.find(NoteIndex(text)))
    note = NoteIndex(text)
    sys.setprofile(count_calls)
    try:
        list(index.find(note))
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("mode", ["exact", "any-case", "misspelt", "name"])
def test_work_grows_with_the_note(mode: Mode) -> None:
    entries = [f"Anna{number} Brackenfield" for number in range(200)] + [
        "Brackenfield Brackenfield"
    ]
    index = ListIndex([WordList("some", "X", mode, entries)])

    for line in (
        "Brackenfield Anna7 Bracenfield ward\n",
        "Brackenfield Annabel ",
        "Anna, Brackenfield's, ",
    ):
        assert calls(index, line * 400) < 4.5 * calls(index, line * 100)


@pytest.mark.parametrize("mode", ["exact", "any-case", "misspelt", "name"])
def test_a_note_costs_the_same_beside_many_entries(mode: Mode) -> None:
    text = "Seen by Ngozi Okafor at North House, Brackenfeild ward.\n" * 5
    work = []
    for count in (100, 10_000):
        entries = [f"Person{number} Surname{number}" for number in range(count)]
        entries += ["Ngozi Okafor", "North House", "Brackenfield Ward"]
        index = ListIndex([WordList("some", "X", mode, entries)])
        work.append(calls(index, text))
    assert work[1] <= 1.1 * work[0]
