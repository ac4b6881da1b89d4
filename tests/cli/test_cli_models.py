"""Models that others made, or that are damaged, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command
from detect.test_not_finite import BAD, GOOD, HUGE, change_weights, spoil
from text_models import write_encoder
from tiny_checkpoints import tiny_checkpoint, tiny_model
from toy_corpus import toy
from workshop.export.test_token_classifier import write_folder

from incognote.formats import write
from incognote.workshop.export.encoder import export_encoder


def test_a_note_that_the_model_cannot_score_fails_and_the_others_are_done(
    incognote: Command, tmp_path: Path
) -> None:
    model = tiny_model(tmp_path / "model", [tiny_checkpoint(tmp_path / "checkpoint")])
    spoil(model, "model.onnx", HUGE)
    notes = tmp_path / "notes"
    notes.mkdir()
    for note in (BAD, GOOD):
        (notes / f"{note.id}.txt").write_text(note.text)
    for detector in ("model", "both"):
        clean = tmp_path / f"clean-{detector}"
        ran = incognote("deid", notes, "-o", clean, "--model", model, "--detector", detector)
        assert ran.status == 1
        assert "scores that are not finite numbers" in ran.err
        audit = json.loads((tmp_path / f"clean-{detector}.audit.json").read_text())
        assert audit["notes"]["written"] == audit["notes"]["failed"] == 1
        assert audit["characters"]["read"] == len(GOOD.text)
    alone = tmp_path / "alone.txt"
    report = tmp_path / "alone.json"
    ran = incognote("deid", notes / "bad.txt", "-o", alone, "--model", model, "--audit", report)
    assert ran.status == 1
    assert not alone.exists()
    audit = json.loads(report.read_text())
    assert audit["characters"]["coverage"] is None


def test_guesses_and_vectors_that_are_no_numbers_are_an_error(
    incognote: Command, tmp_path: Path
) -> None:
    folder = write_encoder(tmp_path / "bert", "bert")
    change_weights(folder, "bert.embeddings.word_embeddings.weight", HUGE, slice(None))
    note = tmp_path / "note.txt"
    note.write_text("John denies pain.")
    for command in (["fill-mask", "John [MASK] pain."], ["features", note]):
        ran = incognote(*command, "--encoder", folder)
        assert ran.status == 2
        assert ran.out == b""
        assert "gives numbers that are not finite" in ran.err
    ran = incognote("export", folder, "--to", "encoder", "-o", tmp_path / "exported")
    assert ran.status == 2
    assert not (tmp_path / "exported").exists()


def test_an_exported_encoder_is_looked_at_too(incognote: Command, tmp_path: Path) -> None:
    source = write_encoder(tmp_path / "bert", "bert")
    export_encoder(source, tmp_path / "exported")
    spoil(tmp_path / "exported", "encoder.onnx", float("nan"), word=None)
    ran = incognote("fill-mask", "John [MASK] pain.", "--encoder", tmp_path / "exported")
    assert ran.status == 2
    assert "weights that are not finite" in ran.err


def test_a_model_that_others_trained_is_exported_used_and_scored(
    incognote: Command, tmp_path: Path
) -> None:
    write_folder(tmp_path / "theirs", "distilbert", ["O", "B-PER", "L-PER", "U-PER", "DATE", "LOC"])
    gold, labels, model = (tmp_path / name for name in ("gold.jsonl", "labels.json", "model"))
    gold.write_text(
        "".join(
            json.dumps({"id": note.id, "text": note.text, "spans": spans}) + "\n"
            for note in toy(6)
            for spans in [[{"start": s.start, "end": s.end, "type": s.type} for s in note.spans]]
        )
    )
    ran = incognote("export", tmp_path / "theirs", "-o", model)
    assert ran.status == 2
    assert "PER, LOC; say with --labels FILE what each becomes" in ran.err
    labels.write_text('{"PER": "PATIENT", "LOC": null}')
    ran = incognote("export", tmp_path / "theirs", "-o", model, "--labels", labels)
    assert ran.status == 0
    found = tmp_path / "found.jsonl"
    ran = incognote("find", gold, "--model", model, "--detector", "model", "-o", found)
    assert ran.status == 0
    types = {s["type"] for row in found.read_text().splitlines() for s in json.loads(row)["spans"]}
    assert types
    assert types <= {"PATIENT", "DATE"}
    assert incognote("score", gold, found).status == 0
    assert incognote("deid", gold, "--model", model, "-o", tmp_path / "clean.jsonl").status == 0


def test_what_is_no_model_is_named_with_the_step_that_leads_to_one(
    incognote: Command, tmp_path: Path
) -> None:
    checkpoint = tiny_checkpoint(tmp_path / "checkpoint")
    encoder = write_encoder(tmp_path / "encoder", "bert")
    export_encoder(write_encoder(tmp_path / "albert", "albert"), tmp_path / "exported")
    (others := tmp_path / "others").mkdir()
    (others / "config.json").write_text('{"architectures": ["BertForTokenClassification"]}')
    (damaged := tmp_path / "damaged").mkdir()
    (damaged / "config.json").write_text("[")
    model = tiny_model(tmp_path / "models" / "mine", [checkpoint])
    (empty := tmp_path / "empty").mkdir()
    (note := tmp_path / "note.txt").write_text("Seen by Dr. Ito.")
    export = "export it first: incognote export {} -o MODEL"
    train = (
        "train it first: incognote train NOTES --encoder {} -o CHECKPOINT, then incognote export"
    )
    says = {
        checkpoint: export,
        others: export,
        damaged: export,
        encoder: train,
        tmp_path / "exported": "an exported encoder, which finds no identifiers; train",
        model.parent: f"no model here, but in {model}; give that folder",
        model / "incognote.json": f"give its folder: {model}",
        note: "a file; give a model folder, as `incognote export` writes it",
        tmp_path
        / "nowhere": "no such folder; give a model folder, as `incognote export` writes it",
        empty: "no model here; give a model folder, as `incognote export` writes it",
    }
    for path, sentence in says.items():
        ran = incognote("find", note, "--model", path)
        assert ran.status == 2
        assert ran.out == b""
        assert ran.err.startswith(f"incognote: {path}: ")
        assert sentence.format(path) in ran.err
        assert ran.err.count("\n") == 1


def test_what_is_no_checkpoint_is_named_with_what_to_give(
    incognote: Command, tmp_path: Path
) -> None:
    model = tiny_model(tmp_path / "model", [tiny_checkpoint(tmp_path / "checkpoint")])
    exported = incognote("export", model, "-o", tmp_path / "out")
    assert f"incognote: {model}: exported already, to be used with --model" in exported.err
    missing = incognote("export", tmp_path / "nowhere", "-o", tmp_path / "out")
    assert "no such folder; give a checkpoint, as `incognote train` writes it" in missing.err
    filled = incognote("fill-mask", "a [MASK]", "--encoder", model)
    assert f"{model}: a model that finds identifiers, not an encoder" in filled.err
    assert {exported.status, missing.status, filled.status} == {2}
    assert not (tmp_path / "out").exists()


def test_what_an_elmo_has_learned_to_mix_is_said_and_kept(
    incognote: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")
    write(toy(6), tmp_path / "notes.jsonl", "jsonl")
    sizes = ("filters=[[1,8],[2,8]]", "cell_size=16", "projection_size=8", "highways=1")
    ran = incognote(
        *("train", tmp_path / "notes.jsonl", "-o", tmp_path / "elmo", "--labels", "own"),
        *("--encoder", "elmo-small", "--random", "--epochs", "6", "--lr", "1e-2", "--threads", "1"),
        *(part for size in sizes for part in ("--size", size)),
    )
    assert ran.status == 0, ran.err
    mix = json.loads((tmp_path / "elmo/training.json").read_text())["mix"]
    assert sum(mix["weights"]) == pytest.approx(1)
    assert len(set(mix["weights"])) == 3
    assert mix["gamma"] != 1
    words, first, second = (f"{share:.3f}" for share in mix["weights"])
    assert (
        f"γ {mix['gamma']:.3f}; softmax weights: words {words}, layers {first}, {second}" in ran.err
    )
