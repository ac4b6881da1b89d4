"""Gathers well-written notes to learn case and punctuation from, and keeps whole ones out.

    python recipes/restore/gather.py --data DATA --corpus corpus -o work/restore

train.jsonl     dictated reports, visit notes, dialogues, and the prose of sets A to D, F and J
reports.jsonl   one report in 16, held out; visits.jsonl visit notes, held out
corpus_g.jsonl  the prose of set G, which only judges
text.json       how much there is of each source

Sets that are sealed are never opened. What repeats a held-out report is left out of training.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

RECIPES = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(RECIPES.parent), str(RECIPES / "default_model")]

from generator.sources.corpus_notes import JUDGES, load_sets  # noqa: E402

from incognote.formats.inline import parse  # noqa: E402
from recipes.clinical_albert.gather import (  # noqa: E402
    Text,
    dialogues,
    repeats,
    reports,
    rows,
    shingles,
    tidy,
)

SETS = ("A", "B", "C", "D", "F", "J")
NOTES, SET = "notes", "corpus"
LEAST_WORDS = 8
"""A shorter line of the corpus is a heading, a field or a row of a table."""

_SPEAKER = re.compile(r"^(?:Doctor|Patient|Guest_\w+|[A-Z]\w+)\s*:\s*", re.MULTILINE)
_LETTERS = re.compile(r"[^\W\d_]")


def visits(path: Path) -> Iterator[Text]:
    """Notes of visits, without what was said there."""
    for row in rows(path):
        yield Text(NOTES, "aci_bench", tidy(row["note"]))


def prose(text: str) -> str:
    """The lines that are sentences: long enough, ended, and neither all capitals nor all small."""
    return "\n".join(line.strip() for line in text.split("\n") if _is_prose(line.strip()))


def _is_prose(line: str) -> bool:
    letters = _LETTERS.findall(line)
    capitals = sum(letter.isupper() for letter in letters)
    return (
        len(line.split()) >= LEAST_WORDS
        and line[-1] in ".?!"
        and "  " not in line
        and 0 < capitals < len(letters) / 3
    )


def learned(data: Path, corpus: Path) -> Iterator[Text]:
    """All that may be learned from, reports that are held out included."""
    yield from reports(data / "clinical/mtsamples/mtsamples.jsonl.gz")
    yield from visits(data / "clinical/aci_bench/train.csv")
    for said in dialogues(data / "clinical/mts_dialog/MTS-Dialog-TrainingSet.csv"):
        yield Text(NOTES, said.source, _SPEAKER.sub("", said.text), said.basis)
    yield from notes_of_sets(corpus)


def notes_of_sets(corpus: Path) -> Iterator[Text]:
    """The prose of the sets that may be learned from."""
    for note in load_sets(corpus, SETS):
        yield Text(NOTES, note.source, prose(note.text))


def judged(corpus: Path) -> Iterator[Text]:
    """The prose of the set that judges."""
    for path in sorted((corpus / JUDGES).glob("*.txt")):
        text, _ = parse(path.read_text(encoding="utf-8"))
        yield Text(NOTES, f"{SET}/{JUDGES}", prose(text))


def write(path: Path, documents: Iterable[Text]) -> None:
    """One JSON line per document."""
    with path.open("w", encoding="utf-8") as file:
        for document in documents:
            record = {"source": document.source, "text": document.text}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def main() -> int:
    """Gather, part, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the shared data folder")
    parser.add_argument("--corpus", type=Path, required=True, help="the project's corpus/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for the text")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    texts = {each.text: each for each in learned(given.data, given.corpus) if each.text}
    held_out = [each for each in texts.values() if _is_held_out(each)]
    runs: set[int] = set().union(*(shingles(each.text) for each in held_out))
    visited = list(visits(given.data / "clinical/aci_bench/valid.csv"))
    runs |= set().union(*(shingles(each.text) for each in visited))
    used, dropped = [], Counter[str]()
    for each in texts.values():
        if _is_held_out(each):
            continue
        if repeats(each.text, runs) or repeats(each.basis, runs):
            dropped[each.source] += 1
        else:
            used.append(each)
    parts = {
        "train": used,
        "reports": held_out,
        "visits": visited,
        "corpus_g": [each for each in judged(given.corpus) if each.text],
    }
    report: dict[str, object] = {"repeats_left_out": dict(dropped)}
    for name, documents in parts.items():
        write(given.output / f"{name}.jsonl", documents)
        words = Counter[str]()
        for each in documents:
            words[each.source] += len(each.text.split())
        report[name] = {"documents": len(documents), "words": dict(words)}
    text = json.dumps(report, indent=2)
    (given.output / "text.json").write_text(f"{text}\n", encoding="utf-8")
    print(text)
    return 0


def _is_held_out(text: Text) -> bool:
    return text.source == "mtsamples" and text.held_out


if __name__ == "__main__":
    sys.exit(main())
