"""The work of replacing grows with the number of different values in a note, not with its square.

Work is counted in calls of functions, of Python's own too, so that a busy machine changes nothing.
"""

from __future__ import annotations

import string
import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from incognote.document import Document, Span
from incognote.replace import parse_operators, rewrite

KEY = b"a key of the tests"
FEW, TIMES = 150, 4
GROWTH = 1.35
"""Four times as many values may take so much more than four times the work."""
LETTERS = ["".join(each) for each in product("bdfgklmnprstvz", "aeiou", "bdfgklmnprstvz", "aeiou")]


def word(number: int) -> str:
    """Thousands of different words that look like names."""
    number, first = divmod(number * 7919 % 960_400, len(LETTERS))
    return (LETTERS[first] + LETTERS[number % len(LETTERS)][:3]).capitalize()


def close(number: int) -> str:
    """Different words of which each is a slip away from many others."""
    number, last = divmod(number, 26)
    number, middle = divmod(number, 26)
    letters = string.ascii_lowercase
    return f"Quin{letters[number % 26]}{letters[middle]}rtzo{letters[last]}"


VALUES: dict[str, Callable[[int], tuple[str, str]]] = {
    "full names": lambda n: ("DOCTOR", f"{word(n)} {word(n + 5000)}"),
    "names with one surname": lambda n: ("PATIENT", f"{word(n)} Smith"),
    "names with one given name": lambda n: ("DOCTOR", f"Mary {word(n)}"),
    "surnames": lambda n: ("DOCTOR", word(n)),
    "surnames a slip apart": lambda n: ("DOCTOR", close(n)),
    "long surnames a slip apart": lambda n: ("DOCTOR", f"{close(n)}berger"),
    "initials and one surname": lambda n: (
        "DOCTOR",
        f"{string.ascii_uppercase[n % 26]}. {string.ascii_uppercase[n // 26 % 26]}. Smith",
    ),
    "mentions of one person": lambda n: ("PATIENT", ("Ngozi Okafor", "N.O.", "Okafor")[n % 3]),
    "towns": lambda n: ("CITY", f"{word(n)}ville"),
    "streets": lambda n: ("STREET", f"{n + 1} {word(n)} Street"),
    "postal codes": lambda n: ("ZIP", f"{10001 + n * 37:05}"),
    "countries": lambda n: ("COUNTRY", f"{word(n)}land"),
    "landmarks": lambda n: ("LOCATION-OTHER", f"{word(n)} Lake"),
    "hospitals": lambda n: ("HOSPITAL", f"{word(n)} Creek Medical Center"),
    "acronyms": lambda n: (
        "HOSPITAL",
        f"Q{string.ascii_uppercase[n % 26]}{string.ascii_uppercase[n // 26 % 26]}Z",
    ),
    "jobs": lambda n: ("PROFESSION", f"{word(n).lower()} welder"),
    "phones of one area": lambda n: ("PHONE", f"(410) 627-{n:04}"),
    "local phones": lambda n: ("PHONE", f"627-{n:04}"),
    "record numbers": lambda n: ("MEDICALRECORD", f"{4_000_000 + n * 131}"),
    "social security numbers": lambda n: ("SSN", f"503-{10 + n % 80}-{1000 + n}"),
    "e-mail addresses": lambda n: ("EMAIL", f"{word(n).lower()}@{word(n + 9).lower()}.org"),
    "network addresses": lambda n: ("IPADDR", f"10.44.{n % 250}.{n // 250}"),
    "dates": lambda n: ("DATE", f"{1 + n % 12}/{1 + n % 28}/{1950 + n % 70}"),
    "ages": lambda n: ("AGE", f"{n % 89 + 1}"),
}


def note(number: int, value: Callable[[int], tuple[str, str]]) -> Document:
    text, spans = "", []
    for place in range(number):
        type, shown = value(place)
        spans.append(Span(len(text), len(text) + len(shown), type, shown))
        text += f"{shown}\n"
    return Document("", text, tuple(spans), "p")


def work(document: Document, operators: str, **settings: Any) -> int:
    """How many functions are called."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    chosen = parse_operators(operators, key=KEY, **settings)
    sys.setprofile(count)
    try:
        rewrite(document, chosen)
    finally:
        sys.setprofile(None)
    return calls


def grows(value: Callable[[int], tuple[str, str]], operators: str, **settings: Any) -> float:
    rewrite(note(FEW * TIMES, value), parse_operators(operators, key=KEY, **settings))
    few, many = (work(note(size, value), operators, **settings) for size in (FEW, FEW * TIMES))
    return many / few / TIMES


LONG: dict[str, tuple[str, Callable[[int], str]]] = {
    "words of a street": ("STREET", lambda n: f"{word(n)} "),
    "words of a hospital": ("HOSPITAL", lambda n: f"{word(n)} "),
    "letters of a hospital": ("HOSPITAL", lambda n: f"{'AB'[n % 2]}."),
    "digits of a street": ("STREET", lambda n: f"{n % 9 + 1}" * 12),
}


@pytest.mark.parametrize("part", LONG)
def test_one_long_value_takes_work_in_proportion(part: str) -> None:
    type, shown = LONG[part]

    def steps(size: int) -> int:
        """How many lines run, also those of a loop that calls nothing."""
        text = "".join(map(shown, range(size))).strip()
        document = Document("", text, (Span(0, len(text), type, text),), "p")
        lines = 0

        def trace(frame: Any, event: str, argument: object) -> Any:
            nonlocal lines
            lines += event == "line"
            return trace

        chosen = parse_operators("surrogate", key=KEY)
        rewrite(document, chosen)
        earlier = sys.gettrace()
        sys.settrace(trace)
        try:
            rewrite(document, chosen)
        finally:
            sys.settrace(earlier)
        return lines

    assert steps(1600) / steps(400) / 4 < GROWTH


def test_a_street_of_forty_thousand_digits_is_replaced() -> None:
    text = "7" * 40_000
    document = Document("", text, (Span(0, len(text), "STREET", text),), "p")
    new = rewrite(document, parse_operators("surrogate", key=KEY)).document.text
    assert len(new) == len(text)
    assert text[:20] not in new


@pytest.mark.parametrize("values", ["dates", "ages"])
@pytest.mark.parametrize("operator", ["year", "month", "generalise", "shift"])
def test_so_do_operators_that_say_less(operator: str, values: str) -> None:
    assert grows(VALUES[values], operator) < GROWTH


@pytest.mark.parametrize("values", VALUES)
def test_surrogates_take_work_in_proportion(values: str) -> None:
    assert grows(VALUES[values], "surrogate") < GROWTH


@pytest.mark.parametrize("values", VALUES)
def test_numbered_tags_take_work_in_proportion(values: str) -> None:
    assert grows(VALUES[values], "tag", number=True) < GROWTH


def test_logins_that_show_the_people_of_the_note_take_work_in_proportion() -> None:
    def person_or_login(n: int) -> tuple[str, str]:
        name = word(n // 2)
        return ("EMAIL", f"{name.lower()}.m@x.org") if n % 2 else ("DOCTOR", f"Mary {name}")

    assert grows(person_or_login, "surrogate") < GROWTH
