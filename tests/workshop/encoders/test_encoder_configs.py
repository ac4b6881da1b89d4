"""A configuration that describes no encoder is refused in a sentence."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.distilbert import DistilbertConfig
from incognote.workshop.encoders.electra import ElectraConfig
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.families import PRESETS, preset
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.roberta import RobertaConfig
from incognote.workshop.encoders.xlnet import XlnetConfig

WRONG: list[tuple[type[Any], dict[str, Any], str]] = [
    (BertConfig, {"layers": 0}, "layers must be a whole number above 0, not 0"),
    (BertConfig, {"hidden_size": 64.0}, "hidden_size must be a whole number"),
    (BertConfig, {"heads": True}, "heads must be a whole number"),
    (BertConfig, {"heads": 7}, "hidden_size 768 does not divide among 7 heads"),
    (BertConfig, {"dropout": 1.0}, "dropout must be from 0 up to but not 1"),
    (BertConfig, {"classifier_dropout": -0.1}, "classifier_dropout must be"),
    (BertConfig, {"activation": "swish"}, "activation must be one of gelu, "),
    (BertConfig, {"norm_epsilon": 0.0}, "norm_epsilon must be a number above 0"),
    (BertConfig, {"pad_id": 30_522}, "pad_id must be a row of the vocabulary"),
    (RobertaConfig, {"positions": 2}, "positions must exceed pad_id"),
    (AlbertConfig, {"sharing": "some"}, "sharing must be one of all, attention, ffn, none"),
    (AlbertConfig, {"groups": 13}, "12 layers cannot form 13 groups"),
    (AlbertConfig, {"groups": 3, "sharing": "none"}, "leave groups at 1"),
    (AlbertConfig, {"projection": False}, "need a projection"),
    (AlbertConfig, {"projection": "x"}, "projection must be true or false"),
    (ElectraConfig, {"summary_dropout": 2}, "summary_dropout must be"),
    (XlnetConfig, {"memory": "x"}, "memory must be a whole number from 0 on"),
    (XlnetConfig, {"reuse": -1}, "reuse must be a whole number from 0 on"),
    (XlnetConfig, {"clamp": "x"}, "clamp must be a whole number"),
    (ElmoConfig, {"filters": 3}, "filters must be pairs"),
    (ElmoConfig, {"filters": ((1, 0),)}, "filters must be pairs"),
    (ElmoConfig, {"cell_clip": "x"}, "cell_clip must be a number above 0"),
    (ElmoConfig, {"initializer_range": "x"}, "initializer_range must be a number above 0"),
    (ElmoConfig, {"classifier_dropout": "x"}, "classifier_dropout must be from 0"),
    (ElmoConfig, {"layers": True}, "layers must be a whole number above 0"),
]


@pytest.mark.parametrize(("kind", "values", "sentence"), WRONG)
def test_wrong_values_are_named(kind: type[Any], values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        kind(**values)


def test_configurations_are_frozen_and_by_keyword() -> None:
    config: Any = BertConfig()
    with pytest.raises(FrozenInstanceError):
        config.layers = 3
    with pytest.raises(TypeError):
        AlbertConfig(30_000)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", PRESETS)
def test_config_json_carries_every_preset(name: str) -> None:
    config = preset(name)
    again = type(config).from_huggingface(config.to_huggingface())
    assert again.to_huggingface() == config.to_huggingface()


@pytest.mark.parametrize(
    "settings",
    [
        {"position_embedding_type": "relative_key"},
        {"is_decoder": True},
        {"tie_word_embeddings": False},
        {"hidden_act": "silu"},
    ],
)
def test_settings_that_would_change_the_computation_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        BertConfig.from_huggingface({**BertConfig().to_huggingface(), **settings})


def test_the_order_of_albert_s_modules_follows_sharing_and_groups() -> None:
    def order(**sizes: Any) -> list[tuple[int, int]]:
        return list(AlbertConfig(layers=4, **sizes).order)

    assert order() == [(0, 0)] * 4
    assert order(groups=2) == [(0, 0), (0, 0), (1, 1), (1, 1)]
    assert order(groups=3) == [(0, 0), (0, 0), (1, 1), (2, 2)]
    assert order(sharing="attention") == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert order(sharing="ffn", groups=2) == [(0, 0), (1, 0), (2, 1), (3, 1)]
    assert order(sharing="none") == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert order(inner_layers=2) == [(0, 0), (1, 1)] * 4


def test_unknown_names_are_refused_with_those_that_are_known() -> None:
    with pytest.raises(ConfigError, match="no preset 'bert-huge'; there are bert-base-uncased"):
        preset("bert-huge")
    with pytest.raises(ConfigError, match="roberta has no head 'nsp'; it has tokens"):
        Model(RobertaConfig(layers=1, vocabulary_size=9, hidden_size=12), heads=("nsp",))
    with pytest.raises(ConfigError, match="each only once"):
        Model(BertConfig(layers=1, vocabulary_size=9), heads=("tokens",), labels=("O", "O"))


def test_distilbert_has_no_dropout_after_attention_and_only_what_its_files_can_say() -> None:
    model = Model(DistilbertConfig(hidden_size=24, feed_forward_size=40), heads=("span",))
    stack: Any = model.encoder.stack
    assert {layer.dropout.p for layer in stack.attentions} == {0.0}
    assert {layer.attention_dropout for layer in stack.attentions} == {0.1}
    assert {layer.dropout.p for layer in stack.feed_forwards} == {0.1}
    assert model.heads["span"].dropout.p == 0.1  # type: ignore[union-attr]
    for wrong in ({"segments": 2}, {"norm_epsilon": 1e-5}, {"classifier_dropout": 0.3}):
        with pytest.raises(ConfigError, match="DistilBERT has one segment"):
            DistilbertConfig(**wrong)
    with pytest.raises(ConfigError, match="no pooler"):
        Model(DistilbertConfig(), pooler=True)
