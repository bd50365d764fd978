"""From events to reasons: confusions, examples, what correcting would gain, the ledger."""
