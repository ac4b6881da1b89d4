"""`incognote task`: a task's data read and split, a model trained on them, scored, and its predictions written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.base.errors import RunError
from incognote.base.files import JsonError, read_json, write_whole
from incognote.corpus.split import Group, Ratio, assign
from incognote.evaluate.resampling import Resampling
from incognote.onnx.task_folder import has_task
from incognote.workshop.fine_tuning import checked, leaders_lock
from incognote.workshop.starting_points import Origin
from incognote.workshop.tasks.answers import Answered, decided, tuned_threshold
from incognote.workshop.tasks.card import write_card
from incognote.workshop.tasks.columns import Columns
from incognote.workshop.tasks.evaluate import Evaluation, evaluate, evaluation, write_predictions
from incognote.workshop.tasks.metrics import glue_average
from incognote.workshop.tasks.predict import OnnxTask, TaskModel, predictions, value_of
from incognote.workshop.tasks.readers import published_parts, read_part
from incognote.workshop.tasks.settings import settings_for
from incognote.workshop.tasks.task import (
    GLUE,
    Example,
    QuestionExample,
    SentenceExample,
    Task,
    fitted,
)

if TYPE_CHECKING:
    from incognote.workshop.tasks.options import TaskOptions
    from incognote.workshop.training.epochs import Watch
    from incognote.workshop.training.run_folder import FinishedRun

Say = Callable[[str], None]

REPORT = "report.json"
TRAIN, DEV, REGRESSION_METRICS = "train", "dev", ("pearson", "spearman")


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The examples of a run; the test part is only ever scored."""

    train: Sequence[Example]
    validation: Sequence[Example] = ()
    test: Sequence[Example] = ()


@dataclass(frozen=True)
class TrainedTask:
    """A finished run, and the figures of the test part if there was one."""

    trained: FinishedRun
    test: Evaluation | None = None


def read_parts(
    task: Task,
    path: Path,
    *,
    validation: Path | None = None,
    test: Path | None = None,
    split: str | None = None,
    columns: Columns | None = None,
    seed: int = 0,
    say: Say = lambda line: None,
) -> Parts:
    """What is learned from, chosen by and tested on.

    A folder with the published files has a training and a dev part by itself. Else a validation part is
    named, or `split` off by a ratio such as 90:10, or 80:10:10 with a test part; questions about one
    text are never torn apart. Without any, there is none. A test part may be named too.
    """
    if validation is not None and split is not None:
        raise RunError("give --validation or --split, not both")
    folder = published_parts(task, path) if path.is_dir() else {}
    read = _Reader(task, columns, say)
    train = read(folder.get(TRAIN, path))
    tested = () if test is None else read(test)
    if split is not None:
        parts = _split(train, split, seed, path)
        if parts.test and tested:
            raise RunError("give --test or a --split of three parts, not both")
        return replace(parts, test=parts.test or tested)
    if validation is None:
        validation = next((folder[name] for name in sorted(folder) if name.startswith(DEV)), None)
    validated = () if validation is None else read(validation)
    return Parts(train=train, validation=validated, test=tested)


@dataclass(frozen=True)
class _Reader:
    task: Task
    columns: Columns | None
    say: Say

    def __call__(self, path: Path, *, labelled: bool = True) -> Sequence[Example]:
        part = read_part(self.task, path, self.columns, labelled=labelled)
        for notice, count in part.notices.items():
            self.say(f"{path}: {count:,} {notice}")
        return part.examples


def _split(examples: Sequence[Example], split: str, seed: int, path: Path) -> Parts:
    sizes = Ratio.parse(split, "--split").sizes
    names = ("train", "validation", "test")[: len(sizes)]
    groups: dict[str, list[Example]] = {}
    for number, example in enumerate(examples):
        groups.setdefault(_group_key(example, number), []).append(example)
    chosen = assign(
        [Group(key, len(group), Counter()) for key, group in groups.items()], sizes, seed
    )
    parts: dict[str, list[Example]] = {name: [] for name in names}
    for key, group in groups.items():
        parts[names[chosen[key]]] += group
    if empty := [name for name, part in parts.items() if not part]:
        raise RunError(f"{path}: too few for parts of {split}: {empty[0]} would be empty")
    return Parts(**parts)


def _group_key(example: Example, number: int) -> str:
    """What examples that stay together have in common: the text that questions are about."""
    if isinstance(example, SentenceExample):
        return str(number)
    return example.context


def regression(task: Task) -> Task:
    """One's own texts or pairs with numbers to predict, in place of labels."""
    if task.kind != "sentence" or task.labels:
        raise RunError(f"--regression is for your own texts and pairs, not for {task.title}")
    return replace(task, regression=True, metrics=REGRESSION_METRICS)


def task_options(chosen: Mapping[str, Any], task: Task, config: Any) -> TaskOptions:
    """The options of a run: those that were chosen, and for the others the papers'.

    config: the encoder's sizes, which tell its family.
    """
    from incognote.workshop.encoders.families import family_of
    from incognote.workshop.tasks.options import TaskOptions

    family = family_of(config).name
    values = {name: value for name, value in chosen.items() if value is not None}
    if "batch_tokens" in values:
        values.setdefault("batch_size", None)
    settings = asdict(settings_for(task, family, config.hidden_size))
    settings["longest"] = min(settings["longest"], config.longest)
    settings["stride"] = min(settings["stride"], values.get("longest", settings["longest"]) // 2)
    del settings["own"]
    settings["fix_encoder"] = family == "elmo"
    return TaskOptions(**{**settings, **values})


def train_task(
    task: Task,
    parts: Parts,
    origin: Origin,
    output: Path,
    chosen: Mapping[str, Any],
    *,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    device: str | None = None,
    watch: Watch = lambda tick: None,
    say: Say = lambda line: None,
) -> TrainedTask:
    """Train on the parts, leave the checkpoint in `output`, and score the test part."""
    import torch

    from incognote.workshop.tasks.start import start
    from incognote.workshop.tasks.train import train
    from incognote.workshop.training.run_folder import TEST

    if threads is not None:
        torch.set_num_threads(threads)
    if Path(origin.encoder).resolve() == output.resolve():
        raise RunError(f"{output}: is also the encoder; choose another folder")
    if chosen.get("patience") is not None and not parts.validation:
        raise RunError("patience looks at a validation part: give --validation or --split")
    with leaders_lock(output, "task train"), checked():
        task = fitted(task, parts.train)
        begun = start(
            origin.encoder,
            task,
            name=origin.name,
            tokenizer=origin.tokenizer,
            sizes=origin.sizes,
            seed=chosen["seed"],
            random=origin.random,
            encoder_only=origin.encoder_only,
        )
        options = task_options(chosen, task, begun.model.config)
        trained = train(
            lambda: begun,
            task,
            parts.train,
            parts.validation,
            options,
            output,
            resume=resume,
            overwrite=overwrite,
            device=device,
            watch=watch,
            say=say,
        )
    if not parts.test:
        return TrainedTask(trained)
    result = evaluate(opened(output), parts.test, Resampling())
    write_report(output / TEST, task, {"": result}, len(parts.test))
    write_card(output, trained.training, result.figures)
    return TrainedTask(trained, result)


def opened(folder: Path, task: Task | None = None, *, device: str | None = None) -> TaskModel:
    """An exported task, or a checkpoint; one that others trained needs the task's name."""
    if has_task(folder):
        model = OnnxTask(folder)
        if task is not None and (task.kind, task.regression) != (
            model.task.kind,
            model.task.regression,
        ):
            raise RunError(f"{folder}: was trained for {model.task.title}, not {task.title}")
        return model
    from incognote.workshop.tasks.checkpoint import load_checkpoint
    from incognote.workshop.training.processes import processes

    with checked(), processes(device) as workers:
        trained = load_checkpoint(folder, task).trained
        trained.model.to(workers.device)
        return trained


@dataclass(frozen=True)
class Scored:
    """The figures of each part (one without a name, or MNLI's two), and of how many examples."""

    parts: Mapping[str, Evaluation]
    examples: int


def score_task(
    model: TaskModel,
    path: Path,
    *,
    columns: Columns | None = None,
    tune_threshold: bool = False,
    output: Path | None = None,
    say: Say = lambda line: None,
) -> Scored:
    """Score a model on a file, or on the dev parts of a folder as published.

    `tune_threshold`: that of no answer is the best on these very questions. The predictions go into
    `output`, with report.json.
    """
    read = _Reader(model.task, columns, say)
    found, count = {}, 0
    for name, part in _dev_parts(model.task, path).items():
        examples = read(part)
        count += len(examples)
        with checked():
            found[name] = _scored(model, examples, tune_threshold, output, name)
    if output is not None:
        write_report(output / REPORT, model.task, found, count)
    return Scored(found, count)


def _scored(
    model: TaskModel, examples: Sequence[Example], tune: bool, output: Path | None, part: str
) -> Evaluation:
    if output is None and not tune:
        return evaluate(model, examples, Resampling())
    said = list(predictions(model, examples))
    if tune and model.task.nullable:
        questions = [each for each in examples if isinstance(each, QuestionExample)]
        answered = [each for each in said if isinstance(each, Answered)]
        threshold = tuned_threshold(questions, answered)
        rules = replace(model.rules, threshold=threshold)
        said = [decided(each, rules) for each in answered]
    if output is not None:
        write_predictions(model.task, said, output, part=part)
    return evaluation(model.task, examples, [value_of(each) for each in said], Resampling())


def _dev_parts(task: Task, path: Path) -> dict[str, Path]:
    """The dev parts of a folder of published files, by name; else the path itself."""
    found = published_parts(task, path) if path.is_dir() else {}
    dev = {
        name.removeprefix(DEV).removeprefix("_"): part
        for name, part in found.items()
        if name.startswith(DEV)
    }
    return dev or {"": path}


def predict_task(
    model: TaskModel, path: Path, output: Path, *, columns: Columns | None = None
) -> list[Path]:
    """Write what a model says of a file's examples, whose answers need not be known."""
    read = _Reader(model.task, columns, lambda line: None)
    part = "mismatched" if "mismatched" in path.name else ""
    with checked():
        return write_predictions(
            model.task, predictions(model, read(path, labelled=False)), output, part=part
        )


def export_checkpoint(
    task: Task,
    checkpoint: Path,
    output: Path,
    *,
    validation: Path | None = None,
    columns: Columns | None = None,
    int8: bool = False,
    max_loss: float = 0.01,
    overwrite: bool = False,
    tell: Say = lambda line: None,
) -> None:
    """An exported task, judged by the examples of a file or of a folder's dev parts if there are any."""
    from incognote.workshop.export.task import TaskProof, export_task

    proof = None
    if validation is not None:
        read = _Reader(task, columns, tell)
        parts = _dev_parts(task, validation).values()
        proof = TaskProof([example for part in parts for example in read(part)], max_loss)
    export_task(
        checkpoint, output, task=task, int8=int8, proof=proof, overwrite=overwrite, tell=tell
    )


def write_report(path: Path, task: Task, parts: Mapping[str, Evaluation], examples: int) -> None:
    """The report as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(report(task, parts, examples), indent=2) + "\n").encode())


def report(task: Task, parts: Mapping[str, Evaluation], examples: int) -> dict[str, Any]:
    """The figures of all parts, each with its interval."""
    figures: dict[str, float] = {}
    drawn: dict[str, list[float]] = {}
    for part, each in parts.items():
        for name, value in each.figures.items():
            whole = f"{part}_{name}" if part else name
            figures[whole] = value
            drawn[whole] = list(each.intervals.get(name, ()))
    return {
        "task": task.name,
        "title": task.title,
        "examples": examples,
        "figures": figures,
        "intervals": drawn,
        "score": sum(each.score for each in parts.values()) / len(parts),
    }


@dataclass(frozen=True)
class GlueTable:
    """The figures and the score of each of GLUE's tasks that has a report, in its order."""

    figures: Mapping[str, Mapping[str, float]]
    scores: Mapping[str, float]

    @property
    def average(self) -> float:
        """Of the tasks that are there."""
        return glue_average(self.scores)

    @property
    def missing(self) -> list[str]:
        """The tasks that have no report."""
        return [name for name in GLUE if name not in self.scores]


def glue_table(reports: Sequence[Path]) -> GlueTable:
    """What reports say together; each is a report.json or the folder that has it."""
    read: dict[str, Any] = {}
    for given in reports:
        path = given / REPORT if given.is_dir() else given
        try:
            content = read_json(path)
            name, figures, score = content["task"], content["figures"], float(content["score"])
        except OSError as error:
            raise RunError(f"{path}: {error.strerror}") from None
        except (JsonError, KeyError, TypeError, ValueError):
            raise RunError(f"{path}: is not a report of incognote task evaluate") from None
        if name not in GLUE:
            raise RunError(f"{path}: is of {name}, which is not one of GLUE's tasks")
        if name in read:
            raise RunError(f"{path}: is a second report of {name}")
        read[name] = figures, score
    order = [name for name in GLUE if name in read]
    return GlueTable(
        {name: read[name][0] for name in order}, {name: read[name][1] for name in order}
    )
