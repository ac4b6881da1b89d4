"""What every objective promises: rows only where something is predicted, sums that add up."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from encoder_oracle import SIZES, TINY
from torch import Tensor
from torch.testing import assert_close
from workshop.pretrain.toy_shards import drawn_shards, toy_tokenizer

from incognote.base.errors import ConfigError, TrainError
from incognote.workshop.encoders import Model, load, save
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.xlnet import XlnetConfig
from incognote.workshop.pretrain.objectives import OBJECTIVES, Objective, Tally, make_objective
from incognote.workshop.pretrain.objectives import electra as electra_module
from incognote.workshop.pretrain.objectives.electra import (
    ElectraPair,
    Generator,
    copy_loss,
    sample_tokens,
)
from incognote.workshop.pretrain.objectives.elmo import (
    BiLanguageModel,
    expected_log_count,
    sampled_loss,
)

SHARDS = drawn_shards(20, most_pieces=2)
LONG = {name: replace(config, positions=40) for name, config in TINY.items()}
CONFIGS: dict[str, Any] = {
    **LONG,
    "xlnet": XlnetConfig(**{name: size for name, size in SIZES.items() if name != "positions"}),
    "elmo": ElmoConfig(cell_size=12, projection_size=6, filters=((1, 4), (2, 4)), highways=1),
}
FAMILIES = {
    "mlm": "roberta",
    "mlm+nsp": "bert",
    "mlm+sop": "albert",
    "electra": "electra",
    "electra-15": "electra",
    "replace-mlm": "electra",
    "all-tokens-mlm": "electra",
    "xlnet": "xlnet",
    "elmo": "elmo",
}
OPTIONS: dict[str, dict[str, Any]] = {"elmo": {"words": 60, "samples": 20}}
every = pytest.mark.parametrize("name", OBJECTIVES)


def made(name: str, **options: Any) -> tuple[Objective, Any, list[Any]]:
    """An objective, its module without dropout in double precision, and examples."""
    torch.manual_seed(0)
    family = FAMILIES[name]
    tokenizer = toy_tokenizer("roberta" if family == "elmo" else family)
    objective = make_objective(name, tokenizer, SHARDS, **{**OPTIONS.get(name, {}), **options})
    module = objective.build(CONFIGS[family]).double().eval()
    chosen = replace(objective.settings, length=30)
    examples = objective.examples(SHARDS, SHARDS.all, chosen, 0)
    return objective, module, [examples.example(0, index) for index in range(8)]


def gradients(module: torch.nn.Module) -> dict[str, Tensor]:
    found = {n: p.grad.clone() for n, p in module.named_parameters() if p.grad is not None}
    module.zero_grad()
    return found


def fill_with(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """A generator that always says the same, so that batches can be compared."""
    monkeypatch.setattr(
        electra_module,
        "sample_tokens",
        lambda logits: torch.full(logits.shape[:1], piece, dtype=torch.long),
    )


@every
def test_a_step_over_several_batches_equals_one_great_batch(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_with(monkeypatch, 9)
    objective, module, examples = made(name)
    assert objective.name == name
    whole = objective.batch(examples)
    assert set(whole.counts) == set(objective.parts)
    losses = objective.loss(module, whole, score=True)
    losses.total.backward()  # type: ignore[no-untyped-call]
    expected_gradients = gradients(module)
    one, tally = Tally(objective.parts), Tally(objective.parts)
    one.add(losses)
    total = torch.zeros((), dtype=torch.float64)
    for some in (examples[:3], examples[3:4], examples[4:]):
        share = objective.loss(module, objective.batch(some), over=whole.counts, score=True)
        share.total.backward()  # type: ignore[no-untyped-call]
        total = total + share.total.detach()
        tally.add(share)
    assert_close(total, losses.total.detach(), atol=1e-9, rtol=0)
    np.testing.assert_allclose(tally.table, one.table, atol=1e-9)
    for key, gradient in gradients(module).items():
        assert_close(gradient, expected_gradients[key], atol=1e-9, rtol=0)
    figures = tally.figures()
    for part in objective.parts:
        assert figures[f"{part}_loss"] > 0
        assert 0 <= figures[f"{part}_accuracy"] <= 1


@every
def test_objectives_and_batches_go_to_other_processes(name: str) -> None:
    objective, module, examples = made(name)
    again = pickle.loads(pickle.dumps(objective))
    batch, other = objective.batch(examples), pickle.loads(pickle.dumps(again.batch(examples)))
    assert batch.counts == other.counts
    torch.manual_seed(1)
    loss = objective.loss(module, batch).total
    torch.manual_seed(1)
    assert_close(again.loss(module, other.to("cpu")).total, loss)


@every
def test_what_is_saved_can_be_loaded(name: str, tmp_path: Any) -> None:
    objective, module, _ = made(name)
    models = objective.saved(module)
    assert "" in models
    for folder, model in models.items():
        save(model, tmp_path / f"x{folder}")
        again = load(tmp_path / f"x{folder}", dtype=torch.float64)
        assert_close(dict(again.state_dict()), dict(model.state_dict()))
    assert tuple(models[""].heads) == objective.heads(models[""].config)


@pytest.mark.parametrize("name", ["mlm", "mlm+sop", "electra", "xlnet"])
def test_language_logits_have_rows_at_predicted_places_only(name: str) -> None:
    objective, module, examples = made(name)
    rows: list[int] = []
    models: Mapping[str, Model] = objective.saved(module)
    model = models.get("generator", models[""])
    head = model.heads["permutation" if name == "xlnet" else "mlm"]
    head.register_forward_hook(lambda _, __, output: rows.append(output.shape[0]))
    batch = objective.batch(examples)
    objective.loss(module, batch)
    counted = batch.counts[objective.parts[0]]
    assert sum(rows) == counted == sum(len(example.places) for example in examples)
    assert counted < 0.3 * batch.tokens


@pytest.mark.parametrize("question", ["nsp", "sop"])
def test_a_model_trained_on_one_question_can_be_asked_the_other(question: str) -> None:
    _, module, _ = made("mlm+sop")
    asked = make_objective(f"mlm+{question}", toy_tokenizer("albert"), SHARDS)
    examples = asked.examples(SHARDS, SHARDS.all, replace(asked.settings, length=30), 0)
    tally = Tally(asked.parts)
    batch = asked.batch([examples.example(0, index) for index in range(6)])
    tally.add(asked.loss(module, batch, score=True))
    assert f"{question}_accuracy" in tally.figures()
    assert tally.table[1, 2] == 6


@pytest.mark.parametrize("question", ["nsp", "sop"])
def test_a_question_can_count_more_than_masked_pieces(question: str) -> None:
    objective, module, examples = made(f"mlm+{question}", weight=10)
    lost = objective.loss(module, objective.batch(examples))
    mlm, asked = (lost.parts[part] / lost.counts[part] for part in ("mlm", question))
    assert_close(lost.total, mlm + 10 * asked, check_dtype=False)


def test_a_sequence_without_a_pair_is_asked_nothing_about_one() -> None:
    objective, module, examples = made("mlm+sop")
    labelled = objective.loss(module, objective.batch(examples[:3]), score=True)
    lone = [example._replace(label=-1) for example in examples[3:]]
    both = objective.loss(module, objective.batch([*examples[:3], *lone]), score=True)
    assert both.counts["sop"] == 3
    assert_close(both.parts["sop"], labelled.parts["sop"])
    assert int(both.right["sop"]) == int(labelled.right["sop"])
    nothing = objective.loss(module, objective.batch(lone))
    assert float(nothing.parts["sop"]) == 0
    assert_close(nothing.total, nothing.parts["mlm"] / nothing.counts["mlm"], check_dtype=False)


def test_a_right_guess_of_the_generator_counts_as_original(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    objective, module, examples = made("electra")
    assert isinstance(module, ElectraPair)
    batch: Any = objective.batch(examples)
    given: list[Tensor] = []
    module.discriminator.encoder.register_forward_pre_hook(
        lambda _, args: given.append(args[0].clone())
    )
    logits: list[Tensor] = []
    module.discriminator.heads["rtd"].register_forward_hook(
        lambda _, __, output: logits.append(output)
    )
    right = torch.arange(len(batch.targets)) % 2 == 0
    fills = torch.where(right, batch.targets, (batch.targets - 5 + 1) % 92 + 5)
    monkeypatch.setattr(electra_module, "sample_tokens", lambda _: fills)
    losses = objective.loss(module, batch, score=True)
    labels = torch.zeros(batch.tokens, dtype=torch.float64)
    labels[batch.places[~right]] = 1
    wanted = torch.nn.functional.binary_cross_entropy_with_logits(
        logits[0], labels, reduction="sum"
    )
    assert_close(losses.parts["rtd"], wanted)
    assert int(losses.right["rtd"]) == int(((logits[0] > 0) == labels.bool()).sum())
    # The discriminator reads the fills, and never a mask.
    assert_close(given[0][batch.places], fills)
    assert not (given[0] == 4).any()
    assert losses.counts["rtd"] == batch.tokens
    fifteen, _, _ = made("electra-15")
    assert fifteen.batch(examples).counts["rtd"] == len(batch.places)


def test_fills_are_drawn_from_the_generators_distribution() -> None:
    torch.manual_seed(0)
    shares = torch.tensor([0.6, 0.3, 0.1])
    drawn = sample_tokens(shares.log().expand(40_000, 3))
    found = torch.bincount(drawn, minlength=3) / 40_000
    assert_close(found, shares, atol=0.01, rtol=0)


def test_copying_is_a_mixture_of_two_distributions() -> None:
    torch.manual_seed(0)
    logits, replaced = torch.randn(50, 7).double(), torch.randn(50).double()
    filled, original = torch.randint(7, (2, 50))
    keep = torch.sigmoid(-replaced)
    shares = (1 - keep)[:, None] * logits.softmax(-1)
    shares[torch.arange(50), filled] += keep
    lost, right = copy_loss(logits, replaced, filled, original, score=True)
    assert_close(lost, -shares[torch.arange(50), original].log().sum())
    assert int(right) == int((shares.argmax(-1) == original).sum())


def test_electra_masks_85_percent_and_keeps_the_rest() -> None:
    objective, _, _ = made("electra")
    examples = objective.examples(SHARDS, SHARDS.all, objective.settings, 0)
    put = [examples.example(epoch, i) for epoch in range(12) for i in range(examples.count(epoch))]
    masked = np.concatenate([example.ids[example.places] == 4 for example in put])
    kept = np.concatenate([(example.ids[example.places] == example.targets) for example in put])
    assert masked.mean() == pytest.approx(0.85, abs=0.015)
    assert (masked | kept).all()


@pytest.mark.parametrize("sharing", ["embeddings", "all", "none"])
def test_a_generator_shares_what_it_is_told_to(sharing: Any) -> None:
    size = 1.0 if sharing == "all" else 0.25
    _, module, _ = made("electra", sharing=sharing, generator_size=size)
    assert isinstance(module, ElectraPair)
    ours: Any = module.generator.encoder
    theirs: Any = module.discriminator.encoder
    assert (ours.words is theirs.words) == (sharing != "none")
    assert (ours.embeddings.positions is theirs.embeddings.positions) == (sharing != "none")
    assert (ours is theirs) == (sharing == "all")
    if sharing == "embeddings":
        assert ours.embeddings.projection is not theirs.embeddings.projection
    names = {id(parameter) for parameter in module.parameters()}
    assert len(names) == len(list(module.parameters()))  # each is trained once


def test_generators_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="as large"):
        Generator(0.5, "all")
    with pytest.raises(ConfigError, match="share"):
        Generator(0.0)


def test_a_sampled_softmax_learns_the_whole_one_in_the_mean() -> None:
    torch.manual_seed(0)
    _, module, _ = made("elmo")
    assert isinstance(module, BiLanguageModel)
    words = len(module.bias)
    hidden = torch.randn(40, 6).double()
    wanted = torch.randint(words, (40,))
    whole = torch.nn.functional.cross_entropy(
        hidden @ module.weight.T + module.bias, wanted, reduction="sum"
    )
    drawn = [float(sampled_loss(hidden, wanted, module, 4000).detach()) for _ in range(5)]
    assert np.mean(drawn) == pytest.approx(float(whole.detach()), rel=0.02)
    shares = expected_log_count(torch.arange(words), words, 1).exp()
    assert float(shares.sum()) == pytest.approx(1, abs=1e-5)


def test_elmo_predicts_the_word_after_and_the_word_before() -> None:
    objective, module, examples = made("elmo")
    assert isinstance(module, BiLanguageModel)
    batch: Any = objective.batch(examples[:2])
    states = module.model.encoder(batch.characters, lengths=batch.lengths, states=True).states[-1]
    lost = {"forward": 0.0, "backward": 0.0}
    start = 0
    for length in batch.lengths:
        words = batch.words[start : start + length]
        for place in range(length):
            for part, step, half in (("forward", 1, slice(0, 6)), ("backward", -1, slice(6, 12))):
                if 0 <= place + step < length:
                    logits = module.weight @ states[start + place, half] + module.bias
                    lost[part] -= float(logits.log_softmax(-1)[words[place + step]].detach())
        start += length
    losses = objective.loss(module, batch, score=True)
    for part, wanted in lost.items():
        assert float(losses.parts[part]) == pytest.approx(wanted, rel=1e-9)
    assert batch.counts == dict.fromkeys(lost, sum(batch.lengths) - len(batch.lengths))
    mean = sum(lost.values()) / 2 / batch.counts["forward"]
    assert float(losses.total.detach()) == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize("length", [8, 13, 20, 500])
def test_elmo_sees_as_many_ends_as_there_are_sentences(length: int) -> None:
    objective = make_objective("elmo", toy_tokenizer("roberta"), SHARDS, words=60)
    chosen = replace(objective.settings, length=length)
    examples = objective.examples(SHARDS, SHARDS.all, chosen, 0)
    found = [examples.example(0, index) for index in range(examples.count(0))]
    words = np.concatenate([example.words for example in found])
    assert (words == 0).sum() == (words == 1).sum() == SHARDS.sentence_counts.sum()
    assert len(words) == sum(example.lengths.sum() for example in found)
    cut = 0
    for example in found:
        edges = np.cumsum([0, *example.lengths])
        cut += int(
            (example.words[edges[:-1]] != 0).sum() + (example.words[edges[1:] - 1] != 1).sum()
        )
        assert len(example.characters) == len(example.words)
    assert (cut > 0) == (length < 500)


def test_figures_are_means_over_all_that_was_added() -> None:
    tally = Tally(["mlm", "sop"])
    tally.table += [[30.0, 4, 10, 0], [2.0, 3, 4, 0]]
    tally.table += [[10.0, 6, 10, 0], [0.0, 0, 0, 0]]
    assert tally.figures() == {
        "mlm_loss": 2.0,
        "mlm_accuracy": 0.5,
        "mlm_perplexity": pytest.approx(math.exp(2.0)),
        "sop_loss": 0.5,
        "sop_accuracy": 0.75,
    }


@pytest.mark.parametrize("name", ["electra", "electra-15"])
def test_a_discriminator_that_always_says_the_same_is_known_by_it(name: str) -> None:
    objective, module, examples = made(name)
    batch = objective.batch(examples)
    head: Any = module.discriminator.heads["rtd"]
    accuracies = []
    for always in (-1e4, 1e4):  # "nothing was replaced", and "all was"
        torch.manual_seed(0)  # of what the generator fills in
        with torch.no_grad():
            list(head.parameters())[-1].fill_(always)
        tally = Tally(objective.parts)
        tally.add(objective.loss(module, batch, score=True))
        figures = tally.figures()
        accuracies.append(figures["rtd_accuracy"])
    assert figures["rtd_base"] == pytest.approx(max(accuracies))
    assert 0 < min(accuracies) < 0.5 or name == "electra-15"


def test_a_family_without_the_heads_is_refused_in_a_sentence() -> None:
    tokenizer = toy_tokenizer("roberta")
    with pytest.raises(ConfigError, match="mlm alone"):
        make_objective("mlm+sop", tokenizer, SHARDS).build(LONG["roberta"])
    for name in ("electra", "xlnet", "elmo"):
        with pytest.raises(ConfigError, match="only"):
            make_objective(name, tokenizer, SHARDS).build(LONG["bert"])
    with pytest.raises(TrainError, match="no objective"):
        make_objective("mlm+everything", tokenizer, SHARDS)


def test_the_shares_of_masks_and_random_pieces_can_be_chosen() -> None:
    for name, options in (("mlm", {"mask": 0, "random": 1}), ("electra", {"mask": 1.0})):
        objective, _, examples = made(name, **options)
        assert objective.settings.masking.random == options.get("random", 0)
        masked = np.concatenate([example.ids[example.places] == 4 for example in examples])
        assert masked.mean() == options["mask"]
    with pytest.raises(TrainError, match="shares of masks"):
        made("mlm", mask=0.95)


def test_permutations_can_be_chosen() -> None:
    chosen = {"context": 7, "longest": 3, "memory": 10, "both_ways": False}
    objective, _, examples = made("xlnet", **chosen)
    assert vars(objective.settings.permutation) == chosen
    assert any(example.memory is not None for example in examples)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("xlnet", {"spans": 3}, "xlnet does not take the option spans; it takes context, longest"),
        ("xlnet", {"context": 6.5}, "context of xlnet must be a whole number, not 6.5"),
        ("xlnet", {"context": True}, "context of xlnet must be a whole number, not True"),
        ("xlnet", {"both_ways": "yes"}, "both_ways of xlnet must be true or false, not yes"),
        ("xlnet", {"context": 1}, "a context of at least 2"),
        ("mlm", {"mask": "many"}, "mask of mlm must be a number, not many"),
        ("mlm", {"mask": math.nan}, "mask of mlm must be a number, not nan"),
        ("electra", {"sharing": 3}, "sharing of electra must be a word, not 3"),
        ("mlm", {"weight": 2.0}, "mlm does not take the option weight; it takes mask, random"),
    ],
)
def test_senseless_options_are_refused(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(TrainError, match=said):
        made(name, **options)


def test_a_model_learns_what_it_is_shown() -> None:
    """A handful of examples is learned by heart: every part's accuracy rises to all."""
    objective, module, examples = made("mlm+sop")
    batch = objective.batch(examples)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(80):
        optimizer.zero_grad()
        objective.loss(module, batch).total.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    tally = Tally(objective.parts)
    tally.add(objective.loss(module, batch, score=True))
    figures = tally.figures()
    assert figures["sop_accuracy"] == 1
    assert figures["mlm_accuracy"] > 0.9
