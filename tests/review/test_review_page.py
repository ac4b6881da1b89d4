"""Whole reviews in a real browser, by keyboard, over notes that are long, odd and hostile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chromium
import pytest
from review.page_server import SAVED, doubtful, reader_of
from review.reviews import Client, note

from incognote.document import Document
from incognote.pipeline import Deidentifier

__test__ = chromium.EXPECTED

FIRST = (
    "Ann Lee, 54, was seen by Dr. Tom Oak on 3/14 in Rome.\n"
    "Ms. Lee lives in Paris with her son Ben.\nTom Oak signed. Call May.\n"
)
FOUND = (("Ann Lee", "PATIENT"), ("54", "AGE"), ("Tom Oak", "DOCTOR"), ("3/14", "DATE"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
    with chromium.browser(tmp_path_factory.mktemp("profile"), 1280, 800) as page:
        yield page


@pytest.fixture(scope="module")
def deidentifier() -> Deidentifier:
    return Deidentifier("tag", detector="rules")


@pytest.fixture
def review(page: chromium.Page, tmp_path: Path, deidentifier: Deidentifier) -> Any:
    def of(*notes: Document, **options: Any) -> Any:
        return reader_of(page, tmp_path, deidentifier, notes, **options)

    return of


def first(**options: Any) -> Document:
    return note(FIRST, *FOUND, id="first", **options)


def test_a_whole_review_by_keyboard(review: Any) -> None:
    """From the first key to the last note, without the mouse."""
    second = note("Mr. Fox has a cold.", ("Fox", "PATIENT"), id="second")
    with review(first(), second) as reader:
        reader.enter()
        assert "4 marks, 0 doubtful places" in reader.status
        reader.press("a", "a", "a", "x")
        assert reader.marks(1)[:2] == [
            ("Ann Lee", "PATIENT", "accepted"),
            ("54", "AGE", "accepted"),
        ]
        assert reader.status.startswith("Rejected: “Tom Oak”, DOCTOR. Next: “3/14”")
        reader.press("t", "i", "d", "n", "Enter")
        assert ("3/14", "IDNUM", "accepted") in reader.marks(1)
        reader.press("u")
        assert ("3/14", "DATE", "proposed") in reader.marks(1)
        reader.press("Shift+U")
        assert ("3/14", "IDNUM", "accepted") in reader.marks(1)
        reader.press("k", "a")
        assert ("Tom Oak", "DOCTOR", "accepted") in reader.marks(1)
        reader.press("o")
        assert reader.marks(1).count(("Tom Oak", "DOCTOR", "accepted")) == 2
        reader.press("k", "k", "p")
        assert ("Lee", "PATIENT", "accepted") in reader.marks(1)
        assert "This person everywhere" in reader.status
        reader.press("f", "n")
        reader.type_words("look again")
        reader.press("Ctrl+Enter")
        assert reader.text("#memo-line") == "look again"
        reader.press("Ctrl+Enter")
        reader.page.until("document.querySelector('#note-title').textContent === 'Note 2: second'")
        reader.page.until(
            "document.querySelector('#sample-words').textContent === '1 of 2 of the sample read'"
        )
        reader.press("b", "Enter")
        assert reader.marks(2) == [("Fox", "PATIENT", "accepted")]
        reader.press("Ctrl+Enter")
        reader.page.until("document.querySelector('#queue-count').textContent === '2 of 2 done'")
        assert reader.status == "No other note waits for you."
        (entry,) = (
            e for e in reader.desk.queue(reader.desk.project.store.reviewers()[0]) if e.note == 1
        )
        assert (entry.stage, entry.flagged) == ("done", True)
        assert reader.page.complaints == []
        reader.press("x")
        assert "finished" in reader.status
        assert reader.marks(2) == [("Fox", "PATIENT", "accepted")]
        reader.press("Shift+O")
        assert reader.text("#note-state") == ""


def test_doubtful_places(review: Any) -> None:
    places = [doubtful(FIRST, "Rome", "CITY"), doubtful(FIRST, "Paris", "CITY")]
    with review(first(), doubtful=places) as reader:
        reader.enter()
        dotted = "[...document.querySelectorAll('#note mark.doubtful')].map(m => m.textContent)"
        assert reader.page.run(dotted) == ["Rome", "Paris"]
        reader.press("d")
        assert reader.status == "“Rome”: not marked, perhaps CITY."
        reader.press("a")
        assert ("Rome", "CITY", "accepted") in reader.marks(1)
        assert reader.page.run(dotted) == ["Paris"]
        reader.press("d", "t", "s", "t", "a", "t", "e", "Enter")
        assert ("Paris", "STATE", "accepted") in reader.marks(1)
        reader.press("u", "u")
        assert reader.page.run(dotted) == ["Rome", "Paris"]


def test_ends_move_by_words_and_characters(review: Any) -> None:
    with review(first()) as reader:
        reader.enter()
        for keys, words in (
            (("j", "r"), "Ann Lee, 54"),
            (("r",), "Ann Lee, 54, was"),
            (("e", "e"), "Ann Lee"),
            (("w",), "Lee"),
            (("q",), "Ann Lee"),
            (("Shift+W", "Shift+E"), "nn Le"),
            (("Shift+Q", "Shift+R"), "Ann Lee"),
        ):
            reader.press(*keys)
            assert (words, "PATIENT", "accepted") in reader.marks(1), keys
        reader.press("Shift+Q")
        assert "cannot" in reader.status


ODD = (
    "👩🏽‍⚕️ Zoe\u0301 Mu\u0308ller 🇩🇪🇫🇷 saw\nالمريض أحمد علي في الرياض\n\U00020000 \u200fend\r\nlast"
)


SELECTIONS = [
    (("Shift+ArrowRight",), "👩🏽‍⚕️"),
    (("Ctrl+ArrowRight", "ArrowRight", "ArrowLeft", "Shift+ArrowLeft"), "e\u0301"),
    (("End", "Ctrl+ArrowLeft", "ArrowLeft", "Shift+ArrowLeft"), "🇫🇷"),
    (("ArrowDown", "Home", "Ctrl+ArrowLeft", "ArrowLeft", "Ctrl+Shift+ArrowLeft"), "أحمد"),
    (("Ctrl+End", "Ctrl+ArrowLeft", "ArrowLeft", "Shift+ArrowLeft", "Ctrl+Shift+ArrowLeft"), "end"),
]


def test_a_selection_by_keyboard_is_exact(review: Any) -> None:
    notes = [Document(f"odd{n}", f"{ODD}{n}") for n in range(len(SELECTIONS))]
    with review(*notes) as reader:
        reader.enter()
        for number, (keys, words) in enumerate(SELECTIONS, 1):
            reader.open(number)
            reader.press(*keys, "m", "d", "o", "Enter")
            assert reader.marks(number) == [(words, "DOCTOR", "accepted")]
            assert reader.text("#note mark") == words
            assert reader.shown == notes[number - 1].text


def test_a_selection_with_the_mouse_is_exact(review: Any) -> None:
    with review(Document("odd", ODD)) as reader:
        reader.enter()
        corners = """(() => {
            const words = 'أحمد علي';
            for (const block of document.querySelectorAll('#note .block')) {
                const node = block.firstChild, at = node.data.indexOf(words), range = new Range();
                range.setStart(node, at);
                range.setEnd(node, at + words.length);
                const {left, right, top, bottom} = range.getBoundingClientRect();
                return [right, left, (top + bottom) / 2];
            }
        })()"""
        reader.page.settle()
        right, left, y = reader.page.run(corners)
        reader.page.drag((right - 1, y), (left + 0.5, y))
        reader.page.until("String(getSelection()) === 'أحمد علي'")
        reader.page.settle()
        reader.press("m", "p", "a", "t", "Enter")
        assert reader.marks(1) == [("أحمد علي", "PATIENT", "accepted")]


HOSTILE = (
    "</script><script>window.hurt=1</script><img src=x onerror='window.hurt=1'> "
    "Dr. <b>Oak</b> &amp; \u2028 \x00 \u202e]]> --> {{7*7}} ${7*7}\r\n"
)


def test_a_hostile_note_is_text(review: Any) -> None:
    hostile = note(HOSTILE, ("<b>Oak</b>", "DOCTOR"), id="<img src=x onerror='window.hurt=1'>")
    with review(hostile) as reader:
        reader.enter(name="<script>window.hurt=1</script>")
        assert reader.shown == HOSTILE
        reader.press("j", "t")
        assert reader.text("#types-words") == "<b>Oak</b>"
        reader.press("Escape", "n")
        reader.type_words("<img src=x onerror=window.hurt=1>")
        reader.press("Ctrl+Enter")
        reader.press("a")
        assert reader.text("#memo-line") == "<img src=x onerror=window.hurt=1>"
        assert "<b>Oak</b>" in reader.status
        assert reader.text("#note-title") == "Note 1: <img src=x onerror='window.hurt=1'>"
        assert reader.page.run(
            "window.hurt === undefined && !document.querySelector('main img, main script, main b')"
        )
        assert [url for url in reader.page.requests if not url.startswith(reader.address)] == []
        assert reader.page.complaints == []


def test_an_action_in_a_long_note_touches_little(review: Any) -> None:
    """Of 200,000 characters an action draws again what it changes, and nothing else."""
    part = "Seen by Dr. Oak on 3/14.\n" + "No fever, no cough, no chest pain at rest.\n" * 9
    text = part * (200_000 // len(part) + 1)
    found = note(part, ("Dr. Oak", "DOCTOR"), ("3/14", "DATE")).spans
    spans = [
        replace(span, start=at + span.start, end=at + span.end)
        for at in range(0, len(text), len(part))
        for span in found
    ]
    with review(Document("long", text, tuple(spans))) as reader:
        reader.enter()
        assert reader.shown == text
        assert reader.page.run("document.querySelectorAll('#note mark').length") == len(spans)
        reader.page.run(
            """window.touched = 0;
            new MutationObserver(all => window.touched += all.length).observe(
                document.querySelector('main'), {childList: true, subtree: true})"""
        )
        reader.press("j", "j", "x")
        assert reader.marks(1)[1] == ("3/14", "DATE", "rejected")
        assert 0 < reader.page.run("window.touched") < 40
        drawn = """[...document.querySelectorAll('#note mark')].filter(
            m => m.checkVisibility({contentVisibilityAuto: true})).length"""
        assert 0 < reader.page.run(drawn) < 100
        reader.page.run("document.querySelector('#note').scrollTop = 1e9")
        reader.page.settle()
        reader.page.settle()
        bottoms = """['#note', '#output'].map(selector => {
            const pane = document.querySelector(selector);
            return pane.scrollTop / (pane.scrollHeight - pane.clientHeight);
        })"""
        note_at, output_at = reader.page.run(bottoms)
        assert note_at > 0.9
        assert output_at > 0.9


BEHIND = "import('/page/api.js').then(api => api.act(1, 0, {do: 'reject', mark: 0})).then(() => 1)"


def test_two_windows_on_one_note(review: Any) -> None:
    with review(first()) as reader:
        reader.enter()
        assert reader.page.run(BEHIND) == 1
        reader.press("j", "j", "a")
        assert reader.status == (
            "The note was changed in another window: look at it again. The note was loaded again."
        )
        assert reader.marks(1)[:2] == [
            ("Ann Lee", "PATIENT", "rejected"),
            ("54", "AGE", "proposed"),
        ]
        assert reader.page.run(
            "document.querySelector('#note mark').classList.contains('rejected')"
        )
        reader.press("Ctrl+Home", "j", "j", "a")
        assert reader.marks(1)[1] == ("54", "AGE", "accepted")


def test_nothing_is_lost_while_the_server_is_away(review: Any) -> None:
    offline = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    with review(first()) as reader:
        reader.enter()
        reader.page.call("Network.emulateNetworkConditions", offline=True, **offline)
        reader.page.press("j", "a", "a")
        reader.page.until("!document.querySelector('#banner').hidden")
        assert reader.text("#saved") == "2 changes to be saved"
        assert {status for *_, status in reader.marks(1)} == {"proposed"}
        reader.page.call("Network.emulateNetworkConditions", offline=False, **offline)
        reader.page.run("document.querySelector('#banner-button').click()")
        reader.page.until(SAVED)
        assert [status for *_, status in reader.marks(1)[:2]] == ["accepted", "accepted"]
        assert reader.page.run("document.querySelector('#banner').hidden")


def test_a_session_that_ends_loses_nothing(review: Any) -> None:
    with review(first()) as reader:
        reader.enter()
        assert "#" not in reader.page.run("location.href")
        client = Client(reader.desk, "Anna")  # another link: the sessions of the first one end
        reader.page.press("j", "a")
        reader.page.until("document.querySelector('#entry').open")
        assert "nothing on the page is lost" in reader.text("#entry-words")
        reader.type_words("wrong")
        reader.page.press("Enter")
        reader.page.until("document.querySelector('#entry-wrong').textContent")
        reader.page.run("document.querySelector('#entry-secret').value = ''")
        reader.type_words(f"http://x/#{client.secret}")
        reader.press("Enter")
        assert reader.marks(1)[0] == ("Ann Lee", "PATIENT", "accepted")
        reader.page.run("document.querySelector('#theme').click()")
        assert reader.page.run(
            "JSON.stringify([Object.keys(localStorage), sessionStorage.length])"
        ) == ('[["incognote-theme"],0]')


def test_an_adjudicator_decides_differences(review: Any) -> None:
    with review(first(), readers=2) as reader:
        anna, ben = Client(reader.desk, "Anna"), Client(reader.desk, "Ben")
        for client, words in ((anna, "Rome"), (ben, "in Rome")):
            start = FIRST.index(words)
            client.act(1, "add", start=start, end=start + len(words), type="CITY")
        ben.act(1, "add", start=FIRST.index("Paris"), end=FIRST.index("Paris") + 5, type="CITY")
        anna.finish(1)
        ben.finish(1)
        reader.enter("Judge", "adjudicator")
        assert reader.text("#note-state") == "to decide"
        rows = "[...document.querySelectorAll('#differences .who')].map(w => w.textContent)"
        assert reader.page.run(rows) == [
            "second readerCITYAcceptReject",
            "first readerRome · CITYAcceptReject",
            "second readerCITYAcceptReject",
            "first readermarked nothing here",
        ]
        reader.press("Ctrl+Enter")
        assert "are left" in reader.status
        reader.press("j", "j", "a")
        assert reader.status.startswith("Accepted: “Rome”, CITY. Next: “Paris”")
        assert reader.page.run("document.querySelectorAll('#differences li').length") == 1
        reader.press("x")
        assert "All places" in reader.text("#differences p")
        reader.press("Ctrl+Enter")
        final = reader.desk.readings.final(1)
        assert final is not None
        assert [span.text for span in final.spans] == ["Ann Lee", "54", "Tom Oak", "3/14", "Rome"]


def test_the_output_follows(review: Any) -> None:
    with review(first()) as reader:
        reader.enter()
        assert reader.text("#output").startswith(
            "[PATIENT], [AGE], was seen by Dr. [DOCTOR] on [DATE]"
        )
        reader.press("j", "x")
        assert reader.text("#output").startswith("Ann Lee, [AGE], was")
        linked = "[...document.querySelectorAll('#output mark.current')].map(m => m.textContent)"
        assert reader.page.run(linked) == ["[AGE]"]
        reader.page.run(
            "document.querySelectorAll('#output mark')[2].dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
        )
        assert reader.text("#note mark.linked") == "3/14"


def test_the_queue_is_searched_and_filtered(review: Any) -> None:
    notes = [note(f"Mr. Fox{n} came.", (f"Fox{n}", "PATIENT"), id=f"n{n}") for n in range(1, 5)]
    with review(*notes) as reader:
        reader.enter()
        rows = "[...document.querySelectorAll('#notes [role=option] .name')].map(r => r.firstChild.data)"
        assert reader.page.run(rows) == ["Note 1", "Note 2", "Note 3", "Note 4"]
        reader.press("f", "Ctrl+Enter")
        reader.page.until("document.querySelector('#note-title').textContent === 'Note 2: n2'")
        assert reader.page.run(rows) == ["Note 2", "Note 3", "Note 4"]
        reader.page.run("document.querySelectorAll('#filters button')[1].click()")
        assert reader.page.run(rows) == ["Note 1", "Note 2"]
        reader.page.run("document.querySelectorAll('#filters button')[4].click()")
        reader.press("/")
        reader.type_words("fox3")
        reader.page.until(f"JSON.stringify({rows}) === '[\"Note 3\"]'")
        reader.press("Enter", "ArrowDown", "Enter")
        reader.page.until("document.querySelector('#note-title').textContent === 'Note 3: n3'")
        assert reader.page.run("document.activeElement.id") == "note"


def test_statistics_in_words(review: Any) -> None:
    with review(first(), note("Mr. Fox came.", ("Fox", "PATIENT"), id="b")) as reader:
        reader.enter()
        reader.press("s")
        reader.page.until("document.querySelector('#statistics').open")
        assert "Nothing is read to the end yet." in reader.text("#figures")
        reader.press("Escape", "Ctrl+Enter")
        reader.page.until(
            "document.querySelector('#sample-words').textContent.startsWith('1 of 2')"
        )
        reader.press("s")
        reader.page.until("document.querySelector('#statistics').open")
        words = reader.text("#figures")
        assert "1 of the 2 notes of the sample are read." in words
        assert "Identifiers that detection finds100\u00a0%" in words
        lacking = reader.desk.readings.statistics().notes_lacking
        assert f"{lacking} more notes without a miss would show, with 95\u00a0% confidence" in words


BOUNDARIES = json.loads((Path(__file__).parent / "boundaries.json").read_text("utf-8"))


def test_boundaries(page: chromium.Page, review: Any) -> None:
    """Ends of marks move by what readers take for words and characters."""
    with review(first()) as reader:
        reader.enter()
        for case in BOUNDARIES:
            text, start = case["text"], case["text"].index(case["mark"])
            before = {"start": utf16(text[:start]), "end": utf16(text[:start] + case["mark"])}
            arguments = json.dumps([text, before, case["side"], case["way"], case["unit"]])
            found = page.run(
                f"import('/page/boundaries.js').then(b => {{ const a = {arguments};"
                "const p = b.moved(...a); return p && a[0].slice(p.start, p.end) })"
            )
            assert found == case["becomes"], case["why"]


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")
NAMED = {
    "button", "checkbox", "combobox", "dialog", "listbox", "option", "progressbar", "region",
    "searchbox", "slider", "textbox",
}  # fmt: skip


def audit(page: chromium.Page) -> list[str]:
    """What is wrong with the page as it stands, for those who see little or hear it."""
    page.settle()
    wrong: list[str] = page.run(AUDIT)
    for node in page.call("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        if (
            not node["ignored"]
            and role in NAMED
            and not node.get("name", {}).get("value", "").strip()
        ):
            wrong.append(f"a {role} has no name")
    return wrong


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_read_and_reach_the_page(review: Any, theme: str) -> None:
    kinds = ("PATIENT", "PROFESSION", "CITY", "AGE", "DATE", "PHONE", "SSN")
    words = [f"word{n}" for n in range(len(kinds))]
    text = " ".join(words) + " perhaps\n"
    found = note(text, *zip(words, kinds, strict=True), id="colours")
    weak = replace(
        found, spans=tuple(replace(s, score=(n % 4) / 3) for n, s in enumerate(found.spans))
    )
    with review(weak, doubtful=[doubtful(text, "perhaps", "CITY")]) as reader:
        media = [{"name": "prefers-color-scheme", "value": theme}]
        reader.page.call("Emulation.setEmulatedMedia", features=media)
        reader.enter()
        reader.page.run("delete document.documentElement.dataset.theme; localStorage.clear()")
        assert audit(reader.page) == []
        reader.press("j", "a", "x", "j")
        assert audit(reader.page) == []
        for key, dialog in (
            ("t", "types"),
            ("b", "bulk"),
            ("n", "memo"),
            ("s", "statistics"),
            ("?", "help"),
        ):
            reader.page.press(key)
            reader.page.until(f"document.querySelector('#{dialog}').open")
            assert audit(reader.page) == [], dialog
            reader.page.press("Escape")
            reader.page.until(f"!document.querySelector('#{dialog}').open")


FOCUS = """(() => {
    const at = document.activeElement;
    if (at === document.body) return null;
    const style = getComputedStyle(at);
    const frame = getComputedStyle(at.closest('section') ?? at).borderColor;
    const accent = getComputedStyle(document.querySelector('#finish')).backgroundColor;
    const ring = style.outlineStyle === 'solid' && parseFloat(style.outlineWidth) >= 2
        && !/, 0\\)|\\/ 0\\)/.test(style.outlineColor);
    return [at.id || at.dataset.command || at.textContent.trim(), ring || frame === accent];
})()"""


def test_the_focus_is_seen_and_goes_everywhere(review: Any) -> None:
    with review(first()) as reader:
        reader.enter()
        reader.press("j")
        reader.page.run("document.querySelector('.skip').focus()")
        seen: list[str] = []
        while (at := reader.page.run(FOCUS)) is not None:
            name, visible = at
            assert visible, name
            seen.append(name)
            reader.page.press("Tab")
        expected = [
            "To the note",
            "statistics",
            "search",
            "notes",
            "finish",
            "note",
            "accept",
            "output",
        ]
        assert [name for name in seen if name in expected] == expected
        assert len(seen) == len(set(seen))
