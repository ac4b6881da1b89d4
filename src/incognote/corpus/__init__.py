"""Corpus work: statistics, splits, checks, conversion, merging, and agreement of annotators."""
