"""The history of the database: one file for each change of its tables."""
