"""The start of a tagger that begins with nothing but the notes (`from_notes.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from incognote.align.feature_words import OWN, learn_features
from incognote.align.vocabulary_words import folded, learn_vocabulary
from incognote.base.errors import EncoderError, TrainError
from incognote.document import Document
from incognote.knowledge.gazetteers import GAZETTEERS
from incognote.workshop.encoders.bilstm import BiLstmConfig
from incognote.workshop.encoders.feature_crf import FeatureCrfConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.finetune.from_notes import BILSTM_CRF, CRF
from incognote.workshop.finetune.start import Start
from incognote.workshop.finetune.word_vectors import read_word_vectors

MIN_COUNT = {CRF: 2, BILSTM_CRF: 1}
"""How often a value or a word must be seen to be known, unless that is said."""

_OF_THE_NOTES = ("vocabulary_size", "common_words", "letters")


def begin(
    name: str,
    labels: tuple[str, ...],
    notes: Sequence[Document],
    *,
    sizes: Mapping[str, Any] | None = None,
    min_count: int | None = None,
    vectors: Path | None = None,
    seed: int = 0,
) -> Start:
    """`crf` or `bilstm-crf`, with the vocabulary of the notes.

    `sizes` are of the BiLSTM, such as `{"cell_size": 200}`; `vectors` a file of word vectors, as GloVe
    and word2vec write them in text, that its words begin with.
    """
    if not notes:
        raise TrainError(f"{name} begins with training notes, and there are none")
    texts = [note.text for note in notes]
    least = MIN_COUNT[name] if min_count is None else min_count
    if name == CRF:
        if sizes or vectors:
            raise TrainError(
                "crf has no sizes and no word vectors: leave out --size and --word-vectors"
            )
        return _features(name, labels, texts, least)
    torch.manual_seed(seed)
    given = dict(sizes or {})
    read = read_word_vectors(vectors) if vectors is not None else {}
    if read:
        given.setdefault("word_size", len(next(iter(read.values()))))
    learned = learn_vocabulary(texts, min_count=least, more=read)
    tokenizer = learned.tokenizer
    config = _sized(
        BiLstmConfig(
            vocabulary_size=tokenizer.word_count,
            common_words=tokenizer.word_count - len(tokenizer.words) + learned.common,
            letters=tokenizer.letter_count,
        ),
        given,
    )
    tokenizer = replace(tokenizer, per_word=config.letters_per_word)
    try:
        model = Model(config, heads=("tokens",), labels=labels)
    except EncoderError as error:
        raise TrainError(f"{name}: {error}") from None
    if read:
        _set_vectors(model, tokenizer.words, read, vectors)
    return Start(name, model, tokenizer, random=not read)


def _features(name: str, labels: tuple[str, ...], texts: Sequence[str], min_count: int) -> Start:
    tokenizer = learn_features(texts, GAZETTEERS, min_count=min_count)
    config = FeatureCrfConfig(
        near_features=tokenizer.near_count,
        near_slots=tokenizer.near_slots,
        own_features=tokenizer.own_count,
        own_slots=len(OWN),
        labels=len(labels),
    )
    return Start(name, Model(config, heads=("tokens",), labels=labels), tokenizer, random=False)


def _sized(config: BiLstmConfig, sizes: Mapping[str, Any]) -> BiLstmConfig:
    known = {field.name for field in fields(config)} - {*_OF_THE_NOTES}
    for size in sizes:
        if size not in known:
            raise TrainError(f"{BILSTM_CRF} has no size {size}; it has {', '.join(sorted(known))}")
    try:
        return replace(config, **sizes)
    except EncoderError as error:
        raise TrainError(f"{BILSTM_CRF}: {error}") from None


def _set_vectors(
    model: Model, words: Sequence[str], vectors: Mapping[str, Any], path: Path | None
) -> None:
    table: Any = model.encoder.table
    if table.weight.is_meta:
        return
    size = table.weight.shape[1]
    rows = {folded(word): vector for word, vector in vectors.items()}
    first = len(table.weight) - len(words)
    with torch.no_grad():
        for number, word in enumerate(words, first):
            vector = rows.get(word)
            if vector is None:
                continue
            if len(vector) != size:
                raise TrainError(
                    f"{path}: has vectors of {len(vector)} numbers, and word_size is {size}"
                )
            table.weight[number] = torch.from_numpy(np.asarray(vector, np.float32))
