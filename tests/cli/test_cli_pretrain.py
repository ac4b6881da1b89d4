"""`incognote pretrain` as a user runs it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
import torch
from commands import Command
from tiny_pretraining import SIZES, text_file, tiny_tokenizer, tokenizer_folder

from incognote.base.lock import output_lock
from incognote.cli.pretrain import View
from incognote.cli.training_options import OPT_OUT
from incognote.workshop.pretrain.loop import Tick


@pytest.fixture(autouse=True)
def _as_tests_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OPT_OUT, "system")
    monkeypatch.setattr("incognote.workshop.pretrain.train.draw_losses", lambda *of: None)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    text_file(tmp_path / "text.jsonl")
    tokenizer_folder(tmp_path / "tokenizer")
    return tmp_path


def arguments(place: Path, *more: object) -> list[object]:
    sizes = [part for name, value in SIZES.items() for part in ("--size", f"{name}={value}")]
    return [
        *("pretrain", place / "text.jsonl", "-o", place / "encoder", "--preset", "albert-base"),
        *("--tokenizer", place / "tokenizer", *sizes, "--lengths", "24:0.8,48", "--steps", 4),
        *("--batch-pieces", 192, "--held-out", 0.15, "--threads", torch.get_num_threads()),
        *("--final-examples", 20, "--evaluate-every", 2, "--text-workers", 1, *more),
    ]


def test_from_text_to_an_encoder_and_on(incognote: Command, place: Path) -> None:
    ran = incognote(*arguments(place, "--optimizer", "adamw", "--ngrams", 2, "--mask-share", 0.2))
    assert ran.status == 0, ran.err
    assert "step 2 of 4: held-out mlm" in ran.err
    assert [line.split()[0] for line in ran.out.decode().splitlines()[:3]] == ["held", "mlm", "sop"]
    training = json.loads((place / "encoder/training.json").read_text())
    assert training["preset"] == "albert-base"
    assert training["files"] == ["text.jsonl"]
    assert training["settings"]["example_options"]["masking"] == {"share": 0.2, "longest": 2}
    assert training["settings"]["lengths"] == [[24, 0.8], [48, 1.0]]
    again = incognote(*arguments(place, "--optimizer", "adamw"))
    assert (again.status, "is not empty" in again.err) == (2, True)
    finished = incognote(
        *arguments(place, "--resume", "--optimizer", "adamw", "--ngrams", 2, "--mask-share", 0.2)
    )
    assert finished.status == 0, finished.err
    other = incognote(*arguments(place, "--resume", "--steps", 5))
    assert other.status == 2
    assert "holds a finished run with another steps, optimizer, example_options" in other.err
    on = incognote(
        *("pretrain", place / "text.jsonl", "-o", place / "more", "--from", place / "encoder"),
        *("--objective", "mlm", "--steps", 2, "--batch-size", 4, "--lengths", 24),
        *("--held-out", 0, "--text-workers", 1),
    )
    assert on.status == 0, on.err
    assert "the head for sop" in on.err
    assert "no text is held out" in on.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--preset", "gpt"], "no preset 'gpt'; there are bert-base"),
        (["--objective", "clm"], "no objective 'clm'; there are mlm"),
        (["--size", "layers"], "--size layers: write NAME=VALUE"),
        (["--size", "depth=3"], "albert-base-v2 has no size depth"),
        (["--size", "norm_epsilon=small"], "norm_epsilon must be a number above 0, not 'small'"),
        (["--lengths", "many"], "--lengths many: write LENGTH:SHARE"),
        (["--lengths", "512"], "sequences of 512 tokens are too long: the encoder takes 64"),
        (["--lr", "-1"], "lr must be above 0"),
        (["--objective-option", "size=3"], "not take the option size; it takes mask, random"),
        (["--objective-option", "mask=2"], "the shares of masks and random tokens must lie"),
        (["--betas", "0.9"], "--betas 0.9: write two, such as 0.9,0.999"),
        (["--betas", "0.9,1.5"], "betas must be from 0 up to but not 1"),
        (["--evaluate-length", "512"], "the encoder takes 64; change --evaluate-length"),
        (["--seed", "-1"], "seed must be from 0 up to but not 2**63"),
        (["--seed", "99999999999999999999"], "seed must be from 0 up to but not 2**63"),
        (["--warmup", "inf"], "warmup must be 0 or more"),
        (["--device", "abacus"], "no device 'abacus' here; write cpu, cuda or cuda:0"),
        (["--objective-option", "weight=-1"], "weight of mlm+sop must be 0 or more, not -1"),
        (["--objective", "elmo", "--ngrams", "2"], "elmo masks nothing: leave out how to mask"),
        (["--lengths", "24,8"], "the text gives no example of sentence-order"),
        (["--from", "minilm"], "keeps its sizes: leave out --size, or --from"),
        (["--held-out", "1.5"], "the held-out share must be from 0"),
        (["--tokenizer", "nowhere"], "nowhere: no such folder"),
    ],
)
def test_mistakes_end_in_one_sentence(
    incognote: Command, place: Path, more: list[str], said: str
) -> None:
    ran = incognote(*arguments(place, *more))
    assert ran.status == 2
    assert said in ran.err.splitlines()[-1]


def test_all_that_a_preset_says_can_be_changed(incognote: Command, place: Path) -> None:
    changes = ("--betas", "0.8,0.98", "--eps", 1e-8, "--decay-all", "--clip", 0)
    masks = ("--objective-option", "mask=0.7", "--objective-option", "random=0.2")
    ran = incognote(*arguments(place, *changes, *masks, "--evaluate-length", 48))
    assert ran.status == 0, ran.err
    assert "40 documents (" in ran.err
    found = json.loads((place / "encoder/training.json").read_text())["settings"]
    assert (found["betas"], found["eps"]) == ([0.8, 0.98], 1e-8)
    assert (found["decay_all"], found["clip"], found["evaluate_length"]) == (True, None, 48)
    assert found["objective_options"] == {"mask": 0.7, "random": 0.2}
    again = incognote(*arguments(place, "--overwrite"))
    assert again.status == 0, again.err
    for name, steps in (("log.csv", "1234"), ("held_out.csv", "24")):
        rows = (place / "encoder" / name).read_text().splitlines()[1:]
        assert [row.split(",")[0] for row in rows] == list(steps)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"broken', "not readable as JSON"),
        ("[]", "not a JSON object"),
        ("{}", "schema None is not 1"),
    ],
)
def test_a_damaged_story_of_a_run_is_said(
    incognote: Command, place: Path, written: str, said: str
) -> None:
    (place / "encoder").mkdir()
    (place / "encoder/training.json").write_text(written)
    ran = incognote(*arguments(place, "--resume"))
    assert (ran.status, len(ran.err.splitlines())) == (2, 1)
    assert said in ran.err


def test_sigterm_saves_a_state_and_resume_says_from_where(
    incognote: Command, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = View.step

    def terminated(self: View, tick: Tick) -> None:
        shown(self, tick)
        if tick.progress.step == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(View, "step", terminated)
        ran = incognote(*arguments(place, "--resume"))
    assert ran.status == 130
    assert "incognote: no unfinished run is here: starting from the beginning" in ran.err
    assert "incognote: stopped; the state is saved: the same command with --resume" in ran.err
    again = incognote(*arguments(place, "--resume"))
    assert again.status == 0
    assert "incognote: continuing at step 3 of 4" in again.err


def test_two_runs_do_not_share_a_folder(incognote: Command, place: Path) -> None:
    with output_lock(place / "encoder", "pretrain", folder=True):
        ran = incognote(*arguments(place, "--overwrite"))
    assert ran.status == 2
    assert "another run is writing here (pretrain, process" in ran.err


def test_quiet_says_nothing(incognote: Command, place: Path) -> None:
    assert incognote(*arguments(place, "--quiet")).err == ""


def test_an_overwrite_that_is_refused_destroys_nothing(incognote: Command, place: Path) -> None:
    assert incognote(*arguments(place)).status == 0
    before = {path: path.read_bytes() for path in (place / "encoder").iterdir() if path.is_file()}
    assert place / "encoder/training.json" in before
    for spoilt in (("--lengths", 4000), ("--attention-dropout", 2)):
        ran = incognote(*arguments(place, "--overwrite", *spoilt))
        assert ran.status == 2, spoilt
        assert {path: path.read_bytes() for path in before} == before
    (place / "text.jsonl").write_text("")
    ran = incognote(*arguments(place, "--overwrite"))
    assert (ran.status, "text" in ran.err) == (2, True)
    assert {path: path.read_bytes() for path in before} == before


def test_what_is_missing_is_named(incognote: Command, place: Path) -> None:
    out = ("-o", place / "out")
    ran = incognote("pretrain", place / "text.jsonl", *out, "--preset", "albert-base")
    assert (ran.status, "--tokenizer" in ran.err) == (2, True)
    ran = incognote("pretrain", place / "text.jsonl", *out, "--tokenizer", place / "tokenizer")
    assert (ran.status, "--preset" in ran.err) == (2, True)
    ran = incognote(*arguments(place, "--tokenizer", place / "nowhere"))
    assert (ran.status, (place / "encoder").exists()) == (2, False)
    ran = incognote("pretrain", place / "text.jsonl", *out, "--from", place / "nowhere")
    assert (ran.status, "nowhere: no such folder to begin from" in ran.err) == (2, True)
    ran = incognote(*arguments(place), "--steps", 1, "--hours", 1)
    assert (ran.status, "give steps or hours" in ran.err) == (2, True)
    (place / "text.jsonl").write_bytes(b"\x00\xff\x00\xfe" * 40)
    ran = incognote(*arguments(place))
    assert (ran.status, len(ran.err.splitlines())) == (2, 1)


def test_a_folder_without_a_run_is_not_resumed(incognote: Command, place: Path) -> None:
    mine = place / "encoder/model.safetensors"
    mine.parent.mkdir()
    mine.write_text("mine")
    ran = incognote(*arguments(place, "--resume"))
    assert (ran.status, "no run to continue" in ran.err) == (2, True)
    assert mine.read_text() == "mine"


def test_a_finished_run_of_other_text_is_not_taken_for_this_one(
    incognote: Command, place: Path
) -> None:
    assert incognote(*arguments(place)).status == 0
    same = incognote(*arguments(place, "--resume"))
    assert same.status == 0, same.err
    said = "finished run with another text, tokenizer or held-out share"
    tokenizer_folder(place / "other", tiny_tokenizer(words=50))
    for more in (("--held-out", 0.3), ("--tokenizer", place / "other")):
        ran = incognote(*arguments(place, "--resume", *more))
        assert (ran.status, said in ran.err) == (2, True), ran.err
    with (place / "text.jsonl").open("a") as file:
        file.write('{"text": "More. And more."}\n')
    ran = incognote(*arguments(place, "--resume"))
    assert (ran.status, said in ran.err) == (2, True), ran.err


def test_an_encoder_is_not_written_into_its_text(incognote: Command, place: Path) -> None:
    ran = incognote("pretrain", place, *arguments(place)[2:])
    assert (ran.status, "lies inside the input folder" in ran.err) == (2, True)
    ran = incognote(*arguments(place, "--shards", place))
    assert (ran.status, "holds the input" in ran.err) == (2, True)
    assert not (place / "encoder").exists()


def test_a_mistake_in_the_text_is_put_right(incognote: Command, place: Path) -> None:
    text = (place / "text.jsonl").read_bytes()
    (place / "text.jsonl").write_text("\n")
    assert incognote(*arguments(place)).status == 2
    (place / "text.jsonl").write_bytes(text)
    ran = incognote(*arguments(place))
    assert ran.status == 0, ran.err


def test_shards_are_read_as_they_are(incognote: Command, place: Path) -> None:
    kept = ("--shards", place / "shards")
    assert incognote(*arguments(place, *kept)).status == 0
    held_out, more = ("--held-out", 0.15), ("-o", place / "more")
    again = [each for each in arguments(place, *more) if each not in held_out]
    again[1] = place / "shards"
    ran = incognote(*again)
    assert ran.status == 0, ran.err
    ran = incognote(*again, "-o", place / "other", *held_out)
    assert (ran.status, "is tokenised already" in ran.err) == (2, True)
