"""Banks: the names that stand in for real ones, as compact files made by recipes/banks."""

from incognote.replace.surrogate.banks.name_bank import LOCALES, NameBank, NameClass, name_bank

__all__ = ["LOCALES", "NameBank", "NameClass", "name_bank"]
