"""SentencePiece's unigram pieces, with the settings of the published ALBERT and XLNet.

Their pieces were learned with a coverage of 0.99995 of the characters, `nmt_nfkc`, their special
tokens as control symbols, and eight signs that are always pieces by themselves. One thing is
added: no piece goes from a digit to a comma. The papers' code parts such pieces again after
reading, and no other reader does; without them all readers give the same ids.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from incognote.workshop.tokenization.errors import TokenizerError
from incognote.workshop.tokenization.training.word_counts import (
    Texts,
    too_large,
    too_small,
    word_counts,
)
from incognote.workshop.tokenization.unigram import spelling

COVERAGE = 0.99995
THREADS = 4
"""Fixed: the sums, and so the pieces, depend on how the words are dealt out."""

_CUT = "€"
"""Put where no piece may cross; it is a piece already, whose score nothing changes."""


@dataclass(frozen=True)
class Symbols:
    """What a family's vocabulary begins with.

    pad, unknown, begin, end: the ids of what SentencePiece itself has a name for, −1 for none.
    controls: never read from text. alone: always pieces by themselves.
    """

    controls: tuple[str, ...]
    alone: tuple[str, ...]
    unknown: int
    pad: int = -1
    begin: int = -1
    end: int = -1

    @property
    def count(self) -> int:
        """How many pieces these are."""
        named = sum(number >= 0 for number in (self.unknown, self.pad, self.begin, self.end))
        return len(self.controls) + len(self.alone) + named


SYMBOLS = {
    "albert": Symbols(("[CLS]", "[SEP]", "[MASK]"), tuple('()"-.–£€'), pad=0, unknown=1),
    "xlnet": Symbols(
        ("<cls>", "<sep>", "<pad>", "<mask>", "<eod>"),
        ("<eop>", *'.()"-–£€'),
        unknown=0,
        begin=1,
        end=2,
    ),
}

_DIGIT_COMMA = re.compile(r"(?<=\d),")
_MOST = re.compile(r"value <= (\d+)")
_LEAST = re.compile(r"required_chars\. \d+ vs (\d+)")


def train_unigram(texts: Texts, size: int, *, family: str, lowercase: bool) -> bytes:
    """The content of a `spiece.model`."""
    symbols = SYMBOLS[family]
    try:
        from sentencepiece import SentencePieceTrainer
    except ImportError:
        raise TokenizerError(
            "a unigram vocabulary needs sentencepiece, which is not installed: "
            "pip install 'incognote[train]'"
        ) from None
    counts = _spelled(word_counts(texts), lowercase=lowercase)
    if not counts:
        raise TokenizerError("there is no text to learn a vocabulary from")
    lines = (f"{_DIGIT_COMMA.sub(_CUT + ',', word)}\t{counts[word]}" for word in sorted(counts))
    model = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=lines,
            input_format="tsv",
            model_writer=model,
            model_type="unigram",
            vocab_size=max(size, symbols.count),  # with less it would not say what it needs
            pad_id=symbols.pad,
            unk_id=symbols.unknown,
            bos_id=symbols.begin,
            eos_id=symbols.end,
            control_symbols=list(symbols.controls),
            user_defined_symbols=list(symbols.alone),
            character_coverage=COVERAGE,
            num_threads=THREADS,
            minloglevel=3,
        )
    except RuntimeError as error:
        if most := _MOST.search(str(error)):
            raise too_large(size, int(most[1])) from None
        if least := _LEAST.search(str(error)):
            raise too_small(size, int(least[1])) from None
        raise TokenizerError("SentencePiece could not learn from this text") from None
    return model.getvalue()


def _spelled(counts: Mapping[str, int], *, lowercase: bool) -> Counter[str]:
    """The words as the tokenizer will see them, which may be several to one."""
    normalizer = spelling(lowercase=lowercase, keep_accents=False)
    spelled: Counter[str] = Counter()
    for word, count in counts.items():
        for part in normalizer.normalize_str(word).split():
            spelled[part] += count
    return spelled
