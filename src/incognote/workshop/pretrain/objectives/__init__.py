"""What pretraining learns, one file each; `objective.py` has the contract with the loop.

- `mlm`: masked tokens, alone or with NSP or SOP (`mlm`, `mlm+nsp`, `mlm+sop`).
- `electra`: replaced tokens, and three variants (`electra`, `electra-15`, `replace-mlm`,
  `all-tokens-mlm`).
- `permutation`: XLNet's (`xlnet`). `elmo`: ELMo's, forward and backward (`elmo`).

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

import math
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

from incognote.base.errors import TrainError
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.objectives.electra import (
    ElectraObjective,
    Generator,
    Sharing,
    Variant,
)
from incognote.workshop.pretrain.objectives.elmo import BiLanguageObjective, WordVocabulary
from incognote.workshop.pretrain.objectives.mlm import MaskedLanguageObjective
from incognote.workshop.pretrain.objectives.objective import Batch, Losses, Objective, Tally
from incognote.workshop.pretrain.objectives.permutation import PermutationObjective
from incognote.workshop.pretrain.reading_order import Permutation
from incognote.workshop.tokenization.tokenizer import Tokenizer

__all__ = [
    "OBJECTIVES",
    "Batch",
    "Losses",
    "Objective",
    "Tally",
    "make_objective",
    "objective_options",
]


def _masked(
    tokenizer: Tokenizer, shards: Shards, *, mask: float = 0.8, random: float = 0.1
) -> Objective:
    return MaskedLanguageObjective(tokenizer, None, mask, random)


def _masked_pairs(question: str) -> Callable[..., Objective]:
    def make(
        tokenizer: Tokenizer,
        shards: Shards,
        *,
        mask: float = 0.8,
        random: float = 0.1,
        weight: float = 1.0,
    ) -> Objective:
        return MaskedLanguageObjective(tokenizer, question, mask, random, weight)

    return make


def _electra(variant: Variant) -> Callable[..., Objective]:
    def make(
        tokenizer: Tokenizer,
        shards: Shards,
        *,
        generator_size: float = 0.25,
        sharing: Sharing = "embeddings",
        weight: float | None = None,
        mask: float = 0.85,
        random: float = 0.0,
    ) -> Objective:
        generator = Generator(generator_size, sharing)
        return ElectraObjective(tokenizer, variant, generator, weight, mask, random)

    return make


def _permutation(
    tokenizer: Tokenizer,
    shards: Shards,
    *,
    context: int = 6,
    longest: int = 5,
    memory: int = 0,
    both_ways: bool = False,
) -> Objective:
    settings = Permutation(context=context, longest=longest, memory=memory, both_ways=both_ways)
    return PermutationObjective(tokenizer, settings)


def _bilm(
    tokenizer: Tokenizer, shards: Shards, *, words: int = 100_000, samples: int = 8192
) -> Objective:
    return BiLanguageObjective(tokenizer, WordVocabulary.of(shards, words), samples)


OBJECTIVES: dict[str, Callable[..., Objective]] = {
    "mlm": _masked,
    "mlm+nsp": _masked_pairs("nsp"),
    "mlm+sop": _masked_pairs("sop"),
    "electra": _electra("electra"),
    "electra-15": _electra("electra-15"),
    "replace-mlm": _electra("replace-mlm"),
    "all-tokens-mlm": _electra("all-tokens-mlm"),
    "xlnet": _permutation,
    "elmo": _bilm,
}
"""Objectives by name, from a tokenizer, the shards to train on, and options of their own."""


def make_objective(name: str, tokenizer: Tokenizer, shards: Shards, **options: Any) -> Objective:
    """The objective of that name.

    options: `mask` and `random`, the shares of the chosen tokens that become the mask or another
    token, of all that mask; `weight` of the question about sentences, or of ELECTRA's discriminator;
    `generator_size` and `sharing` of ELECTRA and its variants;
    `context`, `longest`, `memory` and `both_ways` of xlnet, as `Permutation` has them; `words` and
    `samples` of elmo, which counts the words of the shards first.
    """
    check_options(name, objective_options(name), options)
    return OBJECTIVES[name](tokenizer, shards, **options)


def objective_options(name: str) -> dict[str, Any]:
    """The options that an objective takes, with their defaults.

    >>> objective_options("mlm")
    {'mask': 0.8, 'random': 0.1}
    """
    if name not in OBJECTIVES:
        raise TrainError(f"no objective {name!r}; there are {', '.join(OBJECTIVES)}")
    return options_of(OBJECTIVES[name])


def options_of(make: Callable[..., Any]) -> dict[str, Any]:
    """The options that a maker of objectives takes by name, with their defaults."""
    parameters = signature(make).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is Parameter.KEYWORD_ONLY}


def check_options(objective: str, known: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse what the objective does not know, values of another kind, and counts below any."""
    for name, value in options.items():
        if name not in known:
            raise TrainError(
                f"the objective {objective} does not take the option {name}; "
                f"it takes {', '.join(known)}"
            )
        kind, own = _kind(known[name]), _kind(value)
        if own != kind and (kind, own) != ("a number", "a whole number"):
            raise TrainError(f"the option {name} of {objective} must be {kind}, not {value}")
        least = 1 if kind == "a whole number" and known[name] else 0
        if kind.endswith("number") and value < least:
            raise TrainError(
                f"the option {name} of {objective} must be {least} or more, not {value}"
            )


def _kind(value: Any) -> str:
    """The kind of a value in a user's words; a default of None stands for a number."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int):
        return "a whole number"
    if value is None or (isinstance(value, float) and math.isfinite(value)):
        return "a number"
    return "a word" if isinstance(value, str) else "something else"
