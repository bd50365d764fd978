"""The commands of the challenge server."""
