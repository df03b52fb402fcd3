"""The package's loop nests, as TOML."""
