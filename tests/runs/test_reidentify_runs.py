"""Runs into a vault and out of it: killed, resumed, repeated, moved, changed, by any number."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from places import TESTS
from vaults import SECRET, open_vault

from incognote.base.errors import RunError, StoppedError
from incognote.replace.vault import Secret, Vault, VaultError
from incognote.runs import deid
from incognote.runs.plan import plan
from incognote.runs.reidentify import Reidentification, reidentify
from incognote.runs.settings import Settings
from incognote.runs.vault_notes import check_vault

RULES = Settings(find_by="rules")


def make_inputs(folder: Path) -> None:
    """Notes that all become alike, and tables of such."""
    (folder / "OKAFOR").mkdir(parents=True)
    names = ["Okafor", "Obi", "Brandt", "Adichie", "Schmidt", "Larsen", "Novak"]
    for name in names:
        (folder / "OKAFOR" / f"{name}.txt").write_text(f"Seen by Dr. {name}.\n")
    rows = [
        {"text": f"Dr. {names[n % 7]}, call 419-471-802{n % 10}.", "n": n % 2} for n in range(40)
    ]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "z.csv").write_text(
        "text,z\n" + "".join(f"Dr. {names[n % 7]},1\n" for n in range(30))
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".incognote-run" not in path.parts
    }


@contextmanager
def vault_at(path: Path) -> Iterator[Vault]:
    with closing(open_vault(path)) as vault:
        yield vault


def run_deid(source: Path, out: Path, vault: Path, **options: bool) -> None:
    with vault_at(vault) as opened_vault:
        plan([str(source)], out, RULES, vault=opened_vault, **options).run()  # type: ignore[arg-type]


def give_back(out: Path, back: Path, vault: Path, **options: bool) -> Reidentification:
    with closing(open_vault(vault, make=False)) as opened_vault:
        return reidentify(str(out), back, opened_vault, **options)  # type: ignore[arg-type]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    make_inputs(tmp_path / "notes")
    return tmp_path / "notes"


def test_notes_that_became_alike_come_back_each_to_its_name(notes: Path, tmp_path: Path) -> None:
    run_deid(notes, tmp_path / "out", tmp_path / "vault")
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*.txt")]
    assert set(texts) == {"Seen by Dr. [DOCTOR].\n"}
    result = give_back(tmp_path / "out", tmp_path / "back", tmp_path / "vault")
    assert result.exact == result.notes == 77
    assert contents(tmp_path / "back") == contents(notes)
    shutil.move(tmp_path / "out", tmp_path / "moved")
    give_back(tmp_path / "moved", tmp_path / "again", tmp_path / "vault")
    assert contents(tmp_path / "again") == contents(notes)
    for path in (tmp_path / "back").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_a_table_under_another_name_comes_back(notes: Path, tmp_path: Path) -> None:
    run_deid(notes / "z.csv", tmp_path / "clean.csv", tmp_path / "vault")
    (tmp_path / "clean.csv").rename(tmp_path / "renamed.csv")
    result = give_back(tmp_path / "renamed.csv", tmp_path / "back.csv", tmp_path / "vault")
    assert result.exact == 30
    assert (tmp_path / "back.csv").read_bytes() == (notes / "z.csv").read_bytes()


def test_a_row_left_out_makes_those_like_it_unsure(notes: Path, tmp_path: Path) -> None:
    """Nothing tells these rows apart but their order, so nothing is guessed."""
    run_deid(notes / "z.csv", tmp_path / "clean.csv", tmp_path / "vault")
    lines = (tmp_path / "clean.csv").read_text().splitlines(keepends=True)
    (tmp_path / "clean.csv").write_text("".join(lines[:5] + lines[6:]))
    result = give_back(tmp_path / "clean.csv", tmp_path / "back.csv", tmp_path / "vault")
    assert not result.written
    assert len(result.failures) == 29
    assert "several notes" in result.failures[0].reason
    assert not (tmp_path / "back.csv").exists()


def test_rows_left_out_are_no_matter_where_ids_tell(tmp_path: Path) -> None:
    rows = [f"{n},Dr. {name}\n" for n, name in enumerate(["Okafor", "Obi", "Brandt", "Adichie"])]
    (tmp_path / "in.csv").write_text("id,text\n" + "".join(rows))
    run_deid(tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "vault")
    header, *clean = (tmp_path / "out.csv").read_text().splitlines(keepends=True)
    assert clean[2] == "2,Dr. [DOCTOR]\n"
    (tmp_path / "out.csv").write_text(header + clean[3] + clean[1])
    give_back(tmp_path / "out.csv", tmp_path / "back.csv", tmp_path / "vault")
    assert (tmp_path / "back.csv").read_text() == header + rows[3] + rows[1]


def test_several_runs_share_a_vault(tmp_path: Path) -> None:
    for month, name in enumerate(("Okafor", "Obi", "Brandt")):
        source = tmp_path / f"month-{month}"
        source.mkdir()
        (source / f"{name}.txt").write_text(f"Dr. {name}")
        run_deid(source, tmp_path / f"out-{month}", tmp_path / "vault")
    for month in range(3):
        give_back(tmp_path / f"out-{month}", tmp_path / f"back-{month}", tmp_path / "vault")
        assert contents(tmp_path / f"back-{month}") == contents(tmp_path / f"month-{month}")
    (tmp_path / "out-1").rename(tmp_path / "moved")
    result = give_back(tmp_path / "moved", tmp_path / "back", tmp_path / "vault")
    assert "several notes" in result.failures[0].reason


def test_overwritten_outputs_come_back_as_what_was_read_last(tmp_path: Path) -> None:
    source = tmp_path / "n.txt"
    for name in ("Okafor", "Obi"):
        source.write_text(f"Dr. {name}")
        run_deid(source, tmp_path / "out.txt", tmp_path / "vault", overwrite=True)
    give_back(tmp_path / "out.txt", tmp_path / "back.txt", tmp_path / "vault")
    assert (tmp_path / "back.txt").read_text() == "Dr. Obi"


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_change_nothing(notes: Path, tmp_path: Path, workers: int) -> None:
    with vault_at(tmp_path / "vault") as vault:
        asked = Settings(find_by="rules", workers=workers)
        plan([str(notes)], tmp_path / "out", asked, vault=vault).run()
        assert len(vault) == 77
    give_back(tmp_path / "out", tmp_path / "back", tmp_path / "vault")
    assert contents(tmp_path / "back") == contents(notes)


def test_the_order_of_notes_changes_nothing(notes: Path, tmp_path: Path) -> None:
    files = sorted((notes / "OKAFOR").iterdir())
    for turn, order in enumerate((files, files[::-1])):
        out, back = tmp_path / f"out-{turn}", tmp_path / f"back-{turn}"
        with vault_at(tmp_path / f"vault-{turn}") as vault:
            plan([str(path) for path in order], out, RULES, vault=vault).run()
        give_back(out, back, tmp_path / f"vault-{turn}")
        assert contents(back) == contents(notes / "OKAFOR")


KILLED = """
import os, signal, sys
from pathlib import Path
from vaults import open_vault
from incognote.runs import deid
from incognote.runs.plan import plan
from incognote.runs.settings import Settings

deid.CHECKPOINT_SECONDS = 0.0

if __name__ == "__main__":
    source, out, vault, moment, after = sys.argv[1:6]
    left = int(after)

    def kill(run, *rest):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(run, *rest)

    original = getattr(deid.Run, moment)
    setattr(deid.Run, moment, kill)
    settings = Settings(find_by="rules", workers=2)
    plan([source], out, settings, vault=open_vault(Path(vault))).run()
"""


@pytest.mark.parametrize(
    ("moment", "after"), [("_publish", 4), ("_checkpoint", 25), ("_conclude", 7)], ids=str
)
def test_killed_with_workers_and_resumed(
    notes: Path, tmp_path: Path, moment: str, after: int
) -> None:
    out, vault = tmp_path / "out", tmp_path / "vault"
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    paths = filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, script, notes, out, vault, moment, str(after)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
    )
    assert ran.returncode == -signal.SIGKILL
    assert any(out.rglob("*.txt")), "some outputs were there already"
    early = give_back(out, tmp_path / "early", vault)
    assert early.exact == early.notes > 0
    assert contents(tmp_path / "early").items() <= contents(notes).items()
    run_deid(notes, out, vault, resume=True)
    result = give_back(out, tmp_path / "back", vault)
    assert result.exact == result.notes == 77
    assert contents(tmp_path / "back") == contents(notes)


def test_a_note_has_its_row_before_its_output_is_there(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = deid.Run._publish

    def watched(run: deid.Run, file: object) -> None:
        published(run, file)  # type: ignore[arg-type]
        result = give_back(tmp_path / "out", tmp_path / "back", tmp_path / "vault", overwrite=True)
        assert not result.failures

    monkeypatch.setattr(deid.Run, "_publish", watched)
    run_deid(notes, tmp_path / "out", tmp_path / "vault")


def test_without_its_vault_a_run_is_not_resumed(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = 0

    def stop(notes: int, size: int) -> None:
        nonlocal done
        done += notes
        if done > 1:
            raise KeyboardInterrupt

    with vault_at(tmp_path / "vault") as vault, pytest.raises(KeyboardInterrupt):
        plan([str(notes)], tmp_path / "out", RULES, vault=vault).run(stop)
    with pytest.raises(RunError, match="other settings"):
        plan([str(notes)], tmp_path / "out", RULES, resume=True).run()


def test_a_vault_that_cannot_be_written_stops_the_run_before_the_output(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(vault: Vault) -> None:
        raise VaultError("vault: the vault cannot be read or written (SQLITE_FULL)")

    with vault_at(tmp_path / "vault") as vault, monkeypatch.context() as patch:
        patch.setattr(Vault, "commit", full)
        with pytest.raises(StoppedError, match=r"SQLITE_FULL.*--resume"):
            plan([str(notes)], tmp_path / "out", RULES, vault=vault).run()
        assert contents(tmp_path / "out") == {}
    run_deid(notes, tmp_path / "out", tmp_path / "vault", resume=True)
    give_back(tmp_path / "out", tmp_path / "back", tmp_path / "vault")
    assert contents(tmp_path / "back") == contents(notes)


def test_one_changed_note_and_nothing_is_written_unless_asked(notes: Path, tmp_path: Path) -> None:
    run_deid(notes, tmp_path / "out", tmp_path / "vault")
    changed = next(iter(sorted((tmp_path / "out").rglob("*.txt"))))
    changed.write_text(changed.read_text().replace("Seen", "seen"))
    result = give_back(tmp_path / "out", tmp_path / "back", tmp_path / "vault")
    assert not result.written
    assert not (tmp_path / "back").exists()
    assert [failure.reason for failure in result.failures] == [
        "changed since, or never put into this vault"
    ]
    result = give_back(tmp_path / "out", tmp_path / "back", tmp_path / "vault", keep_going=True)
    assert result.exact == 76
    assert contents(tmp_path / "back").items() < contents(notes).items()


def test_what_a_killed_reidentify_left_is_in_nobodys_way(notes: Path, tmp_path: Path) -> None:
    run_deid(notes, tmp_path / "out", tmp_path / "vault")
    (tmp_path / "back" / ".incognote-run").mkdir(parents=True)
    (tmp_path / "back" / ".incognote-run" / "1.txt").write_text("half")
    give_back(tmp_path / "out", tmp_path / "back", tmp_path / "vault")
    assert contents(tmp_path / "back") == contents(notes)
    with pytest.raises(RunError, match="exists"):
        give_back(tmp_path / "out", tmp_path / "back", tmp_path / "vault")


def test_a_wrong_key_writes_nothing(notes: Path, tmp_path: Path) -> None:
    run_deid(notes, tmp_path / "out", tmp_path / "vault")
    before = contents(tmp_path / "out")
    wrong = Secret.key_file(SECRET.value[::-1])
    with pytest.raises(VaultError):
        open_vault(tmp_path / "vault", make=False, secret=wrong)
    with pytest.raises(VaultError):
        open_vault(tmp_path / "vault", secret=wrong)
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("place", ["out/v", "out", "notes/v", "notes/OKAFOR/v"])
def test_a_vault_is_kept_apart(notes: Path, tmp_path: Path, place: str) -> None:
    with pytest.raises(RunError, match="keep it apart"):
        check_vault(tmp_path / place, tmp_path / "out", [str(notes)])
