"""What pretraining learns, one file each; `objective.py` has the contract with the loop.

- `mlm`: masked pieces, alone or with NSP or SOP (`mlm`, `mlm+nsp`, `mlm+sop`).

    objective = make_objective("mlm+sop", tokenizer, shards)
    module = objective.build(config)                        # or objective.wrap(a loaded model)
    examples = objective.examples(shards, shards.train, objective.settings, seed)
    batch = objective.batch([examples.example(epoch, i) for i in indices])
    losses = objective.loss(module, batch)                  # losses.total.backward()
    tally = Tally(objective.parts)
    tally.add(objective.loss(module, batch, score=True))    # tally.figures()
    for name, model in objective.saved(module).items(): save(model, folder / name)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from incognote.pretrain.objectives.mlm import MaskedLanguageObjective
from incognote.pretrain.objectives.objective import Batch, Losses, Objective, Tally
from incognote.pretrain.stream import Shards
from incognote.tokenization.tokenizer import Tokenizer
from incognote.training.errors import TrainError

__all__ = ["OBJECTIVES", "Batch", "Losses", "Objective", "Tally", "make_objective"]

OBJECTIVES: dict[str, Callable[..., Objective]] = {
    "mlm": lambda tokenizer, shards: MaskedLanguageObjective(tokenizer),
    "mlm+nsp": lambda tokenizer, shards: MaskedLanguageObjective(tokenizer, "nsp"),
    "mlm+sop": lambda tokenizer, shards: MaskedLanguageObjective(tokenizer, "sop"),
}
"""Objectives by name, from a tokenizer, the shards to train on, and options of their own."""


def make_objective(name: str, tokenizer: Tokenizer, shards: Shards, **options: Any) -> Objective:
    """The objective of that name."""
    if name not in OBJECTIVES:
        raise TrainError(f"no objective {name!r}; there are {', '.join(OBJECTIVES)}")
    return OBJECTIVES[name](tokenizer, shards, **options)
