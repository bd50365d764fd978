"""From scores to text."""
