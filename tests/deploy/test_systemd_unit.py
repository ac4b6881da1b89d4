"""The unit for systemd: it locks the service in, starts what there is, and systemd understands it."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from places import ROOT

from incognote.cli.configuration import all_commands

UNIT = ROOT / "deploy" / "systemd" / "incognote.service"
MOST_EXPOSED = 2.0
"""By systemd's own scale, on which 10 is the worst."""


def service() -> dict[str, list[str]]:
    """The section of the service: each key with all of its values."""
    section = UNIT.read_text().partition("[Service]")[2].partition("[Install]")[0]
    found: dict[str, list[str]] = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", section, re.M):
        found.setdefault(key, []).append(value)
    return found


def test_it_gives_the_service_little() -> None:
    values = service()
    for key in (
        *("NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "PrivateUsers"),
        *("ProtectKernelModules", "RestrictNamespaces", "RestrictSUIDSGID", "LockPersonality"),
    ):
        assert values[key] == ["yes"], key
    assert values["ProtectSystem"] == ["strict"]
    assert values["CapabilityBoundingSet"] == [""]
    assert values["UMask"] == ["0077"]
    assert values["LimitCORE"] == ["0"]
    assert values["User"] != ["root"]
    assert int(values["TimeoutStopSec"][0]) > 30, "longer than --grace"


def test_it_starts_a_command_that_there_is() -> None:
    (start,) = service()["ExecStart"]
    program, name, *words = shlex.split(start)
    assert Path(program).name == "incognote"
    (command,) = (each for typed, each, _ in all_commands() if typed == (name,))
    command.make_context(name, words)
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(UNIT.read_text())
    assert parser.sections() == ["Unit", "Service", "Install"]


def test_systemd_understands_it(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:  # the other tests hold without it
        return
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/incognote/bin/incognote", sys.executable))
    checked = subprocess.run(
        [analyze, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    judged = subprocess.run(
        [analyze, "security", "--offline=yes", str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    exposed = re.search(r"exposure level for \S+: ([\d.]+)", judged.stdout)
    assert exposed is not None, judged.stderr
    assert float(exposed[1]) <= MOST_EXPOSED
