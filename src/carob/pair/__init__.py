"""Gold and system side by side: one vocabulary, the same words, tokens, grounded strings."""
