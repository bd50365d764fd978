"""Typed values: how texts, numbers and booleans of records are read, compared and found in a text."""
