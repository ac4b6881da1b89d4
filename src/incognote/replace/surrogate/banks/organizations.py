"""The bank of words for institutions: saints, virtues, and the letters that no acronym may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from incognote.replace.surrogate.banks.lists import bank_lists
from incognote.replace.surrogate.words.letters import key_of


@dataclass(frozen=True)
class OrganizationBank:
    """Words by kind."""

    lists: Mapping[str, str] = field(repr=False)

    @cached_property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The words of each kind."""
        return {kind: tuple(words.split("|")) for kind, words in self.lists.items()}

    @cached_property
    def kind_of(self) -> dict[str, str]:
        """The kind of a word that tells it by itself."""
        return {
            key_of(word): kind
            for kind in ("services", "statuses", "holy")
            for word in self.kinds[kind]
        }

    @cached_property
    def taken_letters(self) -> frozenset[str]:
        """Acronyms of the clinic and of well-known institutions."""
        return frozenset(self.kinds["letters"])


@lru_cache(maxsize=2)
def organization_bank(locale: str) -> OrganizationBank:
    """The bank of a locale."""
    return OrganizationBank(bank_lists(locale, "organizations"))
