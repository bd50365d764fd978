"""Made for a purpose: generated corpora, and audits of published tables."""
