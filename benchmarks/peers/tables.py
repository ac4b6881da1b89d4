"""The comparison as Markdown and as JSON. Neither holds a word of a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.peers.measuring import Cost
from benchmarks.peers.peer import Peer
from benchmarks.peers.quality_figures import Quality
from incognote.evaluate import Figure


@dataclass(frozen=True)
class Result:
    """A system with its figures, or with the reason why it has none."""

    peer: Peer
    versions: dict[str, str]
    remark: str = ""
    quality: Quality | None = None
    cost: Cost | None = None
    failed: str = ""
    same_every_round: bool = True


@dataclass(frozen=True)
class Comparison:
    """All systems on the same notes."""

    sets: Sequence[str]
    notes: int
    words: int
    spans: int
    rounds: int
    threads: int
    machine: str
    results: Sequence[Result]


def markdown(comparison: Comparison) -> str:
    """Quality, cost, covered recall per type, and how each system was run."""
    parts = [
        f"{_count(comparison.notes, 'note')} ({', '.join(comparison.sets)}), {comparison.words:,} words, "
        f"{comparison.spans:,} identifiers; {_count(comparison.threads, 'thread')}, best of "
        f"{_count(comparison.rounds, 'round')}; {comparison.machine}.",
        _quality_table(comparison.results),
        _cost_table(comparison),
        _type_table(comparison.results),
        _settings_list(comparison.results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The same, with the intervals and the sums behind every figure."""
    plain = asdict(comparison)
    for system in plain["results"]:
        peer = system.pop("peer")
        system |= {name: peer[name] for name in ("name", "title", "settings")}
    return {"schema": 1, **plain}


def _quality_table(results: Sequence[Result]) -> str:
    header = (
        "system",
        "covered recall (95 % interval)",
        "PATIENT and DOCTOR",
        "leaked notes",
        "over-redaction",
        "F1, 7 categories",
        "F1, 28 types",
    )
    rows = []
    for result in results:
        found = result.quality
        if found is None:
            rows.append([result.peer.title, f"not run: {result.failed}", *[""] * 5])
        else:
            rows.append(
                [
                    result.peer.title,
                    f"{_percent(found.covered)} ({_interval(found.covered)})",
                    _percent(found.covered_people),
                    _percent(found.leaked),
                    _percent(found.over_redaction),
                    _percent(found.category_f1),
                    _percent(found.type_f1),
                ]
            )
    return _table(header, rows)


def _cost_table(comparison: Comparison) -> str:
    header = (
        *("system", "notes/s", "words/s", "notes per CPU second", "words per CPU second"),
        *("peak memory, MB", "start-up, s", "start-up, CPU s"),
    )
    rows = [
        [
            result.peer.title,
            f"{comparison.notes / cost.wall_seconds:.1f}",
            f"{comparison.words / cost.wall_seconds:,.0f}",
            f"{comparison.notes / cost.cpu_seconds:.1f}",
            f"{comparison.words / cost.cpu_seconds:,.0f}",
            f"{cost.peak_megabytes:.0f}",
            f"{cost.start_up_seconds:.1f}",
            f"{cost.start_up_cpu_seconds:.1f}",
        ]
        for result in comparison.results
        if (cost := result.cost) is not None
    ]
    return _table(header, rows) if rows else ""


def _type_table(results: Sequence[Result]) -> str:
    shown = [(result.peer.title, result.quality) for result in results if result.quality]
    if not shown:
        return ""
    counts = {type: figure.whole or 0 for type, figure in shown[0][1].covered_by_type.items()}
    rows = [
        [
            type,
            f"{counts[type]:.0f}",
            *(_percent(found.covered_by_type[type]) for _, found in shown),
        ]
        for type in sorted(counts, key=lambda type: -counts[type])
    ]
    return _table(("covered recall", "identifiers", *(title for title, _ in shown)), rows)


def _settings_list(results: Sequence[Result]) -> str:
    lines = []
    for result in results:
        versions = ", ".join(f"{name} {number}" for name, number in result.versions.items())
        told = [result.peer.settings, versions, result.remark]
        if not result.same_every_round:
            told.append("its findings differed between rounds")
        lines.append(f"- {result.peer.title}: {'; '.join(part for part in told if part)}.")
    return "\n".join(lines)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _percent(figure: Figure | None) -> str:
    return "" if figure is None or figure.value is None else f"{100 * figure.value:.1f} %"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"{100 * figure.low:.1f}–{100 * figure.high:.1f}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
