"""The ground floor: errors, files, locks, messages, chunks and processes, for every room; they know none."""
