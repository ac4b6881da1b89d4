"""Reading shards: every document and sentence as it was written, none of it copied."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from workshop.pretrain.corpus.corpus_tokenizers import tokenizer

from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus.prepare import ShardSettings, prepare
from incognote.workshop.pretrain.corpus.shards import MANIFEST, Shards, shard_path

TEXTS = [
    f"Visit {number}. " + "Mr. John Smith denies chest pain. BP 120/80. " * (number % 5)
    for number in range(40)
]


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    lines = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    (tmp_path / "notes.jsonl").write_text(lines)
    settings = ShardSettings(held_out=0.2, shard=700)
    return prepare([tmp_path / "notes.jsonl"], tokenizer("bert"), tmp_path / "shards", settings)


def test_documents_keep_their_order_and_sentences(shards: Shards) -> None:
    assert shards.documents == len(TEXTS)
    assert shards.manifest["shards"] > 3
    for document, text in enumerate(TEXTS):
        assert shards.ids(document).tolist() == tokenizer("bert").read(text).ids.tolist()
        sentences = shards.sentences(document)
        assert len(sentences) == 1 + 2 * (document % 5)
        assert (
            np.concatenate([ids for ids, _ in sentences]).tolist() == shards.ids(document).tolist()
        )
        assert all(len(ids) == len(starts) > 0 and starts[0] for ids, starts in sentences)


def test_lengths_of_all_and_of_some(shards: Shards) -> None:
    documents = np.array([7, 0, 33, 7, 12])
    for chosen in (documents, np.arange(shards.documents)):
        wanted = [len(ids) for document in chosen.tolist() for ids, _ in shards.sentences(document)]
        assert shards.sentence_lengths(chosen).tolist() == wanted
    assert shards.lengths.tolist() == [len(shards.ids(document)) for document in range(40)]
    assert shards.sentence_counts.tolist() == [1 + 2 * (number % 5) for number in range(40)]


def test_train_and_held_out_share_nothing_and_lack_nothing(shards: Shards) -> None:
    assert sorted([*shards.train, *shards.held_out]) == list(range(40))
    assert 2 <= len(shards.held_out) <= 16


def test_ids_are_small_views_of_the_file_that_nobody_writes_to(shards: Shards) -> None:
    ids = shards.ids(5)
    assert ids.dtype == np.uint16
    assert not ids.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        ids[0] = 1


def test_another_process_opens_the_folder_anew(shards: Shards) -> None:
    sent = pickle.dumps(shards)
    assert len(sent) < 1000
    assert pickle.loads(sent).ids(3).tolist() == shards.ids(3).tolist()


def test_documents_that_are_not_there(shards: Shards) -> None:
    for number in (-1, 40):
        with pytest.raises(IndexError, match="there are 40"):
            shards.ids(number)


def test_another_tokenizer_is_refused(shards: Shards) -> None:
    Shards(shards.folder, tokenizer("bert"))
    with pytest.raises(TextError, match="another tokenizer"):
        Shards(shards.folder, tokenizer("albert"))


def test_folders_that_are_not_shards_or_not_whole(shards: Shards, tmp_path: Path) -> None:
    with pytest.raises(TextError, match=f"no {MANIFEST}"):
        Shards(tmp_path)
    path = shard_path(shards.folder, 1)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(TextError, match="damaged or cut short"):
        Shards(shards.folder)
    manifest = shards.folder / MANIFEST
    manifest.write_text(json.dumps({**shards.manifest, "complete": False}))
    with pytest.raises(TextError, match="not finished"):
        Shards(shards.folder)
    manifest.write_text(json.dumps({"schema": 99}))
    with pytest.raises(TextError, match="not of schema"):
        Shards(shards.folder)
