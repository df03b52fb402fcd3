"""Options that several commands share, each defined once."""
