"""Statistics: how far a score can be trusted, and whether a difference is one."""
