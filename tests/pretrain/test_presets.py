"""The papers' hyper-parameters, and settings that make sense or are refused."""

from __future__ import annotations

from typing import Any

import pytest

from incognote.encoders.presets import PRESETS as ENCODERS
from incognote.pretrain.objectives import OBJECTIVES
from incognote.pretrain.presets import PRESETS, pretraining_preset
from incognote.pretrain.settings import Settings
from incognote.training.errors import TrainError

# optimizer, lr, batch, steps, warm-up steps, weight decay, lengths: from the papers' tables.
PAPERS = {
    "bert-base": ("adamw", 1e-4, 256, 1_000_000, 10_000, 0.01, ((128, 0.9), (512, 0.1))),
    "roberta-base": ("adam", 6e-4, 8192, 500_000, 24_000, 0.01, ((512, 1.0),)),
    "roberta-large": ("adam", 4e-4, 8192, 500_000, 30_000, 0.01, ((512, 1.0),)),
    "albert-base": ("lamb", 1.76e-3, 4096, 125_000, 3_125, 0.01, ((512, 1.0),)),
    "albert-xxlarge": ("lamb", 1.76e-3, 4096, 125_000, 3_125, 0.01, ((512, 1.0),)),
    "electra-small": ("adamw", 5e-4, 128, 1_000_000, 10_000, 0.01, ((128, 1.0),)),
    "electra-base": ("adamw", 2e-4, 256, 766_000, 10_000, 0.01, ((512, 1.0),)),
    "electra-large": ("adamw", 2e-4, 2048, 400_000, 10_000, 0.01, ((512, 1.0),)),
    "xlnet-large": ("adamw", 4e-4, 8192, 500_000, 40_000, 0.01, ((512, 1.0),)),
}


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
    assert [(p.length, p.first, p.last) for p in bert.phases(1000)] == [
        (128, 0, 900),
        (512, 900, 1000),
    ]
    assert [(p.length, p.last) for p in bert.phases(3)] == [(128, 3)]
    pieces = Settings(objective="mlm", steps=1, batch_pieces=4096)
    assert (pieces.sequences(128), pieces.sequences(512), pieces.sequences(8192)) == (32, 8, 1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lr": 0.0}, "lr must be above 0, not 0.0"),
        ({"warmup": -1.0}, "warmup must be 0 or more"),
        ({"lengths": ((4, 1.0),)}, "lengths must be of 8 pieces or more"),
        ({"hours": 3.0}, "give steps or hours, one of them"),
        ({"batch_pieces": 512}, "give batch_size or batch_pieces"),
        ({"optimizer": "sgd"}, "optimizer must be one of adamw"),
        ({"betas": (0.9, 1.0)}, "betas must be"),
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
