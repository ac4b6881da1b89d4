"""XLNet and Hugging Face's agree: two streams, permutations, memory, padding on the left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from encoder_oracle import SIZES, answer, architectures, logits_of, oracle, shaped
from safetensors.torch import load_file
from torch import Tensor
from torch.testing import assert_close

from incognote.base.errors import CheckpointError, InputError
from incognote.workshop.encoders import load, preset, save
from incognote.workshop.encoders.model import Model, size_of
from incognote.workshop.encoders.naming import pairs
from incognote.workshop.encoders.xlnet import XlnetConfig

TINY = XlnetConfig(**{name: size for name, size in SIZES.items() if name != "positions"})
CONFIGS = {
    "tiny": TINY,
    "clamped": replace(TINY, clamp=4, memory=6, reuse=9, activation="relu"),
    "wide": XlnetConfig(layers=1, vocabulary_size=311),
}
SEARCHING = "XLNetForQuestionAnswering"
ALL = [name for name in architectures(TINY) if name != SEARCHING]
LANGUAGE = "XLNetLMHeadModel"
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-4}
LENGTH = 13
both = pytest.mark.parametrize("dtype", TOLERANCE, ids=["float64", "float32"])
every = pytest.mark.parametrize("architecture", ALL)


def theirs(architecture: str, config: XlnetConfig, dtype: torch.dtype) -> Any:
    """The oracle; in double precision its query stream refuses its own single sinusoids."""
    model = oracle(architecture, config, dtype)
    body = getattr(model, "transformer", model)
    single = body.relative_positional_encoding
    body.relative_positional_encoding = lambda *a, **k: single(*a, **k).to(dtype)
    return model


def ours(oracle: Any, folder: Path, dtype: torch.dtype) -> Model:
    oracle.save_pretrained(folder)
    return load(folder, dtype=dtype)


def batch(config: XlnetConfig, side: str = "left", seed: int = 3) -> dict[str, Tensor]:
    """Pairs of three lengths with <cls> in a segment of its own, padded on one side."""
    draws = torch.Generator().manual_seed(seed)
    ids = torch.randint(6, config.vocabulary_size, (3, LENGTH), generator=draws)
    lengths = torch.tensor([[LENGTH], [4], [9]])
    segments = (torch.arange(LENGTH) > 5).long() + (torch.arange(LENGTH) == LENGTH - 1)
    segments = segments.expand(3, -1)
    mask = torch.arange(LENGTH) >= LENGTH - lengths
    if side == "right":
        mask = torch.arange(LENGTH) < lengths
    ids = torch.where(mask, ids, config.pad_id)
    return {"ids": ids, "mask": mask.long(), "segments": torch.where(mask, segments, 3)}


def permutation(dtype: torch.dtype, targets: int = 3) -> dict[str, Tensor]:
    """A random order of reading for each sequence; its last pieces are predicted, one not at all."""
    draws = torch.Generator().manual_seed(7)
    perm_mask = torch.zeros(3, LENGTH, LENGTH)
    target_mapping = torch.zeros(3, targets, LENGTH)
    for row in range(3):
        order = torch.randperm(LENGTH, generator=draws)
        rank = order.argsort()
        perm_mask[row] = (rank[:, None] <= rank[None, :]).float()
        target_mapping[row, range(targets), order[-targets:]] = 1
    target_mapping[1, 2] = 0
    return {"perm_mask": perm_mask.to(dtype), "target_mapping": target_mapping.to(dtype)}


def close(found: Tensor, wanted: Tensor, dtype: torch.dtype) -> None:
    assert float(wanted.std()) > 1e-5
    assert_close(found, wanted, atol=TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize(
    ("name", "architecture"),
    [*(("tiny", made) for made in ALL), ("clamped", LANGUAGE), ("wide", LANGUAGE)],
)
@both
@torch.no_grad()
def test_one_stream_agrees(
    name: str, architecture: str, dtype: torch.dtype, tmp_path: Path
) -> None:
    config = CONFIGS[name]
    peer = theirs(architecture, config, dtype)
    model = ours(peer, tmp_path, dtype)
    for inputs in (batch(config), {k: v for k, v in batch(config).items() if k != "segments"}):
        expected = answer(peer, inputs, output_hidden_states=True)
        encoded = model.encoder(**inputs, states=True)
        for found, wanted in zip(encoded.states, expected.hidden_states, strict=True):
            close(found, wanted, dtype)
        if model.heads:
            logits = shaped(model(**inputs))
            for head, wanted in logits_of(peer, expected).items():
                close(logits[head], wanted, dtype)
        else:
            close(encoded.hidden, expected.last_hidden_state, dtype)


@both
@pytest.mark.parametrize("name", CONFIGS)
@torch.no_grad()
def test_two_streams_with_memory_agree(name: str, dtype: torch.dtype, tmp_path: Path) -> None:
    config = CONFIGS[name]
    peer = theirs(LANGUAGE, config, dtype)
    model = ours(peer, tmp_path, dtype)
    their_memory, our_memory = None, None
    for seed in (3, 4, 5):
        inputs = batch(config, seed=seed)
        order = permutation(dtype)
        floats = {**inputs, "mask": inputs["mask"].to(dtype)}
        expected = answer(peer, floats, **order, mems=their_memory, use_mems=True)
        encoded = model.encoder(**inputs, **order, memory=our_memory, remember=True)
        logits = model(**inputs, **order, memory=our_memory)["permutation"]
        close(logits, expected.logits, dtype)
        their_memory, our_memory = expected.mems, encoded.memory
        for found, wanted in zip(our_memory, their_memory, strict=True):
            close(found, wanted.transpose(0, 1), dtype)


def weighted(values: Mapping[str, Tensor]) -> Tensor:
    loss = torch.zeros((), dtype=torch.float64)
    for value in values.values():
        loss = loss + (value * torch.arange(value.numel()).view_as(value).cos()).sum()
    return loss


@pytest.mark.parametrize("architecture", ALL)
def test_gradients_of_every_parameter_agree(architecture: str, tmp_path: Path) -> None:
    peer = theirs(architecture, TINY, torch.float64)
    model = ours(peer, tmp_path, torch.float64)
    inputs = batch(TINY)
    order: dict[str, Any] = {}
    memory: tuple[Tensor, ...] = ()
    if architecture == LANGUAGE:
        order = permutation(torch.float64)
        memory = tuple(torch.randn(3, 5, TINY.hidden_size).double() for _ in range(TINY.layers))
    floats = {**inputs, "mask": inputs["mask"].double()}
    mems = [states.transpose(0, 1) for states in memory] or None
    output = answer(peer, floats, **order, mems=mems)
    if model.heads:
        wanted_values = logits_of(peer, output)
        found_values = shaped(model(**inputs, **order, memory=memory))
    else:
        wanted_values = {"": output.last_hidden_state}
        found_values = {"": model.encoder(**inputs).hidden}
    weighted(wanted_values).backward()  # type: ignore[no-untyped-call]
    weighted(found_values).backward()  # type: ignore[no-untyped-call]
    expected = {name: parameter.grad for name, parameter in peer.named_parameters()}
    parameters = dict(model.named_parameters())
    prefix = "" if model.heads else model.family.prefix
    named = {
        theirs.removeprefix(prefix): ours
        for ours, theirs in pairs(model, model.family, TINY, tuple(model.heads))
    }
    assert named.keys() == expected.keys()
    for name, wanted in expected.items():
        grad = parameters[named[name]].grad
        assert (grad is None) == (wanted is None), name
        if grad is not None:
            assert_close(grad, wanted, atol=1e-9, rtol=1e-9)
    if order:
        assert all(wanted is not None for wanted in expected.values())


@every
@torch.no_grad()
def test_what_we_save_transformers_loads(architecture: str, tmp_path: Path) -> None:
    peer = theirs(architecture, TINY, torch.float32)
    model = ours(peer, tmp_path / "theirs", torch.float32)
    save(model, tmp_path / "ours")
    assert_close(
        load_file(tmp_path / "ours" / "model.safetensors"),
        load_file(tmp_path / "theirs" / "model.safetensors"),
        atol=0,
        rtol=0,
    )
    again, report = getattr(transformers, architecture).from_pretrained(
        tmp_path / "ours", output_loading_info=True
    )
    assert not any(report.values())
    inputs = batch(TINY)
    assert_close(answer(again.eval(), inputs)[0], answer(peer, inputs)[0], atol=0, rtol=0)
    assert load(tmp_path / "ours").config == TINY


@torch.no_grad()
def test_unpadded_equals_padded_on_either_side(tmp_path: Path) -> None:
    model = Model(TINY, heads=("tokens", "sequence"), labels=4).double().eval()
    left = batch(TINY)
    real = left["mask"].bool()
    padded = model(**left)
    packed = model(left["ids"][real], segments=left["segments"][real], lengths=real.sum(1).tolist())
    assert_close(packed["tokens"], padded["tokens"][real], atol=1e-12, rtol=0)
    assert_close(packed["sequence"], padded["sequence"], atol=1e-12, rtol=0)
    mask = real.flip(1)
    right: dict[str, Tensor] = {"mask": mask}
    for key in ("ids", "segments"):
        right[key] = torch.full_like(left[key], 3).masked_scatter(mask, left[key][real])
    moved = model(**right)
    assert_close(moved["tokens"][mask], padded["tokens"][real], atol=1e-12, rtol=0)
    assert_close(moved["sequence"], padded["sequence"], atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    ("name", "parameters"), [("xlnet-base-cased", 116_718_336), ("xlnet-large-cased", 360_268_800)]
)
def test_presets_are_as_large_as_theirs(name: str, parameters: int) -> None:
    config = preset(name)
    with torch.device("meta"):
        peer = getattr(transformers, ALL[0])(transformers.XLNetConfig(**config.to_huggingface()))
    assert size_of(config).parameters == parameters
    assert sum(parameter.numel() for parameter in peer.parameters()) == parameters


def test_a_text_is_never_too_long() -> None:
    model = Model(replace(TINY, layers=1)).eval()
    with torch.no_grad():
        assert model.encoder(torch.full((1, 700), 7)).hidden.shape == (1, 700, 24)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"perm_mask": torch.zeros(1, 4, 4)}, r"perm_mask is \[1, 4, 4\]"),
        ({"target_mapping": torch.zeros(1, 2, 4)}, "target_mapping is"),
        ({"memory": [torch.zeros(1, 2, 5)]}, "the memory must have"),
        ({"segments": torch.zeros(1, 4).long()}, "segments"),
    ],
)
def test_inputs_of_the_wrong_shape_are_refused(wrong: dict[str, Any], said: str) -> None:
    model = Model(TINY)
    with pytest.raises(InputError, match=said):
        model.encoder(torch.full((1, 5), 7), **wrong)
    with pytest.raises(InputError, match="id 97 is outside"):
        model.encoder(torch.full((1, 5), 97))
    with pytest.raises(InputError, match="padded batch"):
        model.encoder(torch.full((5,), 7), lengths=[5], remember=True)


def test_another_familys_checkpoint_is_refused(tmp_path: Path) -> None:
    save(Model(TINY), tmp_path)
    config = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(config.replace('"xlnet"', '"bert"'))
    with pytest.raises(CheckpointError, match="missing"):
        load(tmp_path)


@both
@pytest.mark.parametrize("restricted", [False, True])
@torch.no_grad()
def test_answers_are_searched_for_alike(
    restricted: bool, dtype: torch.dtype, tmp_path: Path
) -> None:
    config = replace(TINY, start_top=3, end_top=4)
    peer = theirs(SEARCHING, config, dtype)
    model = ours(peer, tmp_path, dtype)
    assert set(model.heads) == {"beams"}
    inputs = batch(config)
    more = {}
    if restricted:
        more = {"impossible": (inputs["segments"] != 1).long(), "cls": torch.tensor([12, 12, 11])}
    given = {"p_mask": more["impossible"].to(dtype), "cls_index": more["cls"]} if more else {}
    wanted = answer(peer, inputs, **given)
    head: Any = model.heads["beams"]
    found = head.beams(model.encoder(**inputs), **more)
    close(found.start_shares, wanted.start_top_log_probs, dtype)
    assert torch.equal(found.starts, wanted.start_top_index)
    close(found.end_shares.flatten(1), wanted.end_top_log_probs, dtype)
    assert torch.equal(found.ends.flatten(1), wanted.end_top_index.flatten(1))
    close(found.answer, wanted.cls_logits, dtype)
    assert_close(model(**inputs)["beams"], peer.start_logits(model.encoder(**inputs).hidden))
    save(model, tmp_path / "again")
    before, after = (
        load_file(folder / "model.safetensors") for folder in (tmp_path, tmp_path / "again")
    )
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    again = getattr(transformers, SEARCHING).from_pretrained(tmp_path / "again")
    assert (again.config.start_n_top, again.config.end_n_top) == (3, 4)
