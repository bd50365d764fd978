"""Typed values: how the values of records are read, compared and found in a text."""
