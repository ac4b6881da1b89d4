"""The folder that a run leaves: an encoder as `transformers` loads it, and how it was made."""

from __future__ import annotations

from pathlib import Path

from incognote.base.files import naming_file
from incognote.workshop.encoders.checkpoints import save
from incognote.workshop.encoders.model import Model
from incognote.workshop.tokenization.folder import BYTES, SENTENCEPIECE, SETTINGS, WORDS
from incognote.workshop.tokenization.tokenizer import WHOLE, Tokenizer
from incognote.workshop.training.run_folder import write_tokenizer

SCHEMA = 1
_WHOLE = (WHOLE, SETTINGS)
_VOCABULARY = (WORDS, *BYTES, SENTENCEPIECE)
_MORE = ("special_tokens_map.json", "added_tokens.json")


def write_encoder(folder: Path, model: Model, tokenizer: Tokenizer, source: Path) -> None:
    """config.json, model.safetensors with the pretraining heads, and the tokenizer's files."""
    folder.mkdir(parents=True, exist_ok=True)
    model.eval()
    save(model, folder)
    whole = all((source / name).is_file() for name in _WHOLE)
    for name in (*_VOCABULARY, *((*_WHOLE, *_MORE) if whole else ())):
        if (source / name).is_file() and source.resolve() != folder.resolve():
            content = (source / name).read_bytes()
            with naming_file(folder / name) as path:
                path.write_bytes(content)
    if not whole:
        write_tokenizer(folder, tokenizer.library_copy(), model.config.longest)
