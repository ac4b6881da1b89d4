"""The sections of a report, one in each file."""
