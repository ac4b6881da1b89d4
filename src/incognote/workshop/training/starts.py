"""Where fine-tuning begins, whatever it is for: the encoder that a name means, and its tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.align.word_tokenizer import WORDS, AnyTokenizer, ByteWords, WordTokenizer
from incognote.base.errors import AlignError, EncoderError, TrainError
from incognote.workshop.encoders.checkpoints import CONFIG, is_original, original_settings
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.tensor_files import read_json
from incognote.workshop.encoders.text_encoder import SHIPPED
from incognote.workshop.tokenization import TokenizerError
from incognote.workshop.tokenization import load as load_tokenizer
from incognote.workshop.training.sources import MINILM, checkpoint_folder, sized

_PADDING = ("[PAD]", "<pad>")
_READS_WORDS = "reads words by their characters and takes no tokenizer: leave out --tokenizer"


def is_preset(encoder: str | Path) -> bool:
    """Whether a name is that of published sizes, which come without weights."""
    return str(encoder) in PRESETS and not Path(encoder).is_dir()


def check_weights(encoder: str | Path, *, random: bool) -> bool:
    """Whether weights are drawn; refused with what to do, unless that is what was wanted."""
    if is_preset(encoder) and not random:
        raise TrainError(
            f"{encoder} names sizes, not weights: give the folder of its checkpoint, let it be "
            f"fetched with --from-hub {encoder}, or say --random to begin with random weights"
        )
    return is_preset(encoder)


def named_folder(encoder: str | Path) -> Path:
    """The folder of a checkpoint that is there, by its path or name."""
    folder = checkpoint_folder(encoder)
    if folder is None:
        raise TrainError(
            f"{encoder}: no such folder; name a checkpoint's, 'default', '{SHIPPED.name}' or "
            f"'{MINILM}', fetch one with --from-hub, or take a preset of `incognote encoders` "
            "with --random"
        )
    return folder


def read_tokenizer(folder: Path) -> AnyTokenizer:
    """The tokenizer of a folder, of whatever files, with the frame of its family.

    What a tokenizer.json says of truncation and padding is dropped. Of an encoder that reads words it
    is that of words.
    """
    try:
        if (folder / WORDS).is_file():
            return WordTokenizer.from_file(folder / WORDS)
        if (config := elmo_in(folder)) is not None:
            return ByteWords(config.characters_per_word)
        return load_tokenizer(folder).library_copy()
    except (TokenizerError, AlignError, EncoderError) as error:
        raise TrainError(str(error)) from None


def elmo_in(folder: Path) -> ElmoConfig | None:
    """The sizes of the ELMo in a folder, if there is one."""
    if is_original(folder):
        return ElmoConfig.from_huggingface(original_settings(folder))
    settings = read_json(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    return ElmoConfig.from_huggingface(settings) if settings.get("model_type") == "elmo" else None


def tokenizer_for(name: str, folder: Path, tokenizer: str | Path | None) -> AnyTokenizer:
    """The one that was named, or the folder's own."""
    if tokenizer is None:
        return read_tokenizer(folder)
    if elmo_in(folder) is not None:
        raise TrainError(f"{name}: {_READS_WORDS}")
    return read_tokenizer(Path(tokenizer))


def rows_needed(tokenizer: AnyTokenizer) -> int:
    """One more than the highest id."""
    if isinstance(tokenizer, WordTokenizer):
        return tokenizer.rows_needed
    return 1 + max(tokenizer.get_vocab().values())


def from_preset(
    name: str,
    head: str,
    labels: Sequence[str] | int,
    tokenizer: str | Path | None,
    sizes: Mapping[str, Any],
) -> tuple[Model, AnyTokenizer]:
    """Random weights of a preset's sizes, with a head, and the tokenizer that was named."""
    read: AnyTokenizer
    if isinstance(PRESETS[name].config, ElmoConfig):
        if tokenizer is not None:
            raise TrainError(f"{name}: {_READS_WORDS}")
        config = sized(name, {}, sizes)
        read = ByteWords(config.characters_per_word)
    else:
        if tokenizer is None:
            raise TrainError(
                f"{name} starts from random weights: give a tokenizer too, with --tokenizer"
            )
        read = read_tokenizer(Path(tokenizer))
        if isinstance(read, WordTokenizer):
            raise TrainError(f"{tokenizer}: reads words, and {name} reads tokens")
        padding = [read.token_to_id(token) for token in _PADDING]
        pad = next((id for id in padding if id is not None), 0)
        config = sized(name, {"vocabulary_size": rows_needed(read), "pad_id": pad}, sizes)
    try:
        model = Model(config, heads=(head,), labels=labels)
    except EncoderError as error:
        raise TrainError(f"{name}: {error}") from None
    check_vocabulary(read, model)
    return model, read


def check_vocabulary(tokenizer: AnyTokenizer, model: Model) -> None:
    """Refuse a tokenizer whose ids the encoder has no rows for."""
    config = model.config
    reads_words = bool(config.row)
    if reads_words != isinstance(tokenizer, WordTokenizer):
        raise TrainError(f"{model.family.name} does not read what the tokenizer gives")
    rows = max(config.row_limits) if reads_words else config.vocabulary_size
    if rows_needed(tokenizer) > rows:
        raise TrainError(
            f"the tokenizer has {rows_needed(tokenizer)} tokens but the encoder {rows} rows"
        )
