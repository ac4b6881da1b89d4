"""What a task leaves to its data, and the settings that the papers have for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from incognote.base.errors import RunError, TrainError
from incognote.workshop.tasks.settings import longest_of, settings_for
from incognote.workshop.tasks.task import (
    GLUE,
    TASKS,
    Answer,
    QuestionExample,
    SentenceExample,
    fitted,
    task_named,
)


def test_labels_are_found_and_sorted_numbers_by_their_size() -> None:
    def labels(*found: str) -> tuple[str, ...]:
        return fitted(TASKS["pair"], [SentenceExample("", "a", "b", each) for each in found]).labels

    assert labels("present", "absent", "absent") == ("absent", "present")
    assert labels("10", "9", "-1") == ("-1", "9", "10")
    assert labels("10", "9", "none") == ("10", "9", "none")


def test_published_tasks_keep_their_labels() -> None:
    task = GLUE["rte"]
    assert fitted(task, [SentenceExample("", "a", "b", "entailment")]) == task


def test_a_regression_has_no_labels_and_others_need_some() -> None:
    numbers = replace(TASKS["sentence"], regression=True)
    assert fitted(numbers, [SentenceExample("", "a", label=1.5)]).labels == ()
    with pytest.raises(TrainError, match="no example has a label"):
        fitted(TASKS["sentence"], [SentenceExample("", "a")])


def test_whether_there_is_always_an_answer_is_seen_from_ones_own_questions() -> None:
    answered = QuestionExample("", "?", "a", (Answer("a", 0),))
    impossible = QuestionExample("", "?", "a")
    assert not fitted(TASKS["span"], [answered]).nullable
    assert fitted(TASKS["span"], [answered, impossible]).nullable
    assert fitted(TASKS["squad2"], [answered]).nullable


def test_an_unknown_task_is_named_with_those_there_are() -> None:
    with pytest.raises(RunError, match="no task 'glue'; there are cola, sst-2"):
        task_named("glue")


@pytest.mark.parametrize(
    ("family", "size", "task", "expected"),
    [
        ("bert", 768, "sst-2", {"lr": 3e-5, "batch_size": 32, "epochs": 3, "weight_decay": 0.01}),
        ("bert", 384, "rte", {"lr": 5e-5}),
        ("bert", 1024, "rte", {"lr": 2e-5}),
        ("bert", 768, "squad", {"lr": 5e-5, "epochs": 3, "longest": 384, "stride": 128}),
        ("bert", 768, "squad2", {"batch_size": 48, "epochs": 2}),
        ("albert", 768, "sst-2", {"lr": 1e-5, "epochs": 10, "warmup": 0.06}),
        ("albert", 768, "mnli", {"lr": 3e-5, "batch_size": 128, "epochs": 3}),
        ("albert", 768, "race", {"lr": 1e-5, "batch_size": 32, "longest": 512}),
        ("roberta", 768, "cola", {"lr": 1e-5, "batch_size": 16, "weight_decay": 0.1}),
        ("electra", 256, "sts-b", {"lr": 3e-4, "epochs": 10, "layer_decay": 0.8}),
        ("electra", 768, "squad", {"lr": 1e-4, "epochs": 2}),
        ("electra", 1024, "mnli", {"lr": 5e-5, "layer_decay": 0.9}),
        ("xlnet", 1024, "squad2", {"lr": 3e-5, "layer_decay": 0.75, "longest": 512}),
        ("modernbert", 768, "mrpc", {"lr": 8e-5, "weight_decay": 8e-6, "warmup": 0.0}),
        ("distilbert", 768, "sst-2", {"lr": 3e-5}),
        ("deberta-v2", 768, "mnli", {"lr": 1.5e-5, "batch_size": 64, "longest": 256}),
        ("deberta-v2", 1024, "mnli", {"lr": 7e-6}),
    ],
)
def test_settings_are_the_papers(
    family: str, size: int, task: str, expected: dict[str, float]
) -> None:
    settings = settings_for(TASKS[task], family, size)
    assert {name: getattr(settings, name) for name in expected} == expected
    assert not settings.own


def test_every_family_has_settings_for_every_task_and_says_which_are_ours() -> None:
    for task in TASKS.values():
        for family in (
            "bert",
            "roberta",
            "albert",
            "electra",
            "xlnet",
            "modernbert",
            "elmo",
            "new",
        ):
            settings = settings_for(task, family, 256)
            assert settings.lr > 0
            assert settings.longest >= {"sentence": 128, "choice": 512, "span": 384}[task.kind]
    assert settings_for(TASKS["race"], "electra", 256).own
    assert settings_for(TASKS["rte"], "new", 768).own
    assert settings_for(TASKS["sentence"], "bert", 256).own
    assert settings_for(TASKS["snli"], "albert", 768) == settings_for(TASKS["mnli"], "albert", 768)


def test_a_sequence_is_no_longer_than_the_encoder_takes() -> None:
    @dataclass(frozen=True)
    class Config:
        longest: int

    assert longest_of(TASKS["squad"], Config(512)) == 384
    assert longest_of(TASKS["race"], Config(64)) == 64
