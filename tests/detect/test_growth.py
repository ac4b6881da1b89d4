"""Work grows with the note and with what is in it, not with the square of either.

Work is counted, not timed: every call of a function, in Python or in C. Four times the text may
take four times the calls.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from benchmarks.growth import TEXTS, model_like, name_of
from incognote.detect.finder import Finder, join
from incognote.detect.known import KnownValues
from incognote.detect.merge import merge
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import propagate
from incognote.detect.sequences import Automaton, Stream
from incognote.detect.site.patterns import LinearPattern, SitePattern
from incognote.document import Document, Span

SHORT, FACTOR, LIMIT = 3_000, 4, 4.9
Work = Callable[[], object]


def counted(work: Work) -> int:
    """How many functions are called."""
    count = 0

    def count_calls(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_calls)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def calls(work: Work) -> int:
    """The same the second time, when caches are full."""
    work()
    return counted(work)


def growth(work_on: Callable[[int], Work], size: int = SHORT) -> float:
    """How many times the work grows when the size grows `FACTOR` times."""
    return calls(work_on(size * FACTOR)) / calls(work_on(size))


@pytest.mark.parametrize("name", [name for name in TEXTS if name != "notes"])
def test_rules_propagation_and_merging(name: str) -> None:
    def detect(size: int) -> Work:
        document = Document("", TEXTS[name](size))
        return lambda: Finder().detect(document)

    assert growth(detect) < LIMIT


@pytest.mark.parametrize("text", ["study ODL-1234 ", "study ODL-1234 é "])
def test_the_patterns_of_a_site(text: str) -> None:
    pattern = SitePattern("row", "IDNUM", LinearPattern(r"ODL-\d{4}"), before=("study",))

    def find(size: int) -> Work:
        note = text * (size // len(text))
        return lambda: list(pattern.find(NoteIndex(note)))

    assert growth(find, 4 * SHORT) < LIMIT


@pytest.mark.parametrize(
    "name",
    ["phones of one area", "hospitals of one name", "patients", "eponyms in one line", "columns"],
)
def test_a_model_and_rules_joined(name: str) -> None:
    def work_on(size: int) -> Work:
        text = TEXTS[name](size)
        rules, model = Finder().detect(Document("", text)).spans, model_like(text)
        return lambda: join(NoteIndex(text), rules, model)

    assert growth(work_on, 4 * SHORT) < LIMIT


def _table(size: int) -> tuple[tuple[str, str], ...]:
    """As many values of each kind as fill so many characters, many of them beginning alike."""
    return tuple(
        pair
        for number in range(size // 100)
        for pair in (
            ("PATIENT", f"{name_of(number)} {name_of(number * 7)}"),
            ("DATE", f"19{number % 90 + 10}-0{number % 9 + 1}-{number % 28 + 1}"),
            ("PHONE", f"(914) 705-{number:04d}"),
            ("MEDICALRECORD", f"00471-{number:04d}"),
            ("STREET", f"18 {name_of(number)} Ln, Apt {number}, Dunmore, PA 18512"),
            ("HOSPITAL", f"Saint {name_of(number)} Hospital"),
            ("EMAIL", f"info@{name_of(number).lower()}.example"),
            ("AGE", str(number)),
        )
    )


def _mentions(known: tuple[tuple[str, str], ...]) -> str:
    return "\n".join(f"{value.upper()} seen." for _, value in known)


def test_known_values_in_a_note_that_has_them_all() -> None:
    def work_on(size: int) -> Work:
        known = _table(size)
        text = _mentions(known)

        def find() -> object:
            re.purge()  # else few patterns are remembered and many are not
            return KnownValues(known).find(NoteIndex(text))

        return find

    assert growth(work_on) < LIMIT


def test_a_note_is_read_as_often_for_many_known_values_as_for_few() -> None:
    few, many = KnownValues(_table(100)), KnownValues(_table(100_000))
    assert len(many.searches) == len(few.searches)
    text = TEXTS["notes"](20_000)
    assert calls(lambda: many.find(NoteIndex(text))) < 4 * calls(lambda: few.find(NoteIndex(text)))


LONG = 100_000
AWKWARD = 15_000
MOST_CALLS = 100
"""For each character of a value and of its mentions."""

LONG_VALUES = {
    "words": " ".join(name_of(number) for number in range(LONG // 7))[:LONG].strip(),
    "digits": "1" * LONG,
    "one word": "a" * LONG,
    "the same word": ("ab " * AWKWARD)[: AWKWARD - 1],
    "separated digits": ("1-" * AWKWARD)[: AWKWARD - 1],
    "apostrophes": ("o'" * AWKWARD)[: AWKWARD - 1],
    "commas": ("a1, " * AWKWARD)[: AWKWARD - 2],
}


@pytest.mark.parametrize(
    "type", ["PATIENT", "DATE", "STREET", "CITY", "PHONE", "EMAIL", "AGE", "IDNUM"]
)
@pytest.mark.parametrize("value", LONG_VALUES)
def test_one_known_value_of_100_000_characters(type: str, value: str) -> None:
    """Looked for in a note that says it twice. Those like themselves are shorter: all the worse."""
    given = LONG_VALUES[value]
    text = f"{given}\n\n{given.upper()}\n"
    found = counted(lambda: KnownValues(((type, given),)).find(NoteIndex(text)))
    assert found < MOST_CALLS * len(given)


@pytest.mark.parametrize("type", ["EMAIL", "IDNUM", "HOSPITAL"])
def test_a_long_known_value_is_found(type: str) -> None:
    value = " ".join(f"{name_of(number)}{number}" for number in range(2_000))
    text = f"Before. {value} after. {value.lower()}"
    found = KnownValues(((type, value),)).find(NoteIndex(text))
    assert [span.text.lower() for span in found] == [value.lower()] * 2


def test_a_table_value_that_is_only_a_comma_is_nothing_to_look_for() -> None:
    assert KnownValues((("STREET", ","),)).find(NoteIndex("a, b")) == []


def test_overlapping_findings_merge_with_work_in_proportion() -> None:
    def work_on(size: int) -> Work:
        text = "ab 1, " * (size // 6)
        spans = [Span.of(text, at, at + 9, "DATE") for at in range(0, len(text) - 9, 4)]
        return lambda: merge(text, spans)

    assert growth(work_on) < LIMIT


def test_values_that_hold_each_other_are_propagated_in_one_pass() -> None:
    """Numbers of which each begins like the others, and goes on further."""
    numbers = ["-".join("12345" for _ in range(size)) for size in range(1, 30)]
    text = "\n".join([*numbers, *numbers])
    spans = []
    place = 0
    for number in numbers:
        spans.append(Span.of(text, place, place + len(number), "IDNUM"))
        place += len(number) + 1
    found = propagate(NoteIndex(text), spans)
    assert [span.text for span in found] == numbers


def test_a_sequence_is_found_inside_another_that_breaks_off() -> None:
    stream = Stream(re.compile(r"\w"), str)
    automaton = Automaton(["abcd", "bc", "c"])
    found = [
        (number, start, end) for number, start, end in automaton.find("abcabcd", stream, [0, 3])
    ]
    assert found == [(1, 1, 3), (2, 2, 3), (1, 4, 6), (2, 5, 6), (0, 3, 7)]


def test_places_of_words_take_few_bytes() -> None:
    """They are most of what is kept of a note of many megabytes."""
    note = NoteIndex("word 17 " * 100_000)
    for places in (note.words["word"], note.numbers["17"], note.shapes[2, " w"]):
        assert sys.getsizeof(places) < 6 * 100_000
