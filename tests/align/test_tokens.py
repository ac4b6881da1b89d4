from __future__ import annotations

import re
from itertools import pairwise

import pytest
from align.aligned import (
    FULL,
    check_disjoint,
    check_nothing_lost,
    check_smallest_cover,
    marks,
    spans_in,
    texts,
)
from align.tiny_tokenizers import plain_bpe, tiny_tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from tokenizers.processors import TemplateProcessing

from incognote import phi
from incognote.align.tags import spans_to_tags, tags_to_spans
from incognote.align.tokens import TokenReader, spaces, within
from incognote.base.errors import AlignError
from incognote.document import Span

READERS = {kind: TokenReader(tokenizer) for kind, tokenizer in tiny_tokenizers().items()}
kinds = pytest.mark.parametrize("kind", READERS)
NOTE = "Mr. John Smith,\r\n\tseen 3/14/2019 by Dr. José  Núñez."


def written(kind: str, ids: list[int]) -> str:
    tokens = [tiny_tokenizers()[kind].id_to_token(number) or "" for number in ids]
    return re.sub("[#\u0120\u2581]", "", "".join(tokens)).lower()


@kinds
def test_pieces_say_where_they_are_without_white_space(kind: str) -> None:
    offsets = READERS[kind].read(NOTE).offsets
    tokens = [NOTE[start:end] for start, end in zip(offsets.starts, offsets.ends, strict=True)]
    assert all(token == token.strip() for token in tokens)
    assert within(offsets, len(NOTE)).tolist() == (~spaces(NOTE)).tolist()


def test_nothing_is_cut_padded_or_added_and_the_tokenizer_stays_as_it_was() -> None:
    tokenizer = Tokenizer.from_str(tiny_tokenizers()["wordpiece"].to_str())
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(8, stride=2)
    tokenizer.enable_padding(length=16)
    before = tokenizer.to_str()
    tokens = TokenReader(tokenizer).read_all([NOTE * 20, "a"])
    assert tokenizer.to_str() == before
    assert tokens[0].offsets.ends[-1] == len(NOTE) * 20
    assert not {0, 2, 3} & set(tokens[0].ids.tolist())
    assert len(tokens[1].ids) == 1


def test_special_tokens_written_in_a_note_are_text() -> None:
    for kind, text in (("wordpiece", "a [MASK] [SEP] b"), ("byte_bpe", "a </s><mask> b")):
        tokenizer = tiny_tokenizers()[kind]
        special = set(tokenizer.get_added_tokens_decoder())
        tokens = READERS[kind].read(text)
        assert not (special - {1}) & set(tokens.ids.tolist())
        assert within(tokens.offsets, len(text)).tolist() == (~spaces(text)).tolist()


def test_byte_pieces_of_one_character_all_have_it() -> None:
    text = "x😀李"
    tokens = READERS["byte_bpe"].read(text)
    offsets = list(zip(tokens.offsets.starts.tolist(), tokens.offsets.ends.tolist(), strict=True))
    assert offsets == [(0, 1)] + [(1, 2)] * 4 + [(2, 3)] * 3
    spans = [Span.of(text, 1, 2, "DATE"), Span.of(text, 2, 3, "DATE")]
    tagging = spans_to_tags(spans, tokens.offsets, FULL)
    tags = [FULL.names[tag] for tag in tagging.tags]
    assert tags == ["O", *["B-DATE", *["I-DATE"] * 3], *["B-DATE", *["I-DATE"] * 2]]
    assert marks(tags_to_spans(tagging.tags, tokens.offsets, FULL)) == [
        (1, 2, "DATE"),
        (2, 3, "DATE"),
    ]


def test_pieces_of_line_breaks_are_empty() -> None:
    tokens = READERS["byte_bpe"].read("a\r\nb")
    assert len(tokens.ids) == 4
    assert (tokens.offsets.ends - tokens.offsets.starts).tolist() == [1, 0, 0, 1]


def test_dropped_characters_go_with_the_piece_beside_them_and_are_counted() -> None:
    text = "\x00Jose\u0301\u200b  \ufffd4 \x00 ."
    tokens = READERS["wordpiece"].read(text)
    claimed = within(tokens.offsets, len(text))
    assert "".join(text[place] for place in (~claimed).nonzero()[0]) == "   \x00 "
    assert tokens.dropped == 5


def test_a_tokenizer_that_skips_what_it_does_not_know_is_refused() -> None:
    few_bytes = Tokenizer(models.BPE({"a": 0}, []))
    few_bytes.pre_tokenizer = pre_tokenizers.ByteLevel()
    without = [
        plain_bpe(None),
        few_bytes,
        Tokenizer(models.WordPiece({"a": 0}, unk_token="[UNK]")),
        Tokenizer(models.Unigram([("a", 0.0)])),
    ]
    for tokenizer in without:
        with pytest.raises(AlignError, match="no token for unknown characters"):
            TokenReader(tokenizer)


@kinds
@settings(deadline=None)
@given(before=texts, after=texts)
def test_pieces_stand_where_their_text_is(kind: str, before: str, after: str) -> None:
    text = f"{before} John {after}"
    start = len(before) + 1
    tokens = READERS[kind].read(text)
    inside = (tokens.offsets.starts < start + 4) & (tokens.offsets.ends > start)
    assert written(kind, tokens.ids[inside].tolist()) == "john"


@pytest.mark.parametrize("kind", ["byte_bpe", "byte_bpe_untrimmed", "plain_bpe", "byte_fallback"])
@settings(deadline=None)
@given(before=texts, after=texts)
def test_unknown_characters_do_not_move_the_rest_of_a_word(
    kind: str, before: str, after: str
) -> None:
    tokens = READERS[kind].read(f"{before}John{after}")
    inside = (tokens.offsets.starts < len(before) + 4) & (tokens.offsets.ends > len(before))
    assert "john" in written(kind, tokens.ids[inside].tolist())


def test_white_space_after_a_piece_is_left_out_too() -> None:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s+"), "merged_with_previous")
    offsets = TokenReader(tokenizer).read("May  4\r\n").offsets
    assert (offsets.starts.tolist(), offsets.ends.tolist()) == ([0, 5], [3, 6])


@kinds
@settings(max_examples=30, deadline=None)
@given(text=texts)
def test_a_note_of_any_length_is_read_whole(kind: str, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("incognote.align.tokens.LONGEST_PART", 5)
        tokens = READERS[kind].read(text)
    claimed = within(tokens.offsets, len(text))
    assert (~claimed & ~spaces(text)).sum() <= tokens.dropped


def test_a_long_note_is_cut_at_white_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incognote.align.tokens.LONGEST_PART", 1500)
    line = "Mr. John Smith, seen 3/14/2019.\r\n"
    text = line * 200
    once = READERS["wordpiece"].read(line)
    tokens = READERS["wordpiece"].read(text)
    assert tokens.ids.tolist() == once.ids.tolist() * (len(text) // len(line))
    assert (
        tokens.offsets.ends.tolist()[-len(once.ids) :]
        == (once.offsets.ends + len(text) - len(line)).tolist()
    )


def test_lone_surrogates_do_not_stop_a_note() -> None:
    tokens = READERS["byte_bpe"].read("a\ud800b")
    assert within(tokens.offsets, 3).all()


@kinds
@settings(max_examples=30, deadline=None)
@given(batch=st.lists(texts, max_size=4))
def test_a_batch_is_read_as_its_notes_one_by_one(kind: str, batch: list[str]) -> None:
    for text, tokens in zip(batch, READERS[kind].read_all(batch), strict=True):
        alone = READERS[kind].read(text)
        assert tokens.ids.tolist() == alone.ids.tolist()
        assert tokens.offsets.starts.tolist() == alone.offsets.starts.tolist()
        assert tokens.offsets.ends.tolist() == alone.offsets.ends.tolist()


@kinds
@settings(deadline=None)
@given(data=st.data(), text=texts)
def test_pieces_cover_any_spans(kind: str, data: st.DataObject, text: str) -> None:
    spans, offsets = data.draw(spans_in(text)), READERS[kind].read(text).offsets
    tagging = spans_to_tags(spans, offsets, FULL)
    check_smallest_cover(spans, tagging, offsets)
    found = tags_to_spans(tagging.tags, offsets, FULL)
    check_disjoint(found)
    check_nothing_lost(text, spans, found, offsets)


@kinds
@settings(deadline=None)
@given(text=texts)
def test_only_dropped_characters_alone_between_spaces_have_no_piece(kind: str, text: str) -> None:
    tokens = READERS[kind].read(text)
    claimed = within(tokens.offsets, len(text))
    missing = ~claimed & ~spaces(text)
    assert missing.sum() <= tokens.dropped
    for place in missing.nonzero()[0]:
        assert place == 0 or not claimed[place - 1]
        assert place == len(text) - 1 or not claimed[place + 1]


@kinds
@settings(deadline=None)
@given(data=st.data(), text=texts)
def test_spans_on_piece_boundaries_come_back_exactly(
    kind: str, data: st.DataObject, text: str
) -> None:
    offsets = READERS[kind].read(text).offsets
    starts, ends = offsets.starts[offsets.solid], offsets.ends[offsets.solid]
    apart = [0, *(i for i in range(1, len(starts)) if ends[i - 1] <= starts[i]), len(starts)]
    cuts = sorted(data.draw(st.sets(st.sampled_from(apart)))) if len(starts) else []
    spans = [
        Span.of(text, int(starts[a]), int(ends[b - 1]), data.draw(st.sampled_from(phi.TYPES)))
        for a, b in pairwise(cuts)
    ]
    found = tags_to_spans(spans_to_tags(spans, offsets, FULL).tags, offsets, FULL)
    assert marks(found) == [(span.start, span.end, span.type) for span in spans]
