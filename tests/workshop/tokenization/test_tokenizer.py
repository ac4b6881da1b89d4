"""Ids, places, segments and padding, with small vocabularies of every family."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from align.aligned import texts
from hypothesis import example, given, settings
from sentencepiece import SentencePieceProcessor
from workshop.tokenization.sentencepiece_oracle import equally_good, papers_pieces
from workshop.tokenization.vocabulary_files import FAMILIES, sentencepiece_model, write_vocabulary

from incognote.align.tokens import spaces, within
from incognote.workshop.tokenization import Tokenizer, TokenizerError, load

AWKWARD = "Mr. José  Núñez,\r\n\tseen 3/14/2019, by \x00Dr.\u200b Okafor 😀 e\u0301 -9,9"
every = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Tokenizer]:
    root = tmp_path_factory.mktemp("vocabularies")
    return {family: load(write_vocabulary(root / family, family)) for family in FAMILIES}


@every
def test_the_family_is_told_from_the_files(family: str, made: Mapping[str, Tokenizer]) -> None:
    assert made[family].family == family


def test_families_that_read_alike_have_one_fingerprint(
    made: Mapping[str, Tokenizer], tmp_path: Path
) -> None:
    folder = write_vocabulary(tmp_path / "bert", "bert")
    assert load(folder, family="electra").fingerprint == load(folder, family="bert").fingerprint
    assert len({tokenizer.fingerprint for tokenizer in made.values()}) > 3


@every
def test_every_piece_stands_where_its_text_is(family: str, made: Mapping[str, Tokenizer]) -> None:
    pieces = made[family].read(AWKWARD)
    covered = within(pieces.offsets, len(AWKWARD))
    assert (covered == ~spaces(AWKWARD)).all()
    start = AWKWARD.index("Okafor")
    inside = (pieces.offsets.starts < start + 6) & (pieces.offsets.ends > start)
    written = "".join(made[family].tokens(pieces.ids[inside].tolist()))
    assert written.replace("##", "").strip("\u0120\u2581").lower() == "okafor"


@pytest.mark.parametrize(
    ("family", "order", "segments"),
    [
        ("bert", ["[CLS]", "A", "[SEP]", "B", "[SEP]"], [0, 0, 0, 1, 1]),
        ("albert", ["[CLS]", "A", "[SEP]", "B", "[SEP]"], [0, 0, 0, 1, 1]),
        ("roberta", ["<s>", "A", "</s>", "</s>", "B", "</s>"], [0, 0, 0, 0, 0, 0]),
        ("xlnet", ["A", "<sep>", "B", "<sep>", "<cls>"], [0, 0, 1, 1, 2]),
    ],
)
def test_pairs_have_the_papers_order_and_segments(
    family: str, order: list[str], segments: list[int], made: Mapping[str, Tokenizer]
) -> None:
    tokenizer = made[family]
    a, b = "chest pain", "denies opioids"
    encoding = tokenizer.encode(a, b)
    tokens: list[str] = []
    expected: list[int] = []
    for name, segment in zip(order, segments, strict=True):
        ids = {"A": tokenizer.read(a).ids, "B": tokenizer.read(b).ids}.get(name)
        written = [name] if ids is None else tokenizer.tokens(ids.tolist())
        tokens += written
        expected += [segment] * len(written)
    assert tokenizer.tokens(encoding.ids.tolist()) == tokens
    assert encoding.segments.tolist() == expected
    for part, text in ((0, a), (1, b)):
        own = encoding.part == part
        pieces = tokenizer.read(text)
        assert encoding.starts[own].tolist() == pieces.offsets.starts.tolist()
        assert encoding.ends[own].tolist() == pieces.offsets.ends.tolist()
    special = encoding.part == -1
    assert int(special.sum()) == len(order) - 2
    assert set(encoding.ids[special].tolist()) <= tokenizer.special_ids


@every
def test_padding_goes_to_the_familys_side(family: str, made: Mapping[str, Tokenizer]) -> None:
    tokenizer = made[family]
    short, long = tokenizer.encode("pain"), tokenizer.encode("John Smith, chest pain")
    batch = tokenizer.pad([short, long])
    assert batch.mask[1].all()
    assert batch.ids[1].tolist() == long.ids.tolist()
    real = batch.mask[0].astype(bool)
    assert batch.ids[0][real].tolist() == short.ids.tolist()
    assert real[-1] == (family == "xlnet")
    assert real[0] == (family != "xlnet")
    pad = tokenizer.template.names["pad"]
    assert set(tokenizer.tokens(batch.ids[0][~real].tolist())) == {pad}
    assert (batch.segments[0][~real] == (3 if family == "xlnet" else 0)).all()


@every
def test_nothing_is_cut_whatever_the_file_says(
    family: str, made: Mapping[str, Tokenizer], tmp_path: Path
) -> None:
    made[family].save(tmp_path)
    cutting = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    cutting.enable_truncation(8)
    cutting.enable_padding(length=16)
    cutting.save(str(tmp_path / "tokenizer.json"))
    again = load(tmp_path, family=family)
    text = "John Smith, chest pain. " * 400
    found, before = again.encode(text), made[family].encode(text)
    assert found.ids.tolist() == before.ids.tolist()
    assert len(found) > 1000
    assert found.ends[found.ends > found.starts].max() == len(text) - 1
    assert len(again.encode("a")) < 8
    assert len(again.prompt(text)) == len(found)


@every
def test_what_is_saved_puts_the_special_tokens_in_by_itself(
    family: str, made: Mapping[str, Tokenizer], tmp_path: Path
) -> None:
    made[family].save(tmp_path)
    saved = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    encoding = made[family].encode("chest pain", "denies opioids")
    found = saved.encode("chest pain", "denies opioids")
    assert found.ids == encoding.ids.tolist()
    assert found.type_ids == encoding.segments.tolist()
    assert load(tmp_path).family == family


@every
def test_special_tokens_in_a_note_are_text_and_in_a_prompt_are_not(
    family: str, made: Mapping[str, Tokenizer]
) -> None:
    tokenizer = made[family]
    for name in tokenizer.template.names.values():
        ids = set(tokenizer.read(f"a {name} b{name}").ids.tolist())
        unknown = tokenizer.special_ids & ids
        assert set(tokenizer.tokens(list(unknown))) <= {tokenizer.template.names["unknown"]}
    prompt = tokenizer.prompt(f"pain {tokenizer.mask_token} pain").ids.tolist()
    assert prompt.count(tokenizer.mask_id) == 1
    assert len(prompt) - tokenizer.special_tokens() == len(tokenizer.read("pain pain").ids) + 1


@every
def test_what_touches_a_mask_follows_it_as_it_follows_a_word(
    family: str, made: Mapping[str, Tokenizer]
) -> None:
    tokenizer = made[family]
    mask = tokenizer.mask_token
    prompt = tokenizer.prompt(f"denies {mask}, {mask}.")
    after = tokenizer.read("denies pain, pain.").ids
    comma, stop = (tokenizer.read(f"pain{mark}").ids[-1] for mark in ",.")
    assert {comma, stop} <= set(after.tolist())
    ids = prompt.ids[prompt.part == 0].tolist()
    assert ids[-4:] == [tokenizer.mask_id, comma, tokenizer.mask_id, stop]


@every
def test_empty_text_has_special_tokens_only(family: str, made: Mapping[str, Tokenizer]) -> None:
    for text in ("", " \r\n"):
        encoding = made[family].encode(text)
        solid = encoding.ends > encoding.starts
        assert not solid.any()
        assert int((encoding.part == -1).sum()) == 2


@pytest.mark.parametrize("family", ["albert", "xlnet"])
@settings(deadline=None, max_examples=60)
@given(text=texts)
def test_digits_and_commas_part_as_in_the_papers_code(
    family: str, made: Mapping[str, Tokenizer], text: str
) -> None:
    model = SentencePieceProcessor(model_proto=sentencepiece_model(family))
    tokenizer = made[family]
    assert tokenizer.reader.digit_commas
    for given_text in ("in 2019, 14,21, and 9,9,3,", f"3, of 2019,{len(text)},"):
        wanted = papers_pieces(model, given_text, lowercase=family == "albert")
        assert "," in wanted
        ids = [model.piece_to_id(piece) for piece in wanted]
        assert equally_good(model, tokenizer.read(given_text).ids.tolist(), ids)
        prompt = tokenizer.prompt(given_text)
        assert equally_good(model, prompt.ids[prompt.part == 0].tolist(), ids)
    noted = f"{text} 2019, 14,"
    pieces = tokenizer.read(noted)
    offsets = list(zip(pieces.offsets.starts.tolist(), pieces.offsets.ends.tolist(), strict=True))
    commas = [place for place, character in enumerate(noted) if character == ","]
    assert all((place, place + 1) in offsets for place in commas[-2:])


def test_a_character_that_is_a_digit_and_a_comma_is_shared(
    made: Mapping[str, Tokenizer],
) -> None:
    pieces = made["albert"].read("x 🄄 2019,")  # the third character is "3,"
    tokens = made["albert"].tokens(pieces.ids.tolist())
    offsets = list(zip(pieces.offsets.starts.tolist(), pieces.offsets.ends.tolist(), strict=True))
    place = tokens.index(",")
    assert tokens[place - 1].endswith("3")
    assert offsets[place - 1] == offsets[place] == (2, 3)


@every
@settings(deadline=None, max_examples=60)
@given(text=texts)
def test_any_text_is_read_whole_and_in_order(
    family: str, made: Mapping[str, Tokenizer], text: str
) -> None:
    encoding = made[family].encode(text, f"{text}, 14,")
    for part, whole in ((0, text), (1, f"{text}, 14,")):
        own = encoding.part == part
        starts, ends = encoding.starts[own], encoding.ends[own]
        solid = ends > starts
        assert (np.diff(starts[solid]) >= 0).all()
        assert (np.diff(ends[solid]) >= 0).all()
        assert not solid.any() or ends[solid].max() <= len(whole)
        read = made[family].read(whole)
        seen = within(read.offsets, len(whole))
        assert int((~seen & ~spaces(whole)).sum()) <= read.dropped


@every
@settings(deadline=None, max_examples=80)
@given(before=texts, after=texts)
@example(before="\x1f\x08", after="")
@example(before="\x01\x02\x03x", after="\x01")
def test_a_word_between_spaces_has_exactly_its_characters(
    family: str, made: Mapping[str, Tokenizer], before: str, after: str
) -> None:
    text = f"{before} pain {after}"
    start = len(before) + 1
    offsets = made[family].read(text).offsets
    inside = (offsets.starts < start + 4) & (offsets.ends > start)
    assert int(offsets.starts[inside].min()) == start
    assert int(offsets.ends[inside].max()) == start + 4


def test_ids_without_a_piece_are_refused(made: Mapping[str, Tokenizer]) -> None:
    with pytest.raises(TokenizerError, match="no token 100000"):
        made["bert"].tokens([100_000])
    with pytest.raises(TokenizerError, match="nothing to pad"):
        made["bert"].pad([])
