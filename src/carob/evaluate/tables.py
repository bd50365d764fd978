"""The tables of recipes that `preset` can name. Help lists them, so nothing is imported here."""

DEFAULT_FOR = {
    "mentions": "default",
    "nugget": "default for tbf",
    "templates": "default where texts fill slots of gold, or strings cannot be located",
    "records": "default where numbers or booleans fill slots of gold",
    "relations": "default where gold has relations",
    "triples": "default where gold is triples, or has relations and templates",
    "events": "default where gold has events",
}
"""When each table is scored if none is named."""

HEADLINES = {
    "mentions": "exact.F1",
    "nugget": "nugget.F1",
    "templates": "oads.F1",
    "records": "fields.F1",
    "relations": "relations.F1",
    "triples": "relations(types=ignore).F1",
    "events": "arguments.F1",
}
"""The score of each table that stands for it where one is wanted."""
