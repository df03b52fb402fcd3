"""A part of a trace as a store: what is selected, the SQL that chooses it, its tables, and messages about it."""
