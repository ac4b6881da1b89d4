"""Training from files, and the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from toy_corpus import quick, random_start, tiny_folder, toy

from incognote.base.errors import RunError
from incognote.corpus.source import CorpusError, RefusedError, Source
from incognote.corpus.split import Ratio, patient_from_field
from incognote.corpus.split import split as corpus_split
from incognote.document import Document, Span
from incognote.formats import Fields, write
from incognote.workshop.fine_tuning import Parts, choose_labels, read_parts, train_corpus
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.starting_points import Origin

SIZES = {
    "layers": 2,
    "hidden_size": 32,
    "heads": 2,
    "feed_forward_size": 64,
    "positions": 64,
}


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write(toy(20), path, "jsonl")
    return path


def test_a_corpus_is_split_trained_on_and_scored(corpus: Path, tmp_path: Path) -> None:
    parts = read_parts(Source(corpus), split="50:10:40")
    assert [len(part) for part in (parts.train, parts.validation, parts.test)] == [10, 2, 8]
    result = train_corpus(
        parts,
        random_start(tmp_path / "tokenizer", SIZES),
        tmp_path / "out",
        quick(epochs=10),
    )
    assert result.test["strict"]["f1"] > 0.9
    assert json.loads((tmp_path / "out/test.json").read_text())["notes"] == 8
    training = result.trained.training
    assert training["encoder"] == {"name": "bert-base-uncased", "random": True}
    assert len(training["labels"]) == 57
    assert load_checkpoint(tmp_path / "out").tagger.model.config.layers == 2


def table(path: Path, patients: list[str | None]) -> Path:
    """Rows of two texts, one of them sometimes missing."""
    rows: list[dict[str, object]] = []
    for number, patient in enumerate(patients):
        row: dict[str, object] = {"id": f"r{number}", "hx": "Seen.", "plan": "Return."}
        if number % 5 == 4:
            row["plan"] = None
        rows.append(row | ({} if patient is None else {"mrn": patient}))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("by", [None, "mrn"])
@pytest.mark.parametrize("ratio", ["50:10:40", "80:20"])
def test_the_parts_are_those_of_corpus_split(tmp_path: Path, by: str | None, ratio: str) -> None:
    path = table(tmp_path / "rows.jsonl", [f"P{number // 3}" for number in range(40)])
    source = Source(path, fields=Fields(("hx", "plan"), patient=by))
    expected = corpus_split(
        source, Ratio.parse(ratio), seed=3, patient=patient_from_field if by else None
    ).to_json()["parts"]
    parts = read_parts(source, split=ratio, seed=3)
    found = {name: sorted(note.id for note in getattr(parts, name)) for name in expected}
    assert found == expected
    rows = [{id.split("/")[0] for id in ids} for ids in found.values()]
    assert sum(map(len, rows)) == len(set.union(*rows)) == 40
    patients = [{note.patient for note in getattr(parts, name)} for name in expected]
    assert by is None or sum(map(len, patients)) == len(set.union(*patients)) == 14


@pytest.mark.parametrize(("by", "count"), [("mrn", 15), (None, 2)])
def test_no_part_of_a_split_may_be_empty(tmp_path: Path, by: str | None, count: int) -> None:
    path = table(tmp_path / "rows.jsonl", [f"P{number % 2}" for number in range(count)])
    source = Source(path, fields=Fields(("hx", "plan"), patient=by))
    with pytest.raises(CorpusError, match=r"2 .* cannot be split into 3 parts of 50:10:40"):
        corpus_split(source, Ratio.parse("50:10:40"), patient=patient_from_field if by else None)
    with pytest.raises(RunError, match="too few for parts of 50:10:40: validation would be empty"):
        read_parts(source, split="50:10:40")


def test_a_patient_who_cannot_be_told_is_refused_as_by_corpus_split(tmp_path: Path) -> None:
    path = table(tmp_path / "rows.jsonl", [*(f"P{number}" for number in range(9)), None, ""])
    source = Source(path, fields=Fields(("hx", "plan"), patient="mrn"))
    with pytest.raises(RefusedError) as expected:
        corpus_split(source, Ratio.parse("80:20"), patient=patient_from_field)
    with pytest.raises(RefusedError) as refused:
        read_parts(source, split="80:20")
    assert refused.value.failures == expected.value.failures
    assert [failure.reason for failure in refused.value.failures] == [
        "the patient cannot be told"
    ] * 2
    assert len(read_parts(source).train) == 20


def marked(type: str) -> Document:
    text = "Marked here"
    return Document(type, text, (Span.of(text, 0, 6, type),))


def test_labels_are_ours_or_the_corpus_own() -> None:
    assert len(choose_labels(Parts(train=[marked("DATE")]), None)) == 57
    own = choose_labels(Parts(train=[marked("FECHAS"), marked("DATE")]), None)
    assert own == ("O", "B-DATE", "I-DATE", "B-FECHAS", "I-FECHAS")
    with pytest.raises(RunError, match="full has no FECHAS"):
        choose_labels(Parts(train=[marked("FECHAS")]), "full")
    with pytest.raises(RunError, match="study41 has no SSN"):
        choose_labels(Parts(train=[marked("SSN")]), "study41")
    with pytest.raises(RunError, match="no training note"):
        choose_labels(Parts(train=[Document("a", "text")]), None)


def test_a_type_only_in_test_is_said() -> None:
    said: list[str] = []
    parts = Parts(train=[marked("DATE")], test=[marked("PAIS")])
    assert "B-PAIS" not in choose_labels(parts, "own", said.append)
    assert said == ["PAIS: in test but not in training, so counted as missed"]


@pytest.mark.parametrize(
    ("encoder", "says"),
    [
        ("nothing-here", "no such folder"),
        ("bert-base-uncased", "give a tokenizer"),
    ],
)
def test_no_such_encoder(corpus: Path, tmp_path: Path, encoder: str, says: str) -> None:
    parts, origin = read_parts(Source(corpus)), Origin(encoder=encoder, random=True)
    with pytest.raises(RunError, match=says):
        train_corpus(parts, origin, tmp_path / "out", quick())


def test_a_model_is_not_written_over_what_it_begins_from(corpus: Path, tmp_path: Path) -> None:
    parts = read_parts(Source(corpus))
    for role, encoder, teacher in (("encoder", "out", None), ("teacher", "minilm", "out")):
        start = str(tmp_path / encoder) if encoder == "out" else encoder
        chosen = quick(teacher=str(tmp_path / teacher) if teacher else None)
        with pytest.raises(RunError, match=f"is also the {role}"):
            train_corpus(parts, Origin(encoder=start), tmp_path / "out", chosen, overwrite=True)


def test_patience_needs_a_validation_part(corpus: Path, tmp_path: Path) -> None:
    parts = read_parts(Source(corpus))
    with pytest.raises(RunError, match="patience looks at a validation part"):
        train_corpus(parts, Origin(encoder="minilm"), tmp_path / "out", quick(patience=2))


def run(*arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "incognote", "train", *map(str, arguments)],
        env={**env, "COLUMNS": "200", **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command(corpus: Path, tmp_path: Path) -> None:
    tokenizer = tiny_folder(tmp_path / "tokenizer")
    sizes = [part for name in SIZES for part in ("--size", f"{name}={SIZES[name]}")]
    out = tmp_path / "out"
    told = ("--encoder", "bert-base-uncased", "--random", "--tokenizer", tokenizer, *sizes)
    learning = ("--window", 24, "--overlap", 8, "--epochs", 2, "--lr", 3e-3, "--batch-size", 8)
    ran = run(corpus, "-o", out, *told, *learning, "--split", "80:10:10", "--threads", 1)
    assert ran.returncode == 0, ran.stderr
    assert "validation" in ran.stdout
    assert "test" in ran.stdout
    assert [f"epoch {epoch}: loss" in ran.stderr for epoch in (1, 2, 3)] == [True, True, False]
    assert (out / "model.safetensors").is_file()


def test_a_mistake_is_one_line(corpus: Path, tmp_path: Path) -> None:
    ran = run(corpus, "-o", tmp_path / "out", "--encoder", "minilm", "--overlap", 400)
    assert ran.returncode == 2
    assert ran.stderr.splitlines() == ["incognote: overlap must be less than the window, not 400"]
    assert not (tmp_path / "out").exists()


def test_the_allocator_is_told_once() -> None:
    code = (
        "import os; from incognote.cli.training_options import keep_memory; keep_memory(); "
        "print(os.environ.get('MALLOC_TOP_PAD_'))"
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    for settings, expected in (({}, "268435456"), ({"INCOGNOTE_ALLOCATOR": "system"}, "None")):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**env, **settings},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.split() == [expected if sys.platform == "linux" else "None"]
