"""Whatever a span holds, every operator gives something else for it, and none raises."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.phi import TYPES
from incognote.replace import parse_operators, rewrite
from incognote.replace.surrogate.number_shapes import compact

KEY = b"a key of the tests"
COARSE = {
    "year": ("DATE",),
    "month": ("DATE",),
    "generalise": ("DATE", "AGE", "ZIP"),
    "shift": ("DATE", "AGE"),
}
"""Operators that read some types only; all others become tags."""
POLICIES = {
    name: parse_operators(name, key=KEY, number=name == "tag")
    for name in ("surrogate", "hash", "tag", "mask", "redact", *COARSE)
}
MAY_STAY = {"DATE", "AGE"}
"""Weekdays, months and years that the shift leads back to, and ages under 90."""

ODD = (
    "2001:db8:::1", "::", ":::", "1::2::3", "fe80::1%eth0", "::ffff:10.0.0.1", "999.999.999.999", "0.0.0.0",
    "00:00:00:00:00:00", "\ud800", "a\udfffb", "\x00", "\u202eabc", "ﬁ ﬂ", "ß", "İstanbul", "٣٤٥٦", "１２３-４５-６７８９",
    "²³", "Ⅷ", "①②③", "½", "𝟘𝟙𝟚𝟛𝟜", "零一二", "O'", "'s", "’", "St.", "Mc", "van der", "Dr.", "Jr.", "@", "a@", "@b",
    "a@b", "http://", "http://@/", "www.", "....", "x", "X" * 40, "xxx-xx-xxxx", "+", "+1", "00", "0", "1", "555",
    "000-00-0000", "4111111111111111", "0000000000000000", "N0", "(01)", "(01)00000000000000(21)", "IBAN", "GB00",
    "1 of 2", "é\u0301", "👩‍⚕️", "Ａｎｎａ", "ANNA-", "-Anna", "J", "J.", "j s", "M.D.", "a" * 3000, "9" * 6000,
    "1" * 5000 + "-" + "2" * 5000, "Anna " * 400, "12/25/" + "9" * 5000, "9" * 5000 + " years", "Christmas " * 30,
    "A" * 24, "A1" * 2000, "٣" * 5000, "²" * 50, "\u0661" * 3, "1\u0662", "12\n34", "\n", " \t ", "​", "\u2028",
)  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(ODD),
    st.text(min_size=1, max_size=30),
    st.text(
        st.characters(categories=["Cs", "Nd", "No", "Nl", "Mn", "Lo"]), min_size=1, max_size=12
    ),
    st.from_regex(r"[0-9a-fA-F:.\-/@+() ]{1,40}", fullmatch=True),
    st.builds(
        lambda digit, times: digit * times, st.sampled_from("0123456789٣²"), st.integers(1, 9000)
    ),
)


def note(texts: list[tuple[str, str]]) -> Document:
    text, spans = "", []
    for type, value in texts:
        spans.append(Span(len(text), len(text) + len(value), type, value))
        text += f"{value}\n"
    return Document("", text, tuple(spans), "p")


def check(texts: list[tuple[str, str]]) -> None:
    document = note(texts)
    for name, operators in POLICIES.items():
        output = rewrite(document, operators).document
        for (type, value), span in zip(texts, output.spans, strict=True):
            if name == "surrogate" and type not in MAY_STAY and compact(value):
                assert compact(span.text) != compact(value), type
            if type not in COARSE.get(name, TYPES):
                assert span.text == f"[{type}]"
            if name == "hash":
                assert span.text.startswith(f"[{type}-")


@pytest.mark.parametrize("type", TYPES)
def test_odd_values_of_every_type(type: str) -> None:
    for value in ODD:
        check([(type, value)])


@settings(max_examples=150, deadline=None)
@example([("IPADDR", "2001:db8:::1")])
@given(st.lists(st.tuples(st.sampled_from(TYPES), TEXTS), min_size=1, max_size=6))
def test_any_values_together(texts: list[tuple[str, str]]) -> None:
    check(texts)


def test_a_hash_takes_any_text() -> None:
    lone = rewrite(note([("PATIENT", "\ud800")]), POLICIES["hash"]).document.spans[0].text
    other = rewrite(note([("PATIENT", "\ud801")]), POLICIES["hash"]).document.spans[0].text
    assert lone != other
