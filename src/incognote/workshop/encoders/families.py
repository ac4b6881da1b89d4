"""The families, by the name config.json gives them, and the published sizes, by those of their checkpoints.

The sizes are those of the config.json files of albert/*, google-bert/*, FacebookAI/*, google/electra-*,
distilbert/*, answerdotai/ModernBERT-*,
microsoft/*deberta-v3-*, xlnet/*, dmis-lab/biobert-* and allenai/scibert_* on the Hugging Face hub, and of the table
at allennlp.org/elmo. ELECTRA's released small generator is as wide as its discriminator, though the
paper advises a quarter (github.com/google-research/electra, issue 39): to pretrain, take a quarter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.albert import ALBERT, AlbertConfig
from incognote.workshop.encoders.bert import BERT, BertConfig
from incognote.workshop.encoders.bilstm import BILSTM
from incognote.workshop.encoders.deberta import DEBERTA, DebertaConfig
from incognote.workshop.encoders.distilbert import DISTILBERT, DistilbertConfig
from incognote.workshop.encoders.electra import ELECTRA, ElectraConfig
from incognote.workshop.encoders.elmo import ELMO, ElmoConfig
from incognote.workshop.encoders.family import Family
from incognote.workshop.encoders.feature_crf import FEATURE_CRF
from incognote.workshop.encoders.modernbert import MODERNBERT, ModernBertConfig
from incognote.workshop.encoders.roberta import ROBERTA, RobertaConfig
from incognote.workshop.encoders.xlnet import XLNET, XlnetConfig

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        BERT,
        ROBERTA,
        ALBERT,
        ELECTRA,
        DISTILBERT,
        MODERNBERT,
        DEBERTA,
        XLNET,
        ELMO,
        BILSTM,
        FEATURE_CRF,
    )
}

_LARGE: dict[str, Any] = {
    "hidden_size": 1024,
    "layers": 24,
    "heads": 16,
    "feed_forward_size": 4096,
}

_XLARGE: dict[str, Any] = {**_LARGE, "hidden_size": 2048, "feed_forward_size": 8192}

_XXLARGE: dict[str, Any] = {
    "hidden_size": 4096,
    "layers": 12,
    "heads": 64,
    "feed_forward_size": 16_384,
}

# Version 1 has dropout (but for xxlarge) and the exact GELU; version 2 neither.
_V1: dict[str, Any] = {"activation": "gelu", "dropout": 0.1, "attention_dropout": 0.1}

_MODERN_LARGE: dict[str, Any] = {
    "hidden_size": 1024,
    "layers": 28,
    "heads": 16,
    "feed_forward_size": 2624,
}

_NARROW: dict[str, Any] = {"hidden_size": 256, "heads": 4, "feed_forward_size": 1024}


def family_of(config: Any) -> Family:
    """The family whose configuration this is."""
    for family in FAMILIES.values():
        if type(config) is family.config:
            return family.spelled(family, config)
    raise ConfigError(f"{type(config).__name__} is the configuration of no known family")


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A configuration and the heads it was pretrained with."""

    config: Any
    heads: tuple[str, ...]


def _bert(**sizes: Any) -> Preset:
    return Preset(config=BertConfig(**sizes), heads=("mlm", "nsp"))


def _roberta(**sizes: Any) -> Preset:
    return Preset(config=RobertaConfig(**sizes), heads=("mlm",))


def _albert(**sizes: Any) -> Preset:
    return Preset(config=AlbertConfig(**sizes), heads=("mlm", "sop"))


def _electra(head: str, **sizes: Any) -> Preset:
    return Preset(config=ElectraConfig(**sizes), heads=(head,))


def _distilbert(**sizes: Any) -> Preset:
    return Preset(config=DistilbertConfig(**sizes), heads=("mlm",))


def _modernbert(**sizes: Any) -> Preset:
    return Preset(config=ModernBertConfig(pooling="mean", **sizes), heads=("mlm",))


def _deberta(**sizes: Any) -> Preset:
    return Preset(config=DebertaConfig(**sizes), heads=("rtd",))


def _xlnet(**sizes: Any) -> Preset:
    return Preset(config=XlnetConfig(**sizes), heads=("permutation",))


def _elmo(**sizes: Any) -> Preset:
    return Preset(config=ElmoConfig(**sizes), heads=())


PRESETS: dict[str, Preset] = {
    "bert-base-uncased": _bert(),
    "bert-base-cased": _bert(vocabulary_size=28_996),
    "bert-large-uncased": _bert(**_LARGE),
    "bert-large-cased": _bert(**_LARGE, vocabulary_size=28_996),
    "biobert-base-cased": _bert(vocabulary_size=28_996),
    "biobert-large-cased": _bert(**_LARGE, vocabulary_size=58_996),
    "scibert-uncased": _bert(vocabulary_size=31_090),
    "scibert-cased": _bert(vocabulary_size=31_116),
    "minilm-l6": _bert(hidden_size=384, layers=6, feed_forward_size=1536),
    "roberta-base": _roberta(),
    "roberta-large": _roberta(**_LARGE),
    "albert-base-v1": _albert(**_V1),
    "albert-large-v1": _albert(**_LARGE, **_V1),
    "albert-xlarge-v1": _albert(**_XLARGE, **_V1),
    "albert-xxlarge-v1": _albert(**_XXLARGE, activation="gelu"),
    "albert-base-v2": _albert(),
    "albert-large-v2": _albert(**_LARGE),
    "albert-xlarge-v2": _albert(**_XLARGE),
    "albert-xxlarge-v2": _albert(**_XXLARGE),
    "electra-small-discriminator": _electra("rtd"),
    "electra-small-generator": _electra("mlm", **_NARROW),
    "electra-base-discriminator": _electra(
        "rtd", embedding_size=768, hidden_size=768, heads=12, feed_forward_size=3072
    ),
    "electra-base-generator": _electra("mlm", embedding_size=768, **_NARROW),
    "electra-large-discriminator": _electra("rtd", embedding_size=1024, **_LARGE),
    "electra-large-generator": _electra("mlm", embedding_size=1024, layers=24, **_NARROW),
    "distilbert-base-uncased": _distilbert(),
    "distilbert-base-cased": _distilbert(vocabulary_size=28_996),
    "distilbert-base-multilingual-cased": _distilbert(vocabulary_size=119_547),
    "modernbert-base": _modernbert(),
    "modernbert-large": _modernbert(**_MODERN_LARGE),
    "bioclinical-modernbert-base": _modernbert(),
    "bioclinical-modernbert-large": _modernbert(**_MODERN_LARGE),
    "deberta-v3-xsmall": _deberta(hidden_size=384, heads=6, feed_forward_size=1536),
    "deberta-v3-small": _deberta(layers=6),
    "deberta-v3-base": _deberta(),
    "deberta-v3-large": _deberta(**_LARGE),
    "mdeberta-v3-base": _deberta(vocabulary_size=251_000),
    "xlnet-base-cased": _xlnet(),
    "xlnet-large-cased": _xlnet(**_LARGE),
    "elmo-small": _elmo(cell_size=1024, projection_size=128, highways=1),
    "elmo-medium": _elmo(cell_size=2048, projection_size=256, highways=1),
    "elmo-original": _elmo(),
    "elmo-original-5.5b": _elmo(),
}


def preset(name: str) -> Any:
    """The configuration of that name.

    >>> preset("albert-base-v2").embedding_size
    128
    """
    if name not in PRESETS:
        raise ConfigError(f"no preset {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name].config
