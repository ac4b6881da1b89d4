"""Whole reviews in a real browser, by keyboard, over notes that are long, odd and hostile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chromium
import pytest
from review.page_server import SAVED, Reader, doubtful, reader_of
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
    places = [doubtful(FIRST, "Rome", "CITY"), doubtful(FIRST, "cold"[:0] or "Call", "DOCTOR")]
    with review(first(), second, doubtful=places) as reader:
        reader.enter()
        assert "4 marks, 2 doubtful places" in reader.status
        reader.press("a", "a", "x")
        assert reader.marks(1)[:2] == [("Ann Lee", "PATIENT", "accepted"), ("54", "AGE", "accepted")]
        assert reader.status.startswith("Rejected: “Tom Oak”, DOCTOR. Next: “3/14”")
        reader.press("t", "i", "d", "n", "Enter")
        assert ("3/14", "IDNUM", "accepted") in reader.marks(1)
        reader.press("d", "a")
        assert ("Rome", "CITY", "accepted") in reader.marks(1)
        reader.press("u")
        assert ("Rome", "CITY", "accepted") not in reader.marks(1)
        reader.press("Shift+U", "k", "k")
        reader.press("a")
        assert ("Tom Oak", "DOCTOR", "accepted") in reader.marks(1)
        reader.press("k", "o")
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
        assert reader.text("#sample-words") == "1 of 2 of the sample read"
        reader.press("b", "Enter")
        assert reader.marks(2) == [("Fox", "PATIENT", "accepted")]
        reader.press("Ctrl+Enter")
        reader.page.until("document.querySelector('#queue-count').textContent === '2 of 2 done'")
        assert reader.status == "No other note waits for you."
        (entry,) = (e for e in reader.desk.queue(reader.desk.project.store.reviewers()[0]) if e.note == 1)
        assert (entry.stage, entry.flagged) == ("done", True)
        assert reader.page.complaints == []
        reader.press("x")
        assert "finished" in reader.status
        assert reader.marks(2) == [("Fox", "PATIENT", "accepted")]
        reader.press("Shift+O")
        assert reader.text("#note-state") == ""


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


ODD = "👩🏽‍⚕️ Zoe\u0301 Mu\u0308ller 🇩🇪🇫🇷 saw\nالمريض أحمد علي في الرياض\n\U00020000 \u200fend\r\nlast"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("Shift+ArrowRight",), "👩🏽‍⚕️"),
        (("Ctrl+ArrowRight", "ArrowRight", "ArrowLeft", "Shift+ArrowLeft"), "e\u0301"),
        (("End", "Ctrl+ArrowLeft", "ArrowLeft", "Shift+ArrowLeft"), "🇫🇷"),
        (("ArrowDown", "Home", "Ctrl+ArrowLeft", "ArrowLeft", "Ctrl+Shift+ArrowLeft"), "أحمد"),
        (("Ctrl+End", "Ctrl+ArrowLeft", "ArrowLeft", "Shift+ArrowLeft", "Ctrl+Shift+ArrowLeft"), "end"),
    ],
)
def test_a_selection_by_keyboard_is_exact(review: Any, keys: tuple[str, ...], words: str) -> None:
    with review(Document("odd", ODD)) as reader:
        reader.enter()
        assert reader.shown == ODD
        reader.press(*keys, "m", "d", "o", "Enter")
        assert reader.marks(1) == [(words, "DOCTOR", "accepted")]
        assert reader.page.run("document.querySelector('#note mark').textContent") == words
        assert reader.shown == ODD


def test_a_selection_with_the_mouse_is_exact(review: Any) -> None:
    with review(Document("odd", ODD)) as reader:
        reader.enter()
        corners = f"""(() => {{
            const words = 'أحمد علي';
            for (const block of document.querySelectorAll('#note .block')) {{
                const node = block.firstChild, at = node.data.indexOf(words), range = new Range();
                range.setStart(node, at);
                range.setEnd(node, at + words.length);
                const {{left, right, top, bottom}} = range.getBoundingClientRect();
                return [right, left, (top + bottom) / 2];
            }}
        }})()"""
        right, left, y = reader.page.run(corners)
        reader.page.drag((right - 1, y), (left + 0.5, y))
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
        reader.press("Ctrl+Enter", "a")
        assert reader.text("#memo-line") == "<img src=x onerror=window.hurt=1>"
        assert "<b>Oak</b>" in reader.status
        assert reader.text("#note-title") == "Note 1: <img src=x onerror='window.hurt=1'>"
        assert reader.page.run("window.hurt === undefined && !document.querySelector('main img, main script, main b')")
        assert [url for url in reader.page.requests if not url.startswith(reader.address)] == []
        assert reader.page.complaints == []


def test_an_action_in_a_long_note_touches_little(review: Any) -> None:
    """Of 200,000 characters an action draws again what it changes, and nothing else."""
    line = "Seen by Dr. Oak on 3/14 with chest pain that began at rest in the evening. No fever, no cough.\n"
    text = line * (200_000 // len(line))
    marks = [("Dr. Oak", "DOCTOR"), ("3/14", "DATE")]
    spans = [
        span
        for words, type in marks
        for at in range(text.index(words), len(text), len(line))
        for span in note(text[at : at + len(words)], (words, type)).spans
    ]
    starts = [text.index(w) + n * len(line) for w, _ in marks for n in range(text.count(line))]
    placed = [
        type(span)(start, start + len(span.text), span.type, span.text, span.score, span.source)
        for span, start in zip(spans, starts, strict=True)
    ]
    with review(Document("long", text, tuple(placed))) as reader:
        reader.enter()
        assert reader.shown == text
        assert len(reader.page.run("[...document.querySelectorAll('#note mark')].map(m => 0)")) == len(placed)
        reader.page.run(
            """window.touched = 0;
            new MutationObserver(all => window.touched += all.length).observe(
                document.querySelector('main'), {childList: true, subtree: true})"""
        )
        reader.press("j", "j", "x")
        assert reader.marks(1)[1] == ("3/14", "DATE", "rejected")
        touched = reader.page.run("window.touched")
        assert 0 < touched < 40, touched
        near = "[...document.querySelectorAll('#note .block')].filter(b => b.checkVisibility({contentVisibilityAuto: true})).length"
        assert reader.page.run(near) < 12
        reader.page.run("document.querySelector('#note').scrollTop = 1e9")
        reader.page.settle()
        reader.page.settle()
        bottoms = "['#note', '#output'].map(s => { const e = document.querySelector(s); return e.scrollTop / (e.scrollHeight - e.clientHeight) })"
        note_at, output_at = reader.page.run(bottoms)
        assert note_at > 0.9 and output_at > 0.9


BEHIND = "import('/page/api.js').then(api => api.act(1, 0, {do: 'reject', mark: 0})).then(() => 1)"


def test_two_windows_on_one_note(review: Any) -> None:
    with review(first()) as reader:
        reader.enter()
        assert reader.page.run(BEHIND) == 1
        reader.press("j", "j", "a")
        assert reader.status == (
            "The note was changed in another window: look at it again. The note was loaded again."
        )
        assert reader.marks(1)[:2] == [("Ann Lee", "PATIENT", "rejected"), ("54", "AGE", "proposed")]
        assert reader.page.run("document.querySelector('#note mark').classList.contains('rejected')")
        reader.press("j", "j", "a")
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
        assert reader.page.run("JSON.stringify([Object.keys(localStorage), sessionStorage.length])") == (
            '[["incognote-theme"],0]'
        )


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
            "second readerin Rome · CITYAcceptReject",
            "first readerRome · CITYAcceptReject",
            "second readerParis · CITYAcceptReject",
            "first readermarked nothing here",
        ]
        reader.press("Ctrl+Enter")
        assert "are left" in reader.status
        reader.press("j", "j", "a")
        assert reader.page.run("document.querySelectorAll('#differences li').length") == 1
        reader.press("x")
        assert "All places" in reader.text("#differences p")
        reader.press("Ctrl+Enter")
        final = reader.desk.final(1)
        assert final is not None
        assert [span.text for span in final.spans] == ["Ann Lee", "54", "Tom Oak", "3/14", "Rome"]


def test_the_output_follows(review: Any) -> None:
    with review(first()) as reader:
        reader.enter()
        assert reader.text("#output").startswith("[PATIENT], [AGE], was seen by Dr. [DOCTOR] on [DATE]")
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
        reader.page.until("document.querySelector('#sample-words').textContent.startsWith('1 of 2')")
        reader.press("s")
        reader.page.until("document.querySelector('#statistics').open")
        words = reader.text("#figures")
        assert "1 of the 2 notes of the sample are read." in words
        assert "Identifiers that detection finds100\u00a0%" in words
        lacking = reader.desk.statistics().notes_lacking
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


assert Reader
