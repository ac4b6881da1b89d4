"""A site file proposed from tables and from the notes themselves, for a person to go through.

Lists of tables are written as files beside it. Phrases are listed with the number of notes they are
in, those that are most likely names first; the less likely ones, and whatever would keep text that is
now removed, are commented out. All of it may be PHI: only its owner may read the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import log2
from pathlib import Path
from typing import NamedTuple

from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.base.lock import output_lock
from incognote.base.messages import quantity
from incognote.base.toml import toml_text
from incognote.corpus.output import check_file
from incognote.corpus.site_phrases import (
    MOST_VALUES,
    STRONG,
    PhraseCount,
    PhraseReader,
    Phrases,
    ShapeCount,
)
from incognote.corpus.site_tables import (
    ProposedList,
    ProposedPattern,
    missing_fields,
    pattern_of,
    proposals,
)
from incognote.knowledge.letters import fold_name
from incognote.phi import TYPES
from incognote.runs.audit import Failure
from incognote.runs.find import each_note
from incognote.runs.inputs import Input
from incognote.runs.settings import Settings
from incognote.runs.stream import Advance

LEAST_NOTES = 2
MOST_OF_TYPE = 200
LEAST_VALUES = 3
"""A shape of fewer different codes is the name of one thing."""
MOST_SHAPES = 40
LIKELY = 1.2
"""From this score on a phrase is proposed, below it is shown as a comment."""
UNKNOWN = "LOCATION-OTHER"

_TITLES = {
    "HOSPITAL": "wards, clinics and other parts of the hospital",
    "STREET": "streets",
    "CITY": "towns and neighbourhoods",
    "ORGANIZATION": "employers, schools and the like",
    "DOCTOR": "staff",
    "PATIENT": "patients and their families: better known from a table (--known) than listed here",
    UNKNOWN: "names of something; set their type",
}
_NAMES = {
    "HOSPITAL": "found-wards",
    "STREET": "found-streets",
    "CITY": "found-towns",
    "ORGANIZATION": "found-employers",
    "DOCTOR": "found-staff",
    "PATIENT": "found-people",
    UNKNOWN: "found-names",
}


@dataclass(frozen=True)
class ProposedPhrase:
    """A phrase that may be an identifier; the higher its score, the more likely."""

    phrase: str = field(repr=False)
    type: str
    notes: int
    times: int
    inside: int
    score: float

    @property
    def is_likely(self) -> bool:
        """Whether it is proposed, and not only shown."""
        return self.score >= LIKELY


@dataclass(frozen=True)
class ProposedShape:
    """Codes of one shape of which the detector leaves some."""

    shape: str
    notes: int
    times: int
    marked: int
    values: int

    @property
    def is_bare(self) -> bool:
        """Whether it has no letter: what it finds may be any number."""
        return not any(map(str.isalpha, self.shape))


@dataclass
class Suggestions:
    """All that is proposed, and the notes that could not be read."""

    notes: int = 0
    lists: list[ProposedList] = field(default_factory=list)
    patterns: list[ProposedPattern] = field(default_factory=list)
    phrases: list[ProposedPhrase] = field(default_factory=list)
    shapes: list[ProposedShape] = field(default_factory=list)
    tools: list[tuple[str, int]] = field(default_factory=list, repr=False)
    failures: list[Failure] = field(default_factory=list)

    def of_type(self, type: str) -> list[ProposedPhrase]:
        """The phrases of a type, the most likely first."""
        return [phrase for phrase in self.phrases if phrase.type == type]

    @property
    def types(self) -> list[str]:
        """The types of phrases that there are."""
        types = {phrase.type for phrase in self.phrases}
        return [type for type in TYPES if type in types]


def suggest(
    inputs: Sequence[Input],
    settings: Settings,
    *,
    tables: Sequence[Path] = (),
    name_fields: Sequence[str] = (),
    least_notes: int = LEAST_NOTES,
    advance: Advance = lambda notes, size: None,
) -> Suggestions:
    """Read the tables and the notes once each."""
    encoding = settings.fields.encoding
    if missing := missing_fields(tables, name_fields, encoding):
        raise RunError(f"--name-field {missing[0]}: no --table has a column of this name")
    result = Suggestions()
    for table in tables:
        lists, patterns = proposals(table, name_fields, encoding)
        result.lists += lists
        result.patterns += patterns
    counts = Phrases()
    if inputs:
        settings = settings.settled(inputs)
        for each in each_note(inputs, settings, PhraseReader(settings).work, advance=advance):
            if isinstance(each, Failure):
                result.failures.append(each)
            else:
                counts.add(each[1])
    listed = {fold_name(entry) for each in result.lists for entry in each.entries}
    listed |= {part for entry in listed for part in re.split(r"[ ,]+", entry)}
    result.notes = counts.notes
    result.phrases = _ranked(counts, least_notes, listed)
    result.shapes = _shapes(counts.shapes, least_notes, result.patterns)
    result.tools = [
        (tool, notes) for tool, notes in counts.tools.most_common() if notes >= least_notes
    ]
    return result


def _ranked(counts: Phrases, least_notes: int, listed: set[str]) -> list[ProposedPhrase]:
    ranked = [
        _proposed(phrase, count)
        for phrase, count in counts.phrases.items()
        if count.notes >= least_notes
        and count.inside
        and fold_name(phrase) not in listed
        and counts.small_words[fold_name(phrase)] < count.notes
    ]
    ranked.sort(key=lambda each: (-each.score, each.phrase))
    chosen: dict[str, int] = {}
    result: list[ProposedPhrase] = []
    for each in ranked:
        chosen[each.type] = chosen.get(each.type, 0) + 1
        if chosen[each.type] <= MOST_OF_TYPE:
            result.append(each)
    return result


def _proposed(phrase: str, count: PhraseCount) -> ProposedPhrase:
    """Inside sentences, beside words that speak of a place or a person, and in many notes."""
    type, weight = max(
        count.types.items(), key=lambda item: (item[1], item[0]), default=(UNKNOWN, 0)
    )
    inside, evidence = count.inside / count.times, min(1.0, weight / count.times / STRONG)
    score = inside * (0.3 + evidence) * log2(1 + count.notes)
    return ProposedPhrase(phrase, type, count.notes, count.times, count.inside, round(score, 3))


def _shapes(
    counts: dict[str, ShapeCount], least_notes: int, patterns: Iterable[ProposedPattern]
) -> list[ProposedShape]:
    known = {pattern.pattern for pattern in patterns}
    shapes = [
        ProposedShape(shape, count.notes, count.times, count.marked, len(count.values))
        for shape, count in counts.items()
        if count.notes >= least_notes
        and len(count.values) >= LEAST_VALUES
        and count.times - count.marked >= LEAST_VALUES
        and pattern_of(shape) not in known
    ]
    shapes.sort(key=lambda each: (each.is_bare, -each.notes, each.shape))
    return shapes[:MOST_SHAPES]


# Writing


def write_suggestions(
    suggestions: Suggestions, path: Path, *, sources: Sequence[Path], overwrite: bool
) -> list[Path]:
    """The site file and the lists beside it, all or none; their paths, the site file's first."""
    lists = {
        path.with_name(f"{path.stem}.{each.name}.txt"): list_file(each)
        for each in suggestions.lists
    }
    contents = {path: site_file(suggestions, path.stem), **lists}
    with ExitStack() as locks:
        for file in contents:
            locks.enter_context(output_lock(file, "site suggest", folder=False))
            check_file(file, sources, overwrite=overwrite)
        for file in reversed(contents):
            write_private(file, contents[file].encode("utf-8", "replace"))
    return list(contents)


def list_file(proposed: ProposedList) -> str:
    """The entries of a list, one a line; ordinary words are commented out."""
    lines = [f"# From {proposed.origin}: {quantity(len(proposed.entries), 'entry', 'entries')}."]
    lines += (entry.removeprefix("#") for entry in proposed.entries)
    if proposed.doubtful:
        lines.append("# Ordinary words and departments, which stay in notes unless you list them:")
        lines += (f"# {entry}" for entry in proposed.doubtful)
    return "\n".join(lines) + "\n"


def site_file(suggestions: Suggestions, stem: str | None) -> str:
    """The site file as text. Without a stem for files beside it, lists stand in it."""
    blocks = [_HEAD.format(notes=quantity(suggestions.notes, "note"))]
    blocks += (_list(each, stem) for each in suggestions.lists)
    blocks += map(_pattern, suggestions.patterns)
    blocks += (_phrases(type, suggestions.of_type(type)) for type in suggestions.types)
    blocks += map(_shape, suggestions.shapes)
    if suggestions.tools:
        blocks.append(_never(suggestions.tools))
    if len(blocks) == 1:
        blocks.append("# Nothing was found that could be proposed.")
    return "\n\n".join(blocks) + "\n"


_HEAD = """\
# Proposed by `incognote site suggest` from {notes}. It may hold identifiers: keep it with your notes.
#
# Go through it: delete what identifies nobody, correct the types, remove the "# " before what is
# right. Then look at what it finds: incognote site check THIS-FILE NOTES"""


def _list(proposed: ProposedList, stem: str | None) -> str:
    lines = [
        f"# {proposed.origin}: {quantity(len(proposed.entries), 'entry', 'entries')}",
        "[[lists]]",
        f"name = {toml_text(proposed.name)}",
        f"type = {toml_text(proposed.type)}",
    ]
    if stem is None:
        lines += ["words = [", *(f"    {toml_text(entry)}," for entry in proposed.entries), "]"]
    else:
        lines.append(f"file = {toml_text(f'{stem}.{proposed.name}.txt')}")
    return "\n".join([*lines, f"mode = {toml_text(proposed.mode)}"])


def _pattern(proposed: ProposedPattern) -> str:
    lines = [
        f"# {proposed.origin}",
        "[[patterns]]",
        f"name = {toml_text(proposed.name)}",
        f"type = {toml_text(proposed.type)}",
        f"pattern = '{proposed.pattern}'",
    ]
    if proposed.before:
        lines.append(f"before = [{', '.join(map(toml_text, proposed.before))}]")
        lines.append("ignore-case = true")
    if proposed.check:
        lines.append(f"check = {toml_text(proposed.check)}")
    return "\n".join(lines)


def _phrases(type: str, phrases: Sequence[ProposedPhrase]) -> str:
    likely = any(phrase.is_likely for phrase in phrases)
    mode = "name" if type in ("DOCTOR", "PATIENT") else "exact"
    lines = [
        "[[lists]]",
        f"name = {toml_text(_NAMES.get(type, 'found-' + type.lower()))}",
        f"type = {toml_text(type)}",
        f"mode = {toml_text(mode)}",
        "words = [",
        *(_entry(phrase) for phrase in phrases),
        "]",
    ]
    if not likely:
        lines = [line if line.lstrip().startswith("#") else f"# {line}" for line in lines]
    title = _TITLES.get(type, type)
    return "\n".join([f"# Perhaps {title}. Nothing marks them in these notes yet.", *lines])


def _entry(phrase: ProposedPhrase) -> str:
    mark = "" if phrase.is_likely else "# "
    notes, times = quantity(phrase.notes, "note"), quantity(phrase.times, "time")
    return f"    {mark}{toml_text(phrase.phrase)},  # {notes}, {times}"


def _shape(proposed: ProposedShape) -> str:
    several = "50 or more" if proposed.values >= MOST_VALUES else f"{proposed.values}"
    lines = [
        "[[patterns]]",
        f"name = {toml_text('shape-' + re.sub(r'[^a-z0-9]+', '-', proposed.shape.lower()).strip('-'))}",
        'type = "IDNUM"',
        f"pattern = '{pattern_of(proposed.shape)}'",
    ]
    if proposed.is_bare:
        lines = [f"# {line}" for line in lines]
        advice = "Digits alone are many things: say in `before` which word must stand before them."
    else:
        advice = "If it is no identifier, write [[never]]."
    return "\n".join(
        [
            f"# {quantity(proposed.times, 'time')} in {quantity(proposed.notes, 'note')}, {several} "
            f"different ones, {proposed.marked:,} of them marked already. {advice}",
            *lines,
        ]
    )


def _never(tools: Iterable[tuple[str, int]]) -> str:
    lines = [
        "# Marked today, though the word after it makes it a tool or a fund: remove the # if that is right.",
        "# [[never]]",
        '# name = "tools"',
        "# words = [",
        *(f"#     {toml_text(tool)},  # {quantity(notes, 'note')}" for tool, notes in tools),
        "# ]",
    ]
    return "\n".join(lines)


class SummaryRow(NamedTuple):
    """For a screen: where from, the type, how many, in how many notes at most, and an example."""

    origin: str
    type: str
    entries: int
    notes: int
    example: str
    is_text: bool
    """Whether the example is text of a table or a note; a pattern is none."""


def summary_rows(suggestions: Suggestions) -> Iterator[SummaryRow]:
    """What is proposed, a row for each list, pattern and type."""
    for each in suggestions.lists:
        yield SummaryRow(each.origin, each.type, len(each.entries), 0, each.entries[0], True)
    for pattern in suggestions.patterns:
        origin = pattern.origin.partition(":")[0]
        yield SummaryRow(origin, pattern.type, 1, 0, pattern.pattern, False)
    for type in suggestions.types:
        phrases = suggestions.of_type(type)
        notes = max(each.notes for each in phrases)
        yield SummaryRow("phrases of the notes", type, len(phrases), notes, phrases[0].phrase, True)
    for shape in suggestions.shapes:
        yield SummaryRow(
            "codes of the notes", "IDNUM", shape.values, shape.notes, pattern_of(shape.shape), False
        )
    if suggestions.tools:
        tool, notes = suggestions.tools[0]
        count = len(suggestions.tools)
        yield SummaryRow("no identifiers, perhaps", "never", count, notes, tool, True)
