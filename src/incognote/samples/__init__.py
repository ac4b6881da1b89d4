"""A few invented notes for the demo, CC0, from the project's own corpus."""
