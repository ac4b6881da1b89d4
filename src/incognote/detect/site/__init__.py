"""What a hospital adds of its own: lists, patterns, and words that are no identifiers there."""
