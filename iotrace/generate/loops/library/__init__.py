"""Loop nests that come along, as TOML."""
