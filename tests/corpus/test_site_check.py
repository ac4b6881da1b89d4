"""What is said of a site file: each row in sample notes, beside what is found without it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from incognote.corpus.site_check import RowReport, SiteReport, check_site, overlapping
from incognote.detect.finder import choose
from incognote.document import Document

SITE = """
[[lists]]
name = "wards"
type = "HOSPITAL"
words = ["Hollin", "Hope"]

[[lists]]
name = "staff"
type = "DOCTOR"
mode = "name"
words = ["Okafor, Ngozi"]

[[patterns]]
name = "form"
type = "IDNUM"
pattern = 'MF-\\d{3}'

[[never]]
name = "tools"
words = ["Boston Bowel Prep"]
"""
NOTES = [
    "On Hollin again. Seen by Dr. Okafor. MF-114 done.",
    "Boston Bowel Prep 8. We hope for the best, and hope again. Hollin.",
]


def check(path: Path, text: str, notes: list[str] = NOTES, *, show: bool = False) -> SiteReport:
    path.write_text(text)
    documents = [Document(str(number), note) for number, note in enumerate(notes)]
    choice = choose("rules")
    return check_site(path, documents, lambda site: choice.detector(site=site), show=show)


def row(report: SiteReport, name: str) -> RowReport:
    return next(each for each in report.rows if each.name == name)


def test_each_row_is_counted(tmp_path: Path) -> None:
    report = check(tmp_path / "site.toml", SITE)
    assert (
        row(report, "wards").times,
        row(report, "wards").notes,
        row(report, "wards").anyway,
    ) == (4, 2, 0)
    assert (row(report, "staff").times, row(report, "staff").anyway) == (1, 1)
    assert (row(report, "form").times, row(report, "form").entries) == (1, 0)
    assert (row(report, "tools").times, row(report, "tools").drops) == (1, 1)
    assert row(report, "wards").mode == "any-case"
    assert report.notes == 2
    assert report.seconds_without > 0


def warnings(path: Path, text: str, notes: list[str] = NOTES) -> str:
    return "\n".join(check(path, text, notes).warnings)


def test_an_entry_that_is_a_word_is_warned_of_and_masked(tmp_path: Path) -> None:
    said = warnings(tmp_path / "site.toml", SITE)
    assert "wards: 1 entry is an ordinary word (Xxxx)" in said
    assert "wards: marks ordinary words in small letters 2 times (xxxx 2)" in said
    assert "Hope" not in said
    report = check(tmp_path / "site.toml", SITE, show=True)
    assert "wards: 1 entry is an ordinary word (Hope)" in "\n".join(report.warnings)


def test_a_row_that_finds_nothing_is_warned_of(tmp_path: Path) -> None:
    assert "form: finds nothing in these notes" in warnings(
        tmp_path / "site.toml", SITE, ["On Hollin again."]
    )


def test_a_pattern_that_finds_too_much_is_warned_of(tmp_path: Path) -> None:
    text = "[[patterns]]\nname = 'n'\ntype = 'IDNUM'\npattern = '\\d+'"
    said = warnings(tmp_path / "site.toml", text, ["Gave 5 of 10 and 20 of 30."])
    assert "n: finds" in said
    assert "of all words" in said


def test_entries_in_two_lists_and_in_never_are_warned_of(tmp_path: Path) -> None:
    more = """
[[lists]]
name = "houses"
type = "ORGANIZATION"
words = ["hollin", "KB"]

[[never]]
name = "kept"
words = ["Hollin"]
"""
    said = warnings(tmp_path / "site.toml", SITE + more)
    assert "houses: 1 entry is in wards too" in said
    assert "houses: 1 entry has 3 letters or fewer (XX)" in said
    assert "kept: 1 entry is in the list wards too" in said
    assert "wards and houses: find the same 2 times under different types" in said


PLACES = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9))).map(
    lambda pairs: sorted({(start, start + length) for start, length in pairs})
)


@given(PLACES, PLACES)
def test_overlapping_places_are_counted(
    places: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    each = (any(start < stop and begin < end for begin, stop in others) for start, end in places)
    assert overlapping(places, others) == sum(each)


class Place(int):
    """A number that counts how often it is compared."""

    compared = 0

    def __lt__(self, other: int) -> bool:
        Place.compared += 1
        return int(self) < int(other)

    def __gt__(self, other: int) -> bool:
        Place.compared += 1
        return int(self) > int(other)


def test_the_work_of_counting_overlaps_is_not_quadratic_in_the_places() -> None:
    def comparisons(size: int) -> int:
        Place.compared = 0
        places = [(Place(10 * at), Place(10 * at + 4)) for at in range(size)]
        assert overlapping(places, [(Place(a + 5), Place(b + 5)) for a, b in places]) == 0
        return Place.compared

    assert comparisons(4000) < 5 * comparisons(1000)


def test_a_sound_file_has_no_warning(tmp_path: Path) -> None:
    text = "[[lists]]\nname = 'wards'\ntype = 'HOSPITAL'\nwords = ['Hollin']"
    assert not check(tmp_path / "site.toml", text).warnings


def test_json_masks_texts(tmp_path: Path) -> None:
    report = check(tmp_path / "site.toml", SITE)
    assert "Okafor" not in str(report.to_json(show=False))
    assert "Okafor" in str(report.to_json(show=True))
    assert report.to_json(show=False)["errors"] == []
