"""Articles lose their markup and keep their sentences, however broken the markup is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.workshop.text_cleaning.wikitext import plain_text

LONG = 200_000
SECONDS = 5.0
"""Far more than the half second that the slowest takes: it fails what is quadratic only."""


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        (
            "'''Paris''' is the [[capital city|capital]] of [[France]].",
            "Paris is the capital of France.",
        ),
        (
            "It has {{convert|105|km2|sqmi}} and {{lang|fr|arrondissements}}.",
            "It has 105 km2 and arrondissements.",
        ),
        ("From {{convert|5|to|10|km|mi}} away.", "From 5 to 10 km away."),
        ("The name ({{IPA|x}}; {{lang|la|Lutetia}}) is old.", "The name (Lutetia) is old."),
        ("The name ({{IPA|x}}) is old.", "The name is old."),
        (
            "Old.<ref name=a>{{cite|x}}</ref><ref name=a /> New.<!-- hidden --> End.",
            "Old. New. End.",
        ),
        ("See [https://example.org the site] or [https://example.org].", "See the site or."),
        ("A [[File:a.jpg|thumb|A [[tower]] and {{x|[[y]]}}]]picture.", "A picture."),
        ("Mercury [[Mercury (planet)|]] shines.", "Mercury Mercury shines."),
        ("[[:Category:Cities]] are listed.", "Category:Cities are listed."),
        ("Text. [[Category:Cities]] [[fr:Paris]]", "Text."),
        ("A <math>x_1 < 2</math> term and <nowiki><b></nowiki> text.", "A term and <b> text."),
        ("Fish &amp; chips&nbsp;shop, 5&nbsp;&ndash; 6 km.", "Fish & chips shop, 5 – 6 km."),
        ("One.<br />Two. <small>three</small> H<sub>2</sub>O", "One. Two. three H2O"),
        ("__NOTOC__\n== Head ==\nText.\n----\n=== Sub ===\nMore.", "Text.\nMore."),
        ("Text.\n* item\n# item\n:indented\n; term : meaning\nMore.", "Text.\nMore."),
    ],
)
def test_markup_becomes_what_a_reader_sees(wikitext: str, text: str) -> None:
    assert plain_text(wikitext) == text


def test_tables_are_left_out_with_the_tables_in_them() -> None:
    table = (
        '{| class="wikitable"\n! head\n|-\n| a || {| nested\n| b\n|}\n|\n{|\n| c {{x|\n|}}\n|}\n|}'
    )
    assert plain_text(f"Before.\n{table}\nAfter.") == "Before.\nAfter."
    assert plain_text("A <table><tr><td>x<table><tr><td>y</table></td></table>b.") == "A b."


def test_an_infobox_may_hold_anything() -> None:
    box = "{{Infobox\n| a = {{b|{{c}}}} [[d|e]]\n| f = {|\n| g\n|}\n| h = <ref>{{i}}</ref>\n}}"
    assert plain_text(f"{box}\n'''Town''' lies here.") == "Town lies here."


@pytest.mark.parametrize(
    "unclosed",
    [
        "{{Infobox\n| name = x\n| place = y",
        '{| class="wikitable"\n! head\n|-\n| cell || cell',
        "Text <ref>is {{cite}} never closed",
        "Text [[is never closed",
        "Text <math>is never closed",
        "Text <table> is never closed",
        "Text {{is never closed",
    ],
)
def test_what_is_never_closed_does_not_swallow_the_article(unclosed: str) -> None:
    text = plain_text(f"{unclosed}\n\nThe article goes on{{{{x}}}}.<ref>y</ref>\n\nTo its end.")
    assert text.endswith("The article goes on.\nTo its end.")
    assert not set("{}[]|<") & set(text)


def test_the_last_sections_are_left_out_up_to_the_next_of_their_level() -> None:
    article = (
        "Text.\n== See also ==\nSome prose.\n=== Deeper ===\nMore of it.\n== Legacy ==\nKept.\n"
        "==References==\n<references />\nLeft out."
    )
    assert plain_text(article) == "Text.\nKept."


def test_pictures_go_by_the_names_of_their_own_wiki() -> None:
    text = "Die [[Datei:a.jpg|mini|Ein Turm]]Stadt. [[Kategorie:Ort]]"
    assert plain_text(text, frozenset({"datei", "kategorie"})) == "Die Stadt."


@pytest.mark.parametrize(
    "piece",
    [
        "{{",
        "}}",
        "[[",
        "[[a|",
        "<ref>",
        "<math>",
        "<aaaa",
        "<!--",
        "{|\n",
        "|}\n",
        "[http://a",
        "'",
        "( ",
        "= ",
        "\n\t",
        "&",
        "__",
        "{{a|}}",
        "<nowiki>",
    ],
)
def test_time_is_linear_in_the_length(piece: str) -> None:
    began = time.process_time()
    plain_text(piece * (LONG // len(piece)))
    assert time.process_time() - began < SECONDS


def test_deep_markup_is_resolved_in_time() -> None:
    began = time.process_time()
    plain_text("{{a|" * 20_000 + "}}" * 20_000 + "[[b|" * 20_000 + "]]" * 20_000)
    assert time.process_time() - began < SECONDS


@given(st.text(alphabet="{}[]|<>/=*'!-:ref \nmath&;ab", max_size=200))
def test_any_markup_gives_lines_of_words(wikitext: str) -> None:
    for line in plain_text(wikitext).split("\n"):
        assert line == line.strip()
        assert not line or any(map(str.isalpha, line))


@given(
    st.lists(
        st.sampled_from(["A plain sentence.", "Another one, with a mark!", "Two: (in all)."]),
        min_size=1,
    )
)
def test_plain_paragraphs_stay_as_they_are(paragraphs: list[str]) -> None:
    assert plain_text("\n\n".join(paragraphs)) == "\n".join(paragraphs)
