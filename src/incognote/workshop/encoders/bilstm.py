"""The tagger of the BiLSTM-CRF kind: Lample et al., 2016, and Dernoncourt et al., 2016 for notes.

A word is its vector in a table beside what an LSTM makes of its letters, read from both ends; an LSTM
in both directions reads the words. The CRF on it is the tagger's (`finetune/tagger.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, unpack_sequence

from incognote.align.vocabulary_words import PER_WORD, UNKNOWN
from incognote.base.errors import ConfigError, InputError
from incognote.workshop.encoders.config import MOST_OF_OTHERS, is_positive, is_share, is_whole
from incognote.workshop.encoders.dropout import Dropout
from incognote.workshop.encoders.encoder import Encoded, check_rows
from incognote.workshop.encoders.family import TOKEN_HEAD_NAMES, TOKEN_HEADS, Family
from incognote.workshop.encoders.layout import Packed, Padded, layout_of, looks_at_values

FORGOTTEN = 0.5
"""How often in training a word that was seen once is read as an unknown one."""


@dataclass(frozen=True, kw_only=True)
class BiLstmConfig:
    """The sizes of Lample et al.; those of the vocabulary come with the notes.

    common_words: numbers of words below this one are of words seen more than once. hidden_size: of
    the layer between LSTM and classifier.
    """

    vocabulary_size: int = 2
    common_words: int = 2
    letters: int = 2
    letters_per_word: int = PER_WORD
    word_size: int = 100
    letter_size: int = 25
    letter_cell: int = 25
    cell_size: int = 100
    hidden_size: int = 100
    layers: int = 1
    dropout: float = 0.5
    initializer_range: float = 0.1

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and not is_whole(value, least=1):
                raise ConfigError(f"{field.name} must be a whole number above 0, not {value!r}")
            if field.type == "int" and value > MOST_OF_OTHERS:
                raise ConfigError(f"{field.name} must be at most {MOST_OF_OTHERS:,}, not {value}")
        if not is_share(self.dropout):
            raise ConfigError(f"dropout must be from 0 up to but not 1, not {self.dropout!r}")
        if not is_positive(self.initializer_range):
            raise ConfigError(f"initializer_range must be above 0, not {self.initializer_range!r}")

    @property
    def embedding_size(self) -> int:
        """What is known of a word before its neighbours are read."""
        return self.word_size + 2 * self.letter_cell

    @property
    def longest(self) -> int:
        """An LSTM reads on without end."""
        return sys.maxsize

    @property
    def row(self) -> tuple[int, ...]:
        """The shape of what stands for one word: its number and its letters'."""
        return (1 + self.letters_per_word,)

    @property
    def row_limits(self) -> tuple[int, ...]:
        """One more than the highest number at each place of such a row."""
        return (self.vocabulary_size, *(self.letters,) * self.letters_per_word)

    @property
    def head_dropout(self) -> float:
        """The dropout before a classifier."""
        return self.dropout

    @classmethod
    def from_huggingface(cls, settings: Mapping[str, Any]) -> Self:
        """From our own config.json: others have no such family."""
        return cls(**{field.name: settings[field.name] for field in fields(cls)})

    def to_huggingface(self) -> dict[str, Any]:
        """The settings of config.json."""
        return asdict(self)


class BiLstm(nn.Module):
    """Words with their letters, read in both directions."""

    def __init__(self, config: BiLstmConfig, pooler: bool) -> None:
        super().__init__()
        if pooler:
            raise ConfigError("a BiLSTM tagger has no pooler")
        self.config = config
        self.table = nn.Embedding(config.vocabulary_size, config.word_size, padding_idx=0)
        self.letters = nn.Embedding(config.letters, config.letter_size, padding_idx=0)
        self.spelling = nn.LSTM(
            config.letter_size, config.letter_cell, batch_first=True, bidirectional=True
        )
        self.context = nn.LSTM(
            config.embedding_size, config.cell_size, num_layers=config.layers, bidirectional=True
        )
        self.dense = nn.Linear(2 * config.cell_size, config.hidden_size)
        self.dropout = Dropout(config.dropout)

    @property
    def words(self) -> Tensor:
        """The words' vectors."""
        return self.table.weight

    def forward(
        self,
        ids: Tensor,
        *,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        lengths: Sequence[int] | None = None,
        states: bool = False,
        added: Tensor | None = None,
    ) -> Encoded:
        """Words [batch, length, row] with a mask [batch, length], or packed [words, row].

        Segments mean nothing here. `added` [*, embedding size] joins what is known of each word.
        """
        if ids.shape[-1] != self.config.row[0]:
            raise InputError(f"a word has {ids.shape[-1]} numbers, not {self.config.row[0]}")
        layout = layout_of(ids[..., 0], mask, lengths)
        check_rows("word", ids[..., 0], self.config.vocabulary_size)
        check_rows("letter", ids[..., 1:], self.config.letters)
        real = layout.mask if isinstance(layout, Padded) else None
        if isinstance(layout, Packed):
            sizes, flat = list(layout.lengths), ids
        elif real is None:
            sizes, flat = [ids.shape[1]] * ids.shape[0], ids.flatten(0, 1)
        else:
            sizes, flat = real.sum(1).tolist(), ids[real]
        if added is not None and not isinstance(layout, Packed):
            added = added.flatten(0, 1) if real is None else added[real]
        embedded = self.embedded(flat, added)
        hidden = torch.tanh(self.dense(self._read(embedded, sizes)))
        layers = [_placed(each, ids.shape[:-1], real) for each in (embedded, hidden)]
        return Encoded(layers[1], layout, states=tuple(layers) if states else ())

    def embedded(self, ids: Tensor, added: Tensor | None = None) -> Tensor:
        """What is known of each word by itself, [words, embedding size]."""
        numbers, letters = ids[:, 0], ids[:, 1:]
        if self.training:
            rare = numbers >= self.config.common_words
            forgotten = rare & (torch.rand(numbers.shape, device=ids.device) < FORGOTTEN)
            numbers = numbers.masked_fill(forgotten, UNKNOWN)
        rows = torch.cat((self.table(numbers), self._spelled(letters)), dim=-1)
        known: Tensor = self.dropout(rows if added is None else rows + added)
        return known

    def _spelled(self, letters: Tensor) -> Tensor:
        """The last states of both directions, [words, 2 · letter cell]; each distinct word once."""
        back: Tensor | None = None
        if looks_at_values(letters):
            letters, back = torch.unique(letters, dim=0, return_inverse=True)
            counts = (letters != 0).sum(1).clamp(min=1).cpu()
            read = pack_padded_sequence(
                self.letters(letters), counts, batch_first=True, enforce_sorted=False
            )
            _, (last, _) = self.spelling(read)
        else:
            _, (last, _) = self.spelling(self.letters(letters))
        both: Tensor = last.transpose(0, 1).flatten(1)
        return both if back is None else both[back]

    def _read(self, embedded: Tensor, sizes: Sequence[int]) -> Tensor:
        """[words, embedding size] to [words, 2 · cell size], each sequence by itself."""
        sequences = list(torch.split(embedded, list(sizes)))
        if len({*sizes}) == 1:
            read, _ = self.context(torch.stack(sequences, dim=1))
            both: Tensor = read.transpose(0, 1).flatten(0, 1)
            return both
        packed, _ = self.context(pack_sequence(sequences, enforce_sorted=False))
        return torch.cat(unpack_sequence(packed))


def _placed(words: Tensor, shape: torch.Size, real: Tensor | None) -> Tensor:
    """[words, size] to [*, size], zero at padding."""
    if real is None:
        return words.view(*shape, -1)
    padded = words.new_zeros(*shape, words.shape[-1])
    padded[real] = words
    return padded


BILSTM = Family(
    name="bilstm",
    prefix="bilstm.",
    config=BiLstmConfig,
    encoder=BiLstm,
    heads={"tokens": TOKEN_HEADS["tokens"]},
    architectures={"BiLstmModel": (), "BiLstmForTokenClassification": ("tokens",)},
    body=tuple(
        (f"encoder.{part}", f"bilstm.{part}")
        for part in ("table", "letters", "spelling", "context", "dense")
    ),
    head_names={"tokens": TOKEN_HEAD_NAMES["tokens"]},
    counts=lambda config: (),
)
