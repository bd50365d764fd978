"""What the verbs return: scores, comparisons, intervals."""
