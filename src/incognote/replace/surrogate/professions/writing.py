"""Writing a job as the other is written: number, case, capitals of a title, line breaks."""

from __future__ import annotations

from incognote.replace.surrogate.professions.reading import ReadJob
from incognote.replace.surrogate.words.letters import cased, laid_out

FORMS = {"base": ("doing", 1), "gerund": ("past", 1)}
"""Levels whose jobs are the second form of another's: `drive a cab` beside `drives a cab`."""


def write_job(fake: str, read: ReadJob) -> str:
    """The fake in the number and case of the original."""
    text = read.text
    written = plural(fake) if read.plural else fake
    if any(map(str.islower, text)) and text[:1].isupper():
        written = _capitals(written, text.split())
    elif text.isupper():
        written = cased(written, text)
    return laid_out(written, text)


def _capitals(written: str, pattern: list[str]) -> str:
    """Capitals of a title (`Court Reporter`) or of a sentence's first word; not those of ICU."""
    if len(pattern[0]) > 1 and pattern[0].isupper():
        return written
    titled = len(pattern) > 1 and all(word[:1].isupper() for word in pattern)
    first, *rest = (word[:1].upper() + word[1:] if titled else word for word in written.split())
    return " ".join((first[:1].upper() + first[1:], *rest))


def plural(job: str) -> str:
    """More than one of a job.

    >>> plural("dairyman"), plural("waitress"), plural("secretary")
    ('dairymen', 'waitresses', 'secretaries')
    """
    if job.endswith("man"):
        return f"{job[:-3]}men"
    if job.endswith(("s", "ch", "sh", "x")):
        return f"{job}es"
    if job.endswith("y") and job[-2:-1] not in "aeiou":
        return f"{job[:-1]}ies"
    return f"{job}s"
