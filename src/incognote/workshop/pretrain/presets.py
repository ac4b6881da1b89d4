"""How each encoder was pretrained: the papers' hyper-parameters, or their code's where it says more.

Warm-up is a share of the steps, so that a shorter run keeps its shape. `FURTHER` is for what the papers
did not do: a checkpoint that reads some more text, in an hour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from incognote.base.errors import TrainError
from incognote.workshop.pretrain.settings import Settings


@dataclass(frozen=True)
class PretrainingPreset:
    """The encoder preset whose sizes it has, the settings of the run, and the text that it read."""

    encoder: str
    settings: Settings
    text: str


BOOKS_AND_WIKIPEDIA = "BooksCorpus and English Wikipedia"
ROBERTAS = f"{BOOKS_AND_WIKIPEDIA}, CC-News, OpenWebText and Stories"
XLNETS = f"{BOOKS_AND_WIKIPEDIA}, Giga5, ClueWeb and Common Crawl"
_MORE_THAN_BOOKS = f"{BOOKS_AND_WIKIPEDIA}, and the additional data of XLNet and RoBERTa"
_WEB = "two trillion tokens of the web, code and science"
BILLION_WORDS = "the One Billion Word Benchmark"

_BERT: dict[str, Any] = {
    "objective": "mlm+nsp",
    "optimizer": "adamw",
    "lr": 1e-4,
    "batch_size": 256,
    "steps": 1_000_000,
    "warmup": 10_000 / 1_000_000,
    "lengths": ((128, 0.9), (512, 0.1)),
}
_ROBERTA: dict[str, Any] = {
    "objective": "mlm",
    "optimizer": "adam",
    "betas": (0.9, 0.98),
    "decay_all": True,
    "batch_size": 8192,
    "steps": 500_000,
    "lengths": ((512, 1.0),),
    "decay": "after-warmup",
    "clip": None,
}
_ALBERT: dict[str, Any] = {
    "objective": "mlm+sop",
    "optimizer": "lamb",
    "lr": 1.76e-3,
    "batch_size": 4096,
    "steps": 125_000,
    "warmup": 3_125 / 125_000,
    "lengths": ((512, 1.0),),
}
_ELECTRA: dict[str, Any] = {
    "objective": "electra",
    "optimizer": "adamw",
    "lr": 2e-4,
    "batch_size": 256,
    "lengths": ((512, 1.0),),
}
# Two trillion tokens: 1.72 of them in sequences of 1,024, the rest in 8,192. Published with batches that
# grow, and with a lower rate for the longer sequences; here both are as they were for most of the run.
_MODERNBERT: dict[str, Any] = {
    "objective": "mlm",
    "example_options": {"masking": {"share": 0.3}},
    "optimizer": "stable-adamw",
    "betas": (0.9, 0.98),
    "weight_decay": 1e-5,
    "batch_pieces": 4608 * 1024,
    "steps": 424_000,
    "warmup": 636 / 424_000,
    "lengths": ((1024, 0.85), (8192, 0.15)),
    "decay": "at-end",
    "decay_share": 0.025,
    "power": 0.5,
    "clip": None,
}
# Published with half of each batch reversed as well, which pairs of segments cannot be: `both_ways`.
_XLNET: dict[str, Any] = {
    "objective": "xlnet",
    "optimizer": "adamw",
    "lr": 4e-4,
    "batch_size": 8192,
    "steps": 500_000,
    "warmup": 40_000 / 500_000,
    "lengths": ((512, 1.0),),
    "decay": "after-warmup",
    "clip": 0.25,
    "objective_options": {"memory": 384},
}
# Ten times over a billion words, in sequences of 20.
_ELMO: dict[str, Any] = {
    "objective": "elmo",
    "optimizer": "adagrad",
    "lr": 0.2,
    "eps": 1e-10,
    "weight_decay": 0.0,
    "batch_size": 384,
    "steps": 1_000_000,
    "warmup": 0.0,
    "decay": "none",
    "lengths": ((20, 1.0),),
    "clip": 10.0,
    "dropout": 0.1,
}


def _preset(
    encoder: str, values: dict[str, Any], text: str = BOOKS_AND_WIKIPEDIA, **more: Any
) -> PretrainingPreset:
    return PretrainingPreset(encoder, Settings(**{**values, **more}), text)


_ALBERT_WARMUP = 3_125


def _albert_v1(encoder: str, *, steps: int = 125_000, dropout: float = 0.1) -> PretrainingPreset:
    """The paper's; of its xxlarge, the state of the art, which had no dropout and read longer and more."""
    text = BOOKS_AND_WIKIPEDIA if dropout else _MORE_THAN_BOOKS
    values = {**_ALBERT, "dropout": dropout, "attention_dropout": dropout}
    return _preset(encoder, values, text, steps=steps, warmup=_ALBERT_WARMUP / steps)


def _albert_v2(encoder: str, *, steps: int) -> PretrainingPreset:
    """No dropout, additional data and longer training: https://github.com/google-research/albert."""
    values = {**_ALBERT, "dropout": 0.0, "attention_dropout": 0.0}
    return _preset(encoder, values, _MORE_THAN_BOOKS, steps=steps, warmup=_ALBERT_WARMUP / steps)


# ALBERTs without a version have the paper's steps and the body of version 2, which has no dropout: what to
# take for a run of one's own.
PRESETS: dict[str, PretrainingPreset] = {
    "bert-base": _preset("bert-base-uncased", _BERT),
    "bert-large": _preset("bert-large-uncased", _BERT),
    "roberta-base": _preset("roberta-base", _ROBERTA, ROBERTAS, lr=6e-4, warmup=24_000 / 500_000),
    "roberta-large": _preset("roberta-large", _ROBERTA, ROBERTAS, lr=4e-4, warmup=30_000 / 500_000),
    "albert-base": _preset("albert-base-v2", _ALBERT),
    "albert-large": _preset("albert-large-v2", _ALBERT),
    "albert-xlarge": _preset("albert-xlarge-v2", _ALBERT),
    "albert-xxlarge": _preset("albert-xxlarge-v2", _ALBERT),
    "albert-base-v1": _albert_v1("albert-base-v1"),
    "albert-large-v1": _albert_v1("albert-large-v1"),
    "albert-xlarge-v1": _albert_v1("albert-xlarge-v1"),
    "albert-xxlarge-v1": _albert_v1("albert-xxlarge-v1", dropout=0.0, steps=1_500_000),
    "albert-base-v2": _albert_v2("albert-base-v2", steps=10_000_000),
    "albert-large-v2": _albert_v2("albert-large-v2", steps=3_000_000),
    "albert-xlarge-v2": _albert_v2("albert-xlarge-v2", steps=3_000_000),
    "albert-xxlarge-v2": _albert_v2("albert-xxlarge-v2", steps=3_000_000),
    "electra-small": _preset(
        "electra-small-discriminator",
        _ELECTRA,
        lr=5e-4,
        batch_size=128,
        steps=1_000_000,
        warmup=10_000 / 1_000_000,
        lengths=((128, 1.0),),
    ),
    "electra-base": _preset(
        "electra-base-discriminator",
        _ELECTRA,
        steps=766_000,
        warmup=10_000 / 766_000,
        objective_options={"generator_size": 1 / 3},
    ),
    "electra-large": _preset(
        "electra-large-discriminator",
        _ELECTRA,
        XLNETS,
        batch_size=2048,
        steps=400_000,
        warmup=10_000 / 400_000,
        example_options={"masking": {"share": 0.25}},
    ),
    "modernbert-base": _preset("modernbert-base", _MODERNBERT, _WEB, lr=8e-4),
    "modernbert-large": _preset("modernbert-large", _MODERNBERT, _WEB, lr=5e-4),
    "xlnet-base": _preset("xlnet-base-cased", _XLNET, XLNETS),
    "xlnet-large": _preset("xlnet-large-cased", _XLNET, XLNETS),
    "elmo-small": _preset("elmo-small", _ELMO, BILLION_WORDS),
    "elmo-medium": _preset("elmo-medium", _ELMO, BILLION_WORDS),
    "elmo-original": _preset("elmo-original", _ELMO, BILLION_WORDS),
    "elmo-original-5.5b": _preset(
        "elmo-original-5.5b", _ELMO, "Wikipedia and the news crawls of WMT, 2008 to 2012"
    ),
}


# Small steps, as an hour has few large ones. Without bias correction a second beta of 0.999 makes the
# first steps too long, and a checkpoint forgets in them what it knew (recipes/clinical_albert).
_AN_HOUR: dict[str, Any] = {"steps": None, "hours": 1.0, "batch_size": None, "batch_pieces": 2048}
_FURTHER: dict[str, Any] = {
    **_AN_HOUR,
    "optimizer": "adamw",
    "betas": (0.9, 0.98),
    "lr": 1e-4,
    "warmup": 0.1,
    "decay": "after-warmup",
    "decay_all": False,
    "clip": 1.0,
    "lengths": ((128, 1.0),),
}


def _further(name: str, values: dict[str, Any], **more: Any) -> PretrainingPreset:
    own = PRESETS[name]
    settings = replace(own.settings, **values, **more)
    return PretrainingPreset(own.encoder, settings, "any text, for an hour")


FURTHER: dict[str, PretrainingPreset] = {
    "bert": _further("bert-base", _FURTHER, objective="mlm"),
    "roberta": _further("roberta-base", _FURTHER),
    "albert": _further("albert-base", _FURTHER, objective="mlm"),
    "electra": _further("electra-small", _FURTHER),
    "distilbert": replace(
        _further("bert-base", _FURTHER, objective="mlm"), encoder="distilbert-base-uncased"
    ),
    "modernbert": _further("modernbert-base", _FURTHER, power=1.0),
    "deberta-v2": replace(
        _further("bert-base", _FURTHER, objective="mlm"), encoder="deberta-v3-base"
    ),
    "xlnet": _further("xlnet-base", _FURTHER, objective_options={}),
    "elmo": _further("elmo-small", _AN_HOUR),
}
"""For a checkpoint of each family that goes on with other text, where no preset is named."""


def pretraining_preset(name: str) -> PretrainingPreset:
    """The preset of that name.

    >>> pretraining_preset("albert-base").settings.lr
    0.00176
    """
    if name not in PRESETS:
        raise TrainError(f"no preset {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]
