"""Pretraining an encoder on plain text.

- `corpus`: documents read from files, tokenised once into memory-mapped shards.
"""
