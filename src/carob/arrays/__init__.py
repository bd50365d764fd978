"""The vocabulary of whole columns: hash, decode tags, join, overlaps, assign, cover ..."""
