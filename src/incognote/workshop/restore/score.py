"""How well texts are restored, beside two plain ways: no change, and the forms that are most common."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from incognote.workshop.restore.words import MARKS, Restored, dictated, rewritten, words_of

_NAMES = ("period", "comma", "question mark", "colon", "semicolon", "exclamation mark")
NAMES = dict(zip(MARKS, _NAMES, strict=True))
CAPITALS = "capitals"
MODEL, COMMON, UNCHANGED = "model", "most common forms", "no change"

_ENDS = ".?!"


@dataclass
class Counts:
    """Of one class: found rightly, found wrongly, missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, gold: object, guess: object, *, is_gold: bool, is_guess: bool) -> None:
        """Count one word: whether it is of the class, whether it was taken to be, and both forms."""
        same = gold == guess
        self.right += is_gold and is_guess and same
        self.wrong += is_guess and not (is_gold and same)
        self.missed += is_gold and not (is_guess and same)

    def figures(self) -> dict[str, float]:
        """Precision, recall and F1, each 0 where nothing can be said, and how many there are."""
        guesses, gold = self.right + self.wrong, self.right + self.missed
        return {
            "precision": self.right / guesses if guesses else 0.0,
            "recall": self.right / gold if gold else 0.0,
            "f1": 2 * self.right / (guesses + gold) if guesses + gold else 0.0,
            "support": gold,
        }


def figures(texts: Iterable[str], restore: Callable[[str], str]) -> dict[str, Any]:
    """Figures of every class, for well-written texts dictated and restored again.

    A mark counts at the word that it follows. Capitals count at words that have any, which are right
    only if they are written as in the text. `changed_words` are those that are other words now.
    """
    counts = {name: Counts() for name in (*NAMES.values(), CAPITALS)}
    total = changed = 0
    for text in texts:
        gold, guesses = words_of(text), words_of(restore(dictated(text)))
        changed += abs(len(gold) - len(guesses))
        for word, guess in zip(gold, guesses, strict=False):
            total += 1
            changed += word.spoken != guess.spoken
            for mark, name in NAMES.items():
                is_gold, is_guess = word.mark == mark, guess.mark == mark
                counts[name].add(mark, mark, is_gold=is_gold, is_guess=is_guess)
            counts[CAPITALS].add(
                word.text,
                guess.text,
                is_gold=word.text != word.spoken,
                is_guess=guess.text != guess.spoken,
            )
    each = {name: count.figures() for name, count in counts.items()}
    return {"words": total, "changed_words": changed, **each}


class CommonForms:
    """Each word in its most common form, each two words with the mark most common between them.

    After a mark that ends a sentence comes a capital.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        marks: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for text in texts:
            words = words_of(text)
            following = [*(word.spoken for word in words[1:]), ""]
            ends = ["", *(word.mark for word in words[:-1])]
            for word, after, before in zip(words, following, ends, strict=True):
                marks[word.spoken, after][word.mark] += 1
                marks[word.spoken, "*"][word.mark] += 1
                if before not in _ENDS or not before:
                    forms[word.spoken][word.text] += 1
        self._forms = {word: count.most_common(1)[0][0] for word, count in forms.items()}
        self._marks = {pair: count.most_common(1)[0][0] for pair, count in marks.items()}

    def restore(self, text: str) -> str:
        """The text so."""
        words = words_of(text)
        following = [*(word.spoken for word in words[1:]), ""]
        before = "."
        restored = []
        for word, after in zip(words, following, strict=True):
            form = self._forms.get(word.spoken, word.spoken)
            if before and before in _ENDS and form == word.spoken:
                form = form[:1].upper() + form[1:]
            pair = (word.spoken, after)
            before = self._marks.get(pair, self._marks.get((word.spoken, "*"), ""))
            restored.append(Restored(form, before))
        return rewritten(text, words, restored)


def compared(
    held_out: Mapping[str, Sequence[str]],
    learned: Iterable[str],
    restore: Callable[[str], str],
) -> dict[str, dict[str, Any]]:
    """Figures by file and way: the model's, and the plain ways' that have learned from the same."""
    ways = {MODEL: restore, COMMON: CommonForms(learned).restore, UNCHANGED: lambda text: text}
    return {
        name: {way: figures(texts, each) for way, each in ways.items()}
        for name, texts in held_out.items()
    }


def table(held_out: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """F1 in per cent of each class for people, a row for each file and way; a class with none is blank."""
    shown = [*NAMES.values(), CAPITALS]
    rows = []
    for name, ways in held_out.items():
        for way, found in ways.items():
            scores = [
                f"{100 * found[each]['f1']:.1f}" if found[each]["support"] else "" for each in shown
            ]
            rows.append([name, way, *scores, f"{found['changed_words']:,}"])
    return ["held out", "F1, %", *shown, "other words"], rows
