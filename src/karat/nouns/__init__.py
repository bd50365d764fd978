"""What all stages share: Corpus, Pair, Events, Tally, Scores, errors."""
