"""The error page in a real browser, from disk."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest

from incognote.document import Document, Span
from incognote.evaluate import Resampling, score
from incognote.evaluate.error_analysis import analyse
from incognote.evaluate.error_page import error_page

__test__ = chromium.EXPECTED

HOSTILE = (
    'Dr. </script><script>window.hurt=1</script> <img src=x onerror="window.hurt=1"> '
    "<!-- &amp; ]]> \u2028 \U0001f600 seen"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
    with chromium.browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


def written(
    folder: Path, gold: list[Document], predicted: list[Document], title: str = "x"
) -> Path:
    report = score(gold, predicted, blocks=["release"], resampling=Resampling(resamples=50))
    path = folder / "errors.html"
    path.write_text(error_page(report, analyse(gold, predicted), title), encoding="utf-8")
    return path


def spans(text: str, *marks: tuple[str, str], source: str = "gold") -> tuple[Span, ...]:
    return tuple(
        Span.of(text, text.index(part), text.index(part) + len(part), type, source=source)
        for part, type in marks
    )


SMALL = "Ann Lee, 54, came on 3/14 and 3/15 from Rome to see Dr. Oak."


@pytest.fixture
def small(tmp_path: Path) -> Path:
    gold = spans(
        SMALL,
        ("Ann Lee", "PATIENT"),
        ("54", "AGE"),
        ("3/14", "DATE"),
        ("3/15", "DATE"),
        ("Rome", "CITY"),
    )
    found = (
        *spans(SMALL, ("Lee", "PATIENT"), ("Rome", "STATE"), source="rules.names"),
        *spans(SMALL, ("came", "DATE"), ("3/15", "DATE"), source="rules.dates"),
    )
    notes = [Document("note-1", SMALL, gold)], [Document("note-1", SMALL, found)]
    return written(tmp_path, *notes, title="rules")


ROWS = """[...document.querySelectorAll("#list > li")].map(row => [
    row.className,
    row.querySelector(".types").textContent,
    [...row.querySelectorAll(".annotated")].map(piece => piece.textContent).join(""),
    [...row.querySelectorAll(".marked")].map(piece => piece.textContent).join("")])"""
COUNT = "document.getElementById('count').textContent"

MISSED_DATE = ["missed", "DATE", "3/14", ""]
SPURIOUS_DATE = ["spurious", "DATE", "", "came"]
MISTYPED_CITY = ["mistyped", "CITY found as STATE", "Rome", "Rome"]
CUT_PATIENT = ["boundary", "PATIENT found as PATIENT", "Ann Lee", "Lee"]
MISSED_AGE = ["missed", "AGE", "54", ""]


def test_every_error_is_shown_in_its_context(page: chromium.Page, small: Path) -> None:
    page.open(small)
    leaks, others = [CUT_PATIENT, MISSED_AGE, MISSED_DATE], [SPURIOUS_DATE, MISTYPED_CITY]
    assert page.run(ROWS) == leaks + others
    contexts = "[...document.querySelectorAll('.context')].map(one => one.textContent)"
    assert set(page.run(contexts)) == {SMALL}
    assert page.run("document.querySelector('.warning').getBoundingClientRect().top") == 0
    assert "identifiers of patients" in page.run("document.querySelector('.warning').innerText")


def test_the_picture_stands_at_the_top_then_the_errors_then_the_tables(
    page: chromium.Page, small: Path
) -> None:
    page.open(small)
    tops = page.run(
        "['.headline', '.overview svg', '#list > li', '.figures', '.confusion']"
        ".map(what => document.querySelector(what).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    headline = page.run("document.querySelector('.headline').textContent")
    assert headline == "3 of 5 identifiers show, in 1 of 1 note with identifiers."
    widths = page.run(
        "[...document.querySelectorAll('.overview')[0].querySelectorAll('rect')]"
        ".map(part => [part.className.baseVal, part.width.baseVal.value])"
    )
    assert widths == [["leak", 600], ["otherwise", 200], ["exact", 200]]


def test_the_whole_note_of_an_error_can_be_opened(page: chromium.Page, tmp_path: Path) -> None:
    text = "\U0001f600 " * 300 + SMALL + " more" * 300
    gold = spans(text, ("Ann Lee", "PATIENT"), ("3/14", "DATE"), ("3/15", "DATE"))
    found = spans(text, ("3/15", "DATE"), source="rules.dates")
    path = written(tmp_path, [Document("n", text, gold)], [Document("n", text, found)])
    page.open(path)
    assert page.run("document.querySelector('.context').textContent.length") < 400
    page.run("document.querySelector('.open-note').click()")
    assert page.run("document.querySelector('.whole').textContent") == text
    assert page.run("document.querySelector('.whole .here').textContent") == "Ann Lee"
    marked = "[...document.querySelectorAll('.whole .marked')].map(piece => piece.textContent)"
    assert page.run(marked) == ["3/15"]
    page.press("j")
    page.press("n")
    assert page.run("document.querySelectorAll('.whole').length") == 0
    page.press("n")
    assert page.run("document.querySelectorAll('.whole').length") == 1


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        ("type=DATE&kind=missed", [MISSED_DATE]),
        ("type=DATE", [MISSED_DATE, SPURIOUS_DATE]),
        ("type=STATE", [MISTYPED_CITY]),
        ("kind=boundary", [CUT_PATIENT]),
        ("detector=rules.dates", [SPURIOUS_DATE]),
        ("leaks=1", [CUT_PATIENT, MISSED_AGE, MISSED_DATE]),
        ("gold=CITY&found=STATE", [MISTYPED_CITY]),
        ("kind=missed&type=CITY", []),
        ("text=nowhere", []),
        ("text=NOTE-1&kind=spurious", [SPURIOUS_DATE]),
    ],
)
def test_the_address_filters(
    page: chromium.Page, small: Path, filters: str, rows: list[list[str]]
) -> None:
    page.open(small, filters)
    assert page.run(ROWS) == rows
    assert page.run(COUNT) == f"{len(rows)} of 5 errors"


def test_choices_and_links_filter(page: chromium.Page, small: Path) -> None:
    page.open(small)
    choose = (
        "{const box = document.forms.filters.elements.%s; box.value = '%s';"
        "box.dispatchEvent(new Event('input', {bubbles: true}))}"
    )
    page.run(choose % ("type", "DATE"))
    page.settle()
    assert page.run(ROWS) == [MISSED_DATE, SPURIOUS_DATE]
    page.run(choose % ("kind", "missed"))
    page.settle()
    assert page.run(ROWS) == [MISSED_DATE]
    page.run(
        "[...document.querySelectorAll('.confusion a')].find(a => /found=STATE/.test(a.href)).click()"
    )
    page.settle()
    assert page.run(ROWS) == [MISTYPED_CITY]
    page.run("document.getElementById('clear').click()")
    page.settle()
    assert page.run(COUNT) == "5 of 5 errors"


def test_the_keyboard_is_enough(page: chromium.Page, small: Path) -> None:
    page.open(small)
    page.press("/")
    for key in "rome":
        page.press(key)
    assert page.run("document.forms.filters.elements.text.value") == "rome"
    assert page.run(COUNT) == "5 of 5 errors"  # Rome is in every context of so short a note
    page.press("x")
    assert page.run(COUNT) == "0 of 5 errors"
    assert page.run("location.hash") == ""  # what is typed stays out of the browser's history
    page.press("Escape")
    assert page.run(COUNT) == "5 of 5 errors"
    page.run("document.activeElement.blur()")
    focused = "[...document.querySelectorAll('#list > li')].indexOf(document.activeElement)"
    for key, row in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        page.press(key)
        assert page.run(focused) == row


def test_notes_cannot_do_harm(page: chromium.Page, tmp_path: Path) -> None:
    gold = Document(
        "<b>id</b></script>", HOSTILE, (Span.of(HOSTILE, 4, 50, "</style><script>window.hurt=1"),)
    )
    found = Span.of(HOSTILE, HOSTILE.index("seen"), len(HOSTILE), 'A"><img src=x onerror=hurt=1>')
    title = "<img src=x onerror=window.hurt=1></title><script>window.hurt=1</script>"
    path = written(tmp_path, [gold], [gold.with_spans([found])], title)
    page.open(path)
    page.settle()
    assert page.run("window.hurt") is None
    assert page.run("document.querySelectorAll('img, b[id], iframe').length") == 0
    assert page.run("document.scripts.length") == 2
    assert page.run("document.querySelector('.context').textContent") == HOSTILE
    assert page.run("document.querySelector('.note').textContent").startswith("<b>id</b></script>")
    assert page.run("document.querySelector('h1').textContent") == f"Errors of {title}"
    assert page.requests == [path.as_uri()]
    assert page.complaints == []


def test_nothing_is_asked_of_the_network(page: chromium.Page, small: Path) -> None:
    page.open(small)
    page.settle()
    assert page.requests == [small.as_uri()]
    assert page.complaints == []
    refused = "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"
    assert page.run(refused) == "refused"
    assert any("Content Security Policy" in complaint for complaint in page.complaints)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = random.Random(7)
    gold, predicted = [], []
    for number in range(500):
        words = [f"w{rng.randrange(10_000)}" for _ in range(200)]
        text, marks = " ".join(words), []
        at = 0
        for place, word in enumerate(words):
            if place % 10 == 0:
                marks.append(Span.of(text, at, at + len(word), rng.choice(["AGE", "CITY", "DATE"])))
            at += len(word) + 1
        gold.append(Document(f"{number:04}", text, tuple(marks)))
        predicted.append(Document(f"{number:04}", text))
    return written(tmp_path_factory.mktemp("large"), gold, predicted)


def test_ten_thousand_errors_are_drawn_as_they_are_needed(page: chromium.Page, large: Path) -> None:
    page.open(large)
    page.settle()
    assert page.run(COUNT) == "10,000 of 10,000 errors"
    rows = "document.querySelectorAll('#list > li').length"
    at_first = page.run(rows)
    assert 100 <= at_first <= 300
    page.run("document.getElementById('more').click()")
    assert page.run(rows) > at_first
    milliseconds = page.run(
        "{const began = performance.now(); document.forms.filters.elements.text.value = 'w77';"
        "render(); performance.now() - began}"
    )
    assert milliseconds < 2000
    assert page.run(f"parseInt({COUNT})") > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_ground_in_light_and_dark(
    page: chromium.Page, small: Path, scheme: str, tmp_path: Path
) -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.call("Emulation.setEmulatedMedia", features=[feature])
    try:
        page.open(small)
        brightness = (
            "(what => {const [r, g, b] = getComputedStyle(document.body)[what].match(/\\d+/g);"
            "return (0.299 * r + 0.587 * g + 0.114 * b) / 255})"
        )
        ground, ink = (page.run(f"{brightness}('{what}')") for what in ("backgroundColor", "color"))
        assert (ground > 0.9) == (scheme == "light")
        assert abs(ground - ink) > 0.7
        page.screenshot(tmp_path / "page.png")
        assert (tmp_path / "page.png").stat().st_size > 20_000
    finally:
        page.call("Emulation.setEmulatedMedia", features=[])
