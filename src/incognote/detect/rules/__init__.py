"""The rule families, a file or a folder each."""
