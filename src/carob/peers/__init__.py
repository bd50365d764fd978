"""Other tools: how they read files and what they count, one file each."""
