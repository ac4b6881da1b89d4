"""Each operator, the operators in words, and what replacing never does."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.phi import TYPES
from incognote.replace import OperatorError, apply, parse_operators
from incognote.replace.operators import masked, number_mentions

KEY = b"a key of sufficient length"


def note(text: str, *marks: tuple[str, str]) -> Document:
    """A document with spans on the given texts, found from left to right."""
    spans, place = [], 0
    for type, value in marks:
        place = text.index(value, place)
        spans.append(Span.of(text, place, place + len(value), type, source="rules.test"))
        place += len(value)
    return Document("1", text, tuple(spans))


SEEN = note("Ngozi Okafor seen 3/14/19.", ("PATIENT", "Ngozi Okafor"), ("DATE", "3/14/19"))


@pytest.mark.parametrize(
    ("operators", "expected"),
    [
        ("tag", "[PATIENT] seen [DATE]."),
        ("redact", " seen ."),
        ("mask", "Xxxxx Xxxxxx seen 0/00/00."),
        ("tag,DATE=mask", "[PATIENT] seen 0/00/00."),
        ("redact,NAME=tag", "[PATIENT] seen ."),
        ("tag,DATE=keep", "[PATIENT] seen 3/14/19."),
        (" mask , DATE = tag ", "Xxxxx Xxxxxx seen [DATE]."),
    ],
)
def test_operators_and_policies(operators: str, expected: str) -> None:
    assert apply(SEEN, parse_operators(operators)).text == expected


def test_output_spans_index_the_output_and_carry_nothing_of_the_original() -> None:
    output = apply(SEEN, parse_operators("tag"))
    assert [(span.text, span.type, span.source) for span in output.spans] == [
        ("[PATIENT]", "PATIENT", "rules.test"),
        ("[DATE]", "DATE", "rules.test"),
    ]
    assert all(span.text == output.text[span.start : span.end] for span in output.spans)


def test_mask_keeps_length_and_hides_letters_of_every_script() -> None:
    document = note("Ŭn Ñandú-Ωμ é 王小明 ٣", ("PATIENT", "Ŭn Ñandú-Ωμ é 王小明 ٣"))
    masked = apply(document, parse_operators("mask")).text
    assert len(masked) == len(document.text)
    assert set(masked) <= set("Xx0 -")


def test_mask_leaves_nothing_that_could_be_read() -> None:
    everything = "".join(map(chr, range(0x110000)))
    masks = masked(everything)
    assert len(masks) == len(everything)
    stays = {old for old, new in zip(everything, masks, strict=True) if old == new} - set("Xx0")
    assert {unicodedata.category(each)[0] for each in stays - set("\r\n\t\v\f")} == set("PZS")
    assert not any(unicodedata.category(each) in ("So", "Sk") for each in stays if each > "\u00ff")
    assert masked("38.5 °C") == "00.0 °X"
    assert masked("⠕⠅ 🇴🇰🇦 ~$5 a+b") == "xx xxx ~$0 x+x"


def test_hash_is_stable_short_and_depends_on_the_key_and_the_type() -> None:
    operators = parse_operators("hash", key=KEY)
    upper = apply(note("OKAFOR", ("PATIENT", "OKAFOR")), operators).text
    lower = apply(note("x Okafor", ("PATIENT", "Okafor")), operators).text
    assert upper == lower.removeprefix("x ")
    assert upper.startswith("[PATIENT-")
    assert len(upper) == len("[PATIENT-]") + 12
    other_key = apply(
        note("Okafor", ("PATIENT", "Okafor")), parse_operators("hash", key=KEY[1:])
    ).text
    other_type = apply(note("Okafor", ("DOCTOR", "Okafor")), operators).text
    assert upper != other_key
    assert upper[9:] != other_type[8:]


def test_hash_without_a_key_says_what_to_do() -> None:
    with pytest.raises(OperatorError, match="--key-file"):
        parse_operators("hash")


@pytest.mark.parametrize("words", ["shred", "tag,NOSUCH=mask", "tag,DATE=", "=tag"])
def test_a_policy_that_names_nothing_is_refused(words: str) -> None:
    with pytest.raises(OperatorError):
        parse_operators(words)


def test_numbers_follow_persons_not_strings() -> None:
    document = note(
        "OKAFOR, NGOZI A. and wife Ada Obi. Ms. Okafor, N.O., Ngozi; Obi left. Dr. Obi",
        ("PATIENT", "OKAFOR, NGOZI A."),
        ("PATIENT", "Ada Obi"),
        ("PATIENT", "Okafor"),
        ("PATIENT", "N.O."),
        ("PATIENT", "Ngozi"),
        ("PATIENT", "Obi"),
        ("DOCTOR", "Obi"),
    )
    assert apply(document, parse_operators("tag", number=True)).text == (
        "[PATIENT-1] and wife [PATIENT-2]. Ms. [PATIENT-1], [PATIENT-1], [PATIENT-1]; "
        "[PATIENT-2] left. Dr. [DOCTOR-1]"
    )


def test_values_are_numbered_by_their_letters_and_digits() -> None:
    document = note(
        "419-471-8026, (419) 471 8026, 419-471-8027",
        ("PHONE", "419-471-8026"),
        ("PHONE", "(419) 471 8026"),
        ("PHONE", "419-471-8027"),
    )
    assert (
        apply(document, parse_operators("tag", number=True)).text
        == "[PHONE-1], [PHONE-1], [PHONE-2]"
    )


def test_a_name_without_letters_is_still_numbered() -> None:
    assert number_mentions([Span(0, 1, "PATIENT", "?")]) == {("PATIENT", "?"): 1}


def test_overlapping_spans_are_refused() -> None:
    text = "abcdef"
    document = Document("1", text, (Span.of(text, 0, 4, "DATE"), Span.of(text, 2, 6, "AGE")))
    with pytest.raises(ValueError, match="overlap"):
        apply(document, parse_operators("tag"))


@st.composite
def marked(draw: st.DrawFn) -> Document:
    pieces = draw(st.lists(st.text(max_size=8), min_size=1, max_size=9))
    text, spans = "", []
    for turn, piece in enumerate(pieces):
        if turn % 2 and piece:
            spans.append(
                Span(len(text), len(text) + len(piece), draw(st.sampled_from(TYPES)), piece)
            )
        text += piece
    return Document("1", text, tuple(spans))


POLICIES = ["tag", "redact", "mask", "hash", "keep", "tag,DATE=mask,ID=redact"]


@given(marked(), st.sampled_from(POLICIES), st.booleans())
def test_text_outside_spans_comes_out_identical(
    document: Document, words: str, number: bool
) -> None:
    output = apply(document, parse_operators(words, key=KEY, number=number))
    assert outside(output) == outside(document)
    assert [span.type for span in output.spans] == [span.type for span in document.spans]


def outside(document: Document) -> list[str]:
    pieces, last = [], 0
    for span in document.spans:
        pieces.append(document.text[last : span.start])
        last = span.end
    return [*pieces, document.text[last:]]


@given(marked())
def test_mask_never_leaves_a_letter_or_digit_of_the_original(document: Document) -> None:
    for span in apply(document, parse_operators("mask")).spans:
        kept = {character for character in span.text if character.isalnum()}
        assert kept <= {"X", "x", "0"}
        assert not set(span.text) & (set(string.ascii_letters) - set("Xx"))
