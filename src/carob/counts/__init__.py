"""What event spaces return and measures read: events, tallies, quantities."""
