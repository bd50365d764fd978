"""What is built on the pipeline: checking files, recomputing results."""
