"""A model for `transformers` that costs what ours would cost there, for those without its weights.

Speed does not depend on weights, so they are random; only that most pieces are part of no
identifier is as in notes.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from incognote.onnx.model_folder import read_model
from incognote.workshop.bench.operations import operations_of, read_graph

HEADS = (12, 8, 4, 2, 1)
"""The first of these that divides the width."""

OUTSIDE = 100.0
"""How much more likely than any random score it is to be no identifier."""


def alike(folder: Path) -> dict[str, Any]:
    """For a pipeline: a BERT of the shape of the model's first network, and the model's tokenizer."""
    transformers, tokenizers = import_module("transformers"), import_module("tokenizers")
    model = read_model(folder)
    member = model.members[model.variant().members[0]]
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / member.tokenizer))
    longest = member.window + tokenizer.num_special_tokens_to_add(is_pair=False)
    config = transformers.BertConfig(
        **shape_of(folder / member.network),
        max_position_embeddings=longest,
        id2label=dict(enumerate(model.labels)),
    )
    network = transformers.BertForTokenClassification(config).eval()
    network.classifier.bias.data[0] = OUTSIDE
    return {
        "model": network,
        "tokenizer": transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer,
            model_max_length=longest,
            pad_token=tokenizer.id_to_token(0),
        ),
    }


def shape_of(path: Path) -> dict[str, int]:
    """Layers, width and vocabulary of a network that `incognote export` wrote."""
    sizes, _ = read_graph(path)
    work = operations_of(path)
    width, inner = next(shape for name, shape in sizes.items() if name.endswith("up.weight"))
    return {
        "vocab_size": sizes["words"][0],
        "hidden_size": width,
        "num_hidden_layers": (work.by_attention + work.read_on_by_attention) // (4 * width),
        "num_attention_heads": next(heads for heads in HEADS if width % heads == 0),
        "intermediate_size": inner,
    }
