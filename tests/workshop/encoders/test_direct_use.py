"""Filling masks and judging the order of sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
import torch
import transformers
from places import ROOT
from text_models import write_encoder

from incognote.base.errors import CheckpointError, EncoderError, InputError
from incognote.workshop.encoders import TextModel, fill_mask, sentence_order_score
from incognote.workshop.encoders.text_encoder import Fill

SHARED = ROOT.parent / "shared"
families = pytest.mark.parametrize("family", ["bert", "albert", "roberta", "distilbert", "xlnet"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TextModel]:
    root = tmp_path_factory.mktemp("encoders")
    return {
        family: TextModel.load(write_encoder(root / family, family))
        for family in ("bert", "albert", "roberta", "distilbert", "xlnet", "elmo")
    }


@families
def test_masks_are_filled_best_first(family: str, made: dict[str, TextModel]) -> None:
    encoder = made[family]
    mask = encoder.pieces.mask_token
    fills = cast(list[Fill], fill_mask(f"John denies {mask} pain.", encoder, top_k=4))
    assert [set(fill) for fill in fills] == [{"sequence", "score", "token", "token_str"}] * 4
    scores = [fill["score"] for fill in fills]
    assert scores == sorted(scores, reverse=True)
    assert 0 < sum(scores) <= 1
    for fill in fills:
        assert encoder.pieces.tokens([fill["token"]]) == [fill["token_str"]]
        assert fill["sequence"] != ""
        assert mask not in fill["sequence"].replace(fill["token_str"], "")
    every = cast(
        list[Fill],
        fill_mask(f"a {mask}", encoder, top_k=encoder.model.config.vocabulary_size),
    )
    assert sum(fill["score"] for fill in every) == pytest.approx(1, abs=1e-4)


@families
def test_several_masks_have_a_list_each(family: str, made: dict[str, TextModel]) -> None:
    encoder = made[family]
    mask = encoder.pieces.mask_token
    both = cast(list[list[Fill]], fill_mask(f"{mask} denies {mask}.", encoder, top_k=3))
    assert [len(fills) for fills in both] == [3, 3]
    for fills in both:
        for fill in fills:
            assert fill["sequence"].count(mask) == 1 + (fill["token_str"] == mask)


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_the_pipeline_of_transformers_gives_the_same(
    family: str, made: dict[str, TextModel], tmp_path: Path
) -> None:
    encoder = made[family]
    folder = write_encoder(tmp_path, family)
    encoder.pieces.save(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    peer = transformers.pipeline("fill-mask", model=model.eval(), tokenizer=tokenizer, top_k=5)
    text = f"John denies {encoder.pieces.mask_token} pain."
    wanted: list[dict[str, Any]] = peer(text)
    found = cast(list[Fill], fill_mask(text, encoder))
    assert [fill["token"] for fill in found] == [fill["token"] for fill in wanted]
    for fill, other in zip(found, wanted, strict=True):
        assert fill["score"] == pytest.approx(other["score"], abs=1e-5)


def test_sentence_order_is_a_probability_that_depends_on_the_order(
    made: dict[str, TextModel],
) -> None:
    a, b = "John was seen.", "The patient denies pain."
    score = sentence_order_score(a, b, made["albert"])
    assert 0 < score < 1
    assert score != sentence_order_score(b, a, made["albert"])
    encoder = made["albert"]
    inputs = encoder.inputs(encoder.pieces.encode(a, b))
    assert set(inputs["segments"].flatten().tolist()) == {0, 1}
    with torch.no_grad():
        logits = encoder.model(**inputs)["sop"][0]
    assert score == pytest.approx(float(torch.sigmoid(logits[0] - logits[1])))
    with pytest.raises(InputError, match="no sentence-order head"):
        sentence_order_score(a, b, made["bert"])


def test_what_cannot_be_filled_is_said(made: dict[str, TextModel]) -> None:
    with pytest.raises(InputError, match=r"no \[MASK\] to fill"):
        fill_mask("", made["bert"])
    with pytest.raises(InputError, match="top_k"):
        fill_mask("[MASK]", made["bert"], top_k=0)
    with pytest.raises(EncoderError, match="ELMo reads characters"):
        fill_mask("[MASK]", made["elmo"])
    mask = made["xlnet"].pieces.mask_token
    assert len(fill_mask(f"pain {mask}. " + "pain " * 150, made["xlnet"])) == 5


@pytest.mark.parametrize("family", ["bert", "albert", "roberta"])
def test_in_a_long_text_a_mask_is_guessed_from_what_is_around_it(
    family: str, made: dict[str, TextModel]
) -> None:
    encoder = made[family]
    mask = encoder.pieces.mask_token
    far = "pain " * encoder.longest
    near = "John denies "
    both = cast(list[list[Fill]], fill_mask(f"{far}{near}{mask} {far}{mask}.", encoder, top_k=2))
    assert [len(fills) for fills in both] == [2, 2]
    assert all(len(fill["sequence"]) > 2 * len(far) for fills in both for fill in fills)
    # What lies beyond the window changes nothing; what lies within it does.
    same = fill_mask(f"John was seen. {far}{near}{mask} {far}{mask}.", encoder, top_k=2)
    other = fill_mask(f"{far}John has {mask} {far}{mask}.", encoder, top_k=2)
    scores = [
        [fill["score"] for fill in cast(list[list[Fill]], fills)[0]]
        for fills in (both, same, other)
    ]
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


def test_a_vocabulary_of_another_size_is_refused(tmp_path: Path) -> None:
    write_encoder(tmp_path, "bert")
    with (tmp_path / "vocab.txt").open("a") as file:
        file.write("extra\n" + "\n".join(f"extra{n}" for n in range(200)))
    with pytest.raises(CheckpointError, match="they are not of one model"):
        TextModel.load(tmp_path)
    write_encoder(tmp_path, "bert", vocabulary_size=168)
    assert TextModel.load(tmp_path).pieces.vocabulary_size < 168


if SHARED.exists():

    def test_the_albert_model_card(tmp_path: Path) -> None:
        """With a bias that makes the card's guess the likeliest, its words come out."""
        from incognote.workshop.encoders import Model
        from incognote.workshop.encoders.albert import AlbertConfig
        from incognote.workshop.tokenization import load

        tokenizer = load(SHARED / "tokenizers" / "albert-base-v2")
        config = AlbertConfig(hidden_size=8, layers=1, heads=1, feed_forward_size=8)
        model = Model(config, heads=("mlm",)).eval()
        with torch.no_grad():
            cast(Any, model.heads["mlm"]).bias[12807] = 9.0
        (fill,) = cast(
            list[Fill], fill_mask("Hello I'm a [MASK] model.", TextModel(model, tokenizer), top_k=1)
        )
        assert fill["sequence"] == "[CLS] hello i'm a modeling model.[SEP]"
        assert fill["token"] == 12807
        assert fill["token_str"] == "▁modeling"
