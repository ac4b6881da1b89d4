"""The papers' hyper-parameters, and settings that make sense or are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from workshop.pretrain.toy_shards import drawn_shards, toy_tokenizer

from incognote.base.errors import RunError, TrainError
from incognote.workshop.encoders.families import PRESETS as ENCODERS
from incognote.workshop.pretrain.loop import example_settings
from incognote.workshop.pretrain.objectives import OBJECTIVES, make_objective
from incognote.workshop.pretrain.presets import (
    FURTHER,
    PRESETS,
    PretrainingPreset,
    pretraining_preset,
)
from incognote.workshop.pretrain.settings import Settings
from incognote.workshop.pretraining import Beginning, choose_settings

# optimizer, lr, batch, steps, warm-up steps, weight decay, lengths: from the papers' tables.
PAPERS = {
    "bert-base": ("adamw", 1e-4, 256, 1_000_000, 10_000, 0.01, ((128, 0.9), (512, 0.1))),
    "roberta-base": ("adam", 6e-4, 8192, 500_000, 24_000, 0.01, ((512, 1.0),)),
    "roberta-large": ("adam", 4e-4, 8192, 500_000, 30_000, 0.01, ((512, 1.0),)),
    "albert-base": ("lamb", 1.76e-3, 4096, 125_000, 3_125, 0.01, ((512, 1.0),)),
    "albert-xxlarge": ("lamb", 1.76e-3, 4096, 125_000, 3_125, 0.01, ((512, 1.0),)),
    "albert-base-v1": ("lamb", 1.76e-3, 4096, 125_000, 3_125, 0.01, ((512, 1.0),)),
    "albert-xxlarge-v1": ("lamb", 1.76e-3, 4096, 1_500_000, 3_125, 0.01, ((512, 1.0),)),
    "albert-base-v2": ("lamb", 1.76e-3, 4096, 10_000_000, 3_125, 0.01, ((512, 1.0),)),
    "albert-large-v2": ("lamb", 1.76e-3, 4096, 3_000_000, 3_125, 0.01, ((512, 1.0),)),
    "albert-xxlarge-v2": ("lamb", 1.76e-3, 4096, 3_000_000, 3_125, 0.01, ((512, 1.0),)),
    "electra-small": ("adamw", 5e-4, 128, 1_000_000, 10_000, 0.01, ((128, 1.0),)),
    "electra-base": ("adamw", 2e-4, 256, 766_000, 10_000, 0.01, ((512, 1.0),)),
    "electra-large": ("adamw", 2e-4, 2048, 400_000, 10_000, 0.01, ((512, 1.0),)),
    "xlnet-large": ("adamw", 4e-4, 8192, 500_000, 40_000, 0.01, ((512, 1.0),)),
}


# Of the discriminator's size, and of the pieces: table 6 of ELECTRA's paper.
GENERATORS = {
    "electra-small": (1 / 4, 0.15),
    "electra-base": (1 / 3, 0.15),
    "electra-large": (1 / 4, 0.25),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_electras_have_the_papers_generators(name: str) -> None:
    size, share = GENERATORS[name]
    preset = pretraining_preset(name)
    objective: Any = make_objective(
        "electra", toy_tokenizer("electra"), drawn_shards(2), **preset.settings.objective_options
    )
    config = ENCODERS[preset.encoder].config
    generator = objective.generator.config(config)
    assert generator.hidden_size / config.hidden_size == pytest.approx(size)
    assert generator.feed_forward_size / config.feed_forward_size == pytest.approx(size, rel=1e-3)
    made = example_settings(objective.settings, preset.settings.example_options, 64)
    assert (made.masking.share, made.masking.mask, made.masking.random) == (share, 0.85, 0.0)


def test_xlnet_remembers_and_elmo_drops_as_published() -> None:
    for name in ("xlnet-base", "xlnet-large"):
        assert pretraining_preset(name).settings.objective_options == {"memory": 384}
    assert pretraining_preset("elmo-small").settings.dropout == 0.1


@pytest.mark.parametrize(("family", "further"), FURTHER.items())
def test_a_checkpoint_goes_on_for_an_hour_in_small_steps(
    family: str, further: PretrainingPreset, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text(f'{{"model_type": "{family}"}}')
    found = choose_settings(Beginning(source=str(tmp_path)), {})
    assert found == further.settings
    assert (found.hours, found.steps, found.sequences(128)) == (1.0, None, 16)
    masked = ("bert", "roberta", "albert", "distilbert", "modernbert", "deberta-v2")
    assert found.objective == ("mlm" if family in masked else family)
    own = choose_settings(Beginning(source=str(tmp_path)), {"steps": 7, "lr": 3e-4})
    assert (own.steps, own.hours, own.lr, own.betas) == (7, None, 3e-4, found.betas)
    papers = choose_settings(Beginning(source=str(tmp_path), preset="albert-base"), {})
    assert papers == pretraining_preset("albert-base").settings


@pytest.mark.parametrize("size", ["base", "large", "xlarge", "xxlarge"])
def test_albert_dropped_in_version_1_and_not_in_version_2(size: str) -> None:
    first, second = (pretraining_preset(f"albert-{size}-{version}") for version in ("v1", "v2"))
    dropout = 0.0 if size == "xxlarge" else 0.1
    assert (first.settings.dropout, first.settings.attention_dropout) == (dropout, dropout)
    assert (second.settings.dropout, second.settings.attention_dropout) == (0.0, 0.0)
    assert (first.encoder, second.encoder) == (f"albert-{size}-v1", f"albert-{size}-v2")
    assert (second.settings.steps or 0) > (first.settings.steps or 0)
    assert first.settings.objective == second.settings.objective == "mlm+sop"
    assert "additional data" in second.text


def test_options_are_joined_with_the_presets() -> None:
    base = Beginning(preset="electra-base")
    told: dict[str, Any] = {"objective_options": {}, "example_options": {}}
    assert choose_settings(base, told) == pretraining_preset("electra-base").settings
    found = choose_settings(base, {"objective_options": {"weight": 20}})
    assert found.objective_options == {"generator_size": 1 / 3, "weight": 20}
    large = Beginning(preset="electra-large")
    found = choose_settings(large, {"example_options": {"short": 0.1, "masking": {"longest": 2}}})
    assert found.example_options == {"short": 0.1, "masking": {"share": 0.25, "longest": 2}}
    found = choose_settings(large, {"example_options": {"masking": {"share": 0.3}}})
    assert found.example_options == {"masking": {"share": 0.3}}


def test_options_of_a_preset_stay_with_its_objective() -> None:
    variant = choose_settings(Beginning(preset="electra-base"), {"objective": "electra-15"})
    assert variant.objective_options == {"generator_size": 1 / 3}
    for preset in ("electra-base", "electra-large"):
        found = choose_settings(Beginning(preset=preset), {"objective": "mlm"})
        assert (found.objective_options, found.example_options) == ({}, {})
    with pytest.raises(RunError, match="no objective 'clm'"):
        choose_settings(Beginning(preset="electra-base"), {"objective": "clm"})


def test_a_clip_of_zero_is_none() -> None:
    assert choose_settings(Beginning(preset="bert-base"), {"clip": 0.0}).clip is None
    assert choose_settings(Beginning(preset="bert-base"), {"clip": None}).clip == 1.0


@pytest.mark.parametrize("name", PAPERS)
def test_presets_have_the_papers_figures(name: str) -> None:
    optimizer, lr, batch, steps, warmup, decay, lengths = PAPERS[name]
    found = pretraining_preset(name).settings
    assert (found.optimizer, found.lr, found.batch_size, found.steps) == (
        optimizer,
        lr,
        batch,
        steps,
    )
    assert (found.weight_decay, found.lengths, found.eps) == (decay, lengths, 1e-6)
    assert found.rate(warmup - 1, steps) == pytest.approx((warmup - 1) / warmup)
    assert found.rate(warmup, steps) > found.rate(warmup + 1, steps)
    assert found.rate(steps, steps) == 0


def test_details_that_only_the_code_has() -> None:
    roberta, xlnet, albert = (
        pretraining_preset(name).settings for name in ("roberta-base", "xlnet-base", "albert-base")
    )
    assert (roberta.betas, roberta.clip, roberta.decay_all) == ((0.9, 0.98), None, True)
    assert (xlnet.clip, albert.clip, albert.decay_all) == (0.25, 1.0, False)
    # BERT and ALBERT decay from step 0 on, so that the peak is never quite reached.
    assert albert.rate(3125, 125_000) == pytest.approx(0.975)
    assert roberta.rate(24_000, 500_000) == 1


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_names_what_there_is(name: str) -> None:
    found = pretraining_preset(name)
    assert found.encoder in ENCODERS
    assert found.settings.objective in OBJECTIVES
    longest = ENCODERS[found.encoder].config.longest
    assert all(length <= longest for length, _ in found.settings.lengths)


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(TrainError, match="no preset 'gpt'; there are bert-base"):
        pretraining_preset("gpt")


def test_lengths_share_the_steps() -> None:
    bert = pretraining_preset("bert-base").settings
    assert [(p.length, p.last) for p in bert.phases(1000)] == [(128, 900), (512, 1000)]
    assert [(p.length, p.last) for p in bert.phases(3)] == [(128, 3)]
    pieces = Settings(objective="mlm", steps=1, batch_pieces=4096)
    assert (pieces.sequences(128), pieces.sequences(512), pieces.sequences(8192)) == (32, 8, 1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lr": 0.0}, "lr must be above 0, not 0.0"),
        ({"warmup": -1.0}, "warmup must be 0 or more"),
        ({"lengths": ((4, 1.0),)}, "lengths must be of 8 tokens or more"),
        ({"hours": 3.0}, "give steps or hours, one of them"),
        ({"batch_pieces": 512}, "give batch_size or batch_pieces"),
        ({"optimizer": "sgd"}, "optimizer must be one of adamw"),
        ({"betas": (0.9, 1.0)}, "betas must be"),
        ({"seed": -1}, r"seed must be from 0 up to but not 2\*\*63, not -1"),
        ({"evaluate_length": 4}, "evaluate_length must be 8 tokens or more"),
    ],
)
def test_senseless_settings_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(TrainError, match=said):
        Settings(**{"objective": "mlm", "steps": 5, "batch_size": 8, **changes})


def test_settings_survive_json() -> None:
    import json

    for found in PRESETS.values():
        again = Settings.from_json(json.loads(json.dumps(found.settings.to_json())))
        assert again == found.settings
        assert again.differences(found.settings) == []
