"""Experiments: how a corpus is divided, and what is run on the parts."""
