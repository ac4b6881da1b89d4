"""The counts that papers print come out, tensor by tensor."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import pytest
import torch
from encoder_oracle import TINY

from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.families import PRESETS, family_of, preset
from incognote.workshop.encoders.model import Model, counted_flops, size_of
from incognote.workshop.encoders.modernbert import LOCAL
from incognote.workshop.encoders.naming import pairs

# Token classification with 41 labels, no pooler:
# parameters, layers, H, FFN, E, vocabulary, positions, segments.
STUDY = {
    "bert-base-uncased": (108_923_177, 12, 768, 3072, 768, 30_522, 512, 2),
    "roberta-base": (124_086_569, 12, 768, 3072, 768, 50_265, 514, 1),
    "albert-base-v2": (11_124_521, 12, 768, 3072, 128, 30_000, 512, 2),
    "bert-large-uncased": (334_134_313, 24, 1024, 4096, 1024, 30_522, 512, 2),
    "roberta-large": (354_352_169, 24, 1024, 4096, 1024, 50_265, 514, 1),
    "albert-xxlarge-v2": (205_982_249, 12, 4096, 16_384, 128, 30_000, 512, 2),
}
POOLED = {
    "albert-base-v1": 11_683_584,
    "albert-base-v2": 11_683_584,
    "albert-large-v1": 17_683_968,
    "albert-large-v2": 17_683_968,
    "albert-xlarge-v1": 58_724_864,
    "albert-xlarge-v2": 58_724_864,
    "albert-xxlarge-v1": 222_595_584,
    "albert-xxlarge-v2": 222_595_584,
    "bert-base-uncased": 109_482_240,
    "bert-large-uncased": 335_141_888,
    "bert-base-cased": 108_310_272,
    "bert-large-cased": 333_579_264,
    "roberta-base": 124_645_632,
    "roberta-large": 355_359_744,
    "minilm-l6": 22_713_216,
    "distilbert-base-uncased": 66_362_880,
    "distilbert-base-cased": 65_190_912,
    "distilbert-base-multilingual-cased": 134_734_080,
    "modernbert-base": 149_014_272,
    "modernbert-large": 394_781_696,
    "bioclinical-modernbert-base": 149_014_272,
    "bioclinical-modernbert-large": 394_781_696,
    "deberta-v3-xsmall": 70_682_112,
    "deberta-v3-small": 141_304_320,
    "deberta-v3-base": 183_831_552,
    "deberta-v3-large": 434_012_160,
    "mdeberta-v3-base": 278_218_752,
}
# The ALBERT paper's, in millions: sharing, E, parameters.
ABLATIONS = [
    *[("none", width, millions) for width, millions in zip(
        (64, 128, 256, 768), (87, 89, 93, 108), strict=True)],
    *[("all", width, millions) for width, millions in zip(
        (64, 128, 256, 768), (10, 12, 16, 31), strict=True)],
    ("attention", 768, 83),
    ("ffn", 768, 57),
    ("attention", 128, 64),
    ("ffn", 128, 38),
]  # fmt: skip


def _table(name: str) -> dict[str, tuple[int, ...]]:
    """The tensors of one of the study's models by the names it prints, from its sizes alone."""
    _, layers, hidden, inner, width, words, positions, segments = STUDY[name]
    family = name.split("-")[0]
    norm, square = (hidden,), (hidden, hidden)
    table: dict[str, tuple[int, ...]] = {
        f"{family}.embeddings.word_embeddings.weight": (words, width),
        f"{family}.embeddings.position_embeddings.weight": (positions, width),
        f"{family}.embeddings.token_type_embeddings.weight": (segments, width),
        f"{family}.embeddings.LayerNorm.weight": (width,),
        f"{family}.embeddings.LayerNorm.bias": (width,),
        "classifier.weight": (41, hidden),
        "classifier.bias": (41,),
    }
    if family == "albert":
        layer = "albert.encoder.albert_layer_groups.0.albert_layers.0."
        modules = {
            "albert.encoder.embedding_hidden_mapping_in": (hidden, width),
            **{f"{layer}attention.{part}": square for part in ("query", "key", "value", "dense")},
            f"{layer}attention.LayerNorm": norm,
            f"{layer}ffn": (inner, hidden),
            f"{layer}ffn_output": (hidden, inner),
            f"{layer}full_layer_layer_norm": norm,
        }
    else:
        modules = {}
        for number in range(layers):
            layer = f"{family}.encoder.layer.{number}."
            modules |= {
                **{f"{layer}attention.self.{part}": square for part in ("query", "key", "value")},
                f"{layer}attention.output.dense": square,
                f"{layer}attention.output.LayerNorm": norm,
                f"{layer}intermediate.dense": (inner, hidden),
                f"{layer}output.dense": (hidden, inner),
                f"{layer}output.LayerNorm": norm,
            }
    for module, shape in modules.items():
        table |= {f"{module}.weight": shape, f"{module}.bias": shape[:1]}
    return table


@pytest.mark.parametrize("name", STUDY)
def test_the_study_s_models_come_out_tensor_by_tensor(name: str) -> None:
    config = preset(name)
    with torch.device("meta"):
        model = Model(config, heads=("tokens",), labels=41)
    ours = model.state_dict()
    names = pairs(model, family_of(config), config, ("tokens",))
    table = {theirs: tuple(ours[name].shape) for name, theirs in names}
    assert table == _table(name)
    assert sum(prod(shape) for shape in table.values()) == STUDY[name][0]
    assert size_of(config, heads=("tokens",), labels=41).parameters == STUDY[name][0]
    assert (config.layers, config.hidden_size) == STUDY[name][1:3]


@pytest.mark.parametrize(("name", "parameters"), POOLED.items())
def test_encoders_with_their_pooler(name: str, parameters: int) -> None:
    assert size_of(preset(name)).parameters == parameters


@pytest.mark.parametrize(("sharing", "width", "millions"), ABLATIONS)
def test_albert_s_ablations(sharing: str, width: int, millions: int) -> None:
    config = AlbertConfig(sharing=sharing, embedding_size=width)
    assert abs(size_of(config, pooler=False).parameters / 1e6 - millions) <= 1


@pytest.mark.parametrize(("size", "millions"), [("small", 14), ("base", 110), ("large", 335)])
def test_electra_s_published_sizes(size: str, millions: int) -> None:
    made = PRESETS[f"electra-{size}-discriminator"]
    assert abs(size_of(made.config, heads=made.heads).parameters / 1e6 - millions) < 1.1


def test_electra_s_generators_share_the_width_of_the_embeddings() -> None:
    for size, share in (("small", 1), ("base", 3), ("large", 4)):
        generator, discriminator = (
            preset(f"electra-{size}-{role}") for role in ("generator", "discriminator")
        )
        assert generator.embedding_size == discriminator.embedding_size
        assert generator.hidden_size * share == discriminator.hidden_size


# Layers, H, heads, FFN, E, vocabulary, of the config.json files that were published.
PUBLISHED = {
    "biobert-base-cased": (12, 768, 12, 3072, 768, 28_996),
    "biobert-large-cased": (24, 1024, 16, 4096, 1024, 58_996),
    "scibert-uncased": (12, 768, 12, 3072, 768, 31_090),
    "scibert-cased": (12, 768, 12, 3072, 768, 31_116),
    "electra-small-discriminator": (12, 256, 4, 1024, 128, 30_522),
    "electra-small-generator": (12, 256, 4, 1024, 128, 30_522),
    "electra-base-discriminator": (12, 768, 12, 3072, 768, 30_522),
    "electra-base-generator": (12, 256, 4, 1024, 768, 30_522),
    "electra-large-discriminator": (24, 1024, 16, 4096, 1024, 30_522),
    "electra-large-generator": (24, 256, 4, 1024, 1024, 30_522),
    "distilbert-base-uncased": (6, 768, 12, 3072, 768, 30_522),
    "distilbert-base-cased": (6, 768, 12, 3072, 768, 28_996),
    "modernbert-base": (22, 768, 12, 1152, 768, 50_368),
    "modernbert-large": (28, 1024, 16, 2624, 1024, 50_368),
    "deberta-v3-xsmall": (12, 384, 6, 1536, 384, 128_100),
    "deberta-v3-small": (6, 768, 12, 3072, 768, 128_100),
    "deberta-v3-base": (12, 768, 12, 3072, 768, 128_100),
    "deberta-v3-large": (24, 1024, 16, 4096, 1024, 128_100),
    "mdeberta-v3-base": (12, 768, 12, 3072, 768, 251_000),
    "xlnet-base-cased": (12, 768, 12, 3072, 768, 32_000),
    "xlnet-large-cased": (24, 1024, 16, 4096, 1024, 32_000),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_sizes_are_those_of_the_published_checkpoints(name: str) -> None:
    config = preset(name)
    sizes = (config.layers, config.hidden_size, config.heads, config.feed_forward_size)
    assert (*sizes, config.embedding_size, config.vocabulary_size) == PUBLISHED[name]


@pytest.mark.parametrize("name", [*STUDY, "electra-small-generator", "distilbert-base-cased"])
@pytest.mark.parametrize("length", [7, 512])
def test_flops_are_those_of_a_run(name: str, length: int) -> None:
    config = replace(preset(name), layers=3)
    with torch.device("meta"):
        model = Model(config, pooler=family_of(config).has_pooler)
        ids = torch.zeros(1, length, dtype=torch.long)
    flops = size_of(config, length=length).flops
    assert round(flops * length) == counted_flops(model.encoder, ids)


@pytest.mark.parametrize("length", [5, 30])
def test_flops_of_distances_are_those_of_a_run(length: int) -> None:
    config = TINY["deberta-v2"]
    run = counted_flops(Model(config).encoder, torch.zeros(1, length, dtype=torch.long))
    assert round(size_of(config, length=length).flops * length) == run


def test_local_attention_costs_no_more_per_token_in_longer_texts() -> None:
    config = replace(preset("modernbert-base"), layers=1, layer_types=(LOCAL,))
    assert size_of(config, length=8192).flops == size_of(config, length=1000).flops


def test_sharing_saves_memory_but_not_work() -> None:
    shared, own = (size_of(AlbertConfig(sharing=sharing)) for sharing in ("all", "none"))
    assert shared.flops == own.flops
    assert shared.bytes < own.bytes / 5


@pytest.mark.parametrize("made", PRESETS.values(), ids=PRESETS)
def test_every_preset_can_be_built_with_its_heads(made: Any) -> None:
    with torch.device("meta"):
        model = Model(made.config, heads=made.heads)
    assert set(model.heads) == set(made.heads)
