"""The work of `incognote tokenizer`: a vocabulary learned from files, in a folder that is whole or not there.

The folder loads here and in `transformers`: beside `tokenizer.json` stand the files its family was
published with, and `tokenizer_config.json`, by which others know the family and the special tokens.
The same text gives the same vocabulary, on every machine and in every run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from incognote.base.errors import TokenizerError
from incognote.base.files import naming_file
from incognote.corpus.output import staged
from incognote.workshop.pretrain.corpus.text_files import Reading, documents, list_files
from incognote.workshop.tokenization.folder import BYTES, SENTENCEPIECE, SETTINGS, WORDS, load
from incognote.workshop.tokenization.subwords import Texts, train_byte_bpe, train_wordpiece
from incognote.workshop.tokenization.tokenizer import TEMPLATES, Tokenizer
from incognote.workshop.tokenization.unigram import train_unigram

Kind = Literal["unigram", "wordpiece", "bpe"]
Family = Literal["albert", "xlnet", "bert", "roberta", "modernbert"]
FAMILIES: dict[Kind, tuple[Family, ...]] = {
    "unigram": ("albert", "xlnet"),
    "wordpiece": ("bert",),
    "bpe": ("roberta", "modernbert"),
}
"""Whose special tokens each kind may have; the first if none is named."""

CLASSES: dict[Family, str] = {
    "albert": "AlbertTokenizer",
    "xlnet": "XLNetTokenizer",
    "bert": "BertTokenizer",
    "roberta": "RobertaTokenizer",
    "modernbert": "PreTrainedTokenizerFast",
}

Watch = Callable[[str, int, int | None], None]
"""Called with a stage, and how many bytes are done of how many, if that is known."""

WATCHED_BYTES = 2**20
"""Bytes between two calls of a watcher."""


def make_tokenizer(
    texts: Sequence[Path],
    output: Path,
    kind: Kind,
    size: int,
    *,
    family: Family | None = None,
    cased: bool | None = None,
    reading: Reading | None = None,
    overwrite: bool = False,
    watch: Watch = lambda stage, done, total: None,
) -> Tokenizer:
    """Learn a tokenizer from these files and folders."""
    files = list_files(texts)
    with staged(output, texts, overwrite=overwrite) as folder:
        folder.mkdir()
        tokenizer = train_tokenizer(
            lambda: _lines(files, reading or Reading(), watch),
            folder,
            kind,
            size,
            family=family,
            cased=cased,
        )
        names = {path.name for path in folder.iterdir()}
    for name in {WORDS, SENTENCEPIECE, *BYTES} - names:
        (output / name).unlink(missing_ok=True)
    return tokenizer


def _lines(files: Sequence[Path], reading: Reading, watch: Watch) -> Iterator[str]:
    """The lines of all text; to which document one belongs makes no difference to tokens."""
    total = sum(path.stat().st_size for path in files)
    before = watched = 0
    reading = replace(reading, documents="lines")
    for path in files:
        for document in documents(path, reading):
            if before + document.read >= watched:
                watch("reading", before + document.read, total)
                watched = before + document.read + WATCHED_BYTES
            yield from document.text.removesuffix("\n").split("\n")
        before += path.stat().st_size
    watch("learning", 0, None)


def train_tokenizer(
    texts: Texts,
    folder: Path,
    kind: Kind,
    size: int,
    *,
    family: Family | None = None,
    cased: bool | None = None,
) -> Tokenizer:
    """Learn `size` tokens, special ones among them, and write them into an existing folder.

    cased: keep capitals, and for WordPiece accents; None, as the family was published:
    XLNet's are cased. Byte BPE always keeps both.
    """
    family = _check_family(kind, family)
    if cased is None:
        cased = family == "xlnet"
    if kind == "unigram":
        model = train_unigram(texts, size, family=family, lowercase=not cased)
        _write(folder / SENTENCEPIECE, model)
    elif kind == "wordpiece":
        tokens = train_wordpiece(texts, size, lowercase=not cased)
        _write(folder / WORDS, "\n".join([*tokens, ""]).encode())
    else:
        vocabulary, merges = train_byte_bpe(texts, size, modern=family == "modernbert")
        ordered = dict(sorted(vocabulary.items(), key=lambda item: item[1]))
        lines = ["#version: 0.2", *(f"{left} {right}" for left, right in merges)]
        _write(folder / BYTES[0], json.dumps(ordered, ensure_ascii=False).encode())
        _write(folder / BYTES[1], "\n".join([*lines, ""]).encode())
    _write_settings(folder, family, cased=cased)
    tokenizer = load(folder)
    tokenizer.save(folder)
    return tokenizer


def _check_family(kind: Kind, family: Family | None) -> Family:
    if kind not in get_args(Kind):
        raise TokenizerError(f"no kind {kind!r} of vocabulary: choose {', '.join(get_args(Kind))}")
    if family is not None and family not in FAMILIES[kind]:
        raise TokenizerError(
            f"{family} does not have a {kind} vocabulary: that is for {' or '.join(FAMILIES[kind])}"
        )
    return family or FAMILIES[kind][0]


def _write_settings(folder: Path, family: Family, *, cased: bool) -> None:
    names = TEMPLATES[family].names
    settings: dict[str, Any] = {
        "tokenizer_class": CLASSES[family],
        **{f"{role}_token": names[role] for role in ("cls", "sep", "mask", "pad")},
        "unk_token": names["unknown"],
    }
    if family == "xlnet":  # which reads any length
        settings |= {"bos_token": "<s>", "eos_token": "</s>"}
        settings["additional_special_tokens"] = ["<eop>", "<eod>"]
    else:
        settings["model_max_length"] = 8192 if family == "modernbert" else 512
    if family in ("albert", "roberta"):
        settings |= {"bos_token": names["cls"], "eos_token": names["sep"]}
    if family in ("albert", "xlnet"):
        settings |= {"keep_accents": False, "remove_space": True}
    if family in ("roberta", "modernbert"):
        settings["add_prefix_space"] = False
    else:
        settings["do_lower_case"] = not cased
    _write(folder / SETTINGS, (json.dumps(settings, indent=2) + "\n").encode())


def _write(path: Path, content: bytes) -> None:
    with naming_file(path):
        path.write_bytes(content)
