"""Replaces the identifiers of a marked note with new ones of the same form."""
