"""Explanations: from events to why a number is what it is."""
