"""Examples as token ids: framed, cut and windowed as Hugging Face's tokenizers do it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from workshop.tokenization.vocabulary_files import write_vocabulary

from incognote.align.word_tokenizer import ByteWords
from incognote.base.errors import InputError, TrainError
from incognote.workshop.tasks.inputs import (
    Item,
    Limits,
    WordFrame,
    items,
    truncated_sizes,
    window_places,
)
from incognote.workshop.tasks.task import (
    GLUE,
    TASKS,
    Answer,
    ChoiceExample,
    QuestionExample,
    SentenceExample,
)
from incognote.workshop.tokenization import Tokenizer, load

PUBLISHED = ROOT.parent / "shared" / "tokenizers"
FAMILIES = ("bert", "roberta", "albert", "xlnet", "modernbert", "deberta-v2")
SHARES = ((0.4, 3), (0.6, 9), (0.95, 0), (2.0, 4))
"""How much of the context a window has room for, and the stride."""
CASES = [
    *((family, *share) for family in FAMILIES for share in SHARES),
    *((each.name, *SHARES[1]) for each in sorted(PUBLISHED.glob("*-*")) if each.is_dir()),
]

QUESTION = "  Where does the pain of José come from?"
CONTEXT = (
    "José has pain in the chest since Monday — it radiates to the left arm. The ECG shows "
    "nothing new; troponin is normal.\n\nHe was given aspirin, and feels better. "
) * 3
every_tokenizer = pytest.mark.parametrize("name", FAMILIES)


@pytest.fixture(scope="module")
def vocabularies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("vocabularies")
    for family in FAMILIES:
        write_vocabulary(root / family, family)
    return root


@cache
def tokenizer(folder: Path, name: str) -> Tokenizer:
    if name in FAMILIES:
        return load(folder / name, family=name)
    return load(PUBLISHED / name)


def oracle(ours: Tokenizer) -> Any:
    """Hugging Face's tokenizer around the same library object."""
    kind: Any = transformers.PreTrainedTokenizerFast
    return kind(tokenizer_object=ours.library_copy())


def question(context: str = CONTEXT, *answers: Answer) -> QuestionExample:
    return QuestionExample("q", QUESTION, context, answers)


def windows(example: QuestionExample, ours: Any, longest: int, stride: int) -> list[Item]:
    limits = Limits(longest=longest, stride=stride)
    return list(items(TASKS["squad"], [example], ours, limits))


@pytest.mark.parametrize(("name", "share", "stride"), CASES)
def test_windows_are_those_of_hugging_face(
    name: str, share: float, stride: int, vocabularies: Path
) -> None:
    ours = tokenizer(vocabularies, name)
    texts = (QUESTION.lstrip(), CONTEXT)
    counts = [len(ours.read(text).ids) for text in texts]
    longest = counts[0] + 5 + stride + int(share * counts[1])
    first = ours.template.pads_left
    wanted = oracle(ours)(
        *(reversed(texts) if first else texts),
        max_length=longest,
        stride=stride,
        truncation="only_first" if first else "only_second",
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        return_token_type_ids=True,
    )
    found = windows(question(), ours, longest, stride)
    assert [item.sequences[0].ids.tolist() for item in found] == wanted["input_ids"]
    if name not in ("roberta", "roberta-base", "modernbert"):  # one segment: the library gives two
        segments = [item.sequences[0].segments.tolist() for item in found]
        assert segments == wanted["token_type_ids"]
    for item, offsets in zip(found, wanted["offset_mapping"], strict=True):
        sequence = item.sequences[0]
        places = list(zip(sequence.starts.tolist(), sequence.ends.tolist(), strict=True))
        # Of a character in several byte tokens, and of white space, the library has other places.
        alike = [
            (CONTEXT if part == item.context else texts[0])[a:b].isalnum()
            for part, (a, b) in zip(sequence.part.tolist(), offsets, strict=True)
        ]
        assert [p for p, same in zip(places, alike, strict=True) if same] == [
            p for p, same in zip(offsets, alike, strict=True) if same
        ]


@every_tokenizer
@pytest.mark.parametrize("longest", [9, 15, 24, 400])
def test_pairs_are_cut_as_by_hugging_face(name: str, longest: int, vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, name)
    texts = ["The chest is clear to the left.", "Pain.", CONTEXT]
    pairs = [(one, two) for one in texts for two in texts]
    wanted = oracle(ours)(
        [one for one, _ in pairs],
        [two for _, two in pairs],
        max_length=longest,
        truncation=True,
        return_token_type_ids=True,
    )
    examples = [SentenceExample(f"{n}", *pair) for n, pair in enumerate(pairs)]
    found = [
        item.sequences[0] for item in items(GLUE["rte"], examples, ours, Limits(longest=longest))
    ]
    assert [sequence.ids.tolist() for sequence in found] == wanted["input_ids"]
    assert [sequence.segments.tolist() for sequence in found] == wanted["token_type_ids"]


@every_tokenizer
def test_single_texts_are_cut_at_their_end(name: str, vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, name)
    wanted = oracle(ours)([CONTEXT, "Pain."], max_length=12, truncation=True)["input_ids"]
    examples = [SentenceExample("a", CONTEXT, label="1"), SentenceExample("b", "Pain.", label="0")]
    found = list(items(GLUE["sst-2"], examples, ours, Limits(longest=12)))
    assert [item.sequences[0].ids.tolist() for item in found] == wanted
    assert [item.target for item in found] == [1, 0]
    assert [item.number for item in found] == [0, 1]


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 60))
def test_the_longer_of_a_pair_gives_way_token_by_token(first: int, second: int, room: int) -> None:
    sizes = [first, second]
    while sum(sizes) > room:  # as the paper's code does it
        sizes[sizes[0] < sizes[1]] -= 1
    found = truncated_sizes(first, second, room)
    assert sum(found) == sum(sizes)
    assert sorted(found) == sorted(sizes)


@given(st.integers(0, 300), st.integers(1, 60), st.data())
def test_windows_cover_all_and_share_what_they_should(
    count: int, size: int, data: st.DataObject
) -> None:
    stride = data.draw(st.integers(0, size - 1))
    found = list(window_places(count, size, stride))
    covered = np.zeros(count, int)
    for start, end in found:
        covered[start:end] += 1
    assert covered.all()
    assert found[0][0] == 0
    assert found[-1][1] == count
    for (_, end), (start, after) in pairwise(found):
        assert end - start == stride
        assert after > end
    assert all(end - start == size for start, end in found[:-1])


def walked(item: Item, answer: Answer) -> tuple[int, int]:
    """The first and last token of an answer, sought from both ends of the context."""
    sequence = item.sequences[0]
    places = [
        n
        for n in np.flatnonzero(sequence.part == item.context).tolist()
        if sequence.ends[n] > sequence.starts[n]
    ]
    first, last = 0, len(places) - 1
    stop = answer.start + len(answer.text)
    if sequence.starts[places[0]] > answer.start or sequence.ends[places[-1]] < stop:
        return item.cls, item.cls
    while first < len(places) and sequence.starts[places[first]] <= answer.start:
        first += 1
    while last >= 0 and sequence.ends[places[last]] >= stop:
        last -= 1
    return places[first - 1], places[last + 1]


def solid_stretches(text: str) -> Iterator[Answer]:
    """Stretches of one to four words."""
    words = text.split(" ")
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    for begin in range(0, len(words) - 4, 3):
        yield Answer(" ".join(words[begin : begin + 1 + begin % 4]), int(starts[begin]))


@every_tokenizer
def test_answers_are_where_they_stand_or_at_cls(name: str, vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, name)
    longest = len(ours.read(QUESTION).ids) + 40
    seen = 0
    for answer in solid_stretches(CONTEXT):
        assert CONTEXT.startswith(answer.text, answer.start)
        for item in windows(question(CONTEXT, answer), ours, longest, 12):
            assert item.target == walked(item, answer)
            assert isinstance(item.target, tuple)
            sequence, (first, last) = item.sequences[0], item.target
            if first == item.cls:
                assert sequence.ids[first] == ours.cls_id
                continue
            seen += 1
            stretch = CONTEXT[sequence.starts[first] : sequence.ends[last]]
            assert answer.text.strip() in stretch
            assert CONTEXT[sequence.starts[first + 1] : sequence.ends[last]].find(
                answer.text
            ) < 0 or (first == last)
    assert seen > 10


def test_without_an_answer_all_windows_point_to_cls(vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, "bert")
    impossible = windows(question(), ours, 80, 10)
    assert {item.target for item in impossible} == {(0, 0)}
    unknown = QuestionExample("q", QUESTION, CONTEXT, known=False)
    assert {item.target for item in windows(unknown, ours, 80, 10)} == {None}


def test_xlnets_context_stands_first_and_cls_last(vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, "xlnet")
    item = windows(question("Pain in the chest."), ours, 200, 10)[0]
    sequence = item.sequences[0]
    assert item.context == 0
    assert item.cls == len(sequence) - 1
    assert sequence.starts[0] == 0
    assert ours.tokens(sequence.ids[-1:].tolist()) == ["<cls>"]


def test_a_question_longer_than_its_window_is_cut_and_the_context_still_read(
    vocabularies: Path,
) -> None:
    ours = tokenizer(vocabularies, "bert")
    long = QuestionExample(
        "q", "pain " * 300, CONTEXT, (Answer("aspirin", CONTEXT.index("aspirin")),)
    )
    found = windows(long, ours, 64, 128)
    assert all(len(item.sequences[0]) <= 64 for item in found)
    read = {
        place
        for item in found
        for place in item.sequences[0].starts[item.sequences[0].part == 1].tolist()
    }
    assert read == set(ours.read(CONTEXT).offsets.starts.tolist())
    assert any(item.target != (0, 0) for item in found)


def test_an_empty_context_is_one_window(vocabularies: Path) -> None:
    found = windows(question(""), tokenizer(vocabularies, "bert"), 64, 10)
    assert [item.target for item in found] == [(0, 0)]


def test_of_a_choice_only_the_article_is_cut(vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, "albert")
    options = ("the chest", "the left arm", "nothing new", "aspirin")
    example = ChoiceExample("c", CONTEXT, "It radiates to _ .", options, 1)
    (item,) = items(TASKS["race"], [example], ours, Limits(longest=64))
    assert item.target == 1
    assert len(item.sequences) == 4
    for option, sequence in zip(options, item.sequences, strict=True):
        assert len(sequence) == 64
        asked = f"It radiates to _ . {option}"
        assert sequence.ids[sequence.part == 1].tolist() == ours.read(asked).ids.tolist()
        article = sequence.ids[sequence.part == 0].tolist()
        assert article == ours.read(CONTEXT).ids[: len(article)].tolist()


def test_of_a_long_question_with_an_option_the_end_is_read(vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, "bert")
    example = ChoiceExample("c", CONTEXT, "pain " * 400, ("left arm", "right arm"))
    (item,) = items(TASKS["race"], [example], ours, Limits(longest=512))
    for option, sequence in zip(example.options, item.sequences, strict=True):
        asked = sequence.ids[sequence.part == 1]
        whole = ours.read(f"{example.question} {option}").ids
        assert asked.tolist() == whole[-128:].tolist()
    assert item.target is None


def test_words_are_framed_as_sentences() -> None:
    frame = WordFrame(ByteWords())
    answer = Answer("left arm", CONTEXT.index("left arm"))
    found = windows(question(CONTEXT, answer), frame, 60, 10)
    assert len(found) > 1
    assert found[0].sequences[0].ids.shape == (60, 50)
    first, last = next(item.target for item in found if item.target != (0, 0))  # type: ignore[misc]
    sequence = next(item for item in found if item.target != (0, 0)).sequences[0]
    assert CONTEXT[sequence.starts[first] : sequence.ends[last]] == "left arm"
    pair = SentenceExample("a", "no pain today", "it hurts", "entailment")
    (item,) = items(GLUE["rte"], [pair], frame, Limits(longest=20))
    assert item.sequences[0].part.tolist() == [-1, 0, 0, 0, -1, -1, 1, 1, -1]
    assert item.sequences[0].segments.tolist() == [0] * 5 + [1] * 4


def test_memory_does_not_grow_with_the_number_of_examples(vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, "bert")
    asked = []

    def endless() -> Iterator[SentenceExample]:
        while True:
            asked.append(0)
            yield SentenceExample(f"{len(asked)}", "pain")

    stream = items(GLUE["sst-2"], endless(), ours, Limits(longest=16))
    for _ in range(100):
        next(stream)
    assert len(asked) < 200


def test_wrong_examples_and_limits_are_refused(vocabularies: Path) -> None:
    ours = tokenizer(vocabularies, "bert")
    with pytest.raises(TrainError, match="label 'maybe' is none of entailment, not_entailment"):
        list(
            items(GLUE["rte"], [SentenceExample("7", "a", "b", "maybe")], ours, Limits(longest=16))
        )
    with pytest.raises(InputError, match="of another kind"):
        list(items(TASKS["race"], [SentenceExample("7", "a")], ours, Limits(longest=16)))
    with pytest.raises(TrainError, match="room for 8 tokens"):
        Limits(longest=4)
    with pytest.raises(TrainError, match="stride"):
        Limits(longest=40, stride=-1)
