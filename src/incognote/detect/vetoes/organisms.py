"""Germs by their Latin names: Escherichia hermannii, Morganella morganii."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.vetoes.veto import Place

GENERA = frozenset(
    "achromobacter acinetobacter actinomyces aerococcus aeromonas alcaligenes anaplasma aspergillus "
    "babesia bacillus bacteroides bartonella bordetella borrelia brucella burkholderia campylobacter "
    "capnocytophaga chlamydia chlamydophila citrobacter clostridioides clostridium "
    "coccidioides corynebacterium coxiella cryptococcus cutibacterium edwardsiella ehrlichia "
    "eikenella elizabethkingia enterobacter enterococcus escherichia finegoldia francisella fusarium "
    "fusobacterium gardnerella giardia haemophilus hafnia helicobacter histoplasma kingella "
    "klebsiella kluyvera lactobacillus legionella leishmania leptospira leuconostoc listeria "
    "malassezia micrococcus moraxella morganella mycobacterium mycoplasma naegleria neisseria "
    "nocardia pantoea parvimonas pasteurella peptostreptococcus plasmodium plesiomonas prevotella "
    "propionibacterium pseudomonas raoultella rhizopus rickettsia rothia "
    "salmonella scedosporium schistosoma serratia shigella sphingomonas staphylococcus "
    "stenotrophomonas streptococcus strongyloides toxoplasma treponema trichomonas trypanosoma "
    "ureaplasma veillonella vibrio yersinia".split()
)
"""None of them is a name that people or towns bear, as Candida and Providencia are."""

SPECIES = Pattern(r"[ ][a-z]{4,20}(?:i|us|um|is|ae|ens|ans|a|e)\b")


def organisms(note: NoteIndex) -> Iterator[Place]:
    """The genus, and the species after it."""
    for word in note.vocabulary & GENERA:
        for start in note.words[word]:
            species = SPECIES.match(note.text, start + len(word))
            yield start, species.end() if species else start + len(word)
