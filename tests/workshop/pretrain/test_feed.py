"""Making the examples of a step: no more work and memory than it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from places import TESTS
from workshop.pretrain.toy_shards import drawn_shards, toy_tokenizer

from incognote.align.tokens import Integers
from incognote.workshop.pretrain.examples import Examples
from incognote.workshop.pretrain.feed import Order, Place, packs
from incognote.workshop.pretrain.loop import example_settings
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.segments import Plan, SentenceOrder

PATHS = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")]))


def made() -> Examples:
    shards = drawn_shards(20)
    objective = make_objective("mlm+sop", toy_tokenizer("albert"), shards)
    return objective.examples(shards, shards.all, example_settings(objective.settings, {}, 64), 0)


def test_packs_look_at_the_examples_of_the_step_only(monkeypatch: pytest.MonkeyPatch) -> None:
    examples, looked = made(), []
    count = examples.count(0)
    chosen = [(0, count - 1), (1, 0), (0, 3), (1, 5)]
    wanted = {each: int(examples.lengths(each[0])[each[1]]) for each in chosen}
    added = SentenceOrder.added

    def watched(self: SentenceOrder, plan: Plan) -> Integers:
        looked.append(len(plan.begins))
        return added(self, plan)

    monkeypatch.setattr(SentenceOrder, "added", watched)
    found = packs(examples, chosen, 1)
    assert sum(looked) == len(chosen)
    assert [each for pack in found for each in pack] == sorted(chosen, key=lambda e: wanted[e])


def test_the_plan_of_an_epoch_goes_with_it() -> None:
    examples = made()
    count = examples.count(0)
    order = Order(examples, 0)
    _, place = order.take(Place(0, 0), count + 2)
    assert place.epoch == 1
    order.take(place, 2)
    assert list(examples._plans) == [1]


def test_the_order_is_a_permutation_that_other_versions_draw_too() -> None:
    examples = made()
    count = examples.count(0)
    taken, _ = Order(examples, 7).take(Place(0, 0), count)
    drawn = np.random.default_rng([7, 64, 0]).permutation(count)
    assert [index for _, index in taken] == drawn.tolist()


ORPHANED = """
import os, signal
from workshop.pretrain.test_feed import made
from incognote.workshop.pretrain.feed import Feed
from incognote.workshop.pretrain.objectives import make_objective
from workshop.pretrain.toy_shards import drawn_shards, toy_tokenizer

if __name__ == "__main__":
    objective = make_objective("mlm+sop", toy_tokenizer("albert"), drawn_shards(20))
    feed = Feed(objective, made(), 1)
    for batches in feed.steps(iter([[[(0, 0)]]] * 8)):
        print(len(list(batches)), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    """What they would hold open is the pipe that is read here."""
    script = tmp_path / "orphaned.py"
    script.write_text(ORPHANED, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, script],
        env={"PYTHONPATH": PATHS, "PATH": ""},
        stdout=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    assert ran.stdout.split() == [b"1"]


def test_a_worker_that_dies_is_told_of(tmp_path: Path) -> None:
    """As one does that was killed for want of memory."""
    script = tmp_path / "dying.py"
    script.write_text(
        ORPHANED.replace("os.getpid()", "next(iter(feed._pool._executor._processes))")
    )
    ran = subprocess.run(
        [sys.executable, script],
        env={"PYTHONPATH": PATHS, "PATH": ""},
        capture_output=True,
        timeout=120,
        check=False,
    )
    last = ran.stderr.decode().splitlines()[-1]
    assert (ran.returncode, "TrainError: a process that makes examples died" in last) == (1, True)
