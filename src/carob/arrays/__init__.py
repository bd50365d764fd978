"""The vocabulary of whole columns: hash, decode tags, join, add up, draw, multiply ..."""
