"""Examples as a model reads them: token ids in its family's frame, long contexts in windows.

What is cut, and where, is as in Hugging Face's tokenizers and examples, token for token:

- a text at its end; of a pair the longer text, token by token;
- a context is never cut but read in windows that share `stride` tokens, each with the question; in
  XLNet's frame the context stands first;
- for multiple choice only the article is cut, so that question and option are read (ALBERT's and
  RoBERTa's papers); of these two together at most the last 128 tokens.

A question that would leave a context no room, which Hugging Face refuses, is cut to half of a window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np

from incognote.align.tokens import Integers, TokenOffsets, Tokens
from incognote.align.word_tokenizer import WordTokenizer
from incognote.base.errors import InputError, TrainError
from incognote.workshop.tasks.task import (
    ChoiceExample,
    Example,
    QuestionExample,
    SentenceExample,
    Task,
)
from incognote.workshop.tokenization.tokenizer import SPECIAL, Encoding, Tokenizer

T = TypeVar("T")

QUESTION_AND_OPTION = 128
"""Tokens of a question with one of its options, as ALBERT and RoBERTa were fine-tuned on RACE."""

READ_AT_ONCE = 64
"""Examples whose texts are given to a tokenizer together."""


class Frame(Protocol):
    """What reads texts and puts them between a family's special tokens; a `Tokenizer` is one."""

    def read_all(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of several texts."""

    def join(self, first: Tokens, second: Tokens | None = None) -> Encoding:
        """One text or two as a sequence."""


@dataclass(frozen=True)
class WordFrame:
    """Of a model that reads words, such as ELMo: each text stands between its own boundaries.

    The arrays of ids are [words, numbers of a row].
    """

    tokenizer: WordTokenizer

    def read_all(self, texts: Sequence[str]) -> list[Tokens]:
        """The words of several texts."""
        return [self.tokenizer.read(text) for text in texts]

    def join(self, first: Tokens, second: Tokens | None = None) -> Encoding:
        """One text or two, one after the other; the second's segment is 1."""
        frame = self.tokenizer.frame
        before, after = len(frame.before), len(frame.after)
        texts = [first] if second is None else [first, second]
        rows: list[Integers] = []
        for number, text in enumerate(texts):
            row = np.zeros((4, before + len(text.ids) + after), np.int64)
            row[0] = number
            row[1:3, before : before + len(text.ids)] = text.offsets.starts, text.offsets.ends
            row[3] = SPECIAL
            row[3, before : before + len(text.ids)] = number
            rows.append(row)
        ids = np.concatenate([frame.put_around(text.ids) for text in texts])
        return Encoding(ids, *np.concatenate(rows, axis=1))


@dataclass(frozen=True, kw_only=True)
class Limits:
    """longest: tokens of a sequence, special ones included; stride: those that windows share."""

    longest: int
    stride: int = 128

    def __post_init__(self) -> None:
        if self.longest < 8:
            raise TrainError(f"a sequence must have room for 8 tokens or more, not {self.longest}")
        if self.stride < 0:
            raise TrainError(f"the stride must be 0 or more, not {self.stride}")


@dataclass(frozen=True, eq=False)
class Item:
    """What a network reads of an example at once; an example of a long context is several items.

    number: which example, counted from 0.
    sequences: one, or one for each option.
    target: the number of the label or the option, a regression's number, or the first and the last
        token of an answer, both that of [CLS] where the window has none; None if not known.
    context: the part (`Encoding.part`) of a sequence that has the context.
    cls: the place of [CLS] in the sequence; where answers are sought, it stands for none.
    cut: whether some of its texts is not read, as a sequence has not room for it.
    """

    number: int
    sequences: tuple[Encoding, ...]
    target: int | float | tuple[int, int] | None = None
    context: int = 1
    cls: int = 0
    cut: bool = False


def items(task: Task, examples: Iterable[Example], frame: Frame, limits: Limits) -> Iterator[Item]:
    """The items of examples in order, read some at a time; all of one example follow each other."""
    numbered = enumerate(examples)
    while some := list(islice(numbered, READ_AT_ONCE)):
        numbers, group = [number for number, _ in some], [example for _, example in some]
        if task.kind == "sentence":
            yield from _sentences(task, numbers, _only(SentenceExample, group), frame, limits)
        elif task.kind == "choice":
            yield from _choices(numbers, _only(ChoiceExample, group), frame, limits)
        else:
            yield from _windows(numbers, _only(QuestionExample, group), frame, limits)


def _only(kind: type[T], examples: Sequence[Example]) -> list[T]:
    chosen: list[T] = [example for example in examples if isinstance(example, kind)]
    if len(chosen) != len(examples):
        raise InputError("the examples are of another kind than the task")
    return chosen


# Sentences and pairs


def _sentences(
    task: Task,
    numbers: Sequence[int],
    examples: Sequence[SentenceExample],
    frame: Frame,
    limits: Limits,
) -> Iterator[Item]:
    first = frame.read_all([example.first for example in examples])
    second = iter(frame.read_all([each.second for each in examples if each.second is not None]))
    targets = {label: number for number, label in enumerate(task.labels)}
    for number, example, one in zip(numbers, examples, first, strict=True):
        other = None if example.second is None else next(second)
        room = limits.longest - special_tokens(frame, pair=other is not None)
        sizes = truncated_sizes(len(one.ids), 0 if other is None else len(other.ids), room)
        parts = [
            _slice(tokens, 0, size)
            for tokens, size in zip((one, other), sizes, strict=True)
            if tokens is not None
        ]
        whole = sum(len(tokens.ids) for tokens in (one, other) if tokens is not None)
        yield Item(
            number,
            (frame.join(*parts),),
            _label_target(task, targets, example),
            cut=sum(sizes) < whole,
        )


def _label_target(
    task: Task, targets: dict[str, int], example: SentenceExample
) -> int | float | None:
    if example.label is None:
        return None
    if task.regression:
        return float(example.label)
    if example.label not in targets:
        raise TrainError(
            f"example {example.id}: the label {example.label!r} is none of {', '.join(targets)}"
        )
    return targets[str(example.label)]


def truncated_sizes(first: int, second: int, room: int) -> tuple[int, int]:
    """How many tokens of a pair are kept, the longer text giving way: Hugging Face's `longest_first`.

    Where both give way, each keeps half, and of an odd room the longer text keeps one more.
    """
    if first + second <= room:
        return first, second
    shorter = min(first, second)
    small = min(shorter, room // 2)
    large = room - small
    return (small, large) if first <= second else (large, small)


# Multiple choice


def _choices(
    numbers: Sequence[int], examples: Sequence[ChoiceExample], frame: Frame, limits: Limits
) -> Iterator[Item]:
    articles = _read_each_once([example.context for example in examples], frame)
    asked = iter(
        frame.read_all(
            [f"{each.question} {option}" for each in examples for option in each.options]
        )
    )
    room = limits.longest - special_tokens(frame, pair=True)
    most = min(QUESTION_AND_OPTION, room // 2)
    for number, example, article in zip(numbers, examples, articles, strict=True):
        sequences, cut = [], False
        for question in islice(asked, len(example.options)):
            size = len(question.ids)
            end = _slice(question, max(0, size - most), size)
            begin = _slice(article, 0, room - len(end.ids))
            sequences.append(frame.join(begin, end))
            cut |= len(begin.ids) < len(article.ids) or len(end.ids) < size
        yield Item(number, tuple(sequences), example.answer, context=0, cut=cut)


# Answers in a context


def _windows(
    numbers: Sequence[int], examples: Sequence[QuestionExample], frame: Frame, limits: Limits
) -> Iterator[Item]:
    contexts = _read_each_once([example.context for example in examples], frame)
    questions = frame.read_all([example.question.lstrip() for example in examples])
    room = limits.longest - special_tokens(frame, pair=True)
    context_part = 0 if context_stands_first(frame) else 1
    for number, example, question, context in zip(
        numbers, examples, questions, contexts, strict=True
    ):
        stride, asked = limits.stride, len(question.ids)
        if room - len(question.ids) <= stride:
            question = _slice(question, 0, room // 2)
            stride = min(stride, (room - len(question.ids)) // 2)
        for start, end in window_places(len(context.ids), room - len(question.ids), stride):
            part = _slice(context, start, end)
            parts = (question, part) if context_part else (part, question)
            sequence = frame.join(*parts)
            cls = _cls_place(sequence, frame)
            target = answer_place(sequence, example, context_part, cls)
            yield Item(
                number, (sequence,), target, context_part, cls, cut=len(question.ids) < asked
            )


def window_places(count: int, size: int, stride: int) -> Iterator[tuple[int, int]]:
    """Windows of `size` tokens over `count`, neighbours sharing `stride`; the last may be short."""
    start = 0
    while True:
        end = min(start + size, count)
        yield start, end
        if end == count:
            return
        start += size - stride


def answer_place(
    sequence: Encoding, example: QuestionExample, context: int, cls: int
) -> tuple[int, int] | None:
    """The first and last token of the first answer; those of [CLS] if it is not wholly here."""
    if not example.known:
        return None
    # Tokens of white space only have no place of their own.
    places = np.flatnonzero((sequence.part == context) & (sequence.ends > sequence.starts))
    starts, ends = sequence.starts[places], sequence.ends[places]
    if not example.answers or not len(places):
        return cls, cls
    begin = example.answers[0].start
    stop = begin + len(example.answers[0].text)
    if starts[0] > begin or ends[-1] < stop:
        return cls, cls
    first = int(np.searchsorted(starts, begin, "right")) - 1
    last = int(np.searchsorted(ends, stop, "left"))
    return int(places[first]), int(places[last])


def context_stands_first(frame: Frame) -> bool:
    """Whether a context comes before its question: in a family that pads left, as XLNet's authors did."""
    return isinstance(frame, Tokenizer) and frame.template.pads_left


def _cls_place(sequence: Encoding, frame: Frame) -> int:
    if not isinstance(frame, Tokenizer):
        return 0  # what begins a sentence stands for it
    return int(np.flatnonzero((sequence.part == SPECIAL) & (sequence.ids == frame.cls_id))[0])


# Tokens


def special_tokens(frame: Frame, *, pair: bool) -> int:
    """How many special tokens one text gets, or two."""
    (nothing,) = frame.read_all([""])
    return len(frame.join(nothing, nothing if pair else None))


def _slice(tokens: Tokens, start: int, end: int) -> Tokens:
    offsets = tokens.offsets
    return Tokens(
        tokens.ids[start:end], TokenOffsets(offsets.starts[start:end], offsets.ends[start:end]), 0
    )


def _read_each_once(texts: Sequence[str], frame: Frame) -> list[Tokens]:
    """The tokens of texts, of which the same may come many times, as contexts do."""
    different = list(dict.fromkeys(texts))
    tokens = dict(zip(different, frame.read_all(different), strict=True))
    return [tokens[text] for text in texts]
