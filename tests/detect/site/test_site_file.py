"""Site files are checked whole when they are read; errors name file, line and key, and no entry."""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path

import pytest

from incognote.base.errors import UserError
from incognote.detect.note_index import NoteIndex
from incognote.detect.site import Site, SiteError, load_site, read_site

LIST = '[[lists]]\nname = "staff"\ntype = "DOCTOR"\n'
PATTERN = '[[patterns]]\nname = "number"\ntype = "IDNUM"\n'
NEVER = '[[never]]\nname = "trials"\n'


def site_of(folder: Path, text: str, **files: str | bytes) -> Site:
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name.replace("_", ".")).write_bytes(data)
    path = folder / "site.toml"
    path.write_bytes(text.encode())
    return read_site(path)


def texts(site: Site, note: str) -> list[str]:
    return [span.text for span in site.read(NoteIndex(note)).spans]


REFUSED = [
    ("[lists]\n", "1: lists: must be written as"),
    ("titel = 'x'\n", "1: titel: no such key"),
    ("title = 3\n", "1: title: must be a text"),
    ("[types.MRN]\n", "1: types.MRN: has no category"),
    ("[types.DOCTOR]\ncategory = 'NAME'\n", "1: types.DOCTOR: is one of incognote's own types"),
    ("[types.CONTACT]\ncategory = 'ID'\n", "1: types.CONTACT: is the name of a category"),
    ("[types.PHI]\ncategory = 'ID'\n", "1: types.PHI: is the name of a category"),
    ("[types.study]\ncategory = 'ID'\n", "1: types.study: a type's name has 2 to 31 capitals"),
    ("[types.A_B]\ncategory = 'ID'\n", "1: types.A_B: a type's name"),
    ("[types.MRN]\ncategory = 'NAMES'\n", r"2: types.MRN.category: .*did you mean NAME"),
    ("[types.MRN]\ncategory = 'ID'\ncolour = 1\n", "3: types.MRN.colour: no such key"),
    ("[[lists]]\ntype = 'DOCTOR'\n", "1: lists: has no name"),
    ("[[lists]]\nname = 'a b'\n", "2: lists.name: must be 1 to 64 letters"),
    (LIST + "words = []\n", "1: lists: has no entries"),
    (LIST, "1: lists: has no entries"),
    (LIST + "words = ['x']\n", "4: lists.words: word 1 has fewer than two letters"),
    (LIST + "words = ['Okafor', 7]\n", "4: lists.words: must be a text or a list"),
    (LIST + "words = ['Okafor']\nmode = 'fuzzy'\n", "5: lists.mode: 'fuzzy' is none of exact"),
    (LIST + "words = ['Okafor']\nscore = 0\n", "5: lists.score: must be above 0"),
    (LIST + "words = ['Okafor']\nscore = nan\n", "5: lists.score: must be above 0"),
    (LIST + "words = ['Okafor']\nscore = true\n", "5: lists.score: must be a number"),
    (LIST + "words = ['Okafor']\ncolumn = 'name'\n", "5: lists.column: is of a file"),
    (LIST + "file = 'none.txt'\n", "4: lists.file: .*none.txt: no such file"),
    (LIST + "file = '.'\n", "4: lists.file: .*is a folder"),
    (LIST + "file = 'list.csv'\ncolumn = 'nome'\n", "5: lists.column: .*nome"),
    (LIST + "file = 'empty.txt'\n", "4: lists.file: .*has no entries"),
    (LIST + "file = 'latin.txt'\n", "4: lists.file: .*not UTF-8"),
    (LIST + "words = ['Okafor']\n" + LIST, "6: lists.name: 'staff' is the name of another row"),
    (LIST.replace("DOCTOR", "NOBODY"), "3: lists.type: 'NOBODY' is not a type"),
    (LIST.replace("DOCTOR", "NAME"), "3: lists.type: 'NAME' is a category: .*PATIENT"),
    (PATTERN, "1: patterns: has no pattern"),
    (PATTERN + "pattern = ''\n", "4: patterns.pattern: matches where there is no character"),
    (PATTERN + "pattern = 'a*'\n", "4: patterns.pattern: matches where there is no character"),
    (PATTERN + "pattern = '\\b'\n", "4: patterns.pattern: matches where there is no character"),
    (PATTERN + "pattern = '(?=a)b'\n", r"4: .*invalid perl operator.*`before` and `after`"),
    (PATTERN + "pattern = '(?<!a)b'\n", r"4: .*invalid perl operator.*`before` and `after`"),
    (PATTERN + "pattern = '(a)\\1'\n", r"4: .*reference back"),
    (PATTERN + "pattern = 'a{1001}'\n", r"4: .*1,000 times"),
    (PATTERN + "pattern = '(a{100}){100}'\n", r"4: .*1,000 times"),
    (PATTERN + "pattern = '(a'\n", r"4: .*missing \)"),
    (PATTERN + "pattern = 'a++'\n", r"4: .*bad repetition"),
    (PATTERN + "pattern = 'a\\Z'\n", r"4: .*\\z"),
    (PATTERN + "pattern = '(\\pL{1,30} ){1,10}'\n", r"4: patterns.pattern: .*takes too"),
    (PATTERN + "pattern = 'a'\ngroup = 1\n", "5: patterns.group: the pattern has no group 1"),
    (PATTERN + "pattern = 'a'\ngroup = -1\n", "5: patterns.group: the pattern has no group -1"),
    (PATTERN + "pattern = 'a'\ngroup = 'n'\n", "5: patterns.group: the pattern has no group of"),
    (PATTERN + "pattern = 'a'\ngroup = true\n", "5: patterns.group: must be the number or"),
    (PATTERN + "pattern = 'a'\ncheck = 'crc'\n", "5: patterns.check: 'crc' is none of luhn"),
    (PATTERN + "pattern = 'a'\nreach = 0\n", "5: patterns.reach: must be from 1"),
    (PATTERN + "pattern = 'a'\nbefore = ['-']\n", "5: patterns.before: has a word without"),
    (PATTERN + "pattern = 'a'\nignore_case = true\n", "5: .*did you mean ignore-case"),
    (PATTERN + f"pattern = '{'(a)' * 101}'\n", "4: patterns.pattern: has more than 100 groups"),
    (PATTERN + f"pattern = '{'a|' * 9_999}'\n", "4: patterns.pattern: is longer than 10,000"),
    (LIST + 'file = "a\\u0000b"\n', "4: lists.file: .*is no path"),
    (NEVER, "1: never: has neither words, a file nor a pattern"),
    (NEVER + "pattern = '(?!x)'\n", "3: never.pattern: RE2 cannot run it"),
    (NEVER + "words = ['Okafor']\nmode = 'name'\n", "4: never.mode: 'name' is none of"),
    (NEVER + "words = ['Okafor']\ntypes = ['STAFF']\n", "4: never.types: 'STAFF' is not a type"),
    (
        NEVER.replace("trials", "staff") + "words = ['xy']\n" + LIST + "words = ['Okafor']\n",
        "2: never.name: .*another row",
    ),
    ("[[lists]\n", "1: "),
    ("title = 'x'\ntitle = 'y'\n", "2: "),
]


@pytest.mark.parametrize(("text", "says"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_wrong_is_told_by_file_line_and_key(tmp_path: Path, text: str, says: str) -> None:
    files: dict[str, str | bytes] = {
        "list_csv": "id,name\n1,Ngozi Okafor\n",
        "empty_txt": "# nobody\n",
        "latin_txt": "Müller\n".encode("latin-1"),
    }
    with pytest.raises(SiteError, match=r"site\.toml:" + says) as error:
        site_of(tmp_path, text, **files)
    assert "Okafor" not in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_site_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="is a folder"):
        read_site(tmp_path)
    with pytest.raises(SiteError, match="no such file"):
        read_site(tmp_path / "none.toml")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SiteError, match="is no file"):
        read_site(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UserError, match="loop: "):
        read_site(tmp_path / "loop")


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    site = site_of(tmp_path, "")
    assert texts(site, "Dr. Okafor") == []
    assert list(site.rows()) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks(tmp_path: Path, newline: str, mark: str) -> None:
    text = LIST + "file = 'staff.csv'\ncolumn = 'name'\nwords = ['Rask']\n"
    rows = "name,ward\nOkafor,7\n"
    site = site_of(
        tmp_path,
        mark + text.replace("\n", newline),
        staff_csv=mark + rows.replace("\n", newline),
    )
    assert texts(site, "Okafor and Rask in ward 7") == ["Okafor", "Rask"]


def test_files_lie_beside_the_site_file_also_where_a_link_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "staff.txt").write_text("Okafor\n")
    (tmp_path / "site.toml").write_text(LIST + "file = 'lists/staff.txt'\n")
    (tmp_path / "link.toml").symlink_to(tmp_path / "site.toml")
    assert texts(read_site(tmp_path / "link.toml"), "Okafor") == ["Okafor"]


def test_the_digest_tells_what_is_in_the_files_and_not_where_they_lie(tmp_path: Path) -> None:
    digests = []
    for folder, entries in (("a", "Okafor\n"), ("b", "Okafor\n"), ("c", "Rask\n")):
        (tmp_path / folder).mkdir()
        site = site_of(tmp_path / folder, LIST + "file = 'staff.txt'\n", staff_txt=entries)
        digests.append(site.digest)
    assert digests[0] == digests[1] != digests[2]


def test_a_site_is_read_once_and_refused_when_it_has_changed(tmp_path: Path) -> None:
    site = site_of(tmp_path, LIST + "file = 'staff.txt'\n", staff_txt="Okafor\n")
    loaded = load_site(site.path)
    assert load_site(site.path, loaded.digest) is loaded
    (tmp_path / "staff.txt").write_text("Rask\n")
    with pytest.raises(SiteError, match="has changed"):
        load_site(site.path, "0" * 16)
    assert load_site(site.path).digest != loaded.digest


def test_a_site_can_be_pickled_and_shows_no_entry(tmp_path: Path) -> None:
    site = site_of(
        tmp_path,
        f"[types.STUDYID]\ncategory = 'ID'\n{LIST}words = ['Okafor']\n"
        + PATTERN.replace("IDNUM", "STUDYID")
        + "pattern = 'ODL-\\d+'\n"
        + NEVER
        + "words = ['Zyntrel']\n",
    ).prepare()
    again = pickle.loads(pickle.dumps(site))
    note = "Okafor, ODL-17"
    assert again.read(NoteIndex(note)).spans == site.read(NoteIndex(note)).spans != []
    assert again.types == site.types
    assert "Okafor" not in repr(site) + str(site.lists)


def test_thousands_of_rows_are_read_in_a_moment(tmp_path: Path) -> None:
    rows = "".join(
        f"[[lists]]\nname='{at}'\ntype='CITY'\nwords=['Ab{at}']\n" for at in range(2_000)
    )
    start = time.perf_counter()
    assert len(site_of(tmp_path, rows).lists) == 2_000
    assert time.perf_counter() - start < 3


def test_rows_can_be_tried_one_by_one(tmp_path: Path) -> None:
    site = site_of(
        tmp_path,
        f"{LIST}words = ['Okafor']\n{PATTERN}pattern = '\\d+'\n{NEVER}words = ['Zyntrel']\n",
    )
    note = NoteIndex("Okafor 17 Zyntrel")
    found = {row.name: (row.kind, list(row.find(note))) for row in site.rows()}
    assert found == {
        "staff": ("list", [(0, 6)]),
        "number": ("pattern", [(7, 9)]),
        "trials": ("never", [(10, 17)]),
    }
    assert {span.source for span in site.read(note).spans} == {"site.staff", "site.number"}
