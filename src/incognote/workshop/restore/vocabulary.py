"""The vocabulary of a restorer: tokens of words as they are written and as they are dictated.

Byte-pair encoding of whole words, each with a sign before it; marks are tokens by themselves. Source
and target share it, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import BpeTrainer

from incognote.base.errors import ModelError, TrainError
from incognote.base.files import write_whole
from incognote.workshop.restore.words import MARKS

PAD, END, UNKNOWN = "<pad>", "</s>", "<unk>"
SPECIAL = (PAD, END, UNKNOWN)
BEGINS = "▁"
"""Stands before the first letter of every word."""

_ALPHABET = 256
_STAND_IN = "\ufffd"
_REMEMBERED = 100_000


class Vocabulary:
    """A tokenizer of words; `Vocabulary.learn` makes one, `Vocabulary(path)` reads tokenizer.json."""

    def __init__(self, source: Path | Tokenizer) -> None:
        if isinstance(source, Path):
            try:
                source = Tokenizer.from_str(source.read_text(encoding="utf-8"))
            except OSError:
                raise ModelError(
                    f"{source}: no such file; the model folder is incomplete"
                ) from None
            except Exception:  # the library's errors share no parent
                raise ModelError(
                    f"{source}: not a tokenizer that can be read; copy it again"
                ) from None
        self.tokenizer: Tokenizer = source
        self.pad_id, self.end_id, self.unknown_id = (self._id(token) for token in SPECIAL)
        self.mark_ids = {mark: self._id(mark) for mark in MARKS}
        self._known: dict[str, tuple[int, ...]] = {}

    @classmethod
    def learn(cls, words: Iterable[str], size: int) -> Vocabulary:
        """From words as they are written, each as often as it occurs."""
        tokenizer = Tokenizer(BPE(unk_token=UNKNOWN))
        tokenizer.pre_tokenizer = WhitespaceSplit()
        trainer = BpeTrainer(
            vocab_size=size,
            special_tokens=[*SPECIAL, *MARKS],
            limit_alphabet=_ALPHABET,
            initial_alphabet=[BEGINS, *map(chr, range(ord("!"), ord("~") + 1))],
            show_progress=False,
        )
        both = (f"{BEGINS}{form}" for word in words for form in (word, word.lower()))
        tokenizer.train_from_iterator(both, trainer)
        if tokenizer.get_vocab_size() < size:
            raise TrainError(
                f"the text gives {tokenizer.get_vocab_size():,} tokens, not {size:,}: give more text, "
                "or a smaller --vocab-size"
            )
        return cls(tokenizer)

    def _id(self, token: str) -> int:
        number = self.tokenizer.token_to_id(token)
        if number is None:
            raise ModelError(f"the tokenizer is not that of a restorer: it lacks {token}")
        return int(number)

    def save(self, path: Path) -> None:
        """Write tokenizer.json, whole or not at all."""
        write_whole(path, f"{self.tokenizer.to_str()}\n".encode())

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return int(self.tokenizer.get_vocab_size())

    @cached_property
    def texts(self) -> list[str]:
        """What each token stands for; nothing for special ones."""
        texts = [str(self.tokenizer.id_to_token(number)) for number in range(self.size)]
        return ["" if text in SPECIAL else text for text in texts]

    @cached_property
    def by_spelling(self) -> dict[str, list[int]]:
        """The tokens of each spelling in small letters."""
        found: dict[str, list[int]] = {}
        for number, text in enumerate(self.texts):
            if text and len(text.lower()) == len(text):
                found.setdefault(text.lower(), []).append(number)
        return found

    @cached_property
    def longest(self) -> int:
        """Characters of the longest token."""
        return max(map(len, self.texts))

    def of_word(self, word: str) -> tuple[int, ...]:
        """The tokens of one word, written so."""
        known = self._known.get(word)
        if known is None:
            known = tuple(token.id for token in self.tokenizer.model.tokenize(spelled(word)))
            if len(self._known) < _REMEMBERED:
                self._known[word] = known
        return known


def spelled(word: str) -> str:
    """A word with the sign before it, which nothing in it may look like."""
    return BEGINS + word.replace(BEGINS, _STAND_IN)
