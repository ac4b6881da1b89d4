"""The notes of a comparison: its parts, its sources, and the folds that leave a source out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from incognote.align.words import words
from incognote.document import Document
from incognote.workflows.corpus.reading import Source, in_order
from incognote.workflows.corpus.split import Ratio
from incognote.workflows.run.inputs import RunError
from incognote.workflows.train import Parts, read_notes, split_notes

SPLIT = "50:10:40"
PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class Data:
    """parts: all notes; source_of: each note's source by its id, empty if there is only one.

    folds: the sources that are left out in turn, if any are.
    """

    parts: Parts
    source_of: Mapping[str, str] = field(default_factory=dict)
    folds: tuple[str, ...] = ()

    @property
    def sources(self) -> list[str]:
        """By name, in the order of the corpora."""
        return list(dict.fromkeys(self.source_of.values()))

    def fold(self, source: str | None) -> Parts:
        """The parts of a fold: the source is nowhere but in the test part, which is all of it.

        What is trained and chosen on are the same notes as without folds, but for the source's:
        the difference on its notes is then due to having seen its like, and to nothing else.
        """
        if source is None:
            return self.parts
        everything = [*self.parts.train, *self.parts.validation, *self.parts.test]
        return Parts(
            train=[note for note in self.parts.train if self.source_of[note.id] != source],
            validation=[n for n in self.parts.validation if self.source_of[n.id] != source],
            test=[note for note in everything if self.source_of[note.id] == source],
        )

    def fingerprint(self) -> str:
        """Changes when a note, a span or the part of a note does."""
        digest = hashlib.sha256()
        for name in PARTS:
            for note in getattr(self.parts, name):
                spans = [(span.start, span.end, span.type) for span in note.spans]
                told = (name, note.id, note.text, spans, self.source_of.get(note.id))
                digest.update(repr(told).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]

    def counts(self) -> dict[str, dict[str, Any]]:
        """What each part has, and of each source where there are several."""
        told = {}
        for name in PARTS:
            notes = getattr(self.parts, name)
            told[name] = _counts(notes)
            if self.sources:
                told[name]["sources"] = {
                    source: _counts([note for note in notes if self.source_of[note.id] == source])
                    for source in self.sources
                }
        return told


def read_data(
    corpora: Sequence[Source],
    *,
    validation: Source | None = None,
    test: Source | None = None,
    split: str | None = None,
    seed: int = 0,
    leave_out: bool = False,
    source_field: str | None = None,
) -> Data:
    """Read everything; one pool that is split, or a corpus for each part."""
    if (validation is None) != (test is None):
        raise RunError("give a corpus for validation and one for test, or a split instead of both")
    if validation is not None and (leave_out or split is not None):
        option = "--leave-one-source-out" if leave_out else "--split"
        raise RunError(f"{option} makes the parts itself: give no --validation and --test")
    pool, source_of = _pool(corpora, leave_out=leave_out, field=source_field)
    if validation is not None and test is not None:
        parts = Parts(train=pool, validation=read_notes(validation), test=read_notes(test))
        source_of = {}
    else:
        parts = _split(pool, source_of, split or SPLIT, seed)
    _check(parts)
    folds = tuple(dict.fromkeys(source_of.values())) if leave_out else ()
    data = Data(parts, source_of, folds)
    _check_folds(data)
    return data


def _check_folds(data: Data) -> None:
    tested = {data.source_of[note.id] for note in data.parts.test} if data.folds else set()
    for fold in data.folds:
        if fold not in tested:
            raise RunError(f"the source {fold} has too few notes to have some in the test part")
        lacking = [name for name in PARTS if not getattr(data.fold(fold), name)]
        if lacking:
            raise RunError(f"without the source {fold} no note is left for {lacking[0]}")


def _pool(
    corpora: Sequence[Source], *, leave_out: bool, field: str | None
) -> tuple[list[Document], dict[str, str]]:
    """All notes and each one's source; ids of several corpora are kept apart by their names."""
    if field is not None:
        return _by_field(corpora, field)
    if leave_out and len(corpora) == 1:
        corpora = _subfolders(corpora[0])
    if len(corpora) == 1:
        return read_notes(corpora[0]), {}
    names = [corpus.path.stem if corpus.path.is_file() else corpus.path.name for corpus in corpora]
    if len(set(names)) < len(names):
        names = [str(corpus.path) for corpus in corpora]
    pool: list[Document] = []
    source_of: dict[str, str] = {}
    for name, corpus in zip(names, corpora, strict=True):
        for note in read_notes(corpus):
            named = replace(note, id=f"{name}/{note.id}")
            pool.append(named)
            source_of[named.id] = name
    return pool, source_of


def _subfolders(corpus: Source) -> list[Source]:
    if not corpus.path.is_dir():
        raise RunError("--leave-one-source-out needs several corpora, or --source-field")
    folders = sorted(path for path in corpus.path.iterdir() if path.is_dir())
    if len(folders) < 2:
        raise RunError(f"{corpus.path}: --leave-one-source-out needs two subfolders or more")
    return [replace(corpus, path=folder) for folder in folders]


def _by_field(corpora: Sequence[Source], field: str) -> tuple[list[Document], dict[str, str]]:
    """The source of a note from a field of its line, which is read as a patient's would be."""
    pool: list[Document] = []
    source_of: dict[str, str] = {}
    for corpus in corpora:
        notes = read_notes(corpus)
        told = read_notes(replace(corpus, fields=replace(corpus.fields, patient=field)))
        for note, row in zip(notes, told, strict=True):
            if row.patient is None:
                raise RunError(f"{corpus.path}: a note has no field {field} to tell its source")
            pool.append(note)
            source_of[note.id] = row.patient
    return pool, source_of


def _split(pool: Sequence[Document], source_of: Mapping[str, str], split: str, seed: int) -> Parts:
    """Each source in the same ratio, so that none is missing from a part by chance."""
    if len(Ratio.parse(split).sizes) != len(PARTS):
        raise RunError(f"--split {split}: a comparison needs three parts, such as {SPLIT}")
    groups: dict[str | None, list[Document]] = {}
    for note in pool:
        groups.setdefault(source_of.get(note.id), []).append(note)
    each = [split_notes(notes, split, seed) for notes in groups.values()]
    return Parts(**{name: [n for parts in each for n in getattr(parts, name)] for name in PARTS})


def _check(parts: Parts) -> None:
    """A comparison trains, chooses and tests: none of the parts can be empty."""
    for name in PARTS:
        notes = getattr(parts, name)
        if not notes:
            raise RunError(
                f"no note is left for {name}: there are too few; give a corpus for each part "
                "with --validation and --test"
            )
        if repeated := sum(count - 1 for count in Counter(note.id for note in notes).values()):
            raise RunError(f"the {name} part has {repeated} notes with the id of another")


def _counts(notes: Sequence[Document]) -> dict[str, Any]:
    types = Counter(span.type for note in notes for span in note.spans)
    return {
        "notes": len(notes),
        "words": sum(len(words(note.text)) for note in notes),
        "spans": types.total(),
        "types": {type: types[type] for type in in_order(set(types))},
    }
