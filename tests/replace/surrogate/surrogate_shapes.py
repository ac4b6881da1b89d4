"""Cases of surrogates as data: notes with marks, and the shapes that the fakes must have.

In a shape `{Okafor}` is the fake of Okafor in the same case, the same at every place of the case;
`#` is a digit, `?` a letter, `{th}` the ending of an ordinal; a backslash keeps the next sign; all
else stands as it is.
"""

from __future__ import annotations

import json
import re
from typing import Any

from places import TESTS

from incognote.knowledge.letters import key_of
from incognote.replace.surrogate.kernel import Mention, mention_at

_FOLDER = TESTS / "cases" / "surrogates"
_MARK = re.compile(r"\[\[([A-Z-]+)\|([^\]]*)\]\]")
_SLOT = re.compile(r"\\(?P<kept>.)|\{(?P<name>[^}]+)\}|(?P<digit>#)|(?P<letter>\?)", re.DOTALL)
_LETTER = r"[^\W\d_]"


def cases(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / file).read_text("utf-8").splitlines()]


def mentions_of(marked: str) -> list[Mention]:
    note = ""
    spans = []
    read = 0
    for match in _MARK.finditer(marked):
        note += marked[read : match.start()]
        spans.append((len(note), len(note) + len(match[2]), match[1]))
        note += match[2]
        read = match.end()
    note += marked[read:]
    return [mention_at(note, *span) for span in spans]


def pattern_of(shape: str) -> tuple[str, list[str]]:
    """A regular expression for a shape, and the names that its groups are the fakes of."""
    regex = ""
    names = []
    read = 0
    for match in _SLOT.finditer(shape):
        regex += re.escape(shape[read : match.start()])
        read = match.end()
        if match["kept"]:
            regex += re.escape(match["kept"])
        elif match["digit"] or match["letter"]:
            regex += r"\d" if match["digit"] else _LETTER
        elif match["name"] == "th":
            regex += "(?:st|nd|rd|th)"
        else:
            names.append(match["name"])
            regex += rf"({_LETTER}(?:[\w .,'-]*[\w.])?)"
    return regex + re.escape(shape[read:]), names


def case_of(text: str) -> str:
    letters = "".join(letter for letter in text if letter.isalpha())
    if letters.isupper() and len(letters) > 1:
        return "upper"
    return "lower" if letters.islower() else "title"


def check_shapes(case: dict[str, Any], fakes: list[str]) -> dict[str, str]:
    """The fake of each name in a case, after the shapes are found to be kept."""
    bound: dict[str, str] = {}
    for shape, fake in zip(case["expect"], fakes, strict=True):
        regex, names = pattern_of(shape)
        match = re.fullmatch(regex, re.sub(r"\s+$", "", fake))
        assert match, (shape, fake)
        for name, found in zip(names, match.groups(), strict=True):
            if not case.get("loose"):
                assert case_of(found) == case_of(name), (shape, fake)
                assert bound.setdefault(key_of(name), key_of(found)) == key_of(found), (shape, fake)
    return bound
