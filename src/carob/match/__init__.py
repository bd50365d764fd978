"""Event spaces: from a pair of corpora to events."""
