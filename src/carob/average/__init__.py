"""Averages: how labels or documents are combined."""
