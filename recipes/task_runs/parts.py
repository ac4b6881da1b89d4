"""The parts that the runs learn from and are scored on, drawn once by a seed from the data that are here.

Every task has four files: `train` and `validation` of the final runs, and, of `train` alone,
`choose-train` and `choose-validation`, on which settings are chosen. CoLA, MRPC and STS-B are scored on
their published dev parts. RTE, SST-2, SNLI, SQuAD and COVID-QA have none here, so that a part is held
out: whole premises, sentences with all their phrases, whole articles. Nobody's test part is read.
"""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from incognote.base.files import write_whole

SEED = 0
FINAL = ("train", "validation")
CHOOSING = ("choose-train", "choose-validation")
CHOOSING_SHARE = 0.15
PHRASE_WORDS = 3
"""Phrases of so many words or more are told from those that any sentence may have."""
PASSAGE = 1500
"""Characters of a passage of COVID-QA, as many as a note has; its articles have up to a hundred thousand."""

Row = TypeVar("Row")
Article = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A task by its name on the command line, the ending of its files, and what makes them."""

    task: str
    suffix: str
    make: Callable[[Path, Path], None]


def prepared(name: str, data: Path, place: Path, *, choosing: bool) -> tuple[Path, Path]:
    """The files to learn from and to score on, made if need be."""
    part = PARTS[name]
    folder = place / name
    if not (folder / "parts.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        part.make(data, folder)
        write_whole(folder / "parts.json", json.dumps({"seed": SEED}).encode())
    first, second = (folder / f"{each}{part.suffix}" for each in (CHOOSING if choosing else FINAL))
    return first, second


def cola(data: Path, folder: Path) -> None:
    """Sentences, acceptable or not; the dev part as published."""
    _with_dev(data / "glue/CoLA", folder, header=False)


def mrpc(data: Path, folder: Path) -> None:
    """Pairs, paraphrases or not; the dev part as published."""
    _with_dev(data / "glue/MRPC", folder)


def sts_b(data: Path, folder: Path) -> None:
    """Pairs and how much they agree; the dev part as published."""
    _with_dev(data / "glue/STS-B", folder)


def _with_dev(source: Path, folder: Path, *, header: bool = True) -> None:
    parts = []
    for name in ("train", "dev"):
        lines = (source / f"{name}.tsv").read_text("utf-8-sig").splitlines(keepends=True)
        parts.append((lines[0], lines[1:]) if header else ("", lines))
    (head, train), (_, dev) = parts
    _write_rows(folder, ".tsv", train, dev, head=head)


def rte(data: Path, folder: Path, held_out: int = 277) -> None:
    """Pairs, entailed or not: as many held out as the published dev part has, by premise."""
    head, *rows = (data / "glue/RTE/train.tsv").read_text("utf-8").splitlines(keepends=True)
    validation, train = divided(rows, held_out, key=lambda row: row.split("\t")[1])
    _write_rows(folder, ".tsv", train, validation, head=head, key=lambda row: row.split("\t")[1])


def sst_2(data: Path, folder: Path, held_out: int = 872) -> None:
    """Whole sentences held out; no phrase of them is learned from.

    The published training part has all phrases of its sentences. A whole sentence ends in a full stop
    and is within no other row. What is drawn is then taken out with each phrase of three words or more
    that is in it.
    """
    head, *rows = (data / "glue/SST-2/train.tsv").read_text("utf-8").splitlines(keepends=True)
    sentences = [row for row in rows if row.split("\t")[0].rstrip().endswith(" .")]
    whole = _outermost(sentences)
    random.Random(SEED).shuffle(whole)
    validation = whole[:held_out]
    train = without_phrases(rows, validation)
    again = _outermost([row for row in train if row in set(whole)])
    random.Random(SEED).shuffle(again)
    choosing = again[:held_out]
    _write(folder, ".tsv", FINAL, (train, validation), head)
    _write(folder, ".tsv", CHOOSING, (without_phrases(train, choosing), choosing), head)


def _outermost(rows: Sequence[str]) -> list[str]:
    """Rows whose text is within no longer one's."""
    seen: set[str] = set()
    found = []
    for row in sorted(rows, key=len, reverse=True):
        text = _words(row)
        runs = _runs(text)
        if " ".join(text) not in seen:
            found.append(row)
        seen |= runs
    return sorted(found)


def without_phrases(rows: Sequence[str], held_out: Sequence[str]) -> list[str]:
    """Rows that are no phrase of the held-out sentences; nor the reverse."""
    phrases = {run for row in held_out for run in _runs(_words(row))}
    whole = {" ".join(_words(row)) for row in held_out}
    found = []
    for row in rows:
        words = _words(row)
        within = " ".join(words) in phrases if len(words) >= PHRASE_WORDS else False
        if not within and " ".join(words) not in whole:
            found.append(row)
    return found


def _words(row: str) -> list[str]:
    return row.split("\t")[0].split()


def _runs(words: Sequence[str]) -> set[str]:
    """All runs of words, from three words on."""
    return {
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + PHRASE_WORDS, len(words) + 1)
    }


def snli(data: Path, folder: Path, held_out: int = 1800) -> None:
    """Pairs of the dev part, which is all that is here; those of one premise on one side."""
    path = data / "snli_dev/snli_dev.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = [
            "\t".join(row) + "\n"
            for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    validation, train = divided(rows, held_out, key=lambda row: row.split("\t")[0])
    _write_rows(folder, ".tsv", train, validation, key=lambda row: row.split("\t")[0])


def squad(data: Path, folder: Path, held_out: int = 4) -> None:
    """Sixteen articles to learn from, and four held out."""
    path = data / "squad_subset/squad_v1_subset_a.json.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        articles = json.load(file)["data"]
    articles.sort(key=lambda article: str(article["title"]))
    _write_articles(folder, *_drawn(articles, held_out))


def covid_qa(data: Path, folder: Path, held_out: int = 20) -> None:
    """Questions on passages of 78 articles to learn from, and of 20 held out.

    An article is cut where lines or sentences end, into passages of about fifteen hundred characters; a
    question goes with the passage that has its answer. Offsets that drift are set right by search.
    """
    path = data / "covid_qa/200423_covidQA.json.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        contexts = [part for article in json.load(file)["data"] for part in article["paragraphs"]]
    contexts.sort(key=lambda part: str(part["context"]))
    articles = [
        {"title": f"article {number + 1}", "paragraphs": passages(part)}
        for number, part in enumerate(contexts)
    ]
    _write_articles(folder, *_drawn(articles, held_out))


def passages(article: Article) -> list[Article]:
    """The passages of an article that have questions."""
    text = str(article["context"])
    cuts = [0]
    while len(text) - cuts[-1] > PASSAGE:
        window = text[cuts[-1] : cuts[-1] + PASSAGE]
        end = max(window.rfind("\n"), window.rfind(". ")) + 1
        cuts.append(cuts[-1] + (end if end > PASSAGE // 2 else PASSAGE))
    asked: dict[int, list[Article]] = defaultdict(list)
    for question in article["qas"]:
        answer = _nearest(text, question["answers"][0])
        if answer is None:
            continue
        start, words = answer
        number = max(place for place, cut in enumerate(cuts) if cut <= start)
        end = [*cuts[1:], len(text)][number]
        if start + len(words) <= end:
            told = {"text": words, "answer_start": start - cuts[number]}
            more = {"id": str(question["id"]), "question": question["question"].strip()}
            asked[number].append({**more, "answers": [told]})
    ends = [*cuts[1:], len(text)]
    return [
        {"context": text[cuts[number] : ends[number]], "qas": questions}
        for number, questions in sorted(asked.items())
    ]


def _nearest(text: str, answer: Article) -> tuple[int, str] | None:
    """Where an answer stands, nearest to where it is said to."""
    words, said = str(answer["text"]).strip(), int(answer["answer_start"])
    places = [text.rfind(words, 0, said + len(words)), text.find(words, said)]
    found = [place for place in places if place >= 0]
    return (min(found, key=lambda place: abs(place - said)), words) if found and words else None


def race(data: Path, folder: Path, train: int = 1200, held_out: int = 300) -> None:
    """Questions on so many articles of middle schools, from the training and the dev part."""
    drawn = []
    for source, count in (("train", train), ("dev", held_out)):
        with lzma.open(data / f"race/{source}_middle.jsonl.xz", "rt", encoding="utf-8") as lines:
            rows = list(lines)
        random.Random(SEED).shuffle(rows)
        drawn.append(rows[:count])
    _write_rows(folder, ".jsonl", *drawn)


PARTS = {
    "rte": Part("rte", ".tsv", rte),
    "mrpc": Part("mrpc", ".tsv", mrpc),
    "cola": Part("cola", ".tsv", cola),
    "sts-b": Part("sts-b", ".tsv", sts_b),
    "sst-2": Part("sst-2", ".tsv", sst_2),
    "snli": Part("snli", ".tsv", snli),
    "squad": Part("squad", ".json", squad),
    "race": Part("race", ".jsonl", race),
    "covid-qa": Part("squad", ".json", covid_qa),
}


def divided(
    rows: Sequence[Row], held_out: int, *, key: Callable[[Row], Hashable]
) -> tuple[list[Row], list[Row]]:
    """So many held-out rows, or just above, and the others; rows of one key stay together."""
    groups: dict[Hashable, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    keys = list(groups)
    random.Random(SEED).shuffle(keys)
    first: list[Row] = []
    second: list[Row] = []
    for each in keys:
        (first if len(first) < held_out else second).extend(groups[each])
    return first, second


def _drawn(articles: Sequence[Article], held_out: int) -> tuple[list[Article], list[Article]]:
    shuffled = list(articles)
    random.Random(SEED).shuffle(shuffled)
    return shuffled[held_out:], shuffled[:held_out]


def _write_articles(folder: Path, train: Sequence[Article], validation: Sequence[Article]) -> None:
    last = max(1, round(len(train) * CHOOSING_SHARE))
    parts = (FINAL, (train, validation)), (CHOOSING, (train[:-last], train[-last:]))
    for names, some in parts:
        for name, articles in zip(names, some, strict=True):
            content = json.dumps({"version": "1.1", "data": articles}, ensure_ascii=False)
            write_whole(folder / f"{name}.json", content.encode())


def _write_rows(
    folder: Path,
    suffix: str,
    train: Sequence[str],
    validation: Sequence[str],
    *,
    head: str = "",
    key: Callable[[str], Hashable] = lambda row: row,
) -> None:
    _write(folder, suffix, FINAL, (train, validation), head)
    choosing, others = divided(train, round(len(train) * CHOOSING_SHARE), key=key)
    _write(folder, suffix, CHOOSING, (others, choosing), head)


def _write(
    folder: Path,
    suffix: str,
    names: Sequence[str],
    parts: Sequence[Iterable[str]],
    head: str,
) -> None:
    for name, rows in zip(names, parts, strict=True):
        write_whole(folder / f"{name}{suffix}", (head + "".join(rows)).encode())
