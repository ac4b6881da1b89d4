"""Addresses on the internet: one family per file, and the endings of host names."""
