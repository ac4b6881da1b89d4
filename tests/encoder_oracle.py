"""Tiny models of Hugging Face's, every parameter redrawn, to hold ours against."""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor

from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.deberta import DebertaConfig
from incognote.workshop.encoders.distilbert import DistilbertConfig
from incognote.workshop.encoders.electra import ElectraConfig
from incognote.workshop.encoders.families import FAMILIES, family_of
from incognote.workshop.encoders.modernbert import GLOBAL, LOCAL, ModernBertConfig
from incognote.workshop.encoders.roberta import RobertaConfig

with warnings.catch_warnings():
    # It is compiled by a part of torch that is going.
    warnings.simplefilter("ignore", DeprecationWarning)
    importlib.import_module("transformers.models.deberta_v2.modeling_deberta_v2")

SIZES: dict[str, Any] = {
    "vocabulary_size": 97,
    "hidden_size": 24,
    "layers": 3,
    "heads": 4,
    "feed_forward_size": 40,
    "positions": 30,
}
TINY: dict[str, Any] = {
    "bert": BertConfig(**SIZES),
    "roberta": RobertaConfig(**SIZES),
    "albert": AlbertConfig(**SIZES, embedding_size=10),
    "electra": ElectraConfig(**SIZES, embedding_size=10),
    "distilbert": DistilbertConfig(**SIZES),
    "modernbert": ModernBertConfig(**SIZES, pad_id=0, window=6),
    "deberta-v2": DebertaConfig(**SIZES, buckets=8),
}
VARIANTS: dict[str, Any] = {
    "bert-tanh": replace(TINY["bert"], activation="gelu_new", norm_epsilon=1e-5),
    "roberta-pad-3": replace(TINY["roberta"], pad_id=3, segments=2),
    "albert-wide": replace(TINY["albert"], embedding_size=24, projection=True),
    "albert-groups": replace(TINY["albert"], layers=4, groups=2, inner_layers=2),
    "albert-uneven-groups": replace(TINY["albert"], layers=5, groups=3, activation="gelu"),
    "distilbert-relu": replace(TINY["distilbert"], activation="relu", pad_id=2),
    "electra-wide": replace(TINY["electra"], embedding_size=24),
    "modernbert-mean": replace(TINY["modernbert"], pooling="mean", window=9, global_every=2),
    "deberta-today": replace(TINY["deberta-v2"], legacy=False, farthest=12, activation="relu"),
    "deberta-even": replace(TINY["deberta-v2"], buckets=40, pooler_activation="gelu_new"),
    "modernbert-order": replace(
        TINY["modernbert"],
        layers=4,
        layer_types=(LOCAL, GLOBAL, LOCAL, LOCAL),
        activation="gelu_new",
        classifier_activation="relu",
        global_base=500.0,
    ),
}
APART_AT_PADDING = ("modernbert", "deberta-v2")
"""Families in which Hugging Face's padding sees other things than ours; no token sees padding."""

LABELS = 5
# Where each architecture of Hugging Face's puts the logits of our heads.
OUTPUTS: dict[str, Mapping[str, str]] = {
    "BertForPreTraining": {"mlm": "prediction_logits", "nsp": "seq_relationship_logits"},
    "AlbertForPreTraining": {"mlm": "prediction_logits", "sop": "sop_logits"},
}


def architectures(config: Any) -> list[str]:
    """The names of config.json that mean this family's models."""
    return list(family_of(config).architectures)


def oracle(architecture: str, config: Any, dtype: torch.dtype, **settings: Any) -> Any:
    """Hugging Face's model of that name and these sizes, with parameters from N(0, 0.1)."""
    family = family_of(config)
    labels = {"num_labels": LABELS} if "Classification" in architecture else {}
    made = transformers.AutoConfig.for_model(
        family.name, **{**config.to_huggingface(), **labels, **settings}
    )
    model = getattr(transformers, architecture)(made).to(dtype).eval()
    draws = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.1, generator=draws)
    return model


def batch(config: Any, kind: str, seed: int = 3) -> dict[str, Tensor]:
    """Ids, mask and segments: `full`, `padded`, or `pairs` (padded, two segments)."""
    draws = torch.Generator().manual_seed(seed)
    lengths = [17, 17, 17] if kind == "full" else [17, 5, 11]
    ids = torch.randint(4, config.vocabulary_size, (3, 17), generator=draws)
    mask = (torch.arange(17) < torch.tensor(lengths)[:, None]).long()
    ids = ids * mask + config.pad_id * (1 - mask)
    inputs = {"ids": ids, "mask": mask}
    if kind == "pairs" and config.segments > 1:
        inputs["segments"] = (torch.arange(17) > 2).long() * mask
    return inputs


def answer(model: Any, inputs: Mapping[str, Tensor], **more: Any) -> Any:
    """What Hugging Face's model says to a batch."""
    given = {"input_ids": inputs["ids"], "attention_mask": inputs["mask"]}
    if "segments" in inputs:
        given["token_type_ids"] = inputs["segments"]
    if "MultipleChoice" in type(model).__name__:
        given = {name: value[None] for name, value in given.items()}  # one question, 3 choices
    return model(**given, **more)


def logits_of(model: Any, output: Any) -> dict[str, Tensor]:
    """Its logits under the names of our heads."""
    name = type(model).__name__
    if "QuestionAnswering" in name:
        return {"span": torch.stack([output.start_logits, output.end_logits], -1)}
    if name in OUTPUTS:
        return {head: output[key] for head, key in OUTPUTS[name].items()}
    heads = next(f.architectures[name] for f in FAMILIES.values() if name in f.architectures)
    return dict.fromkeys(heads, output.logits)


def shaped(logits: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Ours as theirs: the choices of one question in a row."""
    return {
        head: value.view(1, -1) if head == "choice" else value for head, value in logits.items()
    }


def edit_config(folder: Path, **settings: Any) -> None:
    """Change settings of a saved config.json."""
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))
