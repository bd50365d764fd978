"""Measures: from quantities to a number."""
