"""The settings that the papers fine-tune with, by family and task: the defaults of a run.

Where the papers count steps, epochs are those that the steps make of the official training part, so
that a smaller part is not learned by heart. Warm-up is a share of the steps, then the rate falls
linearly to 0. Dropout is the checkpoint's own. Each row says where it is from; "ours" marks what no
paper says.

| family | sources |
|---|---|
| BERT, DistilBERT | Devlin et al. 2019, sections 4.1 to 4.4 and A.3. Of its four learning rates for GLUE, the smallest for large encoders, 3e-5 for base ones, the largest for smaller ones |
| RoBERTa | Liu et al. 2019, table 10; by task, fairseq's examples/roberta/README.glue.md |
| ALBERT | Lan et al. 2020, table 14; google-research/albert's run_glue.sh |
| ELECTRA | Clark et al. 2020, appendix B; google-research/electra's configure_finetuning.py |
| XLNet | Yang et al. 2019, table 8; zihangdai/xlnet's scripts |
| ModernBERT | its authors' examples/finetune_modernbert_on_glue.ipynb; epochs of small parts are ours |
| DeBERTa | microsoft/DeBERTa's experiments/glue, version 3 for MNLI, the base one of version 1 for others |
| ELMo | Peters et al. 2018 leave it as it is under networks of other kinds; these settings are ours |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from incognote.workshop.tasks.task import Task

LARGE, BASE = 1024, 768
"""Hidden sizes from which an encoder is a large or a base one."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """layer_decay: factor on the rate from each layer to the one below.

    longest: tokens of a sequence, if the encoder takes as many. own: no paper says them for this task.
    """

    lr: float
    batch_size: int
    epochs: int
    warmup: float = 0.1
    weight_decay: float = 0.01
    layer_decay: float = 1.0
    longest: int = 128
    stride: int = 128
    own: bool = False


class HasLongest(Protocol):
    """A configuration of an encoder."""

    @property
    def longest(self) -> int:
        """The most tokens of one sequence."""


_LONGEST = {"sentence": 128, "choice": 512, "span": 384}


def longest_of(task: Task, config: HasLongest) -> int:
    """Tokens of a sequence where nothing says how it was fine-tuned."""
    return min(_LONGEST[task.kind], config.longest)


def settings_for(task: Task, family: str, hidden_size: int) -> Settings:
    """What this family is fine-tuned with for this task; for a family without a row, BERT's."""
    rows = _FAMILIES.get(family, _BERT)
    name = _row_name(task)
    settings = rows.get(name, rows[""])
    if name not in rows or family not in _FAMILIES:
        longest = settings.longest if task.kind == "sentence" else _LONGEST[task.kind]
        settings = replace(settings, longest=max(settings.longest, longest), own=True)
    return _of_size(settings, task, family, hidden_size)


def _row_name(task: Task) -> str:
    """The row of a task that the papers have; a user's own data are taken for the nearest."""
    if task.kind == "span":
        return "squad2" if task.nullable else "squad"
    if task.kind == "choice":
        return "race"
    return "mnli" if task.name == "snli" else task.name


def _of_size(settings: Settings, task: Task, family: str, hidden_size: int) -> Settings:
    if family == "electra":
        if hidden_size >= LARGE:
            return replace(settings, lr=5e-5, layer_decay=0.9)
        return settings if hidden_size >= BASE else replace(settings, lr=3e-4)
    if family == "deberta-v2" and hidden_size >= LARGE:
        return replace(settings, lr=7e-6)
    if _FAMILIES.get(family, _BERT) is _BERT and task.kind == "sentence":
        lr = 2e-5 if hidden_size >= LARGE else 3e-5 if hidden_size >= BASE else 5e-5
        return replace(settings, lr=lr)
    return settings


_BERT: Mapping[str, Settings] = {
    "": Settings(lr=3e-5, batch_size=32, epochs=3),
    **dict.fromkeys(
        ("cola", "sst-2", "mrpc", "sts-b", "qqp", "mnli", "qnli", "rte"),
        Settings(lr=3e-5, batch_size=32, epochs=3),
    ),
    "squad": Settings(lr=5e-5, batch_size=32, epochs=3, longest=384),
    "squad2": Settings(lr=5e-5, batch_size=48, epochs=2, longest=384),
    # As it was fine-tuned on SWAG, which has four options too.
    "race": Settings(lr=2e-5, batch_size=16, epochs=3, longest=512),
}


def _roberta(lr: float, batch_size: int) -> Settings:
    return Settings(lr=lr, batch_size=batch_size, epochs=10, warmup=0.06, weight_decay=0.1)


_ROBERTA: Mapping[str, Settings] = {
    "": _roberta(2e-5, 16),
    "cola": _roberta(1e-5, 16),
    "sst-2": _roberta(1e-5, 32),
    "mrpc": _roberta(1e-5, 16),
    "sts-b": _roberta(2e-5, 16),
    "qqp": replace(_roberta(1e-5, 32), warmup=0.25),
    "mnli": _roberta(1e-5, 32),
    "qnli": _roberta(1e-5, 32),
    "rte": _roberta(2e-5, 16),
    "squad": Settings(lr=1.5e-5, batch_size=48, epochs=2, warmup=0.06, longest=512),
    "squad2": Settings(lr=1.5e-5, batch_size=48, epochs=2, warmup=0.06, longest=512),
    "race": Settings(lr=1e-5, batch_size=16, epochs=4, warmup=0.06, weight_decay=0.1, longest=512),
}


def _albert(lr: float, batch_size: int, epochs: int, warmup: float, longest: int = 512) -> Settings:
    return Settings(lr=lr, batch_size=batch_size, epochs=epochs, warmup=warmup, longest=longest)


_ALBERT: Mapping[str, Settings] = {
    "": _albert(2e-5, 32, 5, 0.1),
    "cola": _albert(1e-5, 16, 10, 0.06),
    "sst-2": _albert(1e-5, 32, 10, 0.06),
    "mrpc": _albert(2e-5, 32, 7, 0.25),
    "sts-b": _albert(2e-5, 16, 10, 0.06),
    "qqp": _albert(5e-5, 128, 5, 0.07),
    "mnli": _albert(3e-5, 128, 3, 0.1),
    "qnli": _albert(1e-5, 32, 10, 0.06),
    "rte": _albert(3e-5, 32, 10, 0.25),
    "wnli": _albert(2e-5, 16, 50, 0.125),
    "squad": _albert(5e-5, 48, 2, 0.1, 384),
    "squad2": _albert(3e-5, 48, 3, 0.1),
    "race": _albert(1e-5, 32, 4, 0.08),
}


def _electra(epochs: int, longest: int = 128) -> Settings:
    return Settings(
        lr=1e-4,
        batch_size=32,
        epochs=epochs,
        weight_decay=0.0,
        layer_decay=0.8,
        longest=longest,
    )


_ELECTRA: Mapping[str, Settings] = {
    "": _electra(3),
    **dict.fromkeys(("cola", "sst-2", "mrpc", "qqp", "mnli", "qnli", "wnli"), _electra(3)),
    "rte": _electra(10),
    "sts-b": _electra(10),
    "squad": _electra(2, 512),
    "squad2": _electra(2, 512),
}

_XLNET: Mapping[str, Settings] = {
    "": Settings(lr=2e-5, batch_size=32, epochs=3, weight_decay=0.0),
    "mnli": Settings(lr=2e-5, batch_size=128, epochs=3, weight_decay=0.0),
    "squad": Settings(
        lr=3e-5, batch_size=48, epochs=3, warmup=0.125, layer_decay=0.75, longest=512
    ),
    "squad2": Settings(
        lr=3e-5, batch_size=48, epochs=3, warmup=0.125, layer_decay=0.75, longest=512
    ),
    "race": Settings(lr=2e-5, batch_size=32, epochs=4, warmup=0.08, weight_decay=0.0, longest=512),
}


def _modernbert(epochs: int) -> Settings:
    return Settings(lr=8e-5, batch_size=32, epochs=epochs, warmup=0.0, weight_decay=8e-6)


_MODERNBERT: Mapping[str, Settings] = {
    "": _modernbert(2),
    "mrpc": _modernbert(2),
    **dict.fromkeys(("cola", "rte", "sts-b"), replace(_modernbert(5), own=True)),
}


def _deberta(warmup: float, longest: int = 128) -> Settings:
    return Settings(lr=2e-5, batch_size=32, epochs=6, warmup=warmup, longest=longest)


_DEBERTA: Mapping[str, Settings] = {
    "": _deberta(0.06),
    "cola": _deberta(0.06),
    "sst-2": _deberta(0.01),
    "sts-b": _deberta(0.09),
    "rte": _deberta(0.2, 320),
    "mnli": Settings(lr=1.5e-5, batch_size=64, epochs=3, warmup=0.05, longest=256),
}

_ELMO: Mapping[str, Settings] = {
    "": Settings(lr=1e-3, batch_size=32, epochs=10, weight_decay=0.0),
}

_FAMILIES: Mapping[str, Mapping[str, Settings]] = {
    "bert": _BERT,
    "distilbert": _BERT,
    "roberta": _ROBERTA,
    "albert": _ALBERT,
    "electra": _ELECTRA,
    "xlnet": _XLNET,
    "modernbert": _MODERNBERT,
    "deberta-v2": _DEBERTA,
    "elmo": _ELMO,
}
