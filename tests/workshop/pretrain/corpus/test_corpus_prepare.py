"""Making shards: the same whatever happens on the way, and refusing what does not fit."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from places import TESTS
from workshop.pretrain.corpus.corpus_tokenizers import tokenizer

from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus import prepare as module
from incognote.workshop.pretrain.corpus.prepare import ShardSettings, Step, prepare
from incognote.workshop.pretrain.corpus.shards import (
    MANIFEST,
    ShardFile,
    Shards,
    shard_path,
    write_shard,
)
from incognote.workshop.pretrain.corpus.text_files import Reading

SMALL = ShardSettings(shard=3000, held_out=0.1)


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "BATCH", 1000)
    texts = [f"Note {number}. " + "He denies chest pain. " * (number % 9) for number in range(150)]
    lines = "".join(json.dumps({"text": text}) + "\n" for text in ["", *texts, " "])
    (tmp_path / "notes.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
    return tmp_path / "notes.jsonl.gz"


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_figures_and_progress(notes: Path, tmp_path: Path) -> None:
    steps: list[Step] = []
    shards = prepare([notes], tokenizer("bert"), tmp_path / "shards", SMALL, watch=steps.append)
    figures = shards.manifest["figures"]
    assert figures["documents"] == 150
    assert figures["empty"] == 2
    assert figures["one_sentence"] == 17
    assert figures["held_out"] == len(shards.held_out) > 0
    assert figures["sentences"] == shards.sentence_counts.sum()
    assert figures["pieces"] == shards.lengths.sum()
    assert {step.stage for step in steps} == {"checking", "tokenising"}
    assert [step.done for step in steps[1:]] == sorted(step.done for step in steps[1:])
    assert steps[-1] == Step("tokenising", notes.stat().st_size, notes.stat().st_size, 152)


def test_any_number_of_workers_makes_the_same(notes: Path, tmp_path: Path) -> None:
    prepare([notes], tokenizer("albert"), tmp_path / "one", SMALL)
    prepare([notes], tokenizer("albert"), tmp_path / "two", SMALL, workers=2)
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_long_documents_are_shared_out_and_make_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        lines = [f"Visit {line}. He denies chest pain.\n" for line in range(90 * (number % 3))]
        (tmp_path / f"{number}.txt").write_text("".join(lines))
    texts = sorted(tmp_path.glob("*.txt"))
    settings = ShardSettings(shard=5000, held_out=0.4)
    whole = prepare(texts, tokenizer("roberta"), tmp_path / "whole", settings)
    monkeypatch.setattr(module, "BATCH", 500)
    for workers in (1, 2):
        folder = tmp_path / f"{workers}"
        prepare(texts, tokenizer("roberta"), folder, settings, workers=workers)
        assert content(folder) == content(tmp_path / "whole")
    assert whole.sentence_counts.tolist() == [180, 360] * 2
    assert whole.manifest["figures"]["empty"] == 2
    assert 0 < len(whole.held_out) < 4


def test_a_run_that_stopped_goes_on_and_makes_the_same(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare([notes], tokenizer("bert"), tmp_path / "whole", SMALL)
    written: list[str] = []
    write = write_shard

    def stop_at_third(path: Path, shard: ShardFile) -> None:
        if len(written) == 2:
            raise KeyboardInterrupt
        write(path, shard)
        written.append(path.name)

    monkeypatch.setattr(module, "write_shard", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        prepare([notes], tokenizer("bert"), tmp_path / "shards", SMALL)
    assert sorted(content(tmp_path / "shards")) == sorted([*written, MANIFEST])
    monkeypatch.setattr(module, "write_shard", write)
    made = {name: (tmp_path / "shards" / name).stat().st_mtime_ns for name in written}
    (tmp_path / "shards" / "shard-00002.safetensors.part").write_bytes(b"half")
    prepare([notes], tokenizer("bert"), tmp_path / "shards", SMALL)
    assert content(tmp_path / "shards") == content(tmp_path / "whole")
    for name, time in made.items():
        assert (tmp_path / "shards" / name).stat().st_mtime_ns == time


def test_what_is_finished_is_not_made_again(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = prepare([notes], tokenizer("bert"), tmp_path / "shards", SMALL)
    monkeypatch.setattr(module, "write_shard", None)
    again = prepare([notes], tokenizer("bert"), tmp_path / "shards", SMALL)
    assert again.manifest == first.manifest


def test_a_shard_that_was_removed_is_made_again(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shards"
    prepare([notes], tokenizer("bert"), folder, SMALL)
    whole = content(folder)
    for number in (1, len(whole) - 2):  # one within, and the last
        damaged = shard_path(folder, number)
        damaged.write_bytes(whole[damaged.name][:100])
        with pytest.raises(TextError, match="damaged or cut short; remove it"):
            prepare([notes], tokenizer("bert"), folder, SMALL)
        damaged.unlink()
        with pytest.raises(TextError, match=rf"{damaged.name}: missing; prepare the same again"):
            Shards(folder)
        written: list[Path] = []

        def write(path: Path, shard: ShardFile) -> None:
            written.append(path)  # noqa: B023 - called before the loop goes on
            write_shard(path, shard)

        with monkeypatch.context() as patched:
            patched.setattr(module, "write_shard", write)
            prepare([notes], tokenizer("bert"), folder, SMALL)
        assert written == [damaged]
        assert content(folder) == whole


def test_other_shards_are_refused_and_say_why(notes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    prepare([notes], tokenizer("bert"), folder, SMALL)
    other = tmp_path / "other.txt"
    other.write_text("Other text.")
    with pytest.raises(TextError, match="another tokenizer"):
        prepare([notes], tokenizer("roberta"), folder, SMALL)
    with pytest.raises(TextError, match="other texts"):
        prepare([other], tokenizer("bert"), folder, SMALL)
    with pytest.raises(TextError, match="other settings"):
        prepare([notes], tokenizer("bert"), folder, ShardSettings(Reading(documents="blank-lines")))


def test_folders_with_other_files_are_left_alone(notes: Path, tmp_path: Path) -> None:
    with pytest.raises(TextError, match="holds other files"):
        prepare([notes], tokenizer("bert"), tmp_path)
    with pytest.raises(TextError, match="is a file"):
        prepare([notes], tokenizer("bert"), notes)


def test_text_without_a_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_text(" \n")
    with pytest.raises(TextError, match="every document is empty"):
        prepare([tmp_path / "blank.txt"], tokenizer("bert"), tmp_path / "shards")


def test_a_bad_file_stops_the_run_in_one_line(notes: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"Jane Roe \xff")
    for workers in (1, 2):
        with pytest.raises(TextError, match=r"bad\.txt: not UTF-8 at byte 9"):
            prepare([notes, bad], tokenizer("bert"), tmp_path / f"{workers}", workers=workers)


def test_a_full_disk_leaves_nothing_half_written(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shards"
    sync = os.fsync

    def full(handle: int) -> None:
        if shard_path(folder, 1).with_suffix(".safetensors.part").exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as stopped:
        prepare([notes], tokenizer("bert"), folder, SMALL)
    assert stopped.value.filename == str(shard_path(folder, 1))
    assert sorted(content(folder)) == ["shard-00000.safetensors", MANIFEST]


def test_settings_that_make_no_sense() -> None:
    for wrong in ({"held_out": 1.0}, {"held_out": -0.1}, {"shard": 0}):
        with pytest.raises(TextError):
            ShardSettings(**wrong)


KILLED = """
import os, signal, sys
from pathlib import Path
from workshop.pretrain.corpus.corpus_tokenizers import tokenizer
from incognote.workshop.pretrain.corpus import prepare as module

module.BATCH = 1000

def die(step):
    if step.stage == "tokenising" and step.documents > 100:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    settings = module.ShardSettings(shard=3000, held_out=0.1)
    module.prepare([sys.argv[1]], tokenizer("albert"), sys.argv[2], settings, workers=2, watch=die)
"""


def test_a_killed_run_with_workers_goes_on(notes: Path, tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    paths = [str(TESTS), os.environ.get("PYTHONPATH", "")]
    ran = subprocess.run(
        [sys.executable, script, notes, tmp_path / "shards"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        timeout=120,
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr.decode()
    assert shard_path(tmp_path / "shards", 0).exists()
    prepare([notes], tokenizer("albert"), tmp_path / "shards", SMALL)
    prepare([notes], tokenizer("albert"), tmp_path / "whole", SMALL)
    assert content(tmp_path / "shards") == content(tmp_path / "whole")
