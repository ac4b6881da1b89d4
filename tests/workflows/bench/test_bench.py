"""What a machine is told to do when it is measured; never how fast it is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from peak_networks import KINDS, peak_network
from tiny_checkpoints import CONFIGS, tiny_checkpoint, tiny_model
from toy_corpus import toy

from incognote.encoders import Model
from incognote.finetune.settling import Settling
from incognote.onnx.sessions import open_session
from incognote.workflows.bench import peaks
from incognote.workflows.bench.figures import operations, row_of
from incognote.workflows.bench.measure import Measured, Task, measured
from incognote.workflows.bench.notes import made_notes, read_notes
from incognote.workflows.bench.operations import operations_of
from incognote.workflows.bench.run import Plan, launched
from incognote.workflows.bench.subject import Subject, why_not
from incognote.workflows.export.network import network_of
from incognote.workflows.run.inputs import RunError


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("bench")
    made = {}
    for family in ("bert", "albert"):
        checkpoint = tiny_checkpoint(home / family, CONFIGS[family], shape=True)
        made[family] = tiny_model(home / f"{family}-model", [checkpoint])
    return made


@pytest.mark.parametrize("family", ["bert", "albert"])
def test_operations_are_those_of_the_graph(family: str, models: dict[str, Path]) -> None:
    """Counted again with the `onnx` package; an ALBERT multiplies one matrix in every layer."""
    path = models[family] / "model.onnx"
    graph = onnx.load(path).graph
    shapes = {each.name: numpy_helper.to_array(each).shape for each in graph.initializer}
    matrices = attention = 0
    config = CONFIGS[family]
    for node in graph.node:
        if node.op_type == "MatMul":
            shape = shapes.get(node.input[1])
            matrices += 0 if shape is None else int(np.prod(shape))
            attention += config.hidden_size if shape is None else 0
        elif node.op_type == "MultiHeadAttention":
            attention += 2 * config.hidden_size
    found = operations_of(path)
    assert (found.by_matrices, found.by_attention) == (2 * matrices, 2 * attention)
    assert found.by_attention == 4 * config.layers * config.hidden_size
    assert found.of([3, 5]) == 8 * found.by_matrices + 34 * found.by_attention


def test_where_pieces_are_settled_only_the_others_cost_the_later_layers(tmp_path: Path) -> None:
    config = CONFIGS["bert"]
    model = Model(config, heads=("tokens",), labels=("O", "B-NAME", "I-NAME"))
    settling = Settling(config.hidden_size, after=1)
    path = tmp_path / "model.onnx"
    plain = network_of(model, longest=32)
    path.write_bytes(plain.SerializeToString())
    whole = operations_of(path)
    path.write_bytes(network_of(model, settling=settling, longest=32).SerializeToString())
    found = operations_of(path)
    asked = 2 * sum(layer.weight.numel() for layer in (settling.inner, settling.outer))
    assert found.settles
    assert not whole.settles
    assert found.of([7, 9]) == whole.of([7, 9]) + 16 * asked
    later, size = config.layers - 1, config.hidden_size
    assert found.read_on_by_attention == 4 * later * size
    each = 2 * size * (2 * size + 2 * config.feed_forward_size)  # asking, mixing, feeding forward
    assert found.read_on_by_matrices == later * each + 2 * size * 3
    assert found.of([4], read_on=0.5) < found.of([4])


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_peak_is_that_of_a_true_product(kind: str) -> None:
    path = Path(peaks.__file__).parent / f"peak_{kind}.onnx"
    assert path.read_bytes() == peak_network(kind)
    rows = np.full((2, peaks.SIZE), 2, peaks.KINDS[kind])
    (product,) = open_session(path, 1).run(None, {"rows": rows})
    assert (product == 2 * 3 * peaks.SIZE).all()


def test_notes_are_of_mixed_length_and_always_the_same() -> None:
    notes = made_notes(60)
    assert notes == made_notes(60)
    sizes = sorted(len(note) for note in notes)
    assert sizes[0] * 8 < sizes[-1]
    assert sum(len(note) for note in notes) / 60 > 600


def test_own_notes_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("  ")
    assert read_notes([tmp_path]) == ["one"]
    (tmp_path / "a.txt").unlink()
    with pytest.raises(RunError, match="no notes here"):
        read_notes([tmp_path])


def test_work_goes_round_until_the_time_is_over() -> None:
    given: list[str] = []
    found = measured(given.extend, ["a b", "c"], 0.01, 3)
    assert given[:6] == ["a b", "c", "a b", "c", "a b", "c"]
    assert found["notes"] == len(given)
    assert found["words"] == sum(len(text.split()) for text in given)
    assert found["characters"] == sum(map(len, given))
    assert found["done"] == [given.count("a b"), given.count("c")]
    assert found["latencies"] == []
    one = measured(given.extend, ["a b", "c"], 0.01, 1)
    assert len(one["latencies"]) == one["notes"]


def test_a_process_measures_a_model(models: dict[str, Path], tmp_path: Path) -> None:
    texts = [note.text for note in toy(3)]
    notes = tmp_path / "notes.json"
    notes.write_text(json.dumps(texts))
    subject = Subject("incognote", "both", str(models["bert"]), "careful")
    task = Task(subject, str(notes), 1, 0.01)
    assert Task.heard(task.told()) == task
    (one,) = launched([task])
    assert one.notes >= len(texts)
    assert sum(one.done) == one.notes
    assert one.peak_megabytes > 10
    with pytest.raises(RunError, match="did not start"):
        launched([replace(task, subject=replace(subject, folder=str(tmp_path)))])


def test_figures_add_up_over_processes(models: dict[str, Path]) -> None:
    texts = [note.text for note in toy(2)]
    subject = Subject("incognote", "both", str(models["bert"]), "careful")
    one = Measured(4, 40, 2_000_000, 2.0, 1.0, 0.5, 90.0, (), (2, 2))
    alone = replace(one, latencies=(0.01, 0.02, 0.03))
    row = row_of(subject, texts, one, [one, one], alone, peaks.Peaks(80.0, 160.0))
    assert (row.one_worker.notes, row.all_workers.notes) == (2.0, 4.0)
    assert (row.all_workers.words, row.all_workers.megabytes) == (40.0, 2.0)
    assert (row.latency_p50_ms, row.cpu_ms_per_note) == (20.0, 250.0)
    assert row.share_of_fp32 == pytest.approx(2 * (row.share_of_int8 or 0))
    assert operations(subject, texts, (2, 2)) == 2 * (operations(subject, texts, (1, 1)) or 0)
    assert operations(Subject("incognote", "rules"), texts, (1, 1)) is None


def test_every_speed_of_the_model_is_measured_then_peers(models: dict[str, Path]) -> None:
    subjects = list(Plan([], model=str(models["bert"])).subjects())
    assert [each.title for each in subjects] == [
        "incognote careful",
        "incognote rules",
        "transformers",
        "presidio",
    ]
    assert [why_not(each) for each in subjects[:2]] == [None, None]
    assert "--peer-model" in (why_not(subjects[2]) or "")
