"""Built-in corpora: they import nothing but the nouns of carob."""
