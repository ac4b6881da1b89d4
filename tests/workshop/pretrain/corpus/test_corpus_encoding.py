"""Pieces, words and sentences of documents, the same as from the tokenizer itself."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from workshop.pretrain.corpus.corpus_tokenizers import FAMILIES, tokenizer

from incognote.workshop.pretrain.corpus import encoding, prepare
from incognote.workshop.pretrain.corpus.encoding import ChunkReader, EncodedParts, encode_parts
from incognote.workshop.pretrain.corpus.prepare import HeldOut
from incognote.workshop.pretrain.corpus.sentences import parts

NOTE = (
    "Mr. John Smith, 54, denies chest pain.\n\nSeen by Dr. Okafor on 3/14/2019, at 9,9.\nBP 120/80."
)
PARTS = st.one_of(
    st.sampled_from(
        [
            "John ",
            "pain",
            "2019, ",
            "1,000",
            "\n\n",
            " \n",
            "\t",
            "é",
            "e\u0301",
            "½, ",
            "\u200b",
            "\xa0",
        ]
    ),
    st.text(max_size=8),
)
LINES = st.sampled_from(
    [
        f"{NOTE}  \n",
        "BP 120/80. Seen by Dr. Okafor.\r\n",
        "He denies chest pain, and has been well since he was seen here\n",
        "\n",
        " \t\n",
        "PLAN: none\u2028",
        "1. pain\n",
        "\u200b\n",
        "é\xa0\n",
    ]
)


def encode(family: str, *texts: str, size: int = 1_000_000) -> EncodedParts:
    found = [part for text in texts for part in parts(text, size)]
    return encode_parts(found, ChunkReader(tokenizer(family).reader))


@pytest.mark.parametrize("family", FAMILIES)
@given(parts=st.lists(PARTS, max_size=30))
@example(parts=["\u200b", "\u0301", " a\u0301"])
@settings(max_examples=30)
def test_chunks_read_as_the_whole_does(family: str, parts: list[str]) -> None:
    text = "".join(parts).encode("utf-8", "replace").decode().strip()
    own = tokenizer(family)
    read = ChunkReader(own.reader).read_all([text, text])
    expected = own.read(text)
    solid = expected.offsets.ends > expected.offsets.starts
    for each in read:
        assert each.ids.tolist() == expected.ids.tolist()
        assert each.starts.tolist() == np.where(solid, expected.offsets.starts, -1).tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_forgotten_is_read_again(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "REMEMBERED", 3)
    monkeypatch.setattr(encoding, "TOGETHER", 2)
    reader = ChunkReader(tokenizer(family).reader)
    first, second = reader.read_all([NOTE])[0], reader.read_all([NOTE])[0]
    assert first.ids.tolist() == second.ids.tolist() == tokenizer(family).read(NOTE).ids.tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_ids_are_those_of_the_whole_document_cut_at_sentences(family: str) -> None:
    found = encode(family, NOTE)
    assert found.ids.tolist() == tokenizer(family).read(NOTE).ids.tolist()
    assert found.sentence_counts.tolist() == [3]
    pieces = tokenizer(family).read(NOTE).offsets
    solid = pieces.ends > pieces.starts
    ends = np.cumsum(found.sentence_lengths)
    for begin, end in (("Seen", ends[0]), ("BP", ends[1])):
        place = NOTE.index(begin)
        assert pieces.starts[end:][solid[end:]].min() == place
        assert pieces.ends[:end][solid[:end]].max() < place
        assert solid[end - 1]


@pytest.mark.parametrize("family", FAMILIES)
def test_long_documents_read_as_short_ones(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = encode(family, NOTE * 5, NOTE)
    monkeypatch.setattr(encoding, "BLOCK", 10)
    monkeypatch.setattr(encoding, "GROUP", 30)
    blocks = encode(family, NOTE * 5, NOTE)
    for name in ("ids", "word_starts", "sentence_lengths", "sentence_counts"):
        assert np.array_equal(getattr(whole, name), getattr(blocks, name)), name


@pytest.mark.parametrize("family", FAMILIES)
@given(lines=st.lists(LINES, max_size=12), size=st.integers(0, 120))
@settings(max_examples=30)
def test_parts_of_a_document_read_as_the_whole_does(
    family: str, lines: list[str], size: int
) -> None:
    text = "".join(lines)
    whole, cut = encode(family, text), encode(family, text, size=size)
    for name in ("ids", "word_starts", "sentence_lengths"):
        assert np.array_equal(getattr(whole, name), getattr(cut, name)), name
    assert whole.sentence_counts.sum() == cut.sentence_counts.sum()
    assert cut.begins.tolist() == [True] + [False] * (len(cut.begins) - 1)


@pytest.mark.parametrize("family", ["albert", "bert", "roberta"])
def test_words_begin_where_the_eye_sees_them(family: str) -> None:
    own = tokenizer(family)
    found = encode(family, "John Smith, 54-year-old.")
    starts = np.flatnonzero(found.word_starts)
    words = [own.decode(part.tolist()).strip() for part in np.split(found.ids, starts[1:])]
    assert [word.lower().replace("##", "") for word in words if word] == [
        *("john", "smith", ",", "54", "-", "year", "-", "old", "."),
    ]


def test_unknown_pieces_are_counted() -> None:
    assert encode("bert", "pain 李 pain").unknown == 1


def test_the_held_out_share_is_drawn_by_text_and_seed() -> None:
    texts = [f"Note {number}." for number in range(2000)]
    first, again, other = ([HeldOut(0.1, seed).has(text) for text in texts] for seed in (0, 0, 1))
    assert first == again != other
    assert 150 < sum(first) < 250
    assert not any(HeldOut(0, 0).has(text) for text in texts)


def test_the_side_of_a_long_document_is_that_of_its_whole_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [f"Note {number}, with an é. " * 3 for number in range(50)]
    whole = [HeldOut(0.5, 0).has(text) for text in texts]
    monkeypatch.setattr(prepare, "_BLOCK", 7)
    assert [HeldOut(0.5, 0).has(text) for text in texts] == whole


@pytest.mark.parametrize("family", FAMILIES)
def test_a_tokenizer_sent_to_another_process_reads_the_same(family: str) -> None:
    own = tokenizer(family)
    sent = pickle.loads(pickle.dumps(own))
    text = f"{NOTE} [MASK] <mask> </s>"
    assert sent.read(text).ids.tolist() == own.read(text).ids.tolist()
    assert sent.fingerprint == own.fingerprint
    reader = pickle.loads(pickle.dumps(own.reader))
    assert reader.read(text).ids.tolist() == own.read(text).ids.tolist()
    assert (reader.unknown_id, reader.vocabulary_size) == (own.unknown_id, own.vocabulary_size)
