"""Gathers the text that the clinical ALBERT learns from, and keeps whole documents out of it.

    python recipes/clinical_albert/gather.py --data DATA -o work/text

clinical.jsonl   dictated reports, visit notes and dialogues
medical.jsonl    answers for patients, abstracts, articles
general.jsonl    a stretch of each of some hundred books; excerpts.jsonl has a short one of each
held_out/        documents of the three kinds that nothing is learned from
text.json        how much there is of each source

Which documents are held out is told by their text alone. What else repeats one of them (a dialogue
written from a report) is left out of training.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import lzma
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "default_model"))

from generator.prepare.layout import restore_lines  # noqa: E402

CLINICAL, MEDICAL, GENERAL = "clinical", "medical", "general"
HELD_OUT = {CLINICAL: 16, MEDICAL: 40, GENERAL: 25}
"""One document in so many is held out."""

BOOK, EXCERPT = 230_000, 40_000
"""Characters of a book that are read, and of its excerpt."""

SHINGLE, MOST_SHARED = 8, 0.2
"""Words in a run, and the share of runs that a text may have in common with held-out ones."""

SPACES = re.compile(r"[ \t\xa0]+")
BLANK_LINES = re.compile(r"\n\s*\n+")
SPACED_MARK = re.compile(r" +([.,?!;:])(?=\s|$)")
FREQUENCIES = re.compile(r"Signs and Symptoms\s+Approximate number of patients.*", re.DOTALL)
HEADING = re.compile(r"^#+ *", re.MULTILINE)
ITALICS = re.compile(r"(?<!\w)_+|_+(?!\w)")


@dataclass(frozen=True)
class Text:
    """A document of one of the kinds; `basis` is the text that it retells."""

    kind: str
    source: str
    text: str
    basis: str = ""

    @property
    def held_out(self) -> bool:
        """Told by the text, so that a second copy stands on the same side."""
        digest = hashlib.sha256(self.text.encode()).digest()
        return int.from_bytes(digest[:8], "big") % HELD_OUT[self.kind] == 0


def texts(data: Path) -> Iterator[Text]:
    """All documents, one source after the other."""
    yield from reports(data / "clinical/mtsamples/mtsamples.jsonl.gz")
    for part in ("train", "valid"):
        yield from visits(data / f"clinical/aci_bench/{part}.csv")
    for part in ("Training", "Validation"):
        yield from dialogues(data / f"clinical/mts_dialog/MTS-Dialog-{part}Set.csv")
    yield from answers(data / "pretraining/medquad/medquad.jsonl.gz")
    yield from abstracts(data / "pretraining/pubmedqa_l/ori_pqal.json.gz")
    yield from articles(data / "pretraining/craft_fulltext/craft_txt.tar.xz")
    for path in sorted((data / "pretraining/books_public_domain").glob("books_train_*.jsonl.xz")):
        yield from books(path)


def reports(path: Path) -> Iterator[Text]:
    """Dictated reports, their lines restored."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield Text(
                CLINICAL, "mtsamples", tidy(restore_lines(json.loads(line)["transcription"]))
            )


def visits(path: Path) -> Iterator[Text]:
    """Notes of visits, and what was said there."""
    for row in rows(path):
        yield Text(CLINICAL, "aci_bench", tidy(row["note"]))
        said = row["dialogue"].replace("[doctor]", "Doctor:").replace("[patient]", "Patient:")
        yield Text(CLINICAL, "aci_bench", SPACED_MARK.sub(r"\1", tidy(said)), basis=row["note"])


def dialogues(path: Path) -> Iterator[Text]:
    """Dialogues alone: the sections that they retell are those of the reports."""
    for row in rows(path):
        yield Text(CLINICAL, "mts_dialog", tidy(row["dialogue"]), basis=row["section_text"])


def answers(path: Path) -> Iterator[Text]:
    """Questions and answers about one subject; tables of frequencies are left out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            pairs = json.loads(line)["qa"]
            told = [f"{pair['q']}\n\n{FREQUENCIES.sub('', pair['a'])}" for pair in pairs]
            yield Text(MEDICAL, "medquad", tidy("\n\n".join(told)))


def abstracts(path: Path) -> Iterator[Text]:
    """Abstracts with their conclusion."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for record in json.load(file).values():
            parts = [record["QUESTION"], *record["CONTEXTS"], record["LONG_ANSWER"]]
            yield Text(MEDICAL, "pubmedqa", tidy("\n\n".join(parts)))


def articles(path: Path) -> Iterator[Text]:
    """Whole articles, without their lists of references."""
    with tarfile.open(path) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            file = archive.extractfile(member)
            if file is not None and member.name.startswith("articles/txt/"):
                if not member.name.endswith(".txt"):
                    continue
                yield Text(MEDICAL, "craft", tidy(file.read().decode()))


def books(path: Path) -> Iterator[Text]:
    """A stretch from the middle of each book, where the story is."""
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            plain = ITALICS.sub("", HEADING.sub("", json.loads(line)["text"]))
            paragraphs = tidy(plain)
            begin = max(0, (len(paragraphs) - BOOK) // 2)
            yield Text(GENERAL, "books", stretch(paragraphs[begin:], BOOK))


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)


def tidy(text: str) -> str:
    """Plain line ends and spaces; one blank line between paragraphs."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return BLANK_LINES.sub(
        "\n\n", "\n".join(SPACES.sub(" ", line).strip() for line in lines)
    ).strip()


def stretch(text: str, size: int) -> str:
    """About so many characters, in whole paragraphs where there are any."""
    if len(text) <= size:
        return text
    end = text.rfind("\n\n", 0, size)
    return text[: end if end > 0 else size]


def shingles(text: str) -> set[int]:
    """Runs of words, each as a number."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {hash(tuple(words[n : n + SHINGLE])) for n in range(len(words) - SHINGLE + 1)}


def repeats(text: str, kept: set[int]) -> bool:
    """Whether a text has much in common with what is held out."""
    own = shingles(text)
    return len(own & kept) > MOST_SHARED * len(own)


def write(path: Path, documents: Iterable[Text]) -> None:
    """One JSON line per document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for document in documents:
            record = {"source": document.source, "text": document.text}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def main() -> int:
    """Gather, part, write; text.json last, as the sign that all is there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the shared data folder")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for the text")
    given = parser.parse_args()
    found = {document.text: document for document in texts(given.data) if document.text}
    kept = [document for document in found.values() if document.held_out and not document.basis]
    runs: set[int] = set().union(*(shingles(each.text) for each in kept if each.kind != GENERAL))
    used: list[Text] = []
    dropped: Counter[str] = Counter()
    for document in found.values():
        if document.held_out and not document.basis:
            continue
        if document.kind != GENERAL and (
            repeats(document.text, runs) or repeats(document.basis, runs)
        ):
            dropped[document.source] += 1
        else:
            used.append(document)
    for kind in HELD_OUT:
        write(given.output / f"{kind}.jsonl", (each for each in used if each.kind == kind))
        write(given.output / "held_out" / f"{kind}.jsonl", (e for e in kept if e.kind == kind))
    short = [each for each in used if each.kind == GENERAL]
    excerpts = (Text(each.kind, each.source, stretch(each.text, EXCERPT)) for each in short)
    write(given.output / "excerpts.jsonl", excerpts)
    report = {
        "used": figures(used),
        "held_out": figures(kept),
        "repeats_left_out": dict(dropped),
    }
    (given.output / "text.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=2))
    return 0


def figures(documents: Iterable[Text]) -> dict[str, dict[str, int]]:
    """Documents and characters of each source."""
    table: dict[str, dict[str, int]] = {}
    for each in documents:
        row = table.setdefault(each.source, {"documents": 0, "characters": 0})
        row["documents"] += 1
        row["characters"] += len(each.text)
    return table


if __name__ == "__main__":
    sys.exit(main())
