"""Plans: which documents train, which test."""
