"""The published tokenizers and the MEDDOCAN corpus, where the folder that holds them is there."""

from __future__ import annotations

import io
import tarfile
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from align.aligned import check_disjoint, check_nothing_lost
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import parse
from tokenizers import Tokenizer

from incognote import phi
from incognote.align.tags import Labels, spans_to_tags, tags_to_spans
from incognote.align.tokens import TokenOffsets, TokenReader
from incognote.align.windows import coverage, windows
from incognote.align.words import words
from incognote.document import Document, Span
from incognote.workshop.tokenization.subwords import wordpiece
from incognote.workshop.tokenization.unigram import unigram

ROOT = Path(__file__).parent.parent.parent
SHARED = ROOT.parent / "shared"
TOKENIZERS = SHARED / "tokenizers"


@cache
def reader(name: str) -> TokenReader:
    folder = TOKENIZERS / name
    if name == "roberta-base":
        return TokenReader(Tokenizer.from_file(str(folder / "tokenizer.json")))
    if name.startswith("bert"):
        return TokenReader(wordpiece(folder / "vocab.txt"))
    return TokenReader(unigram(folder / "spiece.model", lowercase=name == "albert-base-v2"))


@cache
def meddocan() -> tuple[Document, ...]:
    documents = []
    for archive in sorted((SHARED / "data/annotated/meddocan_es").glob("*.tar.xz")):
        with tarfile.open(archive) as files:
            for member in files:
                stream = files.extractfile(member) if member.name.endswith(".xml") else None
                if stream is not None:
                    documents.append(meddocan_note(member.name, stream.read()))
    return tuple(documents)


def meddocan_note(name: str, content: bytes) -> Document:
    root = ElementTree.parse(io.BytesIO(content)).getroot()
    text = root.findtext("TEXT") or ""
    spans = [
        Span(int(tag["start"]), int(tag["end"]), tag["TYPE"], tag["text"])
        for tag in (element.attrib for element in root.findall("TAGS/*"))
    ]
    return Document(name, text, tuple(spans))


@cache
def own_notes() -> tuple[Document, ...]:
    documents = []
    for folder in "ABCD":
        for path in sorted((ROOT / "corpus" / folder).glob("*.txt")):
            case = parse(path.read_text("utf-8"))
            spans = tuple(Span.of(case.text, *mark) for mark in case.marks)
            documents.append(Document(path.name, case.text, spans))
    return tuple(documents)


def check_aligned(document: Document, offsets: TokenOffsets, labels: Labels) -> None:
    text, given_spans = document.text, list(document.spans)
    tagging = spans_to_tags(given_spans, offsets, labels)
    found = tags_to_spans(tagging.tags, offsets, labels)
    check_disjoint(found)
    check_nothing_lost(text, given_spans, found, offsets)
    assert tagging.untouched == 0
    assert len(found) == len(given_spans) - tagging.empty - tagging.absorbed
    assert coverage(text, offsets, windows(len(offsets), 510, 128)).whole


if SHARED.exists():
    every_tokenizer = pytest.mark.parametrize(
        "name", ["albert-base-v2", "bert-cased", "bert-uncased", "roberta-base", "xlnet-cased"]
    )

    def test_meddocan_has_750_notes_that_all_align_to_words() -> None:
        labels = Labels(phi.bio_labels(sorted({s.type for d in meddocan() for s in d.spans})))
        assert len(meddocan()) == 750
        for document in meddocan():
            check_aligned(document, TokenOffsets.of(words(document.text)), labels)

    @every_tokenizer
    def test_every_note_aligns_to_pieces(name: str) -> None:
        labels = Labels(phi.bio_labels(sorted({s.type for d in meddocan() for s in d.spans})))
        for notes, label_set in (
            (meddocan(), labels),
            (own_notes(), Labels(phi.LABEL_SETS["full"])),
        ):
            read = reader(name).read_all([document.text for document in notes])
            for document, tokens in zip(notes, read, strict=True):
                check_aligned(document, tokens.offsets, label_set)

    @every_tokenizer
    @settings(deadline=None)
    @given(text=st.text(max_size=60))
    def test_any_text_can_be_read(name: str, text: str) -> None:
        tokens = reader(name).read(text)
        assert len(tokens.ids) == len(tokens.offsets)
        assert coverage(
            text, tokens.offsets, windows(len(tokens.offsets), 16, 4)
        ).characters == sum(not character.isspace() for character in text)
