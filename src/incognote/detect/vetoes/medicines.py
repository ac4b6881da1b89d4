"""Names of medicines."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.lexicon import MEDICINES
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.vetoes.veto import Place

STEMS = tuple(
    "afil alol arabine artan asone astine azepam azolam azole azosin bactam barbital bicin caine "
    "cillin cycline dipine dronate fenac fibrate floxacin fungin gliptin gliflozin glitazone grel "
    "idone igmine ilukast kinra lamide lukast mustine mycin nacin nidazole olol olone oxetine parin "
    "phylline platin prazole pril profen ridone rubicin sartan semide setron statin sulfa taxel "
    "terol thiazide tidine triptan triptyline vastatin virine xaban zepam zolamide zumab ximab "
    "tinib ciclib".split()
)
"""Endings that generic names have by convention, and people have not."""

HYPHENATED = WordPattern(
    r"(?<![\w-])(?:k-(?:dur|tab|phos)|klor-con|slow-(?:k|fe|mag)|depo-(?:provera|medrol|testosterone)|"
    r"solu-(?:medrol|cortef)|neo-synephrine|mag-ox|os-cal|e-mycin|theo-dur|nitro-(?:dur|bid)|"
    r"bi-est|v-go|u-\d{3}|ortho-(?:novum|cyclen|evra)|tri-(?:cyclen|sprintec|levlen))(?![\w-])",
    small=True,
)

DOSE = Pattern(r"[ ](?:(?!(?:19|20)\d\d)\d{1,4}(?:\.\d{1,2})?(?![\w/:-]|\.\d)|[SRI](?=[.,;]))")
"""A figure after it; a year is none. Or that a germ is sensitive or resistant."""

LEAST = 8
"""Letters of a word whose ending tells: shorter ones may end so by chance."""


def medicines(note: NoteIndex) -> Iterator[Place]:
    """A brand, or a word with the stem of a generic name, and the figure after it."""
    for word in note.vocabulary:
        if word in MEDICINES or (len(word) >= LEAST and word.endswith(STEMS)):
            for start in note.words[word]:
                end = start + len(word)
                dose = DOSE.match(note.text, end)
                yield start, dose.end() if dose else end
    for match in HYPHENATED.find(note):
        yield match.span()
