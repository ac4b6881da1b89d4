"""A family's tokenizer: tokens, special tokens, segments, padding.

A `Tokenizer` turns text into a model's ids. A `TextReader` is its half that reads text and no more, for
processes that do only that. Offsets are `align.tokens`'s: the one copy. ELMo has no tokens: it reads
each word as the bytes that it is written with (`align.word_tokenizer`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from tokenizers.processors import TemplateProcessing

from incognote.align.tokens import Integers, TokenOffsets, TokenReader, Tokens
from incognote.base.errors import TokenizerError
from incognote.base.files import naming_file
from incognote.workshop.tokenization.unigram import (
    SPACE,
    SPLITS_DIGIT_COMMAS,
    digit_commas,
    split_digit_commas,
    split_ids,
)

WHOLE = "tokenizer.json"
SPECIAL = -1
"""The part of a text pair that special tokens count to."""

A, B = "A", "B"


@dataclass(frozen=True)
class Template:
    """The order of a pair's parts, each with its segment; a single text has no B, nor what ends it.

    `pair` and `single` have A, B and special tokens by the names they have in `names`.
    """

    single: tuple[tuple[str, int], ...]
    pair: tuple[tuple[str, int], ...]
    names: dict[str, str]
    pad_segment: int = 0
    pads_left: bool = False


_BRACKETS = {"cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]", "unknown": "[UNK]", "pad": "[PAD]"}
_ANGLES = {"cls": "<cls>", "sep": "<sep>", "mask": "<mask>", "unknown": "<unk>", "pad": "<pad>"}

BERT = Template(
    single=(("cls", 0), (A, 0), ("sep", 0)),
    pair=(("cls", 0), (A, 0), ("sep", 0), (B, 1), ("sep", 1)),
    names=_BRACKETS,
)
ALBERT = Template(
    single=BERT.single, pair=BERT.pair, names={**_BRACKETS, "unknown": "<unk>", "pad": "<pad>"}
)
ROBERTA = Template(
    single=(("cls", 0), (A, 0), ("sep", 0)),
    pair=(("cls", 0), (A, 0), ("sep", 0), ("sep", 0), (B, 0), ("sep", 0)),
    names={**_ANGLES, "cls": "<s>", "sep": "</s>"},
)
MODERNBERT = Template(
    single=BERT.single,
    pair=(("cls", 0), (A, 0), ("sep", 0), (B, 0), ("sep", 0)),
    names=_BRACKETS,
)
DEBERTA = Template(single=BERT.single, pair=BERT.pair, names=_BRACKETS)
XLNET = Template(
    single=((A, 0), ("sep", 0), ("cls", 2)),
    pair=((A, 0), ("sep", 0), (B, 1), ("sep", 1), ("cls", 2)),
    names=_ANGLES,
    pad_segment=3,
    pads_left=True,
)

TEMPLATES: dict[str, Template] = {
    "bert": BERT,
    "electra": BERT,
    "distilbert": BERT,
    "albert": ALBERT,
    "roberta": ROBERTA,
    "modernbert": MODERNBERT,
    "deberta-v2": DEBERTA,
    "xlnet": XLNET,
}


@dataclass(frozen=True, eq=False)
class TextReader:
    """Text to tokens, without special tokens; it can be sent to other processes.

    digit_commas, parts: as `unigram.split_digit_commas` takes them. unknown_id: of what the
    vocabulary has no token for. vocabulary_size: one more than the highest id.
    """

    tokens: TokenReader
    digit_commas: Mapping[int, tuple[int, ...]]
    parts: Mapping[int, str]
    unknown_id: int
    vocabulary_size: int

    def read(self, text: str) -> Tokens:
        """The tokens of a text."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of several texts, the same as one by one, in less time."""
        return [
            split_digit_commas(tokens, self.digit_commas, self.parts)
            for tokens in self.tokens.read_all(texts)
        ]

    def read_each(self, texts: Sequence[str]) -> tuple[Tokens, Integers]:
        """The tokens of many short texts in one go, and for each token the number of its text.

        Their places are those in all texts joined by line feeds.
        """
        tokens, whose = self.tokens.read_each(texts)
        split = split_digit_commas(tokens, self.digit_commas, self.parts)
        if split is not tokens:
            parts = [len(self.digit_commas.get(number, "1")) for number in tokens.ids.tolist()]
            whose = np.repeat(whose, parts)
        return split, whose


def write_tokenizer_json(tokenizer: tokenizers.Tokenizer, folder: Path) -> None:
    """Write it, or say what the system refused: the library's `save` raises a plain Exception."""
    with naming_file(folder / WHOLE) as path:
        path.write_bytes(tokenizer.to_str(pretty=True).encode())


@dataclass(frozen=True, eq=False)
class Encoding:
    """One text or pair as a model takes it; all arrays are [tokens].

    starts, ends: the characters of the token in its own text, both 0 for a special token.
    part: 0 for tokens of the first text, 1 of the second, −1 (`SPECIAL`) for special tokens.
    """

    ids: Integers
    segments: Integers
    starts: Integers
    ends: Integers
    part: Integers

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Batch:
    """Encodings side by side, [batch, length]; `mask` is 1 at tokens and 0 at padding."""

    ids: Integers
    mask: Integers
    segments: Integers


class Tokenizer:
    """Reads text for one family of encoders. It never truncates, and pads only when asked to.

    Text is text: "[MASK]" in a note is six characters. `prompt` is the one exception.
    """

    def __init__(self, tokenizer: tokenizers.Tokenizer, family: str) -> None:
        if family not in TEMPLATES:
            raise TokenizerError(
                f"no family {family!r} that has a tokenizer: choose {', '.join(TEMPLATES)}"
            )
        self.family = family
        self.template = TEMPLATES[family]
        tokens = TokenReader(tokenizer)
        whole = tokenizers.Tokenizer.from_str(tokenizer.to_str())
        whole.no_truncation()
        whole.no_padding()
        self._whole = whole
        self._special = {role: self._id(name) for role, name in self.template.names.items()}
        if whole.post_processor is None:
            whole.post_processor = self._template_processing()
        unknown = self._special["unknown"]
        commas = digit_commas(whole, unknown) if family in SPLITS_DIGIT_COMMAS else {}
        self.reader = TextReader(
            tokens,
            commas,
            {part: self.tokens([part])[0] for ids in commas.values() for part in ids},
            unknown,
            1 + max(whole.get_vocab().values()),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process builds it anew: the library forgets settings when it is sent."""
        return _rebuild, (self._whole.to_str(), self.family)

    def _id(self, name: str) -> int:
        number: int | None = self._whole.token_to_id(name)
        if number is None:
            raise TokenizerError(f"the vocabulary has no {name}, which {self.family} needs")
        return number

    def _template_processing(self) -> TemplateProcessing:
        """The template as `tokenizer.json` has it, for others who read what we save."""
        names = self.template.names
        single, pair = (
            [f"{names.get(role, f'${role}')}:{segment}" for role, segment in order]
            for order in (self.template.single, self.template.pair)
        )
        special = [(names[role], self._special[role]) for role in ("cls", "sep")]
        return TemplateProcessing(single=single, pair=pair, special_tokens=special)

    @property
    def vocabulary_size(self) -> int:
        """One more than the highest id."""
        return self.reader.vocabulary_size

    @cached_property
    def fingerprint(self) -> str:
        """The same for two tokenizers that give any text the same ids.

        Truncation, padding and the special tokens around a text have no part in it.
        """
        settings = json.loads(self._whole.to_str())
        parts = [
            settings[name] for name in ("normalizer", "pre_tokenizer", "model", "added_tokens")
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @property
    def mask_id(self) -> int:
        """The id of the token that stands for a hidden token."""
        return self._special["mask"]

    @property
    def cls_id(self) -> int:
        """The id of the token whose state stands for the whole sequence."""
        return self._special["cls"]

    @property
    def unknown_id(self) -> int:
        """The id of what the vocabulary has no token for."""
        return self.reader.unknown_id

    @property
    def mask_token(self) -> str:
        """How `prompt` knows it in text."""
        return self.template.names["mask"]

    @property
    def special_ids(self) -> frozenset[int]:
        """Ids that stand for no text."""
        return frozenset(self._special.values())

    def read(self, text: str) -> Tokens:
        """The tokens of a text, without special tokens."""
        return self.reader.read(text)

    def read_all(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of several texts, the same as one by one, in less time."""
        return self.reader.read_all(texts)

    def encode(self, text: str, pair: str | None = None) -> Encoding:
        """A text, or two, with the family's special tokens and segments."""
        first = self.read(text)
        return self.join(first, None if pair is None else self.read(pair))

    def join(self, first: Tokens, second: Tokens | None = None) -> Encoding:
        """Tokens that were read, or some of them, with the family's special tokens."""
        rows: list[tuple[Integers, ...]] = []
        template = self.template.single if second is None else self.template.pair
        for role, segment in template:
            tokens = {A: first, B: second}.get(role)
            if tokens is None:
                ids = np.array([self._special[role]])
                starts = ends = np.zeros(1, np.int64)
            else:
                ids, starts, ends = tokens.ids, tokens.offsets.starts, tokens.offsets.ends
            part = {A: 0, B: 1}.get(role, SPECIAL)
            alike = np.full((2, len(ids)), [[segment], [part]])
            rows.append((ids, alike[0], starts, ends, alike[1]))
        return Encoding(*(np.concatenate(column) for column in zip(*rows, strict=True)))

    def special_tokens(self) -> int:
        """How many special tokens a text gets."""
        return sum(role != A for role, _ in self.template.single)

    def prompt(self, text: str) -> Encoding:
        """A text in which special tokens are written out, such as "[MASK]"; without offsets."""
        ids = np.array(split_ids(self._prompt_ids(text), self.reader.digit_commas), dtype=np.int64)
        nowhere = np.zeros(len(ids), np.int64)
        return self.join(Tokens(ids, TokenOffsets(nowhere, nowhere), 0))

    def _prompt_ids(self, text: str) -> list[int]:
        """The ids of a prompt: what touches a mask follows it as it would follow a word.

        The library begins anew after a special token, and would put a space before "." there, which
        is in no text that a model has read.
        """
        read = self._whole.encode(text, add_special_tokens=False)
        space = self._whole.token_to_id(SPACE)
        ids: list[int] = []
        touched = False
        for number, (_, end) in zip(read.ids, read.offsets, strict=True):
            if not (touched and number == space):
                ids.append(number)
            touched = number == self.mask_id and not text[end : end + 1].isspace()
        return ids

    def pad(self, encodings: Sequence[Encoding]) -> Batch:
        """Encodings padded to the longest, on the side the family pads."""
        if not encodings:
            raise TokenizerError("there is nothing to pad")
        shape = (len(encodings), max(map(len, encodings)))
        batch = Batch(
            np.full(shape, self._special["pad"], np.int64),
            np.zeros(shape, np.int64),
            np.full(shape, self.template.pad_segment, np.int64),
        )
        for row, encoding in enumerate(encodings):
            size = len(encoding)
            place = slice(shape[1] - size, None) if self.template.pads_left else slice(size)
            batch.ids[row, place] = encoding.ids
            batch.mask[row, place] = 1
            batch.segments[row, place] = encoding.segments
        return batch

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """The tokens as the vocabulary writes them."""
        tokens = []
        for number in ids:
            token = self._whole.id_to_token(int(number))
            if token is None:
                raise TokenizerError(f"the vocabulary has no token {int(number)}")
            tokens.append(token)
        return tokens

    def decode(self, ids: Sequence[int]) -> str:
        """Readable text, special tokens included."""
        text: str = self._whole.decode([int(number) for number in ids], skip_special_tokens=False)
        return text.replace(" ' ", "'") if self.template is BERT else text

    def library_copy(self) -> tokenizers.Tokenizer:
        """The same as the library has it, for those who read with that alone."""
        return tokenizers.Tokenizer.from_str(self._whole.to_str())

    def save(self, folder: str | Path) -> None:
        """Write `tokenizer.json`."""
        write_tokenizer_json(self._whole, Path(folder))


def _rebuild(written: str, family: str) -> Tokenizer:
    return Tokenizer(tokenizers.Tokenizer.from_str(written), family)
