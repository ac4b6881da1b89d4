"""What pretraining learns, one file each; `objective.py` has the contract with the loop.

- `mlm`: masked pieces, alone or with NSP or SOP (`mlm`, `mlm+nsp`, `mlm+sop`).
- `electra`: replaced tokens, and three variants (`electra`, `electra-15`, `replace-mlm`,
  `all-tokens-mlm`); `electra_pair` has the generator beside the discriminator.
- `permutation`: XLNet's (`xlnet`). `bilm`: ELMo's, forward and backward (`elmo`).
- `packing`: masked sequences without padding.

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

from incognote.pretrain.corpus.shards import Shards
from incognote.pretrain.objectives.bilm import BiLanguageObjective
from incognote.pretrain.objectives.electra import ElectraObjective, Variant
from incognote.pretrain.objectives.electra_pair import Generator, Sharing
from incognote.pretrain.objectives.mlm import MaskedLanguageObjective
from incognote.pretrain.objectives.objective import Batch, Losses, Objective, Tally
from incognote.pretrain.objectives.permutation import PermutationObjective
from incognote.pretrain.words import WordVocabulary
from incognote.tokenization.tokenizer import Tokenizer
from incognote.training.errors import TrainError

__all__ = ["OBJECTIVES", "Batch", "Losses", "Objective", "Tally", "make_objective"]


def _masked(question: str | None) -> Callable[..., Objective]:
    return lambda tokenizer, shards: MaskedLanguageObjective(tokenizer, question)


def _electra(variant: Variant) -> Callable[..., Objective]:
    def make(
        tokenizer: Tokenizer,
        shards: Shards,
        *,
        generator_size: float = 0.25,
        sharing: Sharing = "embeddings",
        weight: float | None = None,
    ) -> Objective:
        return ElectraObjective(tokenizer, variant, Generator(generator_size, sharing), weight)

    return make


def _bilm(
    tokenizer: Tokenizer, shards: Shards, *, words: int = 100_000, samples: int = 8192
) -> Objective:
    return BiLanguageObjective(tokenizer, WordVocabulary.of(shards, words), samples)


OBJECTIVES: dict[str, Callable[..., Objective]] = {
    "mlm": _masked(None),
    "mlm+nsp": _masked("nsp"),
    "mlm+sop": _masked("sop"),
    "electra": _electra("electra"),
    "electra-15": _electra("electra-15"),
    "replace-mlm": _electra("replace-mlm"),
    "all-tokens-mlm": _electra("all-tokens-mlm"),
    "xlnet": lambda tokenizer, shards: PermutationObjective(tokenizer),
    "elmo": _bilm,
}
"""Objectives by name, from a tokenizer, the shards to train on, and options of their own."""


def make_objective(name: str, tokenizer: Tokenizer, shards: Shards, **options: Any) -> Objective:
    """The objective of that name.

    options: `generator_size`, `sharing` and `weight` of ELECTRA and its variants; `words` and
    `samples` of elmo, which counts the words of the shards first.
    """
    if name not in OBJECTIVES:
        raise TrainError(f"no objective {name!r}; there are {', '.join(OBJECTIVES)}")
    return OBJECTIVES[name](tokenizer, shards, **options)
