"""Interfaces of other tools, for scripts that use them: change the import and nothing else."""
