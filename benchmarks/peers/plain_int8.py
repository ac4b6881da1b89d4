"""Plain onnxruntime in 8 bits, with the same weights: `quantize_dynamic`, padded batches.

Word shapes and the CRF are not in it, so what it finds differs. Where a speed has several networks,
all are run; what the first finds is taken.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.peers.peer import Find, Found, Peer
from incognote.phi import CATEGORY_OF

NETWORK, FUSED = "plain-int8.onnx", "fused-int8.onnx"


def peer(
    folders: Sequence[Path], window: int, overlap: int, batch: int, network: str = NETWORK
) -> Peer:
    """With windows in batches of so many; `window` counts the special pieces."""
    asked = {
        "folders": [str(folder.resolve()) for folder in folders],
        "window": window,
        "stride": overlap,
        "batch": batch,
        "network": network,
    }
    return Peer(
        "onnxruntime-int8",
        "plain onnxruntime int8, same weights",
        "plain_int8",
        f"dynamic quantisation (7 bits of weights for AVX2){FUSING[network]}, windows of {window} pieces that share "
        f"{overlap}, batches of {batch}, padded to the longest; without word shapes and CRF",
        variant=json.dumps(asked),
        categories=CATEGORY_OF,
    )


FUSING = {NETWORK: "", FUSED: " after its optimizer for BERT"}


def prepare_network(folder: Path) -> None:
    """Export what `transformers` loads from the folder, and quantise it, beside it: as it is, and
    with the nodes that onnxruntime's own optimizer fuses.
    """
    import torch
    from onnx import TensorProto
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.transformers.optimizer import optimize_model
    from transformers import AutoModelForTokenClassification

    model = AutoModelForTokenClassification.from_pretrained(
        folder, local_files_only=True, attn_implementation="eager"
    ).eval()
    model.config.return_dict = False
    full = folder / "plain-fp32.onnx"
    ids = torch.ones((2, 8), dtype=torch.long)
    free = {0: "batch", 1: "length"}
    torch.onnx.export(
        model,
        (ids, torch.ones_like(ids)),
        str(full),
        input_names=["input_ids", "attention_mask"],
        output_names=["logits"],
        dynamic_axes={"input_ids": free, "attention_mask": free, "logits": free},
        dynamo=False,
    )
    fused = folder / "fused-fp32.onnx"
    sizes = {"num_heads": model.config.num_attention_heads, "hidden_size": model.config.hidden_size}
    optimize_model(str(full), "bert", **sizes).save_model_to_file(str(fused))
    for source, target in ((full, NETWORK), (fused, FUSED)):
        quantize_dynamic(
            source,
            folder / target,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
        source.unlink()


def load(variant: str) -> Find:
    """As its documentation shows it: tokenize, pad, run, take the likeliest label."""
    import onnxruntime
    from tokenizers import Tokenizer

    asked = json.loads(variant)
    folders = [Path(name) for name in asked["folders"]]
    folder = folders[0]
    labels = json.loads((folder / "config.json").read_text())["id2label"]
    names = [labels[str(number)] for number in range(len(labels))]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(asked["window"], stride=asked["stride"])
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
    sessions = [
        onnxruntime.InferenceSession(
            str(each / asked["network"]), options, providers=["CPUExecutionProvider"]
        )
        for each in folders
    ]

    def find(texts: Sequence[str]) -> list[list[Found]]:
        windows = []
        for note, encoding in enumerate(tokenizer.encode_batch(list(texts))):
            windows += [(note, part) for part in (encoding, *encoding.overflowing)]
        found: list[dict[int, tuple[int, str]]] = [{} for _ in texts]
        for first in range(0, len(windows), asked["batch"]):
            batch = windows[first : first + asked["batch"]]
            longest = max(len(part.ids) for _, part in batch)
            ids = np.zeros((len(batch), longest), np.int64)
            mask = np.zeros_like(ids)
            for row, (_, part) in enumerate(batch):
                ids[row, : len(part.ids)] = part.ids
                mask[row, : len(part.ids)] = 1
            given = {"input_ids": ids, "attention_mask": mask}
            logits, *_ = [session.run(None, given)[0] for session in sessions]
            for row, (note, part) in enumerate(batch):
                best = logits[row, : len(part.ids)].argmax(axis=-1)
                for label, special, (start, end) in zip(
                    best.tolist(), part.special_tokens_mask, part.offsets, strict=True
                ):
                    if not special and start < end:
                        found[note].setdefault(start, (end, names[label]))
        return [_spans(text, pieces) for text, pieces in zip(texts, found, strict=True)]

    return find


def _spans(text: str, pieces: dict[int, tuple[int, str]]) -> list[Found]:
    """Neighbouring pieces of one type are one span; a B begins another."""
    spans: list[Found] = []
    open_type = ""
    for start, (end, label) in sorted(pieces.items()):
        type = label[2:]
        goes_on = label.startswith("I-") or (spans and spans[-1][1] == start)
        if type and type == open_type and goes_on:
            spans[-1] = (spans[-1][0], end, type, 1.0)
        elif type:
            spans.append((start, end, type, 1.0))
        open_type = type
    return spans
