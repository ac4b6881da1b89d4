"""Losses equal those of `transformers` on the same batch and weights, in double precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from encoder_oracle import SIZES, TINY, oracle
from torch import Tensor
from torch.testing import assert_close
from workshop.pretrain.toy_shards import drawn_shards, toy_tokenizer

from incognote.workshop.encoders import Model, load
from incognote.workshop.encoders.xlnet import XlnetConfig
from incognote.workshop.pretrain.examples import Inputs
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.objectives.electra import ElectraPair, Generator
from incognote.workshop.pretrain.objectives.mlm import MaskedBatch, encode
from incognote.workshop.pretrain.objectives.permutation import PermutedBatch
from incognote.workshop.pretrain.reading_order import Permutation

SHARDS = drawn_shards(20, most_pieces=2)
XLNET = XlnetConfig(**{name: size for name, size in SIZES.items() if name != "positions"})
CASES = [
    ("mlm+sop", "albert", "AlbertForPreTraining"),
    ("mlm+nsp", "bert", "BertForPreTraining"),
    ("mlm", "roberta", "RobertaForMaskedLM"),
]
LENGTH = 28


@pytest.fixture(autouse=True)
def _quiet() -> None:
    logging: Any = transformers.logging
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.manual_seed(0)


def ours(theirs: Any, folder: Path) -> Model:
    theirs.save_pretrained(folder)
    return load(folder, dtype=torch.float64)


def padded(flat: Tensor, lengths: Sequence[int], fill: int) -> Tensor:
    return torch.nn.utils.rnn.pad_sequence(
        list(torch.split(flat, list(lengths))), batch_first=True, padding_value=fill
    )


def as_theirs(batch: MaskedBatch, ids: Tensor, pad: int) -> dict[str, Tensor]:
    """A packed batch padded, with labels at the chosen places."""
    labels = torch.full_like(batch.ids, -100).index_copy(0, batch.places, batch.targets)
    return {
        "input_ids": padded(ids, batch.lengths, pad),
        "attention_mask": padded(torch.ones_like(batch.ids), batch.lengths, 0),
        "token_type_ids": padded(batch.segments, batch.lengths, 0),
        "labels": padded(labels, batch.lengths, -100),
    }


def batch_of(name: str, family: str, length: int = LENGTH) -> tuple[Any, MaskedBatch]:
    objective = make_objective(name, toy_tokenizer(family), SHARDS)
    settings = replace(objective.settings, length=length, short=0.5)
    examples = objective.examples(SHARDS, SHARDS.all, settings, 0)
    return objective, objective.batch([examples.example(0, i) for i in range(5)])  # type: ignore[return-value]


@pytest.mark.parametrize(("name", "family", "architecture"), CASES)
def test_masked_language_and_its_questions(
    name: str, family: str, architecture: str, tmp_path: Path
) -> None:
    config = replace(TINY[family], positions=40)
    theirs = oracle(architecture, config, torch.float64)
    model = ours(theirs, tmp_path)
    objective, batch = batch_of(name, family)
    assert len(set(batch.lengths)) > 1
    given = as_theirs(batch, batch.ids, config.pad_id)
    if family == "albert":
        given["sentence_order_label"] = batch.labels
    elif family == "bert":
        given["next_sentence_label"] = batch.labels
    else:
        del given["token_type_ids"]
    expected = theirs(**given)
    losses = objective.loss(model, batch)
    assert_close(losses.total, expected.loss, atol=1e-10, rtol=0)
    losses.total.backward()
    expected.loss.backward()
    words = next(p for n, p in theirs.named_parameters() if "word_embeddings" in n)
    # Theirs drops the gradient of the padding's row.
    rows = torch.arange(97) != config.pad_id
    own = model.encoder.words
    assert isinstance(own, Tensor)
    assert own.grad is not None
    assert_close(own.grad[rows], words.grad[rows], atol=1e-10, rtol=0)


def test_electra(tmp_path: Path) -> None:
    config = replace(TINY["electra"], positions=40)
    small = Generator().config(config)
    assert (small.hidden_size, small.heads) == (6, 1)
    generator = oracle("ElectraForMaskedLM", small, torch.float64)
    discriminator = oracle("ElectraForPreTraining", config, torch.float64)
    pair = ElectraPair(ours(discriminator, tmp_path / "d"), Generator(sharing="none")).double()
    pair.generator = ours(generator, tmp_path / "g")
    pair.eval()
    objective, batch = batch_of("electra", "electra")
    torch.manual_seed(5)
    losses = objective.loss(pair, batch)
    torch.manual_seed(5)
    guesses = pair.generator(
        batch.ids, segments=batch.segments, lengths=batch.lengths, chosen=batch.places
    )["mlm"]
    noise = torch.empty_like(guesses).exponential_()
    filled = batch.ids.index_copy(0, batch.places, (guesses - noise.log()).argmax(-1))
    told = as_theirs(batch, batch.ids, 0)
    mlm = generator(**told).loss
    given = as_theirs(batch, filled, 0)
    given["labels"] = padded((filled != batch.original).long(), batch.lengths, 0)
    told_rtd = discriminator(**given)
    real = given["attention_mask"].bool()
    rtd = torch.nn.functional.binary_cross_entropy_with_logits(
        told_rtd.logits[real], given["labels"][real].double()
    )
    # Theirs is rounded to single precision.
    assert_close(told_rtd.loss.double(), rtd, atol=1e-6, rtol=0)
    assert_close(losses.parts["mlm"] / batch.counts["mlm"], mlm, atol=1e-10, rtol=0)
    assert_close(losses.parts["rtd"] / batch.counts["rtd"], rtd, atol=1e-10, rtol=0)
    assert_close(losses.total, mlm + 50 * rtd, atol=1e-9, rtol=0)


@pytest.mark.parametrize("memory", [0, 12])
@pytest.mark.parametrize("inputs", ["segment-pair", "full-sentences"])
def test_xlnet(inputs: Inputs, memory: int, tmp_path: Path) -> None:
    model, theirs, batch = xlnet_batch(tmp_path, inputs, Permutation(memory=memory))
    assert {group.memory is not None for group in batch.groups} == (
        {False} if not memory else {False, True}
    )
    check_xlnet(model, theirs, batch)


def test_xlnet_backward(tmp_path: Path) -> None:
    """Their `bi_data` reads the second half of a batch backward; so each group is given twice."""
    settings = Permutation(memory=9, both_ways=True)
    model, theirs, batch = xlnet_batch(tmp_path, "doc-sentences", settings)
    assert {group.backward for group in batch.groups} == {False, True}
    theirs.transformer.bi_data = True
    check_xlnet(model, theirs, batch)


def xlnet_batch(
    folder: Path, inputs: Inputs, settings: Permutation
) -> tuple[Model, Any, PermutedBatch]:
    theirs = oracle("XLNetLMHeadModel", XLNET, torch.float64)
    single = theirs.transformer.relative_positional_encoding
    theirs.transformer.relative_positional_encoding = lambda *a, **k: single(*a, **k).double()
    model = ours(theirs, folder)
    objective = make_objective("xlnet", toy_tokenizer("xlnet"), SHARDS)
    chosen = replace(
        objective.settings, inputs=inputs, length=LENGTH, short=0.3, permutation=settings
    )
    examples = objective.examples(SHARDS, SHARDS.all, chosen, 0)
    count = min(24, examples.count(0))
    return model, theirs, objective.batch([examples.example(0, i) for i in range(count)])  # type: ignore[return-value]


def check_xlnet(model: Model, theirs: Any, batch: PermutedBatch) -> None:
    objective = make_objective("xlnet", toy_tokenizer("xlnet"), SHARDS)
    both = theirs.transformer.bi_data
    lost = torch.zeros((), dtype=torch.float64)
    for group in batch.groups:
        real = group.places >= 0
        labels = torch.full_like(group.places, -100)
        labels[real] = group.targets

        def twice(values: Tensor) -> Tensor:
            return torch.cat([values, values]) if both else values

        mems = None
        if group.memory is not None:
            mems = theirs(twice(group.memory), use_mems=True).mems
        expected = theirs(
            input_ids=twice(group.ids),
            attention_mask=twice(group.mask.double()),
            token_type_ids=twice(group.segments),
            perm_mask=twice(group.perm_mask().double()),
            target_mapping=twice(group.target_mapping(torch.zeros((), dtype=torch.float64))),
            mems=mems,
            use_mems=False,
        ).logits
        half = len(group.ids)
        logits = expected[half:] if both and group.backward else expected[:half]
        lost = lost + torch.nn.functional.cross_entropy(
            logits[real], group.targets, reduction="sum"
        )
    losses = objective.loss(model, batch)
    assert_close(losses.total, lost / batch.counts["permutation"], atol=1e-10, rtol=0)


def test_the_encoder_is_given_what_the_batch_has() -> None:
    """`encode` is what both of ELECTRA's models read with: packed, in the batch's order."""
    _, batch = batch_of("electra", "electra")
    model = Model(replace(TINY["electra"], positions=40), heads=("rtd",)).eval()
    encoded = encode(model, batch.ids, batch, only_chosen=False)
    assert encoded.hidden.shape == (sum(batch.lengths), 24)
    chosen = encode(model, batch.ids, batch, only_chosen=True)
    assert chosen.hidden.shape == (len(batch.places) + len(batch.lengths), 24)
    assert_close(chosen.hidden[batch.rows], encoded.hidden[batch.places])
