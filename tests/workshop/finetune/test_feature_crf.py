"""The feature CRF in a tagger gives what CRFsuite gives: likelihoods, marginals, tags, gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest
import torch
from toy_corpus import toy

from incognote.align.decode import marginals, viterbi
from incognote.base.errors import TrainError
from incognote.document import Document
from incognote.workshop.finetune.baselines import begin
from incognote.workshop.finetune.feature_crf import FeatureCrfRun, learn, run_kind, sequences, take
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.predict import note_scores, predict, strict_figures
from incognote.workshop.training.epochs import Tick
from incognote.workshop.training.loop import Paused

WHOLE = ("O", "B-PATIENT", "B-CITY", "B-DATE", "B-NEVER")
"""Labels that may follow each other in any order, as CRFsuite has them; of one there is no note."""

OPTIONS: dict[str, Any] = {"crf": True, "shape": True, "l1": 0.0, "iterations": 60, "window": 24}


def noisy(count: int) -> list[Document]:
    """Notes in which a name is sometimes none, so that probabilities are neither 0 nor 1."""
    return [
        note.with_spans(span for place, span in enumerate(note.spans) if (number + place) % 5)
        for number, note in enumerate(toy(count))
    ]


def run_of(tmp_path: Path, notes: list[Document], **changes: Any) -> FeatureCrfRun:
    options = Options(**{**OPTIONS, **changes})
    start = begin("crf", WHOLE, notes)
    assert run_kind(start) is FeatureCrfRun
    return FeatureCrfRun(start, notes, [], options, tmp_path)


def theirs(run: FeatureCrfRun, notes: list[Document], path: Path) -> Any:
    """CRFsuite's own model of the same notes."""
    trainer = pycrfsuite.Trainer(verbose=False)
    for attributes, tags in sequences(
        notes, run.reader, run.tagger.labels, run.tagger.model.config
    ):
        trainer.append(attributes, tags)
    trainer.select("lbfgs")
    options = run.options
    trainer.set_params(
        {
            "c1": options.l1,
            "c2": options.l2,
            "max_iterations": options.iterations,
            "feature.possible_transitions": True,
        }
    )
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def test_tags_marginals_and_likelihoods_are_those_of_crfsuite(tmp_path: Path) -> None:
    notes = noisy(12)
    run = run_of(tmp_path, notes)
    run.train()
    tagger, labels = run.tagger.eval(), run.tagger.labels.names
    other = theirs(run, notes, tmp_path / "theirs.crfsuite")
    readings = run.reader.read_all([note.text for note in notes])
    pairs = sequences(notes, run.reader, run.tagger.labels, tagger.model.config)
    unsure = 0
    for (attributes, tags), scores in zip(pairs, note_scores(tagger, readings), strict=True):
        other.set(attributes)
        assert [labels[tag] for tag in viterbi(scores, tagger.transitions)] == other.tag()
        shares = marginals(scores, tagger.transitions)
        for place in range(len(scores)):
            expected = [other.marginal(label, place) for label in labels[:-1]]
            np.testing.assert_allclose(shares[place, :-1], expected, atol=2e-5)
            unsure += max(expected) < 0.99
        assert shares[:, -1].max() < 1e-9  # what no note has is not found
        numbers = torch.tensor([labels.index(tag) for tag in tags])
        flag = torch.tensor([True])
        assert tagger.crf is not None
        lost = tagger.crf(torch.from_numpy(scores), numbers, (len(scores),), flag, flag)
        assert lost.item() == pytest.approx(-np.log(other.probability(tags)), rel=1e-3, abs=1e-3)
    assert unsure > 10


def test_at_crfsuites_optimum_the_gradient_is_that_of_the_penalty(tmp_path: Path) -> None:
    notes = noisy(8)
    run = run_of(tmp_path, notes, iterations=2000, l2=0.5)
    run.train()
    tagger = run.tagger.eval()
    learned = learn(notes, run.reader, tagger, run.options)
    tagger.zero_grad()
    readings = run.reader.read_all([note.text for note in notes])
    pairs = sequences(notes, run.reader, tagger.labels, tagger.model.config)
    flag = torch.tensor([True])
    assert tagger.crf is not None
    for (_, tags), reading in zip(pairs, readings, strict=True):
        assert reading.shapes is not None
        logits = tagger(
            torch.from_numpy(reading.ids),
            lengths=(len(reading.ids),),
            shapes=torch.from_numpy(reading.shapes),
        )
        numbers = torch.tensor([tagger.labels.names.index(tag) for tag in tags])
        tagger.crf(logits, numbers, (len(numbers),), flag, flag).sum().backward()
    encoder: Any = tagger.model.encoder
    own = encoder.own
    places = [
        (int(attribute[1:]), tagger.labels.names.index(label))
        for attribute, label in learned.states
        if attribute[0] == "o"
    ]
    assert len(places) > 100
    rows, columns = (torch.tensor(each) for each in zip(*places, strict=True))
    gradient = own.grad[rows, columns] + 2 * run.options.l2 * own.detach()[rows, columns]
    assert gradient.abs().max() < 0.05 * own.grad.abs().max()
    between = tagger.crf.between
    assert between.grad is not None
    rest = (between.grad + 2 * run.options.l2 * between.detach())[:4, :4]
    assert rest.abs().max() < 0.05 * between.grad.abs().max()


def test_it_learns_and_tells_of_each_iteration(tmp_path: Path) -> None:
    ticks: list[tuple[int, float]] = []
    notes = toy(30)
    start = begin(
        "crf", ("O", *(f"{p}-{t}" for t in ("CITY", "DATE", "PATIENT") for p in "BI")), notes
    )
    run = FeatureCrfRun(
        start,
        notes,
        toy(40)[30:],
        Options(**{**OPTIONS, "l1": 0.1}),
        tmp_path,
        watch=lambda tick: ticks.append((tick.progress.steps, tick.progress.loss)),
    )
    run.train()
    assert [steps for steps, _ in ticks] == list(range(1, len(ticks) + 1))
    assert ticks[-1][1] < ticks[0][1]
    assert run.progress.curve[-1]["f1"] > 0.9
    found = predict(run.tagger, run.reader, toy(40)[30:])
    assert strict_figures(toy(40)[30:], found)["f1"] == run.progress.curve[-1]["f1"]


def test_whoever_watches_can_stop_it(tmp_path: Path) -> None:
    def stop(tick: Tick) -> None:
        if tick.progress.steps == 3:
            raise Paused

    notes = toy(6)
    run = FeatureCrfRun(
        begin("crf", WHOLE, notes), notes, [], Options(**OPTIONS), tmp_path, watch=stop
    )
    with pytest.raises(Paused):
        run.train()
    assert run.progress.steps == 3


def test_windows_must_overlap_by_what_is_seen_around_a_word(tmp_path: Path) -> None:
    with pytest.raises(TrainError, match="--overlap must be 6 or more"):
        run_of(tmp_path, toy(3), overlap=5)


def test_sums_do_not_depend_on_windows(tmp_path: Path) -> None:
    notes = noisy(6)
    run = run_of(tmp_path, notes)
    run.train()
    tagger = run.tagger.eval()
    weights = learn(notes, run.reader, tagger, run.options)
    take(tagger, weights)
    text = " ".join(note.text for note in notes)
    whole = run_of(tmp_path / "whole", notes, window=2000).reader
    (one,), (other,) = (note_scores(tagger, each.read_all([text])) for each in (run.reader, whole))
    np.testing.assert_allclose(one, other, atol=1e-5)
