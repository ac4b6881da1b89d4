"""The notes of a comparison: its parts, its sources, and the folds that leave a source out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from incognote.base.errors import RunError
from incognote.corpus.source import Source, in_order
from incognote.corpus.split import Ratio
from incognote.corpus.stats import Counts
from incognote.document import Document
from incognote.workshop.compare.results import PARTS
from incognote.workshop.fine_tuning import (
    Parts,
    Row,
    named_patient,
    read_notes,
    read_rows,
    split_rows,
)

SPLIT = "50:10:40"


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

        What is trained and chosen on are the same notes as without folds, but for the source's
        and for those of its patients elsewhere: the difference on its notes is then due to having
        seen its like, and to nothing else.
        """
        if source is None:
            return self.parts
        everything = [*self.parts.train, *self.parts.validation, *self.parts.test]
        test = [note for note in everything if self.source_of[note.id] == source]
        patients = {note.patient for note in test if note.patient}

        def others(notes: Sequence[Document]) -> list[Document]:
            return [
                note
                for note in notes
                if self.source_of[note.id] != source and note.patient not in patients
            ]

        return Parts(
            train=others(self.parts.train), validation=others(self.parts.validation), test=test
        )

    def fingerprint(self) -> str:
        """Changes when a note, a span or the part of a note does; with folds, also a patient."""
        digest = hashlib.sha256()
        for name in PARTS:
            for note in getattr(self.parts, name):
                spans = [(span.start, span.end, span.type) for span in note.spans]
                values = (name, note.id, note.text, spans, self.source_of.get(note.id))
                digest.update(repr(values).encode("utf-8", "surrogatepass"))
                if self.folds and note.patient:
                    digest.update(repr(note.patient).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]

    def counts(self) -> dict[str, dict[str, Any]]:
        """What each part has, and of each source where there are several."""
        counts: dict[str, dict[str, Any]] = {}
        for name in PARTS:
            notes = getattr(self.parts, name)
            counts[name] = _counts(notes)
            if self.sources:
                counts[name]["sources"] = {
                    source: _counts([note for note in notes if self.source_of[note.id] == source])
                    for source in self.sources
                }
        return counts


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
    split_here = validation is None or test is None
    pool, source_of = _pool(corpora, leave_out=leave_out, field=source_field, by_patient=split_here)
    if validation is not None and test is not None:
        train = [note for row in pool for note in row]
        parts = Parts(train=train, validation=read_notes(validation), test=read_notes(test))
        source_of = {}
    else:
        parts = _split(pool, source_of, split or SPLIT, seed)
    _check(parts)
    folds = tuple(dict.fromkeys(source_of.values())) if leave_out else ()
    data = Data(parts, source_of, folds)
    _check_folds(data)
    return data


def _check_folds(data: Data) -> None:
    in_test = {data.source_of[note.id] for note in data.parts.test} if data.folds else set()
    for fold in data.folds:
        if fold not in in_test:
            raise RunError(f"the source {fold} has too few notes to have some in the test part")
        lacking = [name for name in PARTS if not getattr(data.fold(fold), name)]
        if lacking:
            raise RunError(f"without the source {fold} no note is left for {lacking[0]}")


def _pool(
    corpora: Sequence[Source], *, leave_out: bool, field: str | None, by_patient: bool
) -> tuple[list[Row], dict[str, str]]:
    """All rows and each note's source; ids of several corpora are kept apart by their names."""
    if field is not None:
        return _by_field(corpora, field, by_patient=by_patient)
    if leave_out and len(corpora) == 1:
        corpora = _subfolders(corpora[0])
    if len(corpora) == 1:
        return _rows(corpora[0], by_patient=by_patient), {}
    names = [corpus.path.stem if corpus.path.is_file() else corpus.path.name for corpus in corpora]
    if len(set(names)) < len(names):
        names = [str(corpus.path) for corpus in corpora]
    pool: list[Row] = []
    source_of: dict[str, str] = {}
    for name, corpus in zip(names, corpora, strict=True):
        for row in _rows(corpus, by_patient=by_patient):
            with_ids = tuple(replace(note, id=f"{name}/{note.id}") for note in row)
            pool.append(with_ids)
            source_of |= {note.id: name for note in with_ids}
    return pool, source_of


def _rows(corpus: Source, *, by_patient: bool) -> list[Row]:
    return read_rows(corpus, named_patient(corpus) if by_patient else None)


def _subfolders(corpus: Source) -> list[Source]:
    if not corpus.path.is_dir():
        raise RunError("--leave-one-source-out needs several corpora, or --source-field")
    folders = sorted(path for path in corpus.path.iterdir() if path.is_dir())
    if len(folders) < 2:
        raise RunError(f"{corpus.path}: --leave-one-source-out needs two subfolders or more")
    return [replace(corpus, path=folder) for folder in folders]


def _by_field(
    corpora: Sequence[Source], field: str, *, by_patient: bool
) -> tuple[list[Row], dict[str, str]]:
    """The source of a note from a field of its line, which is read as a patient's would be."""
    pool: list[Row] = []
    source_of: dict[str, str] = {}
    for corpus in corpora:
        rows = _rows(corpus, by_patient=by_patient)
        with_source = read_rows(replace(corpus, fields=replace(corpus.fields, patient=field)))
        for row, (first, *_) in zip(rows, with_source, strict=True):
            if first.patient is None:
                raise RunError(f"{corpus.path}: a note has no field {field} to tell its source")
            pool.append(row)
            source_of |= {note.id: first.patient for note in row}
    return pool, source_of


def _split(pool: Sequence[Row], source_of: Mapping[str, str], split: str, seed: int) -> Parts:
    """Each source in the same ratio, so that none is missing from a part by chance.

    If a patient is in several sources they are split together, and the ratio of each is kept as
    far as patients let it.
    """
    if len(Ratio.parse(split, "--split").sizes) != len(PARTS):
        raise RunError(f"--split {split}: a comparison needs three parts, such as {SPLIT}")
    groups: dict[str, list[Row]] = {}
    for row in pool:
        groups.setdefault(source_of.get(row[0].id, ""), []).append(row)
    if _share_patients(groups.values()):
        together = [(source, row) for source, rows in groups.items() for row in rows]
        sources = [source for source, _ in together]
        return split_rows([row for _, row in together], split, seed, sources=sources)
    each = [split_rows(rows, split, seed) for rows in groups.values()]
    return Parts(**{name: [n for parts in each for n in getattr(parts, name)] for name in PARTS})


def _share_patients(sources: Iterable[Sequence[Row]]) -> bool:
    """Whether some patient is in more than one source."""
    of_each = [{row[0].patient for row in rows if row[0].patient} for rows in sources]
    return len(set().union(*of_each)) < sum(map(len, of_each))


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
    counts = Counts()
    for note in notes:
        counts.add(note)
    return {
        "notes": counts.notes,
        "words": counts.words,
        "spans": counts.spans,
        "types": {type: counts.types[type] for type in in_order(set(counts.types))},
        "words_by_type": {
            type: counts.word_types[type] for type in in_order(set(counts.word_types))
        },
    }
