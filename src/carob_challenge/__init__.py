"""Challenges: one folder with public inputs, hidden gold, a task and a database of submissions."""
