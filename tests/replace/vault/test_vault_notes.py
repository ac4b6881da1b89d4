"""What goes into a vault comes out: any text, any spans, any operator; and nothing else does."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from formats.note_strategies import documents, replace_spans, replacements
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vaults import KEY, open_vault

from incognote.document import Document, Span
from incognote.replace import parse_operators, rewrite
from incognote.replace.vault import (
    Place,
    StoredNote,
    UnknownNoteError,
    Vault,
    VaultError,
    chain_after,
    digest,
    find,
)
from incognote.replace.vault import vault as vaults_module
from incognote.replace.vault.store import kind_of

quick = settings(max_examples=60, suppress_health_check=list(HealthCheck))
OPERATORS = [
    "tag",
    "redact",
    "mask",
    "hash",
    "surrogate",
    "keep",
    "year",
    "generalise",
    "shift",
    "tag,DATE=redact,PATIENT=mask",
]


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    with closing(open_vault(tmp_path_factory.mktemp("vault") / "v.db")) as vault:
        yield vault


def stored(original: str, output: str, place: Place) -> StoredNote:
    """A note that was replaced as a whole."""
    old = Document("", original)
    new = replace_spans(_whole(old), [output])
    return StoredNote.of(old, new, [len(original)], place)


def _whole(document: Document) -> Document:
    return document.with_spans([Span(0, len(document.text), "PATIENT", document.text)])


def add(vault: Vault, *notes: StoredNote) -> None:
    for note in notes:
        vault.add(note)
    vault.commit()


@pytest.mark.parametrize("words", OPERATORS)
@given(document=documents(disjoint=True))
@quick
def test_every_operator_is_undone(vault: Vault, words: str, document: Document) -> None:
    found = document.with_spans(
        span for span in document.spans if span.type in ("PATIENT", "DATE", "LOCATION-OTHER")
    )
    new = rewrite(found, parse_operators(words, key=KEY)).document
    place = Place("/out", "n.txt", "original.txt")
    add(vault, StoredNote.of(document, new, [len(span) for span in found.spans], place))
    again = find(vault, digest(new.text), place)
    assert again.sure_of_file
    assert again.note.place.input == "original.txt"
    assert again.note.restore(new.text).text == document.text


@given(document=documents(disjoint=True), values=st.lists(replacements, min_size=6, max_size=6))
@quick
def test_any_replacement_is_undone(vault: Vault, document: Document, values: list[str]) -> None:
    new = replace_spans(document, values[: len(document.spans)])
    note = StoredNote.of(document, new, [len(span) for span in document.spans], Place("/o", "n"))
    assert StoredNote.unpack(note.pack()) == note
    assert note.restore(new.text).text == document.text


def test_fakes_that_collide_are_told_apart_by_their_place(tmp_path: Path) -> None:
    with closing(open_vault(tmp_path / "v.db")) as vault:
        places = [Place("/out", f"note-{n}.txt", f"in-{n}.txt") for n in range(30)]
        add(vault, *(stored(f"Patient {n}", "[PATIENT]", place) for n, place in enumerate(places)))
        for n, place in enumerate(places):
            moved = Place("/elsewhere", place.output)
            for where in (place, moved):
                found = find(vault, digest("[PATIENT]"), where)
                assert found.note.restore("[PATIENT]").text == f"Patient {n}"
        with pytest.raises(UnknownNoteError, match="several notes"):
            find(vault, digest("[PATIENT]"), Place("/elsewhere", "renamed.txt"))


def test_rows_that_collide_are_told_apart_by_what_is_before_them_or_by_their_id(
    tmp_path: Path,
) -> None:
    chain, notes = "", []
    for n in range(10):
        notes.append(stored(f"Row {n}", "[X]", Place("/out", "t.csv", "i.csv", chain, f"id {n}")))
        chain = chain_after(chain, digest("[X]"))
    with closing(open_vault(tmp_path / "v.db")) as vault:
        add(vault, *notes)
        seventh = notes[7].place
        by_chain = Place("/other", "renamed.csv", chain=seventh.chain)
        by_id = Place("/other", "filtered.csv", chain=None, id="id 7")
        for place in (seventh, by_chain, by_id):
            assert find(vault, digest("[X]"), place).note.restore("[X]").text == "Row 7"
        # After rows were left out, the seventh stands where the third did; its id wins.
        moved = Place("/out", "t.csv", chain=notes[3].place.chain, id="id 7")
        assert find(vault, digest("[X]"), moved).note.restore("[X]").text == "Row 7"


def test_notes_that_are_alike_in_all_but_their_file_come_back_without_a_name(
    tmp_path: Path,
) -> None:
    with closing(open_vault(tmp_path / "v.db")) as vault:
        add(vault, *(stored("Ada", "[X]", Place("/out", f"{n}", f"in-{n}")) for n in range(3)))
        found = find(vault, digest("[X]"), Place("/elsewhere", "renamed"))
        assert found.note.restore("[X]").text == "Ada"
        assert not found.sure_of_file


def test_the_last_run_to_a_place_counts_and_the_same_run_twice_adds_nothing(
    tmp_path: Path,
) -> None:
    place = Place("/out", "n.txt", "i.txt", id="1")
    with closing(open_vault(tmp_path / "v.db")) as vault:
        add(vault, stored("Ada", "[X]", place))
        add(vault, stored("Ada", "[X]", place))
        assert len(vault) == 1
        add(vault, stored("Eve", "[X]", place))
        assert len(vault) == 1
        assert find(vault, digest("[X]"), place).note.restore("[X]").text == "Eve"
    with closing(open_vault(tmp_path / "v.db", make=False)) as vault:
        assert len(vault) == 1


def test_what_was_not_committed_is_not_there(tmp_path: Path) -> None:
    with closing(open_vault(tmp_path / "v.db")) as vault:
        vault.add(stored("Ada", "[X]", Place("/out", "n.txt")))
    with closing(open_vault(tmp_path / "v.db", make=False)) as vault:
        assert len(vault) == 0


def test_two_writers_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    with closing(open_vault(path)) as one, closing(open_vault(path)) as other:
        for n in range(5):
            add(one, stored(f"A{n}", "[X]", Place("/one", f"{n}")))
            add(other, stored(f"B{n}", "[X]", Place("/two", f"{n}")))
    with closing(open_vault(path, make=False)) as vault:
        assert len(vault) == 10
        found = find(vault, digest("[X]"), Place("/two", "3"))
        assert found.note.restore("[X]").text == "B3"


def test_too_many_notes_that_look_alike_are_refused_and_not_compared_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vaults_module, "MOST_ALIKE", 5)
    monkeypatch.setattr(vaults_module, "BUFFERED", 3)
    with closing(open_vault(tmp_path / "v.db")) as vault:
        add(vault, *(stored("Ada", "[X]", Place("/out", f"{n}")) for n in range(7)))
        assert find(vault, digest("[X]"), Place("/out", "6")).note.restore("[X]").text == "Ada"
        with pytest.raises(UnknownNoteError):
            find(vault, digest("[X]"), Place("/out", "other"))


def test_a_vault_that_was_hardly_begun_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    with closing(sqlite3.connect(path)) as rows:
        rows.execute("PRAGMA journal_mode = WAL")
    assert kind_of(path) is None
    with closing(open_vault(path)) as vault:
        add(vault, stored("Ada", "[X]", Place("/out", "n")))
    assert kind_of(path) == "key file"


def test_a_vault_at_rest_is_one_file_that_reading_does_not_change(tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    with closing(open_vault(path)) as vault:
        add(vault, stored("Ada", "[X]", Place("/out", "n")))
    before = path.read_bytes()
    with closing(open_vault(path, make=False)) as vault:
        find(vault, digest("[X]"), Place("/out", "n"))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["v.db"]


def test_without_the_library_one_sentence_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.kdf.hkdf", None)
    with pytest.raises(VaultError, match=r"pip install 'incognote\[vault\]'"):
        open_vault(tmp_path / "v.db")
    assert kind_of(tmp_path / "v.db") is None
