"""The parts of persons' names that need a fake, and what is known about each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from incognote.replace.surrogate.banks.names import Gender, NameBank
from incognote.replace.surrogate.people.assign import Hint, Part, stems_after
from incognote.replace.surrogate.people.known import Known


def part_of(person: Known, word: str, bank: NameBank) -> Part:
    """A word of a person's name as a part; a particle counts where it calls for names of its own."""
    particle = person.particles.get(word, "")
    return Part(person.type, word, particle if stems_after(particle, bank) else "")


def hints_of(persons: Iterable[Known], bank: NameBank) -> dict[Part, Hint]:
    """What all persons who bear a part tell of it together."""
    told: dict[Part, list[Hint]] = defaultdict(list)
    for person in persons:
        for word in person.words:
            home = "given" if word in person.given else "surname"
            hint = Hint(home, person.gender, word in person.irish)  # type: ignore[arg-type]
            told[part_of(person, word, bank)].append(hint)
    return {part: _together(hints) for part, hints in told.items()}


def _together(hints: list[Hint]) -> Hint:
    given = sum(hint.home == "given" for hint in hints)
    genders: set[Gender] = {hint.gender for hint in hints if hint.home == "given"}
    gender: Gender = genders.pop() if len(genders) == 1 else "U"
    return Hint(
        "given" if 2 * given > len(hints) else "surname", gender, any(h.irish for h in hints)
    )
