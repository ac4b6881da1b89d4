"""Learn a tokenizer and write its folder, which loads here and in `transformers`.

Beside `tokenizer.json` stand the files its family was published with, and `tokenizer_config.json`,
by which others know the family and the special tokens.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, get_args

from incognote.tokenization.errors import TokenizerError
from incognote.tokenization.folder import BYTES, SENTENCEPIECE, WORDS, load
from incognote.tokenization.templates import TEMPLATES
from incognote.tokenization.tokenizer import Tokenizer
from incognote.tokenization.training.byte_bpe import train_byte_bpe
from incognote.tokenization.training.unigram import train_unigram
from incognote.tokenization.training.word_counts import Texts
from incognote.tokenization.training.wordpiece import train_wordpiece

Kind = Literal["unigram", "wordpiece", "bpe"]
FAMILIES: dict[Kind, str] = {"unigram": "albert", "wordpiece": "bert", "bpe": "roberta"}
CLASSES = {"albert": "AlbertTokenizer", "bert": "BertTokenizer", "roberta": "RobertaTokenizer"}


def train_tokenizer(
    texts: Texts, folder: Path, kind: Kind, size: int, *, cased: bool = False
) -> Tokenizer:
    """Learn `size` pieces, special tokens among them, and write them into an existing folder.

    cased: keep capitals, and for WordPiece accents; byte BPE always keeps both.
    """
    if kind not in get_args(Kind):
        raise TokenizerError(f"no kind {kind!r} of pieces: {', '.join(get_args(Kind))}")
    if kind == "unigram":
        (folder / SENTENCEPIECE).write_bytes(train_unigram(texts, size, lowercase=not cased))
    elif kind == "wordpiece":
        pieces = train_wordpiece(texts, size, lowercase=not cased)
        (folder / WORDS).write_text("\n".join(pieces) + "\n", encoding="utf-8")
    else:
        vocabulary, merges = train_byte_bpe(texts, size)
        ordered = dict(sorted(vocabulary.items(), key=lambda item: item[1]))
        lines = ["#version: 0.2", *(f"{left} {right}" for left, right in merges)]
        (folder / BYTES[0]).write_text(json.dumps(ordered, ensure_ascii=False), encoding="utf-8")
        (folder / BYTES[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    _write_settings(folder, FAMILIES[kind], cased=cased)
    made = load(folder)
    made.save(folder)
    return made


def _write_settings(folder: Path, family: str, *, cased: bool) -> None:
    names = TEMPLATES[family].names
    settings: dict[str, Any] = {
        "tokenizer_class": CLASSES[family],
        "model_max_length": 512,
        **{f"{role}_token": names[role] for role in ("cls", "sep", "mask", "pad")},
        "unk_token": names["unknown"],
    }
    if family == "roberta":
        settings |= {"bos_token": names["cls"], "eos_token": names["sep"]}
        settings["add_prefix_space"] = False
    else:
        settings["do_lower_case"] = not cased
    if family == "albert":
        settings |= {"bos_token": names["cls"], "eos_token": names["sep"]}
        settings |= {"keep_accents": False, "remove_space": True}
    text = json.dumps(settings, indent=2) + "\n"
    (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")
