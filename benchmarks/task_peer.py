"""The same fine-tuning for a task by the `transformers` Trainer, at its best settings.

    python benchmarks/task_peer.py rte train.tsv --validation dev.tsv --encoder minilm -o peer.json
        [--lr 1e-4] [--epochs 3] [--seed 1] [--precision bf16] [--attention-dropout 0] [--threads 1]

It is given the very sequences that `incognote task train` makes of the files, and the options that
have the same names there. It puts like lengths into a batch and pads to the longest of the batch
(`group_by_length`); AdamW, its linear schedule, warm-up, clipping and the decay of weights are the same.
The head is that of Hugging Face's own class. Its logits become predictions and official figures by the
code that scores ours, which the tests hold against Hugging Face's pipelines and scikit-learn. Needs the
packages transformers and accelerate.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor
from transformers.trainer_pt_utils import LengthGroupedSampler

from incognote.base.files import write_whole
from incognote.cli.training_options import keep_memory
from incognote.evaluate.resampling import Resampling
from incognote.workshop.task_training import read_parts, report, task_options
from incognote.workshop.tasks.answers import AnswerRules, Logits
from incognote.workshop.tasks.evaluate import evaluate
from incognote.workshop.tasks.inputs import Frame, Item, Limits, items
from incognote.workshop.tasks.loop import limits_of
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.tasks.start import start
from incognote.workshop.tasks.task import Kind, Task, fitted, task_named
from incognote.workshop.training.starts import named_folder

CLASSES: dict[Kind, Any] = {
    "sentence": transformers.AutoModelForSequenceClassification,
    "choice": transformers.AutoModelForMultipleChoice,
    "span": transformers.AutoModelForQuestionAnswering,
}
EVALUATED_AT_ONCE = 32
CHOSEN = {
    "lr": float,
    "epochs": int,
    "steps": int,
    "batch_size": int,
    "warmup": float,
    "weight_decay": float,
    "attention_dropout": float,
    "dropout": float,
    "longest": int,
    "stride": int,
    "longest_answer": int,
    "precision": str,
}
FLAGS = {"longest": "--max-length"}

Feature = Mapping[str, Any]


def features(kind: Kind, some: Iterable[Item], *, labelled: bool = True) -> list[Feature]:
    """Items as the Trainer takes them; `length` is that of the longest sequence."""
    return [_feature(kind, item, labelled=labelled) for item in some]


def _feature(kind: Kind, item: Item, *, labelled: bool) -> Feature:
    ids = [sequence.ids.tolist() for sequence in item.sequences]
    segments = [sequence.segments.tolist() for sequence in item.sequences]
    feature: dict[str, Any] = {
        "input_ids": ids,
        "token_type_ids": segments,
        "length": max(map(len, ids)),
    }
    if labelled and isinstance(item.target, tuple):
        feature["start_positions"], feature["end_positions"] = item.target
    elif labelled:
        feature["labels"] = item.target
    return feature


@dataclass(frozen=True)
class Padded:
    """A batch, each sequence padded to the longest: [items, tokens], of options [items, options, tokens]."""

    kind: Kind
    pad: int

    def __call__(self, batch: Sequence[Feature]) -> dict[str, Tensor]:
        """The tensors that the model takes."""
        longest = max(each["length"] for each in batch)
        options = len(batch[0]["input_ids"])
        shape = (len(batch), options, longest)
        ids = torch.full(shape, self.pad)
        segments, mask = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
        for row, each in enumerate(batch):
            for column, tokens in enumerate(each["input_ids"]):
                ids[row, column, : len(tokens)] = torch.tensor(tokens)
                segments[row, column, : len(tokens)] = torch.tensor(each["token_type_ids"][column])
                mask[row, column, : len(tokens)] = 1
        found = {"input_ids": ids, "token_type_ids": segments, "attention_mask": mask}
        if self.kind != "choice":
            found = {name: tensor[:, 0] for name, tensor in found.items()}
        names = [
            name for name in batch[0] if name in ("labels", "start_positions", "end_positions")
        ]
        return found | {name: torch.tensor([each[name] for each in batch]) for name in names}


class Trainer(transformers.Trainer):
    """The library's, whose grouping by length also knows how long options are."""

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        data = self.train_dataset if train_dataset is None else train_dataset
        assert isinstance(data, list)
        return LengthGroupedSampler(
            self.args.train_batch_size, lengths=[each["length"] for each in data]
        )


class Clock(transformers.TrainerCallback):
    """From the first batch to the end of the last step, in seconds of the processor and of the wall."""

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """The loop begins."""
        self.began = time.process_time(), time.perf_counter()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """The last of these counts."""
        self.ended = time.process_time(), time.perf_counter()

    @property
    def seconds(self) -> dict[str, float]:
        """What the loop took."""
        cpu, wall = (after - before for before, after in zip(self.began, self.ended, strict=True))
        return {"cpu": cpu, "wall": wall}


def peer_model(
    encoder: str, task: Task, options: TaskOptions, *, random: bool = False
) -> transformers.PreTrainedModel:
    """Hugging Face's class for the task; its head is the checkpoint's if that fits, as it is in ours."""
    folder = named_folder(encoder)
    config = transformers.AutoConfig.from_pretrained(folder)
    config.num_labels = len(task.labels) if task.labels else 1
    if task.kind == "span":
        config.num_labels = 2
    if task.regression:
        config.problem_type = "regression"
    if options.dropout is not None:
        config.hidden_dropout_prob = options.dropout
    if options.attention_dropout is not None:
        config.attention_probs_dropout_prob = options.attention_dropout
    torch.manual_seed(options.seed)
    if random:
        model = CLASSES[task.kind].from_config(config)
    else:
        # A head of another task, with another number of labels, begins anew.
        model = CLASSES[task.kind].from_pretrained(
            folder, config=config, dtype=torch.float32, ignore_mismatched_sizes=True
        )
    assert isinstance(model, transformers.PreTrainedModel)
    return model


def fine_tuned(
    model: transformers.PreTrainedModel,
    kind: Kind,
    data: list[Feature],
    options: TaskOptions,
) -> dict[str, float]:
    """Train it; gives the seconds that the loop took."""
    assert isinstance(options.batch_size, int)
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder,
            num_train_epochs=options.epochs,
            max_steps=options.steps or -1,
            per_device_train_batch_size=options.batch_size,
            learning_rate=options.lr,
            weight_decay=options.weight_decay,
            warmup_steps=options.warmup,  # below 1 a share
            max_grad_norm=options.clip,
            seed=options.seed,
            bf16=options.precision == "bf16",
            remove_unused_columns=False,
            dataloader_pin_memory=False,
            use_cpu=True,
            disable_tqdm=True,
            logging_strategy="no",
            save_strategy="no",
            report_to=[],
        )
        trainer = Trainer(
            model,
            arguments,
            data_collator=Padded(kind, model.config.pad_token_id or 0),
            train_dataset=data,
            callbacks=[clock],
        )
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train()
    return clock.seconds


@dataclass(frozen=True, eq=False)
class PeerTask:
    """A model of transformers as what `incognote.workshop.tasks` predicts and scores with."""

    model: transformers.PreTrainedModel
    task: Task
    frame: Frame
    limits: Limits
    rules: AnswerRules

    def logits(self, some: Iterable[Item]) -> Iterator[tuple[Item, Logits]]:
        """Each item with its logits, in order, of batches of like length padded to their longest."""
        read = list(some)
        data = features(self.task.kind, read, labelled=False)
        order = sorted(range(len(read)), key=lambda place: data[place]["length"])
        padded = Padded(self.task.kind, self.model.config.pad_token_id or 0)
        found: dict[int, Logits] = {}
        self.model.train(False)
        with torch.inference_mode():
            for begin in range(0, len(order), EVALUATED_AT_ONCE):
                places = order[begin : begin + EVALUATED_AT_ONCE]
                output = self.model(**padded([data[place] for place in places]))
                for row, place in enumerate(places):
                    found[place] = self._row(output, row, read[place])
        yield from ((item, found[place]) for place, item in enumerate(read))

    def _row(self, output: Any, row: int, item: Item) -> Logits:
        if self.task.kind != "span":
            return np.asarray(output.logits[row].float().numpy())
        size = len(item.sequences[0])
        both = torch.stack([output.start_logits[row, :size], output.end_logits[row, :size]], -1)
        return np.asarray(both.float().numpy())


def quiet() -> None:
    """Nothing but the figures is printed."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    progress: Any = transformers.logging
    progress.set_verbosity_error()
    progress.disable_progress_bar()


def main() -> None:
    """Parse, train, score and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", help="as `incognote task train` names it")
    parser.add_argument("train", type=Path)
    parser.add_argument("--validation", type=Path, required=True)
    parser.add_argument("--encoder", required=True, help="a folder, minilm or clinical-albert")
    parser.add_argument("--random", action="store_true", help="of its shape, with random weights")
    parser.add_argument("-o", "--output", type=Path, required=True, help="file for the figures")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    known = {field.name for field in fields(TaskOptions)}
    for name, kind in CHOSEN.items():
        assert name in known
        parser.add_argument(FLAGS.get(name, f"--{name.replace('_', '-')}"), dest=name, type=kind)
    arguments = parser.parse_args()
    keep_memory()
    torch.set_num_threads(arguments.threads)
    quiet()
    parts = read_parts(task_named(arguments.task), arguments.train, validation=arguments.validation)
    task = fitted(task_named(arguments.task), parts.train)
    begun = start(arguments.encoder, task)
    chosen = {name: getattr(arguments, name) for name in CHOSEN}
    options = task_options({**chosen, "seed": arguments.seed}, task, begun.model.config)
    limits = limits_of(options, task, begun)
    data = features(task.kind, items(task, parts.train, begun.frame, limits))
    model = peer_model(arguments.encoder, task, options, random=arguments.random)
    seconds = fine_tuned(model, task.kind, data, options)
    rules = replace(AnswerRules(), longest=options.longest_answer, nullable=task.nullable)
    result = evaluate(
        PeerTask(model, task, begun.frame, limits, rules), parts.validation, Resampling()
    )
    content = {
        **report(task, {"": result}, len(parts.validation)),
        "transformers": transformers.__version__,
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "options": options.to_json(),
    }
    write_whole(arguments.output, (json.dumps(content, indent=2) + "\n").encode())
    print(json.dumps({"figures": content["figures"], "seconds": content["seconds"]}))


if __name__ == "__main__":
    main()
