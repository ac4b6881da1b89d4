"""The example of docs/site.md does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import Command

from incognote.detect.site import read_site

PAGE = Path(__file__).parent.parent.parent / "docs" / "site.md"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The files of the page, written to the working folder."""
    blocks = re.findall(r"^```\w+ ([\w.]+)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert [name for name, _ in blocks] == ["site.toml", "staff.csv", "note.txt", "output"]
    monkeypatch.chdir(tmp_path)
    for name, content in blocks:
        Path(name).write_text(content)
    return dict(blocks)


@pytest.mark.parametrize("detector", [(), ("--detector", "rules")])
def test_the_example_gives_what_the_page_shows(
    incognote: Command, example: dict[str, str], detector: tuple[str, ...]
) -> None:
    ran = incognote("deid", "note.txt", "--site", "site.toml", *detector)
    assert ran.status == 0, ran.err
    assert ran.out.decode() == example["output"]
    found = incognote("find", "note.txt", "--site", "site.toml", *detector).out.decode()
    for source in ("site.staff", "site.wards", "site.study-number", "propagated"):
        assert f'"source": "{source}"' in found


def test_the_table_has_every_key(example: dict[str, str]) -> None:
    table = PAGE.read_text().partition("## All keys")[2].partition("## Lists")[0]
    keys = set(re.findall(r"`([a-z-]+)`", table))
    for kind, row in (
        ("lists", "name = 'a'\ntype = 'AGE'\nwords = ['ab']"),
        ("patterns", "name = 'a'\ntype = 'AGE'\npattern = 'ab'"),
        ("never", "name = 'a'\nwords = ['ab']"),
    ):
        Path("keys.toml").write_text(f"[[{kind}]]\n{row}\nx = 1\n")
        with pytest.raises(ValueError, match="no such key") as error:
            read_site(Path("keys.toml"))
        known = str(error.value).partition("there are ")[2].split(", ")
        assert set(known) <= keys
