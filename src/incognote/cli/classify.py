"""`incognote classify`: the label of a text, or its number."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incognote.base.messages import quantity
from incognote.base.options import Choices, PathText
from incognote.cli.ask import Threads, opened_task
from incognote.cli.fill_mask import EncoderFolder, opened
from incognote.cli.from_dataclass import Only
from incognote.corpus.output import check_file
from incognote.workshop.tasks.columns import Columns

if TYPE_CHECKING:
    from incognote.workshop.feature_classifier import TextClassifier
    from incognote.workshop.features import Pool


def classify(
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Texts, or text files; standard input by default.",
            metavar="TEXT|FILE…",
            show_default=False,
        ),
        PathText(or_name=True),
    ] = None,
    *,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="DIR|FILE",
            help="Folder of an exported task (`incognote task export`), or the file of a plain "
            "classifier that --save wrote.",
            show_default=False,
        ),
    ] = None,
    from_features: Annotated[
        Path | None,
        typer.Option(
            "--from-features",
            metavar="FILE",
            help="Learn a plain classifier on an encoder's vectors, in seconds, from a table (CSV, "
            "TSV, JSONL) with the columns text and label; --text and --label name others.",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep that classifier in a file (.npz).", show_default=False
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    columns: Annotated[Choices[Columns], Only("text", "label")],
    encoder: EncoderFolder = None,
    pool: Annotated[
        Literal["cls", "mean", "max"],
        typer.Option(help="How the vectors of a text's tokens become one, for --from-features."),
    ] = "mean",
    second: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="The second text of the pair, for a model of pairs.",
            show_default=False,
        ),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line of a file is a text, such as a sentence.")
    ] = False,
    top_k: Annotated[int, typer.Option("--top-k", min=1, help="Number of labels to list.")] = 1,
    threads: Threads = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON line for each text, with all probabilities."),
    ] = False,
) -> int:
    """Classify texts with a fine-tuned model: the likeliest label and its probability.

    What names a file is read from it; anything else is the text itself. A model of a regression
    gives a number.

    - `incognote classify "No acute distress." --model assertion/`
    - `incognote classify sentences.txt --lines --model sst/ --json`
    - `incognote classify "It rains." --second "It is wet." --model rte/`
    - `incognote classify new.txt --lines --from-features labelled.csv --save plain.npz`
    """
    if (model is None) == (from_features is None):
        raise typer.BadParameter("give either --model or --from-features")
    if from_features is None and save is not None:
        raise typer.BadParameter("--save is for --from-features")
    if model is None or model.suffix == ".npz":
        if second is not None:
            raise typer.BadParameter("a plain classifier takes one text: leave out --second")
        plain = _plain_classifier(model, from_features, columns.fill(), encoder, pool)
        if save is not None:
            check_file(save, [path for path in (from_features,) if path], overwrite=overwrite)
            plain.save(save)
            if not texts:
                return 0
        return _classify_plainly(plain, texts, lines=lines, top_k=top_k, as_json=as_json)
    from incognote.base.errors import RunError
    from incognote.cli import show
    from incognote.workshop.tasks.evaluate import as_json as as_object
    from incognote.workshop.tasks.predict import Predicted, predictions
    from incognote.workshop.tasks.task import SentenceExample

    task = opened_task(model, "sentence", threads)
    if bool(task.task.pairs) != (second is not None):
        raise RunError(
            f"{model}: is for pairs: give the second text with --second"
            if task.task.pairs
            else f"{model}: takes one text, not --second"
        )
    examples = (
        SentenceExample(name, text, second) for name, text in _texts(texts or ["-"], lines=lines)
    )
    cut = 0
    for found in predictions(task, examples):
        assert isinstance(found, Predicted)
        cut += found.cut
        if as_json:
            content = as_object(task.task, found)
            show.line(json.dumps(content, ensure_ascii=False))
        elif task.task.regression:
            show.line(f"{found.id}\t{found.value:.4f}")
        else:
            ranked = sorted(
                zip(found.probabilities, task.task.labels, strict=True),
                key=lambda pair: -pair[0],
            )
            words = [f"{label}\t{share:.4f}" for share, label in ranked[:top_k]]
            show.line("\t".join([found.id, *words]))
    if cut:
        show.say(
            f"incognote: {quantity(cut, 'text')} longer than the {task.limits.longest:,} tokens that "
            "the model reads: what is beyond did not count"
        )
    return 0


def _plain_classifier(
    file: Path | None,
    table: Path | None,
    columns: Columns,
    encoder: Path | None,
    pool: Pool,
) -> TextClassifier:
    """Read from a file, or learned from a table, which is told."""
    from incognote.cli import show
    from incognote.workshop.feature_classifier import learn_from, read_classifier

    if file is not None:
        return read_classifier(file, opened(encoder))
    assert table is not None
    plain = learn_from(table, columns, opened(encoder), pool)
    learned = plain.learned
    show.say(
        f"incognote: learned {len(learned.classifier.labels)} labels; cross-validated accuracy "
        f"{100 * learned.accuracy:.1f} %, always the same label {100 * learned.most_common:.1f} %"
    )
    return plain


def _classify_plainly(
    plain: TextClassifier, given: list[str] | None, *, lines: bool, top_k: int, as_json: bool
) -> int:
    from incognote.cli import show

    names, texts = zip(*_texts(given or ["-"], lines=lines), strict=True)
    labels = plain.learned.classifier.labels
    for name, row in zip(names, plain.probabilities(texts).tolist(), strict=True):
        ranked = sorted(zip(row, labels, strict=True), key=lambda pair: -pair[0])
        if as_json:
            shares = {label: round(share, 6) for share, label in ranked}
            content = {"id": name, "label": ranked[0][1], "probabilities": shares}
            show.line(json.dumps(content, ensure_ascii=False))
        else:
            show.line(
                "\t".join([name, *(f"{label}\t{share:.4f}" for share, label in ranked[:top_k])])
            )
    return 0


def _texts(given: list[str], *, lines: bool) -> Iterator[tuple[str, str]]:
    """Each text with the name that its result goes by."""
    from incognote.workshop.features import decoded, read_texts

    for number, text in enumerate(given, 1):
        if text == "-":
            if sys.stdin.isatty():
                raise typer.BadParameter("give texts or files, or pipe a text in")
            whole = decoded(sys.stdin.buffer.read(), "standard input")
            each = whole.removesuffix("\n").split("\n") if lines else [whole]
            yield from ((f"{n}", line.removesuffix("\r")) for n, line in enumerate(each, 1))
        elif _is_file(text):
            yield from read_texts([Path(text)], lines=lines)
        else:
            yield f"{number}", text


def _is_file(text: str) -> bool:
    """Whether a file has this name; a text may be longer than any name."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
