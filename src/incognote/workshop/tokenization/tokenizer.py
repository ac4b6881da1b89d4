"""A family's tokenizer: tokens, special tokens, segments, padding."""

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

from incognote.align.pieces import PieceReader, Pieces
from incognote.align.units import Integers, Units, in_reading_order
from incognote.base.errors import TokenizerError
from incognote.base.whole_file import writing
from incognote.workshop.tokenization.templates import BERT, TEMPLATES, A, B
from incognote.workshop.tokenization.unigram import SPACE


def digit_commas(tokenizer: tokenizers.Tokenizer, unknown: int) -> dict[int, tuple[int, ...]]:
    """For each token that ends in a digit and a comma, the tokens that take its place.

    It is ALBERT's and XLNet's own step after SentencePiece: without it, a number before a comma would
    be another word than the number elsewhere. The step is in the papers' code, and in no
    `tokenizer.json`.
    """
    found = {}
    comma = tokenizer.token_to_id(",")
    for piece, number in tokenizer.get_vocab(with_added_tokens=False).items():
        if comma is None or len(piece) < 2 or piece[-1] != "," or not piece[-2].isdigit():
            continue
        stem = tokenizer.encode(piece[:-1].replace(SPACE, ""), add_special_tokens=False)
        ids, tokens = stem.ids, stem.tokens
        if piece[0] != SPACE and tokens[0] == SPACE:
            ids = ids[1:]
        elif piece[0] != SPACE and tokens[0][0] == SPACE:
            bare = tokenizer.token_to_id(tokens[0][1:])
            ids = [unknown if bare is None else bare, *ids[1:]]
        found[number] = (*ids, comma)
    return found


def parted_ids(ids: list[int], table: Mapping[int, tuple[int, ...]]) -> list[int]:
    """The ids with each such piece replaced."""
    return [part for number in ids for part in table.get(number, (number,))]


def parted(
    pieces: Pieces, table: Mapping[int, tuple[int, ...]], tokens: Mapping[int, str]
) -> Pieces:
    """The pieces with each such one replaced, and where the new ones stand.

    `tokens` has the text of every piece in the table. The comma is the last character. Where the
    other characters are not one for one (½ is written with three) the pieces share them.
    """
    if not table or not np.isin(pieces.ids, list(table)).any():
        return pieces
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    units = pieces.units
    for number, start, end in zip(
        pieces.ids.tolist(), units.starts.tolist(), units.ends.tolist(), strict=True
    ):
        parts = table.get(number, (number,))
        ids += parts
        if len(parts) == 1:
            starts.append(start)
            ends.append(end)
            continue
        before = max(start, end - 1) if end - start > 1 else end
        sizes = [len(tokens[part].replace(SPACE, "")) for part in parts[:-1]]
        if sum(sizes) == before - start:
            edges = np.cumsum([start, *sizes]).tolist()
            starts += edges[:-1]
            ends += edges[1:]
        else:
            starts += [start] * len(sizes)
            ends += [before] * len(sizes)
        starts.append(min(before, end - 1) if end > start else start)
        ends.append(end)
    return Pieces(_array(ids), in_reading_order(_array(starts), _array(ends)), pieces.dropped)


def _array(values: list[int]) -> Integers:
    return np.array(values, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TextReader:
    """Text to pieces, without special tokens; it can be sent to other processes.

    digit_commas, parts: as `digit_commas.parted` has them. unknown_id: of what the vocabulary has
    no piece for. vocabulary_size: one more than the highest id.
    """

    pieces: PieceReader
    digit_commas: Mapping[int, tuple[int, ...]]
    parts: Mapping[int, str]
    unknown_id: int
    vocabulary_size: int

    def read(self, text: str) -> Pieces:
        """The pieces of a text."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of several texts, the same as one by one, in less time."""
        found = self.pieces.read_all(texts)
        return [parted(pieces, self.digit_commas, self.parts) for pieces in found]

    def read_each(self, texts: Sequence[str]) -> tuple[Pieces, Integers]:
        """The pieces of many short texts in one go, and for each piece the number of its text.

        Their places are those in all texts joined by line feeds.
        """
        pieces, whose = self.pieces.read_each(texts)
        divided = parted(pieces, self.digit_commas, self.parts)
        if divided is not pieces:
            parts = [len(self.digit_commas.get(number, "1")) for number in pieces.ids.tolist()]
            whose = np.repeat(whose, parts)
        return divided, whose


WHOLE = "tokenizer.json"


def write_tokenizer_json(tokenizer: tokenizers.Tokenizer, folder: Path) -> None:
    """Write it, or say what the system refused: the library's `save` raises a plain Exception."""
    with writing(folder / WHOLE) as path:
        path.write_bytes(tokenizer.to_str(pretty=True).encode())


SPECIAL = -1
PARTS_DIGIT_COMMAS = ("albert", "xlnet")


@dataclass(frozen=True, eq=False)
class Encoding:
    """One text or pair as a model takes it; all arrays are [pieces].

    starts, ends: the characters of the piece in its own text, both 0 for a special token.
    part: 0 for pieces of the first text, 1 of the second, −1 (`SPECIAL`) for special tokens.
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
    """Encodings side by side, [batch, length]; `mask` is 1 at pieces and 0 at padding."""

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
        pieces = PieceReader(tokenizer)
        whole = tokenizers.Tokenizer.from_str(tokenizer.to_str())
        whole.no_truncation()
        whole.no_padding()
        self._whole = whole
        self._special = {role: self._id(name) for role, name in self.template.names.items()}
        if whole.post_processor is None:
            whole.post_processor = self._template_processing()
        unknown = self._special["unknown"]
        commas = digit_commas(whole, unknown) if family in PARTS_DIGIT_COMMAS else {}
        self.reader = TextReader(
            pieces,
            commas,
            {part: self.tokens([part])[0] for ids in commas.values() for part in ids},
            unknown,
            1 + max(whole.get_vocab().values()),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process builds it anew: the library forgets settings when it is sent."""
        return _rebuilt, (self._whole.to_str(), self.family)

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
        written = json.loads(self._whole.to_str())
        parts = [written[name] for name in ("normalizer", "pre_tokenizer", "model", "added_tokens")]
        said = json.dumps(parts, sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def mask_id(self) -> int:
        """The id of the token that stands for a hidden piece."""
        return self._special["mask"]

    @property
    def unknown_id(self) -> int:
        """The id of what the vocabulary has no piece for."""
        return self.reader.unknown_id

    @property
    def mask_token(self) -> str:
        """How `prompt` knows it in text."""
        return self.template.names["mask"]

    @property
    def special_ids(self) -> frozenset[int]:
        """Ids that stand for no text."""
        return frozenset(self._special.values())

    def read(self, text: str) -> Pieces:
        """The pieces of a text, without special tokens."""
        return self.reader.read(text)

    def read_all(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of several texts, the same as one by one, in less time."""
        return self.reader.read_all(texts)

    def encode(self, text: str, pair: str | None = None) -> Encoding:
        """A text, or two, with the family's special tokens and segments."""
        first = self.read(text)
        return self.join(first, None if pair is None else self.read(pair))

    def join(self, first: Pieces, second: Pieces | None = None) -> Encoding:
        """Pieces that were read, or some of them, with the family's special tokens."""
        rows: list[tuple[Integers, ...]] = []
        template = self.template.single if second is None else self.template.pair
        for role, segment in template:
            pieces = {A: first, B: second}.get(role)
            if pieces is None:
                ids = np.array([self._special[role]])
                starts = ends = np.zeros(1, np.int64)
            else:
                ids, starts, ends = pieces.ids, pieces.units.starts, pieces.units.ends
            part = {A: 0, B: 1}.get(role, SPECIAL)
            alike = np.full((2, len(ids)), [[segment], [part]])
            rows.append((ids, alike[0], starts, ends, alike[1]))
        return Encoding(*(np.concatenate(column) for column in zip(*rows, strict=True)))

    def special_tokens(self) -> int:
        """How many special tokens a text gets."""
        return sum(role != A for role, _ in self.template.single)

    def prompt(self, text: str) -> Encoding:
        """A text in which special tokens are written out, such as "[MASK]"; without offsets."""
        ids = np.array(parted_ids(self._prompted(text), self.reader.digit_commas), dtype=np.int64)
        nowhere = np.zeros(len(ids), np.int64)
        return self.join(Pieces(ids, Units(nowhere, nowhere), 0))

    def _prompted(self, text: str) -> list[int]:
        """The ids of a prompt: what touches a mask follows it as it would follow a word.

        The library begins anew after a special token, and would put a space before "." there, which
        is in no text that a model has read.
        """
        read = self._whole.encode(text, add_special_tokens=False)
        space = self._whole.token_to_id(SPACE)
        kept: list[int] = []
        touched = False
        for number, (_, end) in zip(read.ids, read.offsets, strict=True):
            if not (touched and number == space):
                kept.append(number)
            touched = number == self.mask_id and not text[end : end + 1].isspace()
        return kept

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
        """The pieces as the vocabulary writes them."""
        found = []
        for number in ids:
            token = self._whole.id_to_token(int(number))
            if token is None:
                raise TokenizerError(f"the vocabulary has no token {int(number)}")
            found.append(token)
        return found

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


def _rebuilt(written: str, family: str) -> Tokenizer:
    return Tokenizer(tokenizers.Tokenizer.from_str(written), family)
