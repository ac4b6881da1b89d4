"""The rule families, one per file."""
