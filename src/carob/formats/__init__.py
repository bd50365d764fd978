"""From files to corpora, and back."""
