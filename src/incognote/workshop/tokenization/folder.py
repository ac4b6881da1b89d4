"""Find out what a folder holds, and read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokenizers

from incognote.base.errors import TokenizerError
from incognote.base.files import JsonError, read_json
from incognote.workshop.tokenization.subwords import byte_bpe, wordpiece
from incognote.workshop.tokenization.tokenizer import TEMPLATES, WHOLE, Tokenizer
from incognote.workshop.tokenization.unigram import deberta_unigram, unigram

WORDS, SENTENCEPIECE, DEBERTA = "vocab.txt", "spiece.model", "spm.model"
BYTES = ("vocab.json", "merges.txt")
SETTINGS = "tokenizer_config.json"


def has_tokenizer(folder: Path) -> bool:
    """Whether the files of any tokenizer are there."""
    kinds = ((WHOLE,), (WORDS,), (SENTENCEPIECE,), (DEBERTA,), BYTES)
    return any(all((folder / name).is_file() for name in names) for names in kinds)


def load(folder: str | Path, *, family: str | None = None) -> Tokenizer:
    """The tokenizer in a folder: tokenizer.json, or the files it was published with.

    family: whose special tokens it uses; known from the folder's other files if not given.
    Whether a published vocabulary is lower-cased stands in tokenizer_config.json, else it is seen from the vocabulary.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise TokenizerError(f"{folder}: no such folder")
    settings = _json(folder / SETTINGS)
    lowercase = settings.get("do_lower_case")
    if not isinstance(lowercase, bool):
        lowercase = None
    if (folder / WHOLE).is_file():
        tokenizer = _read_whole(folder / WHOLE)
    elif (folder / WORDS).is_file():
        tokenizer = wordpiece(folder / WORDS, lowercase=lowercase)
    elif all((folder / name).is_file() for name in BYTES):
        tokenizer = byte_bpe(
            *(folder / name for name in BYTES), modern=_is_modern(folder, family, settings)
        )
    elif (folder / SENTENCEPIECE).is_file():
        path = folder / SENTENCEPIECE
        keep = bool(settings.get("keep_accents", False))
        tokenizer = unigram(path, lowercase=bool(lowercase), keep_accents=keep)
        if lowercase is None and _family(folder, settings, tokenizer) == "albert":
            tokenizer = unigram(path, lowercase=True, keep_accents=keep)
    elif (folder / DEBERTA).is_file():
        tokenizer = deberta_unigram(folder / DEBERTA, lowercase=bool(lowercase))
    else:
        raise TokenizerError(
            f"{folder}: no tokenizer here (looked for {WHOLE}, {WORDS}, "
            f"{' with '.join(BYTES)}, {SENTENCEPIECE}, {DEBERTA})"
        )
    try:
        return Tokenizer(tokenizer, family or _family(folder, settings, tokenizer))
    except ValueError as error:
        raise TokenizerError(f"{folder}: {error}") from None


def _is_modern(folder: Path, family: str | None, settings: dict[str, Any]) -> bool:
    """Whether a vocabulary of bytes is ModernBERT's."""
    if family is None:
        family = str(_json(folder / "config.json").get("model_type"))
    return family == "modernbert" or settings.get("cls_token") == "[CLS]"


def _family(folder: Path, settings: dict[str, Any], tokenizer: tokenizers.Tokenizer) -> str:
    """From config.json, tokenizer_config.json, or the special tokens there are."""
    model_type = _json(folder / "config.json").get("model_type")
    if model_type in TEMPLATES:
        return str(model_type)
    class_name = str(settings.get("tokenizer_class", "")).lower()
    for family in ("distilbert", "roberta", "albert", "electra", "xlnet", "deberta-v2", "bert"):
        if class_name.startswith(family.replace("-", "")):
            return family
    brackets = {"BPE": "modernbert", "Unigram": "deberta-v2"}
    bracketed = brackets.get(type(tokenizer.model).__name__, "bert")
    for family in ("xlnet", "albert", bracketed, "roberta"):
        names = TEMPLATES[family].names.values()
        if all(tokenizer.token_to_id(name) is not None for name in names):
            return family
    raise TokenizerError("the vocabulary has the special tokens of no known family")


def _read_whole(path: Path) -> tokenizers.Tokenizer:
    try:
        return tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises its plain Exception
        raise TokenizerError(f"{path}: not read ({error})") from None


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = read_json(path)
    except JsonError as error:
        raise TokenizerError(f"{path}: {error}") from None
    return value if isinstance(value, dict) else {}
