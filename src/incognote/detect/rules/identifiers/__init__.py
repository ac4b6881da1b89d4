"""Numbers that identify a person: one family per file, and what they share."""
