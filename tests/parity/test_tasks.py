"""Checkpoints of tasks load in Hugging Face's and say there what they say here, in its pipeline and models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from encoder_oracle import TINY
from tiny_tasks import TASKS as TOYS
from tiny_tasks import examples
from workshop.tokenization.vocabulary_files import write_vocabulary

from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.xlnet import XlnetConfig
from incognote.workshop.tasks.answers import AnswerRules
from incognote.workshop.tasks.checkpoint import load_checkpoint, write_checkpoint
from incognote.workshop.tasks.inputs import Limits, items
from incognote.workshop.tasks.metrics import score
from incognote.workshop.tasks.predict import Predicted, predictions, value_of
from incognote.workshop.tasks.task import SentenceExample, Task
from incognote.workshop.tasks.torch_task import HEADS, TorchTask
from incognote.workshop.tokenization import load as load_tokenizer

NAMES = ("contradiction", "entailment", "neutral")
NLI = Task(name="pair", title="NLI", kind="sentence", labels=NAMES, pairs=True)
ONE = Task(name="sentence", title="Kinds", kind="sentence", labels=NAMES, pairs=False)
NUMBER = replace(TOYS["number"], title="A number")
SIZES: dict[str, Any] = {"hidden_size": 24, "layers": 2, "heads": 4, "feed_forward_size": 40}
CONFIGS: dict[str, Any] = {
    **TINY,
    "xlnet": XlnetConfig(**SIZES),
}
WRITTEN = {"electra": "bert", "distilbert": "bert"}
"""Families with another's vocabulary."""
TEXTS = (
    "The patient was seen in Oslo.",
    "He walks.",
    "A fever of three days, then none.",
    "4 mg",
)


def checkpoint(folder: Path, family: str, task: Task) -> TorchTask:
    """Random weights from N(0, 0.3), as a finished run leaves them."""
    vocabulary = folder / "vocabulary"
    vocabulary.mkdir(parents=True)
    frame = load_tokenizer(write_vocabulary(vocabulary, WRITTEN.get(family, family)), family=family)
    config = replace(
        CONFIGS[family], vocabulary_size=frame.vocabulary_size, pad_id=frame._special["pad"]
    )
    if family not in ("xlnet",):
        config = replace(config, positions=220)
    draws = torch.Generator().manual_seed(5)
    model = Model(config, heads=(HEADS[task.kind],), labels=task.labels or 1).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.3, generator=draws)
    rules = AnswerRules(nullable=task.nullable)
    trained = TorchTask(
        model, task, frame, Limits(longest=200 if task.kind == "sentence" else 48, stride=8), rules
    )
    write_checkpoint(folder / "out", trained, {})
    return trained


def pipeline(folder: Path) -> Any:
    return transformers.pipeline("text-classification", str(folder / "out"), device="cpu")


@pytest.mark.parametrize("family", CONFIGS)
def test_labels_of_pairs_are_those_of_the_pipeline(family: str, tmp_path: Path) -> None:
    checkpoint(tmp_path, family, NLI)
    trained = load_checkpoint(tmp_path / "out").trained
    pairs = [(one, other) for one in TEXTS for other in TEXTS]
    given: Any = [{"text": one, "text_pair": other} for one, other in pairs]
    # Of XLNet's outputs it cannot take batches apart.
    size = 1 if family == "xlnet" else 4
    theirs = pipeline(tmp_path)(given, batch_size=size, top_k=None)
    ours = list(
        predictions(trained, [SentenceExample(str(n), *pair) for n, pair in enumerate(pairs)])
    )
    for one, other in zip(ours, theirs, strict=True):
        assert isinstance(one, Predicted)
        shares = {each["label"]: each["score"] for each in other}
        assert one.value == other[0]["label"]
        assert dict(zip(NAMES, one.probabilities, strict=True)) == pytest.approx(shares, abs=2e-5)


@pytest.mark.parametrize("family", CONFIGS)
def test_labels_and_score_of_texts_are_those_of_the_pipeline(family: str, tmp_path: Path) -> None:
    checkpoint(tmp_path, family, ONE)
    trained = load_checkpoint(tmp_path / "out").trained
    some = [SentenceExample(str(n), text, label=NAMES[n % 3]) for n, text in enumerate(TEXTS * 2)]
    theirs = [each["label"] for each in pipeline(tmp_path)([each.first for each in some])]
    ours = [value_of(each) for each in predictions(trained, some)]
    assert ours == theirs
    figures = score(ONE, some, ours)
    right = np.mean([one == example.label for one, example in zip(theirs, some, strict=True)])
    assert figures["accuracy"] == pytest.approx(float(right))


@pytest.mark.parametrize("family", CONFIGS)
def test_numbers_are_those_of_the_pipeline(family: str, tmp_path: Path) -> None:
    checkpoint(tmp_path, family, NUMBER)
    trained = load_checkpoint(tmp_path / "out").trained
    some = [SentenceExample(str(n), text) for n, text in enumerate(TEXTS)]
    theirs = [each["score"] for each in pipeline(tmp_path)(list(TEXTS), function_to_apply="none")]
    assert [value_of(each) for each in predictions(trained, some)] == pytest.approx(
        theirs, abs=2e-5
    )


@pytest.mark.parametrize("kind", ["choice", "span"])
@pytest.mark.parametrize("family", CONFIGS)
def test_logits_of_options_and_windows_are_those_of_the_model(
    family: str, kind: str, tmp_path: Path
) -> None:
    """Padded beside each other on its side, as Hugging Face's tokenizers pad."""
    task = TOYS[kind]
    trained = checkpoint(tmp_path, family, task)
    architecture = trained.model.family.architecture((HEADS[task.kind],))
    theirs = getattr(transformers, architecture).from_pretrained(tmp_path / "out").eval()
    read = list(items(task, examples(kind, 5), trained.frame, trained.limits))
    sequences = [sequence for item in read for sequence in item.sequences]
    batch = trained.frame.pad(sequences)  # type: ignore[attr-defined]
    given = {"input_ids": batch.ids, "attention_mask": batch.mask}
    if trained.model.config.segments > 1:
        given["token_type_ids"] = batch.segments
    tensors = {name: torch.from_numpy(value) for name, value in given.items()}
    with torch.no_grad():
        if kind == "choice":
            one = {
                name: value.view(len(read), -1, value.shape[-1]) for name, value in tensors.items()
            }
            expected = list(theirs(**one).logits.numpy())
        else:
            output = theirs(**tensors)
            whole = torch.stack([output.start_logits, output.end_logits], -1).numpy()
            expected = [rows[mask == 1] for rows, mask in zip(whole, batch.mask, strict=True)]
    ours = [logits for _, logits in trained.logits(read)]
    for mine, other in zip(ours, expected, strict=True):
        np.testing.assert_allclose(mine, other, atol=2e-5)
