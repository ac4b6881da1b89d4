"""Runs over files: what goes in, what it is called when it comes out, and what is said of it."""
