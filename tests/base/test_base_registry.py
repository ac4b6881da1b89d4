"""Names of a user's own: registered in code or by an installed package, and never in place of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from plugin_packages import install

from incognote.base.registry import Registry, RegistryError

GROUP = "incognote.things"


def registry() -> Registry:
    return Registry(GROUP, "thing", ours=("tag", "mask"))


def test_what_is_registered_in_code_is_found_by_its_name() -> None:
    things = registry()

    @things.register("mine")
    def mine() -> int:
        return 7

    assert things.find("mine").load() is mine
    assert things.find("mine").origin == "registered in code"
    assert things.names() == ["tag", "mask", "mine"]
    assert mine() == 7


@pytest.mark.parametrize("name", ["tag", "Mine", "a,b", "a=b", "", "ä", "x" * 41])
def test_names_of_ours_and_names_that_options_could_not_hold_are_refused(name: str) -> None:
    with pytest.raises(RegistryError, match=r"taken by incognote|cannot name a thing"):
        registry().register(name)


def test_a_package_offers_a_thing_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odile_things.py").write_text("mine = 'made by Odile'\n")
    install(tmp_path, monkeypatch, "odile-things", "1.2", {GROUP: {"mine": "odile_things:mine"}})
    plugin = registry().find("mine")
    assert (plugin.origin, plugin.load()) == ("odile-things 1.2", "made by Odile")
    assert registry().names() == ["tag", "mask", "mine"]


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(RegistryError, match=r"there is no thing 'yours': choose tag, mask$"):
        registry().find("yours")


@pytest.mark.parametrize(
    ("code", "kind"),
    [("import nothing_of_this_name", "ModuleNotFoundError"), ("1 / 0", "ZeroDivisionError")],
)
def test_a_package_that_cannot_be_imported_is_named_with_the_kind_of_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, kind: str
) -> None:
    (tmp_path / "odile_broken.py").write_text(code)
    install(tmp_path, monkeypatch, "odile-broken", "3", {GROUP: {"mine": "odile_broken:mine"}})
    with pytest.raises(RegistryError, match=rf"'mine' of the package odile-broken 3 .*\({kind}\)"):
        registry().find("mine").load()


def test_a_package_that_takes_a_name_of_ours_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "odile-tag", "1", {GROUP: {"tag": "odile_tag:tag"}})
    with pytest.raises(RegistryError, match="the package odile-tag 1: the name 'tag'"):
        registry().find("mine")


def test_two_packages_with_one_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("odile-one", "odile-two"):
        install(tmp_path, monkeypatch, package, "1", {GROUP: {"mine": "sys:path"}})
    with pytest.raises(RegistryError, match=r"offered twice, by odile-(one|two) 1 and odile-"):
        registry().find("mine")


def test_no_entry_points_are_read_while_nobody_asks_for_a_name_that_is_not_ours() -> None:
    code = (
        "import sys, incognote\n"
        "incognote.Deidentifier('tag,DATE=mask', detector='rules')('Seen by Dr. Okafor.')\n"
        "from incognote.replace.plugins import OPERATOR_PLUGINS\n"
        "from incognote.detect.plugins import DETECTOR_PLUGINS\n"
        "from incognote.formats.registry import FORMAT_PLUGINS\n"
        "registries = (OPERATOR_PLUGINS, DETECTOR_PLUGINS, FORMAT_PLUGINS)\n"
        "print(any('_entries' in vars(each) for each in registries))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout.strip() == "False"
