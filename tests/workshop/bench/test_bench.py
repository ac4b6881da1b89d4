"""What a machine is told to do when it is measured; never how fast it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from tiny_checkpoints import CONFIGS, tiny_checkpoint, tiny_model
from toy_corpus import toy
from workshop.bench.peak_networks import KINDS, peak_network

from incognote.base.errors import RunError
from incognote.onnx.sessions import open_session
from incognote.workshop.bench import operations, run
from incognote.workshop.bench.measure import Measurement, Task, measure, quickest_way, size_of
from incognote.workshop.bench.operations import Operations, operations_of
from incognote.workshop.bench.run import (
    Plan,
    bench,
    made_notes,
    measure_together,
    operations_done,
    read_notes,
    row_of,
)
from incognote.workshop.bench.subject import BATCH_SIZES, Subject, shape_of, why_not
from incognote.workshop.encoders import Model
from incognote.workshop.export.network import network_of
from incognote.workshop.finetune.tagger import EarlyExit


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
    settling = EarlyExit(config.hidden_size, after=1)
    path = tmp_path / "model.onnx"
    plain = network_of(model, longest=32)
    path.write_bytes(plain.SerializeToString())
    whole = operations_of(path)
    path.write_bytes(network_of(model, early_exit=settling, longest=32).SerializeToString())
    found = operations_of(path)
    asked = 2 * sum(layer.weight.numel() for layer in (settling.inner, settling.outer))
    assert found.exits_early
    assert not whole.exits_early
    assert found.of([7, 9]) == whole.of([7, 9]) + 16 * asked
    later, size = config.layers - 1, config.hidden_size
    assert found.read_on_by_attention == 4 * later * size
    each = 2 * size * (2 * size + 2 * config.feed_forward_size)  # asking, mixing, feeding forward
    assert found.read_on_by_matrices == later * each + 2 * size * 3
    assert found.of([4], read_on=0.5) < found.of([4])


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_peak_is_that_of_a_true_product(kind: str) -> None:
    path = Path(operations.__file__).parent / f"peak_{kind}.onnx"
    assert path.read_bytes() == peak_network(kind)
    rows = np.full((2, operations.SIZE), 2, operations.KINDS[kind])
    (product,) = open_session(path, 1).run(None, {"rows": rows})
    assert (product == 2 * 3 * operations.SIZE).all()


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
    found = measure(given.extend, ["a b", "ç"], 0.01, 3)
    assert given[:6] == ["a b", "ç", "a b", "ç", "a b", "ç"]
    assert found["notes"] == len(given)
    assert found["words"] == sum(len(text.split()) for text in given)
    assert found["done"] == [given.count("a b"), given.count("ç")]
    assert found["bytes"] == 3 * given.count("a b") + 2 * given.count("ç")
    assert size_of("ç\udc80") == 5
    assert found["latencies"] == []
    one = measure(given.extend, ["a b", "c"], 0.01, 1)
    assert len(one["latencies"]) == one["notes"]


def test_a_process_measures_a_model(models: dict[str, Path], tmp_path: Path) -> None:
    texts = [note.text for note in toy(3)]
    notes = tmp_path / "notes.json"
    notes.write_text(json.dumps(texts))
    subject = Subject("incognote", "both", str(models["bert"]), "careful")
    task = Task(subject, str(notes), 1)
    assert Task.from_json(task.to_json()) == task
    (one,) = measure_together([task], until=0.0, least=0.01)
    assert one.notes >= len(texts)
    assert sum(one.done) == one.notes
    assert one.peak_megabytes > 10
    with pytest.raises(RunError, match="did not start"):
        measure_together([replace(task, subject=replace(subject, folder=str(tmp_path)))], 0.0, 0.01)


def test_figures_add_up_over_processes(models: dict[str, Path]) -> None:
    texts = [note.text for note in toy(2)]
    subject = Subject("incognote", "both", str(models["bert"]), "careful")
    one = Measurement(4, 40, 2_000_000, 2.0, 1.0, 0.5, 90.0, (), (2, 2), 0)
    alone = replace(one, latencies=(0.01, 0.02, 0.03))
    row = row_of(subject, texts, one, [one, one], alone, operations.Peaks(80.0, 160.0))
    assert (row.one_worker.notes, row.all_workers.notes) == (2.0, 4.0)
    assert (row.all_workers.words, row.all_workers.megabytes) == (40.0, 2.0)
    assert (row.latency_p50_ms, row.cpu_ms_per_note) == (20.0, 250.0)
    assert (row.one_worker_peak_megabytes, row.all_workers_peak_megabytes) == (90.0, 180.0)
    assert row.share_of_fp32 == pytest.approx(2 * (row.share_of_int8 or 0))
    assert operations_done(subject, texts, (2, 2)) == 2 * (
        operations_done(subject, texts, (1, 1)) or 0
    )
    assert operations_done(Subject("incognote", "rules"), texts, (1, 1)) is None


def test_every_speed_of_the_model_is_measured_then_peers(models: dict[str, Path]) -> None:
    subjects = list(Plan([], model=str(models["bert"])).subjects())
    assert [each.title for each in subjects] == [
        "incognote careful",
        "incognote rules",
        "transformers, random weights",
        "presidio",
    ]
    assert [why_not(each) for each in subjects[:3]] == [None, None, None]
    assert "--peer-model" in (why_not(replace(subjects[2], like=None)) or "")
    own = list(Plan([], model=str(models["bert"]), peer_model="peer").subjects())[2]
    assert (own.title, own.folder, own.like) == ("transformers", "peer", None)


def test_the_quickest_way_is_taken() -> None:
    now = iter([0.0, 3.0, 3.0, 4.0, 4.0, 6.0])
    given: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.perf_counter", lambda: next(now))
        assert quickest_way([given.extend] * 3, ["a", "b"]) == 1
    assert given == ["a", "b"] * 3


@pytest.mark.parametrize("family", ["bert", "albert"])
def test_transformers_gets_a_network_of_the_same_shape(
    family: str, models: dict[str, Path]
) -> None:
    config = CONFIGS[family]
    assert shape_of(models[family] / "model.onnx") == {
        "vocab_size": config.vocabulary_size,
        "hidden_size": config.hidden_size,
        "num_hidden_layers": config.layers,
        "num_attention_heads": 8,
        "intermediate_size": config.feed_forward_size,
    }
    subject = Subject("transformers", like=str(models[family]))
    long = " ".join(note.text for note in toy(3))
    ways = subject.ready(torch.get_num_threads())
    assert len(ways) == len(BATCH_SIZES)
    assert all(way(["seen", long]) == [[], []] for way in ways)
    assert "batches of 4" in subject.remark(1)


def test_the_share_read_on_is_told_from_some_notes(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def read_on(network: object, texts: Sequence[str], labels: object) -> float:
        asked.append(len(texts))
        return 0.5

    monkeypatch.setattr(run, "_read_on", read_on)
    monkeypatch.setattr(Operations, "exits_early", True)
    texts = [note.text for note in toy(40)]
    subject = Subject("incognote", "both", str(models["bert"]), "careful")
    assert operations_done(subject, texts, [1] * 40)
    assert asked == [run.READ_ON_NOTES]


def test_time_is_shared_by_those_who_can_be_measured(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that each part moves on to its end."""
    now = [0.0]
    ends: list[float] = []

    def launch(tasks: Sequence[Task], until: float, least: float) -> list[Measurement]:
        ends.append(until)
        now[0] = until
        done = Measurement(1, 1, 1, 1.0, 1.0, 1.0, 1.0, (1.0,), (1,), 2)
        return [done] * len(tasks)

    monkeypatch.setattr(run, "measure_together", launch)
    monkeypatch.setattr(run, "measure_peaks", lambda threads: operations.Peaks(1.0, 1.0))
    monkeypatch.setattr(run, "whole_command", lambda folder, model, site: 1.0)
    monkeypatch.setattr(run, "why_not", lambda who: "away" if who.name == "presidio" else None)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    found = bench(Plan(["seen"], model=str(models["bert"]), seconds=90.0, workers=2))
    assert ends == pytest.approx([10.0 * part for part in range(1, 10)])
    assert found.skipped == {"presidio": "away"}
    assert found.rows[-1].remark.startswith("batches of 16")


def test_a_site_file_takes_part_in_what_is_measured(
    models: dict[str, Path], tmp_path: Path
) -> None:
    site = tmp_path / "site.toml"
    site.write_text("[[lists]]\nname = 'wards'\ntype = 'HOSPITAL'\nwords = ['Rosewood']\n")
    plan = Plan(["seen"], model=str(models["bert"]), site=str(site))
    ours = [subject for subject in plan.subjects() if subject.name == "incognote"]
    assert {subject.site for subject in ours} == {str(site)}
    (work,) = Subject("incognote", "rules", site=str(site)).ready(1)
    assert work(["to Rosewood"]) == ["to [HOSPITAL]"]
