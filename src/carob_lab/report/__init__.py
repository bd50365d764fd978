"""What an experiment found: as tables, as a chart, as a page."""
