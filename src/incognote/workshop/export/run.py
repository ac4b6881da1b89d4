"""The work of `incognote export`: a model folder from checkpoints, or one for `transformers`."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
from onnx.external_data_helper import set_external_data

from incognote import __version__
from incognote.align import joined_tokens, shapes, word_tokenizer
from incognote.align.word_tokenizer import WordTokenizer
from incognote.base.errors import RunError
from incognote.base.messages import quantity
from incognote.corpus.output import staged
from incognote.document import Document
from incognote.onnx.model_folder import (
    SPEEDS,
    Crf,
    Member,
    Model,
    Variant,
    digest,
    write_model,
)
from incognote.workshop.encoders.bilstm import BiLstm
from incognote.workshop.export.graph import FULL, Int8, Precision
from incognote.workshop.export.network import network_of
from incognote.workshop.export.proof import check_logits, distance, f1_of
from incognote.workshop.export.token_classifier import is_of_others, read_token_classifier
from incognote.workshop.finetune.checkpoint import Checkpoint, load_checkpoint
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training.starts import read_tokenizer

SHARED = "shared.bin"
LARGE = 2**16
_PAGE = 4096
"""Tables begin at a page, so that they can be mapped into memory as they are."""

CAREFUL = SPEEDS[0]
HUGGING_FACE = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")

Tell = Callable[[str], None]
"""Called with a sentence at each stage."""


@dataclass(frozen=True)
class Proof:
    """Annotated notes that 8 bits are judged by, and the most F1 that they may cost."""

    notes: Sequence[Document]
    max_loss: float

    def __post_init__(self) -> None:
        if not any(note.spans for note in self.notes):
            raise RunError("the validation notes have no annotated span to measure F1 on")


def export(
    sources: Sequence[Path],
    output: Path,
    *,
    faster: Mapping[str, Path] | None = None,
    weights: Sequence[float] = (),
    int8: bool = False,
    proof: Proof | None = None,
    label_map: Mapping[str, str] | None = None,
    overwrite: bool = False,
    tell: Tell = lambda sentence: None,
) -> None:
    """A model folder from one checkpoint, or from several as an ensemble.

    A checkpoint is a folder that `train` wrote, or one for token classification that others trained;
    `label_map` says what the labels of these become (`token_classifier.py`).

    `faster` has the checkpoints of its faster variants, by `balanced` and `fast`; one of the ensemble
    may be one of them. `weights` say how much each of the ensemble counts, in their order.
    """
    if int8 and proof is None:
        raise RunError(
            "--int8 needs annotated notes to measure the loss of F1 on: give --validation CORPUS"
        )
    variants = {CAREFUL: tuple(sources)} | {
        speed: (path,) for speed, path in (faster or {}).items()
    }
    if len(set(sources)) < len(sources) or len(set(variants.values())) < len(variants):
        raise RunError(
            "a checkpoint is given twice: an ensemble takes each once, and each speed needs another"
        )
    if weights and len(weights) != len(sources):
        raise RunError(f"{len(sources)} checkpoints need as many weights, not {len(weights)}")
    checkpoints = _load([path for paths in variants.values() for path in paths], label_map)
    card = {
        "incognote": __version__,
        "members": [_member_card(each) for each in checkpoints.values()],
    }
    with staged(output, list(checkpoints), overwrite=overwrite) as folder:

        def trial_figures(precision: str, networks: Mapping[Path, Any]) -> dict[str, float]:
            """Write a folder on trial, and measure how good it is."""
            trial = folder.with_name(f"{folder.name}.{precision}")
            files = write_folder(trial, checkpoints, variants, networks, card, weights)
            tell(f"{precision}: {_megabytes(trial)}")
            if precision == "fp32":
                apart = max(
                    distance(checkpoints[source], trial / files[source]) for source in files
                )
                tell(f"fp32: logits within {apart:.1e} of torch's")
            else:
                for source, network in files.items():
                    check_logits(checkpoints[source], trial / network)
            figures: dict[str, float] = {}
            if proof is not None:
                for speed in variants:
                    f1 = f1_of(trial, proof.notes, speed=speed, threads=os.cpu_count() or 1)
                    figures[_figure_name(precision, speed)] = f1
                    notes = quantity(len(proof.notes), "note")
                    tell(f"{precision}, {speed}: strict F1 {100 * f1:.2f} % on {notes}")
            shutil.rmtree(trial)
            return figures

        full = _networks(checkpoints, FULL)
        figures = trial_figures("fp32", full)
        if not int8 or proof is None:
            card = {**card, "precision": "fp32", **figures}
            write_folder(folder, checkpoints, variants, full, card, weights)
            return
        small = _networks(checkpoints, Int8())
        figures |= trial_figures("int8", small)
        for speed in variants:
            loss = figures[_figure_name("fp32", speed)] - figures[_figure_name("int8", speed)]
            if loss > proof.max_loss:
                raise RunError(
                    f"8 bits lose {100 * loss:.2f} % of F1 ({speed}) on the validation notes, and "
                    f"--max-f1-loss {proof.max_loss} allows {100 * proof.max_loss:.2f} %; export "
                    "without --int8, or allow more"
                )
        card = {**card, "precision": "int8", **figures}
        write_folder(folder, checkpoints, variants, small, card, weights)


def _figure_name(precision: str, speed: str) -> str:
    return f"f1_{precision}" if speed == CAREFUL else f"f1_{precision}_{speed}"


def export_huggingface(
    source: Path, output: Path, *, overwrite: bool = False, tell: Tell = lambda sentence: None
) -> None:
    """A folder that the pipelines of `transformers` load; `tell` says what they cannot compute."""
    checkpoint = load_checkpoint(source)
    if isinstance(read_tokenizer(source), WordTokenizer):
        raise RunError(
            f"{source}: transformers has no {checkpoint.tagger.model.family.name}; export it as a model "
            "folder, without --to huggingface"
        )
    with staged(output, [source], overwrite=overwrite) as folder:
        folder.mkdir()
        for name in HUGGING_FACE:
            shutil.copyfile(source / name, folder / name)
    missing = [
        name
        for name, is_used in (
            ("the word-shape input", checkpoint.reader.shape),
            ("the CRF", checkpoint.tagger.crf is not None),
            ("the early exit", checkpoint.tagger.settling is not None),
            ("the merging of tokens", checkpoint.tagger.others is not None),
        )
        if is_used
    ]
    if missing:
        tell(
            f"left out, because transformers has no place for it: {' and '.join(missing)}; "
            "what it loads will find other spans than this checkpoint"
        )


def _load(sources: Sequence[Path], label_map: Mapping[str, str] | None) -> dict[Path, Checkpoint]:
    if label_map is not None and not any(map(is_of_others, sources)):
        raise RunError(
            "--labels is for checkpoints that others trained, and these have our labels: leave it out"
        )
    checkpoints = {
        source: read_token_classifier(source, label_map or {})
        if is_of_others(source)
        else load_checkpoint(source)
        for source in dict.fromkeys(sources)
    }
    labels = checkpoints[sources[0]].tagger.labels.names
    for source, each in checkpoints.items():
        if each.tagger.labels.names != labels:
            raise RunError(
                f"{source}: has other labels than {sources[0]}; all checkpoints of a model need the same"
            )
    return checkpoints


def _networks(checkpoints: Mapping[Path, Checkpoint], precision: Precision) -> dict[Path, Any]:
    return {
        source: network_of(
            each.tagger.model,
            precision,
            shapes=None if each.tagger.shape is None else each.tagger.shape.rows.weight,
            gains=None if each.tagger.others is None else each.tagger.others.gains,
            early_exit=each.tagger.settling,
            longest=each.reader.window + len(each.reader.frame),
            segmented=each.reader.frame.segmented,
        )
        for source, each in checkpoints.items()
    }


def _member_card(checkpoint: Checkpoint) -> dict[str, Any]:
    """What the card says of a member; never where its files were."""
    model, settling = checkpoint.tagger.model, checkpoint.tagger.settling
    label_map = checkpoint.training.get("label_map")
    return {
        "family": model.family.name,
        "layers": model.config.layers,
        "hidden_size": model.config.hidden_size,
        "parameters": sum(parameter.numel() for parameter in checkpoint.tagger.parameters()),
        "word_shapes": checkpoint.reader.shape,
        "crf": checkpoint.tagger.crf is not None,
        "joined": checkpoint.reader.join,
        "settles_after": settling.after if settling is not None else None,
        **({} if label_map is None else {"label_map": label_map}),
    }


def _megabytes(folder: Path) -> str:
    networks = (path for path in folder.iterdir() if path.suffix in (".onnx", ".bin"))
    return f"{sum(path.stat().st_size for path in networks) / 1e6:.1f} MB"


def write_folder(
    folder: Path,
    checkpoints: Mapping[Path, Checkpoint],
    variants: Mapping[str, Sequence[Path]],
    networks: Mapping[Path, Any],
    card: Mapping[str, Any],
    weights: Sequence[float] = (),
) -> dict[Path, str]:
    """Write all files; gives the name of each checkpoint's network.

    `variants` has the checkpoints of each; `weights` are those of the first variant's. What several
    share is written once: a tokenizer, and large tables of the networks.
    """
    folder.mkdir(parents=True)
    networks = write_shared(folder / SHARED, networks)
    tokenizers: dict[str, str] = {}
    members: dict[str, Member] = {}
    names: dict[Path, str] = {}
    files = {SHARED: digest(folder / SHARED)} if (folder / SHARED).exists() else {}
    for source, mark in _marks(variants).items():
        checkpoint, network = checkpoints[source], f"model{mark}.onnx"
        (folder / network).write_bytes(networks[source].SerializeToString())
        read = read_tokenizer(source)
        reads_words = isinstance(read, WordTokenizer)
        tokenizer_text = read.to_str()
        tokenizer = tokenizers.setdefault(
            tokenizer_text, f"{'words' if reads_words else 'tokenizer'}{mark}.json"
        )
        (folder / tokenizer).write_text(tokenizer_text, encoding="utf-8")
        files |= {name: digest(folder / name) for name in (network, tokenizer)}
        names[source] = f"{checkpoint.tagger.model.family.name}{mark}"
        members[names[source]] = Member(
            network=network,
            tokenizer=tokenizer,
            shapes=shapes.VERSION if checkpoint.reader.shape else None,
            window=checkpoint.reader.window,
            overlap=checkpoint.reader.overlap,
            crf=_crf(checkpoint.tagger),
            alone=reads_alone(checkpoint.tagger),
            join=joined_tokens.VERSION if checkpoint.reader.join else None,
            word_rows=word_tokenizer.VERSION if reads_words else None,
            by_word=checkpoint.by_word,
            any_order=checkpoint.any_order,
        )
    model = Model(
        labels=next(iter(checkpoints.values())).tagger.labels.names,
        members=members,
        variants={
            speed: Variant(
                members=tuple(names[source] for source in sources),
                weights=tuple(weights) if speed == SPEEDS[0] else (),
            )
            for speed, sources in variants.items()
        },
        files=files,
        card=card,
    )
    write_model(model, folder)
    return {source: members[name].network for source, name in names.items()}


def _marks(variants: Mapping[str, Sequence[Path]]) -> dict[Path, str]:
    """What tells the files of each checkpoint from the others'."""
    marks: dict[Path, str] = {}
    for speed, sources in variants.items():
        variant = "" if speed == SPEEDS[0] else f"-{speed}"
        for count, source in enumerate(sources, 1):
            marks[source] = f"{variant}-{count}" if len(sources) > 1 else variant
    return marks


def reads_alone(tagger: Tagger) -> bool:
    """Whether a window must be read by itself: with an early exit, or where ONNX's LSTM would compute
    a step of several windows at once, whose last bits are then not those of one alone.
    """
    return tagger.settling is not None or isinstance(tagger.model.encoder, BiLstm)


def _crf(tagger: Tagger) -> Crf | None:
    if tagger.crf is None:
        return None
    return Crf(
        between=tuple(map(tuple, tagger.crf.between.tolist())),
        start=tuple(tagger.crf.start.tolist()),
        end=tuple(tagger.crf.end.tolist()),
    )


def write_shared(path: Path, networks: Mapping[Path, Any]) -> Mapping[Path, Any]:
    """The networks without tables that several have; these go to the file at `path`, if any."""
    counts = Counter(
        data for each in networks.values() for data in {table.raw_data for table in _large(each)}
    )
    places: dict[bytes, int] = {}
    end = 0
    for data, count in counts.items():
        if count > 1:
            places[data] = end
            end += -(-len(data) // _PAGE) * _PAGE
    if not places:
        return networks
    with path.open("wb") as file:
        for data, begin in places.items():
            file.seek(begin)
            file.write(data)
    return {source: _without(each, places, path.name) for source, each in networks.items()}


def _large(network: Any) -> list[Any]:
    return [table for table in network.graph.initializer if len(table.raw_data) >= LARGE]


def _without(network: Any, places: Mapping[bytes, int], file: str) -> Any:
    copy = onnx.ModelProto()
    copy.CopyFrom(network)
    for table in _large(copy):
        data = table.raw_data
        if data in places:
            set_external_data(table, file, offset=places[data], length=len(data))
            table.ClearField("raw_data")
    return copy
