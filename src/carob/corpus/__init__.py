"""What is annotated: documents, mentions, groups and templates, as columns, and their sources."""
