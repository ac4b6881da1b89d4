"""Grids: which encoders are trained with which options.

A grid is a TOML file. `[defaults]` holds options of `incognote train`, or of `incognote task train`
for a task; `[encoders.NAME]` the same for one encoder, and where it starts (`start`, `tokenizer`,
`sizes`, `random`, `encoder_only`; on notes also `keep_layers` and `word_vectors`). Of `[defaults]`, what
means nothing to `crf` or `bilstm-crf` is not theirs. A list of values makes cells, the product of all
lists; a single value is fixed.
`[[cells]]` are single cells, for an encoder or for all. What is not known is refused by its name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any, get_args

from incognote.base.errors import RunError
from incognote.base.options import OptionField, option_fields
from incognote.workshop.compare.results import SELECTS, Select
from incognote.workshop.fine_tuning import LabelSet, checked
from incognote.workshop.finetune.from_notes import CRF, USUAL, begins_from_notes, takes
from incognote.workshop.finetune.options import Options
from incognote.workshop.starting_points import Origin
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.tokenization.folder import has_tokenizer
from incognote.workshop.training.run_options import EpochOptions
from incognote.workshop.training.sources import checkpoint_folder

STUDY, STUDY_BEST = "study", "study-best"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_TOP = ("name", "assumptions", "defaults", "encoders", "cells")
_TOP_OF_NOTES = ("labels", "split", "select")
_START = ("start", "tokenizer", "sizes", *(_FLAGS := ("random", "encoder_only")))
_START_ON_NOTES = ("keep_layers", "word_vectors")
_LABELS: tuple[str, ...] = get_args(LabelSet)
# The types of options that a file can get wrong, with the words of the message.
_KINDS: Mapping[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text"),
}


@dataclass(frozen=True, kw_only=True)
class GridEncoder:
    """An encoder of the grid and where it starts, as `incognote train` takes it."""

    name: str
    start: str
    tokenizer: Path | None = None
    sizes: Mapping[str, Any] = field(default_factory=dict)
    layers: Sequence[int] | None = None
    vectors: Path | None = None
    random: bool = False
    encoder_only: bool = False

    @property
    def origin(self) -> Origin:
        """Where it starts, as `train_corpus` takes it."""
        return Origin(
            encoder=self.start,
            tokenizer=self.tokenizer,
            sizes=self.sizes,
            layers=self.layers,
            vectors=self.vectors,
            random=self.random,
            encoder_only=self.encoder_only,
        )


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Encoders in order, and for each its options, cell by cell: all of the kind that was asked for."""

    name: str
    encoders: Sequence[GridEncoder]
    cells: Mapping[str, Sequence[Any]]
    assumptions: Sequence[str] = ()
    labels: str | None = None
    split: str | None = None
    select: Select | None = None


def read_grid(
    source: str,
    encoders: Sequence[str] = (),
    *,
    kind: type[EpochOptions] = Options,
    options_of: Callable[..., EpochOptions] | None = None,
    tokenizer: Path | None = None,
    seed: int = 0,
    fetched: Mapping[str, Path] | None = None,
    random: bool = False,
    encoder_only: bool = False,
) -> Grid:
    """The grid of a file, `study` or `study-best`; with `encoders`, those of it, or others.

    Its cells have options of that `kind`: those of fine-tuning on notes, or for a task. `options_of`
    makes them for an encoder from what the file says; without it, what it does not say is as `kind` has it.
    Others take the file's defaults; `study-best` has none for them. A folder that is called as an
    encoder of the file takes that one's place. `tokenizer` is for encoders that neither name nor
    have one; `seed` for cells that name none. Encoders that were `fetched` start from their folder.
    `random` and `encoder_only` are said of all of them.
    """
    content, folder, name = _content(source)
    where = f"the grid {source}" if folder is None else str(source)
    known = _fields(kind)
    start_keys = (*_START, *(_START_ON_NOTES if kind is Options else ()))
    _check_keys(content, (*_TOP, *(_TOP_OF_NOTES if kind is Options else ())), where, kind)
    tables: dict[str, Any] = _table(content, "encoders", where)
    defaults = _table(content, "defaults", where)
    chosen = [
        _with_origin(
            _encoder(spec, tables, folder, (*start_keys, *known), kind, where),
            fetched or {},
            random,
            encoder_only,
        )
        for spec in encoders or list(tables)
    ]
    names = [each.name for each in chosen]
    _check_names(names, tables, where, is_study_best=folder is None and name == STUDY_BEST)
    singles = content.get("cells", [])
    if not isinstance(singles, list) or not all(isinstance(cell, dict) for cell in singles):
        raise RunError(f"{where}: write cells as [[cells]]")
    _check_singles(singles, {*tables, *names}, kind, where)
    _check_keys(defaults, known, f"{where}, defaults", kind)
    cells = {}
    for each in chosen:
        encoder, start = each.name, each.start
        own = {k: v for k, v in tables.get(encoder, {}).items() if k not in start_keys}
        usual = USUAL[start] if kind is Options and begins_from_notes(start) else {}
        base = _merged({"seed": seed}, usual, _for_start(defaults, start), own)
        rows = [cell for cell in singles if cell.get("encoder", encoder) == encoder]
        at = f"{where}, encoders.{encoder}"
        every = _singles(base, rows, where) if rows else _product(base, at)
        make = partial(options_of, each) if options_of else kind
        made = (_options(make, known, values, place) for values, place in every)
        cells[encoder] = list(dict.fromkeys(_with_teacher(options, folder) for options in made))
    split, assumptions = content.get("split"), content.get("assumptions", [])
    if not isinstance(split, str | None):
        raise RunError(f'{where}: write split as text, such as "50:10:40"')
    if not isinstance(assumptions, list):
        raise RunError(f"{where}: write assumptions as a list")
    return Grid(
        name=str(content.get("name", name)),
        encoders=chosen if tokenizer is None else _with_tokenizer(chosen, tokenizer),
        cells=cells,
        assumptions=[str(each) for each in assumptions],
        labels=_labels(content.get("labels"), where),
        split=split,
        select=_select(content.get("select"), where),
    )


def _fields(kind: Any) -> Mapping[str, OptionField]:
    """The options of a cell by name."""
    return option_fields(kind)


def _for_start(defaults: Mapping[str, Any], start: str) -> dict[str, Any]:
    """What the defaults of all encoders say to one that starts there."""
    if not begins_from_notes(start):
        return dict(defaults)
    fixed = USUAL[start] if start == CRF else {}
    return {k: v for k, v in defaults.items() if takes(start, k) and k not in fixed}


def _with_origin(
    encoder: GridEncoder, fetched: Mapping[str, Path], random: bool, encoder_only: bool
) -> GridEncoder:
    """The encoder with what the command says of its start."""
    folders = {Path(name).name: str(folder) for name, folder in fetched.items()}
    return replace(
        encoder,
        start=folders.get(encoder.name, encoder.start),
        sizes={} if encoder.name in folders else encoder.sizes,
        random=encoder.random or random,
        encoder_only=encoder.encoder_only or encoder_only,
    )


def _check_names(
    names: Sequence[str], tables: Mapping[str, Any], where: str, *, is_study_best: bool
) -> None:
    if not names:
        raise RunError(f"{where}: names no encoder: give --encoders NAME_OR_DIR,…")
    unknown = [name for name in names if name not in tables]
    if unknown and is_study_best:
        raise RunError(
            f"the study names no best cell for {unknown[0]}: call its folder as one of "
            f"{', '.join(tables)}"
        )
    if len(set(names)) < len(names):
        raise RunError("--encoders: two of them have the same name")


def _with_tokenizer(encoders: Sequence[GridEncoder], tokenizer: Path) -> list[GridEncoder]:
    """For those that start with random weights, or have none: a checkpoint has its own tokens."""

    def lacks_one(encoder: GridEncoder) -> bool:
        if begins_from_notes(encoder.start):
            return False
        folder = checkpoint_folder(encoder.start)
        return not encoder.tokenizer and (folder is None or not has_tokenizer(folder))

    if not any(map(lacks_one, encoders)):
        raise RunError("--tokenizer: all encoders have one of their own; leave it out")
    return [replace(each, tokenizer=tokenizer) if lacks_one(each) else each for each in encoders]


def _content(source: str) -> tuple[dict[str, Any], Path | None, str]:
    """The file's tables, its folder (None for the study's own), and a name for it."""
    path = Path(source)
    if source in (STUDY, STUDY_BEST) and not path.is_file():
        return _shipped(source), None, source
    if not path.is_file():
        raise RunError(f"--grid {source}: neither a file nor '{STUDY}' nor '{STUDY_BEST}'")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), path.parent, path.stem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{source}: not TOML: {error}") from None


def _shipped(name: str) -> dict[str, Any]:
    """A grid of the study; that of its best cells stands on the whole one."""
    folder = resources.files("incognote.workshop.compare")
    whole = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    if name == STUDY:
        return whole
    return whole | tomllib.loads((folder / "study_best.toml").read_text(encoding="utf-8"))


def _encoder(
    spec: str,
    tables: Mapping[str, Any],
    grid_folder: Path | None,
    known: Sequence[str],
    kind: type[EpochOptions],
    where: str,
) -> GridEncoder:
    """An encoder by its name in the file, or by what `incognote train --encoder` takes."""
    folder = Path(spec)
    name = spec if spec in tables else folder.name or folder.resolve().name
    if not _NAME.fullmatch(name):
        raise RunError(f"{where}: '{name}' cannot name an encoder: use letters, digits, . _ + -")
    table = _table(tables, name, f"{where}, encoders")
    _check_keys(table, known, f"{where}, encoders.{name}", kind)
    sizes = _table(table, "sizes", f"{where}, encoders.{name}")
    for size, number in sizes.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise RunError(f"{where}, encoders.{name}: size {size} must be a whole number above 0")
    start = str(table.get("start", spec))
    if spec not in tables and folder.is_dir():
        start, sizes = spec, {}
    elif spec in tables and grid_folder is not None and (grid_folder / start).is_dir():
        start = str(grid_folder / start)
    tokenizer = table.get("tokenizer")
    if tokenizer is not None:
        tokenizer = (grid_folder or Path()) / str(tokenizer)
    layers = table.get("keep_layers")
    if layers is not None and not (
        isinstance(layers, list) and layers and all(type(each) is int for each in layers)
    ):
        raise RunError(f"{where}, encoders.{name}: write keep_layers as numbers, such as [1, 3, 5]")
    vectors = table.get("word_vectors")
    if vectors is not None:
        vectors = (grid_folder or Path()) / str(vectors)
    flags = {flag: table.get(flag, False) for flag in _FLAGS}
    for flag, value in flags.items():
        if not isinstance(value, bool):
            raise RunError(f"{where}, encoders.{name}: {flag} must be true or false, not {value!r}")
    return GridEncoder(
        name=name,
        start=start,
        tokenizer=tokenizer,
        sizes=sizes,
        layers=layers,
        vectors=vectors,
        **flags,
    )


def _with_teacher(options: EpochOptions, grid_folder: Path | None) -> EpochOptions:
    """A teacher's folder may be named from the file's, as an encoder's is, or from where one is."""
    if not isinstance(options, Options) or options.teacher is None:
        return options
    beside = (grid_folder or Path()) / options.teacher
    folder = beside if beside.is_dir() else Path(options.teacher)
    return replace(options, teacher=str(folder.resolve()))


def _product(base: Mapping[str, Any], where: str) -> Iterator[tuple[dict[str, Any], str]]:
    """A cell for each choice of one value from each list, and where it stands."""
    lists = {key: value if isinstance(value, list) else [value] for key, value in base.items()}
    for key, values in lists.items():
        if not values:
            raise RunError(f"{where}: {key} has no value")
    for choice in product(*lists.values()):
        yield dict(zip(lists, choice, strict=True)), where


def _singles(
    base: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], where: str
) -> Iterator[tuple[dict[str, Any], str]]:
    """The [[cells]] as they stand, on what holds for their encoder."""
    for cell in cells:
        values = _merged(base, {key: value for key, value in cell.items() if key != "encoder"})
        for key, value in values.items():
            if isinstance(value, list):
                raise RunError(f"{where}: {key} has a list, but the encoder has [[cells]]")
        yield values, f"{where}, cells"


def _merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Later layers win; a batch counted one way drops the other way of counting."""
    merged: dict[str, Any] = {}
    for layer in layers:
        if "batch_size" in layer:
            merged.pop("batch_tokens", None)
        if "batch_tokens" in layer:
            merged.pop("batch_size", None)
        merged |= layer
    return merged


def _options(
    make: Callable[..., EpochOptions],
    known: Mapping[str, OptionField],
    values: dict[str, Any],
    where: str,
) -> EpochOptions:
    for key, value in values.items():
        _check_kind(known[key], value, where)
    for one, other in (("batch_size", "batch_tokens"), ("batch_tokens", "batch_size")):
        if values.get(one) is not None:
            values.setdefault(other, None)
    try:
        with checked():
            return make(**values)
    except RunError as error:
        raise RunError(f"{where}: {error}") from None


def _check_kind(option: OptionField, value: Any, where: str) -> None:
    """Refuse a value of another type than the option's; which of its words it is, the options check."""
    if value in option.words:
        return
    for kind in option.types:
        if kind not in _KINDS:
            continue
        types, words = _KINDS[kind]
        if not isinstance(value, types) or (kind is not bool and isinstance(value, bool)):
            raise RunError(f"{where}: {option.name} must be {words}, not {value!r}")


def _check_singles(
    cells: Sequence[Mapping[str, Any]],
    names: set[str],
    kind: type[EpochOptions],
    where: str,
) -> None:
    for count, cell in enumerate(cells, 1):
        _check_keys(cell, ("encoder", *_fields(kind)), f"{where}, cell {count}", kind)
        if "encoder" in cell and cell["encoder"] not in names:
            raise RunError(f"{where}, cell {count}: no encoder is called '{cell['encoder']}'")


def _labels(value: Any, where: str) -> str | None:
    if value is not None and value not in _LABELS:
        raise RunError(f"{where}: labels must be one of {', '.join(_LABELS)}, not {value!r}")
    return None if value is None else str(value)


def _select(value: Any, where: str) -> Select | None:
    if value is not None and value not in SELECTS:
        raise RunError(f"{where}: select must be one of {', '.join(SELECTS)}, not {value!r}")
    select: Select | None = value
    return select


def _check_keys(
    table: Mapping[str, Any], known: Sequence[str] | Mapping[str, Any], where: str, kind: Any
) -> None:
    """Refuse a key that is not known; one that is known of the other kind of cells, with that reason."""
    for key in table:
        if key in known:
            continue
        if kind is Options and key in _fields(TaskOptions):
            raise RunError(f"{where}: {key} is for a task, and this compares on annotated notes")
        if kind is not Options and key in (*_fields(Options), *_START_ON_NOTES, *_TOP_OF_NOTES):
            raise RunError(f"{where}: {key} is for annotated notes, and this compares on a task")
        raise RunError(f"{where}: unknown key '{key}'")


def _table(parent: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    table = parent.get(key, {})
    if not isinstance(table, dict):
        raise RunError(f"{where}: {key} must be a table")
    return table
