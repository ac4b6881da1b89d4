"""Nine places where Hugging Face falls short, and what we do there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from encoder_oracle import TINY
from text_models import write_encoder
from torch.testing import assert_close

from incognote.align.overlaps import Mark, disjoint
from incognote.align.windows import coverage, windows
from incognote.align.words import words
from incognote.encoders import Model, TextModel, load, save
from incognote.encoders.encoder import Encoder
from incognote.encoders.heads import MaskedLanguage
from incognote.tokenization import load as load_tokenizer
from incognote.workflows.features import features


@pytest.fixture(scope="module")
def albert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("failings") / "albert", "albert")


def test_1_text_beyond_the_models_maximum_is_read_to_its_end(albert: Path) -> None:
    encoder = TextModel.load(albert)
    text = "John Smith denies chest pain. " * 150
    pieces = encoder.pieces.read(text)
    assert len(pieces.ids) > encoder.model.config.longest
    assert coverage(text, pieces.units, windows(len(pieces.ids), 510, 128)).whole
    (found,) = features([text], encoder)
    assert len(found.vectors) == len(words(text))
    assert np.isfinite(found.vectors).all()


def test_2_a_line_break_or_tab_parts_words() -> None:
    for text in ("john\nsmith", "john\tsmith", "john\r\nsmith"):
        assert [text[start:end] for start, end in words(text)] == ["john", "smith"]


def test_3_overlapping_marks_lose_no_character() -> None:
    marks = [Mark(0, 10, "PATIENT"), Mark(5, 18, "HOSPITAL"), Mark(16, 20, "DATE")]
    kept = disjoint(marks)
    covered = {place for mark in kept for place in range(mark.start, mark.end)}
    assert covered == set(range(20))
    assert [mark.type for mark in kept] == ["PATIENT", "HOSPITAL", "DATE"]


def test_4_alberts_feed_forward_dropout_is_applied() -> None:
    config = replace(TINY["albert"], dropout=0.5)
    encoder = Model(config).encoder
    assert isinstance(encoder, Encoder)
    feed_forward = encoder.stack.feed_forwards[0]
    ones = torch.ones(4, 24)
    torch.manual_seed(0)
    dropped = [feed_forward.train()(ones) for _ in range(2)]
    assert not torch.equal(*dropped)
    assert_close(feed_forward.eval()(ones), feed_forward(ones))
    peer = transformers.AlbertModel(transformers.AlbertConfig(**config.to_huggingface())).train()
    layer = peer.encoder.albert_layer_groups[0].albert_layers[0]
    assert torch.equal(layer.ff_chunk(ones), layer.ff_chunk(ones))  # theirs has none


def test_5_pairs_have_two_segments(albert: Path) -> None:
    tokenizer = load_tokenizer(albert)
    encoding = tokenizer.encode("John was seen.", "He denies pain.")
    assert set(encoding.segments.tolist()) == {0, 1}
    batch = tokenizer.pad([encoding])
    model = load(albert)
    with torch.no_grad():
        ids = torch.from_numpy(batch.ids)
        apart = model.encoder(ids, segments=torch.from_numpy(batch.segments)).hidden
        assert not torch.equal(apart, model.encoder(ids).hidden)


def test_6_sentence_order_has_a_head_and_pairs_in_both_orders(albert: Path) -> None:
    encoder = TextModel.load(albert)
    logits = encoder.model(**encoder.inputs(encoder.pieces.encode("One.", "Two.")))["sop"]
    assert logits.shape == (1, 2)


def test_7_language_logits_are_computed_at_the_masks_only() -> None:
    model = Model(TINY["albert"], heads=("mlm",)).eval()
    head = model.heads["mlm"]
    assert isinstance(head, MaskedLanguage)
    seen = []
    head.dense.register_forward_hook(lambda _, given, __: seen.append(given[0].shape[0]))
    ids = torch.randint(4, 97, (3, 17))
    chosen = torch.tensor([2, 20, 40])
    with torch.no_grad():
        some = model(ids, chosen=chosen)["mlm"]
        whole = model(ids)["mlm"]
    assert seen[0] == 3
    assert some.shape == (3, 97)
    assert_close(some, whole.reshape(-1, 97)[chosen])


def test_8_shared_weights_are_held_and_saved_once(tmp_path: Path) -> None:
    model = Model(replace(TINY["albert"], layers=12))
    shallow = Model(replace(TINY["albert"], layers=1))
    assert sum(p.numel() for p in model.parameters()) == sum(
        p.numel() for p in shallow.parameters()
    )
    save(model, tmp_path / "deep")
    save(shallow, tmp_path / "shallow")
    sizes = [(tmp_path / name / "model.safetensors").stat().st_size for name in ("deep", "shallow")]
    assert sizes[0] == sizes[1]


def test_9_lower_precision_is_held_against_the_full_one() -> None:
    """What there is before int8: the same model in bfloat16 agrees with itself in float32."""
    model = Model(TINY["albert"]).eval()
    ids = torch.randint(4, 97, (2, 9))
    with torch.no_grad():
        full = model.encoder(ids).hidden
        half = model.to(torch.bfloat16).encoder(ids).hidden.float()
    assert torch.nn.functional.cosine_similarity(full, half, dim=-1).min() > 0.99
